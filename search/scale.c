/* Unit coordinates and natural numbers; see scale.h.
 *
 * Everything with an order is drawn on an axis: the number itself, its logarithm, or the probability that a normal
 * distribution gives to all below it. The unit coordinate runs evenly along the axis. Levels divide a linear axis into
 * equal parts; on a logarithmic one each level reaches half a step to either side of its value. */
#include "search/scale.h"
#include "search/decimal.h"
#include "common/mem.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

/* Beyond 2^40 levels the middle of a level is no longer safe from rounding (on a logarithmic axis an error of 2^-52 of
 * 35 natural units is 1/100 of a level): such a range is treated as continuous. */
#define MOST_LEVELS 0x1p40

/* Digits that values of a continuous range keep, relative to the range or, logarithmic, to the value. A unit coordinate
 * is good for 16 digits, so 12 come back safely; of a value far from 0 beside its range, 14 digits. */
#define RANGE_QUANTUM 1e-12
#define VALUE_QUANTUM 1e-14
enum { DIGITS = 12 };

/* A normal distribution is cut at 5 standard deviations (1 value in 1.7 million lies beyond). There a step of 2^-53 in
 * probability is 7e-11 standard deviations, so values are kept to between 1e-9 and 1e-8 of them. */
#define NORMAL_REACH   5.0
#define NORMAL_QUANTUM 1e-8

/* --- along the axis --- */

static double axis_at(const struct param_scale *scale, double natural)
{
    switch (scale->axis) {
    case SCALE_LINEAR:
        return natural;
    case SCALE_LOG:
        return log(natural);
    case SCALE_NORMAL:
        return gsl_cdf_ugaussian_P((natural - scale->mean) / scale->stddev);
    case SCALE_LOG_NORMAL:
        return gsl_cdf_ugaussian_P((log(natural) - scale->mean) / scale->stddev);
    }
    return natural;
}

static double natural_at(const struct param_scale *scale, double unit)
{
    double axis = scale->low + unit * scale->width;
    switch (scale->axis) {
    case SCALE_LINEAR:
        return axis;
    case SCALE_LOG:
        return exp(axis);
    case SCALE_NORMAL:
        return scale->mean + scale->stddev * gsl_cdf_ugaussian_Pinv(axis);
    case SCALE_LOG_NORMAL:
        return exp(scale->mean + scale->stddev * gsl_cdf_ugaussian_Pinv(axis));
    }
    return axis;
}

static void lay_axis(struct param_scale *scale, double from, double to)
{
    scale->low = axis_at(scale, from);
    scale->width = axis_at(scale, to) - scale->low;
}

static double to_decimal(const struct param_scale *scale, double natural)
{
    double rounded = decimal_round(natural, scale->exponent + (scale->relative ? decimal_exponent(natural) : 0));
    return scale->whole ? rint(rounded) : rounded;
}

static double clamp_value(double number, double min, double max)
{
    return number < min ? min : number > max ? max : number;
}

/* --- making one --- */

static void init_choice(struct param_scale *scale, const struct param *param)
{
    scale->whole = true;
    scale->levels = param->count;
    scale->step = 1;
    scale->max = (double)param->count - 1;
    if (!param->weights)
        return;
    double sum = 0, below = 0;
    for (uint32_t i = 0; i < param->count; i++)
        sum += param->weights[i];
    scale->edges = MEM_ARRAY(double, param->count + 1u);
    for (uint32_t i = 0; i < param->count; i++) {
        scale->edges[i] = below / sum;
        below += param->weights[i];
    }
    scale->edges[param->count] = 1;
}

/* The limits of a normal distribution: as given, but never beyond its reach. */
static void init_normal(struct param_scale *scale, const struct param *param)
{
    scale->axis = param->log ? SCALE_LOG_NORMAL : SCALE_NORMAL;
    scale->mean = param->mean;
    scale->stddev = param->stddev;
    scale->relative = param->log;
    double least = param->mean - NORMAL_REACH * param->stddev, most = param->mean + NORMAL_REACH * param->stddev;
    if (param->log) /* a digit less, since what counts from the first digit of 9.9 is ten times finer than of 1.0 */
        scale->exponent = (int)fmax(1 - DIGITS, decimal_exponent(10 * NORMAL_QUANTUM * param->stddev));
    else
        scale->exponent =
            decimal_exponent(fmax(NORMAL_QUANTUM * param->stddev, VALUE_QUANTUM * fmax(fabs(least), fabs(most))));
    scale->min = fmax(param->min, to_decimal(scale, param->log ? exp(least) : least));
    scale->max = fmin(param->max, to_decimal(scale, param->log ? exp(most) : most));
    lay_axis(scale, scale->min, scale->max);
}

static void init_continuous(struct param_scale *scale, const struct param *param)
{
    scale->axis = param->log ? SCALE_LOG : SCALE_LINEAR;
    scale->relative = param->log;
    double magnitude = fmax(fabs(param->min), fabs(param->max));
    scale->exponent =
        param->log ? 1 - DIGITS
                   : decimal_exponent(fmax(RANGE_QUANTUM * (param->max - param->min), VALUE_QUANTUM * magnitude));
    double half = scale->whole && param->log ? 0.5 : 0; /* every integer its full share */
    lay_axis(scale, param->min - half, param->max + half);
}

/* min, min + step, ... On a logarithmic axis a level reaches half a step to either side, the first not below half its
 * value: so 1..8 is laid out over 0.5..8.5. Rounding only takes off what binary fractions add to 0.1 + 0.2. */
static void init_levels(struct param_scale *scale, const struct param *param, double step, double levels)
{
    /* The logarithm can't tell 2^53 from 2^53 - 1; in such a narrow range it is as good as linear. */
    bool log = param->log && step > param->max / MOST_LEVELS;
    scale->axis = log ? SCALE_LOG : SCALE_LINEAR;
    scale->step = step;
    scale->levels = (uint64_t)levels;
    double magnitude = fmax(fabs(param->min), fabs(param->max));
    scale->exponent = decimal_exponent(fmin(VALUE_QUANTUM * magnitude, step / 100));
    if (log)
        lay_axis(scale, fmax(param->min - step / 2, param->min / 2), param->min + (levels - 0.5) * step);
}

void scale_init(struct param_scale *scale, const struct param *param)
{
    *scale = (struct param_scale){.min = param->min, .max = param->max, .whole = param->kind == PARAM_INT};
    if (param->kind == PARAM_CHOICE) {
        scale->min = 0;
        init_choice(scale, param);
        return;
    }
    if (param->kind == PARAM_NORMAL) {
        init_normal(scale, param);
        return;
    }
    double step = param->step > 0 ? param->step : scale->whole || param->min == param->max ? 1 : 0;
    /* A step of 0.1 fits 0..0.6 six times though 0.6 / 0.1 is a little less than 6 in doubles. */
    double levels = step > 0 ? floor((param->max - param->min) / step + 1e-6) + 1 : 0;
    if (levels > 0 && levels <= MOST_LEVELS)
        init_levels(scale, param, step, levels);
    else
        init_continuous(scale, param);
}

void scale_fini(struct param_scale *scale)
{
    free(scale->edges);
    *scale = (struct param_scale){0};
}

/* --- levels --- */

/* A whole number of levels below `position`, which may be anything, NaN included. */
static uint64_t level_below(const struct param_scale *scale, double position)
{
    if (!(position > 0))
        return 0;
    return position < (double)scale->levels ? (uint64_t)position : scale->levels - 1;
}

static uint64_t level_between_edges(const struct param_scale *scale, double unit)
{
    uint64_t low = 0, high = scale->levels; /* edges[low] <= unit < edges[high] */
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (unit >= scale->edges[middle])
            low = middle;
        else
            high = middle;
    }
    return low;
}

uint64_t scale_level(const struct param_scale *scale, double unit)
{
    if (scale->edges)
        return level_between_edges(scale, unit);
    if (scale->axis == SCALE_LINEAR)
        return level_below(scale, unit * (double)scale->levels);
    return level_below(scale, (natural_at(scale, clamp_value(unit, 0, 1)) - scale->min) / scale->step + 0.5);
}

double scale_middle(const struct param_scale *scale, uint64_t level)
{
    if (scale->edges)
        return (scale->edges[level] + scale->edges[level + 1]) / 2;
    if (scale->axis == SCALE_LINEAR)
        return ((double)level + 0.5) / (double)scale->levels;
    double value = scale->min + (double)level * scale->step;
    double below = level ? axis_at(scale, value - scale->step / 2) : scale->low;
    double above = axis_at(scale, value + scale->step / 2);
    return ((below + above) / 2 - scale->low) / scale->width;
}

double scale_at(const struct param_scale *scale, uint64_t level)
{
    if (level == 0)
        return scale->min;
    return clamp_value(to_decimal(scale, scale->min + (double)level * scale->step), scale->min, scale->max);
}

/* --- both ways --- */

double scale_natural(const struct param_scale *scale, double unit)
{
    if (scale->levels)
        return scale_at(scale, scale_level(scale, unit));
    if (!(unit > 0))
        return scale->min;
    if (unit >= 1)
        return scale->max;
    return clamp_value(to_decimal(scale, natural_at(scale, unit)), scale->min, scale->max);
}

double scale_unit(const struct param_scale *scale, double natural)
{
    if (scale->levels)
        return scale_middle(scale, level_below(scale, (natural - scale->min) / scale->step + 0.5));
    if (!(natural > scale->min))
        return 0;
    if (natural >= scale->max)
        return 1;
    return clamp_value((axis_at(scale, natural) - scale->low) / scale->width, 0, 1);
}
