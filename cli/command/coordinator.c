/* gannet coordinator, job, slurm-agent: processes that gannet itself starts. The first runs one experiment; the second
 * is what a batch script of Slurm ends in, `gannet submit` writes one; the third has libslurm in it, started by those
 * that ask Slurm something. */
#include "cli/command.h"
#include "cli/data/source.h"
#include "cli/session/data_record.h"
#include "cli/session/notify.h"
#include "cli/status.h"
#include "common/log.h"
#include "scheduler/coordinator/coordinator.h"
#include "scheduler/slurm/slurm_agent.h"
#include "scheduler/slurm/job/job.h"
#include "scheduler/slurm/job/rescue.h"

#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

/* Names the run directory that --rundir says, and opens the log. */
static int take_rundir(struct console *console, const struct args *args, const char *command, struct rundir *dir)
{
    const char *path = args_text(args, "rundir", NULL);
    if (!path)
        return console_refuse(console, STATUS_USAGE, "gannet %s needs --rundir DIR, the run directory of an experiment",
                              command);
    log_open(command, (enum log_level)log_level_named(args_text(args, "log-level", "info")));
    rundir_name(path, dir);
    return STATUS_OK;
}

static int run_coordinator(struct console *console, const struct args *args)
{
    struct rundir dir;
    struct err err;
    int status = take_rundir(console, args, "coordinator", &dir);
    if (status)
        return status;
    struct coordinator_setup setup = {.dir = &dir,
                                      .listen = args_text(args, "listen", NULL),
                                      .until = (double)args_count(args, "until", 0),
                                      .warn = (double)args_count(args, "warn", 0),
                                      .nodes = (uint32_t)args_count(args, "nodes", 0),
                                      .allocate = args_has(args, "allocate"),
                                      .led = args_has(args, "led"),
                                      .requeued = args_has(args, "requeued"),
                                      .checked = args_text(args, "checked", NULL)};
    status = coordinator_run(&setup, &err);
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
    OPTION_VALUE("nodes", COUNT, "N", "the nodes that workers come from soon after the start; default: not known"),
    {.name = "allocate",
     .type = OPTION_SWITCH,
     .help = "submit workers to Slurm, as slurm.shape says: array or elastic"},
    {.name = "led", .type = OPTION_SWITCH, .help = "what SIGTERM means is said by gannet job, which has started it"},
    {.name = "requeued",
     .type = OPTION_SWITCH,
     .help = "the job was put back into the queue since the last start: its workers of before are gone"},
    OPTION_VALUE("checked", TEXT, "STAMP",
                 "the store's rows were checked in this state of its files: they are not checked again"),
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

/* How the experiment ended; that it goes on in another job is what was to be done, and so is what a person asked for:
 * no mail of Slurm's says that the job has failed. */
static int status_of_session(const struct slurm_job_setup *setup, enum reason reason, struct err *err)
{
    struct source *source = NULL;
    struct experiment_standing standing = {0};
    int status = STATUS_FAILED;
    bool was_asked_for = reason == REASON_STOPPED || reason == REASON_PAUSED;
    if (reason == REASON_WALLTIME || reason == REASON_PREEMPTED || was_asked_for)
        return STATUS_OK;
    if (source_open_dir(setup->dir, &source, err) == STATUS_OK && source_recorded(source, &standing, err) == 0)
        status = status_of_end(&standing.snapshot);
    standing_fini(&standing);
    source_close(source);
    return status;
}

/* Slurm's signals would end us before the message is out; SIGKILL comes soon enough. */
static int run_job(struct console *console, const struct slurm_job_setup *setup, struct err *err)
{
    enum reason reason;
    *err = (struct err){""};
    int failed = slurm_job_run(setup, &reason, err);
    bool unwanted = failed && reason == REASON_STOPPED;
    signal(SIGTERM, SIG_IGN);
    signal(SIGUSR1, SIG_IGN);
    if (getenv("SLURM_JOB_ID") && !unwanted)
        notify_end(console, setup->dir, failed ? err->text : NULL);
    return failed == SLURM_JOB_UNFIT ? STATUS_USAGE : failed ? STATUS_FAILED : status_of_session(setup, reason, err);
}

/* A job may begin days after it was submitted, and again when it was requeued: what the data holds then is compared
 * with what it held when the search was made. Trials of other data are no error, as with gannet run --resume. */
static void warn_of_data(const struct rundir *dir)
{
    struct problems problems = {0};
    data_record_compare(dir, &problems);
    for (size_t i = 0; i < problems.count; i++)
        log_warning("%s; %s", problems.items[i].message, problems.items[i].hint);
    problems_fini(&problems);
}

static int run_job_command(struct console *console, const struct args *args)
{
    struct rundir dir;
    struct err err;
    int status = take_rundir(console, args, "job", &dir);
    if (status)
        return status;
    struct slurm_job_setup setup = {.dir = &dir, .no_workers = args_has(args, "no-workers")};
    bool later = false;
    if (!args_has(args, "rescue"))
        warn_of_data(&dir);
    if (args_has(args, "rescue"))
        status = slurm_job_rescue(&dir, &later, &err) ? STATUS_FAILED : later ? STATUS_UNREACHABLE : STATUS_OK;
    else
        status = run_job(console, &setup, &err);
    if ((status == STATUS_FAILED || status == STATUS_USAGE) && *err.text)
        log_error("%s", err.text);
    rundir_fini(&dir);
    return status;
}

static const struct option job_options[] = {
    OPTION_VALUE("rundir", TEXT, "DIR", "the run directory of the experiment"),
    {.name = "no-workers", .help = "run the coordinator alone: workers have jobs of their own"},
    {.name = "rescue", .help = "on another node of it: when the first node has failed, see to the search's next job"},
    {0}};

const struct command cmd_job = {
    .name = "job",
    .group = GROUP_HIDDEN,
    .summary = "Runs the experiment of a run directory inside a job of Slurm",
    .text =
        "What a batch script ends in (exec gannet job --rundir DIR): the coordinator on the first node, a worker on\n"
        "each. When the time of the job is up, the job goes back into the queue and the search goes on there.",
    .options = job_options,
    .run = run_job_command};

static int run_slurm_agent(struct console *console, const struct args *args)
{
    (void)args;
    struct err err;
    char *path = slurm_agent_module_path();
    const struct slurm_module *module = slurm_agent_load(path, &err);
    int status = STATUS_FAILED;
    /* libslurm changes what becomes of SIGPIPE while it sends; and what it might print is no answer of ours. */
    signal(SIGPIPE, SIG_IGN);
    /* Slurm sends SIGTERM to every process of a job that it ends: then whoever leads the job asks us why. */
    signal(SIGTERM, SIG_IGN);
    int out = dup(STDOUT_FILENO);
    if (!module)
        console_fail(console, status, &err);
    else if (out >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0)
        status = slurm_agent_serve(module, path, STDIN_FILENO, out);
    free(path);
    return status;
}

const struct command cmd_slurm_agent = {.name = "slurm-agent",
                                        .group = GROUP_HIDDEN,
                                        .summary = "Answers questions about Slurm, a line of JSON each",
                                        .text =
                                            "Loads gannet's module for Slurm. scheduler/slurm/slurm_agent.h has the "
                                            "questions.",
                                        .examples = "echo '{\"call\": \"ping\"}' | gannet slurm-agent",
                                        .run = run_slurm_agent};
