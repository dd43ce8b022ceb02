/* Operations that are checked and counted; see operations.h.
 *
 * Counting is three additions a call. When operations are timed, the queue is emptied before and after each, so that
 * the seconds between are its own. */
#include "worker/backend/operations.h"

#include "common/clock.h"

#include <assert.h>

/* --- counting --- */

static bool is_timed(const struct backend *backend, enum operation operation)
{
    return backend->timed >> operation & 1;
}

static double begin_operation(struct backend *backend, enum operation operation)
{
    if (!is_timed(backend, operation))
        return 0;
    backend->kind->wait(backend->self);
    return clock_monotonic();
}

static void end_operation(struct backend *backend, enum operation operation, double begun, double flops, size_t bytes)
{
    struct operation_count *count = &backend->counts[operation];
    count->calls++;
    count->flops += flops;
    count->bytes += (double)bytes;
    if (!is_timed(backend, operation))
        return;
    backend->kind->wait(backend->self);
    operation_time(count, clock_monotonic() - begun);
}

/* RUN(slot, flops, bytes, arguments...): the slot of the backend, counted. RUN_AS counts it as another operation. */
#define RUN(slot, flops, bytes, ...) RUN_AS(slot, slot, flops, bytes, __VA_ARGS__)
#define RUN_AS(name, slot, flops, bytes, ...)                                                                          \
    do {                                                                                                               \
        double begun = begin_operation(backend, OPERATION_##name);                                                     \
        backend->kind->slot(backend->self, __VA_ARGS__);                                                               \
        end_operation(backend, OPERATION_##name, begun, (flops), (bytes));                                             \
    } while (0)

static size_t bytes_of(const struct tensor *tensor)
{
    return tensor ? tensor_bytes(tensor) : 0;
}

static double count_of(const struct tensor *tensor)
{
    return (double)tensor_count(tensor);
}

static bool is_vector(const struct tensor *tensor, size_t size)
{
    return tensor->axes == 1 && tensor->size[0] == size && tensor->type != TENSOR_I32;
}

/* --- layers with weights --- */

/* x[B,I], w[O,I], y[B,O] */
static bool fits_dense(const struct tensor *x, const struct tensor *w, const struct tensor *b, const struct tensor *y)
{
    return x->size[0] == y->size[0] && tensor_width(w) == tensor_width(x) && tensor_width(y) == w->size[0] &&
           (!b || is_vector(b, w->size[0]));
}

/* Of products in that precision, counted apart, and without what was left out. */
static void count_products(struct backend *backend, enum operation operation, const struct tensor *x, double flops)
{
    struct operation_count *count = &backend->counts[operation];
    double skipped = backend->kind->skipped ? backend->kind->skipped(backend->self) : 0;
    if (x->type == TENSOR_BF16)
        count->flops_bf16 += flops;
    count->flops -= skipped;
    count->flops_skipped += skipped;
}

static double dense_flops(const struct tensor *x, const struct tensor *w)
{
    return 2 * (double)x->size[0] * count_of(w);
}

void op_dense(struct backend *backend, const struct tensor *x, const struct tensor *w, const struct tensor *b,
              enum activation f, const struct tensor *y)
{
    assert(fits_dense(x, w, b, y));
    RUN(dense, dense_flops(x, w), bytes_of(x) + bytes_of(w) + bytes_of(b) + bytes_of(y), x, w, b, f, y);
    count_products(backend, OPERATION_dense, x, dense_flops(x, w));
}

void op_dense_back_data(struct backend *backend, const struct tensor *dz, const struct tensor *w,
                        const struct tensor *dx)
{
    assert(fits_dense(dx, w, NULL, dz));
    RUN(dense_back_data, dense_flops(dx, w), bytes_of(dz) + bytes_of(w) + bytes_of(dx), dz, w, dx);
    count_products(backend, OPERATION_dense_back_data, dz, dense_flops(dx, w));
}

void op_dense_back_weights(struct backend *backend, const struct tensor *x, const struct tensor *dz,
                           const struct tensor *dw, const struct tensor *db)
{
    assert(fits_dense(x, dw, db, dz));
    RUN(dense_back_weights, dense_flops(x, dw), bytes_of(x) + bytes_of(dz) + bytes_of(dw) + bytes_of(db), x, dz, dw,
        db);
    count_products(backend, OPERATION_dense_back_weights, x, dense_flops(x, dw));
}

/* y[B,H',W',...] of x[B,H,W,...] */
static bool fits_window(const struct window *window, const struct tensor *x, const struct tensor *y)
{
    return x->axes == 4 && y->axes == 4 && x->size[0] == y->size[0] && window->padding < window->height &&
           window->padding < window->width && y->size[1] == window_places(window, x->size[1], window->height) &&
           y->size[2] == window_places(window, x->size[2], window->width);
}

static bool fits_conv(const struct window *window, const struct tensor *x, const struct tensor *w,
                      const struct tensor *b, const struct tensor *y)
{
    return fits_window(window, x, y) && w->axes == 4 && w->size[0] == y->size[3] && w->size[1] == window->height &&
           w->size[2] == window->width && w->size[3] == x->size[3] && (!b || is_vector(b, w->size[0]));
}

/* Windows over the padding are counted as if they were whole. */
static double conv_flops(const struct tensor *w, const struct tensor *y)
{
    return 2 * count_of(y) * (double)tensor_width(w);
}

void op_conv(struct backend *backend, const struct window *window, const struct tensor *x, const struct tensor *w,
             const struct tensor *b, enum activation f, const struct tensor *y)
{
    assert(fits_conv(window, x, w, b, y));
    RUN(conv, conv_flops(w, y), bytes_of(x) + bytes_of(w) + bytes_of(b) + bytes_of(y), window, x, w, b, f, y);
    count_products(backend, OPERATION_conv, x, conv_flops(w, y));
}

void op_conv_back_data(struct backend *backend, const struct window *window, const struct tensor *dz,
                       const struct tensor *w, const struct tensor *dx)
{
    assert(fits_conv(window, dx, w, NULL, dz));
    RUN(conv_back_data, conv_flops(w, dz), bytes_of(dz) + bytes_of(w) + bytes_of(dx), window, dz, w, dx);
    count_products(backend, OPERATION_conv_back_data, dz, conv_flops(w, dz));
}

void op_conv_back_weights(struct backend *backend, const struct window *window, const struct tensor *x,
                          const struct tensor *dz, const struct tensor *dw, const struct tensor *db)
{
    assert(fits_conv(window, x, dw, db, dz));
    RUN(conv_back_weights, conv_flops(dw, dz), bytes_of(x) + bytes_of(dz) + bytes_of(dw) + bytes_of(db), window, x, dz,
        dw, db);
    count_products(backend, OPERATION_conv_back_weights, x, conv_flops(dw, dz));
}

/* --- layers without weights --- */

static double pool_flops(const struct window *window, const struct tensor *y)
{
    return count_of(y) * (double)(window->height * window->width);
}

void op_pool_max(struct backend *backend, const struct window *window, const struct tensor *x, const struct tensor *y,
                 const struct tensor *where)
{
    assert(fits_window(window, x, y) && x->size[3] == y->size[3] && tensor_alike(y, where));
    RUN(pool_max, pool_flops(window, y), bytes_of(x) + bytes_of(y) + bytes_of(where), window, x, y, where);
}

void op_pool_max_back(struct backend *backend, const struct window *window, const struct tensor *dy,
                      const struct tensor *where, const struct tensor *dx)
{
    assert(fits_window(window, dx, dy) && dx->size[3] == dy->size[3] && tensor_alike(dy, where));
    RUN(pool_max_back, count_of(dy), bytes_of(dy) + bytes_of(where) + bytes_of(dx), window, dy, where, dx);
}

void op_pool_mean(struct backend *backend, const struct window *window, const struct tensor *x, const struct tensor *y)
{
    assert(fits_window(window, x, y) && x->size[3] == y->size[3]);
    RUN(pool_mean, pool_flops(window, y), bytes_of(x) + bytes_of(y), window, x, y);
}

void op_pool_mean_back(struct backend *backend, const struct window *window, const struct tensor *dy,
                       const struct tensor *dx)
{
    assert(fits_window(window, dx, dy) && dx->size[3] == dy->size[3]);
    RUN(pool_mean_back, pool_flops(window, dy), bytes_of(dy) + bytes_of(dx), window, dy, dx);
}

/* Statistics over `rows` numbers each. */
static bool fits_norm(const struct norm *norm, const struct tensor *x, const struct tensor *y, bool columns)
{
    size_t C = norm->gamma.size[0], of = columns ? C : tensor_count(x) / C;
    return tensor_alike(x, y) && x->size[x->axes - 1] == C && is_vector(&norm->gamma, C) && is_vector(&norm->beta, C) &&
           is_vector(&norm->mean, of) && is_vector(&norm->variance, of);
}

void op_batch_norm(struct backend *backend, const struct norm *n, const struct tensor *x, const struct tensor *y)
{
    assert(fits_norm(n, x, y, true));
    RUN(batch_norm, 7 * count_of(x), 2 * bytes_of(x) + bytes_of(y), x, &n->gamma, &n->beta, n->epsilon, &n->mean,
        &n->variance, y);
}

void op_batch_norm_apply(struct backend *backend, const struct norm *n, const struct tensor *x, const struct tensor *y)
{
    assert(fits_norm(n, x, y, true));
    RUN(batch_norm_apply, 3 * count_of(x), bytes_of(x) + bytes_of(y), x, &n->gamma, &n->beta, n->epsilon, &n->mean,
        &n->variance, y);
}

void op_batch_norm_back(struct backend *backend, const struct norm *n, const struct tensor *x, const struct tensor *dy,
                        const struct tensor *dx, const struct tensor *dgamma, const struct tensor *dbeta)
{
    assert(fits_norm(n, x, dx, true) && tensor_alike(x, dy));
    RUN(batch_norm_back, 11 * count_of(x), 2 * bytes_of(x) + 2 * bytes_of(dy) + bytes_of(dx), x, dy, &n->gamma,
        n->epsilon, &n->mean, &n->variance, dx, dgamma, dbeta);
}

void op_layer_norm(struct backend *backend, const struct norm *n, const struct tensor *x, const struct tensor *y)
{
    assert(fits_norm(n, x, y, false));
    RUN(layer_norm, 7 * count_of(x), bytes_of(x) + bytes_of(y), x, &n->gamma, &n->beta, n->epsilon, &n->mean,
        &n->variance, y);
}

void op_layer_norm_back(struct backend *backend, const struct norm *n, const struct tensor *x, const struct tensor *dy,
                        const struct tensor *dx, const struct tensor *dgamma, const struct tensor *dbeta)
{
    assert(fits_norm(n, x, dx, false) && tensor_alike(x, dy));
    RUN(layer_norm_back, 14 * count_of(x), bytes_of(x) + bytes_of(dy) + bytes_of(dx), x, dy, &n->gamma, n->epsilon,
        &n->mean, &n->variance, dx, dgamma, dbeta);
}

void op_activate(struct backend *backend, enum activation f, const struct tensor *z, const struct tensor *a)
{
    assert(tensor_count(z) == tensor_count(a));
    RUN(activate, count_of(z), bytes_of(z) + bytes_of(a), f, z, a);
}

void op_activate_back(struct backend *backend, enum activation f, const struct tensor *kept, const struct tensor *da,
                      const struct tensor *dz)
{
    assert(tensor_count(kept) == tensor_count(da) && tensor_count(kept) == tensor_count(dz));
    RUN(activate_back, 2 * count_of(dz), bytes_of(kept) + bytes_of(da) + bytes_of(dz), f, kept, da, dz);
}

void op_dropout(struct backend *backend, float share, uint64_t stream, size_t skip, const struct tensor *x,
                const struct tensor *y)
{
    assert(tensor_count(x) == tensor_count(y) && share >= 0 && share < 1);
    RUN(dropout, count_of(x), bytes_of(x) + bytes_of(y), share, stream, skip, x, y);
}

/* --- losses --- */

void op_softmax_loss(struct backend *backend, const struct tensor *z, const struct tensor *labels, float smoothing,
                     const struct tensor *losses, const struct tensor *hits, const struct tensor *dz)
{
    size_t B = z->size[0];
    assert(z->axes == 2 && labels->size[0] == B && labels->type == TENSOR_I32 && is_vector(losses, B) &&
           hits->size[0] == B && (!dz || tensor_alike(z, dz)));
    RUN(softmax_loss, 4 * count_of(z),
        bytes_of(z) + bytes_of(labels) + bytes_of(losses) + bytes_of(hits) + bytes_of(dz), z, labels, smoothing, losses,
        hits, dz);
}

void op_square_loss(struct backend *backend, const struct tensor *z, const struct tensor *targets,
                    const struct tensor *losses, const struct tensor *dz)
{
    assert(tensor_alike(z, targets) && is_vector(losses, z->size[0]) && (!dz || tensor_alike(z, dz)));
    RUN(square_loss, 4 * count_of(z), bytes_of(z) + bytes_of(targets) + bytes_of(losses) + bytes_of(dz), z, targets,
        losses, dz);
}

/* --- element by element --- */

void op_add(struct backend *backend, const struct tensor *a, const struct tensor *b, const struct tensor *y)
{
    assert(tensor_count(a) == tensor_count(y) && tensor_count(b) == tensor_count(y));
    RUN(add, count_of(y), bytes_of(a) + bytes_of(b) + bytes_of(y), a, b, y);
}

void op_mix(struct backend *backend, float alpha, const struct tensor *x, float beta, const struct tensor *y)
{
    assert(tensor_count(x) == tensor_count(y) && x->at != y->at);
    RUN(mix, 3 * count_of(y), bytes_of(x) + 2 * bytes_of(y), alpha, x, beta, y);
}

void op_cast(struct backend *backend, const struct tensor *x, const struct tensor *y)
{
    assert(tensor_count(x) == tensor_count(y));
    RUN(cast, count_of(y), bytes_of(x) + bytes_of(y), x, y);
}

void op_scale(struct backend *backend, float factor, const struct tensor *x, const struct tensor *finite)
{
    assert(x->type == TENSOR_F32 && (!finite || (finite->type == TENSOR_I32 && tensor_count(finite) == 1)));
    RUN(scale, (finite ? 2 : 1) * count_of(x), 2 * bytes_of(x) + bytes_of(finite), factor, x, finite);
}

void op_fill(struct backend *backend, float value, const struct tensor *y)
{
    RUN(fill, 0, bytes_of(y), value, y);
}

static bool fits_gather(const struct tensor *table, const struct tensor *places, const struct tensor *y)
{
    return places->type == TENSOR_I32 && y->size[0] == places->size[0] && y->type == table->type &&
           tensor_width(y) == tensor_width(table);
}

void op_take(struct backend *backend, const struct tensor *table, const struct tensor *places, const struct tensor *y)
{
    assert(fits_gather(table, places, y));
    RUN_AS(batch, gather, 0, bytes_of(places) + 2 * bytes_of(y), table, places, y);
}

void op_expect(struct backend *backend, const struct tensor *table, const struct tensor *places)
{
    if (backend->kind->expect)
        backend->kind->expect(backend->self, table, places);
}

void op_gather(struct backend *backend, const struct tensor *table, const struct tensor *places, const struct tensor *y)
{
    assert(fits_gather(table, places, y));
    RUN(gather, 0, bytes_of(places) + 2 * bytes_of(y), table, places, y);
}

void op_gather_back(struct backend *backend, const struct tensor *dy, const struct tensor *places,
                    const struct tensor *dtable)
{
    assert(places->type == TENSOR_I32 && dy->size[0] == places->size[0] && tensor_width(dy) == tensor_width(dtable));
    RUN(gather_back, count_of(dy), bytes_of(places) + bytes_of(dy) + bytes_of(dtable), dy, places, dtable);
}

/* --- sequences --- */

void op_add_each(struct backend *backend, const struct tensor *x, const struct tensor *one, const struct tensor *y)
{
    assert(tensor_alike(x, y) && tensor_width(x) == tensor_count(one));
    RUN(add_each, count_of(y), bytes_of(x) + bytes_of(one) + bytes_of(y), x, one, y);
}

void op_sum_each(struct backend *backend, const struct tensor *x, const struct tensor *sum)
{
    assert(tensor_width(x) == tensor_count(sum));
    RUN(sum_each, count_of(x), bytes_of(x) + bytes_of(sum), x, sum);
}

/* Of B examples; NULL: they have all steps. */
static bool fits_lengths(const struct tensor *lengths, size_t B)
{
    return !lengths || (lengths->type == TENSOR_I32 && tensor_count(lengths) == B);
}

static bool fits_attention(const struct attention *how, const struct tensor *qkv, const struct tensor *kept,
                           const struct tensor *y)
{
    size_t heads = how->heads;
    return fits_lengths(how->lengths, y->size[0]) && qkv->axes == 3 && y->axes == 3 && kept->axes == 3 &&
           qkv->size[0] == y->size[0] && qkv->size[1] == y->size[1] && qkv->size[2] == 3 * y->size[2] &&
           y->size[2] % heads == 0 && kept->size[0] == y->size[0] && kept->size[1] == heads &&
           kept->size[2] == y->size[1];
}

/* For each number of a softmax some products of K numbers, and 4 more. */
static double attention_flops(size_t heads, bool causal, const struct tensor *y, double products)
{
    double T = (double)y->size[1], pairs = causal ? T * (T + 1) / 2 : T * T;
    return (double)y->size[0] * pairs * (2 * products * (double)y->size[2] + 4 * (double)heads);
}

void op_attention(struct backend *backend, const struct attention *how, const struct tensor *qkv,
                  const struct tensor *kept, const struct tensor *y)
{
    assert(fits_attention(how, qkv, kept, y));
    RUN(attention, attention_flops(how->heads, how->causal, y, 2), bytes_of(qkv) + bytes_of(kept) + bytes_of(y), how,
        qkv, kept, y);
    count_products(backend, OPERATION_attention, qkv, attention_flops(how->heads, how->causal, y, 2));
}

void op_attention_back(struct backend *backend, const struct attention *how, const struct tensor *qkv,
                       const struct tensor *kept, const struct tensor *y, const struct tensor *dy,
                       const struct tensor *dqkv)
{
    assert(fits_attention(how, qkv, kept, y) && tensor_alike(y, dy) && tensor_alike(qkv, dqkv));
    RUN(attention_back, attention_flops(how->heads, how->causal, y, 5),
        bytes_of(qkv) + bytes_of(kept) + bytes_of(y) + bytes_of(dy) + bytes_of(dqkv), how, qkv, kept, y, dy, dqkv);
    count_products(backend, OPERATION_attention_back, qkv, attention_flops(how->heads, how->causal, y, 5));
}

/* x[B,T,D], y[B,D] */
static bool fits_mean(const struct tensor *x, const struct tensor *lengths, const struct tensor *y)
{
    return x->axes == 3 && y->axes == 2 && x->size[0] == y->size[0] && x->size[2] == y->size[1] && lengths &&
           fits_lengths(lengths, x->size[0]);
}

void op_mean_steps(struct backend *backend, const struct tensor *x, const struct tensor *lengths,
                   const struct tensor *y)
{
    assert(fits_mean(x, lengths, y));
    RUN_AS(pool_mean, mean_steps, count_of(x), bytes_of(x) + bytes_of(y), x, lengths, y);
}

void op_mean_steps_back(struct backend *backend, const struct tensor *dy, const struct tensor *lengths,
                        const struct tensor *dx)
{
    assert(fits_mean(dx, lengths, dy));
    RUN_AS(pool_mean_back, mean_steps_back, count_of(dx), bytes_of(dy) + bytes_of(dx), dy, lengths, dx);
}

void op_swap(struct backend *backend, const struct tensor *x, const struct tensor *y)
{
    assert(x->axes > 1 && x->size[0] == y->size[1] && x->size[1] == y->size[0] && tensor_count(x) == tensor_count(y) &&
           x->type == y->type);
    RUN(swap, 0, bytes_of(x) + bytes_of(y), x, y);
}

/* z[T,B,4H], c[T,B,H] and w[4H,H] */
static bool fits_lstm(const struct tensor *w, const struct tensor *lengths, const struct tensor *z,
                      const struct tensor *c)
{
    size_t H = c->size[2];
    return fits_lengths(lengths, c->size[1]) && c->axes == 3 && z->axes == 3 && z->size[0] == c->size[0] &&
           z->size[1] == c->size[1] && z->size[2] == 4 * H && w->size[0] == 4 * H && w->size[1] == H;
}

/* The products of all steps but the first, or the last. */
static double lstm_flops(const struct tensor *w, const struct tensor *z)
{
    return 2 * (double)((z->size[0] - 1) * z->size[1]) * count_of(w);
}

void op_lstm(struct backend *backend, const struct tensor *w, const struct tensor *lengths, const struct tensor *z,
             const struct tensor *c, const struct tensor *h)
{
    assert(fits_lstm(w, lengths, z, c) && tensor_alike(c, h));
    RUN(lstm, lstm_flops(w, z) + 9 * count_of(c), bytes_of(w) + 2 * bytes_of(z) + bytes_of(c) + bytes_of(h), w, lengths,
        z, c, h);
}

void op_lstm_back(struct backend *backend, const struct tensor *w, const struct tensor *lengths, const struct tensor *c,
                  const struct tensor *dy, const struct tensor *z, const struct tensor *dh, const struct tensor *dc)
{
    assert(fits_lstm(w, lengths, z, c) && dy->axes == 3 && (dy->size[0] == 1 || dy->size[0] == c->size[0]) &&
           dy->size[1] == c->size[1] && dy->size[2] == c->size[2] && tensor_alike(dh, dc));
    RUN(lstm_back, lstm_flops(w, z) + 24 * count_of(c), bytes_of(w) + 2 * bytes_of(z) + bytes_of(c) + bytes_of(dy), w,
        lengths, c, dy, z, dh, dc);
}

/* --- optimizers --- */

void op_clip(struct backend *backend, float limit, const struct tensor *g)
{
    RUN(clip, 3 * count_of(g), 3 * bytes_of(g), limit, g);
}

static const double update_flops[] = {
    [UPDATE_SGD] = 6, [UPDATE_ADAM] = 15, [UPDATE_RMSPROP] = 14, [UPDATE_ADADELTA] = 17, [UPDATE_LARS] = 10};

void op_update(struct backend *backend, const struct update *update, const struct tensor *w, const struct tensor *dw,
               const struct tensor *first, const struct tensor *second)
{
    assert(tensor_count(w) == tensor_count(dw));
    RUN(update, update_flops[update->kind] * count_of(w), 3 * bytes_of(w) + 2 * bytes_of(first) + 2 * bytes_of(second),
        update, w, dw, first, second);
}

/* --- copies --- */

void op_upload(struct backend *backend, const void *host, const struct tensor *to)
{
    RUN(upload, 0, bytes_of(to), host, to);
}

void op_download(struct backend *backend, const struct tensor *from, void *host)
{
    RUN(download, 0, bytes_of(from), from, host);
}

void op_copy(struct backend *backend, const struct tensor *from, const struct tensor *to)
{
    assert(from->type == to->type && tensor_count(from) == tensor_count(to));
    RUN(copy, 0, bytes_of(from) + bytes_of(to), from, to);
}
