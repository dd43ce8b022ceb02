/* What has changed since somebody read last: ends in the order in which they were told, what they make of the best
 * value, and the trials that live; see reader.h. Rows are compact, since there may be a million of them. */
#include "scheduler/store/progress.h"
#include "scheduler/store/reader_columns.h"
#include "scheduler/store/reader_state.h"

#include "common/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* --- rows --- */

/* How many cores a list has, of the column `cpus`; null: it is not known. */
static json_t *get_core_count(struct query *query)
{
    json_t *list = reader_get_list(query);
    json_t *count = json_is_null(list) ? json_null() : json_integer((json_int_t)json_array_size(list));
    json_decref(list);
    return count;
}

/* A worker by the number that it names itself by, as everywhere else: in hexadecimal digits. */
static json_t *get_worker(struct query *query)
{
    char number[17];
    if (query_is_null(query)) {
        query_skip(query);
        return json_null();
    }
    snprintf(number, sizeof number, "%016" PRIx64, query_get_u64(query));
    return json_string(number);
}

/* The columns of the statement ENDED. */
static reader_column_function *const ended_columns[] = {
    reader_get_int,  reader_get_int, reader_get_text, reader_get_real,  reader_get_real,
    reader_get_real, get_core_count, reader_get_real, reader_get_truth, reader_get_truth};

json_t *reader_ended(struct reader *reader, uint64_t after, uint64_t limit, struct err *err)
{
    if (reader_begin(reader, err))
        return NULL;
    json_t *list = json_array();
    struct query query = QUERY(reader->db, STATEMENT_ENDED, PUT(after), PUT(limit ? (int64_t)limit : -1));
    return reader_finish(reader, reader_add_arrays(&query, READER_COLUMNS(ended_columns), list, err), list);
}

/* The columns of the statement LIVING. */
static reader_column_function *const living_columns[] = {reader_get_int,  reader_get_text, reader_get_int,
                                                         reader_get_real, reader_get_text, get_worker,
                                                         reader_get_int,  reader_get_int,  reader_get_real};

json_t *reader_living(struct reader *reader, uint64_t after, uint64_t limit, struct err *err)
{
    if (reader_begin(reader, err))
        return NULL;
    json_t *list = json_array();
    struct query query = QUERY(reader->db, STATEMENT_LIVING, PUT(after), PUT(limit ? (int64_t)limit : -1));
    return reader_finish(reader, reader_add_arrays(&query, READER_COLUMNS(living_columns), list, err), list);
}

/* --- the best so far --- */

/* A walk over ends in their order. */
struct improvement_walk {
    bool maximize;
    struct improvements so_far;
    uint64_t rows; /* read now */
    json_t *found;
};

static bool improves_best(const struct improvement_walk *walk, double value)
{
    if (isnan(walk->so_far.best))
        return true;
    return walk->maximize ? value > walk->so_far.best : value < walk->so_far.best;
}

/* The columns of the statement ENDED_VALUES. */
static void take_end(struct improvement_walk *walk, struct query *query)
{
    walk->so_far.told = query_get_u64(query);
    int64_t trial = query_get_int(query);
    double ended = query_get_real(query), value = query_get_real(query);
    bool counts = query_get_int(query);
    walk->so_far.ended += !query_get_int(query);
    walk->rows++;
    if (!counts || !improves_best(walk, value))
        return;
    walk->so_far.best = value;
    json_array_append_new(walk->found, json_pack("[I, o, o, I]", (json_int_t)walk->so_far.ended, json_of_real(ended),
                                                 json_of_real(value), (json_int_t)trial));
}

/* The number that a statement gives; 0 when it has no row. */
static int read_place(struct reader *reader, enum statement which, int64_t *out, struct err *err)
{
    struct query query = query_make(reader->db, which);
    *out = 0;
    return query_number(&query, out, err) < 0 ? -1 : 0;
}

/* Whether something was said of earlier ends since: then what was found until now need not hold. -1 with a sentence. */
static int look_back(struct reader *reader, struct improvement_walk *walk, struct err *err)
{
    int64_t last = 0;
    if (read_place(reader, STATEMENT_TAKEN_BACK, &last, err))
        return -1;
    if (!walk->so_far.told || last > (int64_t)walk->so_far.taken_back)
        walk->so_far = (struct improvements){.best = NAN, .taken_back = (uint64_t)last};
    return 0;
}

/* The best value is what it was: nothing that ended since improved it, and nobody needs to look at that. 1: so it is;
 * 0: it may not be; -1 with a sentence. */
static int skip_ends(struct reader *reader, struct improvement_walk *walk, struct err *err)
{
    struct progress progress;
    if (!walk->so_far.told || isnan(walk->so_far.best))
        return 0;
    if (progress_read(reader->db, &progress, err))
        return -1;
    bool better = !progress.tally.has_best || progress.tally.best != walk->so_far.best;
    int64_t last = 0;
    if (better)
        return 0;
    if (read_place(reader, STATEMENT_LAST_ENDED, &last, err))
        return -1;
    walk->so_far.told = (uint64_t)last;
    walk->so_far.ended = 0;
    for (int state = TRIAL_COMPLETED; state < TRIAL_STATES; state++)
        walk->so_far.ended += progress.tally.ended[state];
    return 1;
}

static int walk_ends(struct reader *reader, struct improvement_walk *walk, uint64_t limit, struct err *err)
{
    if (progress_goal(reader->db, &walk->maximize, err) || look_back(reader, walk, err))
        return -1;
    int skipped = skip_ends(reader, walk, err);
    if (skipped)
        return skipped < 0 ? -1 : 0;
    struct query query =
        QUERY(reader->db, STATEMENT_ENDED_VALUES, PUT(walk->so_far.told), PUT(limit ? (int64_t)limit : -1));
    int row;
    while ((row = query_row(&query, err)) > 0)
        take_end(walk, &query);
    return row;
}

json_t *reader_improvements(struct reader *reader, const struct improvements *so_far, uint64_t limit, struct err *err)
{
    struct improvement_walk walk = {.so_far = *so_far};
    if (reader_begin(reader, err))
        return NULL;
    walk.found = json_array();
    int failed = walk_ends(reader, &walk, limit, err);
    struct improvements *now = &walk.so_far;
    json_t *out = json_pack("{s:o, s:b, s:b, s:I, s:I, s:I}", "improvements", walk.found, "anew",
                            (int)(now->taken_back != so_far->taken_back || !so_far->told), "more",
                            (int)(limit && walk.rows == limit), "told", (json_int_t)now->told, "ended",
                            (json_int_t)now->ended, "taken_back", (json_int_t)now->taken_back);
    json_object_set_new(out, "best", json_of_known(now->best));
    return reader_finish(reader, failed, out);
}

/* --- the best --- */

/* The columns of the statement TOP. */
static reader_column_function *const top_columns[] = {reader_get_int, reader_get_real};

static int add_top(struct reader *reader, const struct best_known *known, uint64_t limit, json_t *out, struct err *err)
{
    bool maximize;
    int64_t last, taken_back;
    json_t *list = json_array();
    json_object_set_new(out, "trials", list);
    if (progress_goal(reader->db, &maximize, err) || read_place(reader, STATEMENT_LAST_ENDED, &last, err) ||
        read_place(reader, STATEMENT_TAKEN_BACK, &taken_back, err))
        return -1;
    bool anew = !known->told || taken_back != (int64_t)known->taken_back;
    double sign = maximize ? -1 : 1, bound = anew ? NAN : sign * known->worst;
    json_object_set_new(out, "told", json_integer(last));
    json_object_set_new(out, "taken_back", json_integer(taken_back));
    json_object_set_new(out, "anew", json_boolean(anew));
    struct query query =
        QUERY(reader->db, STATEMENT_TOP, PUT(anew ? 0 : known->told), PUT(maximize ? -1 : 1), PUT(bound), PUT(limit));
    return reader_add_arrays(&query, READER_COLUMNS(top_columns), list, err);
}

json_t *reader_top(struct reader *reader, const struct best_known *known, uint64_t limit, struct err *err)
{
    if (reader_begin(reader, err))
        return NULL;
    json_t *out = json_object();
    return reader_finish(reader, add_top(reader, known, limit, out, err), out);
}
