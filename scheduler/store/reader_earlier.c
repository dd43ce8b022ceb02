/* Trials of earlier experiments that a search started from. */
#include "scheduler/store/reader_parts.h"

#include "common/mem.h"

#include <math.h>
#include <stdlib.h>

/* The columns of the statement EARLIER. */
static struct searcher_past get_past(struct query *query)
{
    struct searcher_past past = {.source = (uint32_t)query_get_int(query)};
    past.params = mem_text(query_get_text(query));
    past.failed = query_is_null(query);
    past.loss = query_get_real(query);
    past.seconds = query_get_real(query);
    past.seconds = isnan(past.seconds) ? 0 : past.seconds;
    return past;
}

int reader_earlier(struct reader *reader, struct searcher_past **out, size_t *count, struct err *err)
{
    size_t capacity = 0;
    *out = NULL;
    *count = 0;
    if (reader_begin(reader, err))
        return -1;
    struct query query = query_make(reader->db, STATEMENT_EARLIER);
    int row;
    while ((row = query_row(&query, err)) > 0) {
        MEM_GROW(*out, capacity, *count + 1);
        (*out)[(*count)++] = get_past(&query);
    }
    reader_end(reader);
    if (!row)
        return 0;
    reader_free_earlier(*out, *count);
    *out = NULL;
    *count = 0;
    return -1;
}

void reader_free_earlier(struct searcher_past *past, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free((char *)past[i].params);
    free(past);
}
