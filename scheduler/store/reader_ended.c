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

static bool improves(const struct improvement_walk *walk, double value)
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
    if (!counts || !improves(walk, value))
        return;
    walk->so_far.best = value;
    json_array_append_new(walk->found, json_pack("[I, o, o, I]", (json_int_t)walk->so_far.ended, json_of_real(ended),
                                                 json_of_real(value), (json_int_t)trial));
}

/* Whether something was said of earlier ends since: then what was found until now need not hold. -1 with a sentence. */
static int look_back(struct reader *reader, struct improvement_walk *walk, struct err *err)
{
    struct query query = query_make(reader->db, STATEMENT_TAKEN_BACK);
    int64_t last = 0;
    if (query_number(&query, &last, err) < 0)
        return -1;
    if (!walk->so_far.told || last > (int64_t)walk->so_far.taken_back)
        walk->so_far = (struct improvements){.best = NAN, .taken_back = (uint64_t)last};
    return 0;
}

static int walk_ends(struct reader *reader, struct improvement_walk *walk, uint64_t limit, struct err *err)
{
    if (progress_goal(reader->db, &walk->maximize, err) || look_back(reader, walk, err))
        return -1;
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
    json_object_set_new(out, "best", isnan(now->best) ? json_null() : json_of_real(now->best));
    return reader_finish(reader, failed, out);
}
