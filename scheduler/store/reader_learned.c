/* What the strategy and early stopping have learned, in pages from where a reader stopped; see reader.h. */
#include "scheduler/store/reader_columns.h"
#include "scheduler/store/reader_criteria.h"

#include "common/json.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>

/* The columns of the statement LEARNED before the values. */
static reader_column_function *const learned_columns[] = {reader_get_int,  reader_get_int,  reader_get_text,
                                                          reader_get_real, reader_get_real, reader_get_object};

/* The columns `value` and `infeasible`: the values of all criteria, then whether every limit is kept. */
static int add_values(struct reader *reader, struct query *query, uint64_t trial, uint32_t count, json_t *row,
                      struct err *err)
{
    json_t *list = json_array();
    double *values = MEM_ARRAY(double, count + 1);
    double value = query_get_real(query);
    int failed = isnan(value) ? 0 : reader_outcomes(reader, trial, value, values, err);
    for (uint32_t i = 0; i < count && !isnan(value); i++)
        json_array_append_new(list, json_of_real(values[i]));
    free(values);
    json_array_append_new(row, list);
    json_array_append_new(row, json_boolean(!query_get_int(query)));
    return failed;
}

static int add_learned(struct reader *reader, struct query *query, uint32_t count, json_t *out, struct err *err)
{
    int row;
    while ((row = query_row(query, err)) > 0) {
        json_t *array = json_array();
        json_array_append_new(out, array);
        for (size_t i = 0; i < sizeof learned_columns / sizeof *learned_columns; i++)
            json_array_append_new(array, learned_columns[i](query));
        uint64_t trial = (uint64_t)json_integer_value(json_array_get(array, 1));
        if (add_values(reader, query, trial, count, array, err)) {
            query_end(query);
            return -1;
        }
    }
    return row;
}

json_t *reader_learned(struct reader *reader, uint64_t after, uint64_t every, uint64_t limit, struct err *err)
{
    struct metrics criteria;
    if (reader_begin(reader, err))
        return NULL;
    json_t *list = json_array();
    int failed = reader_criteria(reader, &criteria, err);
    if (!failed) {
        struct query query =
            QUERY(reader->db, STATEMENT_LEARNED, PUT(after), PUT(every ? every : 1), PUT(limit ? (int64_t)limit : -1));
        failed = add_learned(reader, &query, criteria.count, list, err);
    }
    return reader_finish(reader, failed, list);
}

/* The columns of the statement DECISIONS_AFTER. */
static reader_column_function *const decision_columns[] = {reader_get_int,  reader_get_int,  reader_get_int,
                                                           reader_get_int,  reader_get_real, reader_get_text,
                                                           reader_get_real, reader_get_int};

json_t *reader_decided(struct reader *reader, uint64_t after, uint64_t limit, struct err *err)
{
    if (reader_begin(reader, err))
        return NULL;
    json_t *list = json_array();
    struct query query = QUERY(reader->db, STATEMENT_DECISIONS_AFTER, PUT(after), PUT(limit ? (int64_t)limit : -1));
    return reader_finish(reader, reader_add_arrays(&query, READER_COLUMNS(decision_columns), list, err), list);
}

/* The columns of the statement PROPOSED_LAST. */
static reader_column_function *const proposal_columns[] = {reader_get_int, reader_get_int, reader_get_truth,
                                                           reader_get_real};

json_t *reader_proposed(struct reader *reader, uint64_t limit, struct err *err)
{
    if (reader_begin(reader, err))
        return NULL;
    json_t *list = json_array();
    struct query query = QUERY(reader->db, STATEMENT_PROPOSED_LAST, PUT(limit));
    return reader_finish(reader, reader_add_arrays(&query, READER_COLUMNS(proposal_columns), list, err), list);
}
