/* The jobs that were submitted to Slurm for an experiment, as `gannet status` and `gannet ls` show them: why they wait,
 * and when they end. From the record (slurm.json) alone. */
#ifndef GANNET_CLI_VIEW_JOB_LIST_H
#define GANNET_CLI_VIEW_JOB_LIST_H

#include "cli/look.h"
#include "common/buf.h"
#include "scheduler/core/snapshot.h"
#include "scheduler/slurm/interface.h"
#include "scheduler/slurm/slurm_record.h"

#include <jansson.h>

/* Why nothing runs, as far as it is Slurm's doing; false (and nothing added) when it is not. `lives`: a coordinator
 * does, so it is its workers that are missing. `now`: seconds since 1970. */
bool job_list_explain(const struct slurm_record *record, bool lives, double now, struct buf *out);

/* Says which end of a job was the end of a session with this reason, and what follows; false when its jobs don't tell.
 * Where nothing was submitted a session that was to go on in another job was killed.
 */
bool job_list_reason(const struct slurm_record *record, enum reason reason, struct buf *out);

/* Says that a job has lost the node on which its coordinator was and lives on; false when it has not. */
bool job_list_lost(const struct slurm_record *record, struct buf *out);

/* Adds a table of the jobs that have not ended; of those that have, the last one when there is no other. */
void job_list_draw(const struct slurm_record *record, double now, const struct look *look, struct buf *out);

/* For programs (docs/json.md); null when nothing was submitted. */
json_t *job_list_json(const struct slurm_record *record);

/* Whether it is an end that Slurm, or a person by way of it, put to the job: not one of its own, nor one that nobody
 * saw. */
bool job_list_end_is_of_slurm(enum slurm_state state);

/* Adds "was preempted: ...", "ended with status 3"; of a job that has ended. */
void job_list_add_end(const struct slurm_job *job, struct buf *out);

/* The job of a row of the store's table jobs, as far as its end is concerned; false when it has not ended. */
bool job_list_read_end(const json_t *row, struct slurm_job *out);

#endif
