/* The programs that a supervisor keeps running: their command lines, their logs, and how soon those that die are
 * started again. */
#ifndef GANNET_SCHEDULER_SUPERVISOR_PROGRAMS_H
#define GANNET_SCHEDULER_SUPERVISOR_PROGRAMS_H

#include "scheduler/supervisor/child.h"
#include "scheduler/supervisor/supervise.h"

/* The path of a program of gannet's; free() it. */
char *programs_path(const struct supervise_setup *setup, const char *name);

/* Start one each in the run directory. `child` has what is the same for all: loop, mark, progress, again, gone and
 * context; the rest is filled in here. NULL with a sentence when it can't be started even once. */
struct child *programs_start_coordinator(const struct supervise_setup *setup, const struct rundir *dir,
                                         const struct child_setup *child, struct err *err);

/* The worker on this machine of this index among `count`, which divide the machine. */
struct child *programs_start_worker(const struct supervise_setup *setup, const struct rundir *dir,
                                    const struct child_setup *child, uint32_t index, uint32_t count, struct err *err);

/* A command that starts a worker elsewhere. It does not come back at once: its starts cost the batch system's
 * controller work. */
struct child *programs_start_command(const struct supervise_worker *command, const struct rundir *dir,
                                     const struct child_setup *child, struct err *err);

#endif
