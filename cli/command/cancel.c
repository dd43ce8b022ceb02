/* gannet cancel: takes one trial off a running experiment, or ends the experiment with all its jobs. */
#include "cli/command.h"
#include "cli/data/jobs.h"
#include "cli/data/target.h"
#include "common/path.h"

#include <inttypes.h>
#include <time.h>

/* --- a trial --- */

static int cancel_trial(struct console *console, struct source *source, uint64_t trial, struct err *err)
{
    json_t *shown = NULL;
    int status = source_show(source, trial, &shown, err); /* has a status of its own for one that is not there */
    json_decref(shown);
    if (!status)
        status = source_ask(source, "cancel", json_pack("{s:I}", "trial", (json_int_t)trial), NULL, err);
    if (!status)
        fprintf(console->err, "trial %" PRIu64 " is cancelled\n", trial);
    return status;
}

/* --- the whole experiment --- */

/* Gives the coordinator a moment to write down how it ended, before its job is taken from under it. */
static void await_end(struct source *source)
{
    enum { LOOKS = 50 };
    static const struct timespec between = {.tv_nsec = 100 * 1000 * 1000};
    for (int i = 0; i < LOOKS && source_lives(source); i++)
        nanosleep(&between, NULL);
}

/* Jobs that come to their end by themselves count as completed: no mail says that they failed. */
static void await_jobs(const struct rundir *dir)
{
    enum { LOOKS = 10 };
    static const struct timespec between = {.tv_nsec = 500 * 1000 * 1000};
    bool runs = true;
    for (int i = 0; i < LOOKS && runs; i++) {
        struct job_queue queue;
        if (i)
            nanosleep(&between, NULL);
        runs = job_queue_read(dir, &queue, NULL) == STATUS_OK && job_queue_runs(&queue);
        job_queue_fini(&queue);
    }
}

static int cancel_all(struct console *console, struct source *source, struct err *err)
{
    int count;
    bool lives = source_lives(source);
    if (path_check_ours(source_dir(source)->path, err))
        return STATUS_UNREACHABLE;
    if (lives && source_ask(source, "stop", json_pack("{s:s}", "why", "stopped"), NULL, err) == STATUS_OK) {
        await_end(source);
        await_jobs(source_dir(source));
    }
    int status = job_queue_end(source_dir(source), &count, err);
    if (!status && !count && jobs_may_come(source_dir(source))) {
        fprintf(console->err, "%s: no job of it is in the queue; one that comes after all ends itself\n",
                source_dir(source)->path);
        return status;
    }
    if (!status && !lives && !count) {
        err_write(err, "%s is not running, and no job of it is in the queue", source_dir(source)->path);
        status = STATUS_UNREACHABLE;
    }
    if (!status)
        console_tell(console, "%s is ended; what is recorded stays", source_dir(source)->path);
    return status;
}

static int cancel_target(struct console *console, const struct args *args, struct source *source,
                         const struct target *target, struct err *err)
{
    (void)args;
    return target->has_trial ? cancel_trial(console, source, target->trial, err) : cancel_all(console, source, err);
}

static int run_cancel(struct console *console, const struct args *args)
{
    return target_visit_trial(console, args, args_rest(args, 1), NULL, cancel_target);
}

static const struct argument arguments[] = {
    {"EXP[/TRIAL]", "the experiment; or a trial: digits/12, or 12 of the last experiment", true},
    {"TRIAL", "its number, when it does not stand behind a slash", false},
    {0}};

const struct command cmd_cancel = {
    .name = "cancel",
    .group = GROUP_RUN,
    .summary = "Takes one trial off a running experiment, or ends it with all its jobs",
    .text = "A trial that waits is not started, one that runs is ended. It counts as cancelled, and the\n"
            "search is not told anything about its configuration.\n"
            "\n"
            "Without a trial the whole experiment ends: running trials are cancelled, and all of its jobs at Slurm,\n"
            "those in the queue too. What is recorded stays. `gannet stop` lets running trials finish.",
    .arguments = arguments,
    .examples = "gannet cancel digits/12\n"
                "gannet cancel digits",
    .run = run_cancel};
