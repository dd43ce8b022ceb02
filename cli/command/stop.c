/* gannet stop: ends a running experiment. */
#include "cli/command.h"
#include "cli/format.h"
#include "cli/data/jobs.h"
#include "cli/data/target.h"
#include "cli/view/progress.h"
#include "common/path.h"

/* What will happen now, for the person who asked. */
static void say_stop(struct console *console, struct source *source, bool now)
{
    struct experiment_standing standing;
    struct err err;
    uint64_t running = 0;
    if (source_standing(source, &standing, &err) == 0)
        running = standing.snapshot.trials[TRIAL_RUNNING];
    standing_fini(&standing);
    struct buf text = {0};
    format_count(running, "running trial", &text);
    console_tell(console, now ? "%s: %s cancelled, then it ends" : "%s: nothing new is started; %s may finish",
                 source_dir(source)->path, buf_str(&text));
    buf_fini(&text);
}

/* No trial of it runs: its jobs are taken back, also one that has just started. */
static int take_back(struct console *console, struct source *source, struct err *err)
{
    const struct rundir *dir = source_dir(source);
    int count, status = job_queue_end(dir, &count, err);
    if (status)
        return status;
    if (count) {
        console_tell(console, "%s: its job is taken back", dir->path);
        return STATUS_OK;
    }
    if (rundir_is_waiting(dir))
        err_write(err, "%s can't be told to stop: %s; end its gannet run (Ctrl-C, SIGTERM)", dir->path,
                  progress_no_room);
    else
        err_write(err, "%s is not running: there is nothing to stop", dir->path);
    return STATUS_UNREACHABLE;
}

/* Whether it has ended: then it may have had no time to say that it will. */
static bool has_ended(struct source *source)
{
    struct experiment_standing standing;
    bool ended = source_standing(source, &standing, NULL) == 0 && standing.snapshot.state == EXPERIMENT_ENDED;
    standing_fini(&standing);
    return ended;
}

static int stop_experiment(struct console *console, const struct args *args, struct source *source, struct err *err)
{
    bool now = args_has(args, "now");
    if (path_check_ours(source_dir(source)->path, err))
        return STATUS_UNREACHABLE;
    if (!source_lives(source))
        return take_back(console, source, err);
    say_stop(console, source, now);
    int status = source_ask(source, now ? "stop" : "drain", json_pack("{s:s}", "why", "stopped"), NULL, err);
    return status == STATUS_UNREACHABLE && has_ended(source) ? STATUS_OK : status;
}

static const struct option options[] = {{.name = "now", .help = "end the running trials too; they count as cancelled"},
                                        {0}};

const struct command cmd_stop = {
    .name = "stop",
    .group = GROUP_RUN,
    .summary = "Ends a running experiment",
    .text = "Trials that run may finish; nothing new is started. A job that waits in Slurm's queue\n"
            "is taken back. What is recorded stays, and `gannet run --resume`, or `gannet resume`\n"
            "of a submitted experiment, goes on from there.",
    .arguments = argument_experiment,
    .options = options,
    .examples = "gannet stop digits\n"
                "gannet stop digits --now && gannet wait digits",
    .visit = stop_experiment};
