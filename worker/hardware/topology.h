/* What a node has to run trials on, as plain data: cores with their sockets, NUMA nodes and caches, GPUs with the cores
 * near them, memory. Only what this process may use (affinity, cpuset, cgroup, Slurm's GPUs) is in it.
 *
 * A core is one physical core; trials are bound to its first hyperthread that may be used, and the others stay idle:
 * two trainings on the two hyperthreads of a core take about as long as one after the other and disturb each other's
 * timing. */
#ifndef GANNET_WORKER_HARDWARE_TOPOLOGY_H
#define GANNET_WORKER_HARDWARE_TOPOLOGY_H

#include "common/buf.h"
#include "common/err.h"
#include "common/texts.h"
#include "worker/hardware/numbers.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#define TOPOLOGY_NONE UINT32_MAX

struct topology_core {
    uint32_t pu;      /* the operating system's number of its first hyperthread */
    uint32_t first;   /* that of its first hyperthread, whether it may be used or not: the core's name for others */
    uint32_t threads; /* hyperthreads that may be used */
    uint32_t package; /* index into packages */
    uint32_t node;    /* index into nodes */
    uint32_t cache;   /* cores with the same number share their last cache; TOPOLOGY_NONE: not known */
};

struct topology_package {
    uint32_t os; /* the operating system's number */
    bool split;  /* topology_part left some of its cores to other workers */
};

struct topology_node {
    uint32_t os;
    uint64_t memory; /* bytes */
};

/* Who may compute on a GPU, as whoever runs the machine has set it (nvidia-smi --compute-mode). */
enum gpu_mode { GPU_MODE_ANYBODY, GPU_MODE_ONE, GPU_MODE_NOBODY };

struct topology_gpu {
    uint32_t index;      /* the driver's number */
    char *uuid;          /* "" when not known */
    char *name;          /* the model */
    uint64_t memory;     /* bytes; 0: not known */
    uint32_t parent;     /* the driver's number of the GPU that this is a partition (MIG) of; TOPOLOGY_NONE: of none */
    enum gpu_mode mode;  /* of a partition that of its GPU */
    struct numbers near; /* hyperthreads near it, as the operating system numbers them; empty: not known */
};

struct topology {
    struct topology_core *cores; /* in the machine's order: neighbours share most */
    struct topology_package *packages;
    struct topology_node *nodes;
    struct topology_gpu *gpus;
    uint32_t core_count, package_count, node_count, gpu_count;
    char *driver;           /* the version of NVIDIA's driver; NULL: not known */
    struct texts gpu_notes; /* what is wrong with GPUs, or why they are not offered: a sentence each */
    uint64_t memory;        /* bytes that all trials together may use; 0: not known */
    uint32_t part, parts;   /* this is part `part`, from 1, of `parts` of the machine */
    bool cores_unknown;     /* as many cores may be used, but not these very ones: nothing is bound to them */
    bool cores_shared;      /* other parts have the same cores, because there are more parts than cores */
};

/* Where the topology comes from. */
struct topology_source {
    const char *machine;   /* hwloc's XML file of another machine; NULL: this one */
    const char *gpus;      /* a list of GPUs in a file (topology_gpus.h); NULL: this machine's, or none of another's */
    const char *cores;     /* of this machine, only those with hyperthreads in this list ("0-3,8"); NULL: all */
    const char *visible;   /* only the GPUs in this list, of numbers or UUIDs; NULL: all */
    const char *job_cores; /* the cores that a job of Slurm has here, by Slurm's numbers; NULL: not known */
};

/* Finds out. -1 with a sentence. */
int topology_read(const struct topology_source *source, struct topology *out, struct err *err);
void topology_fini(struct topology *topology);

/* Leaves only part `part`, from 1, of `parts` equal ones: neighbouring cores, the GPUs nearest to them, a share of the
 * memory. With more parts than cores, parts share cores. */
void topology_part(struct topology *topology, uint32_t part, uint32_t parts);

/* Adds one line for people: "2 sockets, 64 cores, 8 NUMA nodes, 4 x NVIDIA H200, 503 GiB". */
void topology_words(const struct topology *topology, struct buf *out);

/* Whether a hyperthread is near a GPU; all are when it is not known which. */
bool topology_near(const struct topology_gpu *gpu, uint32_t pu);

/* Everything, for programs. json_decref it. */
json_t *topology_json(const struct topology *topology);

#endif
