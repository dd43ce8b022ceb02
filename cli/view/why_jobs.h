/* Of `gannet explain` what is about the jobs of an experiment: from the store's table, and from the record of what was
 * submitted, where Slurm's last word stands. */
#ifndef GANNET_CLI_VIEW_WHY_JOBS_H
#define GANNET_CLI_VIEW_WHY_JOBS_H

#include "cli/view/why.h"

/* A sentence for each run of each job. */
void why_jobs_explain(const struct why_facts *known, json_t *sentences);

/* Adds what Slurm did to the job of that name ("12", "12_3") that ran at `moment`, a time as documents have it, when it
 * ended that: "; job 12 was preempted". */
void why_jobs_add_end(const struct why_facts *known, const char *name, const char *moment, struct buf *line);

#endif
