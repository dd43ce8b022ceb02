/* Events of early stopping: what it was told and what it said, in that order, for a restart to tell it again. */
#include "scheduler/store/write.h"

#include "common/json.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

/* All values, when there are several, as a JSON list; NULL: there are not. */
static char *list_values(const struct event_decided *decided)
{
    if (decided->values_count < 2)
        return NULL;
    json_t *list = json_array();
    for (uint32_t i = 0; i < decided->values_count; i++)
        json_array_append_new(list, json_of_real(decided->values[i]));
    char *text = json_dumps(list, JSON_COMPACT | JSON_REAL_PRECISION(17));
    json_decref(list);
    return text;
}

int write_decided(struct store *store, const struct event *event, const struct event_decided *decided, struct err *err)
{
    struct progress *progress = &store->progress;
    progress->stepped += decided->advance == decided->step;
    progress->steps = event_add_steps(progress->steps, decided->advance);
    progress->max_steps = decided->max_steps;
    if (decided->told)
        progress->tells = decided->told;
    char *others = list_values(decided);
    double first = decided->values_count ? decided->values[0] : NAN;
    struct query query =
        QUERY(&store->db, STATEMENT_PUT_DECISION, PUT(event->trial), PUT(decided->decision), PUT(decided->step),
              PUT(first), PUT(others), PUT(decided->seconds), PUT(text_or(decided->detail, NULL)),
              put_nonzero(decided->told), PUT(decided->cut_off), put_nonzero(decided->bracket));
    int failed = query_run(&query, err);
    free(others);
    return failed;
}

/* What early stopping was told besides. */
static int put_told(struct store *store, const struct event *event, enum decision what, const char *detail,
                    double cut_off, struct err *err)
{
    const struct put none = put_text(NULL);
    struct query query = QUERY(&store->db, STATEMENT_PUT_DECISION, PUT(event->trial), PUT(what), none, none, none, none,
                               PUT(text_or(detail, NULL)), none, PUT(cut_off), none);
    return query_run(&query, err);
}

int write_paused(struct store *store, const struct event *event, const struct event_paused *paused, struct err *err)
{
    struct query query = QUERY(&store->db, STATEMENT_PAUSE, PUT(event->trial), PUT(paused->step),
                               put_real(paused->energy > 0 ? paused->energy : NAN));
    return query_run(&query, err);
}

int write_resumed(struct store *store, const struct event *event, const struct event_resumed *resumed, struct err *err)
{
    struct query query = QUERY(&store->db, STATEMENT_RESUME, PUT(event->trial));
    if (query_run(&query, err))
        return -1;
    return resumed->held_back ? put_told(store, event, DECISION_WENT_ON, resumed->detail, resumed->cut_off, err) : 0;
}

int write_watched_end(struct store *store, const struct event *event, struct err *err)
{
    store->progress.max_steps = event->end.max_steps;
    return put_told(store, event, DECISION_ENDED, NULL, NAN, err);
}
