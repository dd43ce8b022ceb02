/* Ended trials that no longer count, because a person knows what gannet can't: a sensor was broken, a file was the
 * wrong one. They stay in the store. This is for between sessions (else scheduler/coordinator/amends.h); the next
 * session's strategy never was told of them (search_recall), and a replay hears of it in its place in the order of
 * tells. */
#ifndef GANNET_SCHEDULER_SESSION_IGNORE_H
#define GANNET_SCHEDULER_SESSION_IGNORE_H

#include "scheduler/session/amend.h"

/* From now on these trials are ignored; with `undo` they count again. All or none; those that are so already stay so.
 * *changed: how many were not. The sentence is for all that is not AMEND_FINE. */
enum amend_fault ignore_trials(const struct rundir *dir, const uint64_t *trials, size_t count, bool undo,
                               size_t *changed, struct err *err);

#endif
