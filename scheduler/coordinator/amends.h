/* What an operator changes of the past of a living search: ended trials that no longer count (ignore), failed ones that
 * are tried again (retry), trials that were measured elsewhere (add). One after the other: what the core has forgotten
 * of a trial is read from the store, the core decides, and the answer waits until that is on disk. */
#ifndef GANNET_SCHEDULER_COORDINATOR_AMENDS_H
#define GANNET_SCHEDULER_COORDINATOR_AMENDS_H

#include "scheduler/coordinator/commit.h"
#include "scheduler/core/core.h"
#include "scheduler/spec/spec.h"

#include <jansson.h>

struct amends;

/* Trials at once: the store's thread reads some 20,000 a second, and a turn takes some microseconds for each. */
enum { AMENDS_MOST = 1000 };

/* Called once: `status` 0 and the answer, which is the receiver's, or an exit status and a sentence. */
typedef void amends_answered(void *context, int status, json_t *answer, const struct err *err);

/* All of it lives as long. */
struct amends *amends_open(struct core *core, struct commit *commit, const struct spec *spec);
void amends_close(struct amends *amends); /* before commit_stop; what waits is dropped; NULL is fine */

/* `what`: "ignore" {"trials": [12, 17], "undo": false}, "retry" {"trials": [12]} or {} for all that have failed, "add"
 * {"points": [{"params": {...}, "values": {...}}, ...]}. Answers {"changed": 2}, or {"first": 18, "added": 2}. -1 with
 * a sentence when the arguments make no sense; then nothing is answered. */
int amends_ask(struct amends *amends, const char *what, const json_t *arguments, amends_answered *answered,
               void *context, struct err *err);

void amends_committed(struct amends *amends, uint64_t number); /* all events up to this one are on disk */

#endif
