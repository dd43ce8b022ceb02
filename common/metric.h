/* What an experiment wants of a metric: that it gets small or large (an objective), that it stays within limits, or
 * both. The values of a trial are in the order of its experiment's metrics, NaN where it gave none; the first metric
 * is always an objective. */
#ifndef GANNET_COMMON_METRIC_H
#define GANNET_COMMON_METRIC_H

#include <stdbool.h>
#include <stdint.h>

struct metric {
    const char *name;
    bool objective; /* it is optimized */
    bool maximize;  /* its better direction is up */
    bool percent;   /* printed as 97.5% it is 0.975 */
    bool use_best;  /* a trial's value is its best sample instead of its last one */
    bool has_min, has_max;
    double min, max;  /* a trial beyond them breaks a limit */
    const char *step; /* what a step is called; NULL: nothing else */
};

struct metrics {
    const struct metric *items;
    uint32_t count; /* 1 or more */
};

/* How many samples a run of an experiment with so many metrics reports at most (worker/program/thin.h): 25,000 of each,
 * which nothing that prints for a year exceeds, and of at least eight metrics, since kernels report others, too. */
uint32_t metrics_most_samples(uint32_t count);

/* How many are optimized, and how many have a limit. */
uint32_t metrics_objectives(const struct metrics *metrics);
uint32_t metrics_limits(const struct metrics *metrics);

/* A trial's value of a metric, of its samples: that of the highest step, the least and the greatest finite one. */
double metric_value(const struct metric *metric, double last, double min, double max);

/* The value as a loss: lower is better. */
double metric_loss(const struct metric *metric, double value);

/* The losses of all objectives, and the violations of all metrics with limits, of the values of a trial: how far they
 * lie beyond the limits; at or below 0 they keep them. NaN: the value is none. */
void metrics_losses(const struct metrics *metrics, const double *values, double *losses);
void metrics_violations(const struct metrics *metrics, const double *values, double *violation);

/* Whether a trial with these values keeps every limit; a limited metric of which it gave no value may break it. */
bool metrics_feasible(const struct metrics *metrics, const double *values);

#endif
