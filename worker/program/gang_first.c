/* Gangs that start themselves; see gang_first.h. */
#include "worker/program/gang_first.h"
#include "common/mem.h"
#include "worker/hardware/rank_place.h"
#include "worker/program/program_files.h"

#include <stdlib.h>
#include <string.h>

#define HOSTS      "hostfile"      /* as Open MPI reads it: a host a line, with its number of processes */
#define SRUN_HOSTS "hostfile.srun" /* as srun reads it: a host a line for each process */

static bool is_gang_first(const struct program_setup *setup)
{
    const struct gang *gang = &setup->run->gang;
    return setup->task->launch_first && (uint64_t)gang->ranks * gang->nodes > 1;
}

static bool is_in_slurm(void)
{
    return getenv("SLURM_JOB_ID");
}

/* --- the hosts --- */

/* The nodes' names, with commas between them. Slurm has a name of its own for the node that we are on. */
static const char *hosts_of(const struct gang *gang)
{
    const char *node = getenv("SLURMD_NODENAME");
    if (gang->nodes > 1 && gang->hosts)
        return gang->hosts;
    return is_in_slurm() && node ? node : "localhost";
}

static char *path_of(const struct program_setup *setup, const char *name)
{
    struct program_files files = {setup->directory, setup->run->attempt};
    return program_files_name(&files, name, 0);
}

static int write_list(const struct program_setup *setup, const char *name, const struct buf *list, struct err *err)
{
    char *path = path_of(setup, name);
    int result = program_files_write(path, buf_str(list), err);
    free(path);
    return result;
}

int gang_first_write(const struct program_setup *setup, struct err *err)
{
    const struct gang *gang = &setup->run->gang;
    struct buf hosts = {0}, of_srun = {0};
    if (!is_gang_first(setup) || gang->node)
        return 0;
    for (const char *at = hosts_of(gang); *at; at += strcspn(at, ","), at += *at == ',') {
        int length = (int)strcspn(at, ",");
        buf_format(&hosts, "%.*s slots=%u\n", length, at, gang->ranks);
        for (uint32_t i = 0; i < gang->ranks; i++)
            buf_format(&of_srun, "%.*s\n", length, at);
    }
    int result = write_list(setup, HOSTS, &hosts, err);
    if (result == 0 && is_in_slurm())
        result = write_list(setup, SRUN_HOSTS, &of_srun, err);
    buf_fini(&hosts);
    buf_fini(&of_srun);
    return result;
}

void gang_first_remove(const struct program_setup *setup)
{
    struct program_files files = {setup->directory, setup->run->attempt};
    if (!is_gang_first(setup))
        return;
    program_files_remove(&files, HOSTS, 0);
    program_files_remove(&files, SRUN_HOSTS, 0);
}

/* --- Slurm --- */

/* "0x3": a digit stands for four processors. */
static void add_mask(const struct numbers *cpus, struct buf *out)
{
    uint32_t last = cpus->items[cpus->count - 1] / 4;
    buf_text(out, "0x");
    for (uint32_t digit = last + 1; digit-- > 0;) {
        unsigned value = 0;
        for (uint32_t bit = 0; bit < 4; bit++)
            value |= (unsigned)numbers_has(cpus, digit * 4 + bit) << bit;
        buf_format(out, "%x", value);
    }
}

/* The cores of each process. Those of other nodes are not known here, and srun has one list for all nodes. srun of a
 * cluster that binds nothing says so, and goes on. */
static void add_binding(const struct program_setup *setup, struct texts *env)
{
    const struct gang *gang = &setup->run->gang;
    struct buf masks = {0};
    bool are_bound = gang->nodes == 1;
    for (uint32_t i = 0; i < gang->ranks && are_bound; i++) {
        struct slot_place place;
        rank_place_make(setup->topology, setup->place, setup->task->bind, i, gang->ranks, &place);
        are_bound = place.cpus.count;
        buf_text(&masks, i ? "," : "");
        if (are_bound)
            add_mask(&place.cpus, &masks);
        slot_place_fini(&place);
    }
    texts_add(env, are_bound ? mem_format("SLURM_CPU_BIND=quiet,mask_cpu:%s", buf_str(&masks))
                             : mem_text("SLURM_CPU_BIND=quiet,none"));
    buf_fini(&masks);
}

/* The worker is a step of the job itself, which has all of its cores: another one starts beside it when it says that it
 * overlaps. What the worker's own step has told it of itself must not be taken for the new one's. */
static void add_slurm(const struct program_setup *setup, uint32_t share, struct texts *env)
{
    const struct gang *gang = &setup->run->gang;
    texts_add(env, mem_format("SLURM_NTASKS=%llu", (unsigned long long)gang->ranks * gang->nodes));
    texts_add(env, mem_format("SLURM_NPROCS=%llu", (unsigned long long)gang->ranks * gang->nodes));
    texts_add(env, mem_format("SLURM_NTASKS_PER_NODE=%u", gang->ranks));
    texts_add(env, mem_format("SLURM_NNODES=%u", gang->nodes));
    texts_add(env, mem_format("SLURM_CPUS_PER_TASK=%u", share));
    texts_add(env, mem_format("SRUN_CPUS_PER_TASK=%u", share));
    texts_add(env, mem_text("SLURM_OVERLAP=1"));
    texts_add(env, mem_text("SLURM_DISTRIBUTION=arbitrary"));
    char *hosts = path_of(setup, SRUN_HOSTS);
    texts_add(env, mem_format("SLURM_HOSTFILE=%s", hosts));
    free(hosts);
    add_binding(setup, env);
}

/* What launchers number their processes by, and which the worker may have as one of several workers. */
static void clear_ranks(struct texts *env)
{
    static const char *const names[] = {"RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (getenv(names[i]))
            texts_add(env, mem_format("%s=", names[i]));
}

void gang_first_env(const struct program_setup *setup, struct texts *env)
{
    if (!is_gang_first(setup))
        return;
    char *hosts = path_of(setup, HOSTS);
    uint32_t cores = (uint32_t)setup->place->cores.count, ranks = setup->run->gang.ranks;
    uint32_t share = cores > ranks ? cores / ranks : 1;
    texts_add(env, mem_format("OMP_NUM_THREADS=%u", share)); /* of each that it starts */
    texts_add(env, mem_text("GANNET_LAUNCH=first"));
    texts_add(env, mem_format("GANNET_HOSTFILE=%s", hosts));
    free(hosts);
    clear_ranks(env);
    if (is_in_slurm())
        add_slurm(setup, share, env);
}
