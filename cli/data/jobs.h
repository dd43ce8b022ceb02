/* What was submitted to Slurm for an experiment, from the record (slurm.json): which of its jobs matters, and the
 * state of it. */
#ifndef GANNET_CLI_DATA_JOBS_H
#define GANNET_CLI_DATA_JOBS_H

#include "common/err.h"
#include "scheduler/slurm/record.h"

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

/* One word for an experiment without a coordinator: "pending", "starting", "paused"; NULL: its jobs don't matter (any
 * more). */
const char *jobs_state(const struct slurm_record *record);

#endif
