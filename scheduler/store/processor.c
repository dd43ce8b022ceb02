/* On which kinds of processors proposals were made. */
#include "scheduler/store/store_parts.h"

#include "common/clock.h"
#include "common/mem.h"
#include "search/gp/linalg.h"

#include <stdio.h>
#include <stdlib.h>

int processor_note(struct store *store, uint64_t trial, struct err *err)
{
    struct processor here;
    struct query query = query_make(&store->db, STATEMENT_PUT_PROCESSOR);
    processor_here(&here, linalg_core());
    query_put_u64(&query, trial);
    query_put_real(&query, clock_wall());
    query_put_text(&query, here.model);
    query_put_text(&query, here.vector);
    query_put_text(&query, here.kernels);
    query_put_text(&query, here.gannet);
    return query_run(&query, err);
}

static void get_text(struct query *query, char out[PROCESSOR_TEXT])
{
    snprintf(out, PROCESSOR_TEXT, "%s", query_get_text(query));
}

int reader_processors(struct reader *reader, struct reader_processor **out, size_t *count, struct err *err)
{
    size_t capacity = 0;
    *out = NULL;
    *count = 0;
    if (reader_begin(reader, err))
        return -1;
    struct query query = query_make(reader->db, STATEMENT_PROCESSORS);
    int row;
    while ((row = query_row(&query, err)) > 0) {
        MEM_GROW(*out, capacity, *count + 1);
        struct reader_processor *one = &(*out)[(*count)++];
        one->trial = query_get_u64(&query);
        get_text(&query, one->processor.model);
        get_text(&query, one->processor.vector);
        get_text(&query, one->processor.kernels);
        get_text(&query, one->processor.gannet);
    }
    reader_end(reader);
    if (row < 0) {
        free(*out);
        *out = NULL;
    }
    return row;
}
