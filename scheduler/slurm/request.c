/* What a job is asked for; see request.h.
 *
 * The keys under `slurm:` come first, sbatch's options over them, and then what is left open is filled in: one task a
 * node - the worker - with the processors, GPUs and memory that its trials need. */
#include "scheduler/slurm/request.h"
#include "scheduler/slurm/components.h"
#include "scheduler/slurm/request_fill.h"
#include "scheduler/slurm/slurm_agent.h"
#include "scheduler/slurm/sbatch_time.h"
#include "scheduler/slurm/options.h"

#include "common/mem.h"
#include "common/path.h"
#include "common/suggest.h"

#include <math.h>
#include <signal.h>
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
    out->minutes = request_minutes(slurm->time);
    out->minutes_least = request_minutes(slurm->time_min);
    out->cpus_per_task = number_or_unset(slurm->cpus_per_task);
    out->memory = slurm->has_mem ? request_mib(slurm->mem) : SLURM_UNSET;
    out->memory_per_cpu = slurm->mem_per_cpu ? request_mib(slurm->mem_per_cpu) : SLURM_UNSET;
    out->nice = number_or_unset(slurm->nice);
    out->exclusive = slurm->exclusive;
    out->requeue = slurm->requeue;
    out->hold = slurm->hold;
    out->nodes = slurm->shape == SHAPE_JOB ? slurm->nodes : SLURM_UNSET;
    return take_begin(order, out, err);
}

/* --- what is gannet's own --- */

void slurm_add_file_name(struct buf *out, const char *path)
{
    for (; *path; path++) {
        if (*path == '%')
            buf_text(out, "%");
        buf_add(out, path, 1);
    }
}

static char *output_of(const char *rundir, const char *number)
{
    struct buf output = {0};
    slurm_add_file_name(&output, rundir);
    buf_format(&output, "/logs/slurm-%s.out", number);
    return buf_take(&output);
}

static void take_own(const struct slurm_order *order, enum slurm_role role, uint32_t elements,
                     struct slurm_request *out)
{
    const struct spec *spec = order->spec;
    out->name = mem_format(role == SLURM_ROLE_WORKER ? "gannet:%s:worker" : "gannet:%s", spec->name);
    out->comment = mem_text(order->comment);
    out->directory = mem_text(spec->base);
    out->output = output_of(order->rundir, elements ? "%A_%a" : "%j");
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

/* --- checks --- */

static int check_nodes(const struct spec *spec, const struct slurm_request *request, struct err *err)
{
    if (spec->slurm.shape != SHAPE_JOB && request->nodes != SLURM_UNSET)
        return err_set(err,
                       "sbatch's --nodes counts with slurm.shape job; workers of the other shapes have a node each: "
                       "write slurm.workers");
    if (request->nodes == 0)
        return err_set(err, "sbatch's --nodes can't be 0");
    if (request_nodes(request) > 1 && request_nodes(request) < spec->resources.nodes)
        return err_set(err, "sbatch's --nodes is %u, and a trial takes a slot on each of %u (resources.nodes)",
                       request_nodes(request), spec->resources.nodes);
    return 0;
}

/* Slurm takes backslashes out of the name of the job's output, whose directory would not be there: the job could not be
 * launched. */
static int check_place(const struct slurm_order *order, struct err *err)
{
    if (!strchr(order->rundir, '\\'))
        return 0;
    return err_set(err,
                   "the path of the run directory has a backslash, with which Slurm can't write the job's output: %s. "
                   "Another place is given by --dir",
                   order->rundir);
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
static int check_node(const struct spec *spec, const struct slurm_request *request, struct err *err)
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

/* A component in which no trial fits takes part in none; of all of them one has to. */
static int check_shares(const struct spec *spec, const struct slurm_request *request, struct err *err)
{
    struct err unused;
    for (uint32_t i = 0; i < request->component_count; i++)
        if (check_node(spec, &request->components[i], &unused) == 0)
            return 0;
    return check_node(spec, request, err);
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
    return slurm_options_apply((const char *const *)slurm->sbatch_args, components_first(slurm), now, out, exported,
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
                 components_make(&order, out, err) || check_nodes(order.spec, out, err) || check_mail(out, err) ||
                 check_place(&order, err);
    if (failed) {
        slurm_request_fini(out);
    } else {
        request_fill(order.spec, role, out, notes);
        out->script = slurm_script(&order, role);
        take_environment(&order, exported, out);
        failed = role == SLURM_ROLE_COORDINATOR ? 0 : check_shares(order.spec, out, err);
        if (failed)
            slurm_request_fini(out);
    }
    free(here);
    return failed ? -1 : 0;
}
