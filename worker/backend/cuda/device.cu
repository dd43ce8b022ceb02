/* The GPU: found, taken and given back; see cuda.cuh. Which one it is was decided by who started the process, in
 * CUDA_VISIBLE_DEVICES: of those that are visible it is the first. */
#include "worker/backend/cuda/cuda.cuh"

#include "common/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void cuda_fail(const char *what, const char *why)
{
    fprintf(stderr, "gannet: the GPU can't %s: %s\n", what, why);
    abort();
}

void cuda_check(cudaError_t status, const char *what)
{
    if (status == cudaErrorMemoryAllocation) /* the words that make it the ending gpu_out_of_memory */
        cuda_fail(what, BACKEND_GPU_FULL);
    if (status != cudaSuccess)
        cuda_fail(what, cudaGetErrorString(status));
}

/* Why there is none. CUDA says the same of no driver and of one that is too old. */
static const char *why_none(cudaError_t status)
{
    return status == cudaSuccess || status == cudaErrorNoDevice
               ? "the driver has none for it (CUDA_VISIBLE_DEVICES decides which it may see)"
           : status == cudaErrorInsufficientDriver
               ? "there is no driver of NVIDIA's, or one that is older than the CUDA that this was built with"
               : cudaGetErrorString(status);
}

static int find_gpu(struct err *err)
{
    int count = 0;
    cudaError_t status = cudaGetDeviceCount(&count);
    if (status == cudaSuccess && count > 0)
        return 0;
    return err_set(err, "backend cuda finds no GPU: %s; gannet-trainer, without -cuda, needs none", why_none(status));
}

/* Of what is compiled for newer ones nothing runs on it, or of older ones. */
static int check_architecture(struct err *err)
{
    int major = 0, minor = 0;
    cuda_check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0), "say its architecture");
    cuda_check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0), "say its architecture");
    if (10 * major + minor >= CUDA_LEAST_ARCH)
        return 0;
    return err_set(err,
                   "this GPU is of architecture sm_%d%d, and gannet-trainer-cuda was built for sm_%d and later (make "
                   "CUDA_ARCH=%d%d builds it for this one)",
                   major, minor, CUDA_LEAST_ARCH, major, minor);
}

/* What a person who measures may ask for: NAME=VALUE in the environment. */
static bool is_set(const char *name, const char *value)
{
    const char *given = getenv(name);
    return given && strcmp(given, value) == 0;
}

int cuda_create(void **self, struct err *err)
{
    if (find_gpu(err) || check_architecture(err))
        return -1;
    cudaError_t status = cudaSetDevice(0);
    if (status != cudaSuccess)
        return err_set(err, "backend cuda can't use its GPU: %s", cudaGetErrorString(status));
    struct cuda *made = MEM_NEW(struct cuda);
    made->one_by_one = is_set("GANNET_CUDA_GRAPHS", "off");
    cuda_check(cudaStreamCreateWithFlags(&made->stream, cudaStreamNonBlocking), "make a stream");
    *self = made;
    return 0;
}

void cuda_destroy(void *self)
{
    if (!self)
        return;
    struct cuda *cuda = cuda_of(self);
    cuda_wait(cuda);
    cuda_graph_close(cuda);
    cuda_matmul_close(cuda);
    cuda_conv_close(cuda);
    cuda_memory_close(cuda);
    cuda_check(cudaStreamDestroy(cuda->stream), "end a stream");
    free(cuda);
}

int cuda_takes(void *self, enum tensor_type type, struct err *err)
{
    (void)self;
    (void)type;
    (void)err;
    return 0; /* from sm_80 on by the tensor cores, before it more slowly */
}

void cuda_coarse(void *self, bool may)
{
    cuda_of(self)->coarse = may;
}

double cuda_prepared(void *self)
{
    return cuda_of(self)->prepared;
}
