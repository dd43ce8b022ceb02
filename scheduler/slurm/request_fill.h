/* What a request leaves open, filled in: one task a node - the worker - with the processors, GPUs and memory that its
 * trials need, and what the jobs of coordinators and single workers are not asked for. */
#ifndef GANNET_SCHEDULER_SLURM_REQUEST_FILL_H
#define GANNET_SCHEDULER_SLURM_REQUEST_FILL_H

#include "scheduler/slurm/request.h"

/* The whole request for a role; `notes` as of slurm_request_make. */
void request_fill(const struct spec *spec, enum slurm_role role, struct slurm_request *out, struct buf *notes);

/* Seconds and bytes as Slurm counts them: in whole minutes (SLURM_UNSET: not given) and MiB. */
uint32_t request_minutes(double seconds);
uint32_t request_mib(uint64_t bytes);

/* The nodes of all components; at least 1. */
uint32_t request_nodes(const struct slurm_request *request);

#endif
