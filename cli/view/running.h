/* Trials on their way, as people are shown them: how far they are, what they came to so far, for how long they run. */
#ifndef GANNET_CLI_VIEW_RUNNING_H
#define GANNET_CLI_VIEW_RUNNING_H

#include "cli/look.h"
#include "common/buf.h"
#include "scheduler/core/snapshot.h"

#include <jansson.h>
#include <stdint.h>

/* Gives a trial that runs (others stay as they are) its last value of `metric` as `value` and its seconds up to `now`
 * (since 1970) as `seconds`, which the store has of ended ones only. */
void running_fill(json_t *trial, const char *metric, double now);

/* Adds "step 3, val_loss 0.41, 1m05s" of one that was filled; what is not known is left out. */
void running_describe(const json_t *trial, const char *metric, struct buf *out);

/* Adds a table of those that were filled, and how many there are more of `all`. Nothing when there are none. */
void running_draw(const json_t *trials, const char *metric, uint64_t all, const struct look *look, struct buf *out);

/* Adds a line for each run whose ranks wait for one of them. */
void running_draw_standstills(const struct snapshot *snapshot, struct buf *out);

#endif
