/* What a tree of processes has used, by looks at it from time to time. Between two looks nothing is lost that parents
 * waited for, since the kernel adds it to them; of a thread that ended what it had at the last look counts.
 *
 * A look takes some 30 us a process and some 20 us a thread, so whoever looks often asks tree_looks_due first: then
 * looks take half a percent of one core's time at most, however large the tree is. */
#ifndef GANNET_WORKER_PROFILE_TREE_H
#define GANNET_WORKER_PROFILE_TREE_H

#include "common/run_counters.h"

#include <stddef.h>
#include <sys/types.h>

/* A run shorter than this is not looked at. */
#define TREE_SHORTEST 0.1

struct tree_thread;

/* {0} has not looked. */
struct tree_looks {
    struct tree_thread *threads; /* of the last look, by their numbers */
    size_t count, capacity;
    struct run_counters gone; /* what threads had that ended */
    struct run_counters last; /* the sum of all at the last look */
    struct run_counters most; /* of each counter the most that a look found */
    double at, cost;          /* when the last look ended, and how long it took */
};

void tree_looks_fini(struct tree_looks *looks);

bool tree_looks_due(const struct tree_looks *looks, double now);

/* Looks at these processes; `proc` is "/proc" but in tests. Those that are gone are passed over. */
void tree_looks_take(struct tree_looks *looks, const char *proc, const pid_t *pids, size_t count);

/* What one process has read and written, alone. */
void tree_read_io(const char *proc, pid_t pid, struct run_counters *out);

/* What was seen, beside what the kernel said at the end of the first of them: the greater counts, since processes that
 * nobody waited for are in the one, and what came after the last look in the other. */
void tree_looks_add(const struct tree_looks *looks, struct run_counters *counters);

#endif
