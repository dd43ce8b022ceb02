/* Nodes of a running job on which no trial can run, and why, as far as their logs tell. */
#ifndef GANNET_CLI_SESSION_MISSING_H
#define GANNET_CLI_SESSION_MISSING_H

#include "common/buf.h"
#include "common/texts.h"
#include "cli/view/overview.h"
#include "scheduler/rundir/rundir.h"
#include "scheduler/slurm/slurm_record.h"

/* The nodes of jobs of the experiment that run since a while, and those of them that have no worker. Of an array the
 * record has those of one element. texts_fini both. */
void missing_nodes(const struct slurm_record *record, const struct snapshot *snapshot, double now, struct texts *nodes,
                   struct texts *missing);

/* Adds what the worker of this node said last; false: nothing. */
bool missing_last_words(const struct rundir *dir, const char *node, struct buf *out);

/* Adds a sentence about the nodes of the experiment's own job that have no worker, or one that offers no slot. False:
 * there are none, or the job has just begun. `now`: seconds since 1970. */
bool missing_describe(const struct rundir *dir, const struct slurm_record *record, const struct snapshot *snapshot,
                      double now, struct buf *out);

/* Adds what the last job said last when it failed. False: it has not. */
bool missing_quote(const struct rundir *dir, const struct slurm_record *record, struct buf *out);

#endif
