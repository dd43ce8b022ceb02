/* The operations of a backend in use: what struct backend_kind says of the slot of the same name, with the shapes
 * checked and the work counted, that on padding too. A shape that does not fit is a bug of ours and ends the process.
 */
#ifndef GANNET_WORKER_BACKEND_OPERATIONS_H
#define GANNET_WORKER_BACKEND_OPERATIONS_H

#include "worker/backend/backend.h"

void op_dense(struct backend *backend, const struct tensor *x, const struct tensor *w, const struct tensor *b,
              enum activation f, const struct tensor *y);
void op_dense_back_data(struct backend *backend, const struct tensor *dz, const struct tensor *w,
                        const struct tensor *dx);
void op_dense_back_weights(struct backend *backend, const struct tensor *x, const struct tensor *dz,
                           const struct tensor *dw, const struct tensor *db);
void op_conv(struct backend *backend, const struct window *window, const struct tensor *x, const struct tensor *w,
             const struct tensor *b, enum activation f, const struct tensor *y);
void op_conv_back_data(struct backend *backend, const struct window *window, const struct tensor *dz,
                       const struct tensor *w, const struct tensor *dx);
void op_conv_back_weights(struct backend *backend, const struct window *window, const struct tensor *x,
                          const struct tensor *dz, const struct tensor *dw, const struct tensor *db);
void op_pool_max(struct backend *backend, const struct window *window, const struct tensor *x, const struct tensor *y,
                 const struct tensor *where);
void op_pool_max_back(struct backend *backend, const struct window *window, const struct tensor *dy,
                      const struct tensor *where, const struct tensor *dx);
void op_pool_mean(struct backend *backend, const struct window *window, const struct tensor *x, const struct tensor *y);
void op_pool_mean_back(struct backend *backend, const struct window *window, const struct tensor *dy,
                       const struct tensor *dx);

/* What a normalisation is called with beside its data. */
struct norm {
    struct tensor gamma, beta;    /* [C] */
    struct tensor mean, variance; /* [C], or [R] of a layer normalisation */
    float epsilon;
};

void op_batch_norm(struct backend *backend, const struct norm *norm, const struct tensor *x, const struct tensor *y);
void op_batch_norm_apply(struct backend *backend, const struct norm *norm, const struct tensor *x,
                         const struct tensor *y);
void op_batch_norm_back(struct backend *backend, const struct norm *norm, const struct tensor *x,
                        const struct tensor *dy, const struct tensor *dx, const struct tensor *dgamma,
                        const struct tensor *dbeta);
void op_layer_norm(struct backend *backend, const struct norm *norm, const struct tensor *x, const struct tensor *y);
void op_layer_norm_back(struct backend *backend, const struct norm *norm, const struct tensor *x,
                        const struct tensor *dy, const struct tensor *dx, const struct tensor *dgamma,
                        const struct tensor *dbeta);

void op_activate(struct backend *backend, enum activation f, const struct tensor *z, const struct tensor *a);
void op_activate_back(struct backend *backend, enum activation f, const struct tensor *kept, const struct tensor *da,
                      const struct tensor *dz);
void op_softmax_loss(struct backend *backend, const struct tensor *z, const struct tensor *labels, float smoothing,
                     const struct tensor *losses, const struct tensor *hits, const struct tensor *dz);
void op_square_loss(struct backend *backend, const struct tensor *z, const struct tensor *targets,
                    const struct tensor *losses, const struct tensor *dz);
void op_dropout(struct backend *backend, float share, uint64_t stream, size_t skip, const struct tensor *x,
                const struct tensor *y);
void op_add(struct backend *backend, const struct tensor *a, const struct tensor *b, const struct tensor *y);
void op_mix(struct backend *backend, float alpha, const struct tensor *x, float beta, const struct tensor *y);
void op_cast(struct backend *backend, const struct tensor *x, const struct tensor *y);
void op_scale(struct backend *backend, float factor, const struct tensor *x, const struct tensor *finite);
void op_fill(struct backend *backend, float value, const struct tensor *y);
/* The same as gather, of a batch of examples: it is counted by itself. */
void op_take(struct backend *backend, const struct tensor *table, const struct tensor *places, const struct tensor *y);
/* Says what is taken next; not counted. */
void op_expect(struct backend *backend, const struct tensor *table, const struct tensor *places);
void op_gather(struct backend *backend, const struct tensor *table, const struct tensor *places,
               const struct tensor *y);
void op_gather_back(struct backend *backend, const struct tensor *dy, const struct tensor *places,
                    const struct tensor *dtable);
void op_add_each(struct backend *backend, const struct tensor *x, const struct tensor *one, const struct tensor *y);
void op_sum_each(struct backend *backend, const struct tensor *x, const struct tensor *sum);
void op_attention(struct backend *backend, const struct attention *how, const struct tensor *qkv,
                  const struct tensor *kept, const struct tensor *y);
void op_attention_back(struct backend *backend, const struct attention *how, const struct tensor *qkv,
                       const struct tensor *kept, const struct tensor *y, const struct tensor *dy,
                       const struct tensor *dqkv);
void op_mean_steps(struct backend *backend, const struct tensor *x, const struct tensor *lengths,
                   const struct tensor *y);
void op_mean_steps_back(struct backend *backend, const struct tensor *dy, const struct tensor *lengths,
                        const struct tensor *dx);
void op_swap(struct backend *backend, const struct tensor *x, const struct tensor *y);
void op_lstm(struct backend *backend, const struct tensor *w, const struct tensor *lengths, const struct tensor *z,
             const struct tensor *c, const struct tensor *h);
void op_lstm_back(struct backend *backend, const struct tensor *w, const struct tensor *lengths, const struct tensor *c,
                  const struct tensor *dy, const struct tensor *z, const struct tensor *dh, const struct tensor *dc);
void op_clip(struct backend *backend, float limit, const struct tensor *g);
void op_update(struct backend *backend, const struct update *update, const struct tensor *w, const struct tensor *dw,
               const struct tensor *first, const struct tensor *second);

/* Copies between the host and the backend, and within it; not counted. */
void op_upload(struct backend *backend, const void *host, const struct tensor *to);
void op_download(struct backend *backend, const struct tensor *from, void *host);
void op_copy(struct backend *backend, const struct tensor *from, const struct tensor *to);

#endif
