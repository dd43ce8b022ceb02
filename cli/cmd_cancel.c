/* gannet cancel: takes one trial off a running experiment. */
#include "cli/commands.h"
#include "cli/target.h"

#include <inttypes.h>

static int cancel(struct console *console, const struct target *target)
{
    struct source *source;
    struct err err;
    uint64_t trial;
    int status = target_open(target, &source, &trial, &err);
    if (status)
        return console_fail(console, status, &err);
    status = source_ask(source, "cancel", json_pack("{s:I}", "trial", (json_int_t)trial), NULL, &err);
    source_close(source);
    if (status)
        return console_fail(console, status, &err);
    fprintf(console->err, "trial %" PRIu64 " is cancelled\n", trial);
    return STATUS_OK;
}

static int run(struct console *console, const struct args *args)
{
    struct target target;
    struct err err = {""};
    int status = STATUS_USAGE;
    if (target_read(args_rest(args, 0), args_rest(args, 1), &target, &err))
        return console_fail(console, status, &err);
    if (target.has_trial) {
        status = cancel(console, &target);
    } else {
        err_write(&err, "gannet cancel needs a trial: EXP/TRIAL. To end the whole experiment: gannet stop");
        console_fail(console, status, &err);
    }
    target_fini(&target);
    return status;
}

static const struct argument arguments[] = {{"EXP/TRIAL", "the trial: digits/12, or 12 of the last experiment", true},
                                            {"TRIAL", "its number, when it does not stand behind a slash", false},
                                            {.name = NULL}};

const struct command cmd_cancel = {
    .name = "cancel",
    .group = GROUP_RUN,
    .summary = "Takes one trial off a running experiment",
    .text = "A trial that waits is not started, one that runs is ended. It counts as cancelled, and the\n"
            "search is not told anything about its configuration.",
    .arguments = arguments,
    .examples = "gannet cancel digits/12",
    .run = run};
