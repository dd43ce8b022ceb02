/* Looks after the ranks of a kernel's run on this node: which of them does not get on, and how many wait for others.
 * They show that in memory that the worker can read (common/rank_board.h); whether a process is stopped, or waits for a
 * disk, its system says (/proc/PID/stat). */
#ifndef GANNET_WORKER_PROGRAM_RANK_WATCH_H
#define GANNET_WORKER_PROGRAM_RANK_WATCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct rank_watch;

/* What is seen of the ranks of one node. */
struct rank_stall {
    uint32_t still;   /* ranks that have not moved for some time, and do not wait for others */
    uint32_t waiting; /* ranks that have not either, and do */
    uint32_t rank;    /* still: the one of them that moved longest ago, of those of this node; */
    double seconds;   /* so long ago; */
    char state;       /* and its process's state, as in /proc/PID/stat */
};

/* So long a rank has not moved before that is said. One that computes may have a large batch, or a validation: it has
 * longer, and three times as long as it ever took between two moves in its run; the time in which it was stopped, or
 * waited for others, is in neither. */
#define RANK_STILL_SECONDS    15.0
#define RANK_COMPUTES_SECONDS 60.0

/* Those of the trainer of this number. */
struct rank_watch *rank_watch_create(pid_t trainer);
void rank_watch_destroy(struct rank_watch *watch); /* NULL is fine */

/* A run begins: what was before it says nothing. */
void rank_watch_begin(struct rank_watch *watch, double now);

/* Looks, unless that was a moment ago: then, or when nothing can be seen, false. */
bool rank_watch_look(struct rank_watch *watch, double now, struct rank_stall *out);

/* What keeps a process in this state from moving, as a part of a sentence: "its process is stopped". */
const char *rank_stall_cause(char state);

#endif
