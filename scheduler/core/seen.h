/* What metrics came to over the attempts of a trial that count: one a metric, and behind these as many of what was seen
 * before an attempt began anew. One that goes on from a step that none came to since then goes on from a checkpoint of
 * before, and so that counts again. */
#ifndef GANNET_SCHEDULER_CORE_SEEN_H
#define GANNET_SCHEDULER_CORE_SEEN_H

#include "scheduler/core/memory.h"

struct core;
struct trial;

bool seen_is_kept(const struct core *core); /* whether it is kept with trials */
void seen_add(struct memory_seen *seen, int64_t step, double last, double min, double max);
void seen_add_value(struct memory_seen *seen, int64_t step, double value); /* the same of one value */
/* Of `count` metrics: an attempt with something to show begins at the beginning (0), or goes on from this step. */
void seen_begin(struct memory_seen *seen, uint32_t count, uint64_t resumed);
void seen_forget(struct trial *trial);
/* What a trial came to so far, one value a metric; false: not every objective has a finite one. `seen` is one a metric;
 * NULL: nothing was. */
bool seen_values(const struct metrics *metrics, const struct memory_seen *seen, double *values);
uint64_t seen_step(const struct trial *trial); /* the last step seen; 0: none */
/* The step up to which all objectives are recorded. */
uint64_t seen_known(const struct core *core, const struct trial *trial);

#endif
