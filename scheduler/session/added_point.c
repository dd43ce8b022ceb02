/* A point that was measured elsewhere; see added_point.h. */
#include "scheduler/session/added_point.h"

#include "common/json.h"
#include "common/mem.h"
#include "common/suggest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Which parameters are active at this point, and were not given: constants are known. */
static int check_whole(const struct space *space, const struct value *given, const double *unit, struct err *err)
{
    struct value *config = MEM_ARRAY(struct value, space_count(space));
    uint32_t i = 0;
    space_config(space, unit, config);
    while (i < space_count(space) && (config[i].kind == VALUE_NONE || given[i].kind != VALUE_NONE ||
                                      space_param(space, i)->kind == PARAM_CONSTANT))
        i++;
    space_config_fini(space, config);
    free(config);
    return i == space_count(space)
               ? 0
               : err_set(err, "'%s' is missing: what was measured has a value of every parameter that is active there",
                         space_param(space, i)->name);
}

static int read_point(const struct space *space, const char *text, double *unit, struct err *err)
{
    struct value *given = MEM_ARRAY(struct value, space_count(space));
    int failed = space_config_of_json(space, text, given, err) || space_point(space, given, NULL, NULL, unit, err) ||
                 check_whole(space, given, unit, err);
    int64_t violated = failed ? -1 : space_violated(space, unit);
    space_config_fini(space, given);
    free(given);
    if (violated >= 0)
        return err_set(err, "it violates the constraint '%s'", space_constraint(space, (uint32_t)violated));
    return failed ? -1 : 0;
}

static int read_params(const struct spec *spec, const json_t *params, struct added_point *out, struct err *err)
{
    char *text = json_is_object(params) ? json_dumps(params, JSON_COMPACT | JSON_PRESERVE_ORDER) : NULL;
    if (!text)
        return err_set(err, "the parameters have to be a JSON object");
    double *unit = MEM_ARRAY(double, space_dimension(spec->space));
    struct buf canonical = {0};
    int failed = read_point(spec->space, text, unit, err);
    if (!failed) {
        space_json(spec->space, unit, &canonical);
        out->params = buf_take(&canonical);
        out->fingerprint = space_fingerprint(spec->space, unit);
    }
    free(unit);
    free(text);
    return failed;
}

static int refuse_metric(const struct metrics *metrics, const char *name, struct err *err)
{
    const char **names = MEM_ARRAY(const char *, metrics->count);
    for (uint32_t i = 0; i < metrics->count; i++)
        names[i] = metrics->items[i].name;
    const char *near = suggest_nearest(name, names, metrics->count);
    struct buf all = {0};
    suggest_list(&all, names, metrics->count);
    err_write(err, "no metric is called '%.100s'%s%s%s; there are: %.500s", name, near ? "; did you mean '" : "",
              near ? near : "", near ? "'?" : "", buf_str(&all));
    buf_fini(&all);
    free(names);
    return -1;
}

static int read_value(const struct metrics *metrics, const char *name, const json_t *json, double *values,
                      struct err *err)
{
    uint32_t i = 0;
    while (i < metrics->count && strcmp(metrics->items[i].name, name) != 0)
        i++;
    if (i == metrics->count)
        return refuse_metric(metrics, name, err);
    if (!json_to_finite(json, &values[i]))
        return err_set(err, "the metric '%.100s' has to be a finite number", name);
    return 0;
}

static int read_values(const struct metrics *metrics, json_t *json, struct added_point *out, struct err *err)
{
    const char *name;
    json_t *value;
    out->values = MEM_ARRAY(double, metrics->count);
    for (uint32_t i = 0; i < metrics->count; i++)
        out->values[i] = NAN;
    json_object_foreach(json, name, value) if (read_value(metrics, name, value, out->values, err)) return -1;
    for (uint32_t i = 0; i < metrics->count; i++)
        if (isnan(out->values[i]))
            return err_set(err, "the metric '%s' is missing: what was measured has a value of every metric",
                           metrics->items[i].name);
    return 0;
}

int added_point_read(const struct spec *spec, const json_t *json, struct added_point *out, struct err *err)
{
    struct metrics metrics = spec_metrics(spec);
    *out = (struct added_point){0};
    return read_params(spec, json_object_get(json, "params"), out, err) ||
                   read_values(&metrics, json_object_get(json, "values"), out, err)
               ? -1
               : 0;
}

void added_point_fini(struct added_point *point)
{
    free(point->params);
    free(point->values);
}

struct event_added added_point_event(const struct added_point *point, const struct metrics *metrics, uint64_t told)
{
    struct event_added added = {.params = point->params, .fingerprint = point->fingerprint};
    added.end = (struct event_end){.ending = ENDING_COMPLETED, .told = told};
    event_set_values(&added.end, metrics, point->values);
    return added;
}
