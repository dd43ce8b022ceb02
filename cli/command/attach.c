/* gannet attach: how a running experiment goes, as gannet run would show it. */
#include "cli/command.h"
#include "cli/format.h"
#include "cli/json.h"
#include "cli/data/target.h"
#include "cli/session/watch_experiment.h"
#include "cli/view/job_list.h"
#include "scheduler/slurm/slurm_record.h"

#include <stdlib.h>

/* How it ended: in the words that were said then (what trials failed of), else by its reason. */
static void add_end(struct source *source, enum reason reason, struct buf *out)
{
    json_t *experiment = source_read(source, "experiment", NULL, NULL);
    const char *detail = json_text(experiment, "detail");
    if (reason == REASON_SAME_FAILURES && *detail)
        format_safe(detail, out);
    else if (!job_list_reason(&(struct slurm_record){0}, reason, out))
        buf_text(out, reason_sentence(reason));
    json_decref(experiment);
}

/* Why there is nothing to attach to. */
static int refuse_dead(struct source *source, const char *name, struct err *err)
{
    struct experiment_standing standing;
    int status = source_standing(source, &standing, err);
    if (status)
        return status;
    bool ended = standing.snapshot.state == EXPERIMENT_ENDED;
    struct buf why = {0};
    add_end(source, standing.snapshot.reason, &why);
    bool needs_more = standing.snapshot.reason == REASON_MAX_TRIALS && !standing.snapshot.trials[TRIAL_WAITING];
    const char *mend = standing.snapshot.reason == REASON_SAME_FAILURES ? "when that is mended, " : "";
    err_write(err, "%s does not run%s%s; %sgannet run %s --resume%s", name, ended ? ": it has ended, " : "",
              ended ? buf_str(&why) : "", mend, name,
              ended && needs_more ? " --max-trials 100 makes 100 more" : " goes on with it");
    buf_fini(&why);
    standing_fini(&standing);
    return STATUS_UNREACHABLE;
}

/* The end is reported, and its status is the command's; only what is an error here has a sentence. */
static int run_attach(struct console *console, const struct args *args)
{
    struct source *source;
    struct err err = {""};
    int status = source_open(args_rest(args, 0), &source, &err);
    if (status)
        return console_fail(console, status, &err);
    char *name = target_handle(source_dir(source));
    if (source_lives(source) || slurm_record_exists(source_dir(source)))
        status = follow_running(console, source_dir(source), name);
    else
        status = console_fail(console, refuse_dead(source, name, &err), &err);
    free(name);
    source_close(source);
    return status;
}

const struct command cmd_attach = {
    .name = "attach",
    .group = GROUP_RUN,
    .summary = "Shows how a running experiment goes, until it ends",
    .text =
        "As `gannet run` shows it: one line on a terminal, and at the end what came of it, with the exit status of\n"
        "that. Of any running experiment: one that was started with --detach, in another terminal, or submitted.\n"
        "Ctrl-C leaves it running.",
    .arguments = argument_experiment,
    .examples = "gannet run my.yaml --detach\ngannet attach my",
    .run = run_attach};
