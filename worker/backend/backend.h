/* What computes: a table of functions on tensors in memory of its own. ref.c is the one that can be read; onednn.c is
 * the fast one of processors. Who trains calls the functions of operations.h, which check shapes and count.
 *
 * Operations run in the order of their calls, and may still run after the call has returned: only download and wait
 * wait. Nothing outside a backend reads or writes its memory, so that it may be a device's.
 *
 * Numbers: results are of the type of their tensor, sums are made in F32 or wider. A tensor that is F32 below may be
 * BF16 as well in dense, conv, pooling, the data of batch_norm, activations, dropout, add, mix, cast and attention;
 * everywhere else, and for biases, statistics and gradients of what is learned, F32 alone. The same calls on the same
 * numbers give the same bits, on one machine with the same number of threads. In which order a backend adds is its own
 * business.
 *
 * An operation that fails ends the process with a sentence: it is memory that is not there or a bug of ours, and costs
 * one run. Results never overlap with what they are made from, unless the slot says so. */
#ifndef GANNET_WORKER_BACKEND_BACKEND_H
#define GANNET_WORKER_BACKEND_BACKEND_H

#include "common/err.h"
#include "common/operations.h"
#include "worker/backend/tensor.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BACKEND_VERSION = 1 };

/* Activations f(z); the words of the kernels' tables, in this order. */
#define ACTIVATIONS "relu|tanh|sigmoid|gelu"
enum activation {
    ACTIVATION_RELU, /* max(0, z) */
    ACTIVATION_TANH,
    ACTIVATION_SIGMOID, /* 1 / (1 + exp(-z)) */
    ACTIVATION_GELU,    /* z/2 (1 + erf(z / sqrt 2)): Hendrycks and Gimpel 2016 */
    ACTIVATION_NONE,    /* z */
    ACTIVATIONS_COUNT
};

/* Whether the slope is a function of f(z) alone, so that z need not be kept. */
static inline bool activation_forgets(enum activation f)
{
    return f != ACTIVATION_GELU;
}

/* How a convolution or pooling moves over an image. */
struct window {
    size_t height, width; /* K x K */
    size_t stride;        /* of both axes, from 1 */
    size_t padding;       /* rows and columns of zeros on each side; less than height and width */
};

/* How many places a window has along an axis of `size` pixels, `kernel` of which it covers. */
static inline size_t window_places(const struct window *window, size_t size, size_t kernel)
{
    return size + 2 * window->padding < kernel ? 0 : (size + 2 * window->padding - kernel) / window->stride + 1;
}

/* How the steps of a sequence look at each other. */
struct attention {
    size_t heads;
    bool causal;                  /* at themselves and those before them alone */
    const struct tensor *lengths; /* [B], I32: how many steps each example has, from 1 to T; NULL: all T. Those behind
                                     are padding: nobody looks at them, and their y and their gradient are 0 */
    float dropped;                /* the share of the weights p that is 0, as dropout has it; 0: none */
    uint64_t stream; /* of what is dropped: the weights of step t of head n of example b are the first T numbers of
                        random_row(stream, (b N + n) T + t, T) */
};

/* One step of an optimizer: weights w with gradients g = dw + l2 w. `first` and `second` are arrays of w's size that
 * the optimizer keeps, zeros at the beginning. */
enum update_kind {
    /* first = momentum first + g;  w = keep w - lr first (nesterov: lr (g + momentum first)): Polyak 1964 and
     * Sutskever et al. 2013 without dampening. Momentum 0: no array is needed, w = keep w - lr g. */
    UPDATE_SGD,
    /* first = beta1 first + (1 - beta1) g;  second = beta2 second + (1 - beta2) g^2
     * w = keep w - lr first / (scale sqrt(second) + epsilon): Kingma and Ba 2015, algorithm 1, where lr holds
     * 1 / (1 - beta1^t) and scale is 1 / sqrt(1 - beta2^t); keep = 1 - lr decay: Loshchilov and Hutter 2019, AdamW */
    UPDATE_ADAM,
    /* second = beta2 second + (1 - beta2) g^2;  first = momentum first + g / (sqrt(second) + epsilon)
     * w = keep w - lr first: Tieleman and Hinton 2012 */
    UPDATE_RMSPROP,
    /* second = beta2 second + (1 - beta2) g^2;  d = g sqrt(first + epsilon) / sqrt(second + epsilon)
     * first = beta2 first + (1 - beta2) d^2;  w = keep w - lr d: Zeiler 2012, algorithm 1 */
    UPDATE_ADADELTA,
    /* first = momentum first + lr trust |w| / |g| g, with |g| = |dw| + l2 |w|, or lr g where one of them is 0
     * w = w - first: You et al. 2017, algorithm 1; w is one layer's */
    UPDATE_LARS,
};

struct update {
    enum update_kind kind;
    float lr;
    float l2;                     /* of the weights, added to their gradient */
    float keep;                   /* what is left of the weights; 1: all */
    float momentum, beta1, beta2; /* of the kinds that name them */
    float epsilon, scale, trust;  /* of the kinds that name them */
    bool nesterov;
};

/* --- several networks at once ---
 *
 * Operations on several networks of one shape, for a device that one small network leaves idle. Each does of network f
 * what the slot of the same name does of one network, in F32.
 *
 * Examples and outputs are arrays [F B,...]: those of network 0, then those of network 1, and so on. Weights, their
 * gradients and what optimizers keep are said by the tensor of network 0; those of network f lie f P numbers behind it.
 * Arrays of constants are the host's, one for each network, and may change after the call. */

enum { STACK_MOST = 64 }; /* networks: what is told of each is handed to the device with the call, in 4 KiB at most */

struct stack {
    size_t F, P; /* networks, from 1 to STACK_MOST; numbers from one's weights to the next one's */
};

struct backend_stack {
    /* y[F B,O] of x[F B,I] and w[O,I], b[O] of each */
    void (*dense)(void *self, const struct stack *stack, const struct tensor *x, const struct tensor *w,
                  const struct tensor *b, enum activation f, const struct tensor *y);
    void (*dense_back_data)(void *self, const struct stack *stack, const struct tensor *dz, const struct tensor *w,
                            const struct tensor *dx);
    void (*dense_back_weights)(void *self, const struct stack *stack, const struct tensor *x, const struct tensor *dz,
                               const struct tensor *dw, const struct tensor *db);

    /* Of x[F B,O]; y may be x. */
    void (*dropout)(void *self, const struct stack *stack, const float *shares, const uint64_t *streams,
                    const struct tensor *x, const struct tensor *y);

    /* Of z[F B,C]; the gradient counts each network's B examples. */
    void (*softmax_loss)(void *self, const struct stack *stack, const struct tensor *z, const struct tensor *labels,
                         const float *smoothing, const struct tensor *losses, const struct tensor *hits,
                         const struct tensor *dz);

    /* A limit of 0: any norm. */
    void (*clip)(void *self, const struct stack *stack, const float *limits, const struct tensor *g);

    /* All of one kind, and with nesterov or without. */
    void (*update)(void *self, const struct stack *stack, const struct update *updates, const struct tensor *w,
                   const struct tensor *dw, const struct tensor *first, const struct tensor *second);

    /* mean = decay mean + (1 - decay) w; a decay of 0: whatever the mean was */
    void (*average)(void *self, const struct stack *stack, const float *decays, const struct tensor *w,
                    const struct tensor *mean);
};

/* --- the table of a backend --- */

struct backend_kind {
    int version; /* BACKEND_VERSION */
    const char *name;
    const char *summary; /* one line */

    /* Once, from the thread that uses it; uses as many threads as OMP_NUM_THREADS says. -1 with a sentence. */
    int (*create)(void **self, struct err *err);
    void (*destroy)(void *self); /* when all memory is released; NULL is fine */

    /* Whether networks can be of that type here, F32 or BF16. -1 with a sentence: what is missing, and what to write
     * instead. */
    int (*takes)(void *self, enum tensor_type type, struct err *err);

    /* Optional: from now on products of F32 may be made in TF32 (10 bits of mantissa), or may not, as at first. NULL:
     * it has no such thing. */
    void (*coarse)(void *self, bool may);

    /* --- memory and copies --- */

    /* Memory of zeros that begins at a multiple of 64 bytes. NULL with a sentence when there is not so much. Any number
     * of bytes may be added to the address. Never called within a training step. */
    void *(*allocate)(void *self, size_t bytes, struct err *err);
    void (*release)(void *self, void *at); /* NULL is fine */

    /* An address in the backend's memory at which the `bytes` at `host` can be read, which nobody changes before
     * unshare: that of the host where the backend can read it, else that of a copy. NULL with a sentence. */
    void *(*share)(void *self, const void *host, size_t bytes, struct err *err);
    void (*unshare)(void *self, void *at); /* NULL is fine */

    void (*upload)(void *self, const void *host, const struct tensor *to);        /* `host` may change after it */
    void (*download)(void *self, const struct tensor *from, void *host);          /* waits until the bytes are there */
    void (*copy)(void *self, const struct tensor *from, const struct tensor *to); /* of the same type and count */
    void (*wait)(void *self);                                                     /* until all is done */

    /* Optional, both or none: what is called from begin to end is a step that will come again, called with the same
     * key, its operations of the same shapes; all else may differ. It may be started as a whole at end. Whatever waits
     * within it ends it, and the rest is as without. */
    void (*begin)(void *self, uint64_t key);
    void (*end)(void *self);

    /* Optional: seconds that it has spent since it was created on making operations ready for new shapes, within the
     * calls that needed them. */
    double (*prepared)(void *self);

    /* Optional: floating-point operations that it left out since the last time it was asked, since a factor was 0. */
    double (*skipped)(void *self);

    /* Optional: the next gather from this table may be that of these rows. What has time may bring them nearer. */
    void (*expect)(void *self, const struct tensor *table, const struct tensor *places);

    /* --- layers with weights --- */

    /* y[B,O] = f(x[B,I] w[O,I]^T + b[O]); b NULL: 0. Axes behind the first count as one: x may be images. */
    void (*dense)(void *self, const struct tensor *x, const struct tensor *w, const struct tensor *b, enum activation f,
                  const struct tensor *y);
    /* dx[B,I] = dz[B,O] w[O,I], with dz the gradient before the activation */
    void (*dense_back_data)(void *self, const struct tensor *dz, const struct tensor *w, const struct tensor *dx);
    /* dw[O,I] = dz[B,O]^T x[B,I];  db[O] = sum over B of dz, unless it is NULL */
    void (*dense_back_weights)(void *self, const struct tensor *x, const struct tensor *dz, const struct tensor *dw,
                               const struct tensor *db);

    /* y[B,H',W',O] = f(sum over the window of x[B,H,W,I] w[O,K,K,I] + b[O]); H' and W' are window_places. b NULL: 0 */
    void (*conv)(void *self, const struct window *window, const struct tensor *x, const struct tensor *w,
                 const struct tensor *b, enum activation f, const struct tensor *y);
    void (*conv_back_data)(void *self, const struct window *window, const struct tensor *dz, const struct tensor *w,
                           const struct tensor *dx);
    void (*conv_back_weights)(void *self, const struct window *window, const struct tensor *x, const struct tensor *dz,
                              const struct tensor *dw, const struct tensor *db);

    /* --- layers without weights --- */

    /* y[B,H',W',C]: the largest of each window of x[B,H,W,C]; of equal ones the first. `where`, I32 of y's size, keeps
     * what the way back needs, in a form of the backend's own. Padding is never the largest. */
    void (*pool_max)(void *self, const struct window *window, const struct tensor *x, const struct tensor *y,
                     const struct tensor *where);
    void (*pool_max_back)(void *self, const struct window *window, const struct tensor *dy, const struct tensor *where,
                          const struct tensor *dx);
    /* The mean over the pixels of the window that are in the image. */
    void (*pool_mean)(void *self, const struct window *window, const struct tensor *x, const struct tensor *y);
    void (*pool_mean_back)(void *self, const struct window *window, const struct tensor *dy, const struct tensor *dx);

    /* Ioffe and Szegedy 2015: mean[C] and variance[C] over all axes of x[...,C] but the last (the variance divides by
     * their count), y = gamma[C] (x - mean) / sqrt(variance + epsilon) + beta[C]. _apply takes mean and variance as
     * given. On the way back dx counts that mean and variance are made of x. */
    void (*batch_norm)(void *self, const struct tensor *x, const struct tensor *gamma, const struct tensor *beta,
                       float epsilon, const struct tensor *mean, const struct tensor *variance, const struct tensor *y);
    void (*batch_norm_apply)(void *self, const struct tensor *x, const struct tensor *gamma, const struct tensor *beta,
                             float epsilon, const struct tensor *mean, const struct tensor *variance,
                             const struct tensor *y);
    void (*batch_norm_back)(void *self, const struct tensor *x, const struct tensor *dy, const struct tensor *gamma,
                            float epsilon, const struct tensor *mean, const struct tensor *variance,
                            const struct tensor *dx, const struct tensor *dgamma, const struct tensor *dbeta);

    /* Ba et al. 2016: the same with mean[R] and variance[R] of each of the R rows of x[...,C]. */
    void (*layer_norm)(void *self, const struct tensor *x, const struct tensor *gamma, const struct tensor *beta,
                       float epsilon, const struct tensor *mean, const struct tensor *variance, const struct tensor *y);
    void (*layer_norm_back)(void *self, const struct tensor *x, const struct tensor *dy, const struct tensor *gamma,
                            float epsilon, const struct tensor *mean, const struct tensor *variance,
                            const struct tensor *dx, const struct tensor *dgamma, const struct tensor *dbeta);

    /* a = f(z); a may be z */
    void (*activate)(void *self, enum activation f, const struct tensor *z, const struct tensor *a);
    /* dz = da f'(z), where `kept` is a = f(z) when activation_forgets(f), else z; dz may be da */
    void (*activate_back)(void *self, enum activation f, const struct tensor *kept, const struct tensor *da,
                          const struct tensor *dz);

    /* Dropout (Srivastava et al. 2014): y_i = 0 with probability `share` (to 1/65536), else x_i / (1 - share); y may be
     * x. Which ones is a function of `stream` and skip + i (random.h), so the way back is the same call on dy. skip, 0
     * to 3: numbers of the first draw that are of others. */
    void (*dropout)(void *self, float share, uint64_t stream, size_t skip, const struct tensor *x,
                    const struct tensor *y);

    /* --- losses --- */

    /* Of z[B,C] with labels[B], I32: losses[B] = log(sum_c exp z_c) - sum_c t_c z_c with the targets
     * t = (1 - smoothing) onehot(label) + smoothing / C (Szegedy et al. 2016); hits[B], I32: whether the first of the
     * largest outputs is the label's. dz[B,C] = (softmax(z) - t) / B, unless it is NULL. */
    void (*softmax_loss)(void *self, const struct tensor *z, const struct tensor *labels, float smoothing,
                         const struct tensor *losses, const struct tensor *hits, const struct tensor *dz);
    /* losses[B] = mean over O of (z - t)^2 for z[B,O] and targets t[B,O];  dz = 2 (z - t) / (B O), unless NULL */
    void (*square_loss)(void *self, const struct tensor *z, const struct tensor *targets, const struct tensor *losses,
                        const struct tensor *dz);

    /* --- element by element --- */

    void (*add)(void *self, const struct tensor *a, const struct tensor *b, const struct tensor *y); /* y may be both */
    /* y = alpha x + beta y; beta 0: whatever y was */
    void (*mix)(void *self, float alpha, const struct tensor *x, float beta, const struct tensor *y);
    void (*cast)(void *self, const struct tensor *x, const struct tensor *y); /* to y's type */
    /* x = factor x; `finite`, I32 of one number, unless it is NULL: 1 when every result is a finite number, else 0 */
    void (*scale)(void *self, float factor, const struct tensor *x, const struct tensor *finite);
    void (*fill)(void *self, float value, const struct tensor *y);

    /* y[B,...] = rows `places`[B], I32, of table[N,...]; any type. An embedding, or a batch of examples. */
    void (*gather)(void *self, const struct tensor *table, const struct tensor *places, const struct tensor *y);
    /* dtable[N,...] = the sum of the rows of dy[B,...] that have its place, in their order; 0 where none has */
    void (*gather_back)(void *self, const struct tensor *dy, const struct tensor *places, const struct tensor *dtable);

    /* y[B,...] = x[B,...] + one[...] for each of the B examples; y may be x */
    void (*add_each)(void *self, const struct tensor *x, const struct tensor *one, const struct tensor *y);
    /* sum[...] = the sum of x[B,...] over B */
    void (*sum_each)(void *self, const struct tensor *x, const struct tensor *sum);

    /* --- what looks at the steps of a sequence --- */

    /* Vaswani et al. 2017, equation 1 and section 3.2.2, with N heads of K = D/N numbers. A row of qkv[B,T,3D] holds
     * the query q[N,K], the key k[N,K] and the value v[N,K] of a step; y[B,T,N,K] = p v of each head, where
     * p = softmax over u of q_t k_u / sqrt K. `kept`[B,N,T], F32, is the logarithm of the sum of exponentials of each
     * softmax: the way back makes p anew from it (Dao et al. 2022, section 3.1), so that no array of T x T numbers is
     * kept. With dropout y = dropout(p) v, with the same call on both ways. */
    void (*attention)(void *self, const struct attention *how, const struct tensor *qkv, const struct tensor *kept,
                      const struct tensor *y);
    void (*attention_back)(void *self, const struct attention *how, const struct tensor *qkv, const struct tensor *kept,
                           const struct tensor *y, const struct tensor *dy, const struct tensor *dqkv);

    /* y[B,D] = the mean of x[B,T,D] over the first lengths[B], I32, of the T steps, from 1 to T; and dx of dy, 0 behind
     * them. They count as means of pools. */
    void (*mean_steps)(void *self, const struct tensor *x, const struct tensor *lengths, const struct tensor *y);
    void (*mean_steps_back)(void *self, const struct tensor *dy, const struct tensor *lengths, const struct tensor *dx);

    /* y[J,I,...] = x[I,J,...]: the steps of all examples side by side, [T,B,...], and back */
    void (*swap)(void *self, const struct tensor *x, const struct tensor *y);

    /* Hochreiter and Schmidhuber 1997 with the forget gate of Gers et al. 2000, what follows the products with what
     * comes in: with the sums s_t = z_t + h_t-1 w^T, w[4H,H], of the gates i, f, g, o side by side,
     *     c_t[B,H] = sigmoid(f) c_t-1 + sigmoid(i) tanh(g),   h_t[B,H] = sigmoid(o) tanh(c_t),   c_-1 = h_-1 = 0
     * z[T,B,4H] then holds sigmoid(i), sigmoid(f), tanh(g), sigmoid(o) for the way back; c and h are [T,B,H]. F32.
     * lengths[B], I32, is how many steps each example has, from 1 to T; NULL: all T. Behind them c and h stay what they
     * were, and z is 0. */
    void (*lstm)(void *self, const struct tensor *w, const struct tensor *lengths, const struct tensor *z,
                 const struct tensor *c, const struct tensor *h);
    /* The gradient of z in its place, of dy[T,B,H] that of h, or of dy[1,B,H] that of h of each example's last step
     * alone. Behind the steps that an example has dy is not looked at, and the gradient is 0. dh[B,H] and dc[B,H] are
     * work. */
    void (*lstm_back)(void *self, const struct tensor *w, const struct tensor *lengths, const struct tensor *c,
                      const struct tensor *dy, const struct tensor *z, const struct tensor *dh,
                      const struct tensor *dc);

    /* --- optimizers --- */

    /* Scales g so that the root of its sum of squares is at most `limit`: Pascanu et al. 2013. */
    void (*clip)(void *self, float limit, const struct tensor *g);
    /* One step as enum update_kind says; first and second may be NULL where the kind does not use them. */
    void (*update)(void *self, const struct update *update, const struct tensor *w, const struct tensor *dw,
                   const struct tensor *first, const struct tensor *second);

    const struct backend_stack *stack; /* of several networks at once */
};

/* --- a backend in use --- */

struct backend {
    const struct backend_kind *kind;
    void *self;
    struct operation_count *counts; /* of each operation: where they are counted, `own` unless somebody sets it */
    uint64_t timed; /* bits of operations that are waited for, so that their seconds are their own; nothing runs beside
                       them then */
    struct operation_count own[OPERATIONS_COUNT];
    uint64_t taken; /* bytes that were asked for, also those that were given back */
};

/* The kinds of this program, the fastest first; NULL ends the list (list.c, cuda/list.c). */
extern const struct backend_kind backend_ref;
#ifdef HAVE_ONEDNN
extern const struct backend_kind backend_onednn;
#endif
extern const struct backend_kind *const backend_list[];

/* The kind of that name, or NULL. */
const struct backend_kind *backend_find(const char *name);

/* Starts a backend of that kind. NULL with a sentence. */
struct backend *backend_create(const struct backend_kind *kind, struct err *err);
void backend_destroy(struct backend *backend); /* NULL is fine */

/* What is done from here on is counted there, and these operations are timed; NULL: in the backend's own. */
void backend_count_into(struct backend *backend, struct operation_count *counts, uint64_t timed);

/* The slots allocate and share; the bytes are counted. */
void *backend_allocate(struct backend *backend, size_t bytes, struct err *err);
void *backend_share(struct backend *backend, const void *host, size_t bytes, struct err *err);

/* Around a step that comes again, with so many examples: the slots begin and end. Nothing is put together while
 * operations are timed. */
void backend_begin_step(struct backend *backend, size_t B);
void backend_end_step(struct backend *backend);

/* What the sentence of allocate and share begins with when it is a GPU that has not so much memory. */
#define BACKEND_GPU_FULL "CUDA out of memory"

/* Lets this thread and those it starts take numbers below 1e-38 for 0. Near a minimum gradients become that small, and
 * processors compute with them up to a hundred times slower. */
void backend_flush_tiny(void);

#endif
