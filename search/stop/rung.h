/* A rung: the trials that reached a certain step, best first, and which of them went on.
 *
 * Of one objective the order is that of the losses. Of several it is that of domination: a trial comes before those
 * that are dominated by more others than it is (Fonseca, Fleming: "Genetic algorithms for multiobjective optimization",
 * ICGA 1993), so that all that nothing dominates come first; of those with the same number the earlier one.
 *
 * Adding costs one move of memory (16 bytes a trial behind it, some 1 ms at a million trials), with several objectives
 * a comparison with each. */
#ifndef GANNET_SEARCH_STOP_RUNG_H
#define GANNET_SEARCH_STOP_RUNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Trial numbers are below 2^62. */
#define RUNG_MOST_TRIAL 0x3fffffffffffffffu

struct rung_entry {
    uint64_t trial : 62;
    uint64_t went_on : 1; /* it was promoted */
    uint64_t gone : 1;    /* it ended */
    double key;           /* one objective: its loss; several: how many dominate it */
};

struct rung {
    struct rung_entry *entries; /* best first */
    double *losses;             /* several objectives: those of the entries, in their order */
    uint32_t objectives;
    size_t count, capacity, losses_capacity;
    size_t on; /* how many went on */
};

void rung_init(struct rung *rung, uint32_t objectives);
void rung_fini(struct rung *rung);

/* Adds a trial; its place, 0 the best. Losses may be INFINITY. */
size_t rung_add(struct rung *rung, uint64_t trial, const double *losses);

/* Where the trial is that was added with this first loss and is not gone, or `count`. */
size_t rung_find(const struct rung *rung, uint64_t trial, double loss);

/* The least loss of the first objective that the entry at this place has. */
double rung_loss(const struct rung *rung, size_t place);

#endif
