/* gannet trials: the trials of an experiment as a table, JSON or CSV. */
#include "cli/columns.h"
#include "cli/commands.h"
#include "cli/csv.h"
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

/* The trials that the options ask for. NULL with a sentence and *status. */
static json_t *fetch(const struct args *args, struct source *source, int *status, struct err *err)
{
    const char *state = args_text(args, "state", NULL);
    uint64_t limit = args_count(args, "count", 0);
    struct order order;
    *status = STATUS_FAILED;
    if (read_order(args, source, &order, err))
        return NULL;
    struct trial_query query = {.state = state ? trial_state_named(state) + 1 : 0,
                                .by_value = order.by_value,
                                .limit = order.stored ? limit : 0};
    json_t *trials = source_trials(source, &query, err);
    if (!trials || order.stored)
        return trials;
    *status = STATUS_USAGE;
    return sorted(trials, &order, limit, err);
}

/* --- the command --- */

/* Shows the trials as the options say; takes over the reference. */
static int show(struct console *console, const struct args *args, json_t *trials)
{
    struct columns columns = {0};
    struct err err;
    const char *chosen = args_text(args, "columns", NULL);
    int status = STATUS_OK;
    if (chosen && columns_choose(trials, chosen, &columns, &err)) {
        status = console_fail(console, STATUS_USAGE, &err);
    } else if (args_has(args, "json")) {
        console_json(console, json_incref(trials));
    } else if (args_has(args, "csv")) {
        if (!chosen)
            columns_all(trials, &columns);
        struct buf text = {0};
        csv_trials(trials, &columns, &text);
        console_write(console->out, &text);
        buf_fini(&text);
    } else {
        if (!chosen)
            columns_usual(trials, &columns);
        draw(console, trials, &columns);
    }
    columns_fini(&columns);
    json_decref(trials);
    return status;
}

static int run(struct console *console, const struct args *args)
{
    struct source *source;
    struct err err;
    int status = source_open(args_rest(args, 0), &source, &err);
    if (status)
        return console_fail(console, status, &err);
    json_t *trials = fetch(args, source, &status, &err);
    source_close(source);
    return trials ? show(console, args, trials) : console_fail(console, status, &err);
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
