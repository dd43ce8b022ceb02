/* gannet job: what a batch script of Slurm ends in; `gannet submit` writes one. */
#include "cli/command.h"
#include "cli/status.h"
#include "cli/data/source.h"
#include "common/log.h"
#include "scheduler/slurm/job.h"

#include <stddef.h>

/* How the experiment ended; that it goes on in another job is what was to be done. */
static int run_job(const struct slurm_job_setup *setup, struct err *err)
{
    enum reason reason;
    struct source *source = NULL;
    struct experiment_standing standing = {0};
    int status = STATUS_FAILED;
    *err = (struct err){""};
    if (slurm_job_run(setup, &reason, err))
        return STATUS_FAILED;
    if (reason == REASON_WALLTIME || reason == REASON_PREEMPTED)
        return STATUS_OK;
    if (source_open_dir(setup->dir, &source, err) == STATUS_OK && source_recorded(source, &standing, err) == 0)
        status = status_of_end(&standing.snapshot);
    standing_fini(&standing);
    source_close(source);
    return status;
}

static int run_job_command(struct console *console, const struct args *args)
{
    const char *path = args_text(args, "rundir", NULL);
    struct err err;
    if (!path)
        return console_refuse(console, STATUS_USAGE,
                              "gannet job needs --rundir DIR, the run directory of an experiment");
    log_open("job", LOG_INFO);
    struct rundir dir;
    rundir_name(path, &dir);
    struct slurm_job_setup setup = {.dir = &dir, .no_workers = args_has(args, "no-workers")};
    int status = run_job(&setup, &err);
    if (status == STATUS_FAILED && *err.text)
        log_error("%s", err.text);
    rundir_fini(&dir);
    return status;
}

static const struct option options[] = {
    OPTION_VALUE("rundir", TEXT, "DIR", "the run directory of the experiment"),
    {.name = "no-workers", .help = "run the coordinator alone: workers have jobs of their own"},
    {0}};

const struct command cmd_job = {
    .name = "job",
    .group = GROUP_HIDDEN,
    .summary = "Runs the experiment of a run directory inside a job of Slurm",
    .text =
        "What a batch script ends in (exec gannet job --rundir DIR): the coordinator on the first node, a worker on\n"
        "each. When the time of the job is up, the job goes back into the queue and the search goes on there.",
    .options = options,
    .run = run_job_command};
