/* The GPUs of a node: from the NVIDIA driver's library, or from a list in a file for machines that are only imagined.
 */
#ifndef GANNET_WORKER_HARDWARE_TOPOLOGY_GPUS_H
#define GANNET_WORKER_HARDWARE_TOPOLOGY_GPUS_H

#include "worker/hardware/topology.h"

/* The functions of NVML that are used, under their names there; 0 is success. Found with dlopen, so that a node without
 * GPUs needs nothing; a test puts its own here. */
struct nvml {
    void *library; /* of dlopen; may be NULL */
    int (*init)(void);
    int (*shutdown)(void);
    int (*device_count)(unsigned *count);
    int (*device_handle)(unsigned index, void **device);
    int (*device_uuid)(void *device, char *out, unsigned size);
    int (*device_name)(void *device, char *out, unsigned size);
    int (*device_pci)(void *device, void *pci); /* fills a struct nvml_pci */

    /* Those that follow may be missing, and then are NULL. */
    int (*device_memory)(void *device, void *memory); /* fills a struct nvml_memory */
    int (*mig_mode)(void *device, unsigned *current, unsigned *pending);
    int (*mig_most)(void *device, unsigned *count);
    int (*mig_handle)(void *device, unsigned index, void **partition);
};

/* nvmlMemory_t, in bytes. */
struct nvml_memory {
    unsigned long long total, free, used;
};

/* nvmlPciInfo_t as nvmlDeviceGetPciInfo_v3 fills it. */
struct nvml_pci {
    char legacy_bus[16];
    unsigned domain, bus, device, ids, subsystem_ids;
    char bus_id[32]; /* "00000000:3B:00.0" */
};

/* Opens the driver's library and starts it; false when there is none or it doesn't start: no GPUs. */
bool nvml_open(struct nvml *nvml);
void nvml_close(struct nvml *nvml);

/* Adds the driver's GPUs to a topology, of one that is partitioned (MIG) its partitions. Their cores come from
 * `devices`, in /sys: "/sys/bus/pci/devices". */
void gpus_from_driver(struct topology *topology, const struct nvml *nvml, const char *devices);

/* Adds the GPUs of a list: a line each, "INDEX NEAR NAME", where NEAR is numa:NODE, cpus:LIST or - (not known), and the
 * name may begin with memory:SIZE. Empty lines and those that start with # don't count. The topology's cores must be
 * known. -1 with a sentence. */
int gpus_from_list(struct topology *topology, const char *file, struct err *err);

/* Adds GPUs of which only the numbers, or UUIDs, are known: Slurm gave them to the job, and there is no driver of ours
 * to ask. A list as CUDA_VISIBLE_DEVICES is one. */
void gpus_from_numbers(struct topology *topology, const char *list);

/* Keeps the GPUs that this process may use. `cuda` is CUDA_VISIBLE_DEVICES, a list of numbers and UUIDs (or their
 * beginnings) that ends, as in CUDA, at the first one that is none; `slurm` is a list of the job's numbers, which
 * counts when `cuda` is not set and Slurm has not already hidden the others. Both may be NULL: not set. */
void gpus_keep_visible(struct topology *topology, const char *cuda, const char *slurm);

/* Keeps those in a list that a person gave, of numbers and UUIDs. -1 with a sentence when one of them is not there. */
int gpus_keep_listed(struct topology *topology, const char *list, struct err *err);

#endif
