/* The coordinator's side of the shapes array and elastic: it sees to it that there are workers. The allocator
 * (allocator.h) decides; this asks Slurm for it, through the agent, and writes down what was asked and what came: in
 * slurm.json at once, in the store through the core.
 *
 * The controller is asked nothing while all jobs have their workers, and in the long run at most once in ten seconds.
 * GANNET_SLURM_PACE=0.01 makes all these times a hundred times shorter, for tests. */
#ifndef GANNET_SCHEDULER_SLURM_ELASTIC_H
#define GANNET_SCHEDULER_SLURM_ELASTIC_H

#include "common/loop.h"
#include "scheduler/core/core.h"
#include "scheduler/rundir/rundir.h"

struct elastic;

/* All of it lives as long as it does. */
struct elastic_setup {
    struct loop *loop;
    struct core *core;
    const struct rundir *dir;
    const struct spec *spec;
};

/* Takes on the jobs that the record has, and begins. NULL with a sentence. */
struct elastic *elastic_start(const struct elastic_setup *setup, struct err *err);

/* The session is over: what waits in the queue is taken back, unless a later session goes on. */
void elastic_end(struct elastic *elastic);

/* Whether there is nothing left to ask after that. */
bool elastic_is_done(const struct elastic *elastic);

/* Everything is written down: workers that have left had jobs that have ended. What the core then has to store is to be
 * taken from it. */
void elastic_settle(struct elastic *elastic);

void elastic_stop(struct elastic *elastic); /* NULL is fine */

#endif
