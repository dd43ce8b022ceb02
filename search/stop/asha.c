/* The stopper asha: asynchronous successive halving. (Li, Jamieson, Rostamizadeh, Gonina, Ben-tzur, Hardt, Recht,
 * Talwalkar: "A system for massively parallel hyperparameter tuning", MLSys 2020, arXiv 1810.05934.) */
#include "search/stop/kind.h"
#include "search/stop/brackets.h"

enum row { ROW_MIN_STEPS, ROW_MAX_STEPS, ROW_ETA, ROW_BRACKETS, ROW_MOST_PAUSED };

static const struct gannet_option options[] = {
    [ROW_MIN_STEPS] = STOP_MIN_STEPS("1", "the step at which trials are first compared"),
    [ROW_MAX_STEPS] = STOP_MAX_STEPS,
    [ROW_ETA] = BRACKETS_ETA,
    [ROW_BRACKETS] = {"brackets", GANNET_INTEGER, 1, 32, NULL, "1",
                      "groups of trials that are first compared at min_steps, min_steps * eta, ..."},
    [ROW_MOST_PAUSED] = BRACKETS_MOST_PAUSED,
    {.name = NULL},
};

static void *create_asha(const struct stop_problem *problem, struct err *err)
{
    const struct gannet_setting *set = problem->options;
    struct brackets_setup setup = {.eta = set[ROW_ETA].number,
                                   .min_steps = (uint64_t)set[ROW_MIN_STEPS].number,
                                   .brackets = (uint32_t)set[ROW_BRACKETS].number,
                                   .most_paused = (uint32_t)set[ROW_MOST_PAUSED].number};
    return brackets_create(problem, &setup, err);
}

const struct stop_kind stop_asha = {
    .info = {"asha", "compares trials at rising steps; the best of each rung go on, the others wait or stop", options,
             true},
    .max_steps_row = ROW_MAX_STEPS,
    .create = create_asha,
    .until = brackets_until,
    .sample = brackets_sample,
    .next = brackets_next,
    .resumed = brackets_resumed,
    .ended = brackets_ended,
    .destroy = brackets_destroy,
};
