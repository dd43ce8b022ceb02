/* What the control group of this process says about memory: its limit, and how many processes the kernel has killed for
 * want of memory. Both versions of control groups are read, the older per controller, the newer unified. */
#ifndef GANNET_WORKER_HARDWARE_CGROUP_H
#define GANNET_WORKER_HARDWARE_CGROUP_H

#include <stdbool.h>
#include <stdint.h>

struct cgroup {
    char *proc;      /* "/proc" */
    char *directory; /* the group that counts our memory; NULL: none was found */
    char *top;       /* where its tree begins */
    int version;     /* 1 or 2 */
    uint64_t kills;  /* as they were counted when that was last asked; those told since count, too */
    double asked;    /* when that was, on the monotonic clock */
};

/* Finds our group; `proc` is "/proc", `sys` "/sys/fs/cgroup" but in tests. */
void cgroup_find(struct cgroup *group, const char *proc, const char *sys);
void cgroup_fini(struct cgroup *group);

/* The lowest limit of the group and those above it, in bytes; UINT64_MAX: not limited. */
uint64_t cgroup_memory_limit(const struct cgroup *group);

/* How many processes were killed so far: of the group, or of the whole node where the group does not count. Only a
 * difference between two calls means something. */
uint64_t cgroup_oom_kills(const struct cgroup *group);

/* To be called from time to time: kills are asked for once a second. */
void cgroup_watch(struct cgroup *group, double now);

/* Whether a process was killed since cgroup_watch last asked; each kill is told once. */
bool cgroup_was_starved(struct cgroup *group);

#endif
