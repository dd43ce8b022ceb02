/* Suspects (suspect.h) that take a slot on each of several nodes. */
#ifndef GANNET_SCHEDULER_CORE_SUSPECT_GANG_H
#define GANNET_SCHEDULER_CORE_SUSPECT_GANG_H

struct core;
struct lease;

void suspect_gang_place(struct core *core); /* leases the next suspect, if enough workers are empty */
/* This lease and its parts run apart from all others, as far as nothing runs beside them. */
void suspect_gang_keep(struct core *core, struct lease *first);

#endif
