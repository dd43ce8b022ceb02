/* gannet add: trials that were measured elsewhere. */
#include "cli/command.h"
#include "cli/format.h"
#include "cli/session/amend_args.h"
#include "common/csv.h"
#include "common/json.h"
#include "common/mem.h"
#include "common/suggest.h"
#include "common/units.h"
#include "scheduler/session/add.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 60 }; /* bytes of a name or text that a message repeats */

/* What a name means. */
struct added_column {
    const struct param *param; /* NULL: a metric */
    const char *name;          /* the parameter's or the metric's own */
};

/* --- names --- */

static const struct param *find_param(const struct spec *spec, const char *name)
{
    int64_t index = space_find(spec->space, name);
    return index < 0 ? NULL : space_param(spec->space, (uint32_t)index);
}

static const char *find_metric(const struct metrics *metrics, const char *name)
{
    for (uint32_t i = 0; i < metrics->count; i++)
        if (strcmp(metrics->items[i].name, name) == 0)
            return metrics->items[i].name;
    return NULL;
}

static int refuse_name(const struct spec *spec, const struct metrics *metrics, const char *name, struct err *err)
{
    uint32_t params = space_count(spec->space);
    const char **names = MEM_ARRAY(const char *, params + metrics->count);
    for (uint32_t i = 0; i < params; i++)
        names[i] = space_param(spec->space, i)->name;
    for (uint32_t i = 0; i < metrics->count; i++)
        names[params + i] = metrics->items[i].name;
    const char *near = suggest_nearest(name, names, params + metrics->count);
    struct buf all = {0};
    suggest_list(&all, names, params + metrics->count);
    err_write(err, "'%.*s' is no parameter and no metric of this experiment%s%s%s; there are: %.400s", SHOWN, name,
              near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "", buf_str(&all));
    buf_fini(&all);
    free(names);
    return -1;
}

static bool has_prefix(const char **name, const char *prefix)
{
    bool has = strncmp(*name, prefix, strlen(prefix)) == 0;
    *name += has ? strlen(prefix) : 0;
    return has;
}

/* A plain name, or one with the prefix that columns of `gannet trials` have. */
static int find_column(const struct spec *spec, const char *name, struct added_column *out, struct err *err)
{
    struct metrics metrics = spec_metrics(spec);
    const struct param *param = find_param(spec, name);
    const char *metric = find_metric(&metrics, name), *rest = name;
    if (param && metric)
        return err_set(err, "'%.*s' is a parameter and a metric; write param.%.*s or metric.%.*s", SHOWN, name, SHOWN,
                       name, SHOWN, name);
    if (!param && !metric && has_prefix(&rest, "param."))
        param = find_param(spec, rest);
    else if (!param && !metric && has_prefix(&rest, "metric."))
        metric = find_metric(&metrics, rest);
    else if (!param && !metric && strcmp(name, "value") == 0)
        metric = metrics.items[0].name;
    *out = (struct added_column){.param = param, .name = param ? param->name : metric};
    return param || metric ? 0 : refuse_name(spec, &metrics, name, err);
}

/* --- values --- */

static int read_number(const char *name, const char *text, json_t **out, struct err *err)
{
    int64_t integer;
    double real;
    if (units_integer(text, &integer))
        *out = json_integer(integer);
    else if (units_number(text, &real) && isfinite(real))
        *out = json_of_real(real);
    else
        return err_set(err, "'%.*s' is no number that '%s' can have%s", SHOWN, text, name,
                       strchr(text, ',') ? "; decimals are written with a point" : "");
    return 0;
}

static bool is_value(const struct value *value, const char *text)
{
    struct buf shown = {0};
    double number, own;
    value_show(value, &shown);
    bool is = strcmp(buf_str(&shown), text) == 0 ||
              (value_number(value, &own) && units_number(text, &number) && own >= number && own <= number);
    buf_fini(&shown);
    return is;
}

/* One of a list: by how people write it. What is none of them is left for the check, which says so. */
static json_t *read_choice(const struct param *param, const char *text)
{
    for (uint32_t i = 0; i < param->count; i++)
        if (is_value(&param->values[i], text))
            return value_to_json(&param->values[i]);
    return json_of_text(text);
}

static int read_value(const struct added_column *column, const char *text, json_t **out, struct err *err)
{
    bool chosen = column->param && (column->param->kind == PARAM_CHOICE || column->param->kind == PARAM_CONSTANT);
    if (!chosen)
        return read_number(column->name, text, out, err);
    *out = read_choice(column->param, text);
    return 0;
}

static json_t *make_point(void)
{
    return json_pack("{s:{}, s:{}}", "params", "values");
}

static int add_value(json_t *point, const struct added_column *column, const char *text, struct err *err)
{
    json_t *value, *members = json_object_get(point, column->param ? "params" : "values");
    if (json_object_get(members, column->name))
        return err_set(err, "'%s' is given twice", column->name);
    return read_value(column, text, &value, err) ? -1 : json_object_set_new(members, column->name, value);
}

static int check_point(const struct spec *spec, const json_t *point, struct err *err)
{
    struct added_point read;
    int failed = added_point_read(spec, point, &read, err);
    added_point_fini(&read);
    return failed;
}

/* --- a command line --- */

static int add_word(const struct spec *spec, json_t *point, const char *word, struct err *err)
{
    struct added_column column;
    double number;
    const char *equals = strrchr(word, '=');
    if (!equals && units_number(word, &number)) /* the value itself */
        return find_column(spec, "value", &column, err) || add_value(point, &column, word, err) ? -1 : 0;
    if (!equals || equals == word)
        return err_set(err, "'%.*s' is no NAME=VALUE", SHOWN, word);
    char *name = mem_text_n(word, (size_t)(equals - word));
    int failed = find_column(spec, name, &column, err) || add_value(point, &column, equals + 1, err);
    free(name);
    return failed ? -1 : 0;
}

/* One point of words "lr=0.1", "loss=0.3": an array as add_trials takes it. A name that is both a parameter's and a
 * metric's is written param.NAME or metric.NAME. NULL with a sentence; every point was checked. */
static json_t *added_from_words(const struct spec *spec, const char *const *words, struct err *err)
{
    json_t *point = make_point();
    int failed = 0;
    for (; *words && !failed; words++)
        failed = add_word(spec, point, *words, err);
    if (!failed && check_point(spec, point, err) == 0)
        return json_pack("[o]", point);
    json_decref(point);
    return NULL;
}

/* --- a file --- */

struct added_table {
    const struct spec *spec;
    const char *path;
    struct added_column *columns; /* NULL: the header is still to come */
    size_t count;
    json_t *points;
};

/* A column that is nothing of the experiment: often the file has other separators, or is another program's table. */
static int refuse_column(const char *name, struct err *err)
{
    struct err why = *err;
    bool separated = strpbrk(name, ";\t") != NULL;
    return err_set(err, "%s; %s", why.text,
                   separated ? "columns are separated by commas, decimals written with a point"
                             : "take other columns out of the file");
}

static int take_header(struct added_table *table, char *const *cells, size_t count, struct err *err)
{
    table->columns = MEM_ARRAY(struct added_column, count);
    table->count = count;
    for (size_t i = 0; i < count; i++) {
        if (find_column(table->spec, cells[i], &table->columns[i], err))
            return refuse_column(cells[i], err);
        for (size_t j = 0; j < i; j++)
            if (table->columns[j].name == table->columns[i].name)
                return err_set(err, "two columns are '%s'", table->columns[i].name);
    }
    return 0;
}

static int take_line(struct added_table *table, char *const *cells, struct err *err)
{
    json_t *point = make_point();
    int failed = 0;
    for (size_t i = 0; i < table->count && !failed; i++)
        failed = *cells[i] ? add_value(point, &table->columns[i], csv_plain(cells[i]), err) : 0;
    if (!failed && json_array_size(table->points) == ADD_MOST)
        failed = err_set(err, "more than %d points are too many at once", ADD_MOST);
    failed = failed ? failed : check_point(table->spec, point, err);
    if (failed)
        json_decref(point);
    return failed ? -1 : json_array_append_new(table->points, point);
}

static int take_row(void *context, size_t line, char *const *cells, size_t count, struct err *err)
{
    struct added_table *table = context;
    int failed = table->columns ? take_line(table, cells, err) : take_header(table, cells, count, err);
    return failed ? err_prefix(err, "%s:%zu", table->path, line) : 0;
}

/* The same of a file: the first line names parameters and metrics, each other line is a point; an empty cell is no
 * value. The sentence names file and line. */
static json_t *added_from_csv(const struct spec *spec, const char *path, struct err *err)
{
    struct added_table table = {.spec = spec, .path = path, .points = json_array()};
    int failed = csv_read(path, take_row, &table, err);
    if (!failed && !json_array_size(table.points))
        failed = err_set(err, "%s: has no line behind the names of its columns", path);
    free(table.columns);
    if (!failed)
        return table.points;
    json_decref(table.points);
    return NULL;
}

/* The words behind the experiment, or the lines of the file. NULL with a sentence. */
static json_t *read_points(const struct args *args, const struct spec *spec, struct err *err)
{
    const char *path = args_text(args, "from", NULL);
    if ((path != NULL) == (args_rest(args, 1) != NULL)) {
        err_write(err, "say what was measured, as NAME=VALUE, or --from FILE.csv");
        return NULL;
    }
    return path ? added_from_csv(spec, path, err) : added_from_words(spec, args->rest + 1, err);
}

static void show_added(struct console *console, const struct args *args, uint64_t first, size_t count)
{
    struct buf text = {0};
    format_count(count, "trial", &text);
    if (args_has(args, "json"))
        fprintf(console->out, "{\"first\": %" PRIu64 ", \"added\": %zu}\n", first, count);
    else if (count == 1)
        console_tell(console, "added as trial %" PRIu64, first);
    else
        console_tell(console, "%s added: %" PRIu64 " to %" PRIu64, buf_str(&text), first, first + count - 1);
    buf_fini(&text);
}

static int add_points(struct console *console, const struct args *args, const struct rundir *dir, struct err *err)
{
    uint64_t first = 0;
    json_t *answer = NULL;
    struct spec *spec = rundir_spec(dir, err);
    json_t *points = spec ? read_points(args, spec, err) : NULL;
    int status = !spec ? STATUS_FAILED : points ? STATUS_OK : STATUS_USAGE;
    if (!status)
        status = amend_args_ask(dir, "add", json_pack("{s:O}", "points", points), &answer, err);
    if (!status && answer)
        first = (uint64_t)json_integer_value(json_object_get(answer, "first"));
    else if (!status)
        status = amend_args_status(add_trials(dir, points, &first, err));
    json_decref(answer);
    if (!status)
        show_added(console, args, first, json_array_size(points));
    json_decref(points);
    spec_destroy(spec);
    return status;
}

static int run_add(struct console *console, const struct args *args)
{
    struct err err = {""};
    struct rundir dir;
    if (rundir_find(args_rest(args, 0), &dir, &err))
        return console_fail(console, STATUS_NOT_FOUND, &err);
    int status = add_points(console, args, &dir, &err);
    rundir_fini(&dir);
    return status ? console_fail(console, status, &err) : STATUS_OK;
}

static const struct argument arguments[] = {
    {"EXP", "the experiment", true},
    {"NAME=VALUE...", "every parameter that is active there, and the metrics", false},
    {0}};

static const struct option options[] = {
    OPTION_VALUE("from", TEXT, "FILE.csv",
                 "a CSV file: its first line names parameters and metrics, each other one is a "
                 "trial"),
    OPTION_JSON("the numbers of the trials as JSON: first, added"),
    {0}};

const struct command cmd_add = {
    .name = "add",
    .group = GROUP_RUN,
    .summary = "Adds trials that were measured elsewhere",
    .text =
        "For results of your own: tried by hand, on another machine, or before there was a search. Each becomes\n"
        "a trial that has completed and is shown as added: it never ran here, and has no worker and no times. The\n"
        "strategy learns from it and proposes its configuration no more; it can be the best, and reach\n"
        "metric.target. It does not count for limits.max_trials, which is what gannet runs itself.\n"
        "\n"
        "Parameters are checked as those of the experiment file: ranges, steps, lists, conditions, constraints.\n"
        "Constants and parameters that are inactive need not be given. A metric is a plain number in the unit that\n"
        "trials report; one without a name is the first metric's. Of a file either all lines are added or none; an\n"
        "empty cell is no value. A name that is a parameter's and a metric's is written param.NAME or metric.NAME.",
    .arguments = arguments,
    .options = options,
    .examples = "gannet add digits lr=0.01 width=128 loss=0.21\n"
                "gannet add digits --from measured.csv",
    .run = run_add};
