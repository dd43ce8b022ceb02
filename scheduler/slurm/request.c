/* What a job is asked for; see request.h.
 *
 * The keys under `slurm:` come first, sbatch's options over them, and then what is left open is filled in: one task a
 * node - the worker - with the processors, GPUs and memory that its trials need. */
#include "scheduler/slurm/request.h"
#include "scheduler/slurm/further.h"
#include "scheduler/slurm/slurm_agent.h"
#include "scheduler/slurm/sbatch_time.h"
#include "scheduler/slurm/options.h"

#include "common/gpu_share.h"
#include "common/mem.h"
#include "common/path.h"
#include "common/suggest.h"

#include <ctype.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* --- keys --- */

static uint32_t number_or_unset(uint32_t number)
{
    return number ? number : SLURM_UNSET;
}

/* Slurm counts time limits in minutes and memory in MiB. */
static uint32_t minutes_of(double seconds)
{
    return seconds > 0 ? (uint32_t)ceil(seconds / 60) : SLURM_UNSET;
}

static uint32_t mib_of(uint64_t bytes)
{
    return (uint32_t)((bytes + 0xFFFFF) >> 20);
}

static void take_texts(const struct spec_slurm *slurm, struct slurm_request *out)
{
    const struct {
        char **to;
        const char *from;
    } texts[] = {{&out->partition, slurm->partition},
                 {&out->account, slurm->account},
                 {&out->qos, slurm->qos},
                 {&out->reservation, slurm->reservation},
                 {&out->constraint, slurm->constraint},
                 {&out->gres, slurm->gres},
                 {&out->nodelist, slurm->nodelist},
                 {&out->gpus_per_node, slurm->gpus_per_node},
                 {&out->exclude, slurm->exclude},
                 {&out->dependency, slurm->dependency},
                 {&out->licenses, slurm->licenses},
                 {&out->mail_user, slurm->mail_user},
                 {&out->mail_type, slurm->mail_type}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        *texts[i].to = mem_text(texts[i].from);
}

static int take_begin(const struct slurm_order *order, struct slurm_request *out, struct err *err)
{
    double seconds;
    const char *begin = order->spec->slurm.begin;
    if (!begin)
        return 0;
    if (sbatch_begin(begin, order->now, &seconds, err))
        return err_prefix(err, "'slurm.begin'");
    out->begin = mem_format("%.0f", seconds);
    return 0;
}

static int take_keys(const struct slurm_order *order, struct slurm_request *out, struct err *err)
{
    const struct spec_slurm *slurm = &order->spec->slurm;
    take_texts(slurm, out);
    out->minutes = minutes_of(slurm->time);
    out->minutes_least = minutes_of(slurm->time_min);
    out->cpus_per_task = number_or_unset(slurm->cpus_per_task);
    out->memory = slurm->has_mem ? mib_of(slurm->mem) : SLURM_UNSET;
    out->memory_per_cpu = slurm->mem_per_cpu ? mib_of(slurm->mem_per_cpu) : SLURM_UNSET;
    out->nice = number_or_unset(slurm->nice);
    out->exclusive = slurm->exclusive;
    out->requeue = slurm->requeue;
    out->hold = slurm->hold;
    out->nodes = slurm->shape == SHAPE_JOB ? slurm->nodes : SLURM_UNSET;
    return take_begin(order, out, err);
}

/* --- what is gannet's own --- */

static void take_own(const struct slurm_order *order, enum slurm_role role, uint32_t elements,
                     struct slurm_request *out)
{
    const struct spec *spec = order->spec;
    out->name = mem_format(role == SLURM_ROLE_WORKER ? "gannet:%s:worker" : "gannet:%s", spec->name);
    out->comment = mem_text(order->comment);
    out->directory = mem_text(spec->base);
    out->output = mem_format("%s/logs/slurm-%s.out", order->rundir, elements ? "%A_%a" : "%j");
    out->array = elements ? mem_format("0-%u", elements - 1) : NULL;
    out->tasks_per_node = 1;
    /* A worker leaves in order on SIGTERM, which is for trials that have something to save: the others may come to
     * their end before that of the job, and the coordinator ends those that won't. */
    if (role == SLURM_ROLE_WORKER && spec->trial.checkpoint == CHECKPOINT_NO)
        return;
    /* gannet job tells the coordinator of the end on SIGUSR1. */
    out->warn_signal = role == SLURM_ROLE_WORKER ? SIGTERM : SIGUSR1;
    out->warn_seconds = (uint32_t)ceil(spec->slurm.signal_before_end);
}

/* --- what is left open --- */

__attribute__((format(printf, 2, 3))) static void note(struct buf *notes, const char *format, ...)
{
    va_list arguments;
    char line[512];
    if (!notes)
        return;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    buf_format(notes, "%s\n", line);
}

/* The number at the end of "gpu:a100:4" or "4"; 1 of "gpu" alone. */
static uint32_t count_at_end(const char *item, size_t length)
{
    size_t digits = 0;
    while (digits < length && isdigit((unsigned char)item[length - 1 - digits]))
        digits++;
    bool whole = digits == length || (digits && item[length - 1 - digits] == ':');
    return whole ? (uint32_t)strtoul(item + length - digits, NULL, 10) : 1;
}

uint32_t slurm_count_gpus(const struct slurm_request *request)
{
    const char *list = request->gpus_per_node ? request->gpus_per_node : request->gres;
    uint32_t sum = 0;
    for (const char *at = list; at && *at; at += strcspn(at, ","), at += *at == ',') {
        const char *item = strncmp(at, "gres:", 5) == 0 ? at + 5 : at;
        size_t length = strcspn(at, ",") - (size_t)(item - at);
        if (request->gpus_per_node || (strncmp(item, "gpu", 3) == 0 && strcspn(item, ":,") == 3))
            sum += count_at_end(item, length);
    }
    return sum;
}

/* How many trials share a GPU; 1 where only the GPU's memory will tell (resources.gpu_memory alone). */
static uint32_t trials_on_a_gpu(const struct spec *spec)
{
    uint32_t slots = gpu_share_slots(spec->resources.gpu_share);
    return slots < GPU_SHARE_MOST ? slots : 1;
}

/* One trial's GPUs, the least that makes sense; who wants more trials at a time on a node says so. */
static void fill_gpus(const struct spec *spec, struct slurm_request *out, struct buf *notes)
{
    uint32_t gpus = spec->resources.gpus * spec->slurm.workers_per_node, shared = trials_on_a_gpu(spec);
    if (!gpus || out->gres || out->gpus_per_node || spec->slurm.gpu_request == GPU_REQUEST_NONE)
        return;
    if (spec->slurm.gpu_request == GPU_REQUEST_GPUS)
        out->gpus_per_node = mem_format("%u", gpus);
    else
        out->gres = mem_format("gpu:%u", gpus);
    char who[48] = "what one trial needs";
    if (shared > 1)
        snprintf(who, sizeof who, "which %u trials share", shared);
    note(notes, "%u GPU%s a node, %s%s; slurm.gpus_per_node lets more trials run at a time", gpus, gpus == 1 ? "" : "s",
         who, spec->slurm.workers_per_node > 1 ? " on each of its workers" : "");
}

/* How many trials a node is to run at a time, as far as it can be told from what is asked for. */
static uint32_t trials_at_a_time(const struct spec *spec, const struct slurm_request *request)
{
    uint32_t gpus = slurm_count_gpus(request), cpus = spec->resources.cpus ? spec->resources.cpus : 1;
    uint32_t most = 1, workers = spec->slurm.workers_per_node; /* which have whole slots each */
    if (spec->resources.gpus && gpus)
        most = gpus / workers / spec->resources.gpus * trials_on_a_gpu(spec);
    else if (spec->resources.per_socket)
        most = spec->resources.per_socket;
    else if (request->cpus_per_task != SLURM_UNSET)
        most = request->cpus_per_task / workers / cpus;
    return (most ? most : 1) * workers;
}

/* Sockets can't be counted in processors, so they need whole nodes. */
static void fill_cpus(const struct spec *spec, struct slurm_request *out, struct buf *notes)
{
    uint32_t trials = trials_at_a_time(spec, out), cpus = spec->resources.cpus ? spec->resources.cpus : 1;
    if (out->cpus_per_task != SLURM_UNSET || out->exclusive || further_has(out->further, "cpus-per-gpu"))
        return;
    if (spec->resources.sockets || spec->resources.per_socket) {
        out->exclusive = true;
        note(notes, spec->resources.sockets ? "whole nodes, since a trial needs whole sockets"
                                            : "whole nodes, since trials divide whole sockets");
        return;
    }
    out->cpus_per_task = trials * cpus;
    note(notes, "%u processor%s a node, for %u trial%s at a time; slurm.cpus_per_task or slurm.exclusive gives it more",
         out->cpus_per_task, out->cpus_per_task == 1 ? "" : "s", trials, trials == 1 ? "" : "s");
}

static void fill_memory(const struct spec *spec, struct slurm_request *out, struct buf *notes)
{
    if (!spec->resources.memory || out->memory != SLURM_UNSET || out->memory_per_cpu != SLURM_UNSET ||
        further_has(out->further, "mem-per-gpu"))
        return;
    if (spec->resources.per_socket) { /* how many sockets a node has is not known here */
        out->memory = 0;
        note(notes, "all of a node's memory, for the trials on each of its sockets");
        return;
    }
    uint32_t trials = trials_at_a_time(spec, out);
    out->memory = mib_of(spec->resources.memory * trials);
    note(notes, "%u MiB a node, for %u trial%s at a time", out->memory, trials, trials == 1 ? "" : "s");
}

/* The coordinator computes little: a small job anywhere, without what the workers need. */
static void make_small(const struct spec_slurm *slurm, struct slurm_request *out)
{
    enum { PROCESSORS = 2 }; /* one for its loop and store, one for the strategy's models */
    char **const workers_own[] = {&out->gres,       &out->gpus_per_node, &out->nodelist,
                                  &out->constraint, &out->exclude,       &out->licenses};
    static const char *const of_any_job[] = {"acctg-freq", "deadline", "extra", "kill-on-invalid-dep",
                                             "mcs-label",  "priority", "wckey"};
    for (size_t i = 0; i < sizeof workers_own / sizeof *workers_own; i++)
        slurm_request_set(workers_own[i], NULL);
    further_keep(&out->further, of_any_job, sizeof of_any_job / sizeof *of_any_job);
    out->nodes = 1;
    out->cpus_per_task = PROCESSORS;
    out->memory = out->memory_per_cpu = SLURM_UNSET;
    out->exclusive = false;
    if (slurm->coordinator_partition)
        slurm_request_set(&out->partition, slurm->coordinator_partition);
    if (slurm->coordinator_time > 0)
        out->minutes = minutes_of(slurm->coordinator_time);
}

/* Workers have a node each, and those that the coordinator submits one by one are submitted anew, not requeued. What
 * the whole experiment waits for, the coordinator has waited for. */
static void make_worker(const struct spec_slurm *slurm, struct slurm_request *out)
{
    out->nodes = 1;
    out->hold = false;
    out->requeue = out->requeue && slurm->shape == SHAPE_ARRAY;
    slurm_request_set(&out->dependency, NULL);
    slurm_request_set(&out->begin, NULL);
}

static int check_nodes(const struct spec *spec, const struct slurm_request *request, struct err *err)
{
    if (spec->slurm.shape != SHAPE_JOB && request->nodes != SLURM_UNSET)
        return err_set(err,
                       "sbatch's --nodes counts with slurm.shape job; workers of the other shapes have a node each: "
                       "write slurm.workers");
    if (request->nodes == 0)
        return err_set(err, "sbatch's --nodes can't be 0");
    if (request->nodes != SLURM_UNSET && request->nodes > 1 && request->nodes < spec->resources.nodes)
        return err_set(err, "sbatch's --nodes is %u, and a trial takes a slot on each of %u (resources.nodes)",
                       request->nodes, spec->resources.nodes);
    return 0;
}

/* Slurm takes bits, so that a word that it has not would be lost without a sound. */
static int check_mail(const struct slurm_request *request, struct err *err)
{
    static const char *const words[] = {
        "NONE",          "BEGIN",         "END",           "FAIL",        "REQUEUE",        "TIME_LIMIT",
        "TIME_LIMIT_90", "TIME_LIMIT_80", "TIME_LIMIT_50", "ARRAY_TASKS", "INVALID_DEPEND", "ALL"};
    enum { WORDS = sizeof words / sizeof *words };
    for (const char *at = request->mail_type; at && *at; at += strcspn(at, ","), at += *at == ',') {
        size_t length = strcspn(at, ","), i = 0;
        while (i < WORDS && (strlen(words[i]) != length || strncasecmp(at, words[i], length) != 0))
            i++;
        if (i < WORDS)
            continue;
        struct buf list = {0};
        suggest_list(&list, words, WORDS);
        err_write(err, "'slurm.mail_type': Slurm sends no mail of '%.*s'. It does of: %s", (int)length, at,
                  buf_str(&list));
        buf_fini(&list);
        return -1;
    }
    return 0;
}

/* What a node gives its workers, and a trial wants; SLURM_UNSET: nobody can tell here. */
static int check_share(const struct spec *spec, const char *resource, uint64_t wanted, const char *key, uint64_t given,
                       struct err *err)
{
    uint32_t workers = spec->slurm.workers_per_node;
    char shared[80] = "";
    if (given == SLURM_UNSET || wanted <= given / workers)
        return 0;
    if (workers > 1)
        snprintf(shared, sizeof shared, " for %u workers (slurm.workers_per_node)", workers);
    return err_set(
        err,
        "'resources.%s' is %llu, but a node of the job has %llu (slurm.%s)%s: no trial would ever start; give the "
        "node more, or the trial less",
        resource, (unsigned long long)wanted, (unsigned long long)given, key, shared);
}

/* Whole nodes have processors and memory that are not asked for by number. */
static int check_shares(const struct spec *spec, const struct slurm_request *request, struct err *err)
{
    uint32_t cpus = request->exclusive ? SLURM_UNSET : request->cpus_per_task, memory = SLURM_UNSET;
    bool gpus = spec->slurm.gpu_request != GPU_REQUEST_NONE || slurm_count_gpus(request);
    if (request->memory != SLURM_UNSET && request->memory)
        memory = request->memory;
    else if (request->memory_per_cpu != SLURM_UNSET && request->memory_per_cpu && cpus != SLURM_UNSET)
        memory = request->memory_per_cpu * cpus;
    if (check_share(spec, "cpus", spec->resources.cpus, "cpus_per_task", cpus, err) ||
        (gpus && check_share(spec, "gpus", spec->resources.gpus, request->gpus_per_node ? "gpus_per_node" : "gres",
                             slurm_count_gpus(request), err)))
        return -1;
    return memory == SLURM_UNSET
               ? 0
               : check_share(spec, "memory", spec->resources.memory,
                             request->memory != SLURM_UNSET ? "mem" : "mem_per_cpu", (uint64_t)memory << 20, err);
}

/* A trial's nodes, the least that makes sense. A node's death is its worker's alone, unless no trial could run on those
 * that are left: then the job is better begun anew. */
static void fill_nodes(const struct spec *spec, struct slurm_request *out, struct buf *notes)
{
    uint32_t needed = spec->resources.nodes;
    if (needed > 1 && (out->nodes == SLURM_UNSET || out->nodes < needed)) {
        out->nodes = needed;
        note(notes, "%u nodes, what one trial takes; slurm.nodes lets more trials run at a time", needed);
    }
    out->no_kill = out->no_kill || (out->nodes != SLURM_UNSET && out->nodes > needed);
}

static void fill_in(const struct slurm_order *order, enum slurm_role role, struct slurm_request *out, struct buf *notes)
{
    if (role == SLURM_ROLE_COORDINATOR) {
        make_small(&order->spec->slurm, out);
        return;
    }
    if (role == SLURM_ROLE_WORKER)
        make_worker(&order->spec->slurm, out);
    else
        fill_nodes(order->spec, out, notes);
    fill_gpus(order->spec, out, notes);
    fill_cpus(order->spec, out, notes);
    fill_memory(order->spec, out, notes);
}

/* --- the whole --- */

static void take_environment(const struct slurm_order *order, const char *exported, struct slurm_request *out)
{
    struct texts environment = {0};
    slurm_environment(order, out, exported, &environment);
    out->environment = environment.items;
    out->environment_count = (uint32_t)environment.count;
}

/* The options over whatever the request holds. */
static int take_options(const struct spec_slurm *slurm, double now, struct slurm_request *out, const char **exported,
                        struct err *err)
{
    return slurm_options_apply((const char *const *)slurm->sbatch_args, slurm->sbatch_args_count, now, out, exported,
                               err);
}

int slurm_settle(struct spec *spec, double now, struct err *err)
{
    struct spec_slurm *slurm = &spec->slurm;
    struct slurm_request request;
    const char *exported;
    slurm_request_init(&request);
    int failed = take_options(slurm, now, &request, &exported, err);
    if (!failed && request.minutes != SLURM_UNSET)
        slurm->time = request.minutes * 60.0;
    if (slurm->time > 0 && slurm->signal_before_end > slurm->time / 2)
        slurm->signal_before_end = slurm->time / 4;
    slurm_request_fini(&request);
    return failed;
}

int slurm_request_make(const struct slurm_order *given, enum slurm_role role, uint32_t elements,
                       struct slurm_request *out, struct buf *notes, struct err *err)
{
    const char *exported = NULL;
    char *here = path_program_directory();
    struct slurm_order order = *given;
    order.programs = order.programs ? order.programs : here;
    order.variables = order.variables ? order.variables : (const char *const *)environ;
    slurm_request_init(out);
    take_own(&order, role, elements, out);
    int failed = take_keys(&order, out, err) || take_options(&order.spec->slurm, order.now, out, &exported, err) ||
                 check_nodes(order.spec, out, err) || check_mail(out, err);
    if (failed) {
        slurm_request_fini(out);
    } else {
        fill_in(&order, role, out, notes);
        out->script = slurm_script(&order, role);
        take_environment(&order, exported, out);
        failed = role == SLURM_ROLE_COORDINATOR ? 0 : check_shares(order.spec, out, err);
        if (failed)
            slurm_request_fini(out);
    }
    free(here);
    return failed ? -1 : 0;
}
