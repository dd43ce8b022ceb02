/* Suspects (suspect.h) that take a slot on each of several nodes. */
#ifndef GANNET_SCHEDULER_CORE_SUSPECT_GANG_H
#define GANNET_SCHEDULER_CORE_SUSPECT_GANG_H

#include <stdbool.h>

struct core;
struct lease;

/* Leases the next suspect, if enough workers are empty; with every tick. */
void suspect_gang_tick(struct core *core);
/* Whether one waits that could run: nothing else begins then. */
bool suspect_gang_waits(const struct core *core);
/* This lease and its parts run apart from all others, as far as nothing runs beside them. */
void suspect_gang_keep(struct core *core, struct lease *first);

#endif
