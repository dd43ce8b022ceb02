/* Convolutions as plain loops, behind the descriptors of cuDNN's legacy functions. Of its algorithms the first is never
 * deterministic, one is of other precision than was asked for, one is not there, and the last one is what is wanted; of
 * some shapes there is none at all. See fake.hh. */
#include "tests/cuda/fake.hh"
#include "tests/cuda/include/cudnn.h"

#include <cstring>

using namespace fake;

enum { INTERNAL = CUDNN_STATUS_INTERNAL_ERROR, FAILED = CUDNN_STATUS_EXECUTION_FAILED, WORK = 8192 };

struct cudnnContext {
    cudaStream_t stream;
};

/* Images [n,h,w,c], filters [k,h,w,c]. */
struct shape {
    bool is_set;
    cudnnDataType_t type;
    size_t size[4];

    size_t count() const
    {
        return size[0] * size[1] * size[2] * size[3];
    }
    size_t bytes() const
    {
        return count() * (type == CUDNN_DATA_FLOAT ? 4 : 2);
    }
};

struct cudnnTensorStruct {
    shape of;
};

struct cudnnFilterStruct {
    shape of;
};

struct window {
    size_t padding[2], stride[2];
    cudnnMathType_t math;
};

struct cudnnConvolutionStruct {
    bool is_set;
    window of;
};

/* What a function of cuDNN does, unless it is this call's turn to fail. */
template <typename D> static cudnnStatus_t called(const char *name, int usual, const D &what)
{
    std::lock_guard<std::recursive_mutex> guard(entrance);
    if (int code = enter(name, usual))
        return (cudnnStatus_t)code;
    return what();
}

/* --- handles and descriptors --- */

template <typename T> static cudnnStatus_t create(T **out, const char *kind, const char *name)
{
    return called(name, INTERNAL, [&] {
        *out = new T{};
        thing_made(*out, kind);
        return CUDNN_STATUS_SUCCESS;
    });
}

template <typename T> static cudnnStatus_t destroy(T *thing, const char *kind, const char *name)
{
    return called(name, INTERNAL, [&] {
        thing_gone(thing, kind);
        delete thing;
        return CUDNN_STATUS_SUCCESS;
    });
}

#define HANDLE      "handle of cuDNN"
#define IMAGES      "descriptor of images"
#define FILTERS     "descriptor of filters"
#define CONVOLUTION "descriptor of a convolution"

cudnnStatus_t cudnnCreate(cudnnHandle_t *handle)
{
    return create(handle, HANDLE, "cudnnCreate");
}

cudnnStatus_t cudnnDestroy(cudnnHandle_t handle)
{
    return destroy(handle, HANDLE, "cudnnDestroy");
}

cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t streamId)
{
    return called("cudnnSetStream", INTERNAL, [&] {
        thing_check(handle, HANDLE);
        handle->stream = streamId;
        return CUDNN_STATUS_SUCCESS;
    });
}

const char *cudnnGetErrorString(cudnnStatus_t status)
{
    switch (status) {
    case CUDNN_STATUS_SUCCESS:
        return "CUDNN_STATUS_SUCCESS";
    case CUDNN_STATUS_BAD_PARAM:
        return "CUDNN_STATUS_BAD_PARAM";
    case CUDNN_STATUS_NOT_SUPPORTED:
        return "CUDNN_STATUS_NOT_SUPPORTED";
    case CUDNN_STATUS_INTERNAL_ERROR:
        return "CUDNN_STATUS_INTERNAL_ERROR";
    case CUDNN_STATUS_EXECUTION_FAILED:
        return "CUDNN_STATUS_EXECUTION_FAILED";
    default:
        return "CUDNN_UNKNOWN_STATUS";
    }
}

cudnnStatus_t cudnnCreateTensorDescriptor(cudnnTensorDescriptor_t *tensorDesc)
{
    return create(tensorDesc, IMAGES, "cudnnCreateTensorDescriptor");
}

cudnnStatus_t cudnnDestroyTensorDescriptor(cudnnTensorDescriptor_t tensorDesc)
{
    return destroy(tensorDesc, IMAGES, "cudnnDestroyTensorDescriptor");
}

cudnnStatus_t cudnnCreateFilterDescriptor(cudnnFilterDescriptor_t *filterDesc)
{
    return create(filterDesc, FILTERS, "cudnnCreateFilterDescriptor");
}

cudnnStatus_t cudnnDestroyFilterDescriptor(cudnnFilterDescriptor_t filterDesc)
{
    return destroy(filterDesc, FILTERS, "cudnnDestroyFilterDescriptor");
}

cudnnStatus_t cudnnCreateConvolutionDescriptor(cudnnConvolutionDescriptor_t *convDesc)
{
    return create(convDesc, CONVOLUTION, "cudnnCreateConvolutionDescriptor");
}

cudnnStatus_t cudnnDestroyConvolutionDescriptor(cudnnConvolutionDescriptor_t convDesc)
{
    return destroy(convDesc, CONVOLUTION, "cudnnDestroyConvolutionDescriptor");
}

/* cuDNN counts the numbers of a tensor in 32 bits. */
static cudnnStatus_t set_shape(shape *out, cudnnTensorFormat_t format, cudnnDataType_t type, const int *size)
{
    double count = 1;
    if (format != CUDNN_TENSOR_NHWC || (type != CUDNN_DATA_FLOAT && type != CUDNN_DATA_BFLOAT16))
        return CUDNN_STATUS_BAD_PARAM;
    for (int i = 0; i < 4; i++) {
        if (size[i] <= 0)
            return CUDNN_STATUS_BAD_PARAM;
        count *= size[i];
        out->size[i] = (size_t)size[i];
    }
    if (count >= 2147483648.0)
        return CUDNN_STATUS_NOT_SUPPORTED;
    out->type = type;
    out->is_set = true;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetTensor4dDescriptor(cudnnTensorDescriptor_t tensorDesc, cudnnTensorFormat_t format,
                                         cudnnDataType_t dataType, int n, int c, int h, int w)
{
    const int size[4] = {n, h, w, c};
    return called("cudnnSetTensor4dDescriptor", INTERNAL, [&] {
        thing_check(tensorDesc, IMAGES);
        return set_shape(&tensorDesc->of, format, dataType, size);
    });
}

cudnnStatus_t cudnnSetFilter4dDescriptor(cudnnFilterDescriptor_t filterDesc, cudnnDataType_t dataType,
                                         cudnnTensorFormat_t format, int k, int c, int h, int w)
{
    const int size[4] = {k, h, w, c};
    return called("cudnnSetFilter4dDescriptor", INTERNAL, [&] {
        thing_check(filterDesc, FILTERS);
        return set_shape(&filterDesc->of, format, dataType, size);
    });
}

cudnnStatus_t cudnnSetConvolution2dDescriptor(cudnnConvolutionDescriptor_t convDesc, int pad_h, int pad_w, int u, int v,
                                              int dilation_h, int dilation_w, cudnnConvolutionMode_t mode,
                                              cudnnDataType_t computeType)
{
    return called("cudnnSetConvolution2dDescriptor", INTERNAL, [&] {
        thing_check(convDesc, CONVOLUTION);
        if (pad_h < 0 || pad_w < 0 || u <= 0 || v <= 0 || dilation_h != 1 || dilation_w != 1 ||
            mode != CUDNN_CROSS_CORRELATION || computeType != CUDNN_DATA_FLOAT)
            return CUDNN_STATUS_BAD_PARAM;
        convDesc->of = {{(size_t)pad_h, (size_t)pad_w}, {(size_t)u, (size_t)v}, CUDNN_DEFAULT_MATH};
        convDesc->is_set = true;
        return CUDNN_STATUS_SUCCESS;
    });
}

cudnnStatus_t cudnnSetConvolutionMathType(cudnnConvolutionDescriptor_t convDesc, cudnnMathType_t mathType)
{
    return called("cudnnSetConvolutionMathType", INTERNAL, [&] {
        thing_check(convDesc, CONVOLUTION);
        convDesc->of.math = mathType;
        return CUDNN_STATUS_SUCCESS;
    });
}

/* --- algorithms --- */

/* x with filters w makes y. */
struct problem {
    shape x, w, y;
    window how;
};

static problem problem_of(cudnnHandle_t handle, cudnnTensorDescriptor_t x, cudnnFilterDescriptor_t w,
                          cudnnTensorDescriptor_t y, cudnnConvolutionDescriptor_t how)
{
    thing_check(handle, HANDLE);
    thing_check(x, IMAGES);
    thing_check(y, IMAGES);
    thing_check(w, FILTERS);
    thing_check(how, CONVOLUTION);
    return {x->of, w->of, y->of, how->of};
}

static bool fits(const problem &p)
{
    if (!p.x.is_set || !p.w.is_set || !p.y.is_set || p.x.type != p.w.type || p.x.type != p.y.type)
        return false;
    for (int i = 1; i < 3; i++) {
        size_t reach = p.x.size[i] + 2 * p.how.padding[i - 1];
        if (reach < p.w.size[i] || p.y.size[i] != (reach - p.w.size[i]) / p.how.stride[i - 1] + 1)
            return false;
    }
    return p.x.size[0] == p.y.size[0] && p.x.size[3] == p.w.size[3] && p.y.size[3] == p.w.size[0];
}

/* Some that a search meets, and none that all tests of a shape have in common. */
static bool is_unknown(const problem &p)
{
    return p.x.type == CUDNN_DATA_BFLOAT16 && p.x.size[3] % 2;
}

static size_t work_of(const problem &p)
{
    return p.w.size[1] * p.w.size[2] > 1 ? (size_t)WORK : 0;
}

template <typename P>
static cudnnStatus_t answer(const problem &p, int careless, int other, int good, int most, int *count, P *out)
{
    *count = 0;
    if (!fits(p) || most <= 0)
        return CUDNN_STATUS_BAD_PARAM;
    if (is_unknown(p))
        return CUDNN_STATUS_NOT_SUPPORTED;
    bool narrow = p.x.type == CUDNN_DATA_BFLOAT16;
    cudnnMathType_t fitting = narrow ? CUDNN_TENSOR_OP_MATH : CUDNN_FMA_MATH;
    typedef decltype(out->algo) A;
    const P answers[] = {
        {(A)careless, CUDNN_STATUS_SUCCESS, 1, 0, CUDNN_NON_DETERMINISTIC, fitting, {}},
        {(A)good, CUDNN_STATUS_SUCCESS, 2, (size_t)1 << 40, CUDNN_DETERMINISTIC, fitting, {}},
        {(A)good, CUDNN_STATUS_SUCCESS, 3, work_of(p), CUDNN_DETERMINISTIC, CUDNN_DEFAULT_MATH, {}},
        {(A)other, CUDNN_STATUS_NOT_SUPPORTED, -1, 0, CUDNN_DETERMINISTIC, fitting, {}},
        {(A)good, CUDNN_STATUS_SUCCESS, 4, work_of(p), CUDNN_DETERMINISTIC, fitting, {}},
    };
    for (const P &each : answers)
        if (*count < most)
            out[(*count)++] = each;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetConvolutionForwardAlgorithm_v7(cudnnHandle_t handle, const cudnnTensorDescriptor_t srcDesc,
                                                     const cudnnFilterDescriptor_t filterDesc,
                                                     const cudnnConvolutionDescriptor_t convDesc,
                                                     const cudnnTensorDescriptor_t destDesc,
                                                     const int requestedAlgoCount, int *returnedAlgoCount,
                                                     cudnnConvolutionFwdAlgoPerf_t *perfResults)
{
    return called("cudnnGetConvolutionForwardAlgorithm_v7", INTERNAL, [&] {
        return answer(problem_of(handle, srcDesc, filterDesc, destDesc, convDesc),
                      CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM, CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD_NONFUSED,
                      CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM, requestedAlgoCount, returnedAlgoCount,
                      perfResults);
    });
}

cudnnStatus_t cudnnGetConvolutionBackwardDataAlgorithm_v7(
    cudnnHandle_t handle, const cudnnFilterDescriptor_t filterDesc, const cudnnTensorDescriptor_t diffDesc,
    const cudnnConvolutionDescriptor_t convDesc, const cudnnTensorDescriptor_t gradDesc, const int requestedAlgoCount,
    int *returnedAlgoCount, cudnnConvolutionBwdDataAlgoPerf_t *perfResults)
{
    return called("cudnnGetConvolutionBackwardDataAlgorithm_v7", INTERNAL, [&] {
        return answer(problem_of(handle, gradDesc, filterDesc, diffDesc, convDesc), CUDNN_CONVOLUTION_BWD_DATA_ALGO_0,
                      CUDNN_CONVOLUTION_BWD_DATA_ALGO_WINOGRAD_NONFUSED, CUDNN_CONVOLUTION_BWD_DATA_ALGO_1,
                      requestedAlgoCount, returnedAlgoCount, perfResults);
    });
}

cudnnStatus_t cudnnGetConvolutionBackwardFilterAlgorithm_v7(cudnnHandle_t handle, const cudnnTensorDescriptor_t srcDesc,
                                                            const cudnnTensorDescriptor_t diffDesc,
                                                            const cudnnConvolutionDescriptor_t convDesc,
                                                            const cudnnFilterDescriptor_t gradDesc,
                                                            const int requestedAlgoCount, int *returnedAlgoCount,
                                                            cudnnConvolutionBwdFilterAlgoPerf_t *perfResults)
{
    return called("cudnnGetConvolutionBackwardFilterAlgorithm_v7", INTERNAL, [&] {
        return answer(problem_of(handle, srcDesc, gradDesc, diffDesc, convDesc), CUDNN_CONVOLUTION_BWD_FILTER_ALGO_0,
                      CUDNN_CONVOLUTION_BWD_FILTER_ALGO_3, CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1, requestedAlgoCount,
                      returnedAlgoCount, perfResults);
    });
}

/* --- convolutions --- */

enum direction { FORWARD, BACK_DATA, BACK_FILTER };

struct call {
    direction which;
    problem p;
    float alpha, beta;
    const void *x, *w, *y; /* one of which is made */
    void *work;
};

static float number_at(const void *at, const shape &of, size_t i)
{
    if (of.type == CUDNN_DATA_FLOAT)
        return ((const float *)at)[i];
    uint32_t bits = (uint32_t)((const uint16_t *)at)[i] << 16;
    float number;
    return memcpy(&number, &bits, sizeof number), number;
}

static void put_number(void *at, const shape &of, size_t i, float number)
{
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    if (of.type == CUDNN_DATA_FLOAT)
        ((float *)at)[i] = number;
    else
        ((uint16_t *)at)[i] =
            (uint16_t)(number != number ? bits >> 16 | 0x40 : (bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* Calls DO(number of x, of w, of y) for every product that there is. */
template <typename D> static void walk(const problem &p, const D &each)
{
    const size_t *x = p.x.size, *w = p.w.size, *y = p.y.size;
    for (size_t n = 0; n < y[0]; n++)
        for (size_t row = 0; row < y[1]; row++)
            for (size_t column = 0; column < y[2]; column++)
                for (size_t k = 0; k < w[1] * w[2]; k++) {
                    size_t h = row * p.how.stride[0] + k / w[2], v = column * p.how.stride[1] + k % w[2];
                    if (h < p.how.padding[0] || v < p.how.padding[1] || h - p.how.padding[0] >= x[1] ||
                        v - p.how.padding[1] >= x[2])
                        continue;
                    size_t from = ((n * x[1] + h - p.how.padding[0]) * x[2] + v - p.how.padding[1]) * x[3],
                           to = ((n * y[1] + row) * y[2] + column) * y[3];
                    for (size_t o = 0; o < y[3]; o++)
                        for (size_t i = 0; i < x[3]; i++)
                            each(from + i, (o * w[1] * w[2] + k) * x[3] + i, to + o);
                }
}

static void convolve(const call &of)
{
    const problem &p = of.p;
    const shape shapes[3] = {p.x, p.w, p.y};
    const void *at[3] = {of.x, of.w, of.y};
    const int made = of.which == FORWARD ? 2 : of.which == BACK_DATA ? 0 : 1;
    for (int i = 0; i < 3; i++)
        touch(at[i], shapes[i].bytes(), i == made ? WRITE : READ);
    if (work_of(p)) {
        touch(of.work, work_of(p), WRITE);
        memset(of.work, 0x7f, work_of(p));
    }
    std::vector<float> numbers[3];
    for (int i = 0; i < 3; i++) {
        numbers[i].resize(shapes[i].count());
        for (size_t k = 0; i != made && k < shapes[i].count(); k++)
            numbers[i][k] = number_at(at[i], shapes[i], k);
    }
    std::vector<float> &x = numbers[0], &w = numbers[1], &y = numbers[2];
    if (of.which == FORWARD)
        walk(p, [&](size_t i, size_t k, size_t o) { y[o] += x[i] * w[k]; });
    else if (of.which == BACK_DATA)
        walk(p, [&](size_t i, size_t k, size_t o) { x[i] += y[o] * w[k]; });
    else
        walk(p, [&](size_t i, size_t k, size_t o) { w[k] += x[i] * y[o]; });
    for (size_t k = 0; k < shapes[made].count(); k++)
        put_number((void *)at[made], shapes[made], k, of.alpha * numbers[made][k]);
}

static float number(const void *at)
{
    return *(const float *)at;
}

static cudnnStatus_t start(cudnnHandle_t handle, const call &of, bool known, size_t room)
{
    const void *at[] = {of.x, of.w, of.y};
    bool narrow = of.p.x.type == CUDNN_DATA_BFLOAT16, fma = of.p.how.math == CUDNN_FMA_MATH;
    if (!fits(of.p) || of.beta != 0)
        return CUDNN_STATUS_BAD_PARAM;
    if (is_unknown(of.p) || !known || (narrow && fma))
        return CUDNN_STATUS_NOT_SUPPORTED;
    if (room < work_of(of.p) || (work_of(of.p) && !of.work))
        return CUDNN_STATUS_BAD_PARAM;
    for (const void *each : at)
        if ((uintptr_t)each % 16)
            broken("cuDNN is given numbers at %p, and wide loads need multiples of 16", each);
    cudaError_t status = add_work(handle->stream, "cuDNN's convolution", [of] { convolve(of); });
    return status == cudaSuccess ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_EXECUTION_FAILED;
}

cudnnStatus_t cudnnConvolutionForward(cudnnHandle_t handle, const void *alpha, const cudnnTensorDescriptor_t xDesc,
                                      const void *x, const cudnnFilterDescriptor_t wDesc, const void *w,
                                      const cudnnConvolutionDescriptor_t convDesc, cudnnConvolutionFwdAlgo_t algo,
                                      void *workSpace, size_t workSpaceSizeInBytes, const void *beta,
                                      const cudnnTensorDescriptor_t yDesc, void *y)
{
    return called("cudnnConvolutionForward", FAILED, [&] {
        return start(handle,
                     {FORWARD, problem_of(handle, xDesc, wDesc, yDesc, convDesc), number(alpha), number(beta), x, w, y,
                      workSpace},
                     algo == CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM, workSpaceSizeInBytes);
    });
}

cudnnStatus_t cudnnConvolutionBackwardData(cudnnHandle_t handle, const void *alpha, const cudnnFilterDescriptor_t wDesc,
                                           const void *w, const cudnnTensorDescriptor_t dyDesc, const void *dy,
                                           const cudnnConvolutionDescriptor_t convDesc,
                                           cudnnConvolutionBwdDataAlgo_t algo, void *workSpace,
                                           size_t workSpaceSizeInBytes, const void *beta,
                                           const cudnnTensorDescriptor_t dxDesc, void *dx)
{
    return called("cudnnConvolutionBackwardData", FAILED, [&] {
        return start(handle,
                     {BACK_DATA, problem_of(handle, dxDesc, wDesc, dyDesc, convDesc), number(alpha), number(beta), dx,
                      w, dy, workSpace},
                     algo == CUDNN_CONVOLUTION_BWD_DATA_ALGO_1, workSpaceSizeInBytes);
    });
}

cudnnStatus_t cudnnConvolutionBackwardFilter(cudnnHandle_t handle, const void *alpha,
                                             const cudnnTensorDescriptor_t xDesc, const void *x,
                                             const cudnnTensorDescriptor_t dyDesc, const void *dy,
                                             const cudnnConvolutionDescriptor_t convDesc,
                                             cudnnConvolutionBwdFilterAlgo_t algo, void *workSpace,
                                             size_t workSpaceSizeInBytes, const void *beta,
                                             const cudnnFilterDescriptor_t dwDesc, void *dw)
{
    return called("cudnnConvolutionBackwardFilter", FAILED, [&] {
        return start(handle,
                     {BACK_FILTER, problem_of(handle, xDesc, dwDesc, dyDesc, convDesc), number(alpha), number(beta), x,
                      dw, dy, workSpace},
                     algo == CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1, workSpaceSizeInBytes);
    });
}
