/* Whether an experiment may be given another job: it must not have two coordinators, nor two jobs that would bring one.
 */
#ifndef GANNET_CLI_SESSION_ALONE_H
#define GANNET_CLI_SESSION_ALONE_H

#include "cli/console.h"
#include "cli/data/jobs.h"

/* The jobs that will bring a coordinator, if there are any, in *queue (job_queue_fini it, whatever is returned), which
 * is {0} before. Waits, and says so, while a job or a session is about to end or to start, a minute at most. 0; or an
 * exit status, and everything said: a coordinator runs, or Slurm does not answer. */
int alone_await(struct console *console, const struct rundir *dir, struct job_queue *queue);

#endif
