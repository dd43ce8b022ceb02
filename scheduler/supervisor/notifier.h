/* Tells the coordinator what its supervisor knows and it can't: a worker that is dead, so that it need not wait for
 * words that will never come; when the time of the job is up; and asks it. Each is told until a coordinator has
 * answered, to the next one when it dies itself meanwhile. */
#ifndef GANNET_SCHEDULER_SUPERVISOR_NOTIFIER_H
#define GANNET_SCHEDULER_SUPERVISOR_NOTIFIER_H

#include "common/link.h"
#include "common/loop.h"
#include "scheduler/rundir/rundir.h"

#include <jansson.h>

struct notifier;

/* Never fails; nothing is connected before there is something to tell. `dir` lives as long. */
struct notifier *notifier_open(struct loop *loop, struct link_context *links, const struct rundir *dir);
void notifier_close(struct notifier *notifier); /* NULL is fine */

/* Tells, as the question `what` of service.h with these arguments, which are taken over; behind what is untold yet. */
void notifier_tell(struct notifier *notifier, const char *what, json_t *arguments);

/* The same, and hands on the answer, which lives as long as the call: NULL when it was none but a sentence. */
void notifier_ask(struct notifier *notifier, const char *what, json_t *arguments,
                  void (*answered)(void *context, const json_t *answer), void *context);

/* Whether a coordinator has answered everything. */
bool notifier_has_told(const struct notifier *notifier);

#endif
