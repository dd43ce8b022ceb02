/* Parameters as JSON; see parameter_json.h. */
#include "scheduler/spec/parameter_json.h"
#include "search/param_json.h"

#include <math.h>
#include <stdlib.h>

/* A missing end of a truncation is left out. */
static void set_real(json_t *object, const char *name, double number)
{
    if (isfinite(number))
        json_object_set_new(object, name, json_real(number));
}

static void set_range(json_t *object, const struct param *param)
{
    set_real(object, "min", param->min);
    set_real(object, "max", param->max);
    if (param->step > 0)
        set_real(object, "step", param->step);
    if (param->log)
        json_object_set_new(object, "log", json_true());
}

static void set_choices(json_t *object, const struct param *param)
{
    json_object_set_new(object, "values", param_values_json(param->values, param->count));
    if (param->ordered)
        json_object_set_new(object, "ordered", json_true());
    if (!param->weights)
        return;
    json_t *weights = json_array();
    for (uint32_t i = 0; i < param->count; i++)
        json_array_append_new(weights, json_real(param->weights[i]));
    json_object_set_new(object, "weights", weights);
}

static json_t *param_to_json(const struct space *space, const struct param *param)
{
    json_t *object = json_pack("{s:s, s:s}", "name", param->name, "kind", param_kind_name(param->kind));
    switch (param->kind) {
    case PARAM_NORMAL:
        set_real(object, "mean", param->mean);
        set_real(object, "stddev", param->stddev);
        set_range(object, param);
        break;
    case PARAM_REAL:
    case PARAM_INT:
        set_range(object, param);
        break;
    case PARAM_CHOICE:
        set_choices(object, param);
        break;
    case PARAM_CONSTANT:
        json_object_set_new(object, "value", value_to_json(&param->values[0]));
        break;
    }
    if (param->default_value.kind != VALUE_NONE)
        json_object_set_new(object, "default", value_to_json(&param->default_value));
    if (param->description)
        json_object_set_new(object, "description", json_string(param->description));
    if (param->condition_count)
        json_object_set_new(object, "when", param_when_json(space, param));
    return object;
}

void parameters_write(const struct space *space, struct buf *out)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < space_count(space); i++)
        json_array_append_new(list, param_to_json(space, space_param(space, i)));
    char *text = json_dumps(list, JSON_COMPACT | JSON_REAL_PRECISION(17));
    buf_text(out, text);
    free(text);
    json_decref(list);
}
