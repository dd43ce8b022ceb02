/* What a program tells of its time: time.data=0.8 are 0.8 seconds more in the phase `data`. */
#ifndef GANNET_WORKER_PROGRAM_TOLD_PHASE_H
#define GANNET_WORKER_PROGRAM_TOLD_PHASE_H

#include "common/phases.h"
#include "common/texts.h"

#include <stdbool.h>

/* All names that a program's output is searched for: the metrics (NULL at the end), then those of the phases that it
 * can tell of, which are set in `tells`. A name that a metric has stays the metric's. */
void told_phase_names(const char *const *metrics, struct texts *out, bool tells[PHASES_COUNT]);

/* The phase that a name tells of; -1: it is a metric. */
int told_phase_of(const bool tells[PHASES_COUNT], const char *name);

#endif
