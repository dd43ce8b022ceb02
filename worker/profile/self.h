/* What this process uses in a run, where it runs one after the other (a trainer). Runs shorter than SELF_SHORTEST are
 * not counted, and the count of a longer one may begin that much before it: asking the system takes longer than a short
 * run.
 */
#ifndef GANNET_WORKER_PROFILE_SELF_H
#define GANNET_WORKER_PROFILE_SELF_H

#include "worker/profile/tree.h"

#define SELF_SHORTEST 0.01

/* {0} has counted nothing. */
struct self_count {
    struct run_counters before; /* as it was when that was last read at the beginning of a run */
    double at;                  /* when that was */
    struct tree_looks looks;    /* at its own threads and files */
    struct run_counters looked; /* the last of these before a run began */
};

void self_count_fini(struct self_count *count);
void self_count_begin(struct self_count *count, double now);

/* What a run used that took `seconds`. */
void self_count_end(struct self_count *count, double seconds, struct run_counters *out);

#endif
