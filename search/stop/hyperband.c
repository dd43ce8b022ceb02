/* The stopper hyperband: asha with several brackets, a hedge against curves that cross late. (Li, Jamieson, DeSalvo,
 * Rostamizadeh, Talwalkar: "Hyperband: a novel bandit-based approach to hyperparameter optimization", JMLR 18, 2018;
 * asynchronously as in Klein, Tiao, Lienart, Archambeau, Seeger: "Model-based asynchronous hyperparameter and neural
 * architecture search", arXiv 2003.10865.) */
#include "search/stop/kind.h"
#include "search/stop/brackets.h"

enum row { ROW_MIN_STEPS, ROW_MAX_STEPS, ROW_ETA, ROW_MOST_PAUSED };

static const struct gannet_option options[] = {
    [ROW_MIN_STEPS] = STOP_MIN_STEPS("1", "the step at which the trials of the first bracket are first compared"),
    [ROW_MAX_STEPS] = STOP_MAX_STEPS,
    [ROW_ETA] = BRACKETS_ETA,
    [ROW_MOST_PAUSED] = BRACKETS_MOST_PAUSED,
    {.name = NULL},
};

static void *create_hyperband(const struct stop_problem *problem, struct err *err)
{
    const struct gannet_setting *set = problem->options;
    struct brackets_setup setup = {.eta = set[ROW_ETA].number,
                                   .min_steps = (uint64_t)set[ROW_MIN_STEPS].number,
                                   .most_paused = (uint32_t)set[ROW_MOST_PAUSED].number};
    return brackets_create(problem, &setup, err);
}

const struct stop_kind stop_hyperband = {
    .info = {"hyperband", "asha with brackets that first compare at different steps, for curves that cross late",
             options, true},
    .max_steps_row = ROW_MAX_STEPS,
    .create = create_hyperband,
    .until = brackets_until,
    .sample = brackets_sample,
    .next = brackets_next,
    .resumed = brackets_resumed,
    .ended = brackets_ended,
    .destroy = brackets_destroy,
};
