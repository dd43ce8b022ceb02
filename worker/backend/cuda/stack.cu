/* Several networks of one shape at once; see struct backend_stack. Products of all of them are one call of cuBLASLt,
 * and everything else one kernel, which finds a network's constants among its arguments: there is nothing to copy, so
 * that a step is still a graph. Losses are in loss.cu, clipping and optimizers in update.cu.
 *
 * Shapes: F networks with B examples each, I inputs, O outputs; weights are P numbers apart. */
#include "worker/backend/cuda/sums.cuh"

#include <string.h>

struct stack_floats cuda_stack_floats(const struct stack *stack, const float *values)
{
    struct stack_floats made = {};
    memcpy(made.of, values, stack->F * sizeof *values);
    return made;
}

/* --- dense --- */

static __global__ void finish_stack(size_t count, size_t O, size_t B, size_t P, const float *b, enum activation f,
                                    float *y)
{
    size_t i = this_thread();
    if (i < count)
        y[i] = device_value(f, y[i] + b[i / (B * O) * P + i % O]);
}

void cuda_stack_dense(void *self, const struct stack *stack, const struct tensor *x, const struct tensor *w,
                      const struct tensor *b, enum activation f, const struct tensor *y)
{
    size_t B = x->size[0] / stack->F, O = w->size[0], I = tensor_width(x);
    struct cuda_product product = {
        O, B, I, false, false, TENSOR_F32, TENSOR_F32, CUDA_AFTER_NOTHING, false, {stack->F, stack->P, B * I, B * O}};
    cuda_multiply(cuda_of(self), &product, w->at, x->at, y->at, NULL);
    CUDA_EACH(cuda_of(self), finish_stack, tensor_count(y), O, B, stack->P, (const float *)b->at, f, (float *)y->at);
}

void cuda_stack_dense_back_data(void *self, const struct stack *stack, const struct tensor *dz, const struct tensor *w,
                                const struct tensor *dx)
{
    size_t B = dz->size[0] / stack->F, O = w->size[0], I = tensor_width(dx);
    struct cuda_product product = {
        I, B, O, true, false, TENSOR_F32, TENSOR_F32, CUDA_AFTER_NOTHING, false, {stack->F, stack->P, B * O, B * I}};
    cuda_multiply(cuda_of(self), &product, w->at, dz->at, dx->at, NULL);
}

/* Column c is output c % O of network c / O. */
struct stack_column {
    size_t B, O;
    const float *dz;
    enum { COUNT = 1 };
    __device__ void add(size_t r, size_t c, size_t, double *sums) const
    {
        sums[0] += (double)dz[(c / O * B + r) * O + c % O];
    }
};

struct stack_column_sum {
    size_t O, P;
    float *db;
    __device__ void take(size_t c, const double *sums) const
    {
        db[c / O * P + c % O] = (float)sums[0];
    }
};

void cuda_stack_dense_back_weights(void *self, const struct stack *stack, const struct tensor *x,
                                   const struct tensor *dz, const struct tensor *dw, const struct tensor *db)
{
    size_t B = x->size[0] / stack->F, O = dw->size[0], I = tensor_width(x);
    struct cuda_product product = {
        I, O, B, true, true, TENSOR_F32, TENSOR_F32, CUDA_AFTER_NOTHING, false, {stack->F, B * I, B * O, stack->P}};
    cuda_multiply(cuda_of(self), &product, x->at, dz->at, dw->at, NULL);
    struct stack_column of = {B, O, (const float *)dz->at};
    struct stack_column_sum use = {O, stack->P, (float *)db->at};
    sums_over_rows(cuda_of(self), B, stack->F * O, of, use);
}

/* --- dropout --- */

struct drops {
    uint32_t bound[STACK_MOST];
    float kept[STACK_MOST];
    uint64_t stream[STACK_MOST];
};

/* A thread makes the four numbers of one draw of network blockIdx.y, which has `each` numbers. */
static __global__ void drop_stack(size_t each, struct drops drops, const float *x, float *y)
{
    size_t n = this_thread(), f = blockIdx.y;
    if (n * DRAWS >= each)
        return;
    uint64_t bits = random_word(drops.stream[f], n);
    for (size_t i = n * DRAWS; i < each && i < (n + 1) * DRAWS; i++, bits >>= 16)
        y[f * each + i] = (bits & 0xffff) < drops.bound[f] ? 0 : x[f * each + i] * drops.kept[f];
}

void cuda_stack_dropout(void *self, const struct stack *stack, const float *shares, const uint64_t *streams,
                        const struct tensor *x, const struct tensor *y)
{
    size_t each = tensor_count(x) / stack->F;
    struct drops drops = {};
    for (size_t f = 0; f < stack->F; f++) {
        drops.bound[f] = (uint32_t)lround((double)shares[f] * 65536); /* random_bound */
        drops.kept[f] = 65536.0f / (65536.0f - (float)drops.bound[f]);
        drops.stream[f] = streams[f];
    }
    if (each)
        CUDA_LAUNCH(drop_stack, dim3(cuda_blocks((each + DRAWS - 1) / DRAWS).x, (unsigned)stack->F), CUDA_BLOCK,
                    cuda_of(self)->stream, each, drops, (const float *)x->at, (float *)y->at);
}

/* --- the mean of weights --- */

static __global__ void average_stack(size_t count, size_t P, struct stack_floats decays, const float *w, float *mean)
{
    size_t i = this_thread(), f = blockIdx.y, at = f * P + i;
    float decay = decays.of[f];
    if (i < count)
        mean[at] = (1 - decay) * w[at] + (decay == 0 ? 0 : decay * mean[at]);
}

void cuda_stack_average(void *self, const struct stack *stack, const float *decays, const struct tensor *w,
                        const struct tensor *mean)
{
    size_t count = tensor_count(w);
    if (count)
        CUDA_LAUNCH(average_stack, dim3(cuda_blocks(count).x, (unsigned)stack->F), CUDA_BLOCK, cuda_of(self)->stream,
                    count, stack->P, cuda_stack_floats(stack, decays), (const float *)w->at, (float *)mean->at);
}
