/* Parameters as JSON; see parameters.h. */
#include "scheduler/parameters.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

static const char *const kind_names[] = {
    [PARAM_REAL] = "real",     [PARAM_INT] = "int",           [PARAM_CHOICE] = "choice",
    [PARAM_NORMAL] = "normal", [PARAM_CONSTANT] = "constant",
};

/* Through value_json, which knows how each kind is written. */
static json_t *value_to_json(const struct value *value)
{
    struct buf text = {0};
    value_json(value, &text);
    json_t *json = json_loads(buf_str(&text), JSON_DECODE_ANY, NULL);
    buf_fini(&text);
    return json;
}

static json_t *values_to_json(const struct value *values, uint32_t count)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < count; i++)
        json_array_append_new(list, value_to_json(&values[i]));
    return list;
}

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
    json_object_set_new(object, "values", values_to_json(param->values, param->count));
    if (param->ordered)
        json_object_set_new(object, "ordered", json_true());
    if (!param->weights)
        return;
    json_t *weights = json_array();
    for (uint32_t i = 0; i < param->count; i++)
        json_array_append_new(weights, json_real(param->weights[i]));
    json_object_set_new(object, "weights", weights);
}

/* {"optimizer": ["sgd"]} */
static void set_when(json_t *object, const struct space *space, const struct param *param)
{
    if (!param->condition_count)
        return;
    json_t *when = json_object();
    for (uint32_t i = 0; i < param->condition_count; i++) {
        const struct condition *condition = &param->conditions[i];
        json_object_set_new(when, space_param(space, condition->parent)->name,
                            values_to_json(condition->values, condition->count));
    }
    json_object_set_new(object, "when", when);
}

static json_t *param_to_json(const struct space *space, const struct param *param)
{
    json_t *object = json_pack("{s:s, s:s}", "name", param->name, "kind", kind_names[param->kind]);
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
    if (param->preset.kind != VALUE_NONE)
        json_object_set_new(object, "default", value_to_json(&param->preset));
    if (param->description)
        json_object_set_new(object, "description", json_string(param->description));
    set_when(object, space, param);
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
