/* How many trials of a store stand for all; see reader.h. */
#include "scheduler/store/reader_state.h"

json_t *reader_sample(struct reader *reader, uint64_t most, struct err *err)
{
    int64_t last = 0, trials = 0, of = 0;
    if (reader_begin(reader, err))
        return NULL;
    int failed = db_number(reader->db, "SELECT coalesce(max(trial), 0) FROM trials", &last, err);
    uint64_t every = most && (uint64_t)last > most ? (uint64_t)last / most : 1;
    struct query query = QUERY(reader->db, STATEMENT_SAMPLE_SIZE, PUT(every));
    int row = failed ? -1 : query_row(&query, err);
    if (row > 0) {
        trials = query_get_int(&query);
        of = query_get_int(&query);
        query_end(&query);
    }
    return reader_finish(
        reader, row < 0,
        json_pack("{s:I, s:I, s:I}", "every", (json_int_t)every, "trials", (json_int_t)trials, "of", (json_int_t)of));
}
