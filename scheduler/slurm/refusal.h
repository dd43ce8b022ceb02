/* What Slurm's own words mean for a person: the reason for which a job waits, and what a refusal is about, from its
 * error numbers to the keys of an experiment file, with what to do. */
#ifndef GANNET_SCHEDULER_SLURM_REFUSAL_H
#define GANNET_SCHEDULER_SLURM_REFUSAL_H

#include "common/buf.h"
#include "scheduler/slurm/interface.h"

#include <stdbool.h>
#include <stddef.h>

/* A sentence for Slurm's word for why a job waits ("Priority"); a general one for a word that is not in the table.
 * Never NULL. */
const char *slurm_reason_sentence(const char *reason);

/* Whether the sentence about this number gets better with the names of the partitions. */
bool refusal_is_of_partition(int number);

/* Whether a refusal with this number says that the request can't be had as it is, whenever it is asked for. */
bool refusal_is_final(int number);

/* Adds a sentence that names the key at fault, its value and what to do; nothing when the number is not known.
 * `partitions`: the cluster's; count 0: not known. */
void refusal_explain(int number, const struct slurm_request *request, const char *const *partitions, size_t count,
                     struct buf *out);

#endif
