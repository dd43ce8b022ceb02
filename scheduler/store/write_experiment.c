/* The event of the experiment itself: it goes on, drains, has ended. */
#include "scheduler/store/write.h"

#include <math.h>

/* The event also comes now and then only to write down how long the experiment ran: that is no news. */
static bool is_news(const struct store *store, const struct event_experiment *now)
{
    const struct progress *progress = &store->progress;
    return !store->announced || now->state != progress->state || now->reason != progress->reason ||
           text_or(now->detail, NULL);
}

static int write_tell(struct store *store, const struct event *event, struct err *err)
{
    const char *detail = text_or(event->experiment.detail, NULL);
    bool begins = !store->announced && event->experiment.state == EXPERIMENT_RUNNING;
    if (begins && !store->progress.sessions)
        return write_note(store, event, "experiment", err, "it begins, without a coordinator");
    if (begins)
        return write_note(store, event, "experiment", err, "session %llu begins",
                          (unsigned long long)store->progress.sessions);
    return write_note(store, event, "experiment", err, "%s: %s%s%s", experiment_state_name(event->experiment.state),
                      reason_sentence(event->experiment.reason), detail ? ": " : "", detail ? detail : "");
}

int write_experiment(struct store *store, const struct event *event, const struct event_experiment *now,
                     struct err *err)
{
    struct progress *progress = &store->progress;
    bool has_ended = now->state == EXPERIMENT_ENDED;
    if (is_news(store, now) && write_tell(store, event, err))
        return -1;
    store->announced = true;
    progress->state = now->state;
    progress->reason = now->reason;
    if (isnan(progress->started))
        progress->started = event->time;
    if (has_ended && now->reason != REASON_WALLTIME && now->reason != REASON_PREEMPTED)
        progress->idle = 0; /* a person goes on with it, who may have changed what was wrong */
    progress->ended = has_ended ? event->time : NAN;
    progress->held = now->held;
    progress->held_since = has_ended ? NAN : event->time;
    return 0;
}
