/* Writing: events into one transaction, each by the function of its kind. */
#include "scheduler/store/store_parts.h"

#include <assert.h>

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

static int write_all(struct store *store, const struct event *events, size_t count, struct err *err)
{
    for (size_t i = 0; i < count; i++) {
        if (write_one(store, &events[i], err))
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
