/* What the command line may ask a living coordinator, one row a question; and the asking side.
 *
 *     what          arguments                      answer
 *     status        {}                             a snapshot (snapshot.h), with name, directory, session
 *     read          {"function": "trials", ...}    what reader.h's function of that name gives, for stores that are
 * locked drain         {}                             {}: nothing new is started, then it ends stop          {"why":
 * "interrupted"}         {}: running trials too; reason stopped or interrupted cancel        {"trial": 131} {}
 *     worker_dead   {"pid": 4711, "why": "..."}    {}: the supervisor saw this worker of this node die
 */
#ifndef GANNET_SCHEDULER_SERVICE_H
#define GANNET_SCHEDULER_SERVICE_H

#include "common/err.h"
#include "common/link.h"
#include "scheduler/rundir.h"

#include <jansson.h>

/* The asking side: a connection to the coordinator of a run directory. */
struct service_client;

/* NULL with a sentence when no coordinator lives there. */
struct service_client *service_connect(struct link_context *context, const struct rundir *dir, struct err *err);
void service_disconnect(struct service_client *client); /* NULL is fine */

/* Asks and waits up to `seconds`. 0 and the answer (json_decref it), or the exit status that the command is to have and
 * a sentence: 69 when the coordinator does not answer. */
int service_ask(struct service_client *client, const char *what, const json_t *arguments, double seconds,
                json_t **answer, struct err *err);

#endif
