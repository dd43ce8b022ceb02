/* gannet retry: has failed trials tried again. */
#include "cli/command.h"
#include "cli/format.h"
#include "cli/session/amend_args.h"
#include "scheduler/session/retry.h"

#include <stdlib.h>

static void tell_changed(struct console *console, size_t changed, const char *experiment)
{
    struct buf text = {0};
    format_count(changed, "trial", &text);
    console_tell(console, "%s to be tried again%s%s%s", buf_str(&text), changed ? " by gannet run " : "",
                 changed ? experiment : "", changed ? " --resume" : ": none has failed");
    buf_fini(&text);
}

static int retry_found(struct console *console, const struct args *args, const uint64_t *trials, size_t count)
{
    struct rundir dir;
    struct err err = {""};
    size_t changed;
    if (rundir_find(args_rest(args, 0), &dir, &err))
        return console_fail(console, STATUS_NOT_FOUND, &err);
    int status = amend_args_status(retry_trials(&dir, trials, count, &changed, &err));
    if (status)
        console_fail(console, status, &err);
    else
        tell_changed(console, changed, dir.path);
    rundir_fini(&dir);
    return status;
}

static int run_retry(struct console *console, const struct args *args)
{
    struct err err = {""};
    size_t count;
    uint64_t *trials = amend_args_trials(args, &count, &err);
    if (!trials)
        return console_fail(console, STATUS_USAGE, &err);
    int status = (count > 0) == args_has(args, "failed")
                     ? console_refuse(console, STATUS_USAGE, "say which trials, or --failed for all that have failed")
                     : retry_found(console, args, trials, count);
    free(trials);
    return status;
}

static const struct argument arguments[] = {
    {"EXP", "the experiment", true}, {"TRIAL...", "numbers of trials that have failed", false}, {0}};

static const struct option options[] = {{.name = "failed", .help = "all trials that have failed and are not ignored"},
                                        {0}};

const struct command cmd_retry = {
    .name = "retry",
    .group = GROUP_RUN,
    .summary = "Has failed trials tried again, when what they failed of is mended",
    .text =
        "They wait with the same parameters, and `gannet run EXP --resume` gives each another attempt, with all\n"
        "of trial.retries. They no longer count as failed; their earlier attempts stay recorded. The strategy takes\n"
        "them for trials that have not ended yet. In a loop of your own `gannet tell` says what came of them.\n"
        "\n"
        "The experiment must not run meanwhile: `gannet stop` ends it.",
    .arguments = arguments,
    .options = options,
    .examples = "gannet retry digits 12 17\n"
                "gannet retry digits --failed",
    .run = run_retry};
