/* gannet run: an experiment on this machine, from its file to its result; or inside a job of Slurm. From the batch
 * script, or the shell of an interactive job, it runs a worker on each node of the job; as a step of several tasks
 * (srun gannet run), the first task runs the experiment and the others are its workers. */
#include "cli/command.h"
#include "cli/option.h"
#include "cli/session/detach.h"
#include "cli/session/notify.h"
#include "cli/session/prepare.h"
#include "cli/session/site.h"
#include "cli/session/watch_experiment.h"
#include "cli/status.h"
#include "common/arena.h"
#include "common/link.h"
#include "common/mem.h"
#include "common/node.h"
#include "common/path.h"
#include "scheduler/coordinator/endpoint.h"
#include "scheduler/slurm/client.h"
#include "scheduler/slurm/job/step.h"
#include "scheduler/slurm/refresh.h"

#include <inttypes.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The trials that have ended of what is to be resumed, as limits.max_trials counts them: without those that were added;
 * 0 when it can't be found, which is said later. */
static uint64_t count_ended(struct console *console, const struct prepare_setup *setup)
{
    struct rundir dir;
    uint64_t ended = 0;
    if (prepare_find_quietly(console, setup, &dir))
        return 0;
    if (!rundir_ended(&dir, false, &ended))
        ended = 0;
    rundir_fini(&dir);
    return ended;
}

/* Adds limits.max_trials to what is overridden, behind the others; nothing without the option. What it adds lives as
 * long as the arguments. */
static void more_trials_add(struct console *console, const struct args *args, struct prepare_setup *setup)
{
    uint64_t more = args_count(args, "max-trials", 0);
    if (!more)
        return;
    uint64_t before = setup->resume ? count_ended(console, setup) : 0;
    char *text = mem_format("limits.max_trials=%" PRIu64, more < UINT64_MAX - before ? before + more : more);
    const char **list = arena_zero(args->lists, setup->override_count + 1, sizeof *list);
    for (size_t i = 0; i < setup->override_count; i++)
        list[i] = setup->overrides[i];
    list[setup->override_count++] = arena_text(args->lists, text);
    setup->overrides = list;
    free(text);
}

/* --- inside a job of Slurm; outside one nothing of this does anything --- */

struct inside {
    struct allocation allocation;
    struct job_steps steps; /* workers on the job's nodes */
    struct texts own;       /* words of this task's own worker */
    struct texts options;   /* of the coordinator */
    char *gpus;             /* that the job has on each node, as Slurm says; NULL: not known */
    struct supervise_worker worker;
};

/* A person waits for the start, and the answer is only good to have. */
static const double patience = 3; /* seconds */

static int inside_enter(struct inside *inside, struct err *err)
{
    *inside = (struct inside){0};
    return allocation_read(getenv, &inside->allocation, err);
}

static void inside_leave(struct inside *inside)
{
    allocation_fini(&inside->allocation);
    steps_fini(&inside->steps);
    texts_fini(&inside->own);
    texts_fini(&inside->options);
    free(inside->gpus);
}

/* Whether this process is one of the workers of another task. */
static bool inside_is_worker(const struct inside *inside)
{
    return inside->allocation.task > 0;
}

/* --- tasks of a step --- */

/* Whether Slurm has bound each task of this node to processors of its own; else they all have the same ones. */
static bool tasks_are_bound(const struct allocation *allocation)
{
    cpu_set_t ours;
    uint32_t most = allocation->cpus / allocation->locals;
    return allocation->locals > 1 && most && sched_getaffinity(0, sizeof ours, &ours) == 0 &&
           (uint32_t)CPU_COUNT(&ours) <= most;
}

/* The words of a worker that takes its task's part of the node. */
static void worker_words(const struct allocation *allocation, const struct rundir *dir, struct texts *out)
{
    char *here = path_program_directory();
    texts_add(out, path_join(here, "gannet-worker"));
    texts_add(out, mem_text("--rundir"));
    texts_add(out, mem_text(dir->path));
    texts_add(out, mem_text("--share"));
    texts_add(out, tasks_are_bound(allocation) ? mem_text("1/1")
                                               : mem_format("%u/%u", allocation->local_task + 1, allocation->locals));
    free(here);
}

/* Becomes that worker; returns only when that fails: the exit status, everything said. */
static int inside_work(struct console *console, const struct inside *inside, const struct rundir *dir)
{
    struct texts words = {0};
    struct err err;
    worker_words(&inside->allocation, dir, &words);
    texts_add(&words, mem_text("--log-level=warning")); /* it shares the first task's terminal */
    execv(words.items[0], words.items);
    err_write_errno(&err, "can't start %s", words.items[0]);
    texts_fini(&words);
    return console_fail(console, STATUS_FAILED, &err);
}

/* --- the first of them, or the only one --- */

static void add_end(struct inside *inside, struct console *console, const struct spec *spec)
{
    struct err err = {"it does not know the job"};
    struct slurm_jobs jobs = {0};
    double ends = 0;
    uint32_t id = inside->allocation.id;
    json_t *answer = slurm_ask_now(slurm_ask_job(id), patience, NULL, &err);
    if (answer && slurm_jobs_read(answer, &jobs, &err) == 0)
        for (uint32_t i = 0; i < jobs.count; i++)
            if (jobs.items[i].id == id)
                ends = jobs.items[i].ends;
    texts_add(&inside->options, mem_format("--warn=%.0f", spec->slurm.signal_before_end));
    if (ends > 0)
        texts_add(&inside->options, mem_format("--until=%.0f", ends));
    else
        fprintf(console->err,
                "gannet: it is not known when job %u ends, so trials may be running then: Slurm does not say: %s\n", id,
                err.text);
    inside->gpus = mem_text(json_string_value(json_object_get(answer, "gpus")));
    slurm_jobs_fini(&jobs);
    json_decref(answer);
}

/* Tasks beside this one are workers already. */
static void use_tasks(struct inside *inside, struct supervise_setup *setup)
{
    static const char log[] = "worker-1.log";
    worker_words(&inside->allocation, setup->dir, &inside->own);
    inside->worker = (struct supervise_worker){.argv = (const char *const *)inside->own.items, .log = log};
    setup->commands = &inside->worker;
    setup->workers = 1;
}

static void use_nodes(struct inside *inside, struct supervise_setup *setup)
{
    step_clean_environment();
    steps_make(&inside->allocation, setup->workers, &(struct step_known){.gpus = inside->gpus}, setup->dir,
               &inside->steps);
    setup->commands = inside->steps.workers;
    setup->workers = inside->steps.count;
    setup->alone = true;
}

/* Whether workers run elsewhere in the job, unless the person has said how it is to be. */
static bool inside_is_spread(const struct inside *inside, const struct args *args)
{
    const struct allocation *allocation = &inside->allocation;
    bool several_nodes = allocation->nodes.count > 1 && !allocation->in_step;
    bool one_machine = args_has(args, "topology") || args_has(args, "cores") || args_has(args, "gpus");
    return allocation->id && !args_has(args, "listen") && !one_machine && (allocation->tasks > 1 || several_nodes);
}

/* Where the coordinator listens; NULL: workers are on this machine alone. */
static const char *listen_of(const struct inside *inside, const struct args *args)
{
    return args_text(args, "listen", inside_is_spread(inside, args) ? ENDPOINT_ANYWHERE : NULL);
}

/* No worker on any node of the job could run a trial. */
static int inside_check(const struct inside *inside, const struct spec *spec, uint32_t per_node, struct err *err)
{
    unsigned long most = 0;
    for (const char *at = inside->gpus; at && *at; at += strcspn(at, ";"), at += *at == ';') {
        unsigned long gpus = strtoul(at, NULL, 10);
        most = gpus > most ? gpus : most;
    }
    if (!inside->gpus || spec->resources.gpus <= most / per_node)
        return 0;
    return err_set(err,
                   "'resources.gpus' is %u, but no node of job %u has more than %lu for each of its workers: no trial "
                   "would ever start; give the job more, or the trial less (--resume --set resources.gpus=...)",
                   spec->resources.gpus, inside->allocation.id, most / per_node);
}

/* Fills in how workers are started, and when the job ends. */
static void inside_prepare(struct inside *inside, struct console *console, const struct args *args,
                           const struct spec *spec, struct supervise_setup *setup)
{
    if (!inside->allocation.id)
        return;
    add_end(inside, console, spec);
    setup->options = (const char *const *)inside->options.items;
    if (!inside_is_spread(inside, args))
        return;
    if (inside->allocation.tasks > 1)
        use_tasks(inside, setup);
    else
        use_nodes(inside, setup);
}

/* --- the command --- */

/* Workers for one machine; each is a process of some 10 MiB with its own connection. */
enum { MOST_WORKERS = 256 };

/* Runs a prepared experiment to its end and shows what came of it. */
static int run_prepared(struct console *console, const struct args *args, struct inside *inside,
                        const struct slots_machine *machine, const struct rundir *dir, const struct spec *spec,
                        const struct texts *once)
{
    struct supervise_setup supervise = {.dir = dir,
                                        .workers = (uint32_t)args_count(args, "workers", 1),
                                        .listen = listen_of(inside, args),
                                        .once = (const char *const *)once->items,
                                        .machine = (const char *const *)machine->words.items};
    struct watch_setup watch = {
        .supervise = &supervise, .name = spec->name, .metric = spec->metric.name, .quiet = args_has(args, "quiet")};
    struct err err;
    inside_prepare(inside, console, args, spec, &supervise);
    if (supervise.alone && inside_check(inside, spec, (uint32_t)args_count(args, "workers", 1), &err))
        return console_fail(console, STATUS_USAGE, &err);
    int result = watch_experiment(console, &watch, &err);
    if (result > 0) {
        console_tell(console, "gannet: killed; `gannet run %s --resume` goes on with what is recorded", dir->path);
        return STATUS_INTERRUPTED;
    }
    if (result == WATCH_REFUSED)
        return console_fail(console, STATUS_USAGE, &err);
    if (result < 0) {
        console_fail(console, STATUS_FAILED, &err);
        notify_end(console, dir, err.text);
        if (path_exists(dir->store))
            console_tell(console, "The logs are in %s; what is recorded stays, and --resume goes on from there.",
                         dir->logs);
        else
            console_tell(
                console,
                "%s was removed while the search ran, by a trial's program or somebody else, and nothing of it is "
                "left; start it again.",
                dir->store);
        return STATUS_FAILED;
    }
    int status = report_end(console, dir, args_has(args, "json"), args_has(args, "quiet") && !args_has(args, "json"));
    if (status != STATUS_INTERRUPTED) /* that was the person here */
        notify_end(console, dir, NULL);
    return status;
}

/* What workers on this machine are told of it. What Slurm has given needs no claim, so nothing is shared there. */
static void describe_machine(const struct args *args, struct slots_machine *out)
{
    static const struct {
        const char *option, *word;
    } rows[] = {{"topology", "topology"}, {"cores", "only-cores"}, {"gpus", "only-gpus"}};
    out->workers = args_count(args, "workers", 1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (args_has(args, rows[i].option))
            texts_add(&out->words, mem_format("--%s=%s", rows[i].word, args_text(args, rows[i].option, "")));
    if (args_has(args, "share") && !node_job().job)
        texts_add(&out->words, mem_text("--shared"));
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
static int prepare_task(struct console *console, struct prepare_setup *setup, struct rundir *dir, struct spec **spec)
{
    struct console silent = *console;
    setup->dry = true;
    setup->machine = NULL;
    setup->data = NULL;
    silent.err = fopen("/dev/null", "we");
    int status = silent.err ? prepare_experiment(&silent, setup, dir, spec) : STATUS_FAILED;
    if (silent.err)
        fclose(silent.err);
    return status;
}

/* Site files count where there are other machines. */
static int prepare_run(struct console *console, const struct args *args, struct prepare_setup *setup,
                       const struct inside *inside, struct rundir *dir, struct spec **spec)
{
    struct spec_defaults defaults = {0};
    if (inside_is_worker(inside))
        return prepare_task(console, setup, dir, spec);
    setup->listen = listen_of(inside, args);
    setup->nodes = inside_is_spread(inside, args) ? (uint32_t)inside->allocation.nodes.count : !setup->listen;
    if (inside_is_spread(inside, args) && inside->allocation.tasks == 1)
        setup->machine = NULL; /* which may be a login node, from where salloc leads the job */
    setup->defaults = &defaults;
    int status = setup->listen ? site_read_network(console, &defaults) : STATUS_OK;
    if (!status)
        status = prepare_experiment(console, setup, dir, spec);
    spec_defaults_fini(&defaults);
    return status;
}

static int run_experiment_command(struct console *console, const struct args *args)
{
    struct err err;
    struct inside inside = {0};
    struct slots_machine machine = {0};
    struct buf checked = {0};
    struct texts once = {0}; /* what the coordinator is told at its first start alone */
    struct kernel_data data = {0};
    struct prepare_setup setup = {.what = args_rest(args, 0),
                                  .directory = args_text(args, "dir", NULL),
                                  .resume = args_has(args, "resume"),
                                  .checked = &checked,
                                  .data = &data,
                                  .machine = args_has(args, "listen") ? NULL : &machine};
    struct rundir dir;
    struct spec *spec;
    describe_machine(args, &machine);
    setup.overrides = args_list(args, "set", &setup.override_count);
    more_trials_add(console, args, &setup);
    int status = check_arguments(args, &err) || inside_enter(&inside, &err)
                     ? console_fail(console, STATUS_USAGE, &err)
                     : prepare_run(console, args, &setup, &inside, &dir, &spec);
    if (checked.length)
        texts_add(&once, mem_format("--checked=%s", buf_str(&checked)));
    if (!status) {
        status = inside_is_worker(&inside) ? inside_work(console, &inside, &dir)
                                           : run_prepared(console, args, &inside, &machine, &dir, spec, &once);
        spec_destroy(spec);
        rundir_fini(&dir);
    }
    texts_fini(&once);
    buf_fini(&checked);
    kernel_data_fini(&data);
    inside_leave(&inside);
    texts_fini(&machine.words);
    return status;
}

static int run_here_or_detached(struct console *console, const struct args *args)
{
    return args_has(args, "detach") ? detach_run(console, args, run_experiment_command)
                                    : run_experiment_command(console, args);
}

static const struct argument arguments[] = {
    {"FILE", "the experiment file; with --resume also a name, run directory or .db file", true}, {0}};

static const struct option options[] = {
    OPTION_LETTER("workers", 'w', COUNT, "N", "worker processes, which share this machine between them (default: 1)"),
    OPTION_DIR("the run directory (default: runs/NAME)"),
    OPTION_SET("a key of the experiment file, such as limits.max_trials=50;\nmay be given several times"),
    {.name = "resume",
     .short_name = 'r',
     .help = "go on where it ended; limits, resources and the command may be changed"},
    OPTION_LETTER("max-trials", 'n', COUNT, "N", "end after N trials; with --resume after N more than have ended"),
    {.name = "detach", .help = "go on in the background; gannet attach shows how it goes"},
    OPTION_VALUE("listen", TEXT, "ENDPOINT", "where workers on other nodes connect, such as tcp://192.0.2.1:*"),
    OPTION_VALUE("cores", TEXT, "LIST", "only these cores of this machine, by their processors' numbers: 0-3,8"),
    OPTION_VALUE("gpus", TEXT, "LIST", "only these of its GPUs, by number or UUID: 0,1"),
    {.name = "share", .help = "use cores and GPUs that another search on this machine uses, too"},
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
        "total, also after --resume; --max-trials counts from where it stands.\n"
        "\n"
        "With --detach it runs on when the terminal is gone, until it ends or gannet stop ends it. Some machines end\n"
        "everything at logout (KillUserProcesses of systemd); there `loginctl enable-linger` keeps it.\n"
        "\n"
        "Inside a job of Slurm it uses all nodes of the job; as a step of several tasks (srun gannet run) the first\n"
        "task runs it and the others are its workers. gannet submit needs neither.",
    .arguments = arguments,
    .options = options,
    .examples = "gannet run examples/digits.yaml\n"
                "gannet run my.yaml --set limits.max_trials=10 --dir /tmp/try\n"
                "gannet run digits --resume --max-trials 100   # 100 more\n"
                "gannet run my.yaml --detach && gannet attach my",
    .run = run_here_or_detached};
