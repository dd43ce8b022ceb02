/* What bounded the runs of an experiment: counted, beside its parameters, and which trial was fast and good. */
#include "scheduler/store/reader_columns.h"
#include "scheduler/store/reader_state.h"
#include "scheduler/store/sql.h"
#include "scheduler/verdict/division.h"

#include "common/json.h"
#include "common/mem.h"
#include "common/run_counters.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_NAMES = 256 };

/* The columns of the statement VERDICTS. */
static const struct reader_column verdict_columns[] = {{"verdict", reader_get_text},   {"runs", reader_get_int},
                                                       {"seconds", reader_get_real},   {"lost", reader_get_real},
                                                       {"joules", reader_get_real},    {"joules_lost", reader_get_real},
                                                       {"joules_runs", reader_get_int}};

json_t *reader_verdicts(struct reader *reader, uint64_t every, struct err *err)
{
    if (reader_begin(reader, err))
        return NULL;
    json_t *list = json_array();
    struct query query = QUERY(reader->db, STATEMENT_VERDICTS, PUT(every), PUT(COUNT_ENERGY_PROCESSORS),
                               PUT(COUNT_ENERGY_MEMORY), PUT(COUNT_ENERGY_GPUS));
    return reader_finish(reader, reader_add_rows(&query, READER_COLUMNS(verdict_columns), list, err), list);
}

/* --- a parameter of all trials --- */

struct verdict_column {
    const char *name;              /* of the first trial that has it */
    struct division_trial *trials; /* that have it */
    size_t count, capacity;
    json_t *names; /* an object: of each value that it took, as JSON, which number that is */
    bool is_named; /* one of the values was no number: then all of them are names */
};

struct verdict_columns {
    struct verdict_column *items;
    size_t count, capacity;
    json_t *params; /* an array of objects, which the names belong to */
};

static struct verdict_column *find_column(struct verdict_columns *columns, const char *name)
{
    for (size_t i = 0; i < columns->count; i++)
        if (strcmp(columns->items[i].name, name) == 0)
            return &columns->items[i];
    MEM_GROW(columns->items, columns->capacity, columns->count + 1);
    struct verdict_column *column = &columns->items[columns->count++];
    *column = (struct verdict_column){.name = name, .names = json_object()};
    return column;
}

/* Its number; beyond MOST_NAMES all are the last. */
static double number_of_name(struct verdict_column *column, const json_t *value)
{
    char *name = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_SORT_KEYS);
    json_t *number = name ? json_object_get(column->names, name) : NULL;
    if (name && !number && json_object_size(column->names) < MOST_NAMES) {
        number = json_integer((json_int_t)json_object_size(column->names));
        json_object_set_new(column->names, name, number);
    }
    free(name);
    return number ? (double)json_integer_value(number) : MOST_NAMES;
}

static double number_of_real(struct verdict_column *column, double value)
{
    json_t *real = json_real(value);
    double number = number_of_name(column, real);
    json_decref(real);
    return number;
}

/* The numbers of before a first name are names as well. */
static void name_values(struct verdict_column *column)
{
    for (size_t i = 0; i < column->count && !column->is_named; i++)
        column->trials[i].value = number_of_real(column, column->trials[i].value);
    column->is_named = true;
}

static void add_value(struct verdict_columns *columns, const char *name, const json_t *value, enum verdict_kind verdict)
{
    struct verdict_column *column = find_column(columns, name);
    double number;
    if (!json_to_finite(value, &number)) {
        name_values(column);
        number = number_of_name(column, value);
    } else if (column->is_named) {
        number = number_of_real(column, number);
    }
    MEM_GROW(column->trials, column->capacity, column->count + 1);
    column->trials[column->count++] = (struct division_trial){verdict, number};
}

static void add_trial(struct verdict_columns *columns, struct query *query)
{
    json_t *params = json_loads(query_get_text(query), 0, NULL), *value;
    int64_t verdict = query_get_int(query);
    const char *name;
    if (params && verdict >= 0 && verdict < VERDICTS_COUNT)
        json_object_foreach(params, name, value) add_value(columns, name, value, (enum verdict_kind)verdict);
    json_array_append_new(columns->params, params ? params : json_null());
}

/* --- the division --- */

static json_t *value_of(const struct verdict_column *column, double value)
{
    const char *name;
    json_t *number;
    if (!column->is_named)
        return json_of_real(value);
    json_object_foreach(column->names, name, number)
    {
        if ((double)json_integer_value(number) == value)
            return json_loads(name, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    }
    return json_null();
}

static json_t *describe_split(const struct verdict_column *column, const struct division *split)
{
    return json_pack("{s:s, s:s, s:o, s:s, s:I, s:I, s:I, s:I}", "parameter", column->name, "is",
                     column->is_named ? "equal" : "below", "value", value_of(column, split->value), "verdict",
                     verdict_name(split->verdict), "here", (json_int_t)split->here, "bounded_here",
                     (json_int_t)split->bounded_here, "there", (json_int_t)split->there, "bounded_there",
                     (json_int_t)split->bounded_there);
}

/* That of the parameter which says most; null: none says anything. */
static json_t *best_split(struct verdict_columns *columns)
{
    struct division best = {.gain = 0}, one;
    const struct verdict_column *of = NULL;
    for (size_t i = 0; i < columns->count; i++) {
        struct verdict_column *column = &columns->items[i];
        if (division_find(column->trials, column->count, column->is_named, &one) && one.gain > best.gain) {
            best = one;
            of = column;
        }
    }
    return of ? describe_split(of, &best) : json_null();
}

static void free_columns(struct verdict_columns *columns)
{
    for (size_t i = 0; i < columns->count; i++) {
        free(columns->items[i].trials);
        json_decref(columns->items[i].names);
    }
    free(columns->items);
    json_decref(columns->params);
}

static int add_split(struct reader *reader, uint64_t every, json_t *out, struct err *err)
{
    struct verdict_columns columns = {.params = json_array()};
    struct query query = QUERY(reader->db, STATEMENT_BOUNDED_TRIALS, PUT(every));
    int row;
    while ((row = query_row(&query, err)) > 0)
        add_trial(&columns, &query);
    if (row == 0)
        json_object_set_new(out, "split", best_split(&columns));
    free_columns(&columns);
    return row;
}

/* --- fast and good --- */

/* The columns of the statement FASTEST_GOOD. */
static const struct reader_column fastest_columns[] = {{"trial", reader_get_int},
                                                       {"value", reader_get_real},
                                                       {"seconds", reader_get_real},
                                                       {"best_seconds", reader_get_real}};

static int add_fastest(struct reader *reader, uint64_t every, json_t *out, struct err *err)
{
    json_t *list = json_array();
    struct query query = QUERY(reader->db, STATEMENT_FASTEST_GOOD, PUT(every));
    int failed = reader_add_rows(&query, READER_COLUMNS(fastest_columns), list, err);
    json_object_set(out, "fastest", json_array_size(list) ? json_array_get(list, 0) : json_null());
    json_decref(list);
    return failed;
}

json_t *reader_speed(struct reader *reader, uint64_t every, struct err *err)
{
    if (reader_begin(reader, err))
        return NULL;
    json_t *out = json_object();
    return reader_finish(reader, add_split(reader, every, out, err) || add_fastest(reader, every, out, err), out);
}
