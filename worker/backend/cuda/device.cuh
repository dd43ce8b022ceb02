/* What kernels share on the device. Numbers of a tensor are read and written as floats, whatever their type. */
#ifndef GANNET_WORKER_BACKEND_CUDA_DEVICE_CUH
#define GANNET_WORKER_BACKEND_CUDA_DEVICE_CUH

#include "worker/backend/cuda/launch.cuh"

#include <math.h>

/* The place of this thread among all that CUDA_EACH has started. */
static __device__ inline size_t this_thread()
{
    return (size_t)blockIdx.x * blockDim.x + threadIdx.x;
}

/* --- numbers --- */

/* F32 or BF16 in memory of the device. */
struct numbers {
    void *at; /* NULL: there are none */
    bool narrow;
};

static inline struct numbers numbers_of(const struct tensor *tensor)
{
    struct numbers none = {NULL, false};
    if (!tensor)
        return none;
    struct numbers numbers = {tensor->at, tensor->type == TENSOR_BF16};
    return numbers;
}

union float_bits {
    float number;
    uint32_t bits;
};

static __device__ inline float widen(uint16_t value)
{
    union float_bits as;
    as.bits = (uint32_t)value << 16;
    return as.number;
}

/* Rounds to nearest, ties to even, as tensor_to_bf16 does. */
static __device__ inline uint16_t narrow(float number)
{
    union float_bits as;
    as.number = number;
    if (number != number)
        return (uint16_t)(as.bits >> 16 | 0x40);
    return (uint16_t)((as.bits + 0x7fff + (as.bits >> 16 & 1)) >> 16);
}

static __device__ inline float get(struct numbers numbers, size_t i)
{
    return numbers.narrow ? widen(((const uint16_t *)numbers.at)[i]) : ((const float *)numbers.at)[i];
}

static __device__ inline void set(struct numbers numbers, size_t i, float value)
{
    if (numbers.narrow)
        ((uint16_t *)numbers.at)[i] = narrow(value);
    else
        ((float *)numbers.at)[i] = value;
}

/* --- what threads say to each other --- */

/* The value of the lane whose number differs in the bits of `mask`; all 32 lanes of a warp call it. */
template <typename T> static __device__ inline T lane_xor(T value, int mask)
{
    return __shfl_xor_sync(0xffffffffu, value, mask);
}

/* The sum, the largest, of the 32 values of a warp, for each of its lanes; in an order that is always the same. */
template <typename T> static __device__ inline T warp_sum(T value)
{
    for (int mask = CUDA_WARP / 2; mask > 0; mask /= 2)
        value += lane_xor(value, mask);
    return value;
}

static __device__ inline float warp_largest(float value)
{
    for (int mask = CUDA_WARP / 2; mask > 0; mask /= 2)
        value = fmaxf(value, lane_xor(value, mask));
    return value;
}

/* The sum over a block of CUDA_BLOCK threads, for each of them; all call it. `room` is in shared memory, and free again
 * behind the next __syncthreads. */
enum { CUDA_WARPS = CUDA_BLOCK / CUDA_WARP };
static __device__ inline double block_sum(double value, double *room)
{
    value = warp_sum(value);
    if (threadIdx.x % CUDA_WARP == 0)
        room[threadIdx.x / CUDA_WARP] = value;
    __syncthreads();
    double sum = 0;
    for (int i = 0; i < CUDA_WARPS; i++)
        sum += room[i];
    return sum;
}

/* --- random bits: those of random.h --- */

enum { DRAWS = 4 }; /* numbers of 16 bits in one of 64 */

static __device__ inline uint64_t random_word(uint64_t stream, uint64_t i)
{
    uint64_t z = stream + (i + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Number n of a stream: 16 bits. */
static __device__ inline uint32_t random_number(uint64_t stream, size_t n)
{
    return (uint32_t)(random_word(stream, n / DRAWS) >> 16 * (n % DRAWS)) & 0xffff;
}

/* --- activations: those of ref_activation.c --- */

static __device__ inline float device_sigmoid(float z)
{
    return 1 / (1 + expf(-z));
}

static __device__ inline float device_value(enum activation f, float z)
{
    switch (f) {
    case ACTIVATION_RELU:
        return z > 0 ? z : 0;
    case ACTIVATION_TANH:
        return tanhf(z);
    case ACTIVATION_SIGMOID:
        return device_sigmoid(z);
    case ACTIVATION_GELU:
        return z / 2 * (1 + erff(z * 0.70710678f));
    default:
        return z;
    }
}

static __device__ inline float device_slope(enum activation f, float kept)
{
    switch (f) {
    case ACTIVATION_RELU:
        return kept > 0 ? 1.0f : 0.0f;
    case ACTIVATION_TANH:
        return 1 - kept * kept;
    case ACTIVATION_SIGMOID:
        return kept * (1 - kept);
    case ACTIVATION_GELU:
        return (1 + erff(kept * 0.70710678f)) / 2 + kept * expf(-kept * kept / 2) * 0.39894228f;
    default:
        return 1;
    }
}

#endif
