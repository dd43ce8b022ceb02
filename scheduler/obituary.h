/* Tells the coordinator of dead workers, so that it need not wait for words that will never come. Each death is told
 * until the coordinator has answered, to the next one when it dies itself meanwhile. */
#ifndef GANNET_SCHEDULER_OBITUARY_H
#define GANNET_SCHEDULER_OBITUARY_H

#include "common/link.h"
#include "common/loop.h"
#include "scheduler/rundir.h"

struct obituary;

/* Never fails; nothing is connected before there is something to tell. `dir` lives as long. */
struct obituary *obituary_open(struct loop *loop, struct link_context *links, const struct rundir *dir);
void obituary_close(struct obituary *obituary); /* NULL is fine */

/* The worker with this process, on this node, is dead. */
void obituary_add(struct obituary *obituary, int pid);

#endif
