/* What the control group of this process says about memory: its limit, and how many processes the kernel has killed for
 * want of memory. Both versions of control groups are read, the older per controller, the newer unified. */
#ifndef GANNET_WORKER_HARDWARE_CGROUP_H
#define GANNET_WORKER_HARDWARE_CGROUP_H

#include <stdint.h>

struct cgroup {
    char *proc;      /* "/proc" */
    char *directory; /* the group that counts our memory; NULL: none was found */
    char *top;       /* where its tree begins */
    int version;     /* 1 or 2 */
};

/* Finds our group; `proc` is "/proc", `sys` "/sys/fs/cgroup" but in tests. */
void cgroup_find(struct cgroup *group, const char *proc, const char *sys);
void cgroup_fini(struct cgroup *group);

/* The lowest limit of the group and those above it, in bytes; UINT64_MAX: not limited. */
uint64_t cgroup_memory_limit(const struct cgroup *group);

/* How many processes were killed so far: of the group, or of the whole node where the group does not count. Only a
 * difference between two calls means something. */
uint64_t cgroup_oom_kills(const struct cgroup *group);

#endif
