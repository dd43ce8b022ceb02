/* How long trials take on the virtual clock when their objective does not say it. */
#ifndef GANNET_CLI_BENCH_DURATIONS_H
#define GANNET_CLI_BENCH_DURATIONS_H

#include <stdbool.h>
#include <stdint.h>

/* X(id, name, what it is): kinds of durations; all have the same mean. */
#define DURATIONS(X)                                                                                                   \
    X(CONSTANT, "constant", "all the same")                                                                            \
    X(UNIFORM, "uniform", "evenly between half the mean and one and a half")                                           \
    X(EXPONENTIAL, "exponential", "memoryless: often short, rarely long")                                              \
    X(LOGNORMAL, "lognormal", "log-normal, the logarithm with a standard deviation of 0.5")

enum duration_kind {
#define X(id, name, meaning) DURATION_##id,
    DURATIONS(X)
#undef X
        DURATION_KINDS
};

struct durations {
    enum duration_kind kind;
    double mean; /* seconds, above 0 */
};

/* The kind of that name; false: none. */
bool durations_find(const char *name, enum duration_kind *kind);

/* Seconds of a trial: a function of (seed, trial), so that all strategies meet the same ones. */
double durations_draw(const struct durations *durations, uint64_t seed, uint64_t trial);

#endif
