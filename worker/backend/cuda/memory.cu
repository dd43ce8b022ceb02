/* Memory of the device, and copies; see backend.h.
 *
 * A network's memory is a few pieces that are allocated before its first step, so they are the driver's own. What comes
 * from the host goes through a ring of pinned pieces: the host fills one while the device reads another, and waits only
 * when all are under way. Scratch grows; what it has outgrown is kept until the end, since work on it may be under
 * way. */
#include "worker/backend/cuda/cuda.cuh"

#include "common/mem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { PIECES = 4 };
static const size_t PIECE = 4 << 20; /* bytes: PCIe's full speed from about 1 MiB on */

struct cuda_staging {
    void *at[PIECES];
    cudaEvent_t read[PIECES]; /* when the device has read it */
    int next;
};

/* An array that was shared. */
struct shared {
    void *at;
    bool pinned; /* on the host, where the device reads it over its bus */
};

struct cuda_shared {
    struct shared *arrays;
    size_t count, capacity;
};

/* --- pinned memory --- */

static struct cuda_staging *open_staging(struct cuda *self)
{
    if (self->staging)
        return self->staging;
    self->staging = MEM_NEW(struct cuda_staging);
    for (int i = 0; i < PIECES; i++) {
        cuda_check(cudaMallocHost(&self->staging->at[i], PIECE), "pin memory");
        cuda_check(cudaEventCreateWithFlags(&self->staging->read[i], cudaEventDisableTiming), "make an event");
    }
    return self->staging;
}

/* A piece of the ring that the device has read, which is `read` when it has again. */
static void *take_piece(struct cuda_staging *staging, cudaEvent_t *read)
{
    int i = staging->next;
    staging->next = (i + 1) % PIECES;
    *read = staging->read[i];
    cuda_check(cudaEventSynchronize(*read), "read what was copied to it");
    return staging->at[i];
}

static void copy_in(struct cuda *self, const void *host, void *to, size_t bytes)
{
    cuda_graph_flush(self);
    for (size_t at = 0, some; at < bytes; at += some) {
        cudaEvent_t read;
        void *piece = take_piece(open_staging(self), &read);
        some = bytes - at < PIECE ? bytes - at : PIECE;
        memcpy(piece, (const char *)host + at, some);
        cuda_check(cudaMemcpyAsync((char *)to + at, piece, some, cudaMemcpyHostToDevice, self->stream),
                   "copy from the host");
        cuda_check(cudaEventRecord(read, self->stream), "note a copy");
    }
}

/* --- allocating --- */

/* What is left for others when an array is shared: weights, activations, and CUDA's own. */
static const double share_most = 0.5;

void *cuda_allocate(void *self, size_t bytes, struct err *err)
{
    struct cuda *cuda = cuda_of(self);
    void *made = NULL;
    size_t left = 0, all = 0;
    cudaError_t status = cudaMalloc(&made, bytes ? bytes : 1);
    if (status == cudaErrorMemoryAllocation) {
        cudaGetLastError(); /* it is over */
        cuda_check(cudaMemGetInfo(&left, &all), "say how much memory it has");
        err_write(err,
                  BACKEND_GPU_FULL ": the GPU has no %zu bytes for a network; %zu of %zu are left; a smaller batch or "
                                   "fewer weights need less",
                  bytes, left, all);
        return NULL;
    }
    cuda_check(status, "allocate memory");
    cuda_check(cudaMemsetAsync(made, 0, bytes, cuda->stream), "clear memory");
    return made;
}

void cuda_release(void *self, void *at)
{
    if (!at)
        return;
    cuda_wait(self); /* nothing may be under way there */
    cuda_check(cudaFree(at), "release memory");
}

/* Pinned memory of the host with those bytes: the device reads it more slowly than its own. */
static void *pin_copy(const void *host, size_t bytes, struct err *err)
{
    void *made = NULL;
    cudaError_t status = cudaMallocHost(&made, bytes ? bytes : 1);
    if (status == cudaErrorMemoryAllocation) {
        cudaGetLastError();
        err_write(err, BACKEND_GPU_FULL ": the GPU has no %zu bytes for the data, and the host none of pinned memory",
                  bytes);
        return NULL;
    }
    cuda_check(status, "pin memory");
    return memcpy(made, host, bytes);
}

static bool fits_device(size_t bytes)
{
    size_t left = 0, all = 0;
    cuda_check(cudaMemGetInfo(&left, &all), "say how much memory it has");
    return (double)bytes <= share_most * (double)left;
}

void *cuda_share(void *self, const void *host, size_t bytes, struct err *err)
{
    struct cuda *cuda = cuda_of(self);
    bool pinned = !fits_device(bytes);
    void *at = pinned ? pin_copy(host, bytes, err) : cuda_allocate(self, bytes, err);
    if (!at)
        return NULL;
    if (!pinned)
        copy_in(cuda, host, at, bytes);
    if (!cuda->shared)
        cuda->shared = MEM_NEW(struct cuda_shared);
    struct cuda_shared *shared = cuda->shared;
    MEM_GROW(shared->arrays, shared->capacity, shared->count + 1);
    shared->arrays[shared->count++] = {at, pinned};
    return at;
}

void cuda_unshare(void *self, void *at)
{
    struct cuda_shared *shared = cuda_of(self)->shared;
    for (size_t i = 0; at && i < shared->count; i++)
        if (shared->arrays[i].at == at) {
            cuda_wait(self);
            cuda_check(shared->arrays[i].pinned ? cudaFreeHost(at) : cudaFree(at), "release memory");
            shared->arrays[i] = shared->arrays[--shared->count];
            return;
        }
    assert(!at);
}

void *cuda_scratch(struct cuda *self, enum cuda_scratch which, size_t bytes)
{
    struct cuda_piece *piece = &self->scratch[which];
    if (piece->bytes >= bytes)
        return piece->at;
    size_t wanted = bytes > 2 * piece->bytes ? bytes : 2 * piece->bytes;
    cuda_graph_flush(self);
    if (piece->at) {
        MEM_GROW(self->outgrown, self->outgrown_capacity, self->outgrown_count + 1);
        self->outgrown[self->outgrown_count++] = *piece;
    }
    cuda_check(cudaMalloc(&piece->at, wanted), "allocate memory to work in");
    piece->bytes = wanted;
    return piece->at;
}

static void close_staging(struct cuda_staging *staging)
{
    for (int i = 0; staging && i < PIECES; i++) {
        cuda_check(cudaFreeHost(staging->at[i]), "release memory");
        cuda_check(cudaEventDestroy(staging->read[i]), "end an event");
    }
    free(staging);
}

void cuda_memory_close(struct cuda *self)
{
    close_staging(self->staging);
    for (size_t i = 0; i < self->outgrown_count; i++)
        cuda_check(cudaFree(self->outgrown[i].at), "release memory");
    for (int i = 0; i < CUDA_SCRATCHES; i++)
        cuda_check(cudaFree(self->scratch[i].at), "release memory");
    free(self->outgrown);
    if (self->shared)
        free(self->shared->arrays);
    free(self->shared);
}

/* --- copies --- */

void cuda_upload(void *self, const void *host, const struct tensor *to)
{
    copy_in(cuda_of(self), host, to->at, tensor_bytes(to));
}

void cuda_download(void *self, const struct tensor *from, void *host)
{
    struct cuda *cuda = cuda_of(self);
    size_t bytes = tensor_bytes(from);
    cuda_graph_flush(cuda);
    for (size_t at = 0, some; at < bytes; at += some) {
        cudaEvent_t read;
        void *piece = take_piece(open_staging(cuda), &read);
        some = bytes - at < PIECE ? bytes - at : PIECE;
        cuda_check(cudaMemcpyAsync(piece, (const char *)from->at + at, some, cudaMemcpyDeviceToHost, cuda->stream),
                   "copy to the host");
        cuda_check(cudaStreamSynchronize(cuda->stream), "do what it was told");
        memcpy((char *)host + at, piece, some);
    }
}

void cuda_copy(void *self, const struct tensor *from, const struct tensor *to)
{
    struct cuda *cuda = cuda_of(self);
    cuda_check(cudaMemcpyAsync(to->at, from->at, tensor_bytes(from), cudaMemcpyDeviceToDevice, cuda->stream), "copy");
}

void cuda_wait(void *self)
{
    struct cuda *cuda = cuda_of(self);
    cuda_graph_flush(cuda);
    cuda_check(cudaStreamSynchronize(cuda->stream), "do what it was told");
}
