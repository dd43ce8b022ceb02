/* Losses; see backend.h. Shapes: B examples, C classes or O outputs. A warp has an example. */
#include "worker/backend/cuda/device.cuh"

/* The example of this warp, and its lane. */
static __device__ inline size_t this_row()
{
    return (size_t)blockIdx.x * CUDA_WARPS + threadIdx.x / CUDA_WARP;
}

static __device__ inline int this_lane()
{
    return (int)(threadIdx.x % CUDA_WARP);
}

static dim3 blocks_of_rows(size_t R)
{
    return dim3((unsigned)((R + CUDA_WARPS - 1) / CUDA_WARPS));
}

/* The place of the largest of z[C]; the first of several. Any when one is NaN. */
static __device__ inline int largest_of(const float *z, int C)
{
    float most = -INFINITY;
    int at = C; /* of a lane without any */
    for (int c = this_lane(); c < C; c += CUDA_WARP)
        if (at == C || z[c] > most) {
            most = z[c];
            at = c;
        }
    for (int mask = CUDA_WARP / 2; mask > 0; mask /= 2) {
        float other = lane_xor(most, mask);
        int place = lane_xor(at, mask);
        if (other > most || (other == most && place < at)) {
            most = other;
            at = place;
        }
    }
    return at < C ? at : 0;
}

struct softmax {
    size_t rows, B; /* of all networks, of each */
    int C;
    const float *z;
    const int32_t *labels;
    float *losses, *dz; /* dz may be NULL */
    int32_t *hits;
};

static __global__ void softmax_loss(struct softmax s, struct stack_floats smoothings)
{
    size_t n = this_row();
    if (n >= s.rows) /* the whole warp */
        return;
    float smoothing = smoothings.of[n / s.B];
    const float *z = s.z + n * (size_t)s.C;
    int top = largest_of(z, s.C), label = s.labels[n];
    float most = z[top], sum = 0, all = 0;
    for (int c = this_lane(); c < s.C; c += CUDA_WARP) {
        sum += expf(z[c] - most);
        all += z[c];
    }
    sum = warp_sum(sum);
    all = warp_sum(all);
    float even = smoothing / (float)s.C, wanted = (1 - smoothing) * z[label] + (smoothing > 0 ? even * all : 0);
    float loss = logf(sum) + most - wanted;
    for (int c = this_lane(); s.dz && c < s.C; c += CUDA_WARP)
        s.dz[n * (size_t)s.C + (size_t)c] =
            (expf(z[c] - most) / sum - even - (c == label ? 1 - smoothing : 0)) / (float)s.B;
    if (this_lane() == 0) {
        s.losses[n] = loss;
        s.hits[n] = top == label;
    }
}

void cuda_stack_softmax_loss(void *self, const struct stack *stack, const struct tensor *z, const struct tensor *labels,
                             const float *smoothing, const struct tensor *losses, const struct tensor *hits,
                             const struct tensor *dz)
{
    struct softmax s = {z->size[0],
                        z->size[0] / stack->F,
                        (int)z->size[1],
                        (const float *)z->at,
                        (const int32_t *)labels->at,
                        (float *)losses->at,
                        dz ? (float *)dz->at : NULL,
                        (int32_t *)hits->at};
    if (s.rows)
        CUDA_LAUNCH(softmax_loss, blocks_of_rows(s.rows), CUDA_BLOCK, cuda_of(self)->stream, s,
                    cuda_stack_floats(stack, smoothing));
}

void cuda_softmax_loss(void *self, const struct tensor *z, const struct tensor *labels, float smoothing,
                       const struct tensor *losses, const struct tensor *hits, const struct tensor *dz)
{
    struct stack alone = {1, 0};
    cuda_stack_softmax_loss(self, &alone, z, labels, &smoothing, losses, hits, dz);
}

static __global__ void square_loss(size_t B, size_t O, struct numbers z, struct numbers targets, float *losses,
                                   struct numbers dz)
{
    size_t n = this_row();
    if (n >= B)
        return;
    float sum = 0;
    for (size_t i = n * O + (size_t)this_lane(); i < (n + 1) * O; i += CUDA_WARP) {
        float d = get(z, i) - get(targets, i);
        sum += d * d;
        if (dz.at)
            set(dz, i, 2 * d / (float)(B * O));
    }
    sum = warp_sum(sum);
    if (this_lane() == 0)
        losses[n] = sum / (float)O;
}

void cuda_square_loss(void *self, const struct tensor *z, const struct tensor *targets, const struct tensor *losses,
                      const struct tensor *dz)
{
    size_t B = z->size[0];
    if (B)
        CUDA_LAUNCH(square_loss, blocks_of_rows(B), CUDA_BLOCK, cuda_of(self)->stream, B, tensor_width(z),
                    numbers_of(z), numbers_of(targets), (float *)losses->at, numbers_of(dz));
}
