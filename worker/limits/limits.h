/* What the cores of a slot can do at most: floating-point operations, and bytes from each cache and from memory, a
 * second, of so many threads together; and sums over as many ranks. Measured by loops whose counts are exact, each as
 * the best of several short bursts by processor time, so that a busy machine disturbs it little; and kept in the user's
 * cache directory, a file for each processor, kernel release, number of threads and of cores that they may use. */
#ifndef GANNET_WORKER_LIMITS_LIMITS_H
#define GANNET_WORKER_LIMITS_LIMITS_H

#include "common/err.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* Where bytes come from, as far as limits are measured. */
#define LIMITS_LEVELS(X) X(L1, "l1") X(L2, "l2") X(L3, "l3") X(MEMORY, "memory")

enum limits_level {
#define X(id, name) LIMITS_##id,
    LIMITS_LEVELS(X)
#undef X
        LIMITS_LEVEL_COUNT
};

enum { LIMITS_THREADS_MOST = 256 };

/* A number is a second's, of all threads together; NAN: not known. */
struct limits {
    int threads;
    double flops, flops_bf16;
    double bandwidth[LIMITS_LEVEL_COUNT]; /* bytes read */
    double allreduce;                     /* bytes of gradients that as many ranks add up, in memory that they share */
    double allreduce_seconds;             /* that their smallest sum takes */
    double load;                          /* processes that wanted a core when it was measured, by core of the node */
};

/* Nothing is known of so many threads. */
struct limits limits_unknown(int threads);

/* Takes half a second, and memory for the arrays that it reads: 256 MiB at most. -1 with a sentence when there is not
 * so much, or no thread. */
int limits_measure(int threads, struct limits *out, struct err *err);

/* The bandwidth of the smallest cache, or of memory, that holds what all threads read and write in a call. */
double limits_bandwidth_for(const struct limits *limits, double bytes);

/* Seconds that so many sums over ranks take at least, of so many bytes of gradients in all; NAN: not known. */
double limits_allreduce_least(const struct limits *limits, double sums, double bytes);

/* The better of both, number by number: a limit that was measured while others worked is too low, never too high. */
void limits_raise(struct limits *limits, const struct limits *more);

/* What is kept for this processor, kernel release and binding; false: nothing is. */
bool limits_load(int threads, struct limits *out);

/* The same of threads that may use so many cores in all, wherever this process is bound. */
bool limits_load_on(int cores, int threads, struct limits *out);

/* Keeps it. -1 with a sentence: there is no home, it can't be written to. */
int limits_keep(const struct limits *limits, struct err *err);

/* The right to measure, which one process of a user's has at a time: a descriptor to close after it; -1: another has
 * it, or there is no place for the lock. */
int limits_lock(void);

/* {threads, flops, flops_bf16, bandwidth: {l1, ...}, allreduce, allreduce_seconds, load}; null stands for what is not
 * known. */
json_t *limits_json(const struct limits *limits);

#endif
