/* Writing: events into one transaction, each by the function of its kind. The events of the normal flow of trials
 * gather by kind, and many of a kind are one statement. Where their order matters it is the order of the kinds: a trial
 * is proposed before it ends, and leased before its run ends. All that have gathered are written before an event of any
 * other kind. */
#include "scheduler/store/write.h"

#include <assert.h>
#include <string.h>

static int write_one(struct store *store, const struct event *event, struct err *err)
{
    switch (event->kind) {
#define X(KIND, name, payload, member, said, help)                                                                     \
    case EVENT_##KIND:                                                                                                 \
        return write_##name(store, event, &event->member, err);
        EVENTS(X)
#undef X
    case EVENT_KINDS:
        break;
    }
    assert(false && "no event");
    return -1;
}

/* Kinds of which many gather, in the order in which they are written. */
enum flow { FLOW_PROPOSED, FLOW_LEASED, FLOW_RUN_ENDED, FLOW_TRIAL_ENDED, FLOWS_COUNT };

enum { MOST_GATHERED = 32 * MANY_ROWS_COUNT };

struct flows {
    const struct event *events[FLOWS_COUNT][MOST_GATHERED];
    int counts[FLOWS_COUNT];
};

/* FLOWS_COUNT: the event is written by itself. */
static enum flow flow_of(const struct event *event)
{
    switch (event->kind) {
    case EVENT_PROPOSED:
        return FLOW_PROPOSED;
    case EVENT_LEASED:
        return FLOW_LEASED;
    case EVENT_RUN_ENDED:
        return FLOW_RUN_ENDED;
    case EVENT_TRIAL_ENDED:
        return FLOW_TRIAL_ENDED;
    default:
        return FLOWS_COUNT;
    }
}

/* By statements of many rows as long as there are enough, then one by one. */
static int write_flow(struct store *store, enum flow flow, const struct event *const *events, int count,
                      struct err *err)
{
    typedef int write_many(struct store * store, const struct event *const *events, struct err *err);
    static write_many *const many[FLOWS_COUNT] = {
        [FLOW_PROPOSED] = write_many_proposed,
        [FLOW_LEASED] = write_many_leased,
        [FLOW_RUN_ENDED] = write_many_runs_ended,
        [FLOW_TRIAL_ENDED] = write_many_trials_ended,
    };
    int at = 0;
    for (; at + MANY_ROWS_COUNT <= count; at += MANY_ROWS_COUNT)
        if (many[flow](store, &events[at], err))
            return -1;
    for (; at < count; at++)
        if (write_one(store, events[at], err))
            return -1;
    return 0;
}

static int write_gathered(struct store *store, struct flows *flows, struct err *err)
{
    for (int flow = 0; flow < FLOWS_COUNT; flow++) {
        int count = flows->counts[flow];
        flows->counts[flow] = 0;
        if (write_flow(store, (enum flow)flow, flows->events[flow], count, err))
            return -1;
    }
    return 0;
}

/* What the rows of its trial are then is not known any more. */
static int write_other(struct store *store, const struct event *event, struct err *err)
{
    fresh_drop(&store->fresh, event->trial);
    return write_one(store, event, err);
}

static int write_all(struct store *store, const struct event *events, size_t count, struct err *err)
{
    struct flows flows;
    memset(flows.counts, 0, sizeof flows.counts);
    if (living_read(&store->living, &store->progress.recent, &store->db, err))
        return -1;
    for (size_t i = 0; i < count; i++) {
        enum flow flow = flow_of(&events[i]);
        bool is_full = flow == FLOWS_COUNT || flows.counts[flow] == MOST_GATHERED;
        if (is_full && write_gathered(store, &flows, err))
            return -1;
        if (flow < FLOWS_COUNT)
            flows.events[flow][flows.counts[flow]++] = &events[i];
        else if (write_other(store, &events[i], err))
            return -1;
    }
    if (write_gathered(store, &flows, err) || ends_write(&store->ends, &store->db, err) ||
        living_settle(&store->living, &store->progress.recent, &store->db, err))
        return -1;
    store->progress.written = events[count - 1].time;
    return progress_write(&store->db, &store->progress, err);
}

/* A commit to a file that is not where it was counts for nothing: nobody would find it. */
static int settle_commit(struct store *store, struct err *err)
{
    store->lost = store_place_check(&store->place, &store->db, err) != 0;
    if (store->lost)
        return -1;
    if (db_checkpoint(&store->db))
        store_place_note(&store->place, &store->db);
    return 0;
}

int store_write(struct store *store, const struct event *events, size_t count, struct err *err)
{
    if (!count)
        return 0;
    if (store->lost)
        return err_set(err, "the store %s is not where it was opened", store->db.path);
    struct progress before = store->progress;
    bool announced_before = store->announced;
    if (db_begin_write(&store->db, err) == 0 && write_all(store, events, count, err) == 0 &&
        db_commit(&store->db, err) == 0)
        return settle_commit(store, err);
    db_rollback(&store->db);
    names_forget(&store->names);
    fresh_forget(&store->fresh);
    living_forget(&store->living);
    ends_forget(&store->ends);
    store->progress = before;
    store->announced = announced_before;
    return -1;
}
