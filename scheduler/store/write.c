/* Writing: events into one transaction, each by the function of its kind. */
#include "scheduler/store/store_parts.h"

#include <assert.h>

static write_event *const writers[EVENT_KINDS] = {
    [EVENT_PROPOSED] = write_proposed,       [EVENT_LEASED] = write_leased,
    [EVENT_RETURNED] = write_returned,       [EVENT_SAMPLED] = write_sampled,
    [EVENT_RUN_ENDED] = write_run_ended,     [EVENT_RETRIED] = write_retried,
    [EVENT_TRIAL_ENDED] = write_trial_ended, [EVENT_LATE] = write_late,
    [EVENT_WORKER] = write_worker,           [EVENT_SLOTS] = write_slots,
    [EVENT_WORKER_GONE] = write_worker_gone, [EVENT_EXPERIMENT] = write_experiment,
    [EVENT_DECIDED] = write_decided,         [EVENT_PAUSED] = write_paused,
    [EVENT_RESUMED] = write_resumed,         [EVENT_JOB] = write_job,
};

static int write_all(struct store *store, const struct event *events, size_t count, struct err *err)
{
    for (size_t i = 0; i < count; i++) {
        assert(events[i].kind < EVENT_KINDS);
        if (writers[events[i].kind](store, &events[i], err))
            return -1;
        store->progress.written = events[i].time;
    }
    return progress_write(&store->db, &store->progress, err);
}

int store_write(struct store *store, const struct event *events, size_t count, struct err *err)
{
    if (!count)
        return 0;
    struct progress before = store->progress;
    bool announced_before = store->announced;
    if (db_begin_write(&store->db, err) == 0 && write_all(store, events, count, err) == 0 &&
        db_commit(&store->db, err) == 0) {
        db_checkpoint(&store->db);
        return 0;
    }
    db_rollback(&store->db);
    names_forget(store);
    store->progress = before;
    store->announced = announced_before;
    return -1;
}
