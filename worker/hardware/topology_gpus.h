/* The GPUs of a node: from the NVIDIA driver's library, or from a list in a file for machines that are only imagined.
 */
#ifndef GANNET_WORKER_HARDWARE_TOPOLOGY_GPUS_H
#define GANNET_WORKER_HARDWARE_TOPOLOGY_GPUS_H

#include "worker/hardware/nvml.h"
#include "worker/hardware/topology.h"

/* Adds the driver's GPUs to a topology, of one that is partitioned (MIG) its partitions, and what is wrong with those
 * that can't be offered to its notes. Their cores come from `devices`, in /sys: "/sys/bus/pci/devices". */
void gpus_from_driver(struct topology *topology, const struct nvml *nvml, const char *devices);

/* The same in a thread of its own, which `open` starts with (nvml_open but in tests): a driver that has not answered
 * after so many seconds, as that of a broken GPU, is waited for no longer. False: there is no driver that answers; why
 * is among the notes, unless there is none at all. */
bool gpus_ask_driver(struct topology *topology, bool (*open)(struct nvml *nvml), const char *devices, double patience);

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
