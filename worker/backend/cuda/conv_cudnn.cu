/* Convolutions by cuDNN; see conv.cuh. What it answers for a shape (the first deterministic algorithm of its list that
 * has room, or that there is none) is kept. Its filters [O,K,K,I] and images [B,H,W,C] are ours: NHWC. */
#include "worker/backend/cuda/conv.cuh"

#ifdef HAVE_CUDNN

#include <cudnn.h>

#include <stdlib.h>
#include <string.h>

enum direction { FORWARD, BACK_DATA, BACK_WEIGHTS };
enum {
    MOST_SHAPES = 256,
    MOST_ALGORITHMS = 12 /* that cuDNN has for a direction */
};

/* Bytes of work that an algorithm may take. */
static const size_t MOST_WORK = (size_t)256 << 20;

/* All that decides how it is made; compared as bytes, so it is cleared first. */
struct key {
    enum direction direction;
    enum tensor_type type;
    bool coarse; /* TF32 */
    int x[4], y[4];
    int height, width, stride, padding;
};

struct plan {
    struct key key;
    bool possible;
    cudnnTensorDescriptor_t x, y;
    cudnnFilterDescriptor_t w;
    cudnnConvolutionDescriptor_t how;
    int algorithm; /* of the direction's kind */
    size_t work;
};

struct cuda_conv {
    cudnnHandle_t handle;
    struct plan *plans[MOST_SHAPES];
    size_t count;
};

static void check(cudnnStatus_t status, const char *what)
{
    if (status == CUDNN_STATUS_SUCCESS)
        return;
    cuda_fail(what, status == CUDNN_STATUS_ALLOC_FAILED ? BACKEND_GPU_FULL : cudnnGetErrorString(status));
}

/* --- plans --- */

static cudnnDataType_t type_of(enum tensor_type type)
{
    return type == TENSOR_BF16 ? CUDNN_DATA_BFLOAT16 : CUDNN_DATA_FLOAT;
}

/* What F32 is multiplied in, unless it may be coarse. */
static cudnnMathType_t math_of(const struct key *key)
{
    return key->type == TENSOR_BF16 ? CUDNN_TENSOR_OP_MATH : key->coarse ? CUDNN_DEFAULT_MATH : CUDNN_FMA_MATH;
}

static void describe_images(cudnnTensorDescriptor_t *made, cudnnDataType_t type, const int *size)
{
    check(cudnnCreateTensorDescriptor(made), "describe images");
    check(cudnnSetTensor4dDescriptor(*made, CUDNN_TENSOR_NHWC, type, size[0], size[3], size[1], size[2]),
          "describe images");
}

static void describe(struct plan *plan)
{
    const struct key *key = &plan->key;
    cudnnDataType_t type = type_of(key->type);
    describe_images(&plan->x, type, key->x);
    describe_images(&plan->y, type, key->y);
    check(cudnnCreateFilterDescriptor(&plan->w), "describe filters");
    check(cudnnSetFilter4dDescriptor(plan->w, type, CUDNN_TENSOR_NHWC, key->y[3], key->x[3], key->height, key->width),
          "describe filters");
    check(cudnnCreateConvolutionDescriptor(&plan->how), "describe a convolution");
    check(cudnnSetConvolution2dDescriptor(plan->how, key->padding, key->padding, key->stride, key->stride, 1, 1,
                                          CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT),
          "describe a convolution");
    check(cudnnSetConvolutionMathType(plan->how, math_of(key)), "describe a convolution");
}

/* Whether an answer of cuDNN's may be taken; the first one is, since they are in the order of its expected times. */
template <typename P> static bool is_fit(const struct key *key, const P *p)
{
    bool precise = key->type == TENSOR_BF16 || key->coarse || p->mathType == CUDNN_FMA_MATH;
    return p->status == CUDNN_STATUS_SUCCESS && p->determinism == CUDNN_DETERMINISTIC && p->memory <= MOST_WORK &&
           precise;
}

template <typename P> static void take_first(struct plan *plan, const P *answers, int count)
{
    for (int i = 0; i < count && !plan->possible; i++)
        if (is_fit(&plan->key, &answers[i])) {
            plan->possible = true;
            plan->algorithm = (int)answers[i].algo;
            plan->work = answers[i].memory;
            check(cudnnSetConvolutionMathType(plan->how, answers[i].mathType), "describe a convolution");
        }
}

/* A shape that it does not know at all is no error: there is another way. */
static void choose(cudnnHandle_t handle, struct plan *plan)
{
    int count = 0;
    if (plan->key.direction == FORWARD) {
        cudnnConvolutionFwdAlgoPerf_t answers[MOST_ALGORITHMS];
        if (cudnnGetConvolutionForwardAlgorithm_v7(handle, plan->x, plan->w, plan->how, plan->y, MOST_ALGORITHMS,
                                                   &count, answers) == CUDNN_STATUS_SUCCESS)
            take_first(plan, answers, count);
    } else if (plan->key.direction == BACK_DATA) {
        cudnnConvolutionBwdDataAlgoPerf_t answers[MOST_ALGORITHMS];
        if (cudnnGetConvolutionBackwardDataAlgorithm_v7(handle, plan->w, plan->y, plan->how, plan->x, MOST_ALGORITHMS,
                                                        &count, answers) == CUDNN_STATUS_SUCCESS)
            take_first(plan, answers, count);
    } else {
        cudnnConvolutionBwdFilterAlgoPerf_t answers[MOST_ALGORITHMS];
        if (cudnnGetConvolutionBackwardFilterAlgorithm_v7(handle, plan->x, plan->y, plan->how, plan->w, MOST_ALGORITHMS,
                                                          &count, answers) == CUDNN_STATUS_SUCCESS)
            take_first(plan, answers, count);
    }
}

static void free_plan(struct plan *plan)
{
    check(cudnnDestroyTensorDescriptor(plan->x), "forget images");
    check(cudnnDestroyTensorDescriptor(plan->y), "forget images");
    check(cudnnDestroyFilterDescriptor(plan->w), "forget filters");
    check(cudnnDestroyConvolutionDescriptor(plan->how), "forget a convolution");
    free(plan);
}

static struct cuda_conv *open_conv(struct cuda *self)
{
    if (self->conv)
        return self->conv;
    cuda_graph_flush(self);
    self->conv = MEM_NEW(struct cuda_conv);
    check(cudnnCreate(&self->conv->handle), "begin with cuDNN");
    check(cudnnSetStream(self->conv->handle, self->stream), "begin with cuDNN");
    return self->conv;
}

static void forget_plans(struct cuda_conv *conv)
{
    while (conv->count)
        free_plan(conv->plans[--conv->count]);
}

void cuda_conv_close(struct cuda *self)
{
    if (!self->conv)
        return;
    forget_plans(self->conv);
    check(cudnnDestroy(self->conv->handle), "end with cuDNN");
    free(self->conv);
}

static struct plan *make_plan(struct cuda *self, const struct key *key)
{
    struct cuda_conv *conv = self->conv;
    cuda_graph_flush(self);
    double begun = clock_monotonic();
    if (conv->count == MOST_SHAPES)
        forget_plans(conv);
    struct plan *plan = conv->plans[conv->count++] = MEM_NEW(struct plan);
    plan->key = *key;
    describe(plan);
    choose(conv->handle, plan);
    self->prepared += clock_monotonic() - begun;
    return plan;
}

static void take_sizes(int *sizes, const struct tensor *images)
{
    for (int i = 0; i < 4; i++)
        sizes[i] = (int)images->size[i];
}

/* The plan of a shape. A network has some twenty. */
static struct plan *find_plan(struct cuda *self, enum direction direction, const struct window *window,
                              const struct tensor *x, const struct tensor *y)
{
    struct cuda_conv *conv = open_conv(self);
    struct key key;
    memset(&key, 0, sizeof key);
    key.direction = direction;
    key.type = x->type;
    key.coarse = self->coarse && x->type == TENSOR_F32;
    take_sizes(key.x, x);
    take_sizes(key.y, y);
    key.height = (int)window->height;
    key.width = (int)window->width;
    key.stride = (int)window->stride;
    key.padding = (int)window->padding;
    for (size_t i = 0; i < conv->count; i++)
        if (memcmp(&conv->plans[i]->key, &key, sizeof key) == 0)
            return conv->plans[i];
    return make_plan(self, &key);
}

/* --- convolutions --- */

static const float one = 1, none = 0;

/* Algorithms with wide loads want 16 bytes, and cuDNN is told nothing of addresses. */
static bool is_aligned(const void *a, const void *b, const void *c)
{
    return ((uintptr_t)a | (uintptr_t)b | (uintptr_t)c) % 16 == 0;
}

bool cuda_cudnn(struct cuda *self, const struct window *window, const struct tensor *x, const struct tensor *w,
                const struct tensor *y)
{
    struct plan *plan = is_aligned(x->at, w->at, y->at) ? find_plan(self, FORWARD, window, x, y) : NULL;
    if (!plan || !plan->possible)
        return false;
    void *work = cuda_scratch(self, CUDA_SCRATCH_CONV, plan->work);
    check(cudnnConvolutionForward(self->conv->handle, &one, plan->x, x->at, plan->w, w->at, plan->how,
                                  (cudnnConvolutionFwdAlgo_t)plan->algorithm, work, plan->work, &none, plan->y, y->at),
          "convolve");
    return true;
}

bool cuda_cudnn_back_data(struct cuda *self, const struct window *window, const struct tensor *dz,
                          const struct tensor *w, const struct tensor *dx)
{
    struct plan *plan = is_aligned(dz->at, w->at, dx->at) ? find_plan(self, BACK_DATA, window, dx, dz) : NULL;
    if (!plan || !plan->possible)
        return false;
    void *work = cuda_scratch(self, CUDA_SCRATCH_CONV, plan->work);
    check(cudnnConvolutionBackwardData(self->conv->handle, &one, plan->w, w->at, plan->y, dz->at, plan->how,
                                       (cudnnConvolutionBwdDataAlgo_t)plan->algorithm, work, plan->work, &none, plan->x,
                                       dx->at),
          "convolve back");
    return true;
}

/* Gradients of BF16 are rounded to it once, and then F32 again: its algorithms have no other result. */
bool cuda_cudnn_back_weights(struct cuda *self, const struct window *window, const struct tensor *x,
                             const struct tensor *dz, const struct tensor *dw)
{
    struct plan *plan = is_aligned(x->at, dz->at, dw->at) ? find_plan(self, BACK_WEIGHTS, window, x, dz) : NULL;
    struct tensor made = *dw;
    if (!plan || !plan->possible)
        return false;
    made.type = x->type;
    if (made.type != dw->type)
        made.at = cuda_scratch(self, CUDA_SCRATCH_NARROW, tensor_bytes(&made));
    void *work = cuda_scratch(self, CUDA_SCRATCH_CONV, plan->work);
    check(cudnnConvolutionBackwardFilter(self->conv->handle, &one, plan->x, x->at, plan->y, dz->at, plan->how,
                                         (cudnnConvolutionBwdFilterAlgo_t)plan->algorithm, work, plan->work, &none,
                                         plan->w, made.at),
          "convolve back");
    if (made.type != dw->type)
        cuda_cast(self, &made, dw);
    return true;
}

#else

void cuda_conv_close(struct cuda *self)
{
    (void)self;
}

bool cuda_cudnn(struct cuda *, const struct window *, const struct tensor *, const struct tensor *,
                const struct tensor *)
{
    return false;
}

bool cuda_cudnn_back_data(struct cuda *, const struct window *, const struct tensor *, const struct tensor *,
                          const struct tensor *)
{
    return false;
}

bool cuda_cudnn_back_weights(struct cuda *, const struct window *, const struct tensor *, const struct tensor *,
                             const struct tensor *)
{
    return false;
}

#endif
