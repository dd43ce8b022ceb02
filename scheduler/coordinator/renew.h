/* The strategy of a living search, made anew when a person has changed its past: it stands still where the change is
 * (ask.h), all that it had proposed comes to be on disk, the store's thread reads the record up to there, and the
 * strategy's thread lives through that. Workers are served meanwhile. */
#ifndef GANNET_SCHEDULER_COORDINATOR_RENEW_H
#define GANNET_SCHEDULER_COORDINATOR_RENEW_H

#include "scheduler/coordinator/commit.h"
#include "scheduler/core/core.h"
#include "scheduler/session/ask.h"
#include "scheduler/spec/spec.h"

struct renewal;

/* All of it lives as long. */
struct renewal *renewal_open(const struct core *core, struct commit *commit, struct ask *ask, const struct spec *spec);
void renewal_close(struct renewal *renewal); /* before commit_stop; NULL is fine */

void renewal_held(struct renewal *renewal, uint64_t told);        /* ask_calls.held */
void renewal_committed(struct renewal *renewal, uint64_t number); /* all events up to this one are on disk */

#endif
