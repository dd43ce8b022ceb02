/* A table of results: a row a trial, columns for parameters and the metric, as spreadsheets and the exports of other
 * tools have them. The space is inferred from the values that were tried. */
#include "cli/start/imported.h"
#include "cli/start/metric_guess.h"
#include "cli/start/ranges.h"
#include "cli/start/param_args.h"
#include "common/csv.h"
#include "common/json.h"
#include "common/mem.h"
#include "common/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MOST_CELLS = 5000000, MOST_COLUMNS = 2000, MOST_WORDS = 50 };

/* What a column holds. */
struct csv_column {
    char *name;         /* as the file has it */
    const char *called; /* the parameter: without what other tools put in front */
    bool is_param, is_metric;
    bool texts, reals, booleans; /* some of its values are (lists count as texts); none of them: whole numbers */
    size_t filled;               /* cells that are not empty */
    double min, max;             /* of its numbers */
    json_t *values;              /* the different ones, up to MOST_WORDS + 1 */
};

/* A table being read: all of it is kept, since columns are known only at its end. */
struct csv_table {
    struct csv_column *columns;
    size_t count;
    json_t *rows; /* an array of arrays of values */
    size_t cells;
};

/* What exports put in front of a parameter's name: Optuna's data frames, Ray Tune, MLflow, gannet. */
static const char *const prefixes[] = {"params_", "config/", "params.", "param_", "param."};

/* --- reading --- */

/* A list, as JSON writes it: "[64, 64]". NULL: it is none. */
static json_t *list_of(const char *cell)
{
    json_t *list = *cell == '[' ? json_loads(cell, JSON_REJECT_DUPLICATES, NULL) : NULL;
    if (list && import_is_value(list))
        return list;
    json_decref(list);
    return NULL;
}

static json_t *value_of(const char *cell)
{
    json_t *list = list_of(cell);
    int64_t integer;
    double real;
    if (list)
        return list;
    if (!*cell)
        return json_null();
    if (units_integer(cell, &integer))
        return json_integer(integer);
    if (units_number(cell, &real))
        return json_of_real(real);
    if (strcasecmp(cell, "true") == 0 || strcasecmp(cell, "false") == 0)
        return json_boolean(strcasecmp(cell, "true") == 0);
    return strcasecmp(cell, "nan") == 0 ? json_string("nan") : json_of_text(cell);
}

static void note_value(struct csv_column *column, const json_t *value)
{
    size_t index;
    const json_t *other;
    double number;
    if (json_is_null(value))
        return;
    bool is_number = json_is_number(value);
    column->texts |= json_is_string(value) || json_is_array(value);
    column->reals |= json_is_real(value);
    column->booleans |= json_is_boolean(value);
    if (is_number && json_to_real(value, &number)) {
        column->min = column->filled ? fmin(column->min, number) : number;
        column->max = column->filled ? fmax(column->max, number) : number;
    }
    column->filled++;
    if (json_array_size(column->values) > MOST_WORDS)
        return;
    json_array_foreach(column->values, index, other) if (json_equal((json_t *)other, (json_t *)value)) return;
    json_array_append(column->values, (json_t *)value);
}

static const char *without_prefix(const char *name)
{
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
            return name + strlen(prefixes[i]);
    return name;
}

static int take_header(struct csv_table *table, char *const *cells, size_t count, struct err *err)
{
    if (count > MOST_COLUMNS)
        return err_set(err, "the table has %zu columns; %d are the most", count, MOST_COLUMNS);
    table->columns = MEM_ARRAY(struct csv_column, count);
    table->count = count;
    for (size_t i = 0; i < count; i++) {
        json_t *name = json_of_text(cells[i]);
        table->columns[i] = (struct csv_column){.name = mem_text(json_string_value(name)), .values = json_array()};
        table->columns[i].called = without_prefix(table->columns[i].name);
        json_decref(name);
    }
    return 0;
}

static int take_cells(void *context, size_t line, char *const *cells, size_t count, struct err *err)
{
    struct csv_table *table = context;
    (void)line;
    if (!table->columns)
        return take_header(table, cells, count, err);
    table->cells += count;
    if (table->cells > MOST_CELLS)
        return err_set(err, "the table has more than %d cells", MOST_CELLS);
    json_t *row = json_array();
    for (size_t i = 0; i < count; i++) {
        json_t *value = value_of(csv_plain(cells[i]));
        note_value(&table->columns[i], value);
        json_array_append_new(row, value);
    }
    json_array_append_new(table->rows, row);
    return 0;
}

static void table_fini(struct csv_table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        free(table->columns[i].name);
        json_decref(table->columns[i].values);
    }
    free(table->columns);
    json_decref(table->rows);
}

/* --- which column is what --- */

static struct csv_column *find_column(struct csv_table *table, const char *name, size_t length)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct csv_column *column = &table->columns[i];
        if ((strlen(column->name) == length && strncmp(column->name, name, length) == 0) ||
            (strlen(column->called) == length && strncmp(column->called, name, length) == 0))
            return &table->columns[i];
    }
    return NULL;
}

static int refuse_column(const struct import_options *options, const struct csv_table *table, const char *what,
                         const char *name, struct err *err)
{
    struct buf list = {0};
    for (size_t i = 0; i < table->count && list.length < 400; i++)
        buf_format(&list, "%s%s", i ? ", " : "", table->columns[i].name);
    err_write(err, "%s: %s '%s'; the columns: %s", options->file, what, name, buf_str(&list));
    buf_fini(&list);
    return -1;
}

/* The column of the metric: the one that is named, else the first whose name is one. */
static int find_metric(const struct import_options *options, struct csv_table *table, struct metric_guess *metric,
                       struct err *err)
{
    struct csv_column *found = NULL;
    bool known = false;
    if (options->metric && param_args_metric(options->metric, metric, err))
        return -1;
    if (options->metric && !(found = find_column(table, metric->name, strlen(metric->name))))
        return refuse_column(options, table, "there is no column", metric->name, err);
    for (size_t i = 0; i < table->count && !found; i++) {
        bool maximize = metric_guess_maximize(table->columns[i].name, &known);
        if (known && table->columns[i].filled && !table->columns[i].booleans) {
            found = &table->columns[i];
            metric->maximize = maximize;
        }
    }
    if (!found)
        return refuse_column(options, table, "say which column is the metric by --metric, such as", "score maximize",
                             err);
    found->is_metric = true;
    return 0;
}

static int find_named_params(const struct import_options *options, struct csv_table *table, struct err *err)
{
    for (const char *name = options->params; *name; name += strspn(name, ",")) {
        size_t length = strcspn(name, ",");
        struct csv_column *column = find_column(table, name, length);
        char *wanted = mem_text_n(name, length);
        int failed = column ? 0 : refuse_column(options, table, "there is no column", wanted, err);
        free(wanted);
        if (failed)
            return -1;
        column->is_param = !column->is_metric;
        name += length;
    }
    return 0;
}

/* A text that is another one in each row names the row. */
static bool names_rows(const struct csv_column *column)
{
    return column->texts && column->filled > 2 && json_array_size(column->values) == column->filled;
}

/* Where some names have a prefix, these are the parameters; else all that could be. */
static void guess_params(struct csv_table *table)
{
    bool prefixed = false;
    for (size_t i = 0; i < table->count; i++)
        prefixed |= table->columns[i].called != table->columns[i].name;
    for (size_t i = 0; i < table->count; i++) {
        struct csv_column *column = &table->columns[i];
        json_t *option = json_pack("{s:s, s:s, s:i}", "name", column->called, "type", "int", "default", 8);
        const char *reason;
        json_t *keys = ranges_guess(option, &reason);
        bool known;
        metric_guess_maximize(column->name, &known);
        column->is_param = !column->is_metric && column->filled && !names_rows(column) &&
                           (prefixed ? column->called != column->name : keys && !known);
        json_decref(keys);
        json_decref(option);
    }
}

/* --- the space --- */

static bool are_powers(const struct csv_column *column)
{
    size_t index;
    const json_t *value;
    json_array_foreach(column->values, index, value)
    {
        json_int_t number = json_integer_value(value);
        if (number < 1 || (number & (number - 1)))
            return false;
    }
    return json_array_size(column->values) > 1 && column->max >= 8;
}

static int compare_integers(const void *a, const void *b)
{
    json_int_t x = json_integer_value(*(json_t *const *)a), y = json_integer_value(*(json_t *const *)b);
    return (x > y) - (x < y);
}

static json_t *sorted_values(const struct csv_column *column)
{
    size_t count = json_array_size(column->values);
    json_t **items = MEM_ARRAY(json_t *, count), *sorted = json_array();
    for (size_t i = 0; i < count; i++)
        items[i] = json_array_get(column->values, i);
    qsort(items, count, sizeof *items, compare_integers);
    for (size_t i = 0; i < count; i++)
        json_array_append(sorted, items[i]);
    free(items);
    return sorted;
}

/* Numbers that span a factor of a hundred are taken to be even in the logarithm. */
static json_t *number_keys(const struct csv_column *column, const char **why)
{
    bool integer = !column->reals;
    if (integer && json_array_size(column->values) <= 8 && are_powers(column)) {
        json_t *sorted = sorted_values(column), *keys = import_choice_keys(sorted, NULL, why);
        json_decref(sorted);
        if (keys)
            json_object_set_new(keys, "ordered", json_true());
        return keys;
    }
    bool log = column->min > 0 && column->max / column->min >= 100;
    return import_range_keys(&(struct import_range){column->min, column->max, 0, integer, log}, why);
}

static void add_column(struct imported *out, const struct csv_column *column)
{
    const char *why = "it has more than fifty different texts";
    bool words = column->texts || column->booleans;
    json_t *keys = NULL;
    if (!words)
        keys = number_keys(column, &why);
    else if (json_array_size(column->values) <= MOST_WORDS)
        keys = import_choice_keys(column->values, NULL, &why);
    import_add(out, column->called, keys, why);
}

/* --- trials --- */

static void add_trial(struct imported *out, const struct csv_table *table, const json_t *row)
{
    json_t *params = json_object(), *values = json_array();
    double value;
    bool finite = false;
    for (size_t i = 0; i < table->count; i++) {
        json_t *cell = json_array_get(row, i);
        char *name = sketch_parameter_name(table->columns[i].called);
        if (table->columns[i].is_param && !json_is_null(cell))
            json_object_set(params, name, cell);
        if (table->columns[i].is_metric && json_to_real(cell, &value)) {
            json_array_append(values, cell);
            finite = isfinite(value);
        }
        free(name);
    }
    const char *ending = finite ? "completed" : json_array_size(values) ? "diverged" : "no_value";
    json_array_append_new(out->trials,
                          json_pack("{s:o, s:o, s:s}", "params", params, "values", values, "ending", ending));
}

static void take_table(const struct import_options *options, const struct csv_table *table,
                       const struct metric_guess *metric, struct imported *out)
{
    size_t index;
    const json_t *row;
    sketch_init(&out->sketch, options->file, options->made_by);
    out->trials = json_array();
    import_no_command(out);
    for (size_t i = 0; i < table->count; i++) {
        const struct csv_column *column = &table->columns[i];
        if (column->is_metric)
            import_metric(out, column->name, metric->maximize);
        else if (column->is_param)
            add_column(out, column);
        else
            sketch_leave(&out->sketch, "the column %s: --params takes it as a parameter", column->name);
    }
    json_array_foreach(table->rows, index, row) add_trial(out, table, row);
}

static int read_table(const struct import_options *options, struct imported *out, struct err *err)
{
    struct csv_table table = {.rows = json_array()};
    struct metric_guess metric = {0};
    int failed = csv_read(options->file, take_cells, &table, err) || find_metric(options, &table, &metric, err);
    if (!failed && options->params)
        failed = find_named_params(options, &table, err);
    else if (!failed)
        guess_params(&table);
    if (!failed)
        take_table(options, &table, &metric, out);
    table_fini(&table);
    return failed ? -1 : 0;
}

const struct importer import_csv = {.name = "csv", .what = "a table of results", .read = read_table};
