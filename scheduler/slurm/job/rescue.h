/* What a worker asks for that has had no word from the coordinator for minutes, in a job of several nodes (gannet job
 * --rescue): when the first node has failed, and coordinator and batch script with it, nothing else would end the job
 * before its time is up. It goes back into the queue, or another one is submitted and this one ended. */
#ifndef GANNET_SCHEDULER_SLURM_JOB_RESCUE_H
#define GANNET_SCHEDULER_SLURM_JOB_RESCUE_H

#include "common/err.h"
#include "scheduler/rundir/rundir.h"

#include <stdbool.h>

/* Looks once, and acts when the node is lost; then, as a rule, Slurm ends this process. *later: the job is whole as far
 * as Slurm knows, or another node acts, so the coordinator may come back, or this is to be asked again. -1 with a
 * sentence: it is in no such job. */
int slurm_job_rescue(const struct rundir *dir, bool *later, struct err *err);

#endif
