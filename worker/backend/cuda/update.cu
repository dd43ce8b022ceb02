/* Optimizers, each one pass over the weights, and clipping, of one network or of each of a stack; the formulas and
 * papers are in backend.h. Norms are summed
 * in double precision, and never seen by the host: what depends on them waits on the device. */
#include "worker/backend/cuda/device.cuh"

#include <string.h>

/* --- norms --- */

static const size_t MOST_PARTS = 256; /* of a sum; the last block adds one in each of its threads */

/* Of network f, whose numbers begin f P behind those of the first. */
static __global__ void square_parts(size_t count, size_t P, const float *x, double *parts)
{
    __shared__ double room[CUDA_WARPS];
    double sum = 0;
    x += blockIdx.y * P;
    for (size_t i = this_thread(); i < count; i += (size_t)gridDim.x * blockDim.x)
        sum += (double)x[i] * (double)x[i];
    sum = block_sum(sum, room);
    if (threadIdx.x == 0)
        parts[blockIdx.y * gridDim.x + blockIdx.x] = sum;
}

static __global__ void add_parts(size_t count, const double *parts, double *sums)
{
    __shared__ double room[CUDA_WARPS];
    double all = block_sum(threadIdx.x < count ? parts[blockIdx.x * count + threadIdx.x] : 0, room);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = all;
}

static const struct stack alone = {1, 0};

/* sums[F]: of squares of the F32 numbers x[count] of each network. */
static void sum_squares(struct cuda *self, const struct stack *stack, size_t count, const float *x, double *sums)
{
    size_t wanted = (count + 4 * CUDA_BLOCK - 1) / (4 * CUDA_BLOCK);
    size_t parts_count = wanted < 1 ? 1 : wanted > MOST_PARTS ? MOST_PARTS : wanted;
    double *parts = (double *)cuda_scratch(self, CUDA_SCRATCH_PARTS, stack->F * MOST_PARTS * sizeof(double));
    CUDA_LAUNCH(square_parts, dim3((unsigned)parts_count, (unsigned)stack->F), CUDA_BLOCK, self->stream, count,
                stack->P, x, parts);
    CUDA_LAUNCH(add_parts, (unsigned)stack->F, CUDA_BLOCK, self->stream, parts_count, parts, sums);
}

/* A thread for each of `count` numbers of each network. */
static dim3 blocks_of_stack(const struct stack *stack, size_t count)
{
    return dim3(cuda_blocks(count).x, (unsigned)stack->F);
}

static __global__ void clip(size_t count, size_t P, struct stack_floats limits, const double *squares, float *g)
{
    size_t i = this_thread(), f = blockIdx.y;
    double limit = (double)limits.of[f], norm = sqrt(squares[f]);
    float factor = (float)(limit / norm);
    g += f * P;
    if (i < count && limit > 0 && norm > limit)
        g[i] = factor > 0 ? factor * g[i] : 0; /* of gradients without end nothing is left */
}

void cuda_stack_clip(void *self, const struct stack *stack, const float *limits, const struct tensor *g)
{
    struct cuda *cuda = cuda_of(self);
    size_t count = tensor_count(g);
    double *squares = (double *)cuda_scratch(cuda, CUDA_SCRATCH_SUMS, stack->F * sizeof(double));
    sum_squares(cuda, stack, count, (const float *)g->at, squares);
    if (count)
        CUDA_LAUNCH(clip, blocks_of_stack(stack, count), CUDA_BLOCK, cuda->stream, count, stack->P,
                    cuda_stack_floats(stack, limits), squares, (float *)g->at);
}

void cuda_clip(void *self, float limit, const struct tensor *g)
{
    cuda_stack_clip(self, &alone, &limit, g);
}

/* --- optimizers --- */

/* The arrays of a step; of LARS: sums of squares of w and of dw, of each network. */
struct arrays {
    float *w;
    const float *dw;
    float *first, *second;
    const double *ours, *gradients;
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
    double ours = sqrt(*a->ours), gradient = sqrt(*a->gradients) + (double)u->l2 * ours;
    float lr = u->lr * (ours > 0 && gradient > 0 ? (float)((double)u->trust * ours / gradient) : 1);
    float v = a->first[i] = u->momentum * a->first[i] + lr * g;
    a->w[i] -= v;
}

static __device__ inline void step_number(const struct update *u, const struct arrays *a, size_t i)
{
    float g = a->dw[i] + u->l2 * a->w[i];
    switch (u->kind) {
    case UPDATE_SGD:
        step_sgd(u, a, i, g);
        break;
    case UPDATE_ADAM:
        step_adam(u, a, i, g);
        break;
    case UPDATE_RMSPROP:
        step_rmsprop(u, a, i, g);
        break;
    case UPDATE_ADADELTA:
        step_adadelta(u, a, i, g);
        break;
    case UPDATE_LARS:
        step_lars(u, a, i, g);
        break;
    }
}

/* The constants of each network's step. */
struct updates {
    struct update of[STACK_MOST];
};
static_assert(sizeof(struct updates) + sizeof(struct arrays) + 2 * sizeof(size_t) <= 4096, "what kernels may be told");

static __device__ inline float *of_network(float *first, size_t behind)
{
    return first ? first + behind : NULL;
}

static __global__ void take_step(size_t count, size_t P, struct updates updates, struct arrays a)
{
    size_t i = this_thread(), f = blockIdx.y;
    if (i >= count)
        return;
    struct arrays own = {a.w + f * P,
                         a.dw + f * P,
                         of_network(a.first, f * P),
                         of_network(a.second, f * P),
                         a.ours ? a.ours + f : NULL,
                         a.gradients ? a.gradients + f : NULL};
    step_number(&updates.of[f], &own, i);
}

void cuda_stack_update(void *self, const struct stack *stack, const struct update *given, const struct tensor *w,
                       const struct tensor *dw, const struct tensor *first, const struct tensor *second)
{
    struct cuda *cuda = cuda_of(self);
    size_t count = tensor_count(w);
    struct arrays arrays = {(float *)w->at,
                            (const float *)dw->at,
                            first ? (float *)first->at : NULL,
                            second ? (float *)second->at : NULL,
                            NULL,
                            NULL};
    struct updates updates = {};
    memcpy(updates.of, given, stack->F * sizeof *given);
    if (given->kind == UPDATE_LARS) {
        double *norms = (double *)cuda_scratch(cuda, CUDA_SCRATCH_SUMS, 2 * stack->F * sizeof(double));
        sum_squares(cuda, stack, count, arrays.w, norms);
        sum_squares(cuda, stack, count, arrays.dw, norms + stack->F);
        arrays.ours = norms;
        arrays.gradients = norms + stack->F;
    }
    if (count)
        CUDA_LAUNCH(take_step, blocks_of_stack(stack, count), CUDA_BLOCK, cuda->stream, count, stack->P, updates,
                    arrays);
}

void cuda_update(void *self, const struct update *u, const struct tensor *w, const struct tensor *dw,
                 const struct tensor *first, const struct tensor *second)
{
    cuda_stack_update(self, &alone, u, w, dw, first, second);
}
