/* gannet add: trials that were measured elsewhere. */
#include "cli/command.h"
#include "cli/format.h"
#include "cli/session/added.h"
#include "cli/session/amend_args.h"

#include <inttypes.h>

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
