/* Vacant slots: those without a lease, and those with room for leases ahead. */
#ifndef GANNET_SCHEDULER_CORE_VACANCY_H
#define GANNET_SCHEDULER_CORE_VACANCY_H

#include "common/fitqueue.h"

struct core;
struct slot;

/* Leases that wait behind a running one last about so long; vacancy.c has the reasons. */
#define VACANCY_AHEAD_SECONDS 0.05

/* Vacant slots, in the order in which they became so. */
struct vacant {
    struct fitqueue known;   /* sized by minus the time at which their worker's job ends; -INFINITY: it does not */
    struct fitqueue guessed; /* of workers of jobs whose end is not known yet: all of one size */
};

void vacancy_init(struct core *core);
void vacancy_refresh(struct core *core, struct slot *slot); /* puts the slot into the list where it belongs now */
void vacancy_remove(struct core *core, struct slot *slot);  /* it is vacant no more; one that is not is fine */
void vacancy_learn(struct core *core, double seconds);      /* a run took so long */
/* The idle slot that has been vacant longest of those whose workers have time for a trial that needs so much; when
 * there is none, one with room ahead; NULL: there is none either. */
struct slot *vacancy_find(struct core *core, double need);

#endif
