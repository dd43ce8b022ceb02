/* Trials under which workers were lost: which of them is at fault. suspect.c has the rules. */
#ifndef GANNET_SCHEDULER_CORE_SUSPECT_H
#define GANNET_SCHEDULER_CORE_SUSPECT_H

#include "common/endings.h"
#include "common/fitqueue.h"
#include "common/list.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct core;
struct lease;
struct trial;
struct worker;

/* The core's part for them. */
struct suspects {
    struct fitqueue queue;   /* suspects that wait, sized by their need */
    struct worker *apart;    /* gets nothing but suspects, one at a time; NULL: none is kept apart */
    bool wanted;             /* on several nodes: one of them waits and could run, so nothing else begins */
    struct list_link lost;   /* trials that losses count against, by `lost` */
    uint64_t last;           /* the worker that was lost last, with runs */
    double lost_at;          /* when it was */
    double before;           /* when another one was before it */
    uint64_t *counted;       /* trials that its loss counts against */
    size_t counted_count;    /* so many */
    size_t counted_capacity; /* so many fit in */
    uint32_t convicted;      /* trials in a row that ended as guilty */
};

void suspect_init(struct core *core);
void suspect_fini(struct core *core);

/* Whether so many losses count against it that it has to run alone. */
bool suspect_is(const struct trial *trial);

/* The run of this lease, which counts, was lost with its worker: counts that against the trial, or finds it guilty. */
void suspect_note_loss(struct core *core, const struct lease *lease, struct trial *trial);

/* Its run ended and its worker lived on: nothing counts against it any more. To be followed by an event that says so.
 */
void suspect_acquit(struct trial *trial);

/* The trial is guilty, and about to end so: the losses that others had together with it count no more. The sentence. */
const char *suspect_convict(struct core *core, const struct trial *guilty, enum ending ending, char *out, size_t size);

/* Whether trials are found guilty one after the other: then it is rather the machine. `why` gets the sentence. */
bool suspect_is_machine(const struct core *core, char *why, size_t size);

struct trial *suspect_first(const struct core *core);        /* of those that wait; NULL: none does */
void suspect_place(struct core *core);                       /* leases the next suspect, if its worker is empty */
void suspect_tick(struct core *core);                        /* finds a worker for them; looks at all workers */
void suspect_came(struct core *core, struct worker *worker); /* it gets leases from now on */
void suspect_left(struct core *core, struct worker *worker); /* it is about to be freed */
void suspect_recall(struct core *core, struct trial *trial, uint32_t losses); /* after a restart */
void suspect_recall_alone(struct core *core);                                 /* once all trials are recalled */

#endif
