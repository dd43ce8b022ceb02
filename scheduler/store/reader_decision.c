/* What early stopping was told, read back in its order. */
#include "scheduler/store/reader_parts.h"

#include "common/json.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>

void reader_get_values(struct query *query, uint32_t count, double *values)
{
    double first = query_get_real(query);
    json_t *list = query_is_null(query) ? NULL : json_loads(query_get_text(query), 0, NULL);
    for (uint32_t i = 0; i < count; i++)
        if (!json_to_real(json_array_get(list, i), &values[i]))
            values[i] = i ? NAN : first;
    json_decref(list);
}

/* The row that the query stands on. */
static int visit_row(struct query *query, uint32_t count, double *values, const struct decision_visitor *visitor,
                     struct err *err)
{
    int64_t decision = query_get_int(query);
    uint64_t trial = query_get_u64(query), step = query_get_u64(query);
    int ending = query_get_enum(query, ENDINGS_COUNT); /* -1: the trial lives */
    reader_get_values(query, count, values);
    if (decision <= DECISION_PAUSES)
        visitor->sample(visitor->context, trial, step, values);
    else if (decision == DECISION_WENT_ON)
        visitor->went_on(visitor->context, trial);
    else if (ending >= 0)
        visitor->ended(visitor->context, trial, (enum ending)ending);
    else
        return err_set(err, "%s: the end of trial %llu is missing", query->db->path, (unsigned long long)trial);
    return 0;
}

static int visit_all(struct reader *reader, const struct decision_visitor *visitor, struct err *err)
{
    struct metrics criteria;
    int row;
    if (reader_criteria(reader, &criteria, err))
        return -1;
    double *values = MEM_ARRAY(double, criteria.count);
    struct query query = query_make(reader->db, STATEMENT_DECISIONS);
    while ((row = query_row(&query, err)) > 0 && visit_row(&query, criteria.count, values, visitor, err) == 0)
        ;
    query_end(&query);
    free(values);
    return row ? -1 : 0;
}

int reader_decisions(struct reader *reader, const struct decision_visitor *visitor, struct err *err)
{
    if (reader_begin(reader, err))
        return -1;
    int failed = visit_all(reader, visitor, err);
    reader_end(reader);
    return failed;
}
