/* Where trials run: the workers in their order, some of them with their slots and what runs there, and what went wrong
 * on them; see reader.h. Of very many workers only those that somebody looks at are read whole. */
#include "scheduler/store/reader_columns.h"
#include "scheduler/store/reader_state.h"

#include <stdlib.h>

/* --- all of them, in short --- */

/* The columns of the statement PLACES. */
static reader_column_function *const place_columns[] = {
    reader_get_int, reader_get_int, reader_get_text, reader_get_real, reader_get_real, reader_get_int, reader_get_int};

json_t *reader_places(struct reader *reader, struct err *err)
{
    if (reader_begin(reader, err))
        return NULL;
    json_t *list = json_array();
    struct query query = query_make(reader->db, STATEMENT_PLACES);
    return reader_finish(reader, reader_add_arrays(&query, READER_COLUMNS(place_columns), list, err), list);
}

/* --- some of them, whole --- */

/* The columns of the statement PLACE. */
static const struct reader_column worker_columns[] = {
    {"worker", reader_get_int},   {"node", reader_get_text}, {"pid", reader_get_int},  {"version", reader_get_text},
    {"machine", reader_get_text}, {"cores", reader_get_int}, {"gpus", reader_get_int}, {"memory", reader_get_int},
    {"joined", reader_get_real},  {"gone", reader_get_real}, {"why", reader_get_text}, {"job", reader_get_text},
};

/* The columns of the statement SLOTS_OF. */
static const struct reader_column slot_columns[] = {
    {"slot", reader_get_int},  {"cpus", reader_get_text},  {"numa", reader_get_text},
    {"gpus", reader_get_text}, {"memory", reader_get_int},
};

/* The columns of the statement RUNS_AT behind the worker. */
static const struct reader_column run_columns[] = {
    {"trial", reader_get_int},  {"attempt", reader_get_int}, {"slot", reader_get_int},
    {"since", reader_get_real}, {"step", reader_get_int},    {"value", reader_get_real},
};

static int add_worker(struct reader *reader, int64_t worker, json_t *out, struct err *err)
{
    struct query query = QUERY(reader->db, STATEMENT_PLACE, PUT(worker));
    int row = query_row(&query, err);
    if (row <= 0)
        return row;
    json_t *one = json_object(), *slots = json_array();
    json_array_append_new(out, one);
    reader_add_row(&query, READER_COLUMNS(worker_columns), one);
    query_end(&query);
    json_object_set_new(one, "slots", slots);
    json_object_set_new(one, "runs", json_array());
    query = QUERY(reader->db, STATEMENT_SLOTS_OF, PUT(worker));
    return reader_add_rows(&query, READER_COLUMNS(slot_columns), slots, err);
}

static json_t *runs_of(const json_t *workers, int64_t worker)
{
    size_t index;
    json_t *one;
    json_array_foreach((json_t *)workers, index, one)
    {
        if (json_integer_value(json_object_get(one, "worker")) == worker)
            return json_object_get(one, "runs");
    }
    return NULL;
}

static int add_runs(struct reader *reader, const json_t *numbers, json_t *workers, struct err *err)
{
    char *text = json_dumps(numbers, JSON_COMPACT);
    struct query query = QUERY(reader->db, STATEMENT_RUNS_AT, PUT(text));
    int row;
    while ((row = query_row(&query, err)) > 0) {
        json_t *runs = runs_of(workers, query_get_int(&query)), *one = json_object();
        reader_add_row(&query, READER_COLUMNS(run_columns), one);
        json_array_append(runs, one);
        json_decref(one);
    }
    free(text);
    return row;
}

json_t *reader_workers(struct reader *reader, const json_t *numbers, struct err *err)
{
    size_t index;
    json_t *number, *list;
    if (reader_begin(reader, err))
        return NULL;
    int failed = 0;
    list = json_array();
    json_array_foreach((json_t *)numbers, index, number)
    {
        if (!failed)
            failed = add_worker(reader, json_integer_value(number), list, err);
    }
    if (!failed && json_array_size(numbers))
        failed = add_runs(reader, numbers, list, err);
    return reader_finish(reader, failed, list);
}

/* --- what went wrong --- */

/* The columns of the statement TROUBLES. */
static reader_column_function *const trouble_columns[] = {reader_get_int, reader_get_int,  reader_get_text,
                                                          reader_get_int, reader_get_real, reader_get_text};

json_t *reader_troubles(struct reader *reader, uint64_t after, uint64_t limit, struct err *err)
{
    if (reader_begin(reader, err))
        return NULL;
    json_t *list = json_array();
    struct query query = QUERY(reader->db, STATEMENT_TROUBLES, PUT(after), PUT(limit ? (int64_t)limit : -1));
    return reader_finish(reader, reader_add_arrays(&query, READER_COLUMNS(trouble_columns), list, err), list);
}
