/* Parameters in JSON; see param_json.h. */
#include "search/param_json.h"

#include <math.h>

const char *param_kind_name(enum param_kind kind)
{
    static const char *const names[] = {
        [PARAM_REAL] = "real",     [PARAM_INT] = "int",           [PARAM_CHOICE] = "choice",
        [PARAM_NORMAL] = "normal", [PARAM_CONSTANT] = "constant",
    };
    return names[kind];
}

json_t *param_values_json(const struct value *values, uint32_t count)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < count; i++)
        json_array_append_new(list, value_to_json(&values[i]));
    return list;
}

/* The end of a range; nothing where it has none. */
static void set_end(json_t *range, const char *name, double number)
{
    bool is_whole = number == floor(number) && fabs(number) < 0x1p53;
    if (isfinite(number))
        json_object_set_new(range, name, is_whole ? json_integer((json_int_t)number) : json_real(number));
}

static json_t *condition_json(const struct condition *condition)
{
    json_t *range = json_object();
    if (condition->values && !condition->excluded) {
        json_decref(range);
        return param_values_json(condition->values, condition->count);
    }
    if (condition->values) {
        json_object_set_new(range, "not", param_values_json(condition->values, condition->count));
        return range;
    }
    set_end(range, "min", condition->min);
    set_end(range, "max", condition->max);
    return range;
}

json_t *param_when_json(const struct space *space, const struct param *param)
{
    json_t *when = param->condition_count ? json_object() : NULL;
    for (uint32_t i = 0; i < param->condition_count; i++) {
        const struct condition *condition = &param->conditions[i];
        json_object_set_new(when, space_param(space, condition->parent)->name, condition_json(condition));
    }
    return when;
}
