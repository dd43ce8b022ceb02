/* What is told again after a restart: to the strategy proposals, tells and observations in the order in which they
 * happened, three walks merged; to early stopping what it was told. */
#include "scheduler/store/reader_criteria.h"

#include "common/json.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>

/* The next two columns, `value` and `others`, as the values of `count` metrics; NaN where there is none. */
static void get_values(struct query *query, uint32_t count, double *values)
{
    double first = query_get_real(query);
    json_t *list = query_is_null(query) ? NULL : json_loads(query_get_text(query), 0, NULL);
    for (uint32_t i = 0; i < count; i++)
        if (!json_to_real(json_array_get(list, i), &values[i]))
            values[i] = i ? NAN : first;
    json_decref(list);
}

/* The walk through the tells: its present row. */
struct tells {
    struct query query;
    bool at_end;
    uint64_t told;
    struct replay_tell tell;
    struct reader *reader;
    double *values; /* what tell.values points at */
};

/* The walk through the observations. */
struct observations {
    struct query query;
    bool at_end;
    uint64_t told;
    struct replay_observation seen;
    double *values; /* what seen.values points at */
};

static int next_observation(struct observations *all, struct err *err)
{
    int row = query_row(&all->query, err);
    all->at_end = row <= 0;
    if (row <= 0)
        return row;
    all->told = query_get_u64(&all->query);
    all->seen.trial = query_get_u64(&all->query);
    all->seen.step = query_get_u64(&all->query);
    all->seen.seconds = query_get_real(&all->query);
    get_values(&all->query, all->seen.value_count, all->values);
    return 0;
}

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
    tell->step = query_get_u64(&tells->query); /* 0 when it is NULL */
    return tell->has_value ? reader_outcomes(tells->reader, tell->trial, tell->value, tells->values, err) : 0;
}

/* Both, in their common order. */
struct past {
    struct tells tells;
    struct observations observations;
};

/* Visits the tells and observations up to number `last`. */
static int visit_past(struct past *past, uint64_t last, const struct replay_visitor *visitor, struct err *err)
{
    struct tells *tells = &past->tells;
    struct observations *seen = &past->observations;
    for (;;) {
        bool tell = !tells->at_end && tells->told <= last, observation = !seen->at_end && seen->told <= last;
        if (!tell && !observation)
            return 0;
        if (tell && (!observation || tells->told < seen->told)) {
            if (visitor->tell(visitor->context, &tells->tell, err) || next_tell(tells, err))
                return -1;
        } else if ((visitor->observation && visitor->observation(visitor->context, &seen->seen, err)) ||
                   next_observation(seen, err)) {
            return -1;
        }
    }
}

static int visit_proposals(struct query *query, struct past *past, const struct replay_visitor *visitor,
                           struct err *err)
{
    int row;
    while ((row = query_row(query, err)) > 0) {
        uint64_t trial = query_get_u64(query);
        const char *params = query_get_text(query);
        uint64_t told_before = query_get_u64(query);
        bool from_start = query_get_int(query) != 0;
        if (visit_past(past, told_before, visitor, err) ||
            visitor->proposal(visitor->context, trial, params, told_before, from_start, err))
            return -1;
    }
    return row;
}

/* Within one transaction. */
static int replay_rows(struct reader *reader, const struct replay_visitor *visitor, struct err *err)
{
    struct metrics criteria;
    if (reader_criteria(reader, &criteria, err))
        return -1;
    struct query proposals = query_make(reader->db, STATEMENT_PROPOSALS);
    double *values = MEM_ARRAY(double, criteria.count), *seen = MEM_ARRAY(double, criteria.count);
    struct past past = {.tells = {.query = query_make(reader->db, STATEMENT_TELLS), .reader = reader, .values = values},
                        .observations = {.query = query_make(reader->db, STATEMENT_OBSERVATIONS), .values = seen}};
    past.tells.tell.values = values;
    past.observations.seen.values = seen;
    past.tells.tell.value_count = past.observations.seen.value_count = criteria.count;
    int failed = next_tell(&past.tells, err) || next_observation(&past.observations, err) ||
                 visit_proposals(&proposals, &past, visitor, err) || visit_past(&past, UINT64_MAX, visitor, err);
    query_end(&proposals);
    query_end(&past.tells.query);
    query_end(&past.observations.query);
    free(values);
    free(seen);
    return failed ? -1 : 0;
}

int reader_replay(struct reader *reader, const struct replay_visitor *visitor, struct err *err)
{
    if (reader_begin(reader, err))
        return -1;
    int failed = replay_rows(reader, visitor, err);
    reader_end(reader);
    return failed;
}

/* --- early stopping --- */

/* The columns of the statement DECISIONS. */
static int visit_decision(struct query *query, uint32_t count, double *values, const struct decision_visitor *visitor,
                          struct err *err)
{
    int64_t decision = query_get_int(query);
    uint64_t trial = query_get_u64(query), step = query_get_u64(query);
    int ending = query_get_enum(query, ENDINGS_COUNT); /* -1: the trial lives */
    get_values(query, count, values);
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

static int visit_decisions(struct reader *reader, const struct decision_visitor *visitor, struct err *err)
{
    struct metrics criteria;
    int row;
    if (reader_criteria(reader, &criteria, err))
        return -1;
    double *values = MEM_ARRAY(double, criteria.count);
    struct query query = query_make(reader->db, STATEMENT_DECISIONS);
    while ((row = query_row(&query, err)) > 0 && visit_decision(&query, criteria.count, values, visitor, err) == 0)
        ;
    query_end(&query);
    free(values);
    return row ? -1 : 0;
}

int reader_decisions(struct reader *reader, const struct decision_visitor *visitor, struct err *err)
{
    if (reader_begin(reader, err))
        return -1;
    int failed = visit_decisions(reader, visitor, err);
    reader_end(reader);
    return failed;
}
