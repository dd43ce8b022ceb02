/* What is one pass over memory, divided among the threads: the loops of ref.h, each thread's on a piece of the tensors;
 * see backend.h for what they compute. Each number is made as one thread alone makes it, so the bits do not depend on
 * the threads.
 *
 * A piece begins at a whole cache line, so that no two threads write to one. */
#include "worker/backend/onednn.h"

#include "common/clones.h"
#include "worker/backend/random.h"
#include "worker/backend/team.h"

#include <string.h>

enum {
    UNIT = 1024,         /* numbers in which pieces are counted: whole lines, and draws of dropout, of any type */
    SHARE_FROM = 1 << 15 /* numbers: at 30 a nanosecond from the cache, where waking and awaiting a thread costs 1 us */
};

/* How many pieces so many numbers are divided into. */
static size_t count_pieces(size_t numbers)
{
    size_t threads = team_threads();
    return numbers < SHARE_FROM || numbers / UNIT < threads ? 1 : threads;
}

/* Where piece i of n begins, or the last one ends. */
static size_t piece_begin(size_t numbers, size_t i, size_t n)
{
    return i == n ? numbers : numbers / UNIT * i / n * UNIT;
}

/* Piece i of n of a tensor, as a vector. */
static struct tensor piece_of(const struct tensor *tensor, size_t i, size_t n)
{
    size_t numbers = tensor_count(tensor), from = piece_begin(numbers, i, n);
    struct tensor flat = tensor_flat(tensor);
    return tensor_slice(&flat, from, piece_begin(numbers, i + 1, n) - from);
}

/* The loops widen BF16 into copies of one thread's. */
static bool is_wide(const struct tensor *a, const struct tensor *b)
{
    return a->type == TENSOR_F32 && b->type == TENSOR_F32;
}

void onednn_add(void *self, const struct tensor *a, const struct tensor *b, const struct tensor *y)
{
    size_t n = is_wide(a, b) && is_wide(y, y) ? count_pieces(tensor_count(y)) : 1;
    if (n == 1) {
        ref_add(self, a, b, y);
        return;
    }
#pragma omp parallel for schedule(static, 1)
    for (size_t i = 0; i < n; i++) {
        struct tensor left = piece_of(a, i, n), right = piece_of(b, i, n), sum = piece_of(y, i, n);
        ref_add(self, &left, &right, &sum);
    }
}

void onednn_mix(void *self, float alpha, const struct tensor *x, float beta, const struct tensor *y)
{
    size_t n = is_wide(x, y) ? count_pieces(tensor_count(y)) : 1;
    if (n == 1) {
        ref_mix(self, alpha, x, beta, y);
        return;
    }
#pragma omp parallel for schedule(static, 1)
    for (size_t i = 0; i < n; i++) {
        struct tensor from = piece_of(x, i, n), to = piece_of(y, i, n);
        ref_mix(self, alpha, &from, beta, &to);
    }
}

void onednn_copy(void *self, const struct tensor *from, const struct tensor *to)
{
    size_t n = count_pieces(tensor_count(to));
    if (n == 1) {
        ref_copy(self, from, to);
        return;
    }
#pragma omp parallel for schedule(static, 1)
    for (size_t i = 0; i < n; i++) {
        struct tensor x = piece_of(from, i, n), y = piece_of(to, i, n);
        ref_copy(self, &x, &y);
    }
}

void onednn_cast(void *self, const struct tensor *x, const struct tensor *y)
{
    size_t n = count_pieces(tensor_count(y));
    if (n == 1) {
        ref_cast(self, x, y);
        return;
    }
#pragma omp parallel for schedule(static, 1)
    for (size_t i = 0; i < n; i++) {
        struct tensor from = piece_of(x, i, n), to = piece_of(y, i, n);
        ref_cast(self, &from, &to);
    }
}

/* A product, so that what is not finite is seen behind a 0, too. */
CLONES static void rectify_back(size_t n, const float *a, const float *da, float *dz)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++)
        dz[i] = da[i] * (a[i] > 0 ? 1.0f : 0.0f);
}

void onednn_rectify_back(const struct tensor *a, const struct tensor *da, const struct tensor *dz)
{
    size_t n = count_pieces(tensor_count(dz));
#pragma omp parallel for schedule(static, 1) if (n > 1)
    for (size_t i = 0; i < n; i++) {
        struct tensor kept = piece_of(a, i, n), from = piece_of(da, i, n), to = piece_of(dz, i, n);
        rectify_back(tensor_count(&to), kept.at, from.at, to.at);
    }
}

void onednn_dropout(void *self, float share, uint64_t stream, size_t skip, const struct tensor *x,
                    const struct tensor *y)
{
    size_t n = is_wide(x, y) ? count_pieces(tensor_count(y)) : 1;
    if (n == 1) {
        ref_dropout(self, share, stream, skip, x, y);
        return;
    }
#pragma omp parallel for schedule(static, 1)
    for (size_t i = 0; i < n; i++) {
        struct tensor from = piece_of(x, i, n), to = piece_of(y, i, n);
        ref_dropout(self, share, random_after(stream, piece_begin(tensor_count(x), i, n)), skip, &from, &to);
    }
}

/* --- rows --- */

/* Examples i of n pieces. */
static struct tensor rows_of(const struct tensor *tensor, size_t i, size_t n)
{
    size_t B = tensor->size[0], from = B * i / n;
    return tensor_slice(tensor, from, B * (i + 1) / n - from);
}

void onednn_add_each(void *self, const struct tensor *x, const struct tensor *one, const struct tensor *y)
{
    size_t n = is_wide(x, y) && is_wide(one, one) && x->size[0] >= team_threads() ? count_pieces(tensor_count(y)) : 1;
    if (n == 1) {
        ref_add_each(self, x, one, y);
        return;
    }
#pragma omp parallel for schedule(static, 1)
    for (size_t i = 0; i < n; i++) {
        struct tensor from = rows_of(x, i, n), to = rows_of(y, i, n);
        ref_add_each(self, &from, one, &to);
    }
}

/* --- optimizers --- */

/* Of none none. */
static const struct tensor *maybe_piece(const struct tensor *tensor, size_t i, size_t n, struct tensor *out)
{
    if (!tensor)
        return NULL;
    *out = piece_of(tensor, i, n);
    return out;
}

/* The update of LARS begins with norms of the whole. */
void onednn_update(void *self, const struct update *u, const struct tensor *w, const struct tensor *dw,
                   const struct tensor *first, const struct tensor *second)
{
    size_t n = u->kind == UPDATE_LARS ? 1 : count_pieces(tensor_count(w));
    if (n == 1) {
        ref_update(self, u, w, dw, first, second);
        return;
    }
#pragma omp parallel for schedule(static, 1)
    for (size_t i = 0; i < n; i++) {
        struct tensor weights = piece_of(w, i, n), gradients = piece_of(dw, i, n), one, two;
        ref_update(self, u, &weights, &gradients, maybe_piece(first, i, n, &one), maybe_piece(second, i, n, &two));
    }
}
