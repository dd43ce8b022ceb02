/* What is still free while slots are made (slots.c), and the GPUs of it: which are near each other, and how many trials
 * each has room for. */
#ifndef GANNET_WORKER_HARDWARE_SLOTS_FREE_H
#define GANNET_WORKER_HARDWARE_SLOTS_FREE_H

#include "worker/hardware/slots.h"

struct free_parts {
    const struct topology *topology;
    bool *core_taken;
    uint32_t *gpu_room; /* how many more trials each GPU takes */
    bool shares_gpus;   /* a trial takes a part of one GPU */
};

/* Places of growing size that cores share. */
enum level { LEVEL_CACHE, LEVEL_NODE, LEVEL_PACKAGE, LEVEL_MACHINE, LEVELS };

uint32_t free_parts_place(const struct topology_core *core, enum level level);

/* The first core near a GPU, or NULL when it is not known or none of ours. */
const struct topology_core *free_parts_gpu_home(const struct topology *topology, const struct topology_gpu *gpu);

/* How many trials this GPU has room for: one, or as many as share it, and no more than its memory holds. Of a GPU whose
 * memory is not known the shares alone count. */
uint32_t free_parts_gpu_room(const struct topology_gpu *gpu, const struct slot_request *request);

/* The GPUs that have room for a trial, and the slots that they are enough for. */
uint32_t free_parts_gpus_fit(const struct topology *topology, const struct slot_request *request);
uint32_t free_parts_gpu_slots(const struct topology *topology, const struct slot_request *request);

/* Takes GPUs of a trial that are near each other, as far as that goes; there must be as many. Of one that is shared it
 * takes a part, of the GPU with the most room. */
void free_parts_pick_gpus(struct free_parts *left, uint32_t count, struct numbers *out);

/* Gives slots that have their cores their GPUs: first those of their own sockets, then what is left. */
void free_parts_add_gpus(struct free_parts *left, uint32_t gpus, struct slots *out);

#endif
