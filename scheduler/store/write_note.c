/* Notes for people: the table events. */
#include "common/mem.h"
#include "scheduler/store/write.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

const char *text_or(const char *text, const char *other)
{
    return text && *text ? text : other;
}

static int put_event(struct store *store, const struct event *event, const char *kind, const char *text,
                     struct err *err)
{
    int64_t worker = 0;
    if (event->worker && names_worker(&store->names, &store->db, event->worker, &worker, err))
        return -1;
    struct query query = QUERY(&store->db, STATEMENT_PUT_EVENT, PUT(event->time), PUT(kind), put_nonzero(event->trial),
                               put_nonzero(event->attempt), put_nonzero((uint64_t)worker), PUT(text));
    return query_run(&query, err);
}

int write_note(struct store *store, const struct event *event, const char *kind, struct err *err, const char *format,
               ...)
{
    va_list args;
    va_start(args, format);
    char *text = mem_vformat(format, args);
    va_end(args);
    int failed = put_event(store, event, kind, text, err);
    free(text);
    return failed;
}
