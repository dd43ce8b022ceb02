/* The operations as plain loops on the processor: what other backends are compared with, and what they may borrow.
 * Each file holds a group of them. `self` of a backend that borrows begins with a struct ref.
 *
 * Loops work on floats. A BF16 tensor is widened into a copy before and rounded after:
 *
 *     const float *xs = ref_read(self, x);     float *ys = ref_write(self, y);
 *     ... loops ...
 *     ref_done(self);                          stores what was written */
#ifndef GANNET_WORKER_BACKEND_REF_H
#define GANNET_WORKER_BACKEND_REF_H

#include "worker/backend/backend.h"

enum { REF_MOST_COPIES = 8 };

/* Floats that stand for a tensor of another type during an operation; they are kept for the next one. */
struct ref_copy {
    float *floats;
    size_t capacity;
    struct tensor back; /* where they are stored by ref_done; at NULL: nowhere */
};

struct ref {
    struct ref_copy copies[REF_MOST_COPIES];
    int used; /* of the copies, by the present operation */
};

void ref_fini(struct ref *ref); /* {0} is fine; it begins as that */

/* The numbers of a tensor as floats: to be read, to be written anew, or both. NULL for NULL. */
const float *ref_read(void *self, const struct tensor *tensor);
float *ref_write(void *self, const struct tensor *tensor);
float *ref_change(void *self, const struct tensor *tensor);

/* `count` floats of no particular value until ref_done. */
float *ref_scratch(void *self, size_t count);

/* Numbers from one type to the other. */
void ref_widen(size_t n, const uint16_t *from, float *to);
void ref_narrow(size_t n, const float *from, uint16_t *to);

/* How many of T steps example b has; lengths NULL: all. */
static inline size_t ref_length(const struct tensor *lengths, size_t b, size_t T)
{
    return lengths ? (size_t)((const int32_t *)lengths->at)[b] : T;
}

/* Ends an operation. */
void ref_done(void *self);

/* f(z), and f'(z) as a function of what is kept: f(z) when activation_forgets(f), else z. */
float ref_value(enum activation f, float z);

/* Dropout of `count` numbers, as the slot of that name has it. */
void ref_drop(size_t count, float share, uint64_t stream, size_t skip, const float *x, float *y);

/* The slots; backend.h says what they do. */
void *ref_allocate(void *self, size_t bytes, struct err *err);
void ref_release(void *self, void *at);
void *ref_share(void *self, const void *host, size_t bytes, struct err *err);
void ref_unshare(void *self, void *at);
void ref_upload(void *self, const void *host, const struct tensor *to);
void ref_download(void *self, const struct tensor *from, void *host);
void ref_copy(void *self, const struct tensor *from, const struct tensor *to);
void ref_wait(void *self);

void ref_dense(void *self, const struct tensor *x, const struct tensor *w, const struct tensor *b, enum activation f,
               const struct tensor *y);
void ref_dense_back_data(void *self, const struct tensor *dz, const struct tensor *w, const struct tensor *dx);
void ref_dense_back_weights(void *self, const struct tensor *x, const struct tensor *dz, const struct tensor *dw,
                            const struct tensor *db);
void ref_conv(void *self, const struct window *window, const struct tensor *x, const struct tensor *w,
              const struct tensor *b, enum activation f, const struct tensor *y);
void ref_conv_back_data(void *self, const struct window *window, const struct tensor *dz, const struct tensor *w,
                        const struct tensor *dx);
void ref_conv_back_weights(void *self, const struct window *window, const struct tensor *x, const struct tensor *dz,
                           const struct tensor *dw, const struct tensor *db);
void ref_pool_max(void *self, const struct window *window, const struct tensor *x, const struct tensor *y,
                  const struct tensor *where);
void ref_pool_max_back(void *self, const struct window *window, const struct tensor *dy, const struct tensor *where,
                       const struct tensor *dx);
void ref_pool_mean(void *self, const struct window *window, const struct tensor *x, const struct tensor *y);
void ref_pool_mean_back(void *self, const struct window *window, const struct tensor *dy, const struct tensor *dx);
void ref_batch_norm(void *self, const struct tensor *x, const struct tensor *gamma, const struct tensor *beta,
                    float epsilon, const struct tensor *mean, const struct tensor *variance, const struct tensor *y);
void ref_batch_norm_apply(void *self, const struct tensor *x, const struct tensor *gamma, const struct tensor *beta,
                          float epsilon, const struct tensor *mean, const struct tensor *variance,
                          const struct tensor *y);
void ref_batch_norm_back(void *self, const struct tensor *x, const struct tensor *dy, const struct tensor *gamma,
                         float epsilon, const struct tensor *mean, const struct tensor *variance,
                         const struct tensor *dx, const struct tensor *dgamma, const struct tensor *dbeta);
void ref_layer_norm(void *self, const struct tensor *x, const struct tensor *gamma, const struct tensor *beta,
                    float epsilon, const struct tensor *mean, const struct tensor *variance, const struct tensor *y);
void ref_layer_norm_back(void *self, const struct tensor *x, const struct tensor *dy, const struct tensor *gamma,
                         float epsilon, const struct tensor *mean, const struct tensor *variance,
                         const struct tensor *dx, const struct tensor *dgamma, const struct tensor *dbeta);
void ref_activate(void *self, enum activation f, const struct tensor *z, const struct tensor *a);
void ref_activate_back(void *self, enum activation f, const struct tensor *kept, const struct tensor *da,
                       const struct tensor *dz);
void ref_dropout(void *self, float share, uint64_t stream, size_t skip, const struct tensor *x, const struct tensor *y);
void ref_softmax_loss(void *self, const struct tensor *z, const struct tensor *labels, float smoothing,
                      const struct tensor *losses, const struct tensor *hits, const struct tensor *dz);
void ref_square_loss(void *self, const struct tensor *z, const struct tensor *targets, const struct tensor *losses,
                     const struct tensor *dz);
void ref_add(void *self, const struct tensor *a, const struct tensor *b, const struct tensor *y);
void ref_mix(void *self, float alpha, const struct tensor *x, float beta, const struct tensor *y);
void ref_cast(void *self, const struct tensor *x, const struct tensor *y);
void ref_scale(void *self, float factor, const struct tensor *x, const struct tensor *finite);
void ref_fill(void *self, float value, const struct tensor *y);
void ref_gather(void *self, const struct tensor *table, const struct tensor *places, const struct tensor *y);
void ref_gather_back(void *self, const struct tensor *dy, const struct tensor *places, const struct tensor *dtable);
void ref_add_each(void *self, const struct tensor *x, const struct tensor *one, const struct tensor *y);
void ref_sum_each(void *self, const struct tensor *x, const struct tensor *sum);
void ref_attention(void *self, const struct attention *how, const struct tensor *qkv, const struct tensor *kept,
                   const struct tensor *y);
void ref_attention_back(void *self, const struct attention *how, const struct tensor *qkv, const struct tensor *kept,
                        const struct tensor *y, const struct tensor *dy, const struct tensor *dqkv);
void ref_mean_steps(void *self, const struct tensor *x, const struct tensor *lengths, const struct tensor *y);
void ref_mean_steps_back(void *self, const struct tensor *dy, const struct tensor *lengths, const struct tensor *dx);
void ref_swap(void *self, const struct tensor *x, const struct tensor *y);
void ref_lstm(void *self, const struct tensor *w, const struct tensor *lengths, const struct tensor *z,
              const struct tensor *c, const struct tensor *h);
void ref_lstm_back(void *self, const struct tensor *w, const struct tensor *lengths, const struct tensor *c,
                   const struct tensor *dy, const struct tensor *z, const struct tensor *dh, const struct tensor *dc);
void ref_clip(void *self, float limit, const struct tensor *g);
void ref_update(void *self, const struct update *update, const struct tensor *w, const struct tensor *dw,
                const struct tensor *first, const struct tensor *second);

extern const struct backend_stack ref_stack; /* ref_stack.c */

#endif
