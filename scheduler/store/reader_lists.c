/* Lists that a replay needs: the trials of earlier experiments that a search started from, and the processors that it
 * ran on. */
#include "scheduler/store/reader_state.h"

#include "common/mem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* All rows of a statement as items of `size` bytes; on failure those until then. */
static int read_list(struct reader *reader, enum statement which, size_t size,
                     void (*get)(struct query *query, void *item, void *context), struct rows *rows, struct err *err)
{
    *rows = (struct rows){0};
    if (reader_begin(reader, err))
        return -1;
    struct query query = query_make(reader->db, which);
    int row = query_rows(&query, rows, size, get, NULL, err);
    reader_end(reader);
    return row;
}

/* The columns of the statement EARLIER. */
static void get_past(struct query *query, void *item, void *context)
{
    (void)context;
    struct searcher_past *past = item;
    past->source = (uint32_t)query_get_int(query);
    past->params = mem_text(query_get_text(query));
    past->failed = query_is_null(query);
    past->loss = query_get_real(query);
    past->seconds = query_get_real(query);
    past->seconds = isnan(past->seconds) ? 0 : past->seconds;
}

int reader_earlier(struct reader *reader, struct searcher_past **out, size_t *count, struct err *err)
{
    struct rows rows;
    int failed = read_list(reader, STATEMENT_EARLIER, sizeof **out, get_past, &rows, err);
    *out = (void *)rows.items;
    *count = rows.count;
    if (!failed)
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

static void get_text(struct query *query, char out[PROCESSOR_TEXT])
{
    snprintf(out, PROCESSOR_TEXT, "%s", query_get_text(query));
}

/* The columns of the statement PROCESSORS. */
static void get_processor(struct query *query, void *item, void *context)
{
    (void)context;
    struct reader_processor *one = item;
    one->trial = query_get_u64(query);
    get_text(query, one->processor.model);
    get_text(query, one->processor.vector);
    get_text(query, one->processor.kernels);
    get_text(query, one->processor.gannet);
}

int reader_processors(struct reader *reader, struct reader_processor **out, size_t *count, struct err *err)
{
    struct rows rows;
    int failed = read_list(reader, STATEMENT_PROCESSORS, sizeof **out, get_processor, &rows, err);
    *out = failed ? NULL : (void *)rows.items;
    *count = failed ? 0 : rows.count;
    if (failed)
        free(rows.items);
    return failed;
}
