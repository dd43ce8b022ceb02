/* A network: a list of layers with its memory in a backend.
 *
 *     created     from a list of settings (layer.h), for batches up to the largest; weights random by a seed
 *     forward     the outputs of a batch
 *     backward    the gradients of all weights, from that of the outputs
 *
 * No step allocates. What repeats itself to the bit: everything, with the same seed, backend, machine and threads. */
#ifndef GANNET_WORKER_NN_NETWORK_H
#define GANNET_WORKER_NN_NETWORK_H

#include "worker/nn/plan.h"
#include "worker/nn/stored.h"

struct network {
    struct backend *backend;
    struct plan plan; /* its memory, and its parameters one by one */
    struct chain layers;
    struct tensor weights, gradients; /* [P]: of all parameters, and what fills them up to whole cache lines */
    struct tensor narrow;  /* [P]: the weights in the network's precision; at NULL: operations see them as F32 */
    bool stale;            /* whether weights have changed since `narrow` was made of them */
    struct tensor state;   /* running statistics */
    struct tensor y;       /* the outputs of the last forward */
    float larger;          /* what backward multiplies the gradient of the outputs by: loss_scale.h */
    struct tensor lengths; /* [B], I32: steps of each example of the batch that comes in, from 1 on; those behind them
                              are padding, which changes nothing. at NULL: there is none */
    size_t before, whole;  /* the part of a batch that training is on: struct pass; whole 0: all of it */
    void (*made)(void *context, size_t first); /* on the way back: gradients from `first` on are made. NULL: not told */
    void *context;                             /* of `made` */
    struct layer_setting *settings;            /* a copy of the list and of those within it */
};

/* `shape`: of a batch of the largest size, [B,I] or [B,H,W,C]. `type`: the precision, F32 or BF16 (Micikevicius et al.
 * 2018; Kalamkar et al. 2019): activations, weights as operations see them and the gradients of data are of it; weights
 * themselves, their gradients, running statistics, what comes in and the outputs are F32. NULL with a sentence: layers
 * that do not fit each other, no memory, or a type that the backend does not take. The backend must outlive it. */
struct network *network_create(struct backend *backend, enum tensor_type type, const struct tensor *shape,
                               const struct layer_setting *settings, uint64_t seed, struct err *err);
void network_destroy(struct network *network); /* NULL is fine */

/* The outputs of x, whose first axis may be shorter than planned; valid until the next call. `training`: drops outputs,
 * normalises by the batch, keeps what backward needs. */
const struct tensor *network_forward(struct network *network, const struct tensor *x, bool training);

/* To be called by who has changed weights outside a step of training: the next forward makes their copy anew. The
 * steps themselves do, since each forward in training is followed by an update. */
void network_weights_changed(struct network *network);

/* The gradients of all weights from dy, that of the outputs, after network_forward in training with the same x. Writes
 * over dy. All come out `larger` times as large. */
void network_backward(struct network *network, const struct tensor *x, const struct tensor *dy);

/* Of checkpoints: weights, running statistics and the random numbers to come. network_load takes what a network of the
 * same settings saved; when that is torn the network is good for nothing but network_destroy. */
void network_save(const struct network *network, struct pack_writer *out);
void network_load(struct network *network, struct pack_reader *in);

#endif
