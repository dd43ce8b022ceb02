/* What a worker becomes that has had no word from the coordinator for minutes, in a job of several nodes (gannet job
 * --rescue): when the first node has failed, and coordinator and batch script with it, nothing else would end the job
 * before its time is up. It goes back into the queue, or another one is submitted and this one ended. */
#ifndef GANNET_SCHEDULER_SLURM_RESCUE_H
#define GANNET_SCHEDULER_SLURM_RESCUE_H

#include "common/err.h"
#include "scheduler/rundir/rundir.h"

/* Returns when the job is over, or was seen to; as a rule Slurm ends this process before. -1 with a sentence: it is in
 * no such job. Asks Slurm about the job at growing intervals and waits for the answers. */
int slurm_job_rescue(const struct rundir *dir, struct err *err);

#endif
