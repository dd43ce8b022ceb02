/* A model of the store: the same events, folded into plain structs in memory. What the store recalls and reads back has
 * to be what the model says. */
#ifndef GANNET_TESTS_FOLD_H
#define GANNET_TESTS_FOLD_H

#include "scheduler/core/event.h"
#include "scheduler/core/memory.h"
#include "scheduler/core/snapshot.h"

#include <jansson.h>

struct fold;

struct fold *fold_create(bool maximize);
void fold_destroy(struct fold *fold);

/* Takes a copy of all that matters of an event. */
void fold_take(struct fold *fold, const struct event *event);

/* What a coordinator that starts now has to recall; counts as a session. */
void fold_recall(struct fold *fold, struct memory *out);

/* How it stands. */
void fold_snapshot(const struct fold *fold, struct snapshot *out);

/* How many trials there are; one of them as the reader has to show it, alone and with everything. */
uint64_t fold_trials(const struct fold *fold);
json_t *fold_trial(const struct fold *fold, uint64_t trial);
json_t *fold_show(const struct fold *fold, uint64_t trial);

/* What went wrong, as reader_faults has it, without `workers` and `wasted`, and without the seconds of `endings`. */
json_t *fold_faults(const struct fold *fold);

/* The proposals and tells in their order, as lines: "propose 3 after 1: {...}", "tell 1: completed 0.5 10". */
void fold_replay(const struct fold *fold, struct buf *out);

#endif
