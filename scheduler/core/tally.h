/* What results are worth, what they add up to, and whether they reach a limit of the experiment: the one place for the
 * coordinator's core, for ask and tell, and for the store. Pure functions over a plain struct. */
#ifndef GANNET_SCHEDULER_CORE_TALLY_H
#define GANNET_SCHEDULER_CORE_TALLY_H

#include "common/metric.h"
#include "scheduler/core/event.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the trials that ended add up to. */
struct tally {
    uint64_t ended[TRIAL_STATES]; /* by the state they ended in */
    bool has_best;                /* some trial counts as a success and keeps all limits of metrics */
    uint64_t best_trial;          /* the best of those, the first of equal ones */
    double best;                  /* its value of the first metric */
};

/* See core.h; its metrics, target, max_trials, max_failures and time are read here. */
struct core_config;

/* A run says that it succeeded, with these values of the metrics: a success needs a finite one of every objective.
 * `reported` says which metrics it spoke of; NULL: of all. COMPLETED, or DIVERGED or NO_VALUE with the metric at fault
 * in *culprit. */
enum ending tally_check_values(const struct metrics *metrics, const double *values, const bool *reported,
                               uint32_t *culprit);

/* The sentence for that: the run's own, else one that names a metric other than the first. `out` has room for it. */
const char *tally_detail(const struct metrics *metrics, uint32_t culprit, const char *detail, char *out, size_t size);

/* Adds a trial that ended. `maximize`: the first metric. */
void tally_add(struct tally *tally, bool maximize, uint64_t trial, const struct event_end *end);

/* Which limit is reached after the experiment has run for `held` seconds: TARGET, TIME or FAILURES; NONE: none. */
enum reason tally_reached(const struct tally *tally, const struct core_config *config, double held);

/* Whether limits.max_trials trials were asked for, when this number is the next one. */
bool tally_all_asked(const struct core_config *config, uint64_t next_trial);

#endif
