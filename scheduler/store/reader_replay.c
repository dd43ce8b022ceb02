/* Proposals and tells in the order in which they happened: two walks through the trials, merged. */
#include "scheduler/store/reader_parts.h"

#include "common/mem.h"

#include <math.h>
#include <stdlib.h>

/* The walk through the tells: the row that it stands on. */
struct tells {
    struct query query;
    bool at_end;
    uint64_t told;
    struct replay_tell tell;
    struct reader *reader;
    double *values; /* what tell.values points at */
};

static int next_tell(struct tells *tells, struct err *err)
{
    int row = query_row(&tells->query, err);
    tells->at_end = row <= 0;
    if (row <= 0)
        return row;
    tells->told = query_get_u64(&tells->query);
    struct replay_tell *tell = &tells->tell;
    tell->trial = query_get_u64(&tells->query);
    int ending = query_get_enum(&tells->query, ENDINGS_COUNT);
    if (ending < 0)
        return err_set(err, "%s: trial %llu ended in a way that this gannet does not know", tells->query.db->path,
                       (unsigned long long)tell->trial);
    tell->ending = (enum ending)ending;
    tell->has_value = !query_is_null(&tells->query);
    tell->value = query_get_real(&tells->query);
    tell->seconds = query_get_real(&tells->query);
    tell->seconds = isnan(tell->seconds) ? 0 : tell->seconds;
    tell->value = tell->has_value ? tell->value : 0;
    return tell->has_value ? reader_outcomes(tells->reader, tell->trial, tell->value, tells->values, err) : 0;
}

/* Visits the tells up to number `last`. */
static int visit_tells(struct tells *tells, uint64_t last, const struct replay_visitor *visitor, struct err *err)
{
    while (!tells->at_end && tells->told <= last) {
        if (visitor->tell(visitor->context, &tells->tell, err))
            return -1;
        if (next_tell(tells, err))
            return -1;
    }
    return 0;
}

static int visit_proposals(struct query *query, struct tells *tells, const struct replay_visitor *visitor,
                           struct err *err)
{
    int row;
    while ((row = query_row(query, err)) > 0) {
        uint64_t trial = query_get_u64(query);
        const char *params = query_get_text(query);
        uint64_t told_before = query_get_u64(query);
        bool from_start = query_get_int(query) != 0;
        if (visit_tells(tells, told_before, visitor, err) ||
            visitor->proposal(visitor->context, trial, params, told_before, from_start, err))
            return -1;
    }
    return row;
}

/* Within one transaction. */
static int replay(struct reader *reader, const struct replay_visitor *visitor, struct err *err)
{
    struct metrics criteria;
    if (reader_criteria(reader, &criteria, err))
        return -1;
    struct query proposals = query_make(reader->db, STATEMENT_PROPOSALS);
    double *values = MEM_ARRAY(double, criteria.count);
    struct tells tells = {.query = query_make(reader->db, STATEMENT_TELLS), .reader = reader, .values = values};
    tells.tell.values = values;
    tells.tell.value_count = criteria.count;
    int failed = next_tell(&tells, err) || visit_proposals(&proposals, &tells, visitor, err) ||
                 visit_tells(&tells, UINT64_MAX, visitor, err);
    query_end(&proposals);
    query_end(&tells.query);
    free(values);
    return failed ? -1 : 0;
}

int reader_replay(struct reader *reader, const struct replay_visitor *visitor, struct err *err)
{
    if (reader_begin(reader, err))
        return -1;
    int failed = replay(reader, visitor, err);
    reader_end(reader);
    return failed;
}
