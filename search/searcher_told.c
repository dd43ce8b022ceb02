/* What a search learns: earlier experiments, its own past, how trials stand and what came of them; see searcher.h. */
#include "search/searcher_parts.h"
#include "search/guard.h"
#include "search/plugin.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

int searcher_recall(struct searcher *searcher, uint64_t trial, const char *params, struct err *err)
{
    if (map_get(&searcher->live, trial))
        return err_set(err, "trial %llu has a configuration already", (unsigned long long)trial);
    /* While there are start points, the ask of back then took one. */
    starts_take(searcher->starts, trial, searcher_usable, searcher, searcher->unit);
    if (space_point_of_json(searcher->space, params, searcher->unit, err))
        return err_prefix(err, "trial %llu", (unsigned long long)trial);
    searcher_note(searcher, trial);
    return 0;
}

/* --- earlier experiments --- */

static int learn_one(struct searcher *searcher, const struct searcher_past *past, struct err *err)
{
    if (space_point_of_json(searcher->space, past->params, searcher->unit, err))
        return -1;
    bool failed = past->failed || !isfinite(past->loss);
    struct gannet_past learnt = {.source = past->source,
                                 .unit = searcher->unit,
                                 .outcome = failed ? GANNET_FAILED : GANNET_FINISHED,
                                 .loss = failed ? NAN : past->loss,
                                 .seconds = past->seconds};
    guard_enter(plugin_path(searcher->plugin));
    if (searcher->strategy->learn)
        searcher->strategy->learn(searcher->self, &learnt);
    guard_leave();
    return 0;
}

int searcher_learn(struct searcher *searcher, const struct searcher_past *past, size_t count, struct err *err)
{
    for (size_t i = 0; i < count; i++)
        if (learn_one(searcher, &past[i], err))
            return err_prefix(err, "earlier trial %zu", i + 1);
    return 0;
}

/* --- how trials stand, and what came of them --- */

static enum gannet_outcome outcome_of(const struct searcher *searcher, enum ending ending, const double *losses)
{
    switch (ending) {
    case ENDING_COMPLETED:
    case ENDING_STOPPED_EARLY:
        for (uint32_t i = 0; i < searcher->problem.objectives; i++)
            if (!isfinite(losses[i]))
                return GANNET_FAILED;
        return GANNET_FINISHED;
    case ENDING_CANCELLED:
    case ENDING_LOST:
    case ENDING_WALLTIME:
    case ENDING_PREEMPTED:
    case ENDING_NODE_FAILED:
    case ENDING_REQUEUED:
    case ENDING_NOT_STARTED:
        return GANNET_VOID;
    default:
        return GANNET_FAILED;
    }
}

/* What a strategy is shown of a trial; a failed one has no losses. */
static struct gannet_outcome_of_trial outcome_for_strategy(struct searcher *searcher, uint64_t trial,
                                                           const double *unit, enum gannet_outcome outcome,
                                                           const struct measures *measured)
{
    for (uint32_t i = 0; i < searcher->problem.objectives; i++)
        searcher->losses[i] = outcome == GANNET_FINISHED ? measured->losses[i] : NAN;
    for (uint32_t i = 0; i < searcher->problem.limits; i++)
        searcher->violation[i] = measured->violation ? measured->violation[i] : NAN;
    return (struct gannet_outcome_of_trial){.trial = trial,
                                            .unit = unit,
                                            .outcome = outcome,
                                            .loss = searcher->losses[0],
                                            .losses = searcher->losses,
                                            .violation = searcher->violation,
                                            .seconds = measured->seconds,
                                            .energy = measured->energy,
                                            .step = measured->step};
}

void searcher_observe(struct searcher *searcher, uint64_t trial, const struct measures *so_far)
{
    const double *unit = map_get(&searcher->live, trial);
    if (!unit || !searcher->strategy->observe)
        return;
    struct gannet_outcome_of_trial shown = outcome_for_strategy(searcher, trial, unit, GANNET_FINISHED, so_far);
    guard_enter(plugin_path(searcher->plugin));
    searcher->strategy->observe(searcher->self, &shown);
    guard_leave();
}

void searcher_tell_all(struct searcher *searcher, uint64_t trial, enum ending ending, const struct measures *measured)
{
    double *unit = map_remove(&searcher->live, trial);
    if (!unit)
        return;
    enum gannet_outcome outcome = outcome_of(searcher, ending, measured->losses);
    struct gannet_outcome_of_trial told = outcome_for_strategy(searcher, trial, unit, outcome, measured);
    guard_enter(plugin_path(searcher->plugin));
    if (searcher->strategy->tell)
        searcher->strategy->tell(searcher->self, &told);
    guard_leave();
    free(unit);
}

void searcher_tell(struct searcher *searcher, uint64_t trial, enum ending ending, double loss, double seconds)
{
    assert(searcher->problem.objectives == 1);
    struct measures measured = {.losses = &loss, .seconds = seconds, .energy = NAN};
    searcher_tell_all(searcher, trial, ending, &measured);
}
