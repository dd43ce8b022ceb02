/* A model of the store: the same events, ref into plain structs in memory. What the store recalls and reads back has
 * to be what the model says. */
#ifndef GANNET_TESTS_REFERENCE_H
#define GANNET_TESTS_REFERENCE_H

#include "scheduler/core/event.h"
#include "scheduler/core/memory.h"
#include "scheduler/core/snapshot.h"

#include <jansson.h>

struct reference;

struct reference *reference_create(bool maximize);
void reference_destroy(struct reference *reference);

/* Takes a copy of all that matters of an event. */
void reference_take(struct reference *reference, const struct event *event);

/* What a coordinator that starts now has to recall; counts as a session. */
void reference_recall(struct reference *reference, struct memory *out);

/* How it stands. */
void reference_snapshot(const struct reference *reference, struct snapshot *out);

/* How many trials there are; one of them as the reader has to show it, alone and with everything. */
uint64_t reference_trials(const struct reference *reference);
json_t *reference_trial(const struct reference *reference, uint64_t trial);
json_t *reference_show(const struct reference *reference, uint64_t trial);

/* What went wrong, as reader_faults has it, without `workers` and `wasted`, and without the seconds of `endings`. */
json_t *reference_faults(const struct reference *reference);

/* The proposals and tells in their order, as lines: "propose 3 after 1: {...}", "tell 1: completed 0.5 10". */
void reference_replay(const struct reference *reference, struct buf *out);

#endif
