/* gannet trials: the trials of an experiment of any size as a table, JSON or CSV. They are written as they are read, so
 * that memory is flat. */
#include "cli/command.h"
#include "cli/data/facts.h"
#include "cli/data/filter.h"
#include "cli/data/target.h"
#include "cli/data/trial_names.h"
#include "cli/json.h"
#include "cli/status.h"
#include "cli/view/columns.h"
#include "cli/view/running.h"
#include "cli/view/table.h"
#include "common/clock.h"
#include "common/endings.h"
#include "common/mem.h"

#include <stdlib.h>
#include <string.h>

enum { SAMPLE = 1000 }; /* trials that are looked at before the first line is written, or searched for a column */

/* Which trials are listed, in which order. */
struct listing_query {
    struct trial_query query;
    struct filter *filter; /* --where; NULL: all */
    char *column;          /* what query.order points at */
    char *metric;          /* the objective */
};

/* --- those that are listed --- */

/* A visit to those that the filter keeps, as many of them as are wanted. */
struct filtered_visit {
    const struct listing_query *listing;
    reader_visit *visit;
    void *context;
    uint64_t left;
    bool done;
};

/* What runs is judged by what is shown of it: its value and seconds so far. */
static bool keeps_trial(const struct listing_query *listing, const json_t *trial)
{
    json_t *filled = json_copy((json_t *)trial);
    running_fill(filled, listing->metric, clock_wall());
    bool keeps = filter_keeps(listing->filter, filled);
    json_decref(filled);
    return keeps;
}

static int visit_filtered(void *context, json_t *trial, struct err *err)
{
    struct filtered_visit *filtered = context;
    if (!keeps_trial(filtered->listing, trial))
        return 0;
    if (filtered->visit(filtered->context, trial, err))
        return -1;
    filtered->done = --filtered->left == 0;
    return filtered->done ? -1 : 0; /* -1 ends the walk */
}

static int each_trial(struct source *source, const struct listing_query *listing, reader_visit *visit, void *context,
                      struct err *err)
{
    if (!listing->filter)
        return source_each_trial(source, &listing->query, visit, context, err);
    struct trial_query all = listing->query;
    struct filtered_visit filtered = {.listing = listing, .visit = visit, .context = context};
    filtered.left = all.limit ? all.limit : UINT64_MAX;
    all.limit = 0;
    int failed = facts_each_trial(source, &all, listing->filter, visit_filtered, &filtered, err);
    return filtered.done ? 0 : failed;
}

static int append_trial(void *context, json_t *trial, struct err *err)
{
    (void)err;
    return json_array_append(context, trial);
}

/* The first `most` of them. NULL with a sentence. */
static json_t *first_trials(struct source *source, const struct listing_query *listing, uint64_t most, struct err *err)
{
    struct listing_query first = *listing;
    if (!first.query.limit || first.query.limit > most)
        first.query.limit = most;
    json_t *list = json_array();
    if (each_trial(source, &first, append_trial, list, err) == 0)
        return list;
    json_decref(list);
    return NULL;
}

/* --- for programs --- */

/* Where they go to. */
struct writing {
    struct console *console;
    const struct trial_columns *columns; /* of CSV */
    struct buf text;                     /* of one trial */
    uint64_t written;
};

static int write_json_trial(void *context, json_t *trial, struct err *err)
{
    struct writing *writing = context;
    (void)err;
    buf_text(&writing->text, writing->written++ ? ",\n " : "[");
    json_add(trial, &writing->text);
    console_write(writing->console->out, &writing->text);
    return 0;
}

static int list_json(struct console *console, struct source *source, const struct listing_query *query, struct err *err)
{
    struct writing writing = {.console = console};
    int result = each_trial(source, query, write_json_trial, &writing, err);
    if (result == 0)
        fputs(writing.written ? "]\n" : "[]\n", console->out);
    buf_fini(&writing.text);
    return result;
}

/* Which parameters, metrics and phases occur in them (trial_names.h). NULL with a sentence. */
static json_t *list_names(struct source *source, const struct listing_query *query, struct err *err)
{
    json_t *all = json_object();
    return trial_names_list(all, each_trial(source, query, trial_names_visit, all, err));
}

static int write_csv_trial(void *context, json_t *trial, struct err *err)
{
    struct writing *writing = context;
    (void)err;
    columns_csv_trial(trial, writing->columns, &writing->text);
    console_write(writing->console->out, &writing->text);
    return 0;
}

static int list_csv(struct console *console, struct source *source, const struct listing_query *query,
                    const struct trial_columns *columns, struct err *err)
{
    struct writing writing = {.console = console, .columns = columns};
    columns_csv_names(columns, &writing.text);
    console_write(console->out, &writing.text);
    int result = each_trial(source, query, write_csv_trial, &writing, err);
    buf_fini(&writing.text);
    return result;
}

/* --- for people --- */

/* A table that is being written. */
struct trial_table {
    struct console *console;
    struct trial_columns columns;
    struct text_table *table;
    struct buf text;
    char *metric;  /* the objective */
    uint64_t rows; /* added so far */
};

static void add_row(struct trial_table *listing, const json_t *trial)
{
    struct buf text = {0};
    for (size_t i = 0; i < listing->columns.count; i++) {
        const struct trial_column *column = &listing->columns.items[i];
        bool is_state = column->kind == COLUMN_MEMBER && strcmp(column->name, "state") == 0;
        column_show(column, trial, &text);
        table_cell(listing->table, is_state ? tint_of_state(buf_str(&text)) : TINT_NONE, buf_str(&text));
        buf_clear(&text);
    }
    buf_fini(&text);
    listing->rows++;
}

/* The first rows are kept until the widths are known; later ones are written at once. */
static int draw_trial(void *context, json_t *trial, struct err *err)
{
    struct trial_table *listing = context;
    (void)err;
    running_fill(trial, listing->metric, clock_wall());
    add_row(listing, trial);
    if (listing->rows == SAMPLE)
        table_begin(listing->table, &listing->console->out_look, &listing->text);
    else if (listing->rows > SAMPLE)
        table_rows(listing->table, &listing->console->out_look, &listing->text);
    console_write(listing->console->out, &listing->text);
    return 0;
}

static int draw_trials(struct trial_table *listing, struct source *source, const struct listing_query *query,
                       struct err *err)
{
    for (size_t i = 0; i < listing->columns.count; i++)
        table_column(listing->table, listing->columns.items[i].name, listing->columns.items[i].number);
    int status = each_trial(source, query, draw_trial, listing, err) ? STATUS_FAILED : STATUS_OK;
    if (listing->rows < SAMPLE)
        table_begin(listing->table, &listing->console->out_look, &listing->text);
    table_end(listing->table, &listing->text);
    console_write(listing->console->out, &listing->text);
    return status;
}

/* Trials from which the columns are chosen: the first ones, and when there are more, one that has what occurs in any.
 */
static json_t *look_at(struct source *source, const struct listing_query *query, struct err *err)
{
    json_t *sample = first_trials(source, query, SAMPLE, err);
    if (json_array_size(sample) < SAMPLE || query->query.limit == SAMPLE)
        return sample;
    json_t *all = list_names(source, query, err);
    json_array_extend(sample, all);
    if (!all)
        json_decref(sample);
    json_decref(all);
    return all ? sample : NULL;
}

/* What runs has numbers, too. */
static void fill_all(json_t *trials, const char *metric)
{
    size_t index;
    json_t *trial;
    json_array_foreach(trials, index, trial) running_fill(trial, metric, clock_wall());
}

static int choose_columns(const json_t *sample, const char *list, struct trial_columns *out, struct err *err)
{
    if (list)
        return columns_choose(sample, list, out, err) ? STATUS_USAGE : STATUS_OK;
    columns_usual(sample, out);
    return STATUS_OK;
}

/* A table whose first trials say how wide the columns are, with the columns of the list (columns_choose; NULL: the
 * usual ones). 0, or the exit status with a sentence. */
static int list_table(struct console *console, struct source *source, const struct listing_query *query,
                      const char *list, struct err *err)
{
    struct trial_table listing = {.console = console, .table = table_create()};
    json_t *sample = look_at(source, query, err), *experiment = source_read(source, "experiment", NULL, NULL);
    listing.metric = mem_text(json_text(experiment, "metric"));
    fill_all(sample, listing.metric);
    json_decref(experiment);
    int status = sample ? choose_columns(sample, list, &listing.columns, err) : STATUS_FAILED;
    json_decref(sample);
    if (!status && listing.columns.count)
        status = draw_trials(&listing, source, query, err);
    free(listing.metric);
    columns_fini(&listing.columns);
    table_destroy(listing.table);
    buf_fini(&listing.text);
    return status;
}

/* --- the command --- */

/* The column of a name, with its prefix; free() it. NULL with a sentence when there is none. */
static char *find_column(struct source *source, const char *name, int *status, struct err *err)
{
    struct trial_columns columns = {0};
    struct buf title = {0};
    json_t *trials = source_trials(source, &(struct trial_query){.limit = SAMPLE}, err);
    bool found = trials && columns_choose(trials, name, &columns, err) == 0;
    if (!found && json_array_size(trials) == SAMPLE) {
        json_decref(trials);
        trials = list_names(source, &(struct listing_query){0}, err);
        found = trials && columns_choose(trials, name, &columns, err) == 0;
    }
    *status = found ? STATUS_OK : trials ? STATUS_USAGE : STATUS_FAILED;
    if (found && columns.count)
        column_title(&columns.items[0], &title);
    columns_fini(&columns);
    json_decref(trials);
    return found ? buf_take(&title) : NULL;
}

/* The order that the options ask for. "value" and the objective's own name mean the same: the best first. 0, or the
 * exit status with a sentence. */
static int read_order(const struct args *args, struct source *source, struct listing_query *out, struct err *err)
{
    const char *state = args_text(args, "state", NULL), *name = args_text(args, "sort", "trial");
    json_t *experiment = source_read(source, "experiment", NULL, err);
    int status = STATUS_OK;
    if (!experiment)
        return STATUS_FAILED;
    bool by_value = strcmp(name, "value") == 0 || strcmp(name, json_text(experiment, "metric")) == 0;
    bool maximize = strcmp(json_text(experiment, "goal"), "maximize") == 0, reverse = args_has(args, "reverse");
    out->metric = mem_text(json_text(experiment, "metric"));
    json_decref(experiment);
    out->query = (struct trial_query){.state = state ? trial_state_named(state) + 1 : 0,
                                      .limit = args_count(args, "count", 0),
                                      .by_value = by_value && !reverse,
                                      .reverse = reverse != (by_value && maximize)};
    if (by_value && reverse)
        out->column = mem_text("value");
    else if (!by_value && (reverse || args_has(args, "sort")))
        out->column = find_column(source, name, &status, err);
    out->query.order = out->column;
    return status;
}

/* The filter that is asked for. 0, or the exit status with a sentence. */
static int read_filter(const struct args *args, struct source *source, struct listing_query *out, struct err *err)
{
    const char *where = args_text(args, "where", NULL);
    struct err fault = {""};
    int status = STATUS_OK;
    if (where && !(out->filter = filter_open(source, where, &status, &fault)))
        err_write(err, status == STATUS_USAGE ? "--where \"%s\": %s" : "%.0s%s", where, fault.text);
    return status;
}

static int write_csv(struct console *console, const struct args *args, struct source *source,
                     const struct listing_query *query, struct err *err)
{
    struct trial_columns columns = {0};
    const char *chosen = args_text(args, "columns", NULL);
    json_t *names = list_names(source, query, err);
    int status = names ? STATUS_OK : STATUS_FAILED;
    if (names && !chosen)
        columns_all(names, &columns);
    else if (names && columns_choose(names, chosen, &columns, err))
        status = STATUS_USAGE;
    if (!status && list_csv(console, source, query, &columns, err))
        status = STATUS_FAILED;
    columns_fini(&columns);
    json_decref(names);
    return status;
}

static int write_trials(struct console *console, const struct args *args, struct source *source,
                        const struct listing_query *query, struct err *err)
{
    if (args_has(args, "json"))
        return list_json(console, source, query, err) ? STATUS_FAILED : STATUS_OK;
    if (args_has(args, "csv"))
        return write_csv(console, args, source, query, err);
    return list_table(console, source, query, args_text(args, "columns", NULL), err);
}

static int show_trials(struct console *console, const struct args *args, struct source *source, struct err *err)
{
    struct listing_query listing = {0};
    int status = read_order(args, source, &listing, err);
    if (!status)
        status = read_filter(args, source, &listing, err);
    if (!status)
        status = write_trials(console, args, source, &listing, err);
    filter_destroy(listing.filter);
    free(listing.metric);
    free(listing.column);
    return status;
}

static int run_trials_command(struct console *console, const struct args *args)
{
    if (!args_has(args, "json") || !args_has(args, "columns"))
        return target_visit(console, args, show_trials);
    return console_refuse(console, STATUS_USAGE,
                          "--columns chooses what the table and --csv show; --json always has everything");
}

static const char where_text[] =
    "--where takes an expression as constraints are written (docs/experiment.md): numbers, 'texts',\n"
    "and, or, not, < <= > >= == !=, + - * / % ^, brackets, min max abs log log2 log10 exp sqrt floor\n"
    "ceil round. A name is a member of a trial, else a parameter, else a metric, else a phase;\n"
    "param.X, metric.X and time.PHASE say which. The members: trial, state, reason, attempts, started and\n"
    "ended (seconds since 1970), seconds, node, nodes, slot, job, cpus and gpus (how many), value, step,\n"
    "verdict, figure, feasible, ignored, added. The name of a state or an ending alone (failed,\n"
    "out_of_memory) is true of trials that have it. What a trial has no value for is null: it\n"
    "compares with no number, and x == null finds it.";

static const struct option options[] = {
    OPTION_LETTER("state", 's', WORD, "waiting|running|paused|completed|stopped|failed|cancelled",
                  "only trials in this state"),
    OPTION_LETTER("where", 'w', TEXT, "EXPR",
                  "only trials of which this is true: \"lr > 1e-3 and state == 'failed'\",\nover the columns below; "
                  "also failed, out_of_memory, ... alone"),
    OPTION_VALUE(
        "sort", TEXT, "COLUMN",
        "order by this column, lowest first; \"value\" or the objective's\nname: best first; default: by number"),
    {.name = "reverse", .short_name = 'r', .help = "the other way round"},
    OPTION_N("at most N trials"),
    OPTION_LETTER("columns", 'c', TEXT, "A,B,...",
                  "members of a trial (state, node, ...), parameters, metrics, or\nparam.X, metric.X, time.PHASE"),
    OPTION_JSON("an array of objects, the shape of docs/json.md"),
    {.name = "csv", .help = "a line a trial (RFC 4180), all columns unless --columns chooses"},
    {0}};

const struct command cmd_trials = {.name = "trials",
                                   .group = GROUP_LOOK,
                                   .summary = "Lists the trials of an experiment",
                                   .text = where_text,
                                   .arguments = argument_experiment,
                                   .options = options,
                                   .examples = "gannet trials --sort value -n 10      # the ten best\n"
                                               "gannet trials digits --state failed   # what went wrong\n"
                                               "gannet trials --where \"accuracy > 0.9 and seconds < 60\"\n"
                                               "gannet trials --csv > trials.csv",
                                   .run = run_trials_command};
