/* The batch process's own structs, for its files alone: job.c runs it, job_ask.c asks Slurm how long and why,
 * job_next.c sees to the job that goes on. */
#ifndef GANNET_SCHEDULER_SLURM_JOB_PARTS_H
#define GANNET_SCHEDULER_SLURM_JOB_PARTS_H

#include "scheduler/slurm/allocation.h"
#include "scheduler/slurm/client.h"
#include "scheduler/slurm/job.h"
#include "scheduler/supervisor/supervise.h"

struct job {
    const struct slurm_job_setup *setup;
    struct allocation allocation;
    struct spec *spec;
    struct loop *loop;
    struct slurm_client *client;
    struct supervisor *supervisor;    /* NULL: not started yet */
    struct loop_watch *next_question; /* when Slurm is asked again how long there is; NULL: it is not */
    bool begun;                       /* the supervisor was started, or could not be */
    char *cores;                      /* that the job has on each node, as in struct slurm_jobs; NULL: not known */
    double ends;                      /* when the job's time is up, seconds since 1970; 0: not known */
    bool ended_by_slurm;              /* it takes the job away */
    enum slurm_state state;           /* as what the job counts that Slurm ends */
    bool requeued;                    /* Slurm puts the job that it ends back into the queue by itself */
    int status;                       /* of the session */
    struct err why;
};

/* --- job.c --- */
void job_begin(struct job *job); /* starts everything, now that the end is known, or can't be known */

/* --- job_ask.c --- */
void job_ask_end(struct job *job);    /* asks when the job ends; job_begin, or what has changed, follows */
void job_warned(struct job *job);     /* Slurm's signal before the end has come */
void job_terminated(struct job *job); /* SIGTERM has come: asks what for, and passes it on */

/* --- job_next.c --- */
/* Puts the job back into the queue, or submits one like it. -1 with a sentence. */
int job_next(struct job *job, struct err *err);

#endif
