/* Makes slots out of a topology: a pure function, so that a node with two sockets and four GPUs can be tried on a
 * laptop.
 *
 * No core is in two slots, and no GPU that a trial has for itself. What decides how many slots there are is the
 * scarcest of what a trial wants:
 *
 *     sockets: S   whole sockets, neighbouring ones, and the GPUs nearest to them
 *     per_socket   so many slots on each socket, with the same number of its cores each
 *     gpus: G      a slot for each G GPUs of one socket where that goes, with the nearest cores; without cpus: an equal
 *                  share of the cores
 *     gpu_slots: N up to N slots share a GPU, and no more than its memory holds gpu_memory; its compute mode may leave
 *                  it to one of them, or to none
 *     cpus: C      C cores that share a cache, a NUMA node or a socket when there are such left
 *     nothing      one core
 *     fuse: N      each of these N times over, one behind the other: the same cores and memory
 *     memory: M    no more slots than the memory holds
 *
 * bind says how far a trial may stray: core - its own cores; numa, socket - any core (of this worker's) of the NUMA
 * nodes or sockets that its cores are in; none - wherever the operating system puts it, as always when it is not known
 * which cores are ours. */
#ifndef GANNET_WORKER_HARDWARE_SLOTS_H
#define GANNET_WORKER_HARDWARE_SLOTS_H

#include "common/task.h"
#include "worker/hardware/topology.h"

/* What one trial wants; 0: not given. */
struct slot_request {
    uint32_t cpus, sockets, gpus;
    uint32_t per_socket; /* trials on each socket; instead of cpus and sockets */
    uint32_t gpu_slots;  /* trials that may share a GPU; up to 1: none do */
    uint64_t gpu_memory; /* bytes of a GPU's */
    bool mps;            /* they share it by MPS: then also one on which one process alone may compute */
    uint64_t memory;
    uint32_t fuse; /* trials of a slot that train together; up to 1: it has one at a time */
    enum task_bind bind;
};

/* One slot: a place for a trial. */
struct slot_place {
    struct numbers cores; /* its own cores, by their first hyperthread */
    struct numbers cpus;  /* hyperthreads its processes are bound to; empty: not bound */
    struct numbers nodes; /* NUMA nodes of `cpus`; empty: any */
    struct numbers gpus;  /* indexes into the topology's GPUs */
    uint32_t gpu_slots;   /* slots that share its GPU, itself among them; 0: it has none */
    uint64_t memory;      /* bytes a trial may use; 0: not limited */
    uint32_t fused;       /* slots side by side that are the same place, whose trials train together; 1: it is alone */
    const char *mps; /* by which MPS daemon it shares its GPU (mps_directory); NULL: none. The slots' maker says it */
};

struct slots {
    struct slot_place *places;
    uint32_t count;
};

/* Makes as many slots as fit. -1 with a sentence when not even one does. */
int slots_make(const struct topology *topology, const struct slot_request *request, struct slots *out, struct err *err);
void slots_fini(struct slots *slots);
void slot_place_fini(struct slot_place *place);

/* Adds a sentence for each GPU whose compute mode keeps trials from using it as they request to. */
void slots_note_modes(const struct topology *topology, const struct slot_request *request, struct texts *out);

/* Adds the hyperthreads that a place is bound to, and their NUMA nodes, to one that has its cores. */
void slot_bind(const struct topology *topology, enum task_bind bind, struct slot_place *place);

/* Adds the driver's numbers of a slot's GPUs. */
void slot_gpus(const struct topology *topology, const struct slot_place *place, struct numbers *out);

/* Bytes of its GPU's memory that a trial of a slot may use; 0: not known. */
uint64_t slot_gpu_memory(const struct topology *topology, const struct slot_place *place);

/* Adds a slot in words: "cpus 0-3, NUMA node 0, GPU 1", "..., half of GPU 1". */
void slot_words(const struct topology *topology, const struct slot_place *place, struct buf *out);

/* All of them, for programs. json_decref it. */
json_t *slots_json(const struct topology *topology, const struct slots *slots);

#endif
