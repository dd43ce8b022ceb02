/* Between the values of a parameter and its natural numbers; see tables.h. */
#include "search/tables.h"

#include <math.h>
#include <stdio.h>

struct value param_value(const struct param *param, double natural)
{
    switch (param->kind) {
    case PARAM_INT:
        return value_of_int((int64_t)natural);
    case PARAM_CHOICE:
        return value_copy(&param->values[(uint32_t)natural]);
    case PARAM_CONSTANT:
        return value_copy(&param->values[0]);
    case PARAM_REAL:
    case PARAM_NORMAL:
        return value_of_real(natural);
    }
    return (struct value){0};
}

static int refuse_value(const struct param *param, const struct value *value, struct err *err, const char *why)
{
    struct buf text = {0};
    value_json(value, &text);
    err_write(err, "'%s' can't be %s: %s", param->name, buf_str(&text), why);
    buf_fini(&text);
    return -1;
}

/* Which of the values it is. */
static int natural_of_choice(const struct param *param, const struct value *value, double *natural, struct err *err)
{
    enum { SHOWN = 12 };
    for (uint32_t i = 0; i < param->count; i++)
        if (value_equal(value, &param->values[i])) {
            *natural = i;
            return 0;
        }
    struct buf why = {0};
    buf_text(&why, param->kind == PARAM_CONSTANT ? "it is the constant " : "it is one of ");
    for (uint32_t i = 0; i < param->count && i < SHOWN; i++) {
        buf_text(&why, i ? ", " : "");
        value_json(&param->values[i], &why);
    }
    buf_text(&why, param->count > SHOWN ? ", ..." : "");
    refuse_value(param, value, err, buf_str(&why));
    buf_fini(&why);
    return -1;
}

/* A number between the steps is refused with its neighbours. */
static int on_a_level(const struct param *param, const struct param_scale *scale, const struct value *value,
                      double *natural, struct err *err)
{
    double position = (*natural - scale->min) / scale->step, last = (double)scale->levels - 1;
    double nearest = scale_at(scale, (uint64_t)fmin(rint(position), last));
    if (fabs(*natural - nearest) <= scale->step * 1e-6 + fmax(fabs(scale->min), fabs(scale->max)) * 1e-13) {
        *natural = nearest;
        return 0;
    }
    char why[160];
    double below = fmin(floor(position), last);
    if (below == last)
        snprintf(why, sizeof why, "its last step is %.15g", scale_at(scale, (uint64_t)last));
    else
        snprintf(why, sizeof why, "the nearest steps are %.15g and %.15g", scale_at(scale, (uint64_t)below),
                 scale_at(scale, (uint64_t)below + 1));
    return refuse_value(param, value, err, why);
}

static int natural_of_number(const struct param *param, const struct param_scale *scale, const struct value *value,
                             double *natural, struct err *err)
{
    if (!value_number(value, natural))
        return refuse_value(param, value, err, "it is a number");
    if (param->kind == PARAM_INT && *natural != floor(*natural))
        return refuse_value(param, value, err, "it is an integer");
    if (!(*natural >= scale->min && *natural <= scale->max)) {
        char why[160];
        snprintf(why, sizeof why, "it is between %.15g and %.15g%s", scale->min, scale->max,
                 param->kind == PARAM_NORMAL ? " (a normal reaches 5 standard deviations)" : "");
        return refuse_value(param, value, err, why);
    }
    return scale->levels ? on_a_level(param, scale, value, natural, err) : 0;
}

int param_natural(const struct param *param, const struct param_scale *scale, const struct value *value,
                  double *natural, struct err *err)
{
    if (param->kind == PARAM_CHOICE || param->kind == PARAM_CONSTANT)
        return natural_of_choice(param, value, natural, err);
    return natural_of_number(param, scale, value, natural, err);
}
