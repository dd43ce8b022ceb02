/* The options, one row each; help and reading walk over the table. See options.h. */
#include "worker/agent/worker_options.h"
#include "common/gpu_share.h"
#include "common/log.h"
#include "common/mem.h"
#include "common/node.h"
#include "common/suggest.h"
#include "common/units.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads a value ("" for an option without one) to where it belongs; -1 with a sentence. */
typedef int worker_option_take(const char *value, void *to, struct err *err);

struct worker_option {
    const char *name, *value, *help; /* value: NULL when it has none */
    worker_option_take *take;
    size_t offset; /* in struct options */
};

/* --- kinds of values --- */

static int take_text(const char *value, void *to, struct err *err)
{
    (void)err;
    *(const char **)to = value;
    return 0;
}

/* It stands in lists with commas, and in variables. */
static int take_node(const char *value, void *to, struct err *err)
{
    size_t length = strlen(value);
    if (!length || length >= NODE_SIZE ||
        strspn(value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_:") != length)
        return err_set(err, "'%s' is no node's name: letters, digits and . - _ : are, at most %d", value,
                       NODE_SIZE - 1);
    *(const char **)to = value;
    return 0;
}

static int take_switch(const char *value, void *to, struct err *err)
{
    (void)value, (void)err;
    *(bool *)to = true;
    return 0;
}

static int take_count(const char *value, void *to, struct err *err)
{
    int64_t number;
    if (!units_integer(value, &number) || number < 0 || number > NUMBERS_LARGEST)
        return err_set(err, "'%s' is no count", value);
    *(uint32_t *)to = (uint32_t)number;
    return 0;
}

static int take_gpus(const char *value, void *to, struct err *err)
{
    struct slot_request *request = to;
    double gpus;
    uint32_t slots = units_number(value, &gpus) && gpus <= NUMBERS_LARGEST ? gpu_share_slots(gpus) : 0;
    if (!slots)
        return err_set(err, "'%s' is neither a number of GPUs nor a part of one; write for example 2, or 0.5", value);
    request->gpus = (uint32_t)ceil(gpus);
    request->gpu_slots = slots;
    return 0;
}

static int take_duration(const char *value, void *to, struct err *err)
{
    return units_duration(value, to, err);
}

static int take_size(const char *value, void *to, struct err *err)
{
    return units_size(value, to, err);
}

static int take_share(const char *value, void *to, struct err *err)
{
    enum { MOST_WORKERS = 100000 };
    struct worker_options_share *share = to;
    int end = 0;
    if (sscanf(value, "%6u/%6u%n", &share->part, &share->parts, &end) != 2 || value[end] || !share->part ||
        share->part > share->parts || share->parts > MOST_WORKERS)
        return err_set(err, "'%s' is no share; write for example 1/2 for the first of two", value);
    return 0;
}

static int take_level(const char *value, void *to, struct err *err)
{
    int level = log_level_named(value);
    *(int *)to = level;
    return level < 0 ? err_set(err, "'%s' is none of debug, info, warning, error", value) : 0;
}

static int take_bind(const char *value, void *to, struct err *err)
{
    static const char *const words[] = {
        [TASK_BIND_NONE] = "none", [TASK_BIND_CORE] = "core", [TASK_BIND_SOCKET] = "socket", [TASK_BIND_NUMA] = "numa"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(value, words[i]) == 0) {
            *(enum task_bind *)to = (enum task_bind)i;
            return 0;
        }
    return err_set(err, "'%s' is none of none, core, socket, numa", value);
}

/* --- the table --- */

#define TO(member) offsetof(struct worker_options, member)

static const struct worker_option rows[] = {
    {"rundir", "DIR", "the experiment's run directory; its coordinator.json says where the coordinator is", take_text,
     TO(rundir)},
    {"connect", "ENDPOINT", "the coordinator's endpoint, in place of the one in coordinator.json", take_text,
     TO(connect)},
    {"share", "K/N", "take the K-th of N equal parts of the machine (default 1/1)", take_share, TO(share)},
    {"node", "NAME", "what other nodes know this one by (default: Slurm's name of it, else the host's)", take_node,
     TO(node)},
    {"only-cores", "LIST", "of this machine only these, by their processors' numbers: 0-3,8", take_text,
     TO(only_cores)},
    {"only-gpus", "LIST", "only these GPUs, by number or UUID: 0,1", take_text, TO(only_gpus)},
    {"shared", NULL, "use cores and GPUs that other searches on this machine use, too", take_switch, TO(shared)},
    {"topology", "FILE[,gpus=FILE]", "another machine, as `lstopo FILE.xml` writes it, and a list of its GPUs",
     take_text, TO(topology)},
    {"job-cores", "LIST",
     "the cores that the Slurm job has here, by Slurm's numbers; they are kept to where it binds nobody", take_text,
     TO(job_cores)},
    {"trainer", "PROGRAM", "what runs kernels (default: gannet-trainer beside this program)", take_text, TO(trainer)},
    {"give-up", "DURATION", "end after so long without a coordinator (default 120s)", take_duration, TO(give_up)},
    {"rescue", NULL, "after that ask gannet job --rescue, which sees to the search's next job (Slurm)", take_switch,
     TO(rescue)},
    {"idle-exit", "DURATION", "leave when there was nothing to run for so long (default: stay)", take_duration,
     TO(idle_exit)},
    {"log-level", "LEVEL", "debug, info, warning or error (default info)", take_level, TO(log_level)},
    {"show-slots", NULL, "show this machine and the slots it would offer, and end", take_switch, TO(show_slots)},
    {"cpus", "N", "with --show-slots: cores a trial wants", take_count, TO(request.cpus)},
    {"sockets", "N", "with --show-slots: sockets a trial wants", take_count, TO(request.sockets)},
    {"trials-per-socket", "N", "with --show-slots: trials on each socket", take_count, TO(request.per_socket)},
    {"fuse", "N", "with --show-slots: trials that train together", take_count, TO(request.fuse)},
    {"gpus", "N", "with --show-slots: GPUs a trial wants, or the part of one: 0.5", take_gpus, TO(request)},
    {"gpu-memory", "SIZE", "with --show-slots: memory of a GPU a trial wants", take_size, TO(request.gpu_memory)},
    {"memory", "SIZE", "with --show-slots: memory a trial wants, 32G for example", take_size, TO(request.memory)},
    {"bind", "HOW", "with --show-slots: none, core, socket or numa (default core)", take_bind, TO(request.bind)},
    {"json", NULL, "with --show-slots: as JSON", take_switch, TO(json)},
    {"version", NULL, "show the version, and end", take_switch, TO(version)},
    {"help", NULL, "show this, and end", take_switch, TO(help)},
};

enum { OPTIONS = sizeof rows / sizeof *rows };

void worker_options_help(struct buf *out)
{
    buf_text(
        out,
        "Usage: gannet-worker --rundir DIR [--share K/N] [option...]\n"
        "       gannet-worker --show-slots [--cpus N] [--gpus N] [option...]\n\n"
        "Offers this machine's cores and GPUs to the coordinator of an experiment and runs the trials that it is\n"
        "given, each bound to its place. `gannet run` starts one; more may be started by hand, on this node or on\n"
        "others that see the run directory. A core is a physical one: its other hyperthreads stay idle.\n\n");
    for (int i = 0; i < OPTIONS; i++) {
        char usage[64];
        snprintf(usage, sizeof usage, "--%s %s", rows[i].name, rows[i].value ? rows[i].value : "");
        buf_format(out, "  %-27s %s\n", usage, rows[i].help);
    }
    buf_text(out, "\nExit status: 0 the experiment has ended; 1 this machine can't take part, or something failed; 2 "
                  "wrong\nusage; 69 there is no coordinator; 77 it refused this worker; 128 + N ended by signal N.\n");
}

/* --- reading the command line --- */

static const struct worker_option *find_option(const char *word, size_t length, struct err *err)
{
    const char *names[OPTIONS];
    for (int i = 0; i < OPTIONS; i++) {
        names[i] = rows[i].name;
        if (strlen(names[i]) == length && strncmp(names[i], word, length) == 0)
            return &rows[i];
    }
    char *name = mem_text_n(word, length);
    const char *near = suggest_nearest(name, names, OPTIONS);
    err_write(err, near ? "there is no option --%s; did you mean --%s?" : "there is no option --%s; see --help", name,
              near);
    free(name);
    return NULL;
}

/* One option at words[0]; the number of words it takes, or -1. */
static int read_option(char *const *words, struct worker_options *out, struct err *err)
{
    if (strncmp(words[0], "--", 2) != 0)
        return err_set(err, "'%s' is no option; see --help", words[0]);
    const char *name = words[0] + 2, *equals = strchr(name, '=');
    const struct worker_option *option = find_option(name, equals ? (size_t)(equals - name) : strlen(name), err);
    if (!option)
        return -1;
    if (!option->value && equals)
        return err_set(err, "--%s takes no value", option->name);
    const char *value = !option->value ? "" : equals ? equals + 1 : words[1];
    if (!value)
        return err_set(err, "--%s needs a value: --%s %s", option->name, option->name, option->value);
    if (option->take(value, (char *)out + option->offset, err))
        return err_prefix(err, "--%s", option->name);
    return option->value && !equals ? 2 : 1;
}

int worker_options_read(int count, char *const *words, struct worker_options *out, struct err *err)
{
    *out = (struct worker_options){
        .share = {1, 1}, .give_up = 120, .log_level = LOG_INFO, .request = {.bind = TASK_BIND_CORE}};
    for (int at = 1, taken; at < count; at += taken)
        if ((taken = read_option(words + at, out, err)) < 0)
            return -1;
    return 0;
}
