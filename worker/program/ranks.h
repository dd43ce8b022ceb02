/* The processes of a program: one, or those that a gang has on this node (common/gang.h). They begin together and end
 * together:
 *
 *     one fails              the others get SIGTERM, and SIGKILL after the grace
 *     the first ends well    the others have the grace to end by themselves, SIGTERM in its last part
 *     an end is asked for    all get SIGTERM, and SIGKILL after that grace; how each ends is its own matter then
 *
 * When the last is gone that is told, once. With one process all of this is what proc.h does. */
#ifndef GANNET_WORKER_PROGRAM_RANKS_H
#define GANNET_WORKER_PROGRAM_RANKS_H

#include "common/proc.h"
#include "common/run_counters.h"
#include "worker/hardware/numbers.h"
#include "worker/profile/perf.h"

#include <stdint.h>

struct ranks;

/* How they ended. */
struct ranks_end {
    struct proc_exit how;         /* of the one that counts, with the processor time and memory of all */
    struct run_counters counters; /* of all */
    uint32_t which;               /* that one: the first, or the one of several that failed */
    bool has_failed;              /* it is one of several that failed by itself */
    const struct numbers *stayed; /* those that did not end by themselves after the first had; empty: none */
};

struct ranks_setup {
    perf_events events; /* of the processor that are counted; 0: none */
    bool leads;         /* the first of them is the first of the whole gang */
    double grace;       /* seconds, as above */
    int later;          /* an exit status that is no failure: it is to go on later; 0: none is */
    /* When a process last wrote to its error output, in any unit: of several that failed at the same time the one that
     * stopped first counts, since the others may have failed because it was gone. */
    double (*spoke)(void *context, uint32_t which);
    void (*ended)(void *context, const struct ranks_end *end); /* called from the loop; may destroy */
    void *context;
};

/* None yet. What has none waits until its end is asked for. */
struct ranks *ranks_create(struct loop *loop, const struct ranks_setup *setup);
void ranks_destroy(struct ranks *ranks); /* kills them; no call follows. NULL is fine */

/* Starts another; before the loop runs again. */
int ranks_add(struct ranks *ranks, const struct proc_setup *setup, struct err *err);

/* Asks for their end: SIGTERM, SIGKILL after `grace`. May be repeated to shorten it. */
void ranks_end(struct ranks *ranks, double grace);

/* They know by other means that they are to end: how each does is its own matter. */
void ranks_expect_end(struct ranks *ranks);
void ranks_signal(struct ranks *ranks, int signal);

/* Whether one has failed, so that the others are being ended. */
bool ranks_have_failed(const struct ranks *ranks);

/* Looks which have ended. When the last one has, that is told within the call, after which they may be no more. */
void ranks_look(struct ranks *ranks);

/* Whether all have ended; it may be told a moment later. */
bool ranks_are_gone(const struct ranks *ranks);

bool ranks_have(const struct ranks *ranks, pid_t pid);

/* Which of them, and of what they have started, is stopped (process_tree.h). */
pid_t ranks_stopped(const struct ranks *ranks);

/* Bytes of memory that all use, with what they have started (process_tree.h). */
uint64_t ranks_memory(const struct ranks *ranks, bool exactly);

/* Looks at what each has had at most, for those whose end does not tell. */
void ranks_watch_memory(struct ranks *ranks, unsigned long long (*peak_of)(pid_t pid));

/* Looks at what each and its children have used, unless that was a moment ago (worker/profile/tree.h). */
void ranks_watch_use(struct ranks *ranks, double now);

/* A moment after their start: has the processor count those that have lived to see it, and all that they start. */
void ranks_count_events(struct ranks *ranks);

#endif
