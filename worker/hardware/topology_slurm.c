/* A job's share of its node; see topology_slurm.h. */
#include "worker/hardware/topology_slurm.h"
#include "common/log.h"
#include "common/node.h"
#include "common/units.h"

#include <stddef.h>

static const uint64_t mebibyte = 1 << 20;

/* A number that may be missing or no number: 0 then. */
static uint64_t number_of(char *(*get)(const char *), const char *name)
{
    const char *text = get(name);
    int64_t number;
    return text && units_integer(text, &number) && number > 0 && number < INT32_MAX ? (uint64_t)number : 0;
}

/* A job has memory a node, a processor, or a GPU. */
static uint64_t memory_of(char *(*get)(const char *), uint64_t cpus)
{
    uint64_t node = number_of(get, "SLURM_MEM_PER_NODE"), cpu = number_of(get, "SLURM_MEM_PER_CPU");
    uint64_t gpu = number_of(get, "SLURM_MEM_PER_GPU"), gpus = number_of(get, "SLURM_GPUS_ON_NODE");
    return (node ? node : cpu ? cpu * cpus : gpu * gpus) * mebibyte;
}

struct slurm_share slurm_share_read(char *(*get)(const char *name))
{
    struct slurm_share share = {.in_job = number_of(get, "SLURM_JOB_ID") > 0};
    if (!share.in_job)
        return share;
    share.cpus = number_of(get, "SLURM_CPUS_ON_NODE");
    share.memory = memory_of(get, share.cpus);
    /* The steps of a job inherit SLURM_JOB_GPUS from its first node, where other GPUs may be the job's than here. */
    share.gpus = get(slurm_step_given(get) ? "SLURM_STEP_GPUS" : "SLURM_JOB_GPUS");
    return share;
}

static uint64_t count_threads(const struct topology *topology)
{
    uint64_t threads = 0;
    for (uint32_t i = 0; i < topology->core_count; i++)
        threads += topology->cores[i].threads;
    return threads;
}

/* Whether the share's cores are told, and are numbers of cores of this machine. What is configured for a node need not
 * be what it has: they must be as many as the job's processors, which Slurm counts in hyperthreads where it knows of
 * any. */
static bool read_cores(const struct slurm_share *share, const struct topology *topology, struct numbers *out)
{
    struct err err;
    if (!share->cores || numbers_read(share->cores, out, &err) || !out->count)
        return false;
    return out->items[out->count - 1] < topology->core_count && out->count * topology->cores[0].threads == share->cpus;
}

static bool keep_given(const struct slurm_share *share, struct topology *topology)
{
    struct numbers given = {0};
    bool known = read_cores(share, topology, &given);
    for (size_t i = 0; known && i < given.count; i++)
        topology->cores[i] = topology->cores[given.items[i]];
    if (known)
        topology->core_count = (uint32_t)given.count;
    numbers_fini(&given);
    return known;
}

/* Keeps the first cores that have so many hyperthreads, at least one. Whether Slurm counts hyperthreads or cores, that
 * is never more than was given. */
static void limit_cores(struct topology *topology, uint64_t cpus)
{
    uint64_t threads = topology->cores[0].threads;
    uint32_t kept = 1;
    while (kept < topology->core_count && threads + topology->cores[kept].threads <= cpus)
        threads += topology->cores[kept++].threads;
    topology->core_count = kept;
    topology->cores_unknown = true;
}

void slurm_share_apply(const struct slurm_share *share, struct topology *topology)
{
    uint64_t threads = count_threads(topology);
    if (share->memory && (!topology->memory || share->memory < topology->memory))
        topology->memory = share->memory;
    if (!share->cpus || share->cpus >= threads || keep_given(share, topology))
        return;
    log_warning(
        "Slurm gave this job %llu of %llu processors and binds it to none (TaskPlugin=task/none): trials are not "
        "bound to cores, since others may have been given the same ones",
        (unsigned long long)share->cpus, (unsigned long long)threads);
    limit_cores(topology, share->cpus);
}
