/* The event loop of a thread: links, file descriptors, timers and signals call functions, one at a time. Every
 * long-running program of ours is a loop. */
#ifndef GANNET_COMMON_LOOP_H
#define GANNET_COMMON_LOOP_H

#include "common/err.h"
#include "common/link.h"

#include <stdbool.h>

struct loop;
struct loop_watch; /* one thing that is watched; valid until it is removed */

/* Blocks SIGCHLD in this thread, see proc.h. Made before threads are started; one loop of a process may watch signals
 * and children; others have children that are started apart (proc.h). */
struct loop *loop_create(void);
void loop_destroy(struct loop *loop); /* removes every watch, restores the signal mask; NULL is fine */

/* Called when the watched thing is ready. May add and remove any watch, its own too. */
typedef void loop_call(void *context);

struct loop_watch *loop_link(struct loop *loop, struct link *link, loop_call *call, void *context);
struct loop_watch *loop_read(struct loop *loop, int fd, loop_call *call, void *context);
struct loop_watch *loop_write(struct loop *loop, int fd, loop_call *call, void *context);

/* Calls once, at clock_monotonic() + seconds, and then removes itself - unless it was moved during the call: so a timer
 * goes on. loop_move changes when it will. What is ready in the same turn is called first, so that a timer that comes
 * late is not called when what it waits for has come; one that a call of this turn sets has its turn next time. */
struct loop_watch *loop_timer(struct loop *loop, double seconds, loop_call *call, void *context);
void loop_move(struct loop_watch *timer, double seconds);

/* Calls whenever this signal comes (the signal is blocked until loop_destroy and read through a signalfd; signals may
 * merge). To be called before threads are started, so that they inherit the mask. Children made by proc.h get an empty
 * mask back. */
struct loop_watch *loop_signal(struct loop *loop, int signal, loop_call *call, void *context);

/* What proc.c knows of the process that the loop runs in, as the parent of children. Found out with the first child and
 * kept here, since only one loop of a process has children. */
struct loop_children {
    bool known;                      /* the next field is filled in */
    unsigned long long altered;      /* a bit for each signal that is not at its default, 1 << (number - 1) */
    unsigned long long least_memory; /* bytes that the process has had resident at most, when it was last asked */
    bool have_memory;                /* children were seen to have the process's memory until they are programs */
    bool has_null;                   /* the next field is open */
    int null;                        /* /dev/null, for children that get no descriptor */
};
struct loop_children *loop_children(struct loop *loop);

/* Called at the end of every turn, after all that were ready: for what is done once a turn, in batches. The first turn
 * of loop_run does not wait, so that what there is to do at the start is done. */
struct loop_watch *loop_turn(struct loop *loop, loop_call *call, void *context);

void loop_remove(struct loop_watch *watch); /* NULL is fine */

/* Runs until loop_stop, then returns 0; -1 with a sentence when waiting itself fails. */
int loop_run(struct loop *loop, struct err *err);
void loop_stop(struct loop *loop);

/* The longest turn so far in seconds (waiting not counted), for tests and logs. */
double loop_longest_turn(const struct loop *loop);

#endif
