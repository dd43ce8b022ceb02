/* gannet pause: gives the machines back, and keeps what is there for gannet resume. */
#include "cli/command.h"
#include "cli/data/jobs.h"
#include "cli/data/target.h"
#include "common/path.h"

#include <signal.h>

/* What runs saves its checkpoints, goes back to waiting, and the coordinator ends. */
static int leave_running(struct console *console, struct source *source, bool submitted, struct err *err)
{
    const char *path = source_dir(source)->path;
    int status = source_ask(source, "leave", json_pack("{s:s}", "why", "paused"), NULL, err);
    if (status)
        return status;
    static const char words[] = "running trials save their checkpoints, or begin anew later; then it ends";
    if (submitted)
        console_tell(console, "%s: %s; gannet resume goes on", path, words);
    else
        console_tell(console, "%s: %s; gannet run %s --resume goes on", path, words, path);
    return status;
}

/* Nothing of it runs: its jobs in the queue are held. */
static int hold_jobs(struct console *console, struct source *source, struct job_queue *queue, struct err *err)
{
    int held = job_queue_hold(queue, true, err);
    if (held < 0)
        return STATUS_SCHEDULER;
    console_tell(console, "%s: %s; gannet resume goes on", source_dir(source)->path,
                 held                     ? "its job is held in the queue"
                 : job_queue_waits(queue) ? "its job is held already"
                                          : "no job of it waits, and none will be submitted");
    return STATUS_OK;
}

/* Its job has just started, and the coordinator is about to: gannet job, which leads it, is told. */
static int tell_job(struct console *console, struct source *source, struct job_queue *queue, struct err *err)
{
    if (job_queue_signal(queue, SIGUSR1, err) < 0)
        return STATUS_SCHEDULER;
    console_tell(console, "%s: its job, which has just started, ends; gannet resume goes on", source_dir(source)->path);
    return STATUS_OK;
}

/* The record says it first, so that nobody requeues what ends now. */
static int pause_queue(struct console *console, struct source *source, struct err *err)
{
    struct job_queue queue;
    int status = job_queue_read(source_dir(source), &queue, err);
    if (!status && job_queue_set_paused(source_dir(source), true, err))
        status = STATUS_FAILED;
    if (!status)
        status =
            job_queue_runs(&queue) ? tell_job(console, source, &queue, err) : hold_jobs(console, source, &queue, err);
    job_queue_fini(&queue);
    return status;
}

static int pause_it(struct console *console, const struct args *args, struct source *source, struct err *err)
{
    (void)args;
    const struct rundir *dir = source_dir(source);
    bool submitted = slurm_record_exists(dir);
    if (path_check_ours(source_dir(source)->path, err))
        return STATUS_UNREACHABLE;
    if (source_lives(source))
        return submitted && job_queue_set_paused(dir, true, err) ? STATUS_FAILED
                                                                 : leave_running(console, source, submitted, err);
    if (submitted)
        return pause_queue(console, source, err);
    err_write(err, "%s is not running: there is nothing to pause", dir->path);
    return STATUS_UNREACHABLE;
}

const struct command cmd_pause = {
    .name = "pause",
    .group = GROUP_RUN,
    .summary = "Gives the machines back until gannet resume",
    .text = "Running trials save their checkpoints and wait; those without checkpoints begin anew later. A job that\n"
            "waits in Slurm's queue is held there, one that runs ends and is not requeued. What runs on this machine\n"
            "goes on by gannet run EXP --resume.",
    .arguments = argument_experiment,
    .examples = "gannet pause digits",
    .visit = pause_it};
