/* gannet coordinator: the process that runs one experiment; `gannet run` starts it. */
#include "cli/commands.h"
#include "common/log.h"
#include "scheduler/coordinator.h"

#include <stddef.h>

static int run(struct console *console, const struct args *args)
{
    const char *path = args_text(args, "rundir", NULL);
    struct err err;
    if (!path) {
        err_write(&err, "gannet coordinator needs --rundir DIR, the run directory of an experiment");
        return console_fail(console, STATUS_USAGE, &err);
    }
    log_open("coordinator", (enum log_level)log_level_named(args_text(args, "log-level", "info")));
    struct rundir dir;
    rundir_name(path, &dir);
    int status = coordinator_run(&dir, args_text(args, "listen", NULL), &err);
    if (status)
        log_error("%s", err.text);
    rundir_fini(&dir);
    return status;
}

static const struct option options[] = {
    {.name = "rundir", .type = OPTION_TEXT, .value = "DIR", .help = "the run directory of the experiment"},
    {.name = "listen",
     .type = OPTION_TEXT,
     .value = "ENDPOINT",
     .help = "where workers connect, such as tcp://192.0.2.1:*; default: a local socket"},
    {.name = "log-level",
     .type = OPTION_WORD,
     .value = "debug|info|warning|error",
     .help = "the lowest level that is written to the log (standard error)"},
    {.name = NULL}};

const struct command cmd_coordinator = {
    .name = "coordinator",
    .group = GROUP_HIDDEN,
    .summary = "Runs the experiment of a run directory until it ends",
    .text = "One process an experiment, the only writer of its store. `gannet run` starts it.",
    .options = options,
    .run = run};
