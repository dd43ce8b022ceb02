/* A stopper as what the core asks about trials on their way; see early_stopping.h. */
#include "scheduler/session/early_stopping.h"

#include "common/mem.h"

#include <stdio.h>
#include <stdlib.h>

struct early_stopping {
    struct stopper *stopper;
    struct metrics metrics;
    struct early_stop early_stop;
    double *losses; /* of the objectives, at hand */
};

static uint64_t pause_step(void *context, uint64_t trial)
{
    struct early_stopping *early_stopping = context;
    return stopper_until(early_stopping->stopper, trial);
}

static uint64_t max_steps(void *context)
{
    struct early_stopping *early_stopping = context;
    return stopper_max_steps(early_stopping->stopper);
}

static void show_sample(void *context, uint64_t trial, uint64_t step, const double *values,
                        struct early_stop_decision *out)
{
    static const enum early_stop_action actions[] = {
        [STOPPER_GO_ON] = EARLY_STOP_GO_ON, [STOPPER_STOP] = EARLY_STOP_STOP, [STOPPER_PAUSE] = EARLY_STOP_PAUSE};
    struct early_stopping *early_stopping = context;
    struct stopper_decision decision;
    metrics_losses(&early_stopping->metrics, values, early_stopping->losses);
    stopper_sample(early_stopping->stopper, trial, step, early_stopping->losses, &decision);
    *out = (struct early_stop_decision){.action = actions[decision.action],
                                        .rung = decision.rung,
                                        .bracket = decision.bracket,
                                        .cut_off = decision.cut_off};
    snprintf(out->why, sizeof out->why, "%s", decision.why);
}

static bool find_next_move(void *context, bool last, struct early_stop_move *out)
{
    struct early_stopping *early_stopping = context;
    struct stopper_move move;
    if (!stopper_next(early_stopping->stopper, last, &move))
        return false;
    *out = (struct early_stop_move){.trial = move.trial, .resume = move.resume, .cut_off = move.cut_off};
    snprintf(out->why, sizeof out->why, "%s", move.why);
    return true;
}

static void note_resumed(void *context, uint64_t trial)
{
    struct early_stopping *early_stopping = context;
    stopper_resumed(early_stopping->stopper, trial);
}

static void note_ended(void *context, uint64_t trial, enum ending ending)
{
    struct early_stopping *early_stopping = context;
    stopper_ended(early_stopping->stopper, trial, ending);
}

struct early_stopping *early_stopping_create(struct stopper *stopper, const struct metrics *metrics)
{
    struct early_stopping *early_stopping = MEM_NEW(struct early_stopping);
    early_stopping->stopper = stopper;
    early_stopping->metrics = *metrics;
    early_stopping->losses = MEM_ARRAY(double, metrics->count);
    early_stopping->early_stop = (struct early_stop){.context = early_stopping,
                                                     .until = pause_step,
                                                     .max_steps = max_steps,
                                                     .sample = show_sample,
                                                     .next = find_next_move,
                                                     .resumed = note_resumed,
                                                     .ended = note_ended};
    return early_stopping;
}

void early_stopping_destroy(struct early_stopping *early_stopping)
{
    if (!early_stopping)
        return;
    stopper_destroy(early_stopping->stopper);
    free(early_stopping->losses);
    free(early_stopping);
}

const struct early_stop *early_stopping_early_stop(struct early_stopping *early_stopping)
{
    return &early_stopping->early_stop;
}

static void tell_sample(void *context, uint64_t trial, uint64_t step, const double *values)
{
    struct early_stop_decision decision;
    show_sample(context, trial, step, values, &decision);
}

int early_stopping_recall(struct early_stopping *early_stopping, struct reader *reader, struct err *err)
{
    struct decision_visitor visitor = {
        .context = early_stopping, .sample = tell_sample, .went_on = note_resumed, .ended = note_ended};
    return reader_decisions(reader, &visitor, err);
}
