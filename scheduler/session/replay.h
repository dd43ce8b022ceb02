/* Replay: makes every proposal of a recorded experiment anew from its seed and its recorded history, and compares. */
#ifndef GANNET_SCHEDULER_SESSION_REPLAY_H
#define GANNET_SCHEDULER_SESSION_REPLAY_H

#include "common/err.h"
#include "scheduler/rundir/rundir.h"

#include <jansson.h>

/* Adds up what was compared: {proposals, same, different: [{trial, recorded, replayed}] (first 20)}. 0 when all are the
 * same, 1 when any differs, -1 with a sentence when it can't be replayed. */
int replay_check(const struct rundir *dir, json_t **out, struct err *err);

#endif
