/* Products of F32 matrices that threads share; see onednn.h. Each thread makes a part of the result by itself, with
 * oneDNN's product for one thread. When oneDNN divides a product, threads may share sums, and then wait for each other
 * in a loop that keeps a processor busy: where another program has the processor of one of them, that lasts a slice of
 * the scheduler's time. Measured on two threads of a shared machine, the product of [128,9216] by [9216,128] took 9.4
 * ms of processor time there, and 4.3 with one thread.
 *
 * Shapes: c[M,N] = a[M,K] b[K,N]; with one thread, for small ones and for more threads than there is work for, oneDNN
 * knows better, but for what onednn_sparse.c and onednn_turn.c are for. */
#include "worker/backend/onednn.h"

#include "common/clones.h"
#include "worker/backend/team.h"

#include <math.h>

/* Multiplications of a product, and columns or rows of a thread, at least. */
enum { SHARE_FROM = 1 << 20, SHARE_WIDTH = 32 };

/* On other processors than x86 oneDNN's product by itself is plain loops, unlike its layers'. */
#ifdef __x86_64__
static const bool has_product = true;
#else
static const bool has_product = false;
#endif

static bool is_shared(const struct onednn_product *product)
{
    size_t threads = team_threads(), longest = product->M > product->N ? product->M : product->N;
    return has_product && threads > 1 && longest >= threads * SHARE_WIDTH &&
           product->M * product->N * product->K >= SHARE_FROM;
}

/* Where row i of a matrix begins, or column i. */
static const float *row_of(const struct onednn_matrix *matrix, size_t i)
{
    return matrix->at + i * (matrix->turned ? 1 : matrix->row);
}

static const float *column_of(const struct onednn_matrix *matrix, size_t i)
{
    return matrix->at + i * (matrix->turned ? matrix->row : 1);
}

/* Gradients of weights are divided by outputs, as the weights are on the way forward and in the optimizer's pass: what
 * a processor has made is then in its own cache, where it is needed next. A step of 64 images of 784 pixels through 128
 * outputs took 262 us so, and 300 divided by inputs (two processors far from each other, chrt -r). Larger ones are in
 * no such cache; the product with fewer rows took 5 % more with 2.8 million of them. */
static bool divides_rows(const struct onednn_product *product, size_t threads)
{
    enum { CACHED = 1 << 20 /* numbers */ };
    bool kept = product->of_weights && product->M * product->N <= CACHED;
    return product->M > product->N || (kept && product->M >= threads * SHARE_WIDTH);
}

/* Part i of n: some rows of the result, or some columns, in whole vectors. */
static struct onednn_part part_of(const struct onednn_product *product, size_t i, size_t n)
{
    enum { VECTOR = ONEDNN_VECTOR };
    bool rows = divides_rows(product, n);
    size_t longest = rows ? product->M : product->N, vectors = (longest + VECTOR - 1) / VECTOR;
    size_t from = vectors * i / n * VECTOR, to = vectors * (i + 1) / n * VECTOR;
    to = to < longest ? to : longest;
    return rows ? (struct onednn_part){from, to - from, 0, product->N}
                : (struct onednn_part){0, product->M, from, to - from};
}

/* `work` is NULL, or for turning the weights. */
static void multiply_part(const struct onednn_product *product, const struct onednn_part *part, float *work)
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
static void finish_part(const struct onednn_product *product, const struct onednn_part *part, const float *b,
                        bool rectified)
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
static struct onednn_product product_of(const struct onednn_call *call, void *const *arrays)
{
    size_t B = call->B, I = call->I, O = call->O;
    if (call->kind == ONEDNN_DENSE)
        return (struct onednn_product){B, O, I, {arrays[0], I, false}, {arrays[1], I, true}, arrays[3], false};
    if (call->kind == ONEDNN_DENSE_BACK_DATA)
        return (struct onednn_product){B, I, O, {arrays[0], O, false}, {arrays[1], I, false}, arrays[2], false};
    return (struct onednn_product){O, I, B, {arrays[1], O, true}, {arrays[0], I, false}, arrays[2], true};
}

/* How a product is computed. */
struct product_way {
    bool sparse, turned;
    size_t threads;
    size_t numbers; /* floats that each thread computes with */
    float *work;
};

static struct product_way choose_way(const struct onednn_call *call, const struct onednn_product *product)
{
    struct product_way way = {.threads = is_shared(product) ? team_threads() : 1};
    way.sparse = onednn_is_sparse(product);
    way.turned = has_product && !way.sparse && call->kind == ONEDNN_DENSE &&
                 onednn_is_turned(product->M, product->N, product->K);
    way.numbers = way.sparse ? onednn_sparse_numbers(product) : way.turned ? onednn_turned_numbers(product->N) : 0;
    return way;
}

/* What thread i does of a call, from its part of the product on; how many products of two numbers it left out. */
static size_t share_call(const struct onednn_call *call, const struct onednn_product *product, void *const *arrays,
                         const struct product_way *way, size_t i)
{
    size_t n = way->threads;
    struct onednn_part part = part_of(product, i, n);
    size_t all = part.rows * part.columns * product->K, taken = all;
    float *work = way->work ? way->work + i * way->numbers : NULL;
    if (!way->sparse || !onednn_multiply_sparse(product, &part, work, &taken))
        multiply_part(product, &part, way->turned ? work : NULL);
    if (call->kind == ONEDNN_DENSE)
        finish_part(product, &part, call->biased ? arrays[2] : NULL, call->activation == ACTIVATION_RELU);
    if (call->kind == ONEDNN_DENSE_BACK_WEIGHTS && call->biased)
        sum_columns(call->B, call->O, call->O * i / n, call->O * (i + 1) / n, arrays[1], arrays[3]);
    return all - taken;
}

bool onednn_share_dense(struct onednn *onednn, const struct onednn_call *call, void *const *arrays)
{
    const struct onednn_product product = product_of(call, arrays);
    if (call->narrow)
        return false;
    struct product_way way = choose_way(call, &product);
    if (way.threads == 1 && !way.sparse && !way.turned)
        return false;
    size_t left_out = 0;
    way.work = way.numbers ? ref_scratch(onednn, way.threads * way.numbers) : NULL;
#pragma omp parallel for schedule(static, 1) reduction(+ : left_out) if (way.threads > 1)
    for (size_t i = 0; i < way.threads; i++)
        left_out += share_call(call, &product, arrays, &way, i);
    ref_done(onednn);
    onednn->skipped += 2 * (double)left_out;
    return true;
}
