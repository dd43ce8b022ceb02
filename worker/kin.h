/* Processes and their children, as /proc shows them. */
#ifndef GANNET_WORKER_KIN_H
#define GANNET_WORKER_KIN_H

#include "common/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct kin {
    pid_t *pids;
    size_t count, room;
};

/* {0} is an empty list. */
void kin_fini(struct kin *kin);

/* Adds the children of a process, of all its threads. None where the kernel doesn't tell (CONFIG_PROC_CHILDREN). */
void kin_children(pid_t pid, struct kin *out);

/* Adds the process itself and all that descend from it. */
void kin_tree(pid_t pid, struct kin *out);

/* The value of a variable ("NAME=" with its sign) in the environment that a process was started with; false when it has
 * none or can't be looked at. */
bool kin_env(pid_t pid, const char *name, struct buf *out);

/* Bytes of memory that a process and all that descend from it use. `exactly`: pages that several of them share count
 * once, which takes the kernel longer to find out; else they count for each. */
uint64_t kin_memory(pid_t pid, bool exactly);

/* Bytes that the largest of them has had resident at most. */
uint64_t kin_peak(pid_t pid);

#endif
