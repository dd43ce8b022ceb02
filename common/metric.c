/* Metrics as losses and violations; see metric.h. */
#include "common/metric.h"

#include <math.h>

static bool is_limited(const struct metric *metric)
{
    return metric->has_min || metric->has_max;
}

uint32_t metrics_most_samples(uint32_t count)
{
    enum { MOST_EACH = 25000, LEAST_METRICS = 8 };
    return MOST_EACH * (count > LEAST_METRICS ? count : LEAST_METRICS);
}

uint32_t metrics_objectives(const struct metrics *metrics)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < metrics->count; i++)
        count += metrics->items[i].objective;
    return count;
}

uint32_t metrics_limits(const struct metrics *metrics)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < metrics->count; i++)
        count += is_limited(&metrics->items[i]);
    return count;
}

double metric_value(const struct metric *metric, double last, double min, double max)
{
    if (!metric->use_best)
        return last;
    return metric->maximize ? max : min;
}

double metric_loss(const struct metric *metric, double value)
{
    return metric->maximize ? -value : value;
}

static double violation_of(const struct metric *metric, double value)
{
    if (isnan(value))
        return NAN;
    double above = metric->has_max ? value - metric->max : -INFINITY;
    double below = metric->has_min ? metric->min - value : -INFINITY;
    return above > below ? above : below;
}

void metrics_losses(const struct metrics *metrics, const double *values, double *losses)
{
    for (uint32_t i = 0; i < metrics->count; i++)
        if (metrics->items[i].objective)
            *losses++ = metric_loss(&metrics->items[i], values[i]);
}

void metrics_violations(const struct metrics *metrics, const double *values, double *violation)
{
    for (uint32_t i = 0; i < metrics->count; i++)
        if (is_limited(&metrics->items[i]))
            *violation++ = violation_of(&metrics->items[i], values[i]);
}

bool metrics_feasible(const struct metrics *metrics, const double *values)
{
    for (uint32_t i = 0; i < metrics->count; i++)
        if (is_limited(&metrics->items[i]) && !(violation_of(&metrics->items[i], values[i]) <= 0))
            return false;
    return true;
}
