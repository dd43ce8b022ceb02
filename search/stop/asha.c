/* The stoppers asha and hyperband: asynchronous successive halving, with one bracket or as many as the options say, and
 * with all that the steps allow, a hedge against curves that cross late. (Li, Jamieson, Rostamizadeh, Gonina, Ben-tzur,
 * Hardt, Recht, Talwalkar: "A system for massively parallel hyperparameter tuning", MLSys 2020, arXiv 1810.05934. Li,
 * Jamieson, DeSalvo, Rostamizadeh, Talwalkar: "Hyperband: a novel bandit-based approach to hyperparameter
 * optimization", JMLR 18, 2018; asynchronously as in Klein, Tiao, Lienart, Archambeau, Seeger: "Model-based
 * asynchronous hyperparameter and neural architecture search", arXiv 2003.10865.) */
#include "search/stop/kind.h"
#include "search/stop/brackets.h"

enum asha_option {
    ROW_MIN_STEPS,
    ROW_MAX_STEPS,
    ROW_ETA,
    ASHA_BRACKETS,
    ASHA_MOST_PAUSED,
    HYPERBAND_MOST_PAUSED = ASHA_BRACKETS
};

static const struct gannet_option asha_options[] = {
    [ROW_MIN_STEPS] = STOP_MIN_STEPS("1", "the step at which trials are first compared"),
    [ROW_MAX_STEPS] = STOP_MAX_STEPS,
    [ROW_ETA] = BRACKETS_ETA,
    [ASHA_BRACKETS] = {"brackets", GANNET_INTEGER, 1, 32, NULL, "1",
                       "groups of trials that are first compared at min_steps, min_steps * eta, ..."},
    [ASHA_MOST_PAUSED] = BRACKETS_MOST_PAUSED,
    {.name = NULL},
};

static const struct gannet_option hyperband_options[] = {
    [ROW_MIN_STEPS] = STOP_MIN_STEPS("1", "the step at which the trials of the first bracket are first compared"),
    [ROW_MAX_STEPS] = STOP_MAX_STEPS,
    [ROW_ETA] = BRACKETS_ETA,
    [HYPERBAND_MOST_PAUSED] = BRACKETS_MOST_PAUSED,
    {.name = NULL},
};

static void *create_with(const struct stop_problem *problem, uint32_t brackets, uint32_t most_paused, struct err *err)
{
    struct brackets_setup setup = {.eta = problem->options[ROW_ETA].number,
                                   .min_steps = (uint64_t)problem->options[ROW_MIN_STEPS].number,
                                   .brackets = brackets,
                                   .most_paused = most_paused};
    return brackets_create(problem, &setup, err);
}

static void *create_asha(const struct stop_problem *problem, struct err *err)
{
    const struct gannet_setting *set = problem->options;
    return create_with(problem, (uint32_t)set[ASHA_BRACKETS].number, (uint32_t)set[ASHA_MOST_PAUSED].number, err);
}

static void *create_hyperband(const struct stop_problem *problem, struct err *err)
{
    return create_with(problem, 0, (uint32_t)problem->options[HYPERBAND_MOST_PAUSED].number, err);
}

/* clang-format off */
#define BRACKETS_FUNCTIONS \
    .max_steps_row = ROW_MAX_STEPS, .until = brackets_until, .sample = brackets_sample, .next = brackets_next, \
    .resumed = brackets_resumed, .ended = brackets_ended, .destroy = brackets_destroy
/* clang-format on */

const struct stop_kind stop_asha = {
    .info = {"asha", "compares trials at rising steps; the best of each rung go on, the others wait or stop",
             asha_options, true},
    .create = create_asha,
    BRACKETS_FUNCTIONS,
};

const struct stop_kind stop_hyperband = {
    .info = {"hyperband", "asha with brackets that first compare at different steps, for curves that cross late",
             hyperband_options, true},
    .create = create_hyperband,
    BRACKETS_FUNCTIONS,
};
