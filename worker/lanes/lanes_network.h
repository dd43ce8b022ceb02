/* Networks of the same shape as one that trains all of them: LANES at a time, number by number side by side. Each of
 * them is loaded from a network of its own with its optimizer and stored back, so that between two epochs nothing is
 * kept here.
 *
 *     load f      weights, what the optimizer keeps, streams of random numbers
 *     batch       gather (batch.h), forward, loss (batch.h), backward, update; as often as wanted
 *     store f
 *
 * It is a processor's: for backends whose memory is the host's. Lanes that nobody loads hold zeros. */
#ifndef GANNET_WORKER_LANES_LANES_NETWORK_H
#define GANNET_WORKER_LANES_LANES_NETWORK_H

#include "worker/lanes/update.h"
#include "worker/nn/optimizer.h"

struct lanes_layer;

struct lanes_network {
    struct backend *backend; /* of the activations */
    struct lanes_layer *layers;
    size_t layer_count;
    size_t B;                       /* the largest batch */
    size_t I, C;                    /* inputs, outputs */
    size_t P;                       /* vectors of weights, with those that fill up rows */
    lanes *memory;                  /* of all below, and of the layers */
    lanes *x;                       /* [B,I] */
    size_t x_row, y_row;            /* from one row of x, or of the outputs, to the next */
    lanes *w, *dw, *first, *second; /* [P]: weights, gradients, and what optimizers keep */
    lanes *mean;                    /* [P]: of the weights over time */
    lanes_int *labels;              /* [B] */
};

/* Whether such networks can lie here: layers dense and dropout alone, in F32. How large ones gain by it is the caller's
 * to know. */
bool lanes_suit(const struct network *network);

/* Whether two that suit may lie side by side: the same layers, but for the shares that are dropped. */
bool lanes_match(const struct network *a, const struct network *b);

/* For networks that match this one, in batches up to B. NULL with a sentence when there is no memory. */
struct lanes_network *lanes_create(const struct network *like, size_t B, struct err *err);
void lanes_destroy(struct lanes_network *fused); /* NULL is fine */

/* Whether it was made for such a network. */
bool lanes_fit(const struct lanes_network *fused, const struct network *network, size_t B);

void lanes_load(struct lanes_network *fused, size_t f, const struct network *network, const struct optimizer *optimizer,
                const struct average *average);
void lanes_store(const struct lanes_network *fused, size_t f, struct network *network, struct optimizer *optimizer,
                 struct average *average);

/* The outputs of the first B rows of x, of rows y_row apart. `training`: drops outputs. `averaged`: with the mean in
 * the place of the weights. */
lanes *lanes_forward(struct lanes_network *fused, size_t B, bool training, bool averaged);

/* The gradients of all weights from those of the outputs, which stand in their place. */
void lanes_backward(struct lanes_network *fused, size_t B);

/* Changes the weights by their gradients. */
void lanes_follow(struct lanes_network *fused, const struct lanes_update *update);

#endif
