/* The spec of an experiment of which there may be the store alone; see rundir.h. */
#include "scheduler/rundir/rundir.h"
#include "common/path.h"
#include "scheduler/store/reader.h"

#include <string.h>

struct spec *rundir_spec_of(const struct rundir *dir, const json_t *experiment, struct err *err)
{
    struct problems problems = {0};
    const char *text = json_string_value(json_object_get(experiment, "spec"));
    struct spec *spec = text ? spec_read_text(text, strlen(text), dir->store, dir->path, NULL, 0, &problems) : NULL;
    if (!spec)
        err_write(err, "%s: the experiment that it has recorded can't be read: %s", dir->store,
                  problems.count ? problems.items[0].message : "there is none");
    problems_fini(&problems);
    return spec;
}

struct spec *rundir_spec_recorded(const struct rundir *dir, struct err *err)
{
    if (path_exists(dir->experiment) || !path_is_file(dir->store))
        return rundir_spec(dir, err);
    struct reader *reader = reader_open(dir->store, err);
    json_t *experiment = reader ? reader_experiment(reader, err) : NULL;
    struct spec *spec = experiment ? rundir_spec_of(dir, experiment, err) : NULL;
    json_decref(experiment);
    reader_close(reader);
    return spec;
}
