/* The backend that uses oneDNN's C interface, versions 2 and 3 of it. An operation is a primitive that is made when its
 * shape first comes and then kept (onednn_cache.c); from shapes to primitives it goes by a description of ours
 * (onednn_describe.c) that onednn_2.c or onednn_3.c spells for the version of the build. */
#ifndef GANNET_WORKER_BACKEND_ONEDNN_H
#define GANNET_WORKER_BACKEND_ONEDNN_H
#ifdef HAVE_ONEDNN

#include "common/map.h"
#include "worker/backend/ref.h"

#include <dnnl.h>

enum onednn_kind {
    ONEDNN_DENSE_ADDED, /* y += x w^T, with w in an order of oneDNN's: for many products with the same w */
    ONEDNN_DENSE,
    ONEDNN_DENSE_BACK_DATA,
    ONEDNN_DENSE_BACK_WEIGHTS,
    ONEDNN_CONV,
    ONEDNN_CONV_BACK_DATA,
    ONEDNN_CONV_BACK_WEIGHTS,
    ONEDNN_POOL,
    ONEDNN_POOL_BACK,
    ONEDNN_ACTIVATE,
    ONEDNN_ACTIVATE_BACK,
};

/* What tells one primitive from another. Shapes: x[B,H,W,I], y[B,OH,OW,O], a window of KH x KW; what a kind does not
 * have is 0. An activation has B numbers, with the upper 32 bits of their count in H. */
struct onednn_call {
    uint32_t kind;       /* enum onednn_kind */
    uint32_t narrow;     /* whether x, w and y are BF16 */
    uint32_t activation; /* enum activation, of kinds that have one */
    uint32_t biased;     /* whether there is a b; of pools: whether they take the mean */
    uint32_t B, H, W, I, O, OH, OW;
    uint32_t KH, KW, stride, padding;
    uint32_t part;    /* whether it is one of several that run at a time, each in one thread */
    uint32_t threads; /* that it was made for; of onednn_find */
};

/* An array as oneDNN sees it: its own order of axes (examples, channels, rows, columns), and how they lie in memory. */
struct onednn_layout {
    dnnl_data_type_t type;
    int axes; /* 0: there is no such array */
    dnnl_dims_t sizes;
    dnnl_format_tag_t tag;
};

/* What is asked of oneDNN: a call in its words. */
struct onednn_descriptor {
    enum onednn_kind kind;
    struct onednn_layout x, w, b, y; /* they also stand for the gradients */
    dnnl_alg_kind_t algorithm;       /* of pools and activations; of what follows a product, undef: nothing */
    dnnl_dims_t kernel, strides, before, behind; /* of the window; rows and columns of zeros before and behind */
};

/* --- onednn_2.c, onednn_3.c --- */

#if HAVE_ONEDNN == 2
typedef const dnnl_memory_desc_t *onednn_shape; /* how its own functions name a layout */
#else
typedef const_dnnl_memory_desc_t onednn_shape;
#endif

/* A memory without an array yet; for the caller to destroy. */
dnnl_memory_t onednn_memory(dnnl_engine_t engine, const struct onednn_layout *layout);

/* The description of the primitive, for the caller to destroy; NULL: this processor or shape has none. `forward`: of a
 * way back, the description of the way forward; else NULL. */
dnnl_primitive_desc_t onednn_describe(dnnl_engine_t engine, const struct onednn_descriptor *descriptor,
                                      const_dnnl_primitive_attr_t attributes, const_dnnl_primitive_desc_t forward);

/* Adds an activation to what follows a product, or a sum with what was there. */
dnnl_status_t onednn_append(dnnl_post_ops_t operations, dnnl_alg_kind_t algorithm);
dnnl_status_t onednn_append_sum(dnnl_post_ops_t operations);

/* --- onednn_describe.c --- */

struct onednn_descriptor onednn_descriptor_of(const struct onednn_call *call);

/* The descriptor for the way forward that belongs to a way back. */
struct onednn_descriptor onednn_descriptor_forward(const struct onednn_descriptor *descriptor);

/* --- onednn_cache.c --- */

enum { ONEDNN_MOST_ARGUMENTS = 4 };

/* One array of a primitive. Where the primitive wants another order of its numbers than ours, they are reordered. */
struct onednn_argument {
    dnnl_memory_t ours;
    dnnl_memory_t packed;     /* the primitive's own; NULL: it takes ours */
    dnnl_primitive_t reorder; /* from one to the other; NULL when there is no packed */
};

struct onednn_operation {
    struct onednn_call call;
    dnnl_primitive_t primitive; /* NULL: there is none */
    size_t workspace;           /* bytes of what a pool keeps for its way back */
    struct onednn_argument arguments[ONEDNN_MOST_ARGUMENTS];
    dnnl_exec_arg_t passed[ONEDNN_MOST_ARGUMENTS];
    int count, results;               /* arguments; how many of them, at the end, are written */
    dnnl_memory_t scratch;            /* of a part; NULL: what oneDNN has for the thread */
    struct onednn_operation **shared; /* [share_count]: the parts among which it is divided; NULL: none */
    size_t share_count;
};

struct onednn {
    struct ref ref; /* of the loops that are borrowed; first */
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    struct map operations; /* by the hash of their call */
    double prepared;       /* seconds that making them took */
    double skipped;        /* floating-point operations that were left out since somebody asked */
};

/* Ends the process with a sentence when the status is no success; `what` follows "oneDNN can't". */
void onednn_check(dnnl_status_t status, const char *what);

/* The operation of that call; NULL: oneDNN has none, and the loops must do. It stays valid until the next call. */
struct onednn_operation *onednn_find(struct onednn *onednn, const struct onednn_call *call);

/* Runs it on these arrays, in the order of onednn_cache.c's table. `again`: weights are those of the call before, and
 * as they were then. */
void onednn_run(struct onednn *onednn, struct onednn_operation *operation, void *const *arrays);
void onednn_run_again(struct onednn *onednn, struct onednn_operation *operation, void *const *arrays, bool again);

void onednn_forget(struct onednn *onednn); /* all operations */

/* Makes an operation, whose primitive may be NULL, beside those that are kept. */
struct onednn_operation *onednn_make(struct onednn *onednn, const struct onednn_call *call);
void onednn_unmake(struct onednn_operation *operation); /* NULL is fine */

/* Lets the primitive compute on these arrays; results stay in the order that it has. */
void onednn_execute(struct onednn *onednn, const struct onednn_operation *operation, void *const *arrays);

/* --- onednn_share.c --- */

/* An operation that is divided among threads, without a primitive of its own; NULL: oneDNN divides it. */
struct onednn_operation *onednn_share(struct onednn *onednn, const struct onednn_call *call);

/* Runs one that is divided; results stay in the order of its primitives. */
void onednn_run_shared(struct onednn *onednn, const struct onednn_operation *operation, void *const *arrays);

/* --- onednn_product.c --- */

enum { ONEDNN_VECTOR = 16 /* columns in which a product is divided among threads */ };

/* A matrix of rows `row` numbers apart; turned: its columns are what lies one behind the other. */
struct onednn_matrix {
    const float *at;
    size_t row;
    bool turned;
};

/* c[M,N] = a[M,K] b[K,N] */
struct onednn_product {
    size_t M, N, K;
    struct onednn_matrix a, b;
    float *c;        /* of rows N numbers apart */
    bool of_weights; /* it is the gradient of weights */
};

/* A rectangle of the result. */
struct onednn_part {
    size_t row, rows, column, columns;
};

/* Computes a product of kind ONEDNN_DENSE, with ReLU but no other activation, or of a way back on arrays as onednn_run
 * takes them, if that is sooner done as this file does it; else false. */
bool onednn_share_dense(struct onednn *onednn, const struct onednn_call *call, void *const *arrays);

/* --- onednn_sparse.c --- */

/* Whether so many numbers of a are 0 that the product is sooner done without them. */
bool onednn_is_sparse(const struct onednn_product *product);

/* Computes a part, with `work` for onednn_sparse_numbers floats, from a whole cache line on. `taken` is how many
 * products of two numbers it took. False when b has numbers that are not finite, whose products with 0 are NaN: then
 * the part is to be computed whole. */
size_t onednn_sparse_numbers(const struct onednn_product *product);
bool onednn_multiply_sparse(const struct onednn_product *product, const struct onednn_part *part, float *work,
                            size_t *taken);

/* --- onednn_turn.c --- */

/* to[C,R] = from[R,C] turned; rows lie from_row and to_row numbers apart */
void onednn_turn(size_t R, size_t C, const float *from, size_t from_row, float *to, size_t to_row);

/* Whether y[M,N] = x[M,K] w[N,K]^T is sooner done with the weights turned first. */
bool onednn_is_turned(size_t M, size_t N, size_t K);

/* Rows and columns of such a product: w, x and y are where they begin. */
struct onednn_turned {
    size_t M, N, K;
    const float *x, *w; /* of rows K numbers apart */
    float *y;           /* of rows y_row numbers apart */
    size_t y_row;
};

/* Computes them, with `work` for onednn_turned_numbers(N) floats. */
size_t onednn_turned_numbers(size_t N);
void onednn_multiply_turned(const struct onednn_turned *of, float *work);

/* --- onednn_gather.c: slots --- */

void onednn_gather(void *self, const struct tensor *table, const struct tensor *places, const struct tensor *y);
void onednn_expect(void *self, const struct tensor *table, const struct tensor *places);

/* --- onednn_rows.c: parts of a softmax, and slots --- */

/* The largest of z[n]; any number when one is NaN. */
float onednn_largest(size_t n, const float *z);

/* e = exp(z - most), where e may be z, or nothing is kept of it when e is NULL; their sum. */
float onednn_raise(size_t n, const float *z, float most, float *e);

void onednn_layer_norm(void *self, const struct tensor *x, const struct tensor *gamma, const struct tensor *beta,
                       float epsilon, const struct tensor *mean, const struct tensor *variance, const struct tensor *y);
void onednn_layer_norm_back(void *self, const struct tensor *x, const struct tensor *dy, const struct tensor *gamma,
                            float epsilon, const struct tensor *mean, const struct tensor *variance,
                            const struct tensor *dx, const struct tensor *dgamma, const struct tensor *dbeta);
void onednn_softmax_loss(void *self, const struct tensor *z, const struct tensor *labels, float smoothing,
                         const struct tensor *losses, const struct tensor *hits, const struct tensor *dz);

/* --- onednn_elements.c: slots --- */

void onednn_add(void *self, const struct tensor *a, const struct tensor *b, const struct tensor *y);
void onednn_mix(void *self, float alpha, const struct tensor *x, float beta, const struct tensor *y);
void onednn_copy(void *self, const struct tensor *from, const struct tensor *to);
void onednn_cast(void *self, const struct tensor *x, const struct tensor *y);
void onednn_dropout(void *self, float share, uint64_t stream, size_t skip, const struct tensor *x,
                    const struct tensor *y);
/* The way back of a ReLU, in F32: what a primitive does in a microsecond is little beside calling it. */
void onednn_rectify_back(const struct tensor *a, const struct tensor *da, const struct tensor *dz);
void onednn_add_each(void *self, const struct tensor *x, const struct tensor *one, const struct tensor *y);
void onednn_update(void *self, const struct update *update, const struct tensor *w, const struct tensor *dw,
                   const struct tensor *first, const struct tensor *second);

/* --- onednn_lstm.c: slots --- */

void onednn_lstm(void *self, const struct tensor *w, const struct tensor *lengths, const struct tensor *z,
                 const struct tensor *c, const struct tensor *h);
void onednn_lstm_back(void *self, const struct tensor *w, const struct tensor *lengths, const struct tensor *c,
                      const struct tensor *dy, const struct tensor *z, const struct tensor *dh,
                      const struct tensor *dc);

/* --- onednn_norm.c: slots --- */

void onednn_batch_norm(void *self, const struct tensor *x, const struct tensor *gamma, const struct tensor *beta,
                       float epsilon, const struct tensor *mean, const struct tensor *variance, const struct tensor *y);
void onednn_batch_norm_apply(void *self, const struct tensor *x, const struct tensor *gamma, const struct tensor *beta,
                             float epsilon, const struct tensor *mean, const struct tensor *variance,
                             const struct tensor *y);
void onednn_batch_norm_back(void *self, const struct tensor *x, const struct tensor *dy, const struct tensor *gamma,
                            float epsilon, const struct tensor *mean, const struct tensor *variance,
                            const struct tensor *dx, const struct tensor *dgamma, const struct tensor *dbeta);

/* --- onednn_attention.c: slots --- */

void onednn_attention(void *self, const struct attention *how, const struct tensor *qkv, const struct tensor *kept,
                      const struct tensor *y);
void onednn_attention_back(void *self, const struct attention *how, const struct tensor *qkv, const struct tensor *kept,
                           const struct tensor *y, const struct tensor *dy, const struct tensor *dqkv);

#endif
#endif
