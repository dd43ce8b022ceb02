/* Rows of tables, what is added to each example, and sums over examples; see backend.h. */
#include "worker/backend/cuda/sums.cuh"

/* --- rows of a table --- */

/* Rows are copied as words of `T`, whatever they hold. */
template <typename T>
static __global__ void gather(size_t count, size_t width, const T *table, const int32_t *places, T *y)
{
    size_t i = this_thread();
    if (i < count)
        y[i] = table[(size_t)places[i / width] * width + i % width];
}

void cuda_gather(void *self, const struct tensor *table, const struct tensor *places, const struct tensor *y)
{
    size_t width = tensor_width(table), count = tensor_count(y);
    const int32_t *of = (const int32_t *)places->at;
    if (tensor_type_bytes(table->type) == 2)
        CUDA_EACH(cuda_of(self), gather<uint16_t>, count, width, (const uint16_t *)table->at, of, (uint16_t *)y->at);
    else
        CUDA_EACH(cuda_of(self), gather<uint32_t>, count, width, (const uint32_t *)table->at, of, (uint32_t *)y->at);
}

/* A block has a place and so many numbers of its row as it has threads. That of the first place of a row adds all of
 * the row's in their order; the others have nothing to do, and rows without a place stay 0. */
static __global__ void gather_back(size_t B, size_t width, struct numbers dy, const int32_t *places,
                                   struct numbers dtable)
{
    __shared__ int32_t some[CUDA_BLOCK];
    size_t k = (size_t)blockIdx.y * blockDim.x + threadIdx.x, own = blockIdx.x;
    int32_t row = places[own];
    float sum = 0;
    for (size_t first = 0; first < B; first += blockDim.x) {
        some[threadIdx.x] = first + threadIdx.x < B ? places[first + threadIdx.x] : -1;
        __syncthreads();
        for (size_t n = 0; n < blockDim.x; n++) {
            if (some[n] == row && first + n < own) /* the whole block */
                return;
            if (some[n] == row && k < width)
                sum += get(dy, (first + n) * width + k);
        }
        __syncthreads();
    }
    if (k < width)
        set(dtable, (size_t)row * width + k, sum);
}

void cuda_gather_back(void *self, const struct tensor *dy, const struct tensor *places, const struct tensor *dtable)
{
    size_t B = places->size[0], width = tensor_width(dtable);
    size_t block = width > CUDA_BLOCK / 2 ? CUDA_BLOCK : CUDA_BLOCK / 2;
    cuda_fill(self, 0, dtable);
    if (B && width)
        CUDA_LAUNCH(gather_back, dim3((unsigned)B, (unsigned)((width + block - 1) / block)), dim3((unsigned)block),
                    cuda_of(self)->stream, B, width, numbers_of(dy), (const int32_t *)places->at, numbers_of(dtable));
}

/* --- each example --- */

static __global__ void add_each(size_t count, size_t width, struct numbers x, struct numbers one, struct numbers y)
{
    size_t i = this_thread();
    if (i < count)
        set(y, i, get(x, i) + get(one, i % width));
}

void cuda_add_each(void *self, const struct tensor *x, const struct tensor *one, const struct tensor *y)
{
    CUDA_EACH(cuda_of(self), add_each, tensor_count(y), tensor_width(x), numbers_of(x), numbers_of(one), numbers_of(y));
}

struct column_value {
    struct numbers x;
    enum { COUNT = 1 };
    __device__ void add(size_t, size_t, size_t i, double *sums) const
    {
        sums[0] += (double)get(x, i);
    }
};

struct column_sum {
    struct numbers sum;
    __device__ void take(size_t c, const double *sums) const
    {
        set(sum, c, (float)sums[0]);
    }
};

void cuda_sum_columns(struct cuda *self, const struct tensor *x, size_t C, const struct tensor *sum)
{
    if (!sum)
        return;
    struct column_value of = {numbers_of(x)};
    struct column_sum use = {numbers_of(sum)};
    sums_over_rows(self, tensor_count(x) / C, C, of, use);
}

void cuda_sum_each(void *self, const struct tensor *x, const struct tensor *sum)
{
    cuda_sum_columns(cuda_of(self), x, tensor_width(x), sum);
}

/* --- axes that change places --- */

template <typename T> static __global__ void swap(size_t count, size_t I, size_t J, size_t width, const T *x, T *y)
{
    size_t n = this_thread(), row = n / width; /* of y: j I + i */
    if (n < count)
        y[n] = x[(row % I * J + row / I) * width + n % width];
}

void cuda_swap(void *self, const struct tensor *x, const struct tensor *y)
{
    size_t I = x->size[0], J = x->size[1], count = tensor_count(x), width = count ? count / (I * J) : 1;
    if (tensor_type_bytes(x->type) == 2)
        CUDA_EACH(cuda_of(self), swap<uint16_t>, count, I, J, width, (const uint16_t *)x->at, (uint16_t *)y->at);
    else
        CUDA_EACH(cuda_of(self), swap<uint32_t>, count, I, J, width, (const uint32_t *)x->at, (uint32_t *)y->at);
}
