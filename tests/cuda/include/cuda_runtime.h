/* What .cu sources need to be code of the host: the words of CUDA's C++, and how a kernel starts. A thread of a block
 * is a fiber; the shared memory of a block is memory of the thread that plays the GPU, so that its place tells it from
 * all else. See tests/cuda/fake_cuda.h. */
#ifndef GANNET_TESTS_CUDA_RUNTIME_H
#define GANNET_TESTS_CUDA_RUNTIME_H

#include "tests/cuda/include/cuda_runtime_api.h"

#ifdef __cplusplus

#include <cstring>
#include <utility>

#define __global__
#define __device__
#define __host__
#define __constant__    const
#define __shared__      static thread_local
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define warpSize 32

/* --- who a thread is --- */

struct fake_place {
    uint3 thread, block;
    dim3 threads, blocks;
};

extern fake_place fake_place_now;

#define threadIdx (fake_place_now.thread)
#define blockIdx  (fake_place_now.block)
#define blockDim  (fake_place_now.threads)
#define gridDim   (fake_place_now.blocks)

/* --- what threads say to each other --- */

extern "C" void fake_sync_block(void);
extern "C" void fake_sync_warp(unsigned mask);
/* The value of another lane: of number `lane`, or of this one's with the bits of `lane` turned. */
enum fake_exchange { FAKE_LANE_OF, FAKE_LANE_XOR };
extern "C" unsigned long long fake_exchange_lanes(enum fake_exchange kind, unsigned mask, unsigned long long value,
                                                  unsigned lane, unsigned width);

static inline void __syncthreads()
{
    fake_sync_block();
}

static inline void __syncwarp(unsigned mask = 0xffffffffu)
{
    fake_sync_warp(mask);
}

template <typename T> static inline T fake_shuffle(fake_exchange kind, unsigned mask, T value, int lane, int width)
{
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "lanes exchange numbers of 4 or 8 bytes");
    unsigned long long bits = 0;
    memcpy(&bits, &value, sizeof value);
    bits = fake_exchange_lanes(kind, mask, bits, (unsigned)lane, (unsigned)width);
    memcpy(&value, &bits, sizeof value);
    return value;
}

template <typename T> static inline T __shfl_sync(unsigned mask, T value, int lane, int width = 32)
{
    return fake_shuffle(FAKE_LANE_OF, mask, value, lane, width);
}

template <typename T> static inline T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32)
{
    return fake_shuffle(FAKE_LANE_XOR, mask, value, bits, width);
}

/* --- starting kernels --- */

/* A kernel with its arguments: what one thread does. */
struct fake_kernel {
    const char *name;
    void (*run)(const void *self);
    void (*destroy)(void *self);
    void *self;
    size_t bytes; /* of self: all that a thread may read of the host's memory */
};

extern "C" cudaError_t fake_launch(struct fake_kernel kernel, struct dim3 grid, struct dim3 block, cudaStream_t stream);

template <typename F>
cudaError_t cuda_pretend_launch(const char *name, F thread, dim3 grid, dim3 block, cudaStream_t stream)
{
    struct fake_kernel kernel = {name, [](const void *self) { (*static_cast<const F *>(self))(); },
                                 [](void *self) { delete static_cast<F *>(self); }, new F(std::move(thread)),
                                 sizeof(F)};
    return fake_launch(kernel, grid, block, stream);
}

#endif

#endif
