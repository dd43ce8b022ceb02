/* What the control group of this worker says (version 2; of version 1 the quota alone): the quota of processors and the
 * limit of memory that kept its processes waiting, and their pressure. A job of Slurm's, a container and a session of a
 * person's have a group each; all slots of the worker are in it together. */
#ifndef GANNET_WORKER_PROFILE_GROUP_H
#define GANNET_WORKER_PROFILE_GROUP_H

#include "common/run_counters.h"
#include "worker/profile/held_file.h"

enum group_file {
    GROUP_CPU_STAT,
    GROUP_MEMORY_EVENTS,
    GROUP_MEMORY_PEAK,
    GROUP_CPU_PRESSURE,
    GROUP_MEMORY_PRESSURE,
    GROUP_IO_PRESSURE,
    GROUP_FILES
};

/* {0} has no group. */
struct group_watch {
    char *directory; /* NULL: there is none that counts */
    char *older;     /* of version 1, whose quota is read where the other has none; NULL: there is none */
    struct held_file files[GROUP_FILES];
};

/* Finds the group of this process; `proc` is "/proc", `cgroup` "/sys/fs/cgroup" but in tests. The root of all groups is
 * none: what it would say is what the node says. */
void group_find(struct group_watch *watch, const char *proc, const char *cgroup);

/* Sets those that are known. */
void group_read(struct group_watch *watch, struct run_counters *out);

/* Calls `why` with a sentence for each that `read` does not have. */
void group_why(const struct group_watch *watch, const struct run_counters *read,
               void (*why)(void *context, enum run_counter counter, const char *sentence), void *context);

void group_close(struct group_watch *watch);

#endif
