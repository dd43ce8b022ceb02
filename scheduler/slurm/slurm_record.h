/* What was submitted for an experiment: slurm.json in the run directory, written by whoever submits (the command, or
 * the coordinator), at once, under a lock. What the store has of jobs (table jobs) is written by the coordinator from
 * it. */
#ifndef GANNET_SCHEDULER_SLURM_SLURM_RECORD_H
#define GANNET_SCHEDULER_SLURM_SLURM_RECORD_H

#include "scheduler/rundir/rundir.h"
#include "scheduler/slurm/interface.h"

enum slurm_role { SLURM_ROLE_EXPERIMENT, SLURM_ROLE_COORDINATOR, SLURM_ROLE_WORKER };

struct slurm_submission {
    uint32_t id;           /* the job's, or the array's */
    enum slurm_role role;  /* EXPERIMENT: coordinator and workers in one allocation */
    uint32_t count;        /* elements of an array; 1 */
    bool array;            /* it is one */
    double submitted;      /* seconds since 1970 */
    struct slurm_job seen; /* as last seen, `looked` (seconds since 1970; 0: never) */
    double looked;
};

struct slurm_record {
    char comment[128]; /* of all its jobs: "gannet:NAME:RANDOM" */
    bool paused;       /* a person paused it: nothing resubmits it */
    double unsure;     /* when a job was asked for of which it is not known whether Slurm took it; 0: there is none */
    enum slurm_role unsure_role; /* of that job */
    double asked;                /* when Slurm was last asked by a command (refresh.h); seconds since 1970 */
    char note[512];              /* why the coordinator submits no worker at present, a sentence; "" */
    struct slurm_submission *items;
    uint32_t count, capacity;
};

const char *slurm_role_name(enum slurm_role role);

/* Whether anything was submitted: whether there is a record. */
bool slurm_record_exists(const struct rundir *dir);

/* {0} is an empty record; a missing file reads as one, with a new comment. */
int slurm_record_read(const struct rundir *dir, struct slurm_record *out, struct err *err);
/* Reads, lets `change` change it, writes, all under a lock. */
int slurm_record_change(const struct rundir *dir, void (*change)(void *context, struct slurm_record *record),
                        void *context, struct err *err);
/* A job that is there and has not ended stays as it is, in this role: its batch script may have been quicker than who
 * submitted it. (One that has ended is of another cluster, or of one whose numbers began anew.) */
struct slurm_submission *slurm_record_add(struct slurm_record *record, uint32_t id, enum slurm_role role);
/* A job with the record's comment: when it is none that was known, it is the one of which nobody knew (`unsure`). */
void slurm_record_settle(struct slurm_record *record, const struct slurm_job *job);
/* Forgets the oldest worker jobs that have ended, beyond the last few: the store's table has them all, and this file is
 * written as a whole at every change. */
void slurm_record_trim(struct slurm_record *record);
void slurm_record_fini(struct slurm_record *record);

#endif
