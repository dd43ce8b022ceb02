/* A trial that a person added: it comes into being as one that has ended. */
#include "scheduler/store/write.h"

#include <math.h>

int write_added(struct store *store, const struct event *event, const struct event_added *added, struct err *err)
{
    const struct event_end *end = &added->end;
    bool has_value = end->has_value && !isnan(end->value);
    struct query query = query_make(&store->db, STATEMENT_ADD_TRIAL);
    query_put_u64(&query, event->trial);
    query_put_text(&query, added->params);
    query_put_u64(&query, added->fingerprint);
    query_put_u64(&query, end->told);
    query_put_real(&query, event->time);
    query_put_int(&query, end->ending);
    query_put_real(&query, has_value ? end->value : NAN);
    query_put_int(&query, end->infeasible);
    if (query_run(&query, err) || write_end(store, event->trial, end->told, err) ||
        write_outcomes(store, event->trial, end, err))
        return -1;
    if (!store->announced)
        progress_settle_held(&store->progress, event->time);
    store->progress.tells = end->told;
    tally_add_added(&store->progress.tally, store->maximize, event->trial, end);
    return write_note(store, event, "added", err, "it was measured elsewhere, and added by hand");
}
