/* Events of early stopping: what it was told and what it said, in that order, for a restart to tell it again. */
#include "scheduler/store/store_parts.h"

#include "common/json.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

static int put(struct store *store, const struct event *event, enum decision decision, struct err *err)
{
    bool looked = decision <= DECISION_PAUSES;
    char *others = NULL;
    if (event->values_count > 1) {
        json_t *list = json_array();
        for (uint32_t i = 0; i < event->values_count; i++)
            json_array_append_new(list, json_of_real(event->values[i]));
        others = json_dumps(list, JSON_COMPACT | JSON_REAL_PRECISION(17));
        json_decref(list);
    }
    struct query query = query_make(&store->db, STATEMENT_PUT_DECISION);
    query_put_u64(&query, event->trial);
    query_put_int(&query, decision);
    if (looked)
        query_put_u64(&query, event->step);
    else
        query_put_null(&query);
    query_put_real(&query, looked && event->values_count ? event->values[0] : NAN);
    query_put_text(&query, looked ? others : NULL);
    query_put_real(&query, looked ? event->seconds : NAN);
    query_put_text(&query, decision == DECISION_ENDED ? NULL : text_or(event->detail, NULL));
    if (looked && event->told)
        query_put_u64(&query, event->told);
    else
        query_put_null(&query);
    int failed = query_run(&query, err);
    free(others);
    return failed;
}

int write_decided(struct store *store, const struct event *event, struct err *err)
{
    struct progress *progress = &store->progress;
    progress->stepped += event->advance == event->step;
    progress->steps += event->advance;
    progress->max_steps = event->max_steps;
    if (event->told)
        progress->tells = event->told;
    return put(store, event, (enum decision)event->decision, err);
}

int write_paused(struct store *store, const struct event *event, struct err *err)
{
    struct query query = query_make(&store->db, STATEMENT_PAUSE);
    query_put_u64(&query, event->trial);
    query_put_u64(&query, event->step);
    return query_run(&query, err);
}

int write_resumed(struct store *store, const struct event *event, struct err *err)
{
    struct query query = query_make(&store->db, STATEMENT_RESUME);
    query_put_u64(&query, event->trial);
    if (query_run(&query, err))
        return -1;
    return event->held_back ? put(store, event, DECISION_WENT_ON, err) : 0;
}

int write_watched_end(struct store *store, const struct event *event, struct err *err)
{
    store->progress.max_steps = event->max_steps;
    return put(store, event, DECISION_ENDED, err);
}
