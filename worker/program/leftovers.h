/* What runs leave behind: processes that their programs put in the background, in sessions of their own, out of reach
 * of a signal to the group. This process adopts them (it is a subreaper), so they can be found as its children. */
#ifndef GANNET_WORKER_PROGRAM_LEFTOVERS_H
#define GANNET_WORKER_PROGRAM_LEFTOVERS_H

#include "common/texts.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Adds the variables of the environment that mark all children of this process as ours, and kills what dead workers of
 * this run directory (NULL: none) left on this node. */
void leftovers_mark(struct texts *marks, const char *rundir);

/* From now on orphans among our descendants become our children. To be called by the main thread, which adopts them and
 * starts all others. The kernel's list of its children, open: to be closed; -1 where the kernel has none. */
int leftovers_adopt(void);

/* Looks at the children on the list that are adopted: reaps those that have ended, kills those that belong to no living
 * run. `is_own` says whether a process is one that the caller started itself; `is_living` whether the run that a
 * process was started for goes on - trial 0 stands for one that does not say. The number killed. */
int leftovers_clear(int list, bool (*is_own)(void *context, pid_t pid),
                    bool (*is_living)(void *context, uint64_t trial, uint32_t attempt), void *context);

#endif
