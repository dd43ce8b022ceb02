/* Layer normalisation; see backend.h. Shapes: R rows of C channels; a warp has a row. Sums are in double precision. */
#include "worker/backend/cuda/sums.cuh"

/* The row of this warp, and its lane. */
static __device__ inline size_t this_row()
{
    return (size_t)blockIdx.x * CUDA_WARPS + threadIdx.x / CUDA_WARP;
}

static __device__ inline size_t this_lane()
{
    return threadIdx.x % CUDA_WARP;
}

static dim3 blocks_of_rows(size_t R)
{
    return dim3((unsigned)((R + CUDA_WARPS - 1) / CUDA_WARPS));
}

static __global__ void normalise(size_t R, size_t C, struct numbers x, const float *gamma, const float *beta,
                                 float epsilon, float *mean, float *variance, struct numbers y)
{
    size_t r = this_row();
    if (r >= R) /* the whole warp */
        return;
    double sum = 0, squares = 0;
    for (size_t c = this_lane(); c < C; c += CUDA_WARP)
        sum += (double)get(x, r * C + c);
    double middle = warp_sum(sum) / (double)C;
    for (size_t c = this_lane(); c < C; c += CUDA_WARP) {
        double d = (double)get(x, r * C + c) - middle;
        squares += d * d;
    }
    float m = (float)middle, v = (float)(warp_sum(squares) / (double)C), root = sqrtf(v + epsilon);
    if (this_lane() == 0) {
        mean[r] = m;
        variance[r] = v;
    }
    for (size_t c = this_lane(); c < C; c += CUDA_WARP)
        set(y, r * C + c, gamma[c] * (get(x, r * C + c) - m) / root + beta[c]);
}

void cuda_layer_norm(void *self, const struct tensor *x, const struct tensor *gamma, const struct tensor *beta,
                     float epsilon, const struct tensor *mean, const struct tensor *variance, const struct tensor *y)
{
    size_t C = gamma->size[0], R = tensor_count(x) / C;
    if (R)
        CUDA_LAUNCH(normalise, blocks_of_rows(R), CUDA_BLOCK, cuda_of(self)->stream, R, C, numbers_of(x),
                    (const float *)gamma->at, (const float *)beta->at, epsilon, (float *)mean->at,
                    (float *)variance->at, numbers_of(y));
}

/* --- the way back --- */

/* What is added up over rows: of dbeta and dgamma. */
struct row_along {
    struct numbers x, dy;
    const float *mean, *variance;
    float epsilon;
    enum { COUNT = 2 };
    __device__ double normal(size_t r, size_t i) const
    {
        return (double)((get(x, i) - mean[r]) / sqrtf(variance[r] + epsilon));
    }
    __device__ void add(size_t r, size_t, size_t i, double *sums) const
    {
        double d = (double)get(dy, i);
        sums[0] += d;
        sums[1] += d * normal(r, i);
    }
};

struct row_gradients {
    struct numbers dbeta, dgamma;
    __device__ void take(size_t c, const double *sums) const
    {
        set(dbeta, c, (float)sums[0]);
        set(dgamma, c, (float)sums[1]);
    }
};

static __global__ void normalise_back(size_t R, size_t C, struct row_along of, const float *gamma, struct numbers dx)
{
    size_t r = this_row();
    if (r >= R)
        return;
    double given = 0, along = 0; /* sums of gamma dy, and of gamma dy n */
    for (size_t c = this_lane(); c < C; c += CUDA_WARP) {
        double d = (double)(gamma[c] * get(of.dy, r * C + c));
        given += d;
        along += d * of.normal(r, r * C + c);
    }
    given = warp_sum(given);
    along = warp_sum(along);
    double root = (double)sqrtf(of.variance[r] + of.epsilon);
    for (size_t c = this_lane(); c < C; c += CUDA_WARP) {
        double d = (double)(gamma[c] * get(of.dy, r * C + c)), n = of.normal(r, r * C + c);
        set(dx, r * C + c, (float)((d - (given + n * along) / (double)C) / root));
    }
}

void cuda_layer_norm_back(void *self, const struct tensor *x, const struct tensor *dy, const struct tensor *gamma,
                          float epsilon, const struct tensor *mean, const struct tensor *variance,
                          const struct tensor *dx, const struct tensor *dgamma, const struct tensor *dbeta)
{
    size_t C = gamma->size[0], R = tensor_count(x) / C;
    struct row_along along = {numbers_of(x), numbers_of(dy), (const float *)mean->at, (const float *)variance->at,
                              epsilon};
    struct row_gradients use = {numbers_of(dbeta), numbers_of(dgamma)};
    sums_over_rows(cuda_of(self), R, C, along, use);
    if (R)
        CUDA_LAUNCH(normalise_back, blocks_of_rows(R), CUDA_BLOCK, cuda_of(self)->stream, R, C, along,
                    (const float *)gamma->at, numbers_of(dx));
}
