/* The operations that neural networks are made of, on row-major arrays of floats. There are two of each: plain loops
 * that can be read (ops_ref.c) and oneDNN's (ops_dnnl.c); a test compares them.
 *
 * Shapes: B examples in a batch, I inputs and O outputs of a layer. */
#ifndef GANNET_WORKER_KERNELS_OPS_H
#define GANNET_WORKER_KERNELS_OPS_H

#include <stddef.h>

/* Activations f(z); the words of the kernels' tables, in this order. */
#define OPS_ACTIVATIONS "relu|tanh|sigmoid|gelu"
enum ops_activation {
    OPS_RELU, /* max(0, z) */
    OPS_TANH,
    OPS_SIGMOID, /* 1 / (1 + exp(-z)) */
    OPS_GELU,    /* z/2 (1 + erf(z / sqrt 2)): Hendrycks and Gimpel 2016 */
    OPS_ACTIVATIONS_COUNT
};

/* An implementation. `self` is what create returned; one thread at a time. Results never overlap with what they are
 * made from unless it says so. */
struct ops {
    const char *name;
    void *(*create)(void);
    void (*destroy)(void *self);

    /* y[B,O] = x[B,I] w[O,I]^T + b[O] */
    void (*linear)(void *self, size_t B, size_t I, size_t O, const float *x, const float *w, const float *b, float *y);

    /* dx[B,I] = dy[B,O] w[O,I] */
    void (*linear_back_data)(void *self, size_t B, size_t I, size_t O, const float *dy, const float *w, float *dx);

    /* dw[O,I] = dy[B,O]^T x[B,I];  db[O] = sum over B of dy */
    void (*linear_back_weights)(void *self, size_t B, size_t I, size_t O, const float *x, const float *dy, float *dw,
                                float *db);

    /* a[B,O] = f(z[B,O]); a may be z */
    void (*activate)(void *self, enum ops_activation f, size_t B, size_t O, const float *z, float *a);

    /* dz[B,O] = da[B,O] f'(z[B,O]); dz may be da */
    void (*activate_back)(void *self, enum ops_activation f, size_t B, size_t O, const float *z, const float *da,
                          float *dz);
};

extern const struct ops ops_ref;
#ifdef HAVE_ONEDNN
extern const struct ops ops_dnnl;
#endif

/* The fastest of this build. */
const struct ops *ops_best(void);

/* Lets this thread and those it starts take numbers below 1e-38 for 0. Near a minimum gradients become that small, and
 * processors compute with them up to a hundred times slower. */
void ops_flush_tiny(void);

#endif
