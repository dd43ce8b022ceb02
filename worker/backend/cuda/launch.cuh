/* The one way to start a kernel: under nvcc on the GPU, else in the pretended CUDA (docs/cuda.md). */
#ifndef GANNET_WORKER_BACKEND_CUDA_LAUNCH_CUH
#define GANNET_WORKER_BACKEND_CUDA_LAUNCH_CUH

#include "worker/backend/cuda/cuda.cuh"

/* Takes the addresses of values that have the types of the kernel's parameters. */
template <typename... P>
static inline void launch_with(const char *name, void (*kernel)(P...), dim3 grid, dim3 block, cudaStream_t stream,
                               P... values)
{
#ifdef __CUDACC__
    void *at[] = {(void *)&values...};
    cuda_check(cudaLaunchKernel((const void *)kernel, grid, block, at, 0, stream), name);
#else
    cuda_check(cuda_pretend_launch(
                   name, [=] { kernel(values...); }, grid, block, stream),
               name);
#endif
}

template <typename... P, typename... A>
static inline void launch_kernel(const char *name, void (*kernel)(P...), dim3 grid, dim3 block, cudaStream_t stream,
                                 A... given)
{
    launch_with<P...>(name, kernel, grid, block, stream, static_cast<P>(given)...);
}

#define CUDA_LAUNCH(kernel, grid, block, stream, ...)                                                                  \
    launch_kernel("run " #kernel, kernel, grid, block, stream, __VA_ARGS__)

/* kernel(count, arguments...) with a thread for each of `count`; none: nothing is started. */
#define CUDA_EACH(self, kernel, count, ...)                                                                            \
    do {                                                                                                               \
        size_t each = (count);                                                                                         \
        if (each > 0)                                                                                                  \
            CUDA_LAUNCH(kernel, cuda_blocks(each), CUDA_BLOCK, (self)->stream, each, __VA_ARGS__);                     \
    } while (0)

#endif
