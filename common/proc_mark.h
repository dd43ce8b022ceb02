/* The mark in the limits: says whose descendant a process is, whatever it has done to its environment and its session.
 *
 * Linux has had no use for RLIMIT_LOCKS since 2.4.25, but hands it from parent to child, through every fork and exec,
 * and shows it in /proc/PID/limits; an ordinary process may lower a hard limit and never raise it. A mark is a value of
 * it: the owner's number and the time of its start, which together no other process of the node has. The soft limit has
 * the innermost owner (a worker), the hard one the outermost (the `gannet run` that started it). */
#ifndef GANNET_COMMON_PROC_MARK_H
#define GANNET_COMMON_PROC_MARK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* What an owner is; what a dead worker left behind is nobody's, a dead run's processes may be ending in order. */
enum proc_mark_kind { PROC_MARK_WORKER, PROC_MARK_RUN };

/* Marks this process, and so all that it starts from now on, as its own. The mark; 0 where the limit is in use for
 * something else, or there are four owners around us already. */
uint64_t proc_mark_take(enum proc_mark_kind kind);

/* Whether the process that a mark names runs. */
bool proc_mark_owner_lives(uint64_t mark);

/* Whether a process was started by a run that is dead: it is ending, or will be ended. */
bool proc_mark_lost_run(pid_t pid);

/* How many processes with this mark run, without this one. */
int proc_mark_count(uint64_t mark);

/* Kills (SIGKILL) them, and what they start meanwhile, until none is left or the time is up: the number killed. */
int proc_mark_sweep(uint64_t mark, double seconds);

/* The same, once, for those of this user whose worker is dead. */
int proc_mark_sweep_orphans(void);

#endif
