/* One program that the supervisor keeps running: started with a log file, started again when it dies - at once at
 * first, then after longer and longer pauses - and given up when it dies over and over. */
#ifndef GANNET_SCHEDULER_SUPERVISOR_CHILD_H
#define GANNET_SCHEDULER_SUPERVISOR_CHILD_H

#include "common/err.h"
#include "common/loop.h"
#include "common/proc.h"

#include <stdbool.h>
#include <stdint.h>

struct child;

struct child_setup {
    struct loop *loop;
    const char *const *argv; /* copied */
    const char *const *once; /* further words of the first start alone; NULL at the end; may be NULL */
    const char *mark;        /* "NAME=value" in its environment; copied */
    const char *log;         /* file that its output is added to; copied */
    /* How far the experiment has come, any number that rises: a child that dies without it having risen since its last
     * death is on the way to be given up. */
    uint64_t (*progress)(void *context);
    int death_signal;     /* what it gets when we die; 0: SIGKILL */
    double steady;        /* seconds; not 0: nor is one that had lived so long, and it alone is started soon again */
    double pause;         /* seconds before the first new start, doubled each time; 0: 0.05 */
    double pause_most;    /* seconds at most; 0: no limit */
    double hold;          /* seconds for which a killed process may stay in the kernel; 0: 30 */
    uint32_t most_deaths; /* it is given up at this one on the way; 0: the fifth */
    /* It ended. What is to be done: start it again (unless it is given up), or leave it. */
    bool (*again)(void *context, struct child *child, int pid, const struct proc_exit *how);
    /* It is gone for good: left, given up (with a sentence that quotes its log), or ended by child_end. */
    void (*gone)(void *context, struct child *child, const char *why);
    void *context;
};

/* Starts it. NULL with a sentence when it can't be started even once. */
struct child *child_start(const struct child_setup *setup, struct err *err);
void child_destroy(struct child *child); /* kills it; NULL is fine */

/* Ends it for good: SIGTERM, SIGKILL after `grace` seconds (0: at once). `gone` is called, later, unless it was before.
 */
void child_end(struct child *child, double grace);

/* Kills the process (as child_end ends it), which is then started again like one that died; `why` it was killed: "it
 * fell silent". One that does not run just now is left alone. */
void child_kill(struct child *child, double grace, const char *why);

/* For `again`: the next start is so many seconds away, and this death is none of those that end it: the child
 * is not wanted just now. Thirty such in a row without progress end it, too. */
void child_delay(struct child *child, double seconds);

/* Sends a signal to the program alone; one that does not run just now misses it. */
void child_signal(const struct child *child, int number);

/* Its process; 0: it does not run just now. */
int child_pid(const struct child *child);

bool child_is_gone(const struct child *child);

/* How often it was started again. */
uint32_t child_restarts(const struct child *child);

#endif
