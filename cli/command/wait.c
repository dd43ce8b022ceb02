/* gannet wait: returns when an experiment has ended, with a status that says how. */
#include "cli/command.h"
#include "cli/data/jobs.h"
#include "cli/status.h"
#include "cli/data/source.h"
#include "common/clock.h"
#include "common/units.h"

#include <math.h>
#include <time.h>

/* Whether it has come to its end: a submitted one goes on over several jobs, and between two of them nothing runs. */
static bool is_over(struct source *source, const struct snapshot *snapshot)
{
    struct slurm_record record;
    struct err ignored;
    if (status_is_final(snapshot))
        return true;
    jobs_read(source_dir(source), false, &record, &ignored);
    bool over = !jobs_bring_more(&record);
    slurm_record_fini(&record);
    return over;
}

/* 1 when it has ended, with the *status that this means; 0 while it lives; -1 with a sentence and *status. */
static int check_end_command(const char *experiment, int *status, struct err *err)
{
    struct source *source;
    struct experiment_standing standing = {0};
    *status = source_open(experiment, &source, err);
    if (*status)
        return -1;
    int result = 0;
    if (!source_lives(source)) {
        *status = source_standing(source, &standing, err);
        result = *status ? -1 : is_over(source, &standing.snapshot);
        if (result > 0 && source_is_hidden(source) && standing.snapshot.state != EXPERIMENT_ENDED)
            result = 0; /* it may go on */
    }
    if (result > 0)
        *status = status_of_end(&standing.snapshot);
    standing_fini(&standing);
    source_close(source);
    return result;
}

/* Looks twice a second. 0 and *status, or -1 with a sentence and *status. */
static int wait_for(const char *experiment, double until, int *status, struct err *err)
{
    static const struct timespec pause = {.tv_nsec = 500 * 1000 * 1000};
    int result;
    while ((result = check_end_command(experiment, status, err)) == 0 && clock_monotonic() < until)
        nanosleep(&pause, NULL);
    if (result == 0)
        *status = STATUS_TIMED_OUT;
    return result < 0 ? -1 : 0;
}

static int run_wait(struct console *console, const struct args *args)
{
    struct err err;
    const char *timeout = args_text(args, "timeout", NULL);
    double seconds = INFINITY;
    int status;
    if (timeout && units_duration(timeout, &seconds, &err)) {
        err_write_prefix(&err, "--timeout");
        return console_fail(console, STATUS_USAGE, &err);
    }
    if (wait_for(args_rest(args, 0), clock_monotonic() + seconds, &status, &err))
        return console_fail(console, status, &err);
    return status;
}

static const struct option options[] = {OPTION_LETTER("timeout", 't', TEXT, "DURATION", "wait no longer, such as 30m"),
                                        {0}};

const struct command cmd_wait = {
    .name = "wait",
    .group = GROUP_RUN,
    .summary = "Waits until an experiment has ended",
    .text = "The exit status says how it ended: 0 it reached a limit or its target, 1 it failed,\n"
            "4 it was stopped, 130 it was interrupted, 124 the timeout passed first.",
    .arguments = argument_experiment,
    .options = options,
    .examples = "gannet wait digits --timeout 2h && gannet best digits",
    .run = run_wait};
