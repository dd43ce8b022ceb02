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

static int join(struct store *store, int64_t worker, const struct event *event, struct err *err)
{
    const struct msg_hello *hello = &event->hello;
    struct query query = query_make(&store->db, STATEMENT_JOIN);
    query_put_int(&query, worker);
    query_put_text(&query, hello->node);
    query_put_int(&query, hello->pid);
    query_put_text(&query, hello->version);
    query_put_text(&query, hello->machine);
    query_put_int(&query, hello->cores);
    query_put_int(&query, hello->gpus);
    query_put_u64(&query, hello->memory);
    query_put_real(&query, event->time);
    put_unless(&query, hello->job, 0);
    put_unless(&query, hello->job ? hello->element : NODE_NO_ELEMENT, NODE_NO_ELEMENT);
    return query_run(&query, err);
}

int write_worker(struct store *store, const struct event *event, struct err *err)
{
    int64_t worker;
    bool was_here = false;
    if (names_worker(store, event->worker, &worker, err) || has_joined(store, worker, &was_here, err) ||
        join(store, worker, event, err))
        return -1;
    return note(store, event, was_here ? "worker_returned" : "worker_joined", err,
                "%s %s: process %u, cores: %u, GPUs: %u", text_or(event->hello.node, "a node"),
                was_here ? "is back" : "joined", event->hello.pid, event->hello.cores, event->hello.gpus);
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

int write_slots(struct store *store, const struct event *event, struct err *err)
{
    int64_t worker;
    if (names_worker(store, event->worker, &worker, err))
        return -1;
    for (uint32_t i = 0; i < event->slots_count; i++)
        if (put_slot(store, worker, &event->slots[i], err))
            return -1;
    return 0;
}

int write_worker_gone(struct store *store, const struct event *event, struct err *err)
{
    int64_t worker;
    if (names_worker(store, event->worker, &worker, err))
        return -1;
    struct query query = query_make(&store->db, STATEMENT_GO);
    query_put_int(&query, worker);
    query_put_real(&query, event->time);
    query_put_text(&query, text_or(event->detail, NULL));
    if (query_run(&query, err))
        return -1;
    return note(store, event, "worker_gone", err, "the worker is gone: %s",
                text_or(event->detail, "no reason is known"));
}
