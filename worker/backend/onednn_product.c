/* Products of F32 matrices that threads share; see onednn.h. Each thread makes a part of the result by itself, with
 * oneDNN's product for one thread. When oneDNN divides a product, threads may share sums, and then wait for each other
 * in a loop that keeps a processor busy: where another program has the processor of one of them, that lasts a slice of
 * the scheduler's time. Measured on two threads of a shared machine, the product of [128,9216] by [9216,128] took 9.4
 * ms of processor time there, and 4.3 with one thread.
 *
 * Shapes: c[M,N] = a[M,K] b[K,N]; with one thread, for small ones and for more threads than there is work for, oneDNN
 * knows better, but for what onednn_turn.c is for. */
#include "worker/backend/onednn.h"

#include "common/clones.h"
#include "worker/backend/team.h"

#include <math.h>

/* Multiplications of a product, and columns or rows of a thread, at least. */
enum { SHARE_FROM = 1 << 20, SHARE_WIDTH = 32 };

/* A matrix of rows `row` numbers apart; turned: its columns are what lies one behind the other. */
struct matrix {
    const float *at;
    size_t row;
    bool turned;
};

struct product {
    size_t M, N, K;
    struct matrix a, b;
    float *c; /* of rows N numbers apart */
};

/* On other processors than x86 oneDNN's product by itself is plain loops, unlike its layers'. */
#ifdef __x86_64__
static const bool has_product = true;
#else
static const bool has_product = false;
#endif

static bool is_shared(const struct product *product)
{
    size_t threads = team_threads(), longest = product->M > product->N ? product->M : product->N;
    return has_product && threads > 1 && longest >= threads * SHARE_WIDTH &&
           product->M * product->N * product->K >= SHARE_FROM;
}

/* Where row i of a matrix begins, or column i. */
static const float *row_of(const struct matrix *matrix, size_t i)
{
    return matrix->at + i * (matrix->turned ? 1 : matrix->row);
}

static const float *column_of(const struct matrix *matrix, size_t i)
{
    return matrix->at + i * (matrix->turned ? matrix->row : 1);
}

/* A rectangle of the result. */
struct part {
    size_t row, rows, column, columns;
};

/* Part i of n: some rows of the result, or some columns, in whole vectors. */
static struct part part_of(const struct product *product, size_t i, size_t n)
{
    enum { VECTOR = ONEDNN_VECTOR };
    bool rows = product->M > product->N;
    size_t longest = rows ? product->M : product->N, vectors = (longest + VECTOR - 1) / VECTOR;
    size_t from = vectors * i / n * VECTOR, to = vectors * (i + 1) / n * VECTOR;
    to = to < longest ? to : longest;
    return rows ? (struct part){from, to - from, 0, product->N} : (struct part){0, product->M, from, to - from};
}

/* `work` is NULL, or for turning the weights. */
static void multiply_part(const struct product *product, const struct part *part, float *work)
{
    const float *a = row_of(&product->a, part->row), *b = column_of(&product->b, part->column);
    float *c = product->c + part->row * product->N + part->column;
    if (work) {
        onednn_multiply_turned(&(struct onednn_turned){part->rows, part->columns, product->K, a, b, c, product->N},
                               work);
        return;
    }
    onednn_check(dnnl_sgemm(product->a.turned ? 'T' : 'N', product->b.turned ? 'T' : 'N', (dnnl_dim_t)part->rows,
                            (dnnl_dim_t)part->columns, (dnnl_dim_t)product->K, 1, a, (dnnl_dim_t)product->a.row, b,
                            (dnnl_dim_t)product->b.row, 0, c, (dnnl_dim_t)product->N),
                 "multiply");
}

/* y[n] += b[n], and f of that when it is ReLU */
CLONES static void finish_row(size_t n, const float *restrict b, bool rectified, float *restrict y)
{
    float least = rectified ? 0 : -INFINITY;
#pragma omp simd
    for (size_t i = 0; i < n; i++) {
        float sum = y[i] + (b ? b[i] : 0);
        y[i] = sum < least ? least : sum; /* NaN stays */
    }
}

/* The biases and the activation of a part that was just made. */
static void finish_part(const struct product *product, const struct part *part, const float *b, bool rectified)
{
    for (size_t r = part->row; (b || rectified) && r < part->row + part->rows; r++)
        finish_row(part->columns, b ? b + part->column : NULL, rectified, product->c + r * product->N + part->column);
}

/* db[from .. to-1] = the sums of dz[B,O] over the examples */
CLONES static void sum_columns(size_t B, size_t O, size_t from, size_t to, const float *restrict dz, float *restrict db)
{
    for (size_t o = from; o < to; o++)
        db[o] = 0;
    for (size_t n = 0; n < B; n++)
#pragma omp simd
        for (size_t o = from; o < to; o++)
            db[o] += dz[n * O + o];
}

/* The product of a call, whose arrays are in the order of onednn_cache.c's table. */
static struct product product_of(const struct onednn_call *call, void *const *arrays)
{
    size_t B = call->B, I = call->I, O = call->O;
    if (call->kind == ONEDNN_DENSE)
        return (struct product){B, O, I, {arrays[0], I, false}, {arrays[1], I, true}, arrays[3]};
    if (call->kind == ONEDNN_DENSE_BACK_DATA)
        return (struct product){B, I, O, {arrays[0], O, false}, {arrays[1], I, false}, arrays[2]};
    return (struct product){O, I, B, {arrays[1], O, true}, {arrays[0], I, false}, arrays[2]};
}

/* What thread i of n does of a call, from its part of the product on. */
static void share_call(const struct onednn_call *call, const struct product *product, void *const *arrays, size_t i,
                       size_t n, float *work)
{
    struct part part = part_of(product, i, n);
    multiply_part(product, &part, work ? work + i * onednn_turned_numbers(product->N) : NULL);
    if (call->kind == ONEDNN_DENSE)
        finish_part(product, &part, call->biased ? arrays[2] : NULL, call->activation == ACTIVATION_RELU);
    if (call->kind == ONEDNN_DENSE_BACK_WEIGHTS && call->biased)
        sum_columns(call->B, call->O, call->O * i / n, call->O * (i + 1) / n, arrays[1], arrays[3]);
}

bool onednn_share_dense(struct onednn *onednn, const struct onednn_call *call, void *const *arrays)
{
    const struct product product = product_of(call, arrays);
    bool turned = has_product && call->kind == ONEDNN_DENSE && onednn_is_turned(product.M, product.N, product.K);
    size_t threads = is_shared(&product) ? team_threads() : 1;
    if (call->narrow || (threads == 1 && !turned))
        return false;
    float *work = turned ? ref_scratch(onednn, threads * onednn_turned_numbers(product.N)) : NULL;
#pragma omp parallel for schedule(static, 1) if (threads > 1)
    for (size_t i = 0; i < threads; i++)
        share_call(call, &product, arrays, i, threads, work);
    ref_done(onednn);
    return true;
}
