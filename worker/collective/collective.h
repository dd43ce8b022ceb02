/* What the processes of a data-parallel trial say to each other: sums of gradients, a few numbers, bytes of one for
 * all. Every rank makes the same calls in the same order; each of them waits for the others where it has to, asleep,
 * and a rank that dies is its parent's matter (worker/trainer/rank_gang.h), as is a node: none of these calls fails.
 *
 * A sum of gradients is made in buckets while the way back through the network still goes on, from the last number to
 * the first:
 *
 *     at = begin(count, weight)      every rank writes its numbers to `at`, the last ones first,
 *     post(first)                    and says how far it has come; what all have posted is added by and by
 *     finish(take)                   waits for the rest, and hands out the sums
 *
 * Sums are made in the order of the ranks: they are the same bits in every rank, and in every run.
 *
 * shared.h is the implementation for the ranks of one node, across.h that for those of several. */
#ifndef GANNET_WORKER_COLLECTIVE_COLLECTIVE_H
#define GANNET_WORKER_COLLECTIVE_COLLECTIVE_H

#include "common/err.h"

#include <stddef.h>
#include <stdint.h>

/* Takes `count` numbers of a sum, from number `first` on. They are there during the call only. */
typedef void collective_take(void *context, const float *numbers, size_t first, size_t count);

struct collective_kind {
    const char *name;

    /* Makes room for sums of up to so many numbers; before the first, and again for more. -1 with a sentence, in every
     * rank. */
    int (*reserve)(void *self, size_t count, struct err *err);

    /* Begins the sum over ranks of weight times that rank's numbers; returns where this rank's go, `count` of them.
     * What a rank of weight 0 has there counts nothing. Waits until all have the last sum. */
    float *(*begin)(void *self, size_t count, float weight);

    /* The numbers from `first` on are written. Every rank posts the same ones. Does not wait. */
    void (*post)(void *self, size_t first);

    /* After post(0): waits for the whole sum and calls `take` for each part of it, in any order. */
    void (*finish)(void *self, collective_take *take, void *context);

    /* Each number becomes its sum over ranks; few of them. */
    void (*add)(void *self, double *numbers, size_t count);

    /* The bytes become those of rank `root`. */
    void (*broadcast)(void *self, uint32_t root, void *bytes, size_t length);
};

/* One rank's side. */
struct collective {
    const struct collective_kind *kind;
    void *self;
    uint32_t rank, ranks;
};

#endif
