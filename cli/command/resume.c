/* gannet resume: goes on with a submitted experiment that was paused, or whose job is gone. */
#include "cli/command.h"
#include "cli/data/target.h"
#include "cli/data/jobs.h"
#include "cli/status.h"
#include "cli/data/source.h"
#include "cli/session/alone.h"
#include "cli/session/submission.h"

#include <stdlib.h>

/* -1 with a sentence when the search has reached its end. */
static int check_unfinished(struct source *source, struct err *err)
{
    struct experiment_standing standing = {0};
    bool over = source_recorded(source, &standing, NULL) == 0 && status_is_final(&standing.snapshot) &&
                standing.snapshot.reason != REASON_STOPPED;
    if (over)
        err_write(err, "%s has ended: %s. For more: gannet submit %s --resume --set limits.max_trials=N",
                  source_dir(source)->path, reason_sentence(standing.snapshot.reason), source_dir(source)->path);
    standing_fini(&standing);
    return over ? -1 : 0;
}

static int submit_again(struct console *console, struct source *source, const char *name, struct err *err)
{
    const struct rundir *dir = source_dir(source);
    uint32_t id = 0;
    bool unclear;
    if (check_unfinished(source, err))
        return console_fail(console, STATUS_USAGE, err);
    struct spec *spec = rundir_spec(dir, err);
    if (!spec)
        return console_fail(console, STATUS_FAILED, err);
    int status = STATUS_USAGE;
    if (submission_is_here(spec)) {
        err_write(err, "its coordinator runs where the person is (slurm.coordinator): gannet submit %s --resume",
                  name ? name : dir->path);
        console_fail(console, status, err);
    } else if ((status = submission_send(console, dir, spec, true, &id, &unclear)) == STATUS_OK) {
        char *called = target_handle(dir);
        submission_say(console, dir, called, id);
        free(called);
    }
    spec_destroy(spec);
    return status;
}

/* The experiment has jobs at Slurm: those that are held are released. */
static int release_jobs(struct console *console, const struct rundir *dir, struct job_queue *queue, struct err *err)
{
    int released = job_queue_set_paused(dir, false, err) ? -1 : job_queue_hold(queue, false, err);
    if (released < 0)
        return console_fail(console, STATUS_SCHEDULER, err);
    if (released)
        console_tell(console, "%s: its job is released", dir->path);
    else
        console_tell(console, "%s: job %u is in the queue already, or runs", dir->path, queue->jobs.items[0].id);
    return STATUS_OK;
}

static int resume_submitted(struct console *console, struct source *source, const char *name)
{
    struct err err;
    struct job_queue queue = {0};
    const struct rundir *dir = source_dir(source);
    int status;
    if ((status = alone_await(console, dir, &queue))) {
        job_queue_fini(&queue);
        return status;
    }
    if (!queue.submitted) {
        status = console_refuse(console, STATUS_USAGE,
                                "%s was not submitted to Slurm; gannet run %s --resume goes on with it here", dir->path,
                                name ? name : dir->path);
    } else {
        status =
            queue.jobs.count ? release_jobs(console, dir, &queue, &err) : submit_again(console, source, name, &err);
    }
    job_queue_fini(&queue);
    return status;
}

static int run_resume(struct console *console, const struct args *args)
{
    struct source *source;
    struct err err;
    int status = source_open(args_rest(args, 0), &source, &err);
    if (status)
        return console_fail(console, status, &err);
    status = resume_submitted(console, source, args_rest(args, 0));
    source_close(source);
    return status;
}

const struct command cmd_resume = {
    .name = "resume",
    .group = GROUP_RUN,
    .summary = "Goes on with a submitted experiment that was paused or stopped",
    .text =
        "A job that is held in Slurm's queue is released; when there is none, one is submitted as before. To change\n"
        "limits or what Slurm is asked for: gannet submit EXP --resume --set KEY=VALUE. What runs on this machine\n"
        "is resumed by gannet run EXP --resume.",
    .arguments = argument_experiment,
    .examples = "gannet resume digits",
    .run = run_resume};
