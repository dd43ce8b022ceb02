/* Notes for people: the table events. */
#include "common/mem.h"
#include "scheduler/store/store_parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

const char *text_or(const char *text, const char *other)
{
    return text && *text ? text : other;
}

void put_unless_zero(struct query *query, uint64_t number)
{
    if (number)
        query_put_u64(query, number);
    else
        query_put_null(query);
}

static int put_event(struct store *store, const struct event *event, const char *kind, const char *text,
                     struct err *err)
{
    int64_t worker = 0;
    if (event->worker && names_worker(store, event->worker, &worker, err))
        return -1;
    struct query query = query_make(&store->db, STATEMENT_PUT_EVENT);
    query_put_real(&query, event->time);
    query_put_text(&query, kind);
    put_unless_zero(&query, event->trial);
    put_unless_zero(&query, event->attempt);
    put_unless_zero(&query, (uint64_t)worker);
    query_put_text(&query, text);
    return query_run(&query, err);
}

int note(struct store *store, const struct event *event, const char *kind, struct err *err, const char *format, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, format);
    if (vasprintf(&text, format, args) < 0)
        text = mem_text("");
    va_end(args);
    int failed = put_event(store, event, kind, text, err);
    free(text);
    return failed;
}
