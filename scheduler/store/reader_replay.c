/* Proposals and tells in the order in which they happened: two walks through the trials, merged. */
#include "scheduler/store/reader_parts.h"

#include <math.h>

/* The walk through the tells: the row that it stands on. */
struct tells {
    struct query query;
    bool at_end;
    uint64_t told, trial;
    enum ending ending;
    bool has_value;
    double value, seconds;
};

static int next_tell(struct tells *tells, struct err *err)
{
    int row = query_row(&tells->query, err);
    tells->at_end = row <= 0;
    if (row <= 0)
        return row;
    tells->told = query_get_u64(&tells->query);
    tells->trial = query_get_u64(&tells->query);
    int ending = query_get_enum(&tells->query, ENDINGS_COUNT);
    if (ending < 0)
        return err_set(err, "%s: trial %llu ended in a way that this gannet does not know", tells->query.db->path,
                       (unsigned long long)tells->trial);
    tells->ending = (enum ending)ending;
    tells->has_value = !query_is_null(&tells->query);
    tells->value = query_get_real(&tells->query);
    tells->seconds = query_get_real(&tells->query);
    return 0;
}

/* Visits the tells up to number `last`. */
static int visit_tells(struct tells *tells, uint64_t last, const struct replay_visitor *visitor, struct err *err)
{
    while (!tells->at_end && tells->told <= last) {
        double value = tells->has_value ? tells->value : 0, seconds = isnan(tells->seconds) ? 0 : tells->seconds;
        if (visitor->tell(visitor->context, tells->trial, tells->ending, tells->has_value, value, seconds, err))
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

int reader_replay(struct reader *reader, const struct replay_visitor *visitor, struct err *err)
{
    if (reader_begin(reader, err))
        return -1;
    struct query proposals = query_make(reader->db, STATEMENT_PROPOSALS);
    struct tells tells = {.query = query_make(reader->db, STATEMENT_TELLS)};
    int failed = next_tell(&tells, err) || visit_proposals(&proposals, &tells, visitor, err) ||
                 visit_tells(&tells, UINT64_MAX, visitor, err);
    query_end(&proposals);
    query_end(&tells.query);
    reader_end(reader);
    return failed ? -1 : 0;
}
