/* The jobs of a submitted experiment, as Slurm has them now: for the commands that take them back, hold and release
 * them. Each function asks the controller and waits for its answer. */
#ifndef GANNET_CLI_DATA_JOB_QUEUE_H
#define GANNET_CLI_DATA_JOB_QUEUE_H

#include "common/err.h"
#include "scheduler/slurm/refresh.h"

#include <stdbool.h>

struct job_queue {
    const struct rundir *dir;
    bool submitted;         /* the experiment was submitted at all; else there is nothing else here */
    struct slurm_jobs jobs; /* those that have not ended */
};

/* 0 or an exit status with a sentence. Of an experiment that was never submitted the controller is not asked. The
 * directory must live as long. */
int queue_read(const struct rundir *dir, struct job_queue *out, struct err *err);
void queue_fini(struct job_queue *queue);

/* Whether one of them runs, or is about to; and whether one waits. */
bool queue_runs(const struct job_queue *queue);
bool queue_waits(const struct job_queue *queue);

/* Does it to every one of them that is in this state, SLURM_STATES: any; an array counts as one. The number done; -1
 * with a sentence when one failed. What came of jobs that wait is known then, and goes into the record. */
int queue_cancel(struct job_queue *queue, enum slurm_state state, struct err *err);
int queue_hold(struct job_queue *queue, bool hold, struct err *err);    /* those that wait and are not held already */
int queue_signal(struct job_queue *queue, int number, struct err *err); /* the batch scripts of those that run */

/* Writes into the record that a person paused it, or not any more. */
int queue_set_paused(const struct rundir *dir, bool paused, struct err *err);

#endif
