/* Rows of trials as they were written a moment ago. While nothing else has been written of a trial, its end is one
 * whole new row of `trials` and one of `runs` in place of what is there: that takes SQLite half of what an update does,
 * which reads all columns first, and many of them are one statement. What is not known here is updated.
 *
 *     PROPOSED       remembered
 *     LEASED         of a remembered trial that had no attempt: remembered with it, else forgotten
 *     RUN_ENDED      the attempt's row is known
 *     TRIAL_ENDED    the trial's row is known; forgotten
 *     anything else  forgotten
 *
 * A transaction that fails forgets all. */
#ifndef GANNET_SCHEDULER_STORE_FRESH_H
#define GANNET_SCHEDULER_STORE_FRESH_H

#include "scheduler/core/event.h"

enum {
    /* A trial has its place by its number, so that of two so far apart the later one is known. Some 6,000 live at once
     * when trials are shortest: leases ahead, and what waits behind them. */
    FRESH_MOST = 16384,
    /* Parameters of more bytes are not kept: all together are 16 MiB at most. */
    FRESH_TEXT = 1024,
};

struct fresh_trial {
    uint64_t trial; /* 0: nothing is known */
    char *params;
    uint64_t fingerprint, told_before, from;
    double proposed, leased;
    uint32_t attempt; /* 0: it was not leased */
    bool ended;       /* that attempt */
    bool from_start;
    int64_t worker; /* the row of the table workers */
    struct event_lease lease;
};

/* {0} knows nothing. */
struct fresh {
    struct fresh_trial *trials; /* FRESH_MOST of them; NULL: none yet */
};

/* What was just written: events of these kinds. */
void fresh_proposed(struct fresh *fresh, const struct event *event);
void fresh_leased(struct fresh *fresh, const struct event *event, int64_t worker);
void fresh_run_ended(struct fresh *fresh, const struct event *event);

/* What is known of an event's trial before it is written; NULL: not all. To end a run: it is that
 * of the one attempt that there was, and has not ended. */
const struct fresh_trial *fresh_to_end_run(const struct fresh *fresh, const struct event *event);
const struct fresh_trial *fresh_to_end(const struct fresh *fresh, const struct event *event);

void fresh_drop(struct fresh *fresh, uint64_t trial); /* forgets one; one that is not known is fine */
void fresh_forget(struct fresh *fresh);               /* forgets all */

#endif
