/* The coordinator's books about worker jobs: slurm.json, which whoever looks reads, and the store's table of jobs,
 * which the core writes. Keeping them never keeps the search from going on: what can't be written is logged. */
#ifndef GANNET_SCHEDULER_SLURM_LEDGER_H
#define GANNET_SCHEDULER_SLURM_LEDGER_H

#include "common/loop.h"
#include "scheduler/core/core.h"
#include "scheduler/rundir/rundir.h"
#include "scheduler/slurm/allocator.h"

#include <jansson.h>

struct ledger;

/* Reads the record, and tells the allocator of the worker jobs in it that have not ended. NULL with a sentence. */
struct ledger *ledger_open(struct loop *loop, const struct rundir *dir, struct core *core, struct allocator *allocator,
                           struct err *err);
void ledger_close(struct ledger *ledger); /* when all is written; NULL is fine */

/* What all jobs of the experiment are found by. */
const char *ledger_comment(const struct ledger *ledger);

/* A worker, or an array of so many (0: it is none), was submitted with this request. */
void ledger_submitted(struct ledger *ledger, uint32_t id, uint32_t elements, const json_t *request);

/* What Slurm says. `whole`: these are all jobs that have not ended. */
void ledger_see(struct ledger *ledger, const struct slurm_jobs *jobs, bool whole);

/* Its worker is here, on this node. */
void ledger_runs(struct ledger *ledger, struct node_job job, const char *node);

/* Its worker has left because the search is over: Slurm is not asked how its job ended. */
void ledger_left(struct ledger *ledger, struct node_job job);

/* Drops jobs that are not workers: the coordinator's own. */
void ledger_keep_workers(const struct ledger *ledger, struct slurm_jobs *jobs);

/* Why no worker is submitted at present; "" when all is well. Written when it changes. */
void ledger_note(struct ledger *ledger, const char *note);

#endif
