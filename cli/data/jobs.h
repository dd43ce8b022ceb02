/* What was submitted to Slurm for an experiment: from the record (slurm.json), which of its jobs matters and the state
 * of it; and from Slurm itself, for the commands that take jobs back, hold and release them. */
#ifndef GANNET_CLI_DATA_JOBS_H
#define GANNET_CLI_DATA_JOBS_H

#include "common/err.h"
#include "scheduler/slurm/slurm_record.h"
#include "scheduler/slurm/refresh.h"

#include <stdbool.h>

/* The record of an experiment, {0} when nothing was submitted or it can't be read. While no coordinator lives, nobody
 * else asks Slurm for the state of the jobs: then it is done here, at most once in ten seconds for all commands
 * together; a Slurm that does not answer leaves what was known, and a sentence in `err`, else empty. slurm_record_fini
 * it. */
void jobs_read(const struct rundir *dir, bool lives, struct slurm_record *out, struct err *err);

/* Whether it has not ended, as far as was seen; and whether a person has ended it (NULL: no). */
bool jobs_is_open(const struct slurm_submission *one);
bool jobs_is_cancelled(const struct slurm_submission *one);

/* The submission that says most, of workers or of what holds the coordinator: one that has not ended goes before one
 * that has, a later one before an earlier. NULL: there is none. */
const struct slurm_submission *jobs_main(const struct slurm_record *record, bool of_workers);

/* Whether a job is left that brings a coordinator; workers alone don't. */
bool jobs_bring_more(const struct slurm_record *record);

/* Whether such a job waits in the queue, or is held there. */
bool jobs_wait(const struct slurm_record *record);

/* One word for an experiment without a coordinator: "pending", "starting", "ending", "paused"; NULL: its jobs don't
 * matter (any more). */
const char *jobs_state(const struct slurm_record *record);

/* Whether anything was submitted, or may have been. */
bool jobs_exist(const struct slurm_record *record);

struct job_queue {
    const struct rundir *dir;
    bool submitted;         /* the experiment was submitted at all; else there is nothing else here */
    struct slurm_jobs jobs; /* those that have not ended */
};

/* 0 or an exit status with a sentence. Of an experiment that was never submitted the controller is not asked. The
 * directory must live as long. */
int job_queue_read(const struct rundir *dir, struct job_queue *out, struct err *err);
void job_queue_fini(struct job_queue *queue);

/* Whether one of them runs, or is about to, and is not ending already; and whether one waits. */
bool job_queue_runs(const struct job_queue *queue);
bool job_queue_waits(const struct job_queue *queue);

/* Does it to every one of them that is meant; an array counts as one. The number done; -1
 * with a sentence when one failed. What came of jobs that wait is known then, and goes into the record. */
int job_queue_hold(struct job_queue *queue, bool hold, struct err *err); /* those that wait and are not held already */
int job_queue_signal(struct job_queue *queue, int number, struct err *err); /* the batch scripts of those that run */

/* Takes back all jobs of an experiment, also those that have just started, and requeues none: an exit status with a
 * sentence, and how many there were. */
int job_queue_end(const struct rundir *dir, int *count, struct err *err);

/* Whether a job may come of which nobody knows whether Slurm took it; once the experiment was ended it ends itself. */
bool jobs_may_come(const struct rundir *dir);

/* Writes into the record that a person paused it, or not any more. */
int job_queue_set_paused(const struct rundir *dir, bool paused, struct err *err);

#endif
