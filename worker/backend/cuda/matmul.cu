/* Products of matrices by cuBLASLt; see cuda.cuh. What it is asked and what it answers for a shape (its descriptors and
 * the first algorithm that it would take) is kept: asking takes some 50 microseconds, a product's start 3.
 *
 * cuBLASLt's matrices are column-major, so that it sees c^T[M,N] = op(a)[M,K] op(b)[K,N]: the rows of our arrays are
 * its columns, and ours are taken as they lie. */
#include "worker/backend/cuda/device.cuh"

#include <cublasLt.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_SHAPES = 512,   /* a search over widths and batch sizes brings new ones for ever */
    SLOTS = 1024,        /* of the table, a power of two */
    WORKSPACE = 32 << 20 /* bytes: what cuBLAS takes for itself on Hopper */
};

/* All that decides how a product is made. Compared as bytes, so it is cleared first. */
struct key {
    struct cuda_product product;
    uint32_t alignment[4]; /* bytes: of a, b, c and the bias */
    bool coarse;           /* TF32 */
};

struct plan {
    struct key key;
    cublasLtMatmulDesc_t what;
    cublasLtMatrixLayout_t a, b, c;
    bool possible; /* else by plain loops */
    cublasLtMatmulAlgo_t algorithm;
    struct plan *next; /* in its slot */
};

struct cuda_matmul {
    cublasLtHandle_t handle;
    cublasLtMatmulPreference_t preference;
    struct plan *slots[SLOTS];
    size_t count;
};

static void check(cublasStatus_t status, const char *what)
{
    char why[64];
    if (status == CUBLAS_STATUS_SUCCESS)
        return;
    if (status == CUBLAS_STATUS_ALLOC_FAILED)
        cuda_fail(what, BACKEND_GPU_FULL);
    snprintf(why, sizeof why, "status %d of cuBLASLt", (int)status);
    cuda_fail(what, why);
}

/* --- plans --- */

static cudaDataType type_of(enum tensor_type type)
{
    return type == TENSOR_BF16 ? CUDA_R_16BF : CUDA_R_32F;
}

/* The greatest power of two, to 256, that divides an address, and the bytes to the next array: algorithms with wide
 * loads need 16. */
static uint32_t alignment_of(const void *at, size_t apart)
{
    uintptr_t address = (uintptr_t)at | apart | 256;
    return (uint32_t)(address & (~address + 1));
}

static void describe(struct plan *plan)
{
    static const cublasLtEpilogue_t epilogues[] = {CUBLASLT_EPILOGUE_DEFAULT, CUBLASLT_EPILOGUE_BIAS,
                                                   CUBLASLT_EPILOGUE_RELU, CUBLASLT_EPILOGUE_RELU_BIAS};
    const struct cuda_product *p = &plan->key.product;
    cublasComputeType_t compute = plan->key.coarse ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
    cublasOperation_t a = p->a_turned ? CUBLAS_OP_N : CUBLAS_OP_T, b = p->b_turned ? CUBLAS_OP_T : CUBLAS_OP_N;
    cudaDataType bias = type_of(p->c_type);
    check(cublasLtMatmulDescCreate(&plan->what, compute, CUDA_R_32F), "describe a product");
    cublasLtMatmulDesc_t what = plan->what;
    check(cublasLtMatmulDescSetAttribute(what, CUBLASLT_MATMUL_DESC_TRANSA, &a, sizeof a), "describe a product");
    check(cublasLtMatmulDescSetAttribute(what, CUBLASLT_MATMUL_DESC_TRANSB, &b, sizeof b), "describe a product");
    check(cublasLtMatmulDescSetAttribute(what, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogues[p->after],
                                         sizeof epilogues[p->after]),
          "describe a product");
    if (p->after == CUDA_AFTER_BIAS || p->after == CUDA_AFTER_BIAS_RELU)
        check(cublasLtMatmulDescSetAttribute(what, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, &bias, sizeof bias),
              "describe a bias");
}

/* That there are several, so many numbers apart. */
static void lay_side_by_side(cublasLtMatrixLayout_t matrix, size_t count, size_t apart)
{
    int32_t all = (int32_t)count;
    int64_t step = (int64_t)apart;
    if (!count)
        return;
    check(cublasLtMatrixLayoutSetAttribute(matrix, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &all, sizeof all),
          "describe several matrices");
    check(cublasLtMatrixLayoutSetAttribute(matrix, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &step, sizeof step),
          "describe several matrices");
}

/* Rows and columns of the arrays as they lie, column by column. */
static void lay_out(struct plan *plan)
{
    const struct cuda_product *p = &plan->key.product;
    uint64_t a_rows = p->a_turned ? p->M : p->K, a_columns = p->a_turned ? p->K : p->M;
    uint64_t b_rows = p->b_turned ? p->N : p->K, b_columns = p->b_turned ? p->K : p->N;
    cudaDataType type = type_of(p->type);
    check(cublasLtMatrixLayoutCreate(&plan->a, type, a_rows, a_columns, (int64_t)a_rows), "describe a matrix");
    check(cublasLtMatrixLayoutCreate(&plan->b, type, b_rows, b_columns, (int64_t)b_rows), "describe a matrix");
    check(cublasLtMatrixLayoutCreate(&plan->c, type_of(p->c_type), p->M, p->N, (int64_t)p->M), "describe a matrix");
    lay_side_by_side(plan->a, p->stack.count, p->stack.a);
    lay_side_by_side(plan->b, p->stack.count, p->stack.b);
    lay_side_by_side(plan->c, p->stack.count, p->stack.c);
}

static void set_preference(struct cuda_matmul *matmul, cublasLtMatmulPreferenceAttributes_t which, const void *value,
                           size_t bytes)
{
    check(cublasLtMatmulPreferenceSetAttribute(matmul->preference, which, value, bytes), "say what a product may take");
}

static void choose(struct cuda_matmul *matmul, struct plan *plan)
{
    const uint32_t *alignment = plan->key.alignment;
    cublasLtMatmulHeuristicResult_t found;
    int count = 0;
    memset(&found, 0, sizeof found);
    set_preference(matmul, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, &alignment[0], sizeof *alignment);
    set_preference(matmul, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, &alignment[1], sizeof *alignment);
    set_preference(matmul, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, &alignment[2], sizeof *alignment);
    set_preference(matmul, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, &alignment[2], sizeof *alignment);
    cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(matmul->handle, plan->what, plan->a, plan->b, plan->c,
                                                           plan->c, matmul->preference, 1, &found, &count);
    plan->possible = status == CUBLAS_STATUS_SUCCESS && count > 0;
    plan->algorithm = found.algo;
    if (status != CUBLAS_STATUS_NOT_SUPPORTED)
        check(status, "find a way to multiply");
    if (!plan->possible)
        fprintf(stderr, "gannet: cuBLASLt knows no way to multiply %zu x %zu x %zu here; plain loops do, slowly\n",
                plan->key.product.M, plan->key.product.N, plan->key.product.K);
}

static void free_plan(struct plan *plan)
{
    check(cublasLtMatrixLayoutDestroy(plan->a), "forget a matrix");
    check(cublasLtMatrixLayoutDestroy(plan->b), "forget a matrix");
    check(cublasLtMatrixLayoutDestroy(plan->c), "forget a matrix");
    check(cublasLtMatmulDescDestroy(plan->what), "forget a product");
    free(plan);
}

static void forget_plans(struct cuda_matmul *matmul)
{
    for (size_t i = 0; i < SLOTS; i++)
        while (matmul->slots[i]) {
            struct plan *plan = matmul->slots[i];
            matmul->slots[i] = plan->next;
            free_plan(plan);
        }
    matmul->count = 0;
}

static struct plan **slot_of(struct cuda_matmul *matmul, const struct key *key)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < sizeof *key; i++)
        hash = (hash ^ ((const unsigned char *)key)[i]) * 0x100000001b3u;
    return &matmul->slots[(hash ^ hash >> 32) % SLOTS];
}

/* The bias is said before cuBLASLt is asked, since it looks at its address. */
static void set_bias(struct plan *plan, const void *bias)
{
    check(cublasLtMatmulDescSetAttribute(plan->what, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias, sizeof bias),
          "describe a bias");
}

static struct plan *make_plan(struct cuda *self, const struct key *key, const void *bias)
{
    struct cuda_matmul *matmul = self->matmul;
    cuda_graph_flush(self);
    double begun = clock_monotonic();
    if (matmul->count >= MOST_SHAPES)
        forget_plans(matmul);
    struct plan *plan = MEM_NEW(struct plan), **slot = slot_of(matmul, key);
    plan->key = *key;
    describe(plan);
    if (bias)
        set_bias(plan, bias);
    lay_out(plan);
    choose(matmul, plan);
    plan->next = *slot;
    *slot = plan;
    matmul->count++;
    self->prepared += clock_monotonic() - begun;
    return plan;
}

static struct plan *find_plan(struct cuda *self, const struct key *key, const void *bias)
{
    for (struct plan *plan = *slot_of(self->matmul, key); plan; plan = plan->next)
        if (memcmp(&plan->key, key, sizeof *key) == 0)
            return plan;
    return make_plan(self, key, bias);
}

/* --- products --- */

static void open_matmul(struct cuda *self)
{
    size_t most = WORKSPACE;
    if (self->matmul)
        return;
    cuda_graph_flush(self);
    self->matmul = MEM_NEW(struct cuda_matmul);
    check(cublasLtCreate(&self->matmul->handle), "begin with cuBLASLt");
    check(cublasLtMatmulPreferenceCreate(&self->matmul->preference), "say what a product may take");
    set_preference(self->matmul, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &most, sizeof most);
}

void cuda_matmul_close(struct cuda *self)
{
    if (!self->matmul)
        return;
    forget_plans(self->matmul);
    check(cublasLtMatmulPreferenceDestroy(self->matmul->preference), "end with cuBLASLt");
    check(cublasLtDestroy(self->matmul->handle), "end with cuBLASLt");
    free(self->matmul);
}

static __device__ inline struct numbers numbers_behind(struct numbers numbers, size_t count)
{
    numbers.at = (char *)numbers.at + count * (numbers.narrow ? sizeof(uint16_t) : sizeof(float));
    return numbers;
}

/* What cuBLASLt has no way for: a number of c in each thread. */
static __global__ void multiply_plainly(size_t count, struct cuda_product p, struct numbers a, struct numbers b,
                                        struct numbers c, struct numbers bias)
{
    size_t all = this_thread(), f = all / (p.M * p.N), at = all % (p.M * p.N), m = at % p.M, n = at / p.M;
    if (all >= count)
        return;
    a = numbers_behind(a, f * p.stack.a);
    b = numbers_behind(b, f * p.stack.b);
    c = numbers_behind(c, f * p.stack.c);
    float sum = 0;
    for (size_t k = 0; k < p.K; k++)
        sum += get(a, p.a_turned ? k * p.M + m : m * p.K + k) * get(b, p.b_turned ? k * p.N + n : n * p.K + k);
    sum += p.more ? get(c, at) : 0;
    sum += bias.at ? get(bias, m) : 0;
    bool relu = p.after == CUDA_AFTER_RELU || p.after == CUDA_AFTER_BIAS_RELU;
    set(c, at, relu ? device_value(ACTIVATION_RELU, sum) : sum);
}

static struct numbers numbers_at(const void *at, enum tensor_type type)
{
    struct numbers numbers = {(void *)(uintptr_t)at, type == TENSOR_BF16};
    return numbers;
}

/* Copied field by field, since what lies between them counts. */
static struct key make_key(const struct cuda *self, const struct cuda_product *product, const void *a, const void *b,
                           const void *c, const void *bias)
{
    struct key key;
    memset((void *)&key, 0, sizeof key);
    key.product.M = product->M;
    key.product.N = product->N;
    key.product.K = product->K;
    key.product.a_turned = product->a_turned;
    key.product.b_turned = product->b_turned;
    key.product.type = product->type;
    key.product.c_type = product->c_type;
    key.product.after = product->after;
    key.product.more = product->more;
    key.product.stack.count = product->stack.count;
    key.product.stack.a = product->stack.a;
    key.product.stack.b = product->stack.b;
    key.product.stack.c = product->stack.c;
    key.alignment[0] = alignment_of(a, product->stack.a * tensor_type_bytes(product->type));
    key.alignment[1] = alignment_of(b, product->stack.b * tensor_type_bytes(product->type));
    key.alignment[2] = alignment_of(c, product->stack.c * tensor_type_bytes(product->c_type));
    key.alignment[3] = alignment_of(bias, 0);
    key.coarse = self->coarse && product->type == TENSOR_F32;
    return key;
}

void cuda_multiply(struct cuda *self, const struct cuda_product *product, const void *a, const void *b, void *c,
                   const void *bias)
{
    const float one = 1, more = product->more ? 1 : 0;
    if (!product->M || !product->N)
        return;
    open_matmul(self);
    struct key key = make_key(self, product, a, b, c, bias);
    struct plan *plan = find_plan(self, &key, bias);
    if (!plan->possible) {
        size_t several = product->stack.count ? product->stack.count : 1;
        CUDA_EACH(self, multiply_plainly, several * product->M * product->N, *product, numbers_at(a, product->type),
                  numbers_at(b, product->type), numbers_at(c, product->c_type), numbers_at(bias, product->c_type));
        return;
    }
    void *room = cuda_scratch(self, CUDA_SCRATCH_PRODUCT, WORKSPACE);
    if (bias)
        set_bias(plan, bias);
    check(cublasLtMatmul(self->matmul->handle, plan->what, &one, a, plan->a, b, plan->b, &more, c, plan->c, c, plan->c,
                         &plan->algorithm, room, WORKSPACE, self->stream),
          "multiply");
}
