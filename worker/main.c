/* gannet-worker: offers this machine's cores and GPUs to an experiment's coordinator and runs the trials it is given.
 */
#include "common/buf.h"
#include "common/link.h"
#include "common/log.h"
#include "common/loop.h"
#include "common/mem.h"
#include "common/path.h"
#include "common/suggest.h"
#include "common/units.h"
#include "worker/show.h"
#include "worker/worker.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATUS_USAGE = 2 };

/* What the command line says. */
struct options {
    const char *rundir, *connect, *topology, *trainer;
    uint32_t part, parts;
    double give_up;
    int log_level;
    bool show_slots, json, help, version;
    struct slot_wish wish;
};

/* --- the options, one row each --- */

/* Takes a value ("" for an option without one); -1 with a sentence. */
typedef int option_take(const char *value, struct options *out, struct err *err);

struct option {
    const char *name, *value, *help; /* value: NULL when it has none */
    option_take *take;
};

#define TEXT_OPTION(member)                                                                                            \
    static int take_##member(const char *value, struct options *out, struct err *err)                                  \
    {                                                                                                                  \
        (void)err;                                                                                                     \
        out->member = value;                                                                                           \
        return 0;                                                                                                      \
    }
#define SWITCH_OPTION(member)                                                                                          \
    static int take_##member(const char *value, struct options *out, struct err *err)                                  \
    {                                                                                                                  \
        (void)value, (void)err;                                                                                        \
        return out->member = true, 0;                                                                                  \
    }

TEXT_OPTION(rundir)
TEXT_OPTION(connect)
TEXT_OPTION(topology)
TEXT_OPTION(trainer)
SWITCH_OPTION(show_slots)
SWITCH_OPTION(json)
SWITCH_OPTION(help)
SWITCH_OPTION(version)

static int take_share(const char *value, struct options *out, struct err *err)
{
    enum { MOST_WORKERS = 100000 };
    int end = 0;
    if (sscanf(value, "%6u/%6u%n", &out->part, &out->parts, &end) != 2 || value[end] || !out->part ||
        out->part > out->parts || out->parts > MOST_WORKERS)
        return err_set(err, "'%s' is no share; write for example 1/2 for the first of two", value);
    return 0;
}

static int take_give_up(const char *value, struct options *out, struct err *err)
{
    return units_duration(value, &out->give_up, err);
}

static int take_log_level(const char *value, struct options *out, struct err *err)
{
    out->log_level = log_level_named(value);
    return out->log_level < 0 ? err_set(err, "'%s' is none of debug, info, warning, error", value) : 0;
}

static int take_count(const char *value, uint32_t *out, struct err *err)
{
    int64_t number;
    if (!units_integer(value, &number) || number < 0 || number > NUMBERS_LARGEST)
        return err_set(err, "'%s' is no count", value);
    *out = (uint32_t)number;
    return 0;
}

static int take_cpus(const char *value, struct options *out, struct err *err)
{
    return take_count(value, &out->wish.cpus, err);
}

static int take_gpus(const char *value, struct options *out, struct err *err)
{
    return take_count(value, &out->wish.gpus, err);
}

static int take_sockets(const char *value, struct options *out, struct err *err)
{
    return take_count(value, &out->wish.sockets, err);
}

static int take_memory(const char *value, struct options *out, struct err *err)
{
    return units_size(value, &out->wish.memory, err);
}

static int take_bind(const char *value, struct options *out, struct err *err)
{
    static const char *const words[] = {
        [TASK_BIND_NONE] = "none", [TASK_BIND_CORE] = "core", [TASK_BIND_SOCKET] = "socket", [TASK_BIND_NUMA] = "numa"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(value, words[i]) == 0)
            return out->wish.bind = (enum task_bind)i, 0;
    return err_set(err, "'%s' is none of none, core, socket, numa", value);
}

static const struct option options[] = {
    {"rundir", "DIR", "the experiment's run directory; its coordinator.json says where the coordinator is",
     take_rundir},
    {"connect", "ENDPOINT", "the coordinator's endpoint, when coordinator.json does not say it", take_connect},
    {"share", "K/N", "take the K-th of N equal parts of the machine (default 1/1)", take_share},
    {"topology", "FILE[,gpus=FILE]", "another machine, as `lstopo FILE.xml` writes it, and a list of its GPUs",
     take_topology},
    {"trainer", "PROGRAM", "what runs kernels (default: gannet-trainer beside this program)", take_trainer},
    {"give-up", "DURATION", "end after so long without a coordinator (default 120s)", take_give_up},
    {"log-level", "LEVEL", "debug, info, warning or error (default info)", take_log_level},
    {"show-slots", NULL, "show this machine and the slots it would offer, and end", take_show_slots},
    {"cpus", "N", "with --show-slots: cores a trial wants", take_cpus},
    {"sockets", "N", "with --show-slots: sockets a trial wants", take_sockets},
    {"gpus", "N", "with --show-slots: GPUs a trial wants", take_gpus},
    {"memory", "SIZE", "with --show-slots: memory a trial wants, 32G for example", take_memory},
    {"bind", "HOW", "with --show-slots: none, core, socket or numa (default core)", take_bind},
    {"json", NULL, "with --show-slots: as JSON", take_json},
    {"version", NULL, "show the version, and end", take_version},
    {"help", NULL, "show this, and end", take_help},
};

enum { OPTIONS = sizeof options / sizeof *options };

static void print_help(void)
{
    printf("Usage: gannet-worker --rundir DIR [--share K/N] [option...]\n"
           "       gannet-worker --show-slots [--cpus N] [--gpus N] [option...]\n\n"
           "Offers this machine's cores and GPUs to the coordinator of an experiment and runs the trials that it is\n"
           "given, each bound to its place. `gannet run` starts one; more may be started by hand, on this node or on\n"
           "others that see the run directory. A core is a physical one: its other hyperthreads stay idle.\n\n");
    for (int i = 0; i < OPTIONS; i++) {
        int width = printf("  --%s%s%s", options[i].name, options[i].value ? " " : "",
                           options[i].value ? options[i].value : "");
        printf("%*s%s\n", width < 29 ? 30 - width : 1, "", options[i].help);
    }
    printf("\nExit status: 0 the experiment has ended; 1 this machine can't take part, or something failed; 2 wrong\n"
           "usage; 69 there is no coordinator; 128 + N ended by signal N.\n");
}

/* --- reading the command line --- */

static const struct option *find_option(const char *word, size_t length, struct err *err)
{
    const char *names[OPTIONS];
    for (int i = 0; i < OPTIONS; i++) {
        names[i] = options[i].name;
        if (strlen(names[i]) == length && strncmp(names[i], word, length) == 0)
            return &options[i];
    }
    char *name = mem_text_n(word, length);
    const char *near = suggest_nearest(name, names, OPTIONS);
    err_write(err, near ? "there is no option --%s; did you mean --%s?" : "there is no option --%s; see --help", name,
              near);
    free(name);
    return NULL;
}

/* One option at words[0]; the number of words it takes, or -1. */
static int read_option(char *const *words, struct options *out, struct err *err)
{
    if (strncmp(words[0], "--", 2) != 0)
        return err_set(err, "'%s' is no option; see --help", words[0]);
    const char *name = words[0] + 2, *equals = strchr(name, '=');
    const struct option *option = find_option(name, equals ? (size_t)(equals - name) : strlen(name), err);
    if (!option)
        return -1;
    if (!option->value && equals)
        return err_set(err, "--%s takes no value", option->name);
    const char *value = !option->value ? "" : equals ? equals + 1 : words[1];
    if (!value)
        return err_set(err, "--%s needs a value: --%s %s", option->name, option->name, option->value);
    if (option->take(value, out, err))
        return err_prefix(err, "--%s", option->name);
    return option->value && !equals ? 2 : 1;
}

static int read_options(int count, char *const *words, struct options *out, struct err *err)
{
    for (int at = 1, taken; at < count; at += taken)
        if ((taken = read_option(words + at, out, err)) < 0)
            return -1;
    return 0;
}

/* --- what it does --- */

/* "FILE,gpus=FILE" in two; `copy` owns the texts. */
static struct topology_source source_of(const struct options *options, char **copy)
{
    struct topology_source source = {0};
    *copy = mem_text(options->topology);
    char *gpus = *copy ? strstr(*copy, ",gpus=") : NULL;
    if (gpus) {
        *gpus = '\0';
        source.gpus = gpus + strlen(",gpus=");
    }
    source.machine = *copy && **copy ? *copy : NULL;
    return source;
}

static int show(const struct options *options, const struct topology_source *source)
{
    struct topology topology;
    struct err err = {""};
    struct buf out = {0};
    int result = topology_read(source, &topology, &err);
    if (result == 0) {
        topology_part(&topology, options->part, options->parts);
        result = show_slots(&topology, &options->wish, options->json, &out, &err);
        topology_fini(&topology);
    }
    fputs(buf_str(&out), stdout);
    if (result)
        fprintf(stderr, "gannet-worker: %s\n", err.text);
    buf_fini(&out);
    return result ? WORKER_FAILED : 0;
}

/* A worker on its loop. */
struct life {
    struct loop *loop;
    struct worker *worker;
    int status;
};

static void on_end(void *context, int status)
{
    struct life *life = context;
    life->status = status;
    loop_stop(life->loop);
}

static void on_term(void *context)
{
    worker_leave(((struct life *)context)->worker, SIGTERM);
}

static void on_interrupt(void *context)
{
    worker_leave(((struct life *)context)->worker, SIGINT);
}

static int run(const struct worker_setup *setup)
{
    struct err err = {""};
    struct life life = {.loop = loop_create(), .status = WORKER_FAILED};
    loop_signal(life.loop, SIGTERM, on_term, &life); /* before ZeroMQ starts its threads */
    loop_signal(life.loop, SIGINT, on_interrupt, &life);
    struct link_context *links = link_context_create(&err);
    life.worker = links ? worker_create(life.loop, links, setup, on_end, &life, &err) : NULL;
    if (life.worker && loop_run(life.loop, &err))
        life.status = WORKER_FAILED;
    if (*err.text)
        log_error("%s", err.text);
    worker_destroy(life.worker);
    link_context_destroy(links);
    loop_destroy(life.loop);
    return life.status;
}

static int work(const struct options *options, struct topology_source source)
{
    char *rundir = options->rundir ? path_absolute(options->rundir) : NULL;
    char *here = path_program_directory();
    char *trainer = options->trainer ? path_absolute(options->trainer) : path_join(here, "gannet-trainer");
    const char *const argv[] = {trainer, NULL};
    struct worker_setup setup = {.rundir = rundir,
                                 .connect = options->connect,
                                 .trainer = argv,
                                 .source = source,
                                 .part = options->part,
                                 .parts = options->parts,
                                 .give_up = options->give_up};
    int status = run(&setup);
    free(rundir);
    free(here);
    free(trainer);
    return status;
}

int main(int count, char **words)
{
    struct err err;
    char *copy;
    struct options options = {
        .part = 1, .parts = 1, .give_up = 120, .log_level = LOG_INFO, .wish = {.bind = TASK_BIND_CORE}};
    if (read_options(count, words, &options, &err)) {
        fprintf(stderr, "gannet-worker: %s\n", err.text);
        return STATUS_USAGE;
    }
    if (options.help || options.version) {
        if (options.help)
            print_help();
        else
            printf("gannet-worker %s\n", GANNET_VERSION);
        return 0;
    }
    if (!options.show_slots && !options.rundir && !options.connect) {
        fprintf(stderr, "gannet-worker: nothing says where the coordinator is: give --rundir or --connect\n");
        return STATUS_USAGE;
    }
    log_open("worker", (enum log_level)options.log_level);
    struct topology_source source = source_of(&options, &copy);
    int status = options.show_slots ? show(&options, &source) : work(&options, source);
    free(copy);
    return status;
}
