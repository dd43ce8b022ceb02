/* What a batch script ends in (`gannet job`): runs the experiment of a run directory in the job that this process is
 * the batch script of. The coordinator is started here, a worker on each node as a step of its own; when the time of
 * the job is up, or it is taken away, the search goes on in its next one. */
#ifndef GANNET_SCHEDULER_SLURM_JOB_JOB_H
#define GANNET_SCHEDULER_SLURM_JOB_JOB_H

#include "common/err.h"
#include "scheduler/core/event.h"
#include "scheduler/rundir/rundir.h"
#include "scheduler/spec/spec.h"

#include <stdbool.h>
#include <stdint.h>

struct slurm_job_setup {
    const struct rundir *dir;
    bool no_workers; /* the coordinator submits them: elements of an array, or jobs of their own */
};

/* Runs it to the end of this session, whose reason is *reason. -1 with a sentence: there was no session, the
 * coordinator failed, or the search was to go on in another job that Slurm did not take. *reason is then
 * REASON_STOPPED if a person had ended the search before the job came, else REASON_NONE. SLURM_JOB_UNFIT, with a
 * sentence: nothing was started, since this is inside no job, or the directory holds no experiment. */
enum { SLURM_JOB_UNFIT = -2 };
int slurm_job_run(const struct slurm_job_setup *setup, enum reason *reason, struct err *err);

enum job_next {
    JOB_NEXT_NONE,   /* the experiment is paused */
    JOB_NEXT_SAME,   /* this one, from the queue */
    JOB_NEXT_ANOTHER /* one like it, which is in the record */
};

/* Sees to the job in which the search goes on: puts this one back into the queue, or submits one like it. `next` may be
 * NULL. -1 with a sentence. */
int slurm_job_next(const struct slurm_job_setup *setup, uint32_t id, const struct spec *spec, enum job_next *next,
                   struct err *err);

#endif
