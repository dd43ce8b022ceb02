/* What this process uses in a run, where it runs one after the other (a trainer). Runs shorter than SELF_SHORTEST are
 * not counted, and the count of a longer one may begin that much before it: asking the system takes longer than a short
 * run.
 */
#ifndef GANNET_WORKER_PROFILE_SELF_H
#define GANNET_WORKER_PROFILE_SELF_H

#include "worker/profile/perf.h"
#include "worker/profile/tree.h"

#define SELF_SHORTEST 0.01

/* {0} has counted nothing. */
struct self_count {
    struct run_counters before; /* as it was when that was last read at the beginning of a run */
    double at;                  /* when that was */
    double last;                /* seconds that the run before took; 0: there was none */
    bool is_fresh;              /* a look was taken just before the present run */
    struct tree_looks looks;    /* at its own threads and files */
    struct run_counters looked; /* the last of these before a run began */
    struct perf_counts perf;    /* of all threads, and of processes that it started */
};

/* Before it starts threads and processes; without it the processor's counters are unknown. */
void self_count_open(struct self_count *count);

void self_count_fini(struct self_count *count);
void self_count_begin(struct self_count *count, double now);

/* What a run used that took `seconds`. */
void self_count_end(struct self_count *count, double seconds, struct run_counters *out);

/* A run that was too short to be counted has ended. */
void self_count_short(struct self_count *count, double seconds);

/* Adds what the processor counted, of processes as well that it has started. After self_count_end. */
void self_count_perf(const struct self_count *count, struct run_counters *out);

#endif
