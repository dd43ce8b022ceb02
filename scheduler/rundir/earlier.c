/* Trials of earlier experiments; see earlier.h. */
#include "scheduler/rundir/earlier.h"

#include "common/json.h"
#include "common/mem.h"
#include "scheduler/rundir/rundir.h"
#include "scheduler/store/reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One experiment being read. */
struct reading_source {
    const struct spec *spec;
    struct earlier *out;
    struct earlier_source *source;
    uint32_t place;
    double *unit;
};

/* --- configurations --- */

/* Where a number lies; false when it can't be mapped. */
static bool map_number(const struct spec *spec, const struct param *param, uint32_t coordinate, double number,
                       double *unit)
{
    if (isnan(number) || (param->log && param->kind == PARAM_NORMAL && number <= 0))
        return false;
    const struct gannet_host *host = space_host(spec->space);
    *unit = host->unit(host, coordinate, fmin(fmax(number, param->min), param->max));
    return true;
}

static bool map_choice(const struct spec *spec, const struct param *param, uint32_t coordinate,
                       const struct value *value, double *unit)
{
    const struct gannet_host *host = space_host(spec->space);
    for (uint32_t i = 0; i < param->count; i++)
        if (value_equal(&param->values[i], value)) {
            *unit = host->unit(host, coordinate, i);
            return true;
        }
    return false;
}

static bool map_coordinate(const struct spec *spec, uint32_t coordinate, const json_t *params, double *unit)
{
    const struct gannet_param *shown = &space_public(spec->space)->params[coordinate];
    const struct param *param = space_param(spec->space, (uint32_t)space_find(spec->space, shown->name));
    const json_t *json = json_object_get(params, shown->name);
    struct value value = {0};
    double number;
    bool fits = true;
    if (!json) {
        *unit = isnan(shown->preferred) ? 0.5 : shown->preferred;
        return true;
    }
    if (value_from_json(json, &value, NULL))
        return false;
    if (param->kind == PARAM_CHOICE)
        fits = map_choice(spec, param, coordinate, &value, unit);
    else
        fits = value_number(&value, &number) && map_number(spec, param, coordinate, number, unit);
    value_fini(&value);
    return fits;
}

/* The configuration in this space, or NULL. */
static const char *map_params(struct reading_source *reading, const json_t *params)
{
    const struct space *space = reading->spec->space;
    struct buf text = {0};
    for (uint32_t c = 0; c < space_dimension(space); c++)
        if (!map_coordinate(reading->spec, c, params, &reading->unit[c]))
            return NULL;
    space_snap(space, reading->unit);
    space_json(space, reading->unit, &text);
    const char *kept = arena_text(&reading->out->memory, buf_str(&text));
    buf_fini(&text);
    return kept;
}

/* --- trials --- */

/* Trials without a value have failed; cancelled and ignored ones say nothing. */
static int take_trial(void *context, json_t *trial, struct err *err)
{
    (void)err;
    struct reading_source *reading = context;
    struct earlier *out = reading->out;
    int state = trial_state_named(json_string_value(json_object_get(trial, "state")));
    double value = NAN, seconds = 0;
    bool has_value = json_to_real(json_object_get(trial, "value"), &value) && isfinite(value);
    if (json_is_true(json_object_get(trial, "ignored")))
        return 0;
    if (!has_value && (state != TRIAL_FAILED || reading->spec->sources[reading->place].best))
        return 0;
    const char *params = map_params(reading, json_object_get(trial, "params"));
    if (!params) {
        reading->source->dropped++;
        return 0;
    }
    json_to_real(json_object_get(trial, "seconds"), &seconds);
    MEM_GROW(out->items, out->capacity, out->count + 1);
    out->items[out->count++] =
        (struct searcher_past){.source = reading->place,
                               .params = params,
                               .failed = !has_value,
                               .loss = has_value ? metric_loss(&reading->spec->metrics[0], value) : NAN,
                               .seconds = seconds};
    reading->source->used++;
    return 0;
}

/* The losses of both must mean the same. */
static int check_objective(const struct spec *spec, const json_t *experiment, struct err *err)
{
    const struct metric *ours = &spec->metric;
    const char *theirs = json_string_value(json_object_get(experiment, "metric"));
    const char *goal = json_string_value(json_object_get(experiment, "goal"));
    bool same = theirs && goal && strcmp(theirs, ours->name) == 0;
    if (same && (strcmp(goal, "maximize") == 0) == ours->maximize)
        return 0;
    return err_set(err,
                   "its objective, '%s' to %s, is not that of this experiment, '%s' to %s; leave it out of start_from, "
                   "or search for the same",
                   theirs ? theirs : "?", goal ? goal : "?", ours->name, ours->maximize ? "maximize" : "minimize");
}

static int read_store(struct reading_source *reading, const struct rundir *dir, struct err *err)
{
    const struct spec_source *wanted = &reading->spec->sources[reading->place];
    struct trial_query query = {.by_value = wanted->best > 0, .limit = wanted->best};
    struct reader *reader = reader_open(dir->store, err);
    json_t *experiment = reader ? reader_experiment(reader, err) : NULL;
    int failed = !experiment || check_objective(reading->spec, experiment, err) ||
                 reader_trials_each(reader, &query, take_trial, reading, err);
    json_decref(experiment);
    reader_close(reader);
    return failed ? -1 : 0;
}

static int read_source(struct reading_source *reading, struct err *err)
{
    const char *name = reading->spec->sources[reading->place].experiment;
    struct rundir dir;
    if (rundir_find(name, &dir, err))
        return err_prefix(err, "start_from");
    reading->source->directory = arena_text(&reading->out->memory, dir.path);
    int failed = read_store(reading, &dir, err);
    rundir_fini(&dir);
    return failed ? err_prefix(err, "start_from: %s", name) : 0;
}

int earlier_read(const struct spec *spec, struct earlier *out, struct err *err)
{
    *out = (struct earlier){.source_count = spec->source_count};
    out->sources = MEM_ARRAY(struct earlier_source, spec->source_count);
    double *unit = MEM_ARRAY(double, space_dimension(spec->space));
    int failed = 0;
    for (uint32_t i = 0; i < spec->source_count && !failed; i++)
        failed = read_source(
            &(struct reading_source){.spec = spec, .out = out, .source = &out->sources[i], .place = i, .unit = unit},
            err);
    free(unit);
    return failed;
}

void earlier_fini(struct earlier *earlier)
{
    free(earlier->items);
    free(earlier->sources);
    arena_fini(&earlier->memory);
    *earlier = (struct earlier){0};
}
