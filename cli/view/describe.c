/* A search space in words; see describe.h. */
#include "cli/view/describe.h"
#include "cli/format.h"
#include "common/mem.h"
#include "common/rng.h"

#include <math.h>
#include <stdlib.h>

static void add_values(const struct value *values, uint32_t count, const char *separator, struct buf *out)
{
    for (uint32_t i = 0; i < count; i++) {
        struct buf text = {0};
        value_show(&values[i], &text);
        buf_text(out, i ? separator : "");
        format_safe(buf_str(&text), out);
        buf_fini(&text);
    }
}

static void add_range(const struct param *param, struct buf *out)
{
    char min[32], max[32], step[32];
    buf_format(out, "%s %s .. %s", param->kind == PARAM_INT ? "int" : "float",
               format_number(param->min, min, sizeof min), format_number(param->max, max, sizeof max));
    if (param->step > 0)
        buf_format(out, " in steps of %s", format_number(param->step, step, sizeof step));
    if (param->log)
        buf_text(out, ", even in the logarithm");
}

static void add_normal(const struct param *param, struct buf *out)
{
    char text[32];
    buf_format(out, "normal%s, mean %s", param->log ? " in the logarithm" : "",
               format_number(param->mean, text, sizeof text));
    buf_format(out, ", deviation %s", format_number(param->stddev, text, sizeof text));
    if (isfinite(param->min))
        buf_format(out, ", from %s", format_number(param->min, text, sizeof text));
    if (isfinite(param->max))
        buf_format(out, ", to %s", format_number(param->max, text, sizeof text));
}

static void add_bounds(const struct condition *condition, struct buf *out)
{
    char text[32];
    if (isfinite(condition->min))
        buf_format(out, " is at least %s", format_number(condition->min, text, sizeof text));
    if (isfinite(condition->min) && isfinite(condition->max))
        buf_text(out, " and");
    if (isfinite(condition->max))
        buf_format(out, " is at most %s", format_number(condition->max, text, sizeof text));
}

static void add_conditions(const struct space *space, const struct param *param, struct buf *out)
{
    for (uint32_t i = 0; i < param->condition_count; i++) {
        const struct condition *condition = &param->conditions[i];
        buf_text(out, i ? " and " : ", when ");
        format_safe(space_param(space, condition->parent)->name, out);
        if (condition->values) {
            buf_text(out, condition->excluded ? " is not " : " is ");
            add_values(condition->values, condition->count, " or ", out);
        } else {
            add_bounds(condition, out);
        }
    }
}

void describe_param(const struct space *space, const struct param *param, struct buf *out)
{
    switch (param->kind) {
    case PARAM_REAL:
    case PARAM_INT:
        add_range(param, out);
        break;
    case PARAM_CHOICE:
        buf_text(out, param->ordered ? "ordered: " : "one of ");
        add_values(param->values, param->count, ", ", out);
        break;
    case PARAM_NORMAL:
        add_normal(param, out);
        break;
    case PARAM_CONSTANT:
        buf_text(out, "always ");
        add_values(param->values, 1, "", out);
        break;
    }
    add_conditions(space, param, out);
}

void describe_size(const struct space *space, struct buf *out)
{
    bool exact;
    double size = space_size(space, &exact);
    format_count(space_dimension(space), "parameter", out);
    buf_text(out, " to choose, ");
    if (isinf(size))
        buf_text(out, "infinitely many configurations");
    else
        buf_format(out, size < 1e15 ? "%s%.0f configurations" : "%s%.3g configurations", exact ? "" : "at most ", size);
}

double describe_rejection(const struct space *space, uint64_t seed, unsigned points)
{
    uint32_t dimension = space_dimension(space);
    double *unit = MEM_ARRAY(double, dimension + 1);
    unsigned rejected = 0;
    for (unsigned i = 0; i < points; i++) {
        struct rng rng = rng_make(seed, "check", i);
        for (uint32_t d = 0; d < dimension; d++)
            unit[d] = rng_unit(&rng);
        space_snap(space, unit);
        rejected += !space_allowed(space, unit);
    }
    free(unit);
    return points ? (double)rejected / points : 0;
}
