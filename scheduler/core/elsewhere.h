/* Trials that another node is to try (node_fault.h): where they failed the others come first. */
#ifndef GANNET_SCHEDULER_CORE_ELSEWHERE_H
#define GANNET_SCHEDULER_CORE_ELSEWHERE_H

#include "common/list.h"

#include <stdint.h>

struct core;
struct slot;
struct trial;

/* The core's part. */
struct elsewhere {
    struct list_link passed; /* slots that get nothing in this input: another trial is on its way to them */
    uint32_t count;          /* of these, so many new trials are wanted */
};

void elsewhere_begin(struct core *core); /* before anything is placed */
/* Which of the waiting trials that need so much at most this slot gets. NULL: none for now, and it is vacant no more
 * until elsewhere_end. There has to be one. */
struct trial *elsewhere_choose(struct core *core, struct slot *slot, double capacity);
void elsewhere_end(struct core *core);

#endif
