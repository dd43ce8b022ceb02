/* Failed trials that a person has tried again, when what they failed of is mended: they wait with the same parameters,
 * for an attempt in the next session, whose strategy takes them for trials that have not ended. */
#ifndef GANNET_SCHEDULER_SESSION_RETRY_H
#define GANNET_SCHEDULER_SESSION_RETRY_H

#include "scheduler/session/amend.h"

/* These trials wait again, all or none; without any (`count` 0): all that have failed and are not ignored. *changed:
 * how many. The sentence is for all that is not AMEND_FINE. */
enum amend_fault retry_trials(const struct rundir *dir, const uint64_t *trials, size_t count, size_t *changed,
                              struct err *err);

#endif
