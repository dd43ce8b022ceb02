/* Ranks of several nodes, as many on each: those of a node add in memory that they share, and the first of each takes
 * the node's sums around a ring (tcp_ring.h). A thread of it does so bucket by bucket, while the ranks compute the next
 * ones. Rank r of node n is rank n * (ranks of a node) + r.
 *
 * The ranks of a node are added in their order, then the nodes in an order that is always the same for a number: the
 * bits are the same in all ranks and in every run on as many nodes and ranks. */
#ifndef GANNET_WORKER_COLLECTIVE_ACROSS_H
#define GANNET_WORKER_COLLECTIVE_ACROSS_H

#include "worker/collective/shared.h"
#include "worker/collective/tcp_ring.h"

struct across;

struct across_setup {
    struct shared *shared; /* this rank has joined; nothing else is said there while the other lives */
    uint32_t node, nodes;
    struct tcp_ring *ring; /* rank 0 of the node: owned from now on, also when this fails; the others: NULL */
};

/* NULL with a sentence. */
struct across *across_create(const struct across_setup *setup, struct err *err);

struct collective across_face(struct across *across);

/* When all of them have finished their sums. NULL is fine. */
void across_destroy(struct across *across);

#endif
