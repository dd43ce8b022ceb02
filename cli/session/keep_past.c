/* Keeping imported trials; see keep_past.h. */
#include "cli/session/keep_past.h"
#include "cli/json.h"
#include "common/json.h"
#include "common/mem.h"
#include "common/path.h"
#include "scheduler/session/past.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The experiment that they are of: the one that is written, with as many trials as there were. */
static struct spec *make_spec(const struct imported *imported, const struct rundir *dir, struct err *err)
{
    struct buf text = {0};
    struct problems problems = {0};
    char *limit = mem_format("limits={max_trials: %zu}", json_array_size(imported->trials));
    char *name = sketch_experiment_name(dir->path), *named = mem_format("name=%s", name), *base = path_absolute(".");
    const char *const overrides[] = {limit, named, "start_from=null"};
    sketch_write(&imported->sketch, &text);
    struct spec *spec = spec_read_text(buf_str(&text), text.length, "experiment.yaml", base, overrides,
                                       sizeof overrides / sizeof *overrides, &problems);
    if (!spec)
        err_write(err, "the space can't be taken over: %s", problems.count ? problems.items[0].message : "?");
    else if (spec->trial.checkpoint == CHECKPOINT_AUTO)
        spec->trial.checkpoint = CHECKPOINT_NO;
    problems_fini(&problems);
    buf_fini(&text);
    free(limit);
    free(named);
    free(name);
    free(base);
    return spec;
}

static int add_trial(struct past *past, const struct spec *spec, const json_t *trial, struct err *err)
{
    struct metrics metrics = spec_metrics(spec);
    double *values = MEM_ARRAY(double, metrics.count);
    int ending = ending_named(json_text(trial, "ending"));
    struct past_trial one = {.params = json_object_get(trial, "params"),
                             .ending = ending < 0 ? ENDING_REPORTED : (enum ending)ending,
                             .detail = json_string_value(json_object_get(trial, "detail")),
                             .values = values,
                             .steps = json_object_get(trial, "steps")};
    for (uint32_t i = 0; i < metrics.count; i++)
        if (!json_to_real(json_array_get(json_object_get(trial, "values"), i), &values[i]))
            values[i] = NAN;
    json_number(trial, "started", &one.started);
    json_number(trial, "seconds", &one.seconds);
    int failed = past_add(past, &one, err);
    free(values);
    return failed;
}

static int add_trials(struct past *past, const struct spec *spec, const json_t *trials, struct err *err)
{
    size_t index;
    const json_t *trial;
    json_array_foreach(trials, index, trial) if (add_trial(past, spec, trial, err)) return -1;
    return past_end(past, err);
}

int keep_past(const struct imported *imported, const struct rundir *dir, const char *whence, struct err *err)
{
    struct spec *spec = make_spec(imported, dir, err);
    struct past *past = spec ? past_create(dir, spec, whence, err) : NULL;
    int failed = !past || add_trials(past, spec, imported->trials, err);
    past_destroy(past);
    if (past && failed)
        path_remove_tree(dir->path, NULL);
    spec_destroy(spec);
    return failed ? -1 : 0;
}
