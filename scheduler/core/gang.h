/* Trials that run on several nodes: an attempt is leased to a slot on each of them. The lease on node 0 is the trial's:
 * its samples, values and result are the trial's, and it carries what all of them have in common. The others are its
 * parts. A part counts as long as its first lease does. */
#ifndef GANNET_SCHEDULER_CORE_GANG_H
#define GANNET_SCHEDULER_CORE_GANG_H

#include "common/endings.h"
#include "common/list.h"

#include <stdbool.h>
#include <stdint.h>

struct core;
struct lease;
struct memory_trial;
struct msg_result;
struct run_counters;
struct slot;
struct trial;
struct worker;

/* What a lease has of its gang; of a run on one node all of it is empty. */
struct gang_place {
    uint32_t node;          /* which part it is, from 0 */
    uint32_t nodes;         /* of the run, at least 1 */
    uint16_t port;          /* node 0: where the processes meet; 0: nobody named one */
    char *meeting;          /* node 0: beside which address, and by what secret; owned; NULL: nobody said it */
    struct lease *first;    /* a part: the lease on node 0; NULL: it does not count any more */
    struct list_link link;  /* a part: in the list of the first */
    struct list_link parts; /* node 0: the parts that have not ended */
    double leave_by;        /* node 0 has ended well: when this part is stopped; 0: it is not waited for */
    bool spoiled;           /* node 0: another node ended badly, and so does the run as soon as this one has ended, */
    enum ending ending;     /* spoiled: in this way, */
    char *why, *tail;       /* spoiled: with this sentence and these last lines of error output, owned, */
    char *where;            /* and on this node, owned */
    uint32_t told;          /* node 0: parts that have said what they counted, */
    double joules[3];       /* and the sums of theirs, of processors, memory and GPUs; NaN: one of them does not know */
};

void gang_init(struct lease *lease);
void gang_forget(struct lease *lease); /* frees what it has; the core ends, and its parts with it */
void gang_fini(struct lease *lease);   /* its parts count no more; a part leaves its list */

uint32_t gang_nodes(const struct core *core); /* that a trial takes */
bool gang_is_full(const struct core *core);   /* limits.max_concurrent lets no further trial begin */
/* The lease on node 0, of a part that counts and of node 0 itself; NULL: a part that does not count. */
struct lease *gang_first(struct lease *lease);

/* Leases the trial to these slots, which are on different nodes. */
void gang_grant(struct core *core, struct trial *trial, struct slot *const *slots, uint32_t nodes);
/* Sends what has not been sent; when nothing is to begin any more, that goes back. */
void gang_act(struct core *core, struct trial *trial);
/* After a restart: the other leases of a running trial. */
void gang_recall(struct core *core, struct trial *trial, const struct memory_trial *from);

/* Tells all that were sent to end so, the parts of this lease that were not are dropped. Node 0 was sent. */
void gang_stop(struct core *core, struct lease *first, enum ending ending);
/* The attempt is over: those of it that were sent are told to stop, the others are dropped; but for `except`. */
void gang_dissolve(struct core *core, struct lease *first, const struct lease *except);
/* Node 0 ended well: the others have trial.grace to end by themselves, if there is anything to end. */
void gang_leave(struct core *core, struct lease *first);
void gang_tick(struct core *core, struct slot *slot); /* and then they are stopped */
/* A part that counts has ended, though its worker says nothing of it, or never began: it does not count any more, the
 * whole run is stopped, and ends with this. */
void gang_give_up(struct core *core, struct lease *part, enum ending ending, const char *why);
/* The worker of a part that was sent is lost; the lease stays. */
void gang_lose(struct core *core, struct lease *part, enum ending ending, const char *why);
/* What the worker of a part says of its end; the lease is freed. */
void gang_take_result(struct core *core, struct lease *part, const struct msg_result *result);
/* The same of a part that has no lease any more: it is written down. */
void gang_note_end(struct core *core, const struct worker *worker, uint32_t node, const struct msg_result *result);

/* Makes the joules that node 0 counted those of all nodes. A part that has not ended by then counts as node 0 does: all
 * of them do the same work for the same time. `first` may be NULL: no part has said anything. */
void gang_sum_joules(const struct core *core, const struct lease *first, struct run_counters *counters);

#endif
