/* gannet run: an experiment on this machine, from its file to its result. */
#include "cli/command.h"
#include "cli/session/inside.h"
#include "cli/session/prepare.h"
#include "cli/session/report.h"
#include "cli/session/watch.h"
#include "common/link.h"

#include <stdint.h>
#include <stdlib.h>

/* Workers for one machine; each is a process of some 10 MiB with its own connection. */
enum { MOST_WORKERS = 256 };

/* Runs a prepared experiment to its end and shows what came of it. */
static int run_prepared(struct console *console, const struct args *args, struct inside *inside,
                        const struct rundir *dir, const struct spec *spec)
{
    struct supervise_setup supervise = {.dir = dir,
                                        .workers = (uint32_t)args_count(args, "workers", 1),
                                        .listen = args_text(args, "listen", NULL),
                                        .topology = args_text(args, "topology", NULL)};
    struct watch_setup watch = {
        .supervise = &supervise, .name = spec->name, .metric = spec->metric.name, .quiet = args_has(args, "quiet")};
    struct err err;
    inside_prepare(inside, console, spec, &supervise);
    int result = watch_experiment(console, &watch, &err);
    if (result > 0) {
        fprintf(console->err, "gannet: killed; `gannet run %s --resume` goes on with what is recorded\n", dir->path);
        return STATUS_INTERRUPTED;
    }
    if (result < 0) {
        console_fail(console, STATUS_FAILED, &err);
        fprintf(console->err, "The logs are in %s; what is recorded stays, and --resume goes on from there.\n",
                dir->logs);
        return STATUS_FAILED;
    }
    return report_end(console, dir, args_has(args, "json"), args_has(args, "quiet") && !args_has(args, "json"));
}

/* What would otherwise only be found when everything has been made and started. */
static int check_arguments(const struct args *args, struct err *err)
{
    const char *listen = args_text(args, "listen", NULL);
    if (listen && link_check_endpoint(listen, err))
        return err_prefix(err, "--listen");
    if (args_count(args, "workers", 1) > MOST_WORKERS)
        return err_set(err, "--workers takes at most %d; one worker serves all cores of a machine", MOST_WORKERS);
    return 0;
}

/* A worker task reads the file only to find out where the first one runs it, which says what is wrong with it. */
static int prepare_run(struct console *console, struct prepare_setup *setup, const struct inside *inside,
                       struct rundir *dir, struct spec **spec)
{
    struct console silent = *console;
    if (!inside_is_worker(inside))
        return prepare_experiment(console, setup, dir, spec);
    setup->dry = true;
    setup->machine = NULL;
    silent.err = fopen("/dev/null", "we");
    int status = silent.err ? prepare_experiment(&silent, setup, dir, spec) : STATUS_FAILED;
    if (silent.err)
        fclose(silent.err);
    return status;
}

static int run_experiment_command(struct console *console, const struct args *args)
{
    struct err err;
    struct inside inside = {0};
    struct slots_machine machine = {.topology = args_text(args, "topology", NULL),
                                    .workers = args_count(args, "workers", 1)};
    struct prepare_setup setup = {.what = args_rest(args, 0),
                                  .directory = args_text(args, "dir", NULL),
                                  .resume = args_has(args, "resume"),
                                  .machine = args_has(args, "listen") ? NULL : &machine};
    const char **overrides = args_list(args, "set", &setup.override_count);
    struct rundir dir;
    struct spec *spec;
    setup.overrides = overrides;
    int status = check_arguments(args, &err) || inside_enter(&inside, &err)
                     ? console_fail(console, STATUS_USAGE, &err)
                     : prepare_run(console, &setup, &inside, &dir, &spec);
    if (!status) {
        status = inside_is_worker(&inside) ? inside_work(console, &inside, &dir)
                                           : run_prepared(console, args, &inside, &dir, spec);
        spec_destroy(spec);
        rundir_fini(&dir);
    }
    inside_leave(&inside);
    free(overrides);
    return status;
}

static const struct argument arguments[] = {
    {"FILE", "the experiment file; with --resume also a name, run directory or .db file", true}, {0}};

static const struct option options[] = {
    OPTION_LETTER("workers", 'w', COUNT, "N", "worker processes, which share this machine between them (default: 1)"),
    OPTION_DIR("the run directory (default: runs/NAME)"),
    OPTION_SET("a key of the experiment file, such as limits.max_trials=50;\nmay be given several times"),
    {.name = "resume", .short_name = 'r', .help = "go on where it ended; limits and resources may be changed"},
    OPTION_VALUE("listen", TEXT, "ENDPOINT", "where workers on other nodes connect, such as tcp://192.0.2.1:*"),
    OPTION_VALUE("topology", TEXT, "FILE", "pretend that this machine is the one of an hwloc XML file (for tests)"),
    {.name = "quiet", .short_name = 'q', .help = "show neither progress nor result; the exit status says how it ended"},
    OPTION_JSON("the result as one JSON object (docs/json.md)"),
    {0}};

const struct command cmd_run = {
    .name = "run",
    .group = GROUP_RUN,
    .summary = "Runs an experiment on this machine",
    .text =
        "Reads and checks the file, starts a coordinator and workers, shows how it goes, and at the end the best\n"
        "trial, where the time went and what failed. Everything is kept in the run directory.\n"
        "\n"
        "Ctrl-C lets the running trials finish and starts nothing new; a second one stops them (they wait\n"
        "again, and --resume goes on with them); a third one kills everything at once. limits.max_trials is the\n"
        "total, also after --resume.\n"
        "\n"
        "Inside a job of Slurm it uses all nodes of the job; as a step of several tasks (srun gannet run) the first\n"
        "task runs it and the others are its workers. gannet submit needs neither.",
    .arguments = arguments,
    .options = options,
    .examples = "gannet run examples/digits.yaml\n"
                "gannet run my.yaml --set limits.max_trials=10 --dir /tmp/try\n"
                "gannet run digits --resume --set limits.max_trials=100",
    .run = run_experiment_command};
