/* Replay: makes every proposal of a recorded experiment anew from its seed and its recorded history, and compares.
 *
 * On the kind of processor on which a trial was proposed the comparison is exact. Elsewhere the libraries compute with
 * other instructions, and round differently: a proposal is then the same when each parameter lies within
 * REPLAY_TOLERANCE of the recorded one, as a share of its range (in steps of its logarithm where it is searched so). */
#ifndef GANNET_SCHEDULER_SESSION_REPLAY_H
#define GANNET_SCHEDULER_SESSION_REPLAY_H

#include "common/err.h"
#include "scheduler/rundir/rundir.h"

#include <jansson.h>

#define REPLAY_TOLERANCE 1e-3

/* Adds up what was compared: {proposals, same, close, unrecorded, tolerance, different: [{trial, recorded, replayed}]
 * (first 20), comparison, note, here: {model, vector, kernels, gannet}, recorded: [{trial, same_kind, model, ...}]}.
 * `close` counts those that are the same within the tolerance, `unrecorded` those of an older gannet, which did not
 * record on which processor they were proposed; comparison is exact, tolerant or mixed; note says it in words. 0 when
 * all are the same or close, 1 when any differs, -1 with a sentence when it can't be replayed. */
int replay_check(const struct rundir *dir, json_t **out, struct err *err);

#endif
