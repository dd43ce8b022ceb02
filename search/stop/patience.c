/* The stopper patience: a trial that has not become better for a number of steps is stopped, whatever the others do.
 * (Prechelt: "Early stopping - but when?", 1998.) */
#include "search/stop/kind.h"
#include "common/map.h"
#include "common/mem.h"

#include <stdio.h>
#include <stdlib.h>

enum patience_option { ROW_STEPS, ROW_MIN_STEPS, ROW_MIN_DELTA };

static const struct gannet_option options[] = {
    [ROW_STEPS] = {"steps", GANNET_INTEGER, 1, 1e9, NULL, "10", "steps without improvement after which a trial stops"},
    [ROW_MIN_STEPS] = STOP_MIN_STEPS("1", "no trial is stopped before this step"),
    [ROW_MIN_DELTA] = {"min_delta", GANNET_NUMBER, 0, 1e300, NULL, "0",
                       "the least change of the metric that counts as an improvement"},
    {.name = NULL},
};

struct best_value {
    double loss;
    uint64_t step; /* at which it was seen */
};

struct patience_stopper {
    const struct stop_problem *problem;
    struct map bests; /* trial -> struct best_value */
};

static void *create_patience(const struct stop_problem *problem, struct err *err)
{
    (void)err;
    struct patience_stopper *patience = MEM_NEW(struct patience_stopper);
    patience->problem = problem;
    return patience;
}

static void destroy_patience(void *self)
{
    struct patience_stopper *patience = self;
    struct map_entry entry;
    for (size_t at = 0; map_next(&patience->bests, &at, &entry);)
        free(entry.value);
    map_fini(&patience->bests);
    free(patience);
}

static void sample_patience(void *self, const struct stop_point *point, struct stopper_decision *out)
{
    struct patience_stopper *patience = self;
    const struct gannet_setting *set = patience->problem->options;
    double loss = point->losses[0];
    struct best_value *best = map_get(&patience->bests, point->trial);
    if (!best) {
        best = MEM_NEW(struct best_value);
        *best = (struct best_value){loss, point->step};
        map_put(&patience->bests, point->trial, best);
    } else if (loss < best->loss - set[ROW_MIN_DELTA].number) {
        *best = (struct best_value){loss, point->step};
    }
    uint64_t waited = point->step - best->step;
    if (point->step < (uint64_t)set[ROW_MIN_STEPS].number || waited < (uint64_t)set[ROW_STEPS].number)
        return;
    out->action = STOPPER_STOP;
    out->rung = true;
    out->cut_off = patience->problem->sign * (best->loss - set[ROW_MIN_DELTA].number);
    snprintf(out->why, sizeof out->why, "step %llu: not better than %.6g, of step %llu, for %llu steps",
             (unsigned long long)point->step, patience->problem->sign * best->loss, (unsigned long long)best->step,
             (unsigned long long)waited);
}

static void ended_patience(void *self, uint64_t trial, bool failed, bool completed, const double *losses)
{
    (void)failed, (void)completed, (void)losses;
    struct patience_stopper *patience = self;
    free(map_remove(&patience->bests, trial));
}

const struct stop_kind stop_patience = {
    .info = {"patience", "stops a trial that has not become better for a number of steps", options, false},
    .max_steps_row = -1,
    .most_objectives = 1,
    .create = create_patience,
    .sample = sample_patience,
    .ended = ended_patience,
    .destroy = destroy_patience,
};
