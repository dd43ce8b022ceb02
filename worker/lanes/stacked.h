/* Networks of the same shape as one that trains all of them, one behind the other in the memory of a device: the same
 * as network.h has it for processors, by the operations of struct backend_stack. Each is loaded from a network of its
 * own with its optimizer and stored back, so that between two epochs nothing is kept here; all of it stays in the
 * device.
 *
 *     load f      weights, what the optimizer keeps, streams of random numbers
 *     places      of the examples of an epoch, of all networks
 *     batch       take, forward, loss, backward, clip, follow, average; as often as wanted
 *     losses      of the epoch, summed for each network
 *     store f
 *
 * Shapes: F networks, B examples of each in a batch, N in a pass over the data. */
#ifndef GANNET_WORKER_LANES_STACKED_H
#define GANNET_WORKER_LANES_STACKED_H

#include "worker/backend/operations.h"
#include "worker/nn/optimizer.h"

struct stacked_layer {
    bool drops; /* else it is dense */
    size_t I, O;
    enum activation activation;
    size_t w, b;                                    /* where its weights [O,I] and [O] are among those of a network */
    struct tensor y;                                /* [F B,O] */
    struct tensor kept;                             /* [F B,O]: z where f's slope needs it; at NULL: y is kept */
    struct tensor dx;                               /* [F B,I]; at NULL: nobody wants it */
    struct tensor out;                              /* of the last forward: y, or what came in */
    float share[STACK_MOST];                        /* of what is dropped, */
    uint64_t stream[STACK_MOST], drawn[STACK_MOST]; /* its random numbers, and those of the last forward */
};

struct stacked {
    struct backend *backend;
    struct stacked_layer *layers;
    size_t layer_count;
    struct stack stack;                       /* the networks that are loaded; numbers of each */
    size_t most, B, N;                        /* what there is memory for */
    void *memory;                             /* of all below, and of the layers */
    struct tensor w, dw, first, second, mean; /* [F P] */
    struct tensor places, labels;             /* [F N], [F B]: I32 */
    struct tensor x, dz;                      /* [F B,I], [F B,C] */
    struct tensor losses, hits;               /* [F N] */
    int32_t *wanted, *hit;                    /* [F N], of the host */
    float *loss;                              /* likewise */
};

/* The sums of a network over a pass. */
struct stacked_loss {
    double sum;
    size_t hits;
};

/* For up to `most` networks that match this one (lanes_suit, lanes_match), in batches up to B and passes over up to N
 * examples. NULL with a sentence when there is no memory. */
struct stacked *stacked_create(const struct network *like, size_t most, size_t B, size_t N, struct err *err);
size_t stacked_bytes(const struct network *like, size_t B, size_t N); /* that each of them takes */
void stacked_destroy(struct stacked *stacked);                        /* NULL is fine */

/* Whether it has room for so many of such. */
bool stacked_fit(const struct stacked *stacked, const struct network *network, size_t most, size_t B, size_t N);

/* `count` networks from here on. */
void stacked_begin(struct stacked *stacked, size_t count);
void stacked_load(struct stacked *stacked, size_t f, const struct network *network, const struct optimizer *optimizer,
                  const struct average *average);
void stacked_store(const struct stacked *stacked, size_t f, struct network *network, struct optimizer *optimizer,
                   struct average *average);

/* A pass over N examples in batches of up to B begins: network f sees orders[f][n], or first + n where that is NULL. */
void stacked_places(struct stacked *stacked, const size_t *const *orders, size_t first, size_t N, size_t B);

/* The rows of F batches of B, from row `first` of each on, of an array of all networks. */
struct tensor stacked_rows(const struct stacked *stacked, const struct tensor *all, size_t first, size_t B);

/* The B examples behind the first n of the pass. */
void stacked_take(struct stacked *stacked, const struct tensor *x, const struct tensor *labels, size_t n, size_t B);

/* Forward, and the losses of these examples; `training`: drops outputs, and the gradients of the outputs are wanted.
 * `averaged`: with the mean in the place of the weights. */
void stacked_forward(struct stacked *stacked, size_t n, size_t B, const float *smoothing, bool training, bool averaged);

/* The gradients of all weights. */
void stacked_backward(struct stacked *stacked, size_t B);

/* Changes the weights by their gradients: updates[f], all of one kind. */
void stacked_follow(struct stacked *stacked, const struct update *updates);
void stacked_clip(struct stacked *stacked, const float *limits);
void stacked_average(struct stacked *stacked, const float *decays);

/* Sums the losses of a pass over N examples in batches of up to B, in the order of the examples. */
void stacked_sums(struct stacked *stacked, size_t N, size_t B, struct stacked_loss *out);

#endif
