/* Optimizers, each one pass over the weights, and clipping; the formulas and papers are in backend.h. Norms are summed
 * in double precision, and never seen by the host: what depends on them waits on the device. */
#include "worker/backend/cuda/device.cuh"

/* --- norms --- */

static const size_t MOST_PARTS = 256; /* of a sum; the last block adds one in each of its threads */

static __global__ void square_parts(size_t count, const float *x, double *parts)
{
    __shared__ double room[CUDA_WARPS];
    double sum = 0;
    for (size_t i = this_thread(); i < count; i += (size_t)gridDim.x * blockDim.x)
        sum += (double)x[i] * (double)x[i];
    sum = block_sum(sum, room);
    if (threadIdx.x == 0)
        parts[blockIdx.x] = sum;
}

static __global__ void add_parts(size_t count, const double *parts, double *sum)
{
    __shared__ double room[CUDA_WARPS];
    double all = block_sum(threadIdx.x < count ? parts[threadIdx.x] : 0, room);
    if (threadIdx.x == 0)
        *sum = all;
}

void cuda_sum_squares(struct cuda *self, size_t count, const float *x, double *sum)
{
    size_t wanted = (count + 4 * CUDA_BLOCK - 1) / (4 * CUDA_BLOCK);
    size_t parts_count = wanted < 1 ? 1 : wanted > MOST_PARTS ? MOST_PARTS : wanted;
    double *parts = (double *)cuda_scratch(self, CUDA_SCRATCH_PARTS, MOST_PARTS * sizeof(double));
    CUDA_LAUNCH(square_parts, (unsigned)parts_count, CUDA_BLOCK, self->stream, count, x, parts);
    CUDA_LAUNCH(add_parts, 1, CUDA_BLOCK, self->stream, parts_count, parts, sum);
}

static __global__ void clip(size_t count, float limit, const double *squares, float *g)
{
    size_t i = this_thread();
    double norm = sqrt(*squares);
    float factor = (float)((double)limit / norm);
    if (i < count && norm > (double)limit)
        g[i] = factor > 0 ? factor * g[i] : 0; /* of gradients without end nothing is left */
}

void cuda_clip(void *self, float limit, const struct tensor *g)
{
    struct cuda *cuda = cuda_of(self);
    double *squares = (double *)cuda_scratch(cuda, CUDA_SCRATCH_SUMS, sizeof(double));
    cuda_sum_squares(cuda, tensor_count(g), (const float *)g->at, squares);
    CUDA_EACH(cuda, clip, tensor_count(g), limit, squares, (float *)g->at);
}

/* --- optimizers --- */

/* The arrays of a step; `norms`, of LARS: sums of squares of w and of dw. */
struct arrays {
    float *w;
    const float *dw;
    float *first, *second;
    const double *norms;
};

static __device__ inline void step_sgd(const struct update *u, const struct arrays *a, size_t i, float g)
{
    if (u->momentum == 0) {
        a->w[i] = u->keep * a->w[i] - u->lr * g;
        return;
    }
    float v = a->first[i] = u->momentum * a->first[i] + g;
    a->w[i] = u->keep * a->w[i] - u->lr * (u->nesterov ? g + u->momentum * v : v);
}

static __device__ inline void step_adam(const struct update *u, const struct arrays *a, size_t i, float g)
{
    float m = a->first[i] = u->beta1 * a->first[i] + (1 - u->beta1) * g;
    float v = a->second[i] = u->beta2 * a->second[i] + (1 - u->beta2) * g * g;
    a->w[i] = u->keep * a->w[i] - u->lr * m / (sqrtf(v) * u->scale + u->epsilon);
}

static __device__ inline void step_rmsprop(const struct update *u, const struct arrays *a, size_t i, float g)
{
    float v = a->second[i] = u->beta2 * a->second[i] + (1 - u->beta2) * g * g;
    float m = a->first[i] = u->momentum * a->first[i] + g / (sqrtf(v) + u->epsilon);
    a->w[i] = u->keep * a->w[i] - u->lr * m;
}

static __device__ inline void step_adadelta(const struct update *u, const struct arrays *a, size_t i, float g)
{
    float v = a->second[i] = u->beta2 * a->second[i] + (1 - u->beta2) * g * g;
    float d = g * sqrtf(a->first[i] + u->epsilon) / sqrtf(v + u->epsilon);
    a->first[i] = u->beta2 * a->first[i] + (1 - u->beta2) * d * d;
    a->w[i] = u->keep * a->w[i] - u->lr * d;
}

static __device__ inline void step_lars(const struct update *u, const struct arrays *a, size_t i, float g)
{
    double ours = sqrt(a->norms[0]), gradient = sqrt(a->norms[1]) + (double)u->l2 * ours;
    float lr = u->lr * (ours > 0 && gradient > 0 ? (float)((double)u->trust * ours / gradient) : 1);
    float v = a->first[i] = u->momentum * a->first[i] + lr * g;
    a->w[i] -= v;
}

static __global__ void take_step(size_t count, struct update u, struct arrays a)
{
    size_t i = this_thread();
    if (i >= count)
        return;
    float g = a.dw[i] + u.l2 * a.w[i];
    switch (u.kind) {
    case UPDATE_SGD:
        step_sgd(&u, &a, i, g);
        break;
    case UPDATE_ADAM:
        step_adam(&u, &a, i, g);
        break;
    case UPDATE_RMSPROP:
        step_rmsprop(&u, &a, i, g);
        break;
    case UPDATE_ADADELTA:
        step_adadelta(&u, &a, i, g);
        break;
    case UPDATE_LARS:
        step_lars(&u, &a, i, g);
        break;
    }
}

void cuda_update(void *self, const struct update *u, const struct tensor *w, const struct tensor *dw,
                 const struct tensor *first, const struct tensor *second)
{
    struct cuda *cuda = cuda_of(self);
    size_t count = tensor_count(w);
    struct arrays arrays = {(float *)w->at, (const float *)dw->at, first ? (float *)first->at : NULL,
                            second ? (float *)second->at : NULL, NULL};
    if (u->kind == UPDATE_LARS) {
        double *norms = (double *)cuda_scratch(cuda, CUDA_SCRATCH_SUMS, 2 * sizeof(double));
        cuda_sum_squares(cuda, count, arrays.w, &norms[0]);
        cuda_sum_squares(cuda, count, arrays.dw, &norms[1]);
        arrays.norms = norms;
    }
    CUDA_EACH(cuda, take_step, count, *u, arrays);
}
