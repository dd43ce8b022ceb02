/* Processes and their children, as /proc shows them. */
#ifndef GANNET_WORKER_PROGRAM_PROCESS_TREE_H
#define GANNET_WORKER_PROGRAM_PROCESS_TREE_H

#include "common/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct process_tree {
    pid_t *pids;
    size_t count, capacity;
};

/* {0} is an empty list. */
void process_tree_fini(struct process_tree *process_tree);

/* Adds the children of a process, of all its threads. None where the kernel doesn't tell (CONFIG_PROC_CHILDREN). */
void process_tree_children(pid_t pid, struct process_tree *out);

/* Adds those of a list of children of the kernel (/proc/PID/task/TID/children) that is kept open; none for -1. */
void process_tree_listed(int list, struct process_tree *out);

/* Adds the process itself and all that descend from it. */
void process_tree_tree(pid_t pid, struct process_tree *out);

/* The value of a variable ("NAME=" with its sign) in the environment that a process was started with; false when it has
 * none or can't be looked at. */
bool process_tree_env(pid_t pid, const char *name, struct buf *out);

/* Which of a process and all that descend from it is stopped (SIGSTOP, or by a terminal); 0: none is. */
pid_t process_tree_stopped(pid_t pid);

/* Bytes of memory that a process and all that descend from it use. `exactly`: pages that several of them share count
 * once, which takes the kernel longer to find out; else they count for each. */
uint64_t process_tree_memory(pid_t pid, bool exactly);

/* Bytes that the largest of them has had resident at most. */
unsigned long long process_tree_peak(pid_t pid);

#endif
