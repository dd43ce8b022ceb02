/* What follows from changes that are on disk: acknowledgements are sent, and trials acted on. Acting never changes a
 * state by itself; it queues, sends, tells or forgets. */
#include "scheduler/core/act.h"
#include "scheduler/core/core_parts.h"
#include "scheduler/core/dispatch.h"
#include "scheduler/core/lease.h"
#include "scheduler/core/outbox.h"
#include "scheduler/core/pause.h"
#include "scheduler/core/queue.h"
#include "scheduler/core/stall.h"
#include "scheduler/core/trial.h"
#include "scheduler/core/workers.h"

#include <math.h>

bool act_cancels_waiting(const struct core *core)
{
    return core->state != EXPERIMENT_RUNNING &&
           (core->reason == REASON_TARGET || core->reason == REASON_TIME || core->reason == REASON_FAILURES);
}

const char *act_why_all_end(const struct core *core)
{
    return act_cancels_waiting(core) ? reason_sentence(core->reason) : NULL;
}

static void act_on_paused(struct core *core, struct trial *trial)
{
    if (trial->cancel)
        pause_end(core, trial, ENDING_CANCELLED, NULL);
    else if (act_cancels_waiting(core))
        pause_end(core, trial, ENDING_STOPPED_EARLY, act_why_all_end(core));
    else if (!trial->held && core->state == EXPERIMENT_RUNNING)
        pause_resume(core, trial, "", NAN);
}

static void forget_trial(struct core *core, struct trial *trial)
{
    map_remove(&core->trials, trial->number);
    core->live[trial->state]--;
    trial_free(core, trial);
}

void act_on_trial(struct core *core, struct trial *trial)
{
    if (trial->event > core->committed)
        return; /* a later change is on its way to the disk: its own act follows */
    switch (trial->state) {
    case TRIAL_WAITING:
        if (trial->cancel || act_cancels_waiting(core))
            trial_end(core, trial, ENDING_CANCELLED,
                      &(struct outcome){.detail = trial->cancel ? NULL : act_why_all_end(core)});
        else if (!stall_delay(core, trial))
            queue_push(core, trial, trial->attempts > 0);
        break;
    case TRIAL_RUNNING:
        gang_act(core, trial);
        break;
    case TRIAL_PAUSED:
        act_on_paused(core, trial);
        break;
    default: /* ended */
        outbox_tell(core, trial);
        forget_trial(core, trial);
    }
}

/* Acknowledges what is on disk. */
static void send_due_acks(struct core *core)
{
    struct due_ack *due;
    while ((due = ring_front(&core->due_acks)) && due->event <= core->committed && !outbox_is_full(core)) {
        core->work++;
        struct worker *worker = workers_find(core, due->worker);
        if (worker && worker->peer)
            dispatch_ack(core, worker, due->ack);
        ring_pop(&core->due_acks);
    }
}

/* Acts on the trials whose changes are on disk. */
static void act_on_due_trials(struct core *core)
{
    struct due_act *due;
    while ((due = ring_front(&core->due_acts)) && due->event <= core->committed && !outbox_is_full(core)) {
        core->counters.acts++;
        core->work++;
        struct trial *trial = trial_find(core, due->trial);
        bool latest = trial && trial->event == due->event; /* else a later one acts, in its turn */
        if (due->values)
            outbox_observe(core, due);
        if (due->forget)
            outbox_forget(core, due->forget);
        ring_pop(&core->due_acts);
        if (latest)
            act_on_trial(core, trial);
    }
}

void act_on_committed(struct core *core)
{
    send_due_acks(core);
    act_on_due_trials(core);
}

bool act_is_done(struct core *core)
{
    const struct due_act *act = ring_front(&core->due_acts);
    const struct due_ack *ack = ring_front(&core->due_acks);
    return !(act && act->event <= core->committed) && !(ack && ack->event <= core->committed);
}
