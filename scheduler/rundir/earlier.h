/* Trials of earlier experiments that a search starts from (start_from): read from the other stores when the experiment
 * is made, and kept in its own from then on, so that neither resuming nor replaying needs the others again. */
#ifndef GANNET_SCHEDULER_RUNDIR_EARLIER_H
#define GANNET_SCHEDULER_RUNDIR_EARLIER_H

#include "common/arena.h"
#include "common/err.h"
#include "scheduler/spec/spec.h"
#include "search/searcher.h"

/* One experiment, and how many of its ended trials are used; others have values that this space does not know. */
struct earlier_source {
    const char *directory;
    uint64_t used, dropped;
};

struct earlier {
    struct searcher_past *items;
    size_t count, capacity;
    struct earlier_source *sources; /* one for each of the spec */
    uint32_t source_count;
    struct arena memory;
};

/* Reads what the spec names. A configuration is mapped by the parameters' names: numbers outside the range move to its
 * end, missing ones take their default or the middle; with a choice that is not in the list the trial is dropped. -1
 * with a sentence when an experiment is not there or has another objective; earlier_fini in any case. */
int earlier_read(const struct spec *spec, struct earlier *out, struct err *err);
void earlier_fini(struct earlier *earlier); /* {0} is fine */

#endif
