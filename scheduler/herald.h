/* Tells the coordinator what its supervisor knows and it can't: a worker that is dead, so that it need not wait for
 * words that will never come; when the time of the job is up. Each is told until a coordinator has answered, to the
 * next one when it dies itself meanwhile. */
#ifndef GANNET_SCHEDULER_HERALD_H
#define GANNET_SCHEDULER_HERALD_H

#include "common/link.h"
#include "common/loop.h"
#include "scheduler/rundir.h"

#include <jansson.h>

struct herald;

/* Never fails; nothing is connected before there is something to tell. `dir` lives as long. */
struct herald *herald_open(struct loop *loop, struct link_context *links, const struct rundir *dir);
void herald_close(struct herald *herald); /* NULL is fine */

/* Tells, as the question `what` of service.h with these arguments, which are taken over; behind what is untold yet. */
void herald_tell(struct herald *herald, const char *what, json_t *arguments);

#endif
