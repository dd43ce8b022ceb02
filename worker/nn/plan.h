/* Planning a network: its layers say what they need, then all of it is allocated at once, so that no step allocates.
 *
 * Parameters lie side by side in one array, each from a whole cache line on, and their gradients in another of the same
 * form, so that an optimizer can take all in one pass. */
#ifndef GANNET_WORKER_NN_PLAN_H
#define GANNET_WORKER_NN_PLAN_H

#include "worker/nn/layer.h"

/* A tensor that waits for its place. */
struct planned_tensor {
    struct tensor *tensor;
    size_t at; /* bytes from the beginning of its region */
};

/* Memory that is allocated at once. */
struct region {
    struct planned_tensor *wanted;
    size_t count, capacity, bytes;
    void *at;
};

/* How a tensor of the weights or the state begins. */
struct begun {
    const struct tensor *tensor;
    enum beginning beginning;
    size_t inputs, outputs;
};

struct plan {
    uint64_t seed;         /* of weights and streams */
    enum tensor_type type; /* of activations, of weights as operations see them, and of data gradients: F32 or BF16 */
    size_t streams;        /* of random numbers, given out */
    bool first;            /* whether the next layer's gradient of what comes in is wanted by nobody */
    struct region weights, gradients, state, work;
    void *narrow; /* weights in the network's precision, in the order of the weights; NULL: no layer sees any */
    struct begun *begun;
    size_t begun_count, begun_capacity;
    struct parameter **parameters;
    size_t parameter_count, parameter_capacity;
};

/* Allocates all regions and gives the tensors their places. -1 with a sentence. */
int plan_allocate(struct plan *plan, struct backend *backend, struct err *err);

/* Gives weights and state their first numbers. */
void plan_begin(const struct plan *plan, struct backend *backend);

/* A region as one tensor; the weights in the network's precision, without memory when no layer sees any. */
struct tensor plan_whole(const struct region *region);
struct tensor plan_whole_narrow(const struct plan *plan);

void plan_fini(struct plan *plan, struct backend *backend); /* {0} is fine */

#endif
