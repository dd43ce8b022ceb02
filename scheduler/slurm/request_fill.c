/* What a request leaves open, filled in with what trials need; see request_fill.h. */
#include "scheduler/slurm/request_fill.h"
#include "scheduler/slurm/further.h"
#include "scheduler/slurm/slurm_agent.h"

#include "common/gpu_share.h"
#include "common/mem.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint32_t request_minutes(double seconds)
{
    return seconds > 0 ? (uint32_t)ceil(seconds / 60) : SLURM_UNSET;
}

uint32_t request_mib(uint64_t bytes)
{
    return (uint32_t)((bytes + 0xFFFFF) >> 20);
}

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
    out->memory = request_mib(spec->resources.memory * trials);
    note(notes, "%u MiB a node, for %u trial%s at a time", out->memory, trials, trials == 1 ? "" : "s");
}

/* The coordinator computes little: a small job anywhere, without what the workers need. */
static void make_small(const struct spec_slurm *slurm, struct slurm_request *out)
{
    enum { PROCESSORS = 2 }; /* one for its loop and store, one for the strategy's models */
    char **const workers_own[] = {&out->gres,       &out->gpus_per_node, &out->nodelist,
                                  &out->constraint, &out->exclude,       &out->licenses};
    for (size_t i = 0; i < sizeof workers_own / sizeof *workers_own; i++)
        slurm_request_set(workers_own[i], NULL);
    further_keep_general(&out->further);
    out->nodes = 1;
    out->cpus_per_task = PROCESSORS;
    out->memory = out->memory_per_cpu = SLURM_UNSET;
    out->exclusive = false;
    if (slurm->coordinator_partition)
        slurm_request_set(&out->partition, slurm->coordinator_partition);
    if (slurm->coordinator_time > 0)
        out->minutes = request_minutes(slurm->coordinator_time);
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

uint32_t request_nodes(const struct slurm_request *request)
{
    uint32_t nodes = request->nodes == SLURM_UNSET ? 1 : request->nodes;
    for (uint32_t i = 0; i < request->component_count; i++)
        nodes += request->components[i].nodes == SLURM_UNSET ? 1 : request->components[i].nodes;
    return nodes;
}

/* A trial's nodes, the least that makes sense. A node's death is its worker's alone, unless no trial could run on those
 * that are left: then the job is better begun anew. */
static void fill_nodes(const struct spec *spec, struct slurm_request *out, struct buf *notes)
{
    uint32_t needed = spec->resources.nodes;
    if (needed > 1 && request_nodes(out) < needed) {
        out->nodes = needed;
        note(notes, "%u nodes, what one trial takes; slurm.nodes lets more trials run at a time", needed);
    }
    out->no_kill = out->no_kill || request_nodes(out) > needed;
    for (uint32_t i = 0; i < out->component_count; i++)
        out->components[i].no_kill = out->no_kill;
}

/* What one node gives: GPUs, processors, memory. */
static void request_fill_node(const struct spec *spec, struct slurm_request *out, struct buf *notes)
{
    fill_gpus(spec, out, notes);
    fill_cpus(spec, out, notes);
    fill_memory(spec, out, notes);
    if (out->gres && strcmp(out->gres, "none") == 0)
        slurm_request_set(&out->gres, NULL); /* which Slurm has no word for in a job */
}

void request_fill(const struct spec *spec, enum slurm_role role, struct slurm_request *out, struct buf *notes)
{
    if (role == SLURM_ROLE_COORDINATOR) {
        make_small(&spec->slurm, out);
        return;
    }
    if (role == SLURM_ROLE_WORKER)
        make_worker(&spec->slurm, out);
    else
        fill_nodes(spec, out, notes);
    request_fill_node(spec, out, notes);
    for (uint32_t i = 0; i < out->component_count; i++)
        request_fill_node(spec, &out->components[i], NULL);
}
