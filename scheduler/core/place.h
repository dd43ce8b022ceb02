/* Placement: which slot the next trial goes to. */
#ifndef GANNET_SCHEDULER_CORE_PLACE_H
#define GANNET_SCHEDULER_CORE_PLACE_H

struct core;

void place_all(struct core *core); /* leases waiting trials to vacant slots */

#endif
