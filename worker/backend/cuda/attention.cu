/* Attention; see backend.h and ref_attention.c, whose formulas these are. Shapes: B examples of T steps, N heads of K
 * numbers, D = N K.
 *
 * No array of T x T numbers is made. A warp has a row (a query, or on the way back of keys and values a key) and goes
 * over the rows that meet it, 32 at a time: a lane finds the product with one of them, then all lanes add up the 32
 * rows by their weights, each for its own numbers of K. The softmax is made on the way: what has been added is scaled
 * anew when a larger score comes (Milakov and Gimelshein 2018). */
#include "worker/backend/cuda/device.cuh"

#include <math.h>

enum { PART = CUDA_WARP, PARTS = 8 }; /* numbers of K that the lanes of a warp have at once, and how often */

struct heads {
    size_t N, T, K, D;
    float scale; /* 1 / sqrt K */
    bool causal;
    const int32_t *lengths; /* NULL: all T */
    uint64_t stream;
    uint32_t bound; /* draws below it are dropped; 0: none */
    float left;     /* what becomes of a weight of 1 that is not */
    float *kept;    /* [B,N,T] */
};

/* A matrix in memory: row i begins `stride` numbers behind row i-1. */
struct matrix {
    struct numbers of;
    size_t first, stride;
};

struct room {
    float row[CUDA_WARPS][PART];     /* a part of each warp's row */
    float tile[CUDA_WARP][PART + 1]; /* and of the 32 rows that all of them meet */
    float weights[CUDA_WARPS][CUDA_WARP];
};

static struct heads heads_of(const struct attention *how, const struct tensor *y, const struct tensor *kept)
{
    size_t T = y->size[1], D = y->size[2], K = D / how->heads;
    uint32_t bound = (uint32_t)lround((double)how->dropped * 65536); /* random_bound */
    struct heads heads = {how->heads,       T,    K,           D,     1 / sqrtf((float)K),
                          how->causal,      NULL, how->stream, bound, 65536.0f / (65536.0f - (float)bound),
                          (float *)kept->at};
    heads.lengths = how->lengths ? (const int32_t *)how->lengths->at : NULL;
    return heads;
}

/* Warps have a row of a head each, and PARTS parts of its K numbers. */
static dim3 grid_of(const struct heads *h, size_t B)
{
    return dim3((unsigned)(B * h->N), (unsigned)((h->T + CUDA_WARPS - 1) / CUDA_WARPS),
                (unsigned)((h->K + PARTS * PART - 1) / (PARTS * PART)));
}

/* Which of q, k, v of head n: 0, 1 or 2. */
static __device__ inline struct matrix qkv_matrix(const struct heads *h, struct numbers qkv, size_t n, size_t which)
{
    struct matrix matrix;
    matrix.of = qkv;
    matrix.first = n / h->N * h->T * 3 * h->D + which * h->D + n % h->N * h->K;
    matrix.stride = 3 * h->D;
    return matrix;
}

static __device__ inline struct matrix y_matrix(const struct heads *h, struct numbers y, size_t n)
{
    struct matrix matrix;
    matrix.of = y;
    matrix.first = n / h->N * h->T * h->D + n % h->N * h->K;
    matrix.stride = h->D;
    return matrix;
}

static __device__ inline float at(struct matrix m, size_t row, size_t k)
{
    return get(m.of, m.first + row * m.stride + k);
}

static __device__ inline size_t this_lane()
{
    return threadIdx.x % CUDA_WARP;
}

static __device__ inline size_t this_warp()
{
    return threadIdx.x / CUDA_WARP;
}

static __device__ inline size_t length_of(const struct heads *h, size_t n)
{
    return h->lengths ? (size_t)h->lengths[n / h->N] : h->T;
}

static __device__ inline float left_of(const struct heads *h, size_t n, size_t t, size_t u)
{
    if (!h->bound)
        return 1;
    uint64_t row = h->stream + (n * h->T + t) * ((h->T + DRAWS - 1) / DRAWS) * 0x9e3779b97f4a7c15u; /* random_row */
    return random_number(row, u) < h->bound ? 0 : h->left;
}

/* The product of row `row` of `a`, this warp's, with row first + lane of `b`; 0 for rows from `end` on. All threads of
 * the block call it. */
static __device__ inline float multiply_rows(struct room *room, size_t K, struct matrix a, size_t row, struct matrix b,
                                             size_t first, size_t end)
{
    size_t lane = this_lane(), warp = this_warp();
    float sum = 0;
    for (size_t k = 0; k < K; k += PART) {
        bool has = k + lane < K;
        room->row[warp][lane] = has && row < end ? at(a, row, k + lane) : 0;
        for (size_t i = warp; i < CUDA_WARP; i += CUDA_WARPS)
            room->tile[i][lane] = has && first + i < end ? at(b, first + i, k + lane) : 0;
        __syncthreads();
        for (int i = 0; i < PART; i++)
            sum += room->row[warp][i] * room->tile[lane][i];
        __syncthreads();
    }
    return sum;
}

/* Adds rows from..to of those from `first` on, by the weights of this warp, to its numbers of K. */
static __device__ inline void add_rows(const struct room *room, size_t K, struct matrix b, size_t first, size_t from,
                                       size_t to, float *sums)
{
    size_t begin = (size_t)blockIdx.z * PARTS * PART + this_lane();
    for (size_t u = from; u < to; u++) {
        float weight = room->weights[this_warp()][u - first];
        for (int j = 0; j < PARTS; j++)
            if (begin + (size_t)(j * PART) < K)
                sums[j] += weight * at(b, u, begin + (size_t)(j * PART));
    }
}

static __device__ inline void write_row(size_t K, struct matrix to, size_t row, float factor, const float *sums)
{
    size_t begin = (size_t)blockIdx.z * PARTS * PART + this_lane();
    for (int j = 0; j < PARTS; j++)
        if (begin + (size_t)(j * PART) < K)
            set(to.of, to.first + row * to.stride + begin + (size_t)(j * PART), factor * sums[j]);
}

static __device__ inline size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* --- the way forward --- */

static __global__ void attend(struct heads h, struct numbers qkv, struct numbers y)
{
    __shared__ struct room room;
    size_t n = blockIdx.x, t = (size_t)blockIdx.y * CUDA_WARPS + this_warp(), L = length_of(&h, n);
    size_t seen = t >= L ? 0 : h.causal ? t + 1 : L;
    size_t all = h.causal ? least(((size_t)blockIdx.y + 1) * CUDA_WARPS, L) : L; /* that the block sees */
    struct matrix q = qkv_matrix(&h, qkv, n, 0), k = qkv_matrix(&h, qkv, n, 1), v = qkv_matrix(&h, qkv, n, 2);
    float most = -INFINITY, sum = 0, sums[PARTS] = {0};
    for (size_t first = 0; first < all; first += CUDA_WARP) {
        size_t u = first + this_lane(), end = least(first + CUDA_WARP, seen);
        float score = h.scale * multiply_rows(&room, h.K, q, t, k, first, L);
        float larger = fmaxf(most, warp_largest(u < seen ? score : -INFINITY));
        float again = first < end ? expf(most - larger) : 1, p = u < seen ? expf(score - larger) : 0;
        sum = sum * again + warp_sum(p);
        for (int j = 0; j < PARTS; j++)
            sums[j] *= again;
        most = larger;
        room.weights[this_warp()][this_lane()] = u < seen ? p * left_of(&h, n, t, u) : 0;
        __syncthreads();
        add_rows(&room, h.K, v, first, first, end, sums);
        __syncthreads();
    }
    if (t >= h.T)
        return;
    write_row(h.K, y_matrix(&h, y, n), t, seen ? 1 / sum : 0, sums);
    if (this_lane() == 0 && blockIdx.z == 0)
        h.kept[n * h.T + t] = seen ? logf(sum) + most : 0;
}

void cuda_attention(void *self, const struct attention *how, const struct tensor *qkv, const struct tensor *kept,
                    const struct tensor *y)
{
    struct heads h = heads_of(how, y, kept);
    if (tensor_count(y))
        CUDA_LAUNCH(attend, grid_of(&h, y->size[0]), CUDA_BLOCK, cuda_of(self)->stream, h, numbers_of(qkv),
                    numbers_of(y));
}

/* --- the way back --- */

/* along[B,N,T] = the sum of y dy of each head: a warp has a step of all heads. */
static __global__ void find_along(size_t rows, struct heads h, struct numbers y, struct numbers dy, float *along)
{
    size_t row = (size_t)blockIdx.x * CUDA_WARPS + this_warp();
    if (row >= rows) /* the whole warp */
        return;
    for (size_t n = 0; n < h.N; n++) {
        float sum = 0;
        for (size_t k = this_lane(); k < h.K; k += CUDA_WARP)
            sum += get(y, row * h.D + n * h.K + k) * get(dy, row * h.D + n * h.K + k);
        sum = warp_sum(sum);
        if (this_lane() == 0)
            along[(row / h.T * h.N + n) * h.T + row % h.T] = sum;
    }
}

/* The weight p of step t on step u from their score, and what dropout makes of it; the gradient of the score. */
struct weight {
    float dropped, slope;
};

static __device__ inline struct weight weigh(const struct heads *h, size_t n, size_t t, size_t u, float score, float dp,
                                             const float *along)
{
    float p = expf(score - h->kept[n * h->T + t]), left = left_of(h, n, t, u);
    struct weight weight;
    weight.dropped = left * p;
    weight.slope = h->scale * p * (left * dp - along[n * h->T + t]);
    return weight;
}

/* Gradients of queries. */
static __global__ void attend_back_q(struct heads h, struct numbers qkv, struct numbers dy, const float *along,
                                     struct numbers dqkv)
{
    __shared__ struct room room;
    size_t n = blockIdx.x, t = (size_t)blockIdx.y * CUDA_WARPS + this_warp(), L = length_of(&h, n);
    size_t seen = t >= L ? 0 : h.causal ? t + 1 : L;
    size_t all = h.causal ? least(((size_t)blockIdx.y + 1) * CUDA_WARPS, L) : L;
    struct matrix q = qkv_matrix(&h, qkv, n, 0), k = qkv_matrix(&h, qkv, n, 1), v = qkv_matrix(&h, qkv, n, 2);
    float sums[PARTS] = {0};
    for (size_t first = 0; first < all; first += CUDA_WARP) {
        size_t u = first + this_lane();
        float score = h.scale * multiply_rows(&room, h.K, q, t, k, first, L);
        float dp = multiply_rows(&room, h.K, y_matrix(&h, dy, n), t, v, first, L);
        room.weights[this_warp()][this_lane()] = u < seen ? weigh(&h, n, t, u, score, dp, along).slope : 0;
        __syncthreads();
        add_rows(&room, h.K, k, first, first, least(first + CUDA_WARP, seen), sums);
        __syncthreads();
    }
    if (t < h.T)
        write_row(h.K, qkv_matrix(&h, dqkv, n, 0), t, 1, sums);
}

/* Gradients of keys and values. */
static __global__ void attend_back_kv(struct heads h, struct numbers qkv, struct numbers dy, const float *along,
                                      struct numbers dqkv)
{
    __shared__ struct room room;
    size_t n = blockIdx.x, u = (size_t)blockIdx.y * CUDA_WARPS + this_warp(), L = length_of(&h, n);
    size_t begin =
        h.causal ? (size_t)blockIdx.y * CUDA_WARPS / CUDA_WARP * CUDA_WARP : 0; /* no earlier step sees them */
    size_t from = h.causal ? u : 0, to = u < L ? L : 0;
    struct matrix q = qkv_matrix(&h, qkv, n, 0), k = qkv_matrix(&h, qkv, n, 1), v = qkv_matrix(&h, qkv, n, 2);
    struct matrix given = y_matrix(&h, dy, n);
    float dk[PARTS] = {0}, dv[PARTS] = {0};
    for (size_t first = begin; first < L; first += CUDA_WARP) {
        size_t t = first + this_lane(), low = from > first ? from : first, high = least(first + CUDA_WARP, to);
        struct weight weight = {0, 0};
        float score = h.scale * multiply_rows(&room, h.K, k, u, q, first, L);
        float dp = multiply_rows(&room, h.K, v, u, given, first, L);
        if (t >= low && t < high)
            weight = weigh(&h, n, t, u, score, dp, along);
        room.weights[this_warp()][this_lane()] = weight.slope;
        __syncthreads();
        add_rows(&room, h.K, q, first, low, high, dk);
        __syncthreads();
        room.weights[this_warp()][this_lane()] = weight.dropped;
        __syncthreads();
        add_rows(&room, h.K, given, first, low, high, dv);
        __syncthreads();
    }
    if (u >= h.T)
        return;
    write_row(h.K, qkv_matrix(&h, dqkv, n, 1), u, 1, dk);
    write_row(h.K, qkv_matrix(&h, dqkv, n, 2), u, 1, dv);
}

void cuda_attention_back(void *self, const struct attention *how, const struct tensor *qkv, const struct tensor *kept,
                         const struct tensor *y, const struct tensor *dy, const struct tensor *dqkv)
{
    struct cuda *cuda = cuda_of(self);
    struct heads h = heads_of(how, y, kept);
    size_t B = y->size[0], rows = B * h.T;
    float *along = (float *)cuda_scratch(cuda, CUDA_SCRATCH_SUMS, B * h.N * h.T * sizeof(float));
    if (!tensor_count(y))
        return;
    CUDA_LAUNCH(find_along, (unsigned)((rows + CUDA_WARPS - 1) / CUDA_WARPS), CUDA_BLOCK, cuda->stream, rows, h,
                numbers_of(y), numbers_of(dy), along);
    CUDA_LAUNCH(attend_back_q, grid_of(&h, B), CUDA_BLOCK, cuda->stream, h, numbers_of(qkv), numbers_of(dy), along,
                numbers_of(dqkv));
    CUDA_LAUNCH(attend_back_kv, grid_of(&h, B), CUDA_BLOCK, cuda->stream, h, numbers_of(qkv), numbers_of(dy), along,
                numbers_of(dqkv));
}
