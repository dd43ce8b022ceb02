/* Boosted trees in training: round by round K trees, one a score, each fitted to the derivatives of the loss where the
 * trees before it left the scores. (Friedman 2001; by a part of the rows: Friedman, "Stochastic gradient boosting",
 * 2002.)
 *
 * Shapes: N rows of training, V rows of validation, K scores; scores are [K, N] and [K, V]. */
#ifndef GANNET_WORKER_BOOST_ENSEMBLE_H
#define GANNET_WORKER_BOOST_ENSEMBLE_H

#include "worker/boost/grow.h"
#include "worker/boost/objective.h"

#include "common/phases.h"

#include <stdbool.h>

struct ensemble_rules {
    struct grow_rules grow;
    double subsample; /* the share of rows that a round's trees are grown by, in (0, 1] */
    double inputs;    /* the share of inputs that a tree looks at, in (0, 1] */
    uint64_t seed;    /* of both choices */
};

/* Rows in their bins, how the trees so far score them, and what comes of that. */
struct ensemble_part {
    const struct bins *bins;
    struct objective objective;
    float *scores, *predicted; /* [K, rows] */
    struct objective_loss loss;
};

struct ensemble {
    struct ensemble_rules rules;
    struct ensemble_part training, validation;
    size_t rounds;              /* so far */
    struct boosted_tree *trees; /* [rounds, K], and those of a round that is being taken in */
    size_t tree_count;
    size_t capacity;
    /* Of a round. */
    struct grower **growers;     /* [workers], of threads that grow trees of different scores at once */
    struct gradients *gradients; /* [workers] */
    struct grow_counts *counts;  /* [workers] */
    int workers;
    uint32_t *rows; /* [N]: the sample */
    size_t row_count;
};

/* Nothing learnt yet: the scores that a constant has. The bins and what the objectives point to outlive it. */
void ensemble_init(struct ensemble *ensemble, const struct ensemble_rules *rules, const struct bins *training,
                   const struct objective *training_objective, const struct bins *validation,
                   const struct objective *validation_objective);
void ensemble_fini(struct ensemble *ensemble); /* {0} is fine */

/* A round more; the loss of both parts after it. Seconds are added to the phases, what it came to to the operations
 * that are named in `timed` or are counted alone. */
void ensemble_grow(struct ensemble *ensemble, struct phase_time *phases, uint64_t timed,
                   struct operation_count operations[OPERATIONS_COUNT]);

/* Takes a tree in that was grown before, the next in [rounds, K]; after the last of a round that round counts. The tree
 * is the ensemble's. Scores come out as they did then, bit for bit. */
void ensemble_take(struct ensemble *ensemble, size_t round, size_t k, struct boosted_tree tree);

#endif
