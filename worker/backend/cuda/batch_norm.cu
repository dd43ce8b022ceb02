/* Batch normalisation; see backend.h. Shapes: R rows (all axes but the last) of C channels. Statistics and gradients
 * are sums over rows (sums.cuh); ref_norm.c has the formulas. */
#include "worker/backend/cuda/sums.cuh"

/* --- statistics --- */

struct channel_value {
    struct numbers x;
    enum { COUNT = 1 };
    __device__ void add(size_t, size_t, size_t i, double *sums) const
    {
        sums[0] += (double)get(x, i);
    }
};

struct channel_square {
    struct numbers x;
    const float *mean;
    enum { COUNT = 1 };
    __device__ void add(size_t, size_t c, size_t i, double *sums) const
    {
        double d = (double)get(x, i) - (double)mean[c];
        sums[0] += d * d;
    }
};

struct channel_mean {
    size_t R;
    float *mean;
    __device__ void take(size_t c, const double *sums) const
    {
        mean[c] = (float)(sums[0] / (double)R);
    }
};

static __global__ void apply(size_t count, size_t C, struct numbers x, const float *gamma, const float *beta,
                             float epsilon, const float *mean, const float *variance, struct numbers y)
{
    size_t i = this_thread(), c = i % C;
    if (i < count)
        set(y, i, (get(x, i) - mean[c]) * (gamma[c] / sqrtf(variance[c] + epsilon)) + beta[c]);
}

void cuda_batch_norm_apply(void *self, const struct tensor *x, const struct tensor *gamma, const struct tensor *beta,
                           float epsilon, const struct tensor *mean, const struct tensor *variance,
                           const struct tensor *y)
{
    CUDA_EACH(cuda_of(self), apply, tensor_count(x), gamma->size[0], numbers_of(x), (const float *)gamma->at,
              (const float *)beta->at, epsilon, (const float *)mean->at, (const float *)variance->at, numbers_of(y));
}

void cuda_batch_norm(void *self, const struct tensor *x, const struct tensor *gamma, const struct tensor *beta,
                     float epsilon, const struct tensor *mean, const struct tensor *variance, const struct tensor *y)
{
    size_t C = gamma->size[0], R = tensor_count(x) / C;
    struct channel_value value = {numbers_of(x)};
    struct channel_square square = {numbers_of(x), (const float *)mean->at};
    struct channel_mean first = {R, (float *)mean->at}, second = {R, (float *)variance->at};
    sums_over_rows(cuda_of(self), R, C, value, first);
    sums_over_rows(cuda_of(self), R, C, square, second);
    cuda_batch_norm_apply(self, x, gamma, beta, epsilon, mean, variance, y);
}

/* --- the way back --- */

struct channel_along {
    struct numbers x, dy;
    const float *mean, *variance;
    float epsilon;
    enum { COUNT = 2 };
    __device__ void add(size_t, size_t c, size_t i, double *sums) const
    {
        double d = (double)get(dy, i);
        sums[0] += d;
        sums[1] += d * (double)(get(x, i) - mean[c]) / sqrt((double)(variance[c] + epsilon));
    }
};

struct channel_gradients {
    float *dbeta, *dgamma;
    __device__ void take(size_t c, const double *sums) const
    {
        dbeta[c] = (float)sums[0];
        dgamma[c] = (float)sums[1];
    }
};

static __global__ void apply_back(size_t count, size_t C, struct channel_along of, const float *gamma,
                                  struct channel_gradients sums, struct numbers dx)
{
    size_t i = this_thread(), c = i % C;
    if (i >= count)
        return;
    float root = sqrtf(of.variance[c] + of.epsilon), n = (get(of.x, i) - of.mean[c]) / root, R = (float)(count / C);
    set(dx, i, gamma[c] / root * (get(of.dy, i) - (sums.dbeta[c] + n * sums.dgamma[c]) / R));
}

void cuda_batch_norm_back(void *self, const struct tensor *x, const struct tensor *dy, const struct tensor *gamma,
                          float epsilon, const struct tensor *mean, const struct tensor *variance,
                          const struct tensor *dx, const struct tensor *dgamma, const struct tensor *dbeta)
{
    size_t C = gamma->size[0], count = tensor_count(x);
    struct channel_along along = {numbers_of(x), numbers_of(dy), (const float *)mean->at, (const float *)variance->at,
                                  epsilon};
    struct channel_gradients use = {(float *)dbeta->at, (float *)dgamma->at};
    sums_over_rows(cuda_of(self), count / C, C, along, use);
    CUDA_EACH(cuda_of(self), apply_back, count, C, along, (const float *)gamma->at, use, numbers_of(dx));
}
