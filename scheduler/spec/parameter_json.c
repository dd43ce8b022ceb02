/* Parameters as JSON; see parameter_json.h. */
#include "scheduler/spec/parameter_json.h"
#include "scheduler/spec/emit.h"
#include "search/param_json.h"

#include <math.h>
#include <stdlib.h>

/* A missing end of a truncation is left out. */
static void set_real(json_t *object, const char *name, double number)
{
    if (isfinite(number))
        json_object_set_new(object, name, json_real(number));
}

static void set_weights(json_t *object, const struct param *param)
{
    json_t *weights = json_array();
    for (uint32_t i = 0; param->weights && i < param->count; i++)
        json_array_append_new(weights, json_real(param->weights[i]));
    if (param->weights)
        json_object_set(object, "weights", weights);
    json_decref(weights);
}

static void set_default(json_t *object, const struct param *param)
{
    if (param->default_value.kind != VALUE_NONE)
        json_object_set_new(object, "default", value_to_json(&param->default_value));
}

static void set_description(json_t *object, const struct param *param)
{
    if (param->description)
        json_object_set_new(object, "description", json_string(param->description));
}

/* --- the store's --- */

static void set_range(json_t *object, const struct param *param)
{
    set_real(object, "min", param->min);
    set_real(object, "max", param->max);
    if (param->step > 0)
        set_real(object, "step", param->step);
    if (param->log)
        json_object_set_new(object, "log", json_true());
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
        json_object_set_new(object, "values", param_values_json(param->values, param->count));
        if (param->ordered)
            json_object_set_new(object, "ordered", json_true());
        set_weights(object, param);
        break;
    case PARAM_CONSTANT:
        json_object_set_new(object, "value", value_to_json(&param->values[0]));
        break;
    }
    set_default(object, param);
    set_description(object, param);
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

/* --- the frozen experiment's: every key of the form, also those that are as by default --- */

static void set_whole_or_real(json_t *object, const char *name, double number, bool whole)
{
    json_object_set_new(object, name, whole ? json_integer((json_int_t)number) : json_real(number));
}

static json_t *form_of_range(const struct param *param)
{
    bool whole = param->kind == PARAM_INT;
    json_t *form = json_pack("{s:s}", "type", whole ? "int" : "float");
    set_whole_or_real(form, "min", param->min, whole);
    set_whole_or_real(form, "max", param->max, whole);
    json_object_set_new(form, "log", json_boolean(param->log));
    if (param->step > 0)
        set_whole_or_real(form, "step", param->step, whole);
    return form;
}

static json_t *form_of_choice(const struct param *param)
{
    json_t *form = json_pack("{s:o, s:b}", "values", param_values_json(param->values, param->count), "ordered",
                             (int)param->ordered);
    set_weights(form, param);
    return form;
}

static json_t *form_of_normal(const struct param *param)
{
    json_t *form = json_pack("{s:f, s:f}", "mean", param->mean, "stddev", param->stddev);
    set_real(form, "min", param->min);
    set_real(form, "max", param->max);
    json_object_set_new(form, "log", json_boolean(param->log));
    return form;
}

/* Of a condition with one value that alone: {optimizer: sgd}; unless it is a list, which would be several. */
static void set_conditions(json_t *form, const struct space *space, const struct param *param)
{
    json_t *when = param_when_json(space, param), *values;
    const char *name;
    json_object_foreach(when, name, values)
    {
        if (json_array_size(values) == 1 && !json_is_array(json_array_get(values, 0)))
            json_object_set(when, name, json_array_get(values, 0));
    }
    if (when)
        json_object_set_new(form, "when", when);
}

void parameter_emit(const struct space *space, uint32_t index, struct buf *out)
{
    const struct param *param = space_param(space, index);
    json_t *form = param->kind == PARAM_CHOICE     ? form_of_choice(param)
                   : param->kind == PARAM_NORMAL   ? form_of_normal(param)
                   : param->kind == PARAM_CONSTANT ? json_pack("{s:o}", "value", value_to_json(param->values))
                                                   : form_of_range(param);
    set_default(form, param);
    set_conditions(form, space, param);
    set_description(form, param);
    emit_json(out, form);
    json_decref(form);
}
