/* What Slurm says of an experiment's jobs, taken into its record (slurm.json): by the coordinator while one runs, else
 * by whoever wants to know, at most once in ten seconds over all who do. */
#ifndef GANNET_SCHEDULER_SLURM_REFRESH_H
#define GANNET_SCHEDULER_SLURM_REFRESH_H

#include "scheduler/slurm/slurm_record.h"

#include <jansson.h>

/* The jobs of an agent's answer, {"jobs": [...]}; -1 with a sentence when it is none. */
int slurm_jobs_read(const json_t *answer, struct slurm_jobs *out, struct err *err);
void slurm_jobs_fini(struct slurm_jobs *jobs); /* {0} is fine */

/* Takes these jobs into the record's submissions of theirs that had not ended, as far as was known; of an array what
 * matters most is kept: that some element runs, else that some wait. `whole`: they are all that have not ended, so the
 * others have. */
void slurm_record_update(struct slurm_record *record, const struct slurm_jobs *jobs, bool whole, double now);

/* Whether Slurm may be asked now about what of the record has not ended. */
bool slurm_refresh_is_due(const struct slurm_record *record, double now);

/* Asks Slurm, unless that was done by anybody within the last ten seconds, and writes down what it says. 0, also when
 * there was nothing to ask; -1 with a sentence when Slurm has not answered. */
int slurm_refresh(const struct rundir *dir, struct err *err);

#endif
