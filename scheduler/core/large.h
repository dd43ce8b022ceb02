/* Trials that need more memory than a slot has: where they run. large.c has the rules. */
#ifndef GANNET_SCHEDULER_CORE_LARGE_H
#define GANNET_SCHEDULER_CORE_LARGE_H

#include "common/fitqueue.h"

#include <stdbool.h>
#include <stdint.h>

struct core;
struct lease;
struct node_health;
struct slot;
struct trial;
struct worker;

/* The core's part for them. */
struct large {
    struct fitqueue queue; /* those that wait, sized by their need of time */
    struct worker *kept;   /* what it has free is kept for the first of them; NULL: there is none */
    uint64_t most;         /* bytes of the worker that has the most memory, of all that were met; 0: not known */
    bool look;             /* workers are to be looked through for them in this input */
    uint64_t without;      /* the first of them, if no worker that there is could ever have it; 0: none */
    double without_since;  /* since when */
};

void large_init(struct core *core);

/* Whether the trial needs more memory than a slot has. */
bool large_is(const struct core *core, const struct trial *trial);

void large_met(struct core *core, uint64_t memory); /* a worker with so much memory said HELLO */
void large_place(struct core *core);                /* leases those for which there is room */
void large_tick(struct core *core); /* has workers looked through for them; ends those that no worker can have */
void large_left(struct core *core, struct worker *worker); /* it is about to be freed */

/* Leases of this worker have changed: its vacant slots may have lost their memory to a large trial, or got it back.
 * `went`: it was a large one that went. */
void large_changed(struct core *core, struct worker *worker, bool went);

/* Whether there is memory left for a usual trial in this slot, which has no lease; and whether another lease may wait
 * in one that has. */
bool large_leaves_room(const struct core *core, const struct slot *slot);
bool large_lets_wait(const struct core *core, const struct slot *slot);

/* Whether the worker has the memory for this trial when nothing else runs there. */
bool large_could(const struct core *core, const struct worker *worker, const struct trial *trial);

/* Whether a worker of another node than this one gets trials, and could have this one; of a usual trial any could. */
bool large_could_elsewhere(struct core *core, const struct trial *trial, const struct node_health *node);

#endif
