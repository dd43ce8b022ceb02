/* Copies, and memory that is set, as work that is queued. What the host has at one end of a copy is to be pinned, and
 * to stay as it is until the copy is done. */
#include "tests/cuda/fake.hh"

#include <cstring>

using namespace fake;

/* FNV-1a of 64 bits. */
static uint64_t hash_of(const void *bytes, size_t count)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3u;
    return hash;
}

struct copy {
    void *to;
    const void *from;
    size_t bytes;
    enum cudaMemcpyKind kind;
    uint64_t hash; /* of what the host has there, from when it is queued until it is done */

    const void *of_host() const
    {
        return kind == cudaMemcpyHostToDevice ? from : to;
    }
};

static void begin_copy(copy *self)
{
    if (self->kind == cudaMemcpyDeviceToDevice)
        return;
    if (!is_pinned(self->of_host(), self->bytes))
        broken("cudaMemcpyAsync has memory of the host that is not pinned, or is no more: %zu bytes at %p", self->bytes,
               self->of_host());
    if (self->kind == cudaMemcpyDeviceToHost)
        memset(self->to, 0xa5, self->bytes); /* nobody is to read what is not there yet */
    self->hash = hash_of(self->of_host(), self->bytes);
}

static void end_copy(copy *self)
{
    bool leaves = self->kind == cudaMemcpyDeviceToHost, comes = self->kind == cudaMemcpyHostToDevice;
    if (self->kind != cudaMemcpyDeviceToDevice && !is_pinned(self->of_host(), self->bytes))
        broken("memory of the host was freed while a copy from it or to it was queued");
    if (self->kind != cudaMemcpyDeviceToDevice && hash_of(self->of_host(), self->bytes) != self->hash)
        broken("memory of the host was changed while a copy of %zu bytes from it or to it was queued", self->bytes);
    if (!comes && leaves)
        touch(self->from, self->bytes, READ);
    if (!leaves)
        touch(self->to, self->bytes, WRITE);
    memmove(self->to, self->from, self->bytes);
    if (!comes && !leaves)
        move_states((uintptr_t)self->to, (uintptr_t)self->from, self->bytes);
}

static bool goes_there(const void *to, const void *from, enum cudaMemcpyKind kind)
{
    bool to_device = on_device(to), from_device = on_device(from);
    switch (kind) {
    case cudaMemcpyHostToDevice:
        return to_device && !from_device;
    case cudaMemcpyDeviceToHost:
        return !to_device && from_device;
    case cudaMemcpyDeviceToDevice:
        return to_device && from_device;
    default:
        return false;
    }
}

cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    std::lock_guard<std::recursive_mutex> guard(entrance);
    if (int code = enter("cudaMemcpyAsync"))
        return result((cudaError_t)code);
    if (count == 0)
        return result(cudaSuccess);
    if (!goes_there(dst, src, kind))
        broken("cudaMemcpyAsync(%p, %p, %zu) is no copy of kind %d", dst, src, count, (int)kind);
    if (kind == cudaMemcpyDeviceToDevice && (uintptr_t)dst - (uintptr_t)src + count - 1 < 2 * count - 1)
        broken("cudaMemcpyAsync copies %zu bytes to a place that overlaps with them", count);
    auto self = std::make_shared<copy>(copy{dst, src, count, kind, 0});
    return result(add_work(
        stream, "a copy", [self] { end_copy(self.get()); }, [self] { begin_copy(self.get()); }));
}

cudaError_t cudaMemsetAsync(void *devPtr, int value, size_t count, cudaStream_t stream)
{
    std::lock_guard<std::recursive_mutex> guard(entrance);
    if (int code = enter("cudaMemsetAsync"))
        return result((cudaError_t)code);
    if (count == 0)
        return result(cudaSuccess);
    return result(add_work(stream, "cudaMemsetAsync", [=] {
        bool fresh = value == 0 && count >= ((size_t)64 << 20) && !piece_of((uintptr_t)devPtr)->is_written;
        touch(devPtr, count, WRITE);
        if (!fresh || !piece_of((uintptr_t)devPtr)->is_written) /* what is new is of zeros, wherever it is large */
            memset(devPtr, value, count);
    }));
}
