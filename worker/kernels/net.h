/* A multilayer perceptron: layers of products and activations, forward and backward.
 *
 *     x_0[B,I]                              the inputs
 *     z_l[B,O] = x_l w_l[O,I]^T + b_l[O]    layer l = 0 .. D, where D is the depth: the number of hidden layers
 *     x_l+1    = dropout(f(z_l))            after hidden layers
 *     z_D[B,C]                              the outputs
 *
 * Shapes: B examples in a batch, I inputs and O outputs of a layer (the width H, or C classes at the last). */
#ifndef GANNET_WORKER_KERNELS_NET_H
#define GANNET_WORKER_KERNELS_NET_H

#include "common/rng.h"
#include "worker/kernels/ops.h"
#include "worker/kernels/pack.h"

#include <stdbool.h>
#include <stddef.h>

struct net_shape {
    size_t inputs, width, depth, classes;
    enum ops_activation activation;
    double dropout; /* the share of hidden outputs that is dropped in training: Srivastava et al. 2014 */
};

struct net_layer {
    size_t inputs, outputs; /* I, O */
    float *w, *b;           /* [O,I], [O]: in net.weights */
    float *dw, *db;         /* in net.gradients */
    float *z;               /* [B,O] */
    float *dz;              /* [B,O]; NULL at the last layer, whose gradient comes from the loss */
    float *mask;            /* [B,O]: 0 or 1 / (1 - dropout); NULL without dropout */
    float *out;             /* [B,O]: what the next layer sees */
};

struct net {
    struct net_shape shape;
    const struct ops *ops;
    void *ops_self;
    size_t count;       /* P: all weights and biases, and what fills their arrays up to whole cache lines */
    float *weights;     /* [P] */
    float *gradients;   /* [P] */
    size_t layer_count; /* D + 1 */
    struct net_layer *layers;
    struct rng rng; /* of the dropout */
};

/* Builds a net for batches of at most `batch` examples; its weights are random: He et al. 2015 for relu and gelu,
 * Glorot and Bengio 2010 for the others and the last layer; the biases are 0. `ops` and its self must outlive it. */
void net_init(struct net *net, const struct net_shape *shape, size_t batch, uint64_t seed, const struct ops *ops,
              void *ops_self);
void net_fini(struct net *net); /* {0} is fine */

/* The outputs z_D[B,C] of x[B,I], valid until the next call. `training`: drops outputs. */
const float *net_forward(struct net *net, size_t B, const float *x, bool training);

/* The gradients of all weights from dz[B,C], the gradient of the outputs, after net_forward with the same x. */
void net_backward(struct net *net, size_t B, const float *x, const float *dz);

/* Of checkpoints: the weights, and the dropout to come. */
void net_save(const struct net *net, struct buf *out);
void net_resume(struct net *net, struct pack *pack);

#endif
