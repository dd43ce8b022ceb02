/* Events of workers: here (again), their slots, gone. */
#include "scheduler/store/store_parts.h"

static int has_joined(struct store *store, int64_t worker, bool *has, struct err *err)
{
    struct query query = query_make(&store->db, STATEMENT_HAS_JOINED);
    query_put_int(&query, worker);
    int row = query_row(&query, err);
    if (row > 0) {
        *has = query_get_int(&query) != 0;
        query_end(&query);
    }
    return row < 0 ? -1 : 0;
}

static void put_unless(struct query *query, uint32_t number, uint32_t none)
{
    if (number == none)
        query_put_null(query);
    else
        query_put_int(query, number);
}

static int put_join(struct store *store, int64_t worker, const struct msg_hello *hello, double time, struct err *err)
{
    struct query query = query_make(&store->db, STATEMENT_JOIN);
    query_put_int(&query, worker);
    query_put_text(&query, hello->node);
    query_put_int(&query, hello->pid);
    query_put_text(&query, hello->version);
    query_put_text(&query, hello->machine);
    query_put_int(&query, hello->cores);
    query_put_int(&query, hello->gpus);
    query_put_u64(&query, hello->memory);
    query_put_real(&query, time);
    put_unless(&query, hello->job, 0);
    put_unless(&query, hello->job ? hello->element : NODE_NO_ELEMENT, NODE_NO_ELEMENT);
    return query_run(&query, err);
}

int write_worker(struct store *store, const struct event *event, const struct msg_hello *hello, struct err *err)
{
    int64_t worker;
    bool was_here = false;
    if (names_worker(store, event->worker, &worker, err) || has_joined(store, worker, &was_here, err) ||
        put_join(store, worker, hello, event->time, err))
        return -1;
    return note(store, event, was_here ? "worker_returned" : "worker_joined", err,
                "%s %s: process %u, cores: %u, GPUs: %u", text_or(hello->node, "a node"),
                was_here ? "is back" : "joined", hello->pid, hello->cores, hello->gpus);
}

static int put_slot(struct store *store, int64_t worker, const struct msg_slot *slot, struct err *err)
{
    struct query query = query_make(&store->db, STATEMENT_PUT_SLOT);
    query_put_int(&query, worker);
    query_put_int(&query, slot->index);
    query_put_text(&query, text_or(slot->cpus, ""));
    query_put_text(&query, text_or(slot->numa, ""));
    query_put_text(&query, text_or(slot->gpus, ""));
    query_put_u64(&query, slot->memory);
    return query_run(&query, err);
}

int write_slots(struct store *store, const struct event *event, const struct event_slots *offered, struct err *err)
{
    int64_t worker;
    if (names_worker(store, event->worker, &worker, err))
        return -1;
    for (uint32_t i = 0; i < offered->slots_count; i++)
        if (put_slot(store, worker, &offered->slots[i], err))
            return -1;
    return 0;
}

int write_worker_gone(struct store *store, const struct event *event, const struct event_gone *gone, struct err *err)
{
    int64_t worker;
    if (names_worker(store, event->worker, &worker, err))
        return -1;
    struct query query = query_make(&store->db, STATEMENT_GO);
    query_put_int(&query, worker);
    query_put_real(&query, event->time);
    query_put_text(&query, text_or(gone->detail, NULL));
    if (query_run(&query, err))
        return -1;
    return note(store, event, "worker_gone", err, "the worker is gone: %s",
                text_or(gone->detail, "no reason is known"));
}
