/* Parameters as the experiment file states them: freeing and checking; see space.h. */
#include "search/tables.h"
#include "common/map.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

static void values_fini(struct value *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        value_fini(&values[i]);
    free(values);
}

void param_fini(struct param *param)
{
    for (uint32_t i = 0; i < param->condition_count; i++)
        values_fini(param->conditions[i].values, param->conditions[i].count);
    free(param->conditions);
    values_fini(param->values, param->count);
    free(param->weights);
    value_fini(&param->default_value);
    free(param->description);
    free(param->name);
    *param = (struct param){0};
}

static int check_whole(const struct param *param, struct err *err)
{
    const double ends[] = {param->min, param->max, param->step};
    for (int i = 0; i < 3; i++)
        if (ends[i] != floor(ends[i]) || fabs(ends[i]) > 0x1p53)
            return err_set(err, "'%s' is an integer, but %g is no whole number within 2^53", param->name, ends[i]);
    return 0;
}

static int check_range(const struct param *param, struct err *err)
{
    if (!isfinite(param->min) || !isfinite(param->max))
        return err_set(err, "'%s' needs a finite min and max", param->name);
    if (!isfinite(param->max - param->min))
        return err_set(err, "'%s' has a min and a max further apart than the largest number, 1.8e308", param->name);
    if (param->min > param->max)
        return err_set(err, "'%s' has min %g above max %g", param->name, param->min, param->max);
    if (param->log && !(param->min > 0))
        return err_set(err, "'%s' is logarithmic, so its min must be above 0, not %g", param->name, param->min);
    if (!isfinite(param->step) || param->step < 0)
        return err_set(err, "'%s' has a step of %g; a step must be above 0", param->name, param->step);
    return param->kind == PARAM_INT ? check_whole(param, err) : 0;
}

static int check_normal(const struct param *param, struct err *err)
{
    const double largest = log(DBL_MAX);
    double reach = fabs(param->mean) + 5 * param->stddev;
    if (!isfinite(reach) || !(param->stddev > 0))
        return err_set(err, "'%s' needs a finite mean and a finite stddev above 0", param->name);
    if (param->log && reach > largest)
        return err_set(err, "'%s' reaches exp(%g), larger than any number; mean and stddev are those of the logarithm",
                       param->name, reach);
    if (isnan(param->min) || isnan(param->max) || param->min >= param->max)
        return err_set(err, "'%s' has min %g not below max %g", param->name, param->min, param->max);
    struct param_scale scale;
    scale_init(&scale, param);
    bool empty = !(scale.min < scale.max) || !(scale.width > 0);
    scale_fini(&scale);
    if (empty)
        return err_set(err, "'%s' has its min or max more than 5 standard deviations beyond its mean", param->name);
    return 0;
}

/* A value with a smaller share would be too narrow for coordinates to tell from its neighbours. */
static int check_weights(const struct param *param, struct err *err)
{
    enum { MOST_UNEQUAL = 1000000000 };
    double sum = 0;
    for (uint32_t i = 0; i < param->count; i++)
        sum += param->weights[i];
    for (uint32_t i = 0; i < param->count; i++)
        if (!(param->weights[i] * (double)MOST_UNEQUAL >= sum) || !isfinite(sum))
            return err_set(err,
                           "'%s' has a weight of %g; weights must be above 0 (leave a value out that is not wanted)"
                           " and at least a billionth of their sum",
                           param->name, param->weights[i]);
    return 0;
}

/* No value twice. */
static int check_different(const struct param *param, struct err *err)
{
    struct map seen = {0};
    int result = 0;
    for (uint32_t i = 0; i < param->count && result == 0; i++)
        if (map_put(&seen, fingerprint_value(&param->values[i]), param->values)) {
            struct buf text = {0};
            value_json(&param->values[i], &text);
            result = err_set(err, "'%s' has the value %s twice", param->name, buf_str(&text));
            buf_fini(&text);
        }
    map_fini(&seen);
    return result;
}

static int check_choice(const struct param *param, struct err *err)
{
    if (param->count == 0)
        return err_set(err, "'%s' has no values; give at least one", param->name);
    for (uint32_t i = 0; i < param->count; i++) {
        double number;
        if (param->values[i].kind == VALUE_NONE || (value_number(&param->values[i], &number) && !isfinite(number)))
            return err_set(err, "'%s' has a value that is no finite number, text, true, false or null", param->name);
    }
    if (param->weights && check_weights(param, err))
        return -1;
    return check_different(param, err);
}

static int check_constant(const struct param *param, struct err *err)
{
    return param->count == 1 ? 0 : err_set(err, "'%s' is a constant and needs one value", param->name);
}

static int check_default_value(const struct param *param, struct err *err)
{
    if (param->default_value.kind == VALUE_NONE || param->kind == PARAM_CONSTANT)
        return 0;
    struct param_scale scale;
    double natural;
    scale_init(&scale, param);
    int result = param_natural(param, &scale, &param->default_value, &natural, err);
    scale_fini(&scale);
    return result ? err_prefix(err, "the default does not fit") : 0;
}

int param_check(const struct param *param, struct err *err)
{
    static int (*const checks[])(const struct param *, struct err *) = {
        [PARAM_REAL] = check_range,    [PARAM_INT] = check_range,         [PARAM_CHOICE] = check_choice,
        [PARAM_NORMAL] = check_normal, [PARAM_CONSTANT] = check_constant,
    };
    if (!param->name || !*param->name)
        return err_set(err, "a parameter has no name");
    return checks[param->kind](param, err) ? -1 : check_default_value(param, err);
}
