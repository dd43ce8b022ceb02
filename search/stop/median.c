/* The stopper median: a trial whose best loss up to a step is worse than the median, over the other trials, of their
 * mean loss up to that step, is stopped. (Golovin, Solnik, Moitra, Kochanski, Karro, Sculley: "Google Vizier", KDD
 * 2017, section 3.2.2.)
 *
 * Changed: all trials that came to the step count, not only completed ones, so that the rule works from the beginning;
 * and of very many a fair sample is kept for each step (reservoir.h). */
#include "search/stop/kind.h"
#include "search/stop/reservoir.h"
#include "common/map.h"
#include "common/mem.h"
#include "common/rng.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum median_option { ROW_MIN_STEPS, ROW_MAX_STEPS, ROW_MIN_TRIALS, ROW_INTERVAL };

static const struct gannet_option options[] = {
    [ROW_MIN_STEPS] = STOP_MIN_STEPS("1", "no trial is stopped before this step"),
    [ROW_MAX_STEPS] = STOP_MAX_STEPS,
    [ROW_MIN_TRIALS] = {"min_trials", GANNET_INTEGER, 1, 1e6, NULL, "5",
                        "other trials that must have come to a step before one is stopped there"},
    [ROW_INTERVAL] = {"interval", GANNET_INTEGER, 1, 1e6, NULL, "1", "steps from one look to the next"},
    {.name = NULL},
};

/* A live trial so far. */
struct curve_mean {
    double best, sum; /* least loss, sum of losses */
    uint64_t count;
};

struct median {
    const struct stop_problem *problem;
    struct map curves; /* trial -> struct curve_mean */
    struct map steps;  /* step -> struct reservoir: mean losses of those that came there */
};

static void *create_median(const struct stop_problem *problem, struct err *err)
{
    (void)err;
    struct median *median = MEM_NEW(struct median);
    median->problem = problem;
    return median;
}

static void destroy_median(void *self)
{
    struct median *median = self;
    struct map_entry entry;
    for (size_t at = 0; map_next(&median->curves, &at, &entry);)
        free(entry.value);
    for (size_t at = 0; map_next(&median->steps, &at, &entry);) {
        reservoir_fini(entry.value);
        free(entry.value);
    }
    map_fini(&median->curves);
    map_fini(&median->steps);
    free(median);
}

static struct curve_mean *curve_of(struct median *median, uint64_t trial)
{
    struct curve_mean *curve = map_get(&median->curves, trial);
    if (!curve) {
        curve = MEM_NEW(struct curve_mean);
        curve->best = INFINITY;
        map_put(&median->curves, trial, curve);
    }
    return curve;
}

static struct reservoir *others_at(struct median *median, uint64_t step)
{
    struct reservoir *others = map_get(&median->steps, step);
    if (!others) {
        others = MEM_NEW(struct reservoir);
        map_put(&median->steps, step, others);
    }
    return others;
}

static double option_median(const struct median *median, enum median_option row)
{
    return median->problem->options[row].number;
}

static bool is_looked_at(const struct median *median, uint64_t step)
{
    uint64_t first = (uint64_t)option_median(median, ROW_MIN_STEPS),
             interval = (uint64_t)option_median(median, ROW_INTERVAL);
    return step >= first && (step - first) % interval == 0;
}

static void judge_against_median(const struct median *median, const struct curve_mean *curve,
                                 const struct reservoir *others, uint64_t step, struct stopper_decision *out)
{
    if (others->count < (size_t)option_median(median, ROW_MIN_TRIALS))
        return;
    double sign = median->problem->sign, middle = reservoir_median(others);
    out->rung = true;
    out->action = curve->best > middle ? STOPPER_STOP : STOPPER_GO_ON;
    out->cut_off = sign * middle;
    snprintf(out->why, sizeof out->why, "step %llu: its best, %.6g, is %s than %.6g, the median of %llu others",
             (unsigned long long)step, sign * curve->best, out->action == STOPPER_STOP ? "worse" : "not worse",
             sign * middle, (unsigned long long)others->seen);
}

static void sample_median(void *self, const struct stop_point *point, struct stopper_decision *out)
{
    struct median *median = self;
    struct curve_mean *curve = curve_of(median, point->trial);
    curve->best = fmin(curve->best, point->losses[0]);
    curve->sum += point->losses[0];
    curve->count++;
    if (!is_looked_at(median, point->step))
        return;
    struct reservoir *others = others_at(median, point->step);
    judge_against_median(median, curve, others, point->step, out);
    reservoir_add(others, curve->sum / (double)curve->count, rng_mix(median->problem->seed, point->step));
}

static void ended_median(void *self, uint64_t trial, bool failed, bool completed, const double *losses)
{
    (void)failed, (void)completed, (void)losses;
    struct median *median = self;
    free(map_remove(&median->curves, trial));
}

const struct stop_kind stop_median = {
    .info = {"median", "stops a trial that is worse than the median of the others at the same step", options, false},
    .max_steps_row = ROW_MAX_STEPS,
    .most_objectives = 1,
    .create = create_median,
    .sample = sample_median,
    .ended = ended_median,
    .destroy = destroy_median,
};
