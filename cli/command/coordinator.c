/* gannet coordinator: the process that runs one experiment; `gannet run` starts it. */
#include "cli/command.h"
#include "common/log.h"
#include "scheduler/coordinator/coordinator.h"

#include <stddef.h>

static int run_coordinator(struct console *console, const struct args *args)
{
    const char *path = args_text(args, "rundir", NULL);
    struct err err;
    if (!path)
        return console_refuse(console, STATUS_USAGE,
                              "gannet coordinator needs --rundir DIR, the run directory of an experiment");
    log_open("coordinator", (enum log_level)log_level_named(args_text(args, "log-level", "info")));
    struct rundir dir;
    rundir_name(path, &dir);
    struct coordinator_setup setup = {.dir = &dir,
                                      .listen = args_text(args, "listen", NULL),
                                      .until = (double)args_count(args, "until", 0),
                                      .warn = (double)args_count(args, "warn", 0),
                                      .allocate = args_has(args, "allocate"),
                                      .led = args_has(args, "led"),
                                      .requeued = args_has(args, "requeued")};
    int status = coordinator_run(&setup, &err);
    if (status)
        log_error("%s", err.text);
    rundir_fini(&dir);
    return status;
}

static const struct option options[] = {
    OPTION_VALUE("rundir", TEXT, "DIR", "the run directory of the experiment"),
    OPTION_VALUE("listen", TEXT, "ENDPOINT",
                 "where workers connect, such as tcp://192.0.2.1:*; default: a local socket"),
    OPTION_VALUE(
        "until", COUNT, "SECONDS",
        "when the time of the job is up, in seconds since 1970: nothing is started that would not end by then"),
    OPTION_VALUE("warn", COUNT, "SECONDS",
                 "so long before that, running trials save checkpoints and stop (default: 60)"),
    {.name = "allocate",
     .type = OPTION_SWITCH,
     .help = "submit workers to Slurm, as slurm.shape says: array or elastic"},
    {.name = "led", .type = OPTION_SWITCH, .help = "what SIGTERM means is said by gannet job, which has started it"},
    {.name = "requeued",
     .type = OPTION_SWITCH,
     .help = "the job was put back into the queue since the last start: its workers of before are gone"},
    OPTION_VALUE("log-level", WORD, "debug|info|warning|error",
                 "the lowest level that is written to the log (standard error)"),
    {0}};

const struct command cmd_coordinator = {
    .name = "coordinator",
    .group = GROUP_HIDDEN,
    .summary = "Runs the experiment of a run directory until it ends",
    .text = "One process an experiment, the only writer of its store. `gannet run` starts it.",
    .options = options,
    .run = run_coordinator};
