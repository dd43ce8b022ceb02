/* Runs that stand still: of several ranks in which one does not move and the others wait for it, and those with a
 * process that somebody has stopped. */
#ifndef GANNET_SCHEDULER_CORE_STANDSTILL_H
#define GANNET_SCHEDULER_CORE_STANDSTILL_H

#include "common/buf.h"
#include "common/msg.h"

#include <stdbool.h>

struct core;
struct lease;
struct snapshot;
struct worker;

/* What the worker of a lease said of its node's ranks last. */
struct standstill {
    uint32_t still, waiting, rank, process; /* as in STALL */
    double since;                           /* still: when that rank moved last, or the process was stopped */
    char why[120];
};

void standstill_note(struct core *core, struct worker *worker, const struct msg_stall *stall);
void standstill_forget(struct core *core, const struct lease *lease); /* it is about to be freed */

/* What stands still of a run of this lease, whichever of its nodes that is on, behind a sentence, which may be empty or
 * NULL: "...; rank 3 on node b has not moved for 42 s: its process is stopped; 3 other ranks wait for it". NULL: there
 * is nothing to say; else free() it. */
char *standstill_append(const struct core *core, struct lease *lease, const char *sentence);

/* Those of all runs. */
void standstill_snapshot(const struct core *core, struct snapshot *out);

#endif
