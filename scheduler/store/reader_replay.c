/* What is told again after a restart: to the strategy proposals, tells and observations in the order in which they
 * happened, two walks merged; to early stopping what it was told. */
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

/* The second column of the statement TELLS. */
enum past_kind { PAST_OBSERVATION, PAST_TELL, PAST_IGNORED, PAST_REOPENED };

/* The walk through the tells, observations and ignored trials, in their common order: its present row. */
struct reader_past {
    struct query query;
    struct reader *reader;
    bool at_end;
    uint64_t told;                  /* its number among all */
    enum past_kind kind;            /* what it is */
    bool ignored;                   /* whether its trial counts no longer: by now, or PAST_IGNORED: from there on */
    struct replay_tell tell;        /* PAST_TELL: the tell */
    struct replay_observation seen; /* PAST_OBSERVATION: the observation */
    char *params;                   /* what tell.params points at */
    double *values;                 /* what tell.values and seen.values point at */
};

static int get_tell(struct reader_past *past, int ending, struct err *err)
{
    struct replay_tell *tell = &past->tell;
    if (ending < 0)
        return err_set(err, "%s: trial %llu ended in a way that this gannet does not know", past->query.db->path,
                       (unsigned long long)tell->trial);
    tell->ending = (enum ending)ending;
    tell->seconds = query_get_real(&past->query);
    tell->seconds = isnan(tell->seconds) ? 0 : tell->seconds;
    tell->step = query_get_u64(&past->query); /* 0 when it is NULL */
    tell->has_value = !query_is_null(&past->query);
    tell->value = tell->has_value ? query_get_real(&past->query) : 0;
    if (!tell->has_value)
        query_skip(&past->query);
    tell->reopened = query_get_u64(&past->query);
    free(past->params);
    bool is_added = !query_is_null(&past->query);
    const char *params = query_get_text(&past->query);
    past->params = is_added ? mem_text(params) : NULL;
    tell->params = past->params;
    tell->energy = fmax(query_get_real(&past->query), 0); /* NaN loses */
    return tell->has_value ? reader_outcomes(past->reader, tell->trial, tell->value, past->values, err) : 0;
}

static void get_observation(struct reader_past *past)
{
    past->seen.seconds = query_get_real(&past->query);
    past->seen.step = query_get_u64(&past->query);
    get_values(&past->query, past->seen.value_count, past->values);
}

/* Goes on to the next row of the statement TELLS. */
static int next_past(struct reader_past *past, struct err *err)
{
    int row = query_row(&past->query, err);
    past->at_end = row <= 0;
    if (row <= 0)
        return row;
    past->told = query_get_u64(&past->query);
    past->kind = (enum past_kind)query_get_int(&past->query);
    past->tell.trial = past->seen.trial = query_get_u64(&past->query);
    past->tell.ignored = past->seen.ignored = past->ignored = query_get_int(&past->query) != 0;
    int ending = query_get_enum(&past->query, ENDINGS_COUNT);
    if (past->kind == PAST_TELL)
        return get_tell(past, ending, err);
    if (past->kind == PAST_OBSERVATION)
        get_observation(past);
    return 0;
}

/* What a visitor has no function for is no news to it. */
static int visit_one(const struct reader_past *past, const struct replay_visitor *visitor, struct err *err)
{
    switch (past->kind) {
    case PAST_TELL:
        return visitor->tell(visitor->context, &past->tell, err);
    case PAST_OBSERVATION:
        return visitor->observation ? visitor->observation(visitor->context, &past->seen, err) : 0;
    case PAST_REOPENED:
        return visitor->reopened ? visitor->reopened(visitor->context, past->tell.trial, past->told, err) : 0;
    default:
        return visitor->ignored ? visitor->ignored(visitor->context, past->tell.trial, past->ignored, err) : 0;
    }
}

/* Visits them up to number `last`. */
static int visit_past(struct reader_past *past, uint64_t last, const struct replay_visitor *visitor, struct err *err)
{
    while (!past->at_end && past->told <= last) {
        if (visit_one(past, visitor, err) || next_past(past, err))
            return -1;
    }
    return 0;
}

static int visit_proposals(struct query *query, struct reader_past *past, const struct replay_visitor *visitor,
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
    double *values = MEM_ARRAY(double, criteria.count);
    struct reader_past past = {.query = query_make(reader->db, STATEMENT_TELLS),
                               .reader = reader,
                               .tell = {.values = values, .value_count = criteria.count},
                               .seen = {.values = values, .value_count = criteria.count},
                               .values = values};
    int failed = next_past(&past, err) || visit_proposals(&proposals, &past, visitor, err) ||
                 visit_past(&past, UINT64_MAX, visitor, err);
    query_end(&proposals);
    query_end(&past.query);
    free(past.params);
    free(values);
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
