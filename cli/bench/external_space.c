/* The space in the words that outside programs are told; see external.h. */
#include "cli/bench/external.h"
#include "common/json.h"
#include "search/param_json.h"

static void add_range(json_t *json, const struct param *param)
{
    json_object_set_new(json, "min", json_of_real(param->min));
    json_object_set_new(json, "max", json_of_real(param->max));
    json_object_set_new(json, "log", json_boolean(param->log));
    if (param->step > 0)
        json_object_set_new(json, "step", json_of_real(param->step));
    if (param->kind == PARAM_NORMAL) {
        json_object_set_new(json, "mean", json_of_real(param->mean));
        json_object_set_new(json, "stddev", json_of_real(param->stddev));
    }
}

static void add_values(json_t *json, const struct param *param)
{
    json_object_set_new(json, "values", param_values_json(param->values, param->count));
    if (param->kind == PARAM_CHOICE)
        json_object_set_new(json, "ordered", json_boolean(param->ordered));
    if (!param->weights)
        return;
    json_t *weights = json_array();
    for (uint32_t i = 0; i < param->count; i++)
        json_array_append_new(weights, json_of_real(param->weights[i]));
    json_object_set_new(json, "weights", weights);
}

json_t *outside_parameters(const struct space *space)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < space_count(space); i++) {
        const struct param *param = space_param(space, i);
        json_t *json = json_pack("{s:s, s:s}", "name", param->name, "type", param_kind_name(param->kind));
        if (param->kind == PARAM_CHOICE || param->kind == PARAM_CONSTANT)
            add_values(json, param);
        else
            add_range(json, param);
        if (param->default_value.kind != VALUE_NONE)
            json_object_set_new(json, "default", value_to_json(&param->default_value));
        if (param->condition_count)
            json_object_set_new(json, "when", param_when_json(space, param));
        json_array_append_new(list, json);
    }
    return list;
}
