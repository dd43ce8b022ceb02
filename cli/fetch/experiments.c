/* The section experiments: those of a person, wherever their run directories are, the one used last first. */
#include "cli/fetch/sections.h"
#include "cli/session/seen.h"
#include "cli/view/progress.h"
#include "cli/json.h"
#include "common/json.h"
#include "common/mem.h"
#include "common/path.h"

#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { EXPERIMENTS = 200 }; /* a screen full of them, read several times a minute */

/* When its store was last written to, seconds since 1970; 0: it is not known. */
static double find_change(const struct rundir *dir)
{
    struct stat store = {0}, log = {0};
    char *path = mem_format("%s-wal", dir->store);
    (void)stat(dir->store, &store);
    (void)stat(path, &log);
    free(path);
    return fmax((double)store.st_mtim.tv_sec, (double)log.st_mtim.tv_sec);
}

static json_t *encode_experiment(const struct overview *overview, double changed)
{
    const char *metric = json_text(overview->experiment, "metric"), *state = overview_state(overview),
               *standing = overview_standing(overview);
    const struct snapshot *snapshot = &overview->snapshot;
    struct run_progress progress = progress_of(path_base(overview->directory), metric, snapshot);
    json_t *out = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:b, s:b, s:f}", "name", progress.name, "directory",
                            overview->directory, "metric", metric, "state", state, "standing", standing, "reason",
                            overview_is_over(overview) ? reason_name(snapshot->reason) : "", "lives",
                            (int)overview->lives, "submitted", (int)(overview->jobs != NULL), "changed", changed);
    json_object_set_new(out, "ended", json_integer((json_int_t)progress.ended));
    json_object_set_new(out, "total", json_integer((json_int_t)progress.total));
    json_object_set_new(out, "running", json_integer((json_int_t)progress.running));
    json_object_set_new(out, "failed", json_integer((json_int_t)progress.failed));
    json_object_set_new(out, "best", progress.has_best ? json_of_real(progress.best) : json_null());
    json_object_set_new(out, "left", progress.left < 0 ? json_null() : json_real(progress.left));
    return out;
}

/* One that can't be read is named with the reason. */
static void add_experiment(void *context, const struct rundir *dir)
{
    json_t *list = context, *one = NULL;
    struct source *source = NULL;
    struct err err = {""};
    if (source_open_dir(dir, &source, &err) == 0) {
        struct seen seen;
        source_set_patience(source, 1);
        if (seen_recorded(source, &seen, &err) == 0)
            one = encode_experiment(&seen.overview, find_change(dir));
        seen_fini(&seen);
    }
    source_close(source);
    if (!one)
        one = json_pack("{s:s, s:s, s:s}", "name", path_base(dir->path), "directory", dir->path, "trouble", err.text);
    if (one)
        json_array_append_new(list, one);
}

json_t *section_experiments(const struct section_reading *reading, struct err *err)
{
    (void)reading;
    (void)err;
    json_t *list = json_array();
    size_t remembered = rundir_each_registered(EXPERIMENTS, add_experiment, list);
    return json_pack("{s:o, s:I}", "experiments", list, "remembered", (json_int_t)remembered);
}
