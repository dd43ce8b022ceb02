/* A trial that several processes train together, each on its part of every batch: the weights of all are the same,
 * since their gradients are averaged before they are used. With one process each of these functions does nothing.
 *
 *     data_parallel_begin     of a batch: which examples are this rank's
 *       way forward and back, during which gradients that are made are added to those of the others
 *     data_parallel_finish    the network has the average, weighted by examples, as of the whole batch
 *
 * Losses are the same to rounding with any number of ranks, dropout included. Batch normalisation is not: each rank
 * normalises by its part of the batch; the running statistics are averaged after each epoch. */
#ifndef GANNET_WORKER_KERNELS_DATA_PARALLEL_H
#define GANNET_WORKER_KERNELS_DATA_PARALLEL_H

#include "worker/collective/collective.h"
#include "worker/nn/network.h"

struct data_parallel {
    const struct collective *collective; /* NULL: one process */
    struct network *network;
    float *at;     /* where gradients go, in memory that ranks share */
    size_t posted; /* the gradients from this number on have gone there */
};

/* What a rank has of some examples. */
struct data_part {
    size_t first, count; /* from 0 of them */
    bool spare;          /* there are fewer than ranks: it goes along with one that is another's, and counts nothing */
};

/* `collective` may be NULL. `network` is NULL where it could not be made, `err` says why: then all ranks fail. -1 with
 * a sentence. Both must outlive it. */
int data_parallel_init(struct data_parallel *parallel, const struct collective *collective, struct network *network,
                       struct err *err);

/* The part of `all` examples, at least one of them, that is this rank's. */
struct data_part data_parallel_part(const struct data_parallel *parallel, size_t all);

/* Before the way forward with that part of a batch of `all`. */
void data_parallel_begin(struct data_parallel *parallel, const struct data_part *part, size_t all);

/* Behind the way back. */
void data_parallel_finish(struct data_parallel *parallel);

/* Sums of a few numbers. */
void data_parallel_add(const struct data_parallel *parallel, double *numbers, size_t count);

/* Makes the running statistics the average of all ranks'. */
void data_parallel_settle(struct data_parallel *parallel);

#endif
