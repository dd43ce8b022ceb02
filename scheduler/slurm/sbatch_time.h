/* Times as sbatch takes them: time limits, and when a job may begin. */
#ifndef GANNET_SCHEDULER_SLURM_SBATCH_TIME_H
#define GANNET_SCHEDULER_SLURM_SBATCH_TIME_H

#include "common/err.h"

#include <stdint.h>

/* "30" (minutes), "30:00", "4:00:00", "2-12", "2-12:30", "2-12:30:00" to whole minutes, rounded up. -1 and err. */
int sbatch_minutes(const char *text, uint32_t *minutes, struct err *err);

/* "now+2hours", "18:00", "noon", "tomorrow", "2026-12-24", "2026-12-24T18:00" in local time to seconds since 1970;
 * `now` is the present. A time of day that has passed is tomorrow's. -1 and err. */
int sbatch_begin(const char *text, double now, double *seconds, struct err *err);

#endif
