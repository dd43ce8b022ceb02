/* gannet trials: the trials of an experiment as a table, JSON or CSV. */
#include "cli/columns.h"
#include "cli/commands.h"
#include "cli/csv.h"
#include "cli/export.h"
#include "cli/json.h"
#include "cli/sort.h"
#include "cli/source.h"
#include "cli/table.h"
#include "common/endings.h"

#include <string.h>

static void draw(struct console *console, const json_t *trials, const struct columns *columns)
{
    struct table *table = table_create();
    struct buf text = {0};
    size_t index;
    const json_t *trial;
    for (size_t i = 0; i < columns->count; i++)
        table_column(table, columns->items[i].name, columns->items[i].number);
    json_array_foreach((json_t *)trials, index, trial)
    {
        for (size_t i = 0; i < columns->count; i++) {
            const struct column *column = &columns->items[i];
            bool is_state = column->kind == COLUMN_MEMBER && strcmp(column->name, "state") == 0;
            column_show(column, trial, &text);
            table_cell(table, is_state ? tint_of_state(buf_str(&text)) : TINT_NONE, buf_str(&text));
            buf_clear(&text);
        }
    }
    table_draw(table, &console->out_look, &text);
    console_write(console->out, &text);
    buf_fini(&text);
    table_destroy(table);
}

/* What the trials are sorted by. */
struct order {
    const char *column;
    bool reverse;
    bool stored; /* the store sorts: by number, or by value, the best first */
    bool by_value;
};

/* "value" and the objective's own name mean the same: the best first. */
static int read_order(const struct args *args, struct source *source, struct order *out, struct err *err)
{
    const char *column = args_text(args, "sort", "trial");
    json_t *experiment = source_experiment(source, err);
    if (!experiment)
        return -1;
    bool by_value = strcmp(column, "value") == 0 || strcmp(column, json_text(experiment, "metric")) == 0;
    bool maximize = strcmp(json_text(experiment, "goal"), "maximize") == 0;
    bool reverse = args_has(args, "reverse");
    *out = (struct order){.column = by_value ? "value" : column,
                          .reverse = reverse != (by_value && maximize),
                          .stored = !reverse && (by_value || !args_has(args, "sort")),
                          .by_value = by_value};
    json_decref(experiment);
    return 0;
}

/* The trials in the order of a column; takes over the reference. NULL when there is no such column. */
static json_t *sorted(json_t *trials, const struct order *order, uint64_t limit, struct err *err)
{
    struct columns columns;
    json_t *out = NULL;
    if (columns_choose(trials, order->column, &columns, err) == 0)
        out = columns.count ? sort_trials(trials, &columns.items[0], order->reverse, limit) : json_incref(trials);
    columns_fini(&columns);
    json_decref(trials);
    return out;
}

/* What the options ask for, as far as the store can give it. */
static struct trial_query query_of(const struct args *args, const struct order *order)
{
    const char *state = args_text(args, "state", NULL);
    return (struct trial_query){.state = state ? trial_state_named(state) + 1 : 0,
                                .by_value = order->by_value,
                                .limit = order->stored ? args_count(args, "count", 0) : 0};
}

/* Columns of trials, or of what export_names found: the chosen ones, else all or the usual ones. */
static int read_columns(const struct args *args, const json_t *trials, struct columns *out, struct err *err)
{
    const char *chosen = args_text(args, "columns", NULL);
    if (chosen)
        return columns_choose(trials, chosen, out, err);
    if (args_has(args, "csv"))
        columns_all(trials, out);
    else
        columns_usual(trials, out);
    return 0;
}

/* --- in the store's order: for other programs, however many there are --- */

static int write_csv(struct console *console, const struct args *args, struct source *source,
                     const struct trial_query *query)
{
    struct columns columns = {0};
    struct err err;
    json_t *names = export_names(source, query, &err);
    int status = !names ? console_fail(console, STATUS_FAILED, &err) : STATUS_OK;
    if (names && read_columns(args, names, &columns, &err))
        status = console_fail(console, STATUS_USAGE, &err);
    if (!status && export_csv(console, source, query, &columns, &err))
        status = console_fail(console, STATUS_FAILED, &err);
    columns_fini(&columns);
    json_decref(names);
    return status;
}

static int write_json(struct console *console, struct source *source, const struct trial_query *query)
{
    struct err err;
    return export_json(console, source, query, &err) ? console_fail(console, STATUS_FAILED, &err) : STATUS_OK;
}

/* --- for people, or in an order of their own: all at once --- */

static void csv(struct console *console, const json_t *trials, const struct columns *columns)
{
    struct buf text = {0};
    size_t index;
    const json_t *trial;
    csv_names(columns, &text);
    json_array_foreach((json_t *)trials, index, trial) csv_trial(trial, columns, &text);
    console_write(console->out, &text);
    buf_fini(&text);
}

/* Shows the trials as the options say; takes over the reference. */
static int show(struct console *console, const struct args *args, json_t *trials)
{
    struct columns columns = {0};
    struct err err;
    int status = STATUS_OK;
    if (args_has(args, "json"))
        console_json(console, json_incref(trials));
    else if (read_columns(args, trials, &columns, &err))
        status = console_fail(console, STATUS_USAGE, &err);
    else if (args_has(args, "csv"))
        csv(console, trials, &columns);
    else
        draw(console, trials, &columns);
    columns_fini(&columns);
    json_decref(trials);
    return status;
}

static int fetch_and_show(struct console *console, const struct args *args, struct source *source,
                          const struct trial_query *query, const struct order *order)
{
    struct err err;
    json_t *trials = source_trials(source, query, &err);
    if (!trials)
        return console_fail(console, STATUS_FAILED, &err);
    if (!order->stored && !(trials = sorted(trials, order, args_count(args, "count", 0), &err)))
        return console_fail(console, STATUS_USAGE, &err);
    return show(console, args, trials);
}

/* --- the command --- */

static int run(struct console *console, const struct args *args)
{
    struct source *source;
    struct order order;
    struct err err;
    if (args_has(args, "json") && args_has(args, "columns")) {
        err_write(&err, "--columns chooses what the table and --csv show; --json always has everything");
        return console_fail(console, STATUS_USAGE, &err);
    }
    int status = source_open(args_rest(args, 0), &source, &err);
    if (status)
        return console_fail(console, status, &err);
    if (read_order(args, source, &order, &err)) {
        source_close(source);
        return console_fail(console, STATUS_FAILED, &err);
    }
    struct trial_query query = query_of(args, &order);
    if (order.stored && args_has(args, "json"))
        status = write_json(console, source, &query);
    else if (order.stored && args_has(args, "csv"))
        status = write_csv(console, args, source, &query);
    else
        status = fetch_and_show(console, args, source, &query, &order);
    source_close(source);
    return status;
}

static const struct argument arguments[] = {{"EXP", "the experiment; default: the last one", false}, {.name = NULL}};

static const struct option options[] = {
    {.name = "state",
     .letter = 's',
     .type = OPTION_WORD,
     .value = "waiting|running|paused|completed|stopped|failed|cancelled",
     .help = "only trials in this state"},
    {.name = "sort",
     .type = OPTION_TEXT,
     .value = "COLUMN",
     .help = "order by this column, lowest first; \"value\" or the objective's\nname: best first; default: by number"},
    {.name = "reverse", .letter = 'r', .help = "the other way round"},
    {.name = "count", .letter = 'n', .type = OPTION_COUNT, .value = "N", .help = "at most N trials"},
    {.name = "columns",
     .letter = 'c',
     .type = OPTION_TEXT,
     .value = "A,B,...",
     .help = "members of a trial (state, node, ...), parameters, metrics, or\nparam.X, metric.X, time.PHASE"},
    {.name = "json", .help = "an array of objects, the shape of docs/json.md"},
    {.name = "csv", .help = "a line a trial (RFC 4180), all columns unless --columns chooses"},
    {.name = NULL}};

const struct command cmd_trials = {.name = "trials",
                                   .group = GROUP_LOOK,
                                   .summary = "Lists the trials of an experiment",
                                   .arguments = arguments,
                                   .options = options,
                                   .examples = "gannet trials --sort value -n 10      # the ten best\n"
                                               "gannet trials digits --state failed   # what went wrong\n"
                                               "gannet trials --csv > trials.csv",
                                   .run = run};
