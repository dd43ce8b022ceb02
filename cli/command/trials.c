/* gannet trials: the trials of an experiment as a table, JSON or CSV. */
#include "cli/view/columns.h"
#include "cli/commands.h"
#include "cli/session/trial_list.h"
#include "cli/json.h"
#include "cli/data/target.h"
#include "common/endings.h"
#include "common/mem.h"

#include <stdlib.h>
#include <string.h>

/* Trials that are searched for a column first; of more, all are read. */
enum { SAMPLE = 1000 };

/* The column of a name, with its prefix; free() it. NULL with a sentence when there is none. */
static char *find_column(struct source *source, const char *name, int *status, struct err *err)
{
    struct trial_columns columns = {0};
    struct buf title = {0};
    json_t *trials = source_trials(source, &(struct trial_query){.limit = SAMPLE}, err);
    bool found = trials && columns_choose(trials, name, &columns, err) == 0;
    if (!found && json_array_size(trials) == SAMPLE) {
        json_decref(trials);
        trials = trial_list_names(source, &(struct trial_query){0}, err);
        found = trials && columns_choose(trials, name, &columns, err) == 0;
    }
    *status = found ? STATUS_OK : trials ? STATUS_USAGE : STATUS_FAILED;
    if (found && columns.count)
        column_title(&columns.items[0], &title);
    columns_fini(&columns);
    json_decref(trials);
    return found ? buf_take(&title) : NULL;
}

/* What the options ask for. "value" and the objective's own name mean the same: the best first. *column is what
 * query->order points at. 0, or the exit status with a sentence. */
static int read_query(const struct args *args, struct source *source, struct trial_query *out, char **column,
                      struct err *err)
{
    const char *state = args_text(args, "state", NULL), *name = args_text(args, "sort", "trial");
    json_t *experiment = source_experiment(source, err);
    int status = STATUS_OK;
    if (!experiment)
        return STATUS_FAILED;
    bool by_value = strcmp(name, "value") == 0 || strcmp(name, json_text(experiment, "metric")) == 0;
    bool maximize = strcmp(json_text(experiment, "goal"), "maximize") == 0, reverse = args_has(args, "reverse");
    json_decref(experiment);
    *out = (struct trial_query){.state = state ? trial_state_named(state) + 1 : 0,
                                .limit = args_count(args, "count", 0),
                                .by_value = by_value && !reverse,
                                .reverse = reverse != (by_value && maximize)};
    if (by_value && reverse)
        *column = mem_text("value");
    else if (!by_value && (reverse || args_has(args, "sort")))
        *column = find_column(source, name, &status, err);
    out->order = *column;
    return status;
}

static int write_csv(struct console *console, const struct args *args, struct source *source,
                     const struct trial_query *query, struct err *err)
{
    struct trial_columns columns = {0};
    const char *chosen = args_text(args, "columns", NULL);
    json_t *names = trial_list_names(source, query, err);
    int status = names ? STATUS_OK : STATUS_FAILED;
    if (names && !chosen)
        columns_all(names, &columns);
    else if (names && columns_choose(names, chosen, &columns, err))
        status = STATUS_USAGE;
    if (!status && trial_list_csv(console, source, query, &columns, err))
        status = STATUS_FAILED;
    columns_fini(&columns);
    json_decref(names);
    return status;
}

static int write_trials(struct console *console, const struct args *args, struct source *source,
                        const struct trial_query *query, struct err *err)
{
    if (args_has(args, "json"))
        return trial_list_json(console, source, query, err) ? STATUS_FAILED : STATUS_OK;
    if (args_has(args, "csv"))
        return write_csv(console, args, source, query, err);
    return trial_list_table(console, source, query, args_text(args, "columns", NULL), err);
}

static int show_trials(struct console *console, const struct args *args, struct source *source, struct err *err)
{
    struct trial_query query;
    char *column = NULL;
    int status = read_query(args, source, &query, &column, err);
    if (!status)
        status = write_trials(console, args, source, &query, err);
    free(column);
    return status;
}

static int run_trials_command(struct console *console, const struct args *args)
{
    struct err err;
    if (!args_has(args, "json") || !args_has(args, "columns"))
        return visit(console, args, show_trials);
    err_write(&err, "--columns chooses what the table and --csv show; --json always has everything");
    return console_fail(console, STATUS_USAGE, &err);
}

static const struct option options[] = {
    OPTION_LETTER("state", 's', WORD, "waiting|running|paused|completed|stopped|failed|cancelled",
                  "only trials in this state"),
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
                                   .arguments = argument_experiment,
                                   .options = options,
                                   .examples = "gannet trials --sort value -n 10      # the ten best\n"
                                               "gannet trials digits --state failed   # what went wrong\n"
                                               "gannet trials --csv > trials.csv",
                                   .run = run_trials_command};
