/* gannet ls: the experiments below runs/, or all of a person's. */
#include "cli/command.h"
#include "cli/format.h"
#include "cli/json.h"
#include "cli/session/seen.h"
#include "cli/view/overview.h"
#include "cli/view/progress.h"
#include "cli/view/table.h"
#include "common/path.h"
#include "scheduler/rundir/pass.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* What is being made while the experiments are visited. */
struct experiment_list {
    struct console *console;
    struct text_table *table; /* for people */
    json_t *array;            /* for programs */
    bool json;
    bool all; /* wherever they are: with their paths */
    int status;
};

static void add_row(struct experiment_list *listing, const struct overview *overview)
{
    const struct snapshot *snapshot = &overview->snapshot;
    struct run_progress progress =
        progress_of(json_text(overview->experiment, "name"), json_text(overview->experiment, "metric"), snapshot);
    struct buf text = {0};
    char number[32];
    table_cell(listing->table, TINT_STRONG, path_base(overview->directory));
    table_cell(listing->table, overview->lives ? TINT_BUSY : TINT_NONE, overview_standing(overview));
    buf_format(&text, "%" PRIu64, progress.ended);
    if (progress.total)
        buf_format(&text, "/%" PRIu64, progress.total);
    table_cell(listing->table, TINT_NONE, buf_str(&text));
    table_print(listing->table, progress.failed ? TINT_BAD : TINT_NONE, "%" PRIu64, progress.failed);
    table_cell(listing->table, TINT_NONE,
               progress.has_best ? format_number(progress.best, number, sizeof number) : "-");
    table_cell(listing->table, TINT_NONE, progress.metric);
    if (listing->all)
        table_cell(listing->table, TINT_NONE, overview->directory);
    else
        table_cell(listing->table, TINT_NONE,
                   overview->lives || snapshot->reason == REASON_NONE ? "" : reason_sentence(snapshot->reason));
    buf_fini(&text);
}

/* Reads one experiment and adds it. -1 with a sentence. */
static int add_source(struct experiment_list *listing, struct source *source, struct err *err)
{
    struct seen seen;
    int failed = seen_recorded(source, &seen, err);
    if (!failed && listing->json)
        json_array_append_new(listing->array, overview_json(&seen.overview));
    else if (!failed)
        add_row(listing, &seen.overview);
    seen_fini(&seen);
    return failed ? -1 : 0;
}

/* An experiment that can't be read is named and passed over. */
static void add_experiment(void *context, const struct rundir *dir)
{
    struct experiment_list *listing = context;
    struct source *source = NULL;
    struct err err;
    if (source_open_dir(dir, &source, &err) || add_source(listing, source, &err))
        listing->status = console_fail(listing->console, STATUS_FAILED, &err);
    source_close(source);
}

/* What is left of one that was removed is somebody's to remove. */
static void name_pass(void *context, const char *path)
{
    struct experiment_list *listing = context;
    struct err err;
    err_write(&err, "%s is the pass of an experiment that is gone; remove it: rm %s", path, path);
    console_fail(listing->console, STATUS_OK, &err);
}

static int run_ls(struct console *console, const struct args *args)
{
    struct experiment_list listing = {
        .console = console, .table = table_create(), .array = json_array(), .json = args_has(args, "json")};
    struct buf text = {0};
    listing.all = args_has(args, "all");
    table_columns(listing.table, listing.all ? "experiment|state|>trials|>failed|>best|metric|where"
                                             : "experiment|state|>trials|>failed|>best|metric|because");
    size_t count = listing.all ? rundir_each_registered(SIZE_MAX, add_experiment, &listing)
                               : rundir_each(add_experiment, &listing);
    if (!listing.all)
        (void)pass_each_left("runs", name_pass, &listing);
    if (listing.json)
        console_json(console, json_incref(listing.array));
    else if (count)
        table_draw(listing.table, &console->out_look, &text);
    else
        fprintf(console->err, "gannet: there are no experiments%s; `gannet run FILE` makes one\n",
                listing.all ? "" : " below runs/; gannet ls --all lists those elsewhere");
    console_print(console, &text);
    table_destroy(listing.table);
    json_decref(listing.array);
    return listing.status;
}

static const struct option options[] = {
    {.name = "all",
     .short_name = 'a',
     .help = "all that you ran or submitted, wherever their run directories are,\nthe one used last first"},
    OPTION_JSON("an array of objects, each as of gannet status --json"),
    {0}};

const struct command cmd_ls = {.name = "ls",
                               .group = GROUP_LOOK,
                               .summary = "Lists the experiments below runs/, the one used last first",
                               .options = options,
                               .run = run_ls};
