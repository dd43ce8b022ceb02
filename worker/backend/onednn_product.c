/* Products of F32 matrices that threads share; see onednn.h. Each thread makes a part of the result by itself, with
 * oneDNN's product for one thread. When oneDNN divides a product, threads may share sums, and then wait for each other
 * in a loop that keeps a processor busy: where another program has the processor of one of them, that lasts a slice of
 * the scheduler's time. Measured on two threads of a shared machine, the product of [128,9216] by [9216,128] took 9.4
 * ms of processor time there, and 4.3 with one thread.
 *
 * Shapes: c[M,N] = a[M,K] b[K,N]; with one thread, for small ones and for more threads than there is work for, oneDNN
 * knows better. */
#include "worker/backend/onednn.h"

#include "common/clones.h"
#include "worker/backend/team.h"

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

/* Part i of n: some rows of the result, or some columns, in whole vectors. */
static void multiply_part(const struct product *product, size_t i, size_t n)
{
    enum { VECTOR = 16 };
    bool rows = product->M > product->N;
    size_t longest = rows ? product->M : product->N, vectors = (longest + VECTOR - 1) / VECTOR;
    size_t from = vectors * i / n * VECTOR, to = vectors * (i + 1) / n * VECTOR;
    to = to < longest ? to : longest;
    const float *a = rows ? row_of(&product->a, from) : product->a.at,
                *b = rows ? product->b.at : column_of(&product->b, from);
    float *c = product->c + (rows ? from * product->N : from);
    onednn_check(dnnl_sgemm(product->a.turned ? 'T' : 'N', product->b.turned ? 'T' : 'N',
                            (dnnl_dim_t)(rows ? to - from : product->M), (dnnl_dim_t)(rows ? product->N : to - from),
                            (dnnl_dim_t)product->K, 1, a, (dnnl_dim_t)product->a.row, b, (dnnl_dim_t)product->b.row, 0,
                            c, (dnnl_dim_t)product->N),
                 "multiply");
}

static void multiply_shared(const struct product *product)
{
    size_t parts = team_threads();
#pragma omp parallel for schedule(static, 1)
    for (size_t i = 0; i < parts; i++)
        multiply_part(product, i, parts);
}

/* y[B,O] += b[O] */
CLONES static void add_bias(size_t B, size_t O, const float *restrict b, float *restrict y)
{
    for (size_t n = 0; n < B; n++)
#pragma omp simd
        for (size_t o = 0; o < O; o++)
            y[n * O + o] += b[o];
}

/* db[O] = the sum of dz[B,O] over the examples */
CLONES static void sum_rows(size_t B, size_t O, const float *restrict dz, float *restrict db)
{
    for (size_t o = 0; o < O; o++)
        db[o] = 0;
    for (size_t n = 0; n < B; n++)
#pragma omp simd
        for (size_t o = 0; o < O; o++)
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

bool onednn_share_dense(const struct onednn_call *call, void *const *arrays)
{
    const struct product product = product_of(call, arrays);
    if (call->narrow || !is_shared(&product))
        return false;
    multiply_shared(&product);
    if (call->kind == ONEDNN_DENSE && call->biased)
        add_bias(call->B, call->O, arrays[2], arrays[3]);
    if (call->kind == ONEDNN_DENSE_BACK_WEIGHTS && call->biased)
        sum_rows(call->B, call->O, arrays[1], arrays[3]);
    return true;
}
