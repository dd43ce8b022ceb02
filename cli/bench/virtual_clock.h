/* The virtual clock of simulated searches: how long trials take when their objective does not say it, and the agenda of
 * what is to happen. */
#ifndef GANNET_CLI_BENCH_VIRTUAL_CLOCK_H
#define GANNET_CLI_BENCH_VIRTUAL_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
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

/* --- the agenda: ends of trials, the earliest first, those of the same time by their number --- */

struct agenda_entry {
    double time;
    uint64_t trial;
    void *what; /* the caller's */
};

/* {0} is an empty agenda. */
struct agenda {
    struct agenda_entry *heap; /* a binary heap: no entry is before the one at half its place */
    size_t count, capacity;
};

/* Does not free what entries point to. */
void agenda_fini(struct agenda *agenda);

void agenda_add(struct agenda *agenda, struct agenda_entry entry);

/* Takes out the first entry; false: there is none. */
bool agenda_next(struct agenda *agenda, struct agenda_entry *out);

#endif
