/* Events of the further nodes of runs on several nodes. The run's own row has the first node. */
#include "scheduler/store/write.h"

int write_part_leased(struct store *store, const struct event *event, const struct event_part *part, struct err *err)
{
    int64_t worker;
    if (names_worker(&store->names, &store->db, event->worker, &worker, err))
        return -1;
    struct query query = QUERY(&store->db, STATEMENT_PUT_PART, PUT(event->trial), PUT(event->attempt), PUT(part->node),
                               PUT(worker), PUT(part->slot));
    return query_run(&query, err);
}

/* The first word about its end stays. */
int write_part_ended(struct store *store, const struct event *event, const struct event_part *part, struct err *err)
{
    int64_t worker;
    if (names_worker(&store->names, &store->db, event->worker, &worker, err))
        return -1;
    struct query query = QUERY(&store->db, STATEMENT_END_PART, PUT(event->trial), PUT(event->attempt), PUT(worker),
                               PUT((int64_t)part->ending), PUT(text_or(part->detail, NULL)));
    return query_run(&query, err);
}
