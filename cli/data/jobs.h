/* What was submitted to Slurm for an experiment, as `gannet status` and `gannet ls` show it: its jobs, why they wait,
 * and when they end. From the record (slurm.json) alone. */
#ifndef GANNET_CLI_DATA_JOBS_H
#define GANNET_CLI_DATA_JOBS_H

#include "cli/console.h"
#include "scheduler/slurm/record.h"

/* The record of an experiment, {0} when nothing was submitted or it can't be read. While no coordinator lives, nobody
 * else asks Slurm how the jobs stand: then it is done here, at most once in ten seconds whoever looks; a Slurm that
 * does not answer leaves what was known, and a sentence in `err`, else empty. slurm_record_fini it. */
void jobs_read(const struct rundir *dir, bool lives, struct slurm_record *out, struct err *err);

/* Whether a job is left that brings a coordinator; workers alone don't. */
bool jobs_bring_more(const struct slurm_record *record);

/* Whether such a job waits in the queue, or is held there. */
bool jobs_wait(const struct slurm_record *record);

/* One word for an experiment without a coordinator: "pending", "starting", "paused"; NULL: its jobs don't matter (any
 * more). */
const char *jobs_state(const struct slurm_record *record);

/* Why nothing runs, as far as it is Slurm's doing; false (and nothing added) when it is not. `lives`: a coordinator
 * does, so it is its workers that are missing. `now`: seconds since 1970. */
bool jobs_explain(const struct slurm_record *record, bool lives, double now, struct buf *out);

/* Adds a table of the jobs that have not ended; of those that have, the last one when there is no other. */
void jobs_draw(const struct slurm_record *record, double now, const struct look *look, struct buf *out);

/* For programs (docs/json.md); null when nothing was submitted. */
json_t *jobs_json(const struct slurm_record *record);

#endif
