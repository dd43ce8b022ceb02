/* gannet pause: gives the machines back, and keeps what is there for gannet resume. */
#include "cli/commands.h"
#include "cli/queue.h"
#include "cli/source.h"

/* What runs saves its checkpoints, goes back to waiting, and the coordinator ends. */
static int leave(struct console *console, struct source *source, struct err *err)
{
    int status = source_ask(source, "leave", json_pack("{s:s}", "why", "paused"), NULL, err);
    if (!status)
        fprintf(console->err, "%s: running trials save their checkpoints, then it ends; gannet resume goes on\n",
                source_dir(source)->path);
    return status;
}

/* Nothing of it runs: its queue in the queue are held. */
static int hold(struct console *console, struct source *source, const struct queue *queue, struct err *err)
{
    int held = queue_hold(queue, true, err);
    if (held < 0)
        return STATUS_SCHEDULER;
    fprintf(console->err, "%s: %s; gannet resume goes on\n", source_dir(source)->path,
            held ? "its job is held in the queue" : "no job of it waits, and none will be submitted");
    return STATUS_OK;
}

static int pause_it(struct console *console, struct source *source, struct err *err)
{
    struct queue queue = {0};
    const struct rundir *dir = source_dir(source);
    bool lives = source_lives(source);
    int status = lives ? STATUS_OK : queue_read(dir, &queue, err);
    if (!status && !lives && !queue.submitted) {
        err_write(err, "%s is not running: there is nothing to pause", dir->path);
        status = STATUS_UNREACHABLE;
    }
    /* First, so that nobody requeues what ends now. */
    if (!status && slurm_record_exists(dir) && queue_set_paused(dir, true, err))
        status = STATUS_FAILED;
    if (!status)
        status = lives ? leave(console, source, err) : hold(console, source, &queue, err);
    queue_fini(&queue);
    return status;
}

static int run(struct console *console, const struct args *args)
{
    struct source *source;
    struct err err;
    int status = source_open(args_rest(args, 0), &source, &err);
    if (status)
        return console_fail(console, status, &err);
    status = pause_it(console, source, &err);
    source_close(source);
    return status ? console_fail(console, status, &err) : STATUS_OK;
}

static const struct argument arguments[] = {{"EXP", "the experiment; default: the last one", false}, {.name = NULL}};

const struct command cmd_pause = {
    .name = "pause",
    .group = GROUP_RUN,
    .summary = "Gives the machines back until gannet resume",
    .text = "Running trials save their checkpoints and wait; those without checkpoints begin anew later. A job that\n"
            "waits in Slurm's queue is held there, one that runs ends and is not requeued.",
    .arguments = arguments,
    .examples = "gannet pause digits",
    .run = run};
