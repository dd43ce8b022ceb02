/* Memory of the device: a range of addresses that only code of the device can touch. Addresses are never given out
 * again, so whoever uses what was freed is found out. See fake.hh. */
#include "tests/cuda/fake.hh"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <sys/mman.h>
#include <unistd.h>

namespace fake
{

static const size_t FINE = 256, COARSE = (size_t)1 << 20;

uintptr_t arena;
static size_t used;                      /* of its addresses */
static std::vector<piece> pieces = {{}}; /* number 0 is none */
static size_t oldest = 1;                /* number of the first piece that may be in use: all before it are free */
static uint32_t *fine, *coarse;          /* whose each FINE, each COARSE bytes are */
static size_t in_use;
static int opened;
static std::map<uintptr_t, size_t> pinned;

static void *reserve(size_t bytes, int protection)
{
    void *at = mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
        broken("no %zu bytes of addresses: %s", bytes, strerror(errno));
    madvise(at, bytes, MADV_DONTDUMP);
    return at;
}

/* The host has touched the device's memory, or it is a fault like any other. */
static void on_fault(int number, siginfo_t *info, void *context)
{
    (void)context;
    if (!opened && on_device(info->si_addr))
        broken("code of the host touches memory of the device: %s", describe((uintptr_t)info->si_addr).c_str());
    signal(number, SIG_DFL);
    raise(number);
}

static void begin()
{
    if (arena)
        return;
    arena = (uintptr_t)reserve(ARENA, PROT_NONE);
    fine = (uint32_t *)reserve(ARENA / FINE * sizeof *fine, PROT_READ | PROT_WRITE);
    coarse = (uint32_t *)reserve(ARENA / COARSE * sizeof *coarse, PROT_READ | PROT_WRITE);
    begin_states();
    struct sigaction action = {};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    sigaction(SIGSEGV, &action, nullptr);
}

bool on_device(const void *at)
{
    return arena && (uintptr_t)at - arena < ARENA;
}

const piece *piece_of(uintptr_t at)
{
    size_t offset = at - arena;
    uint32_t number = coarse[offset / COARSE];
    return &pieces[number ? number : fine[offset / FINE]];
}

std::string describe(uintptr_t at)
{
    char text[160];
    const piece *of = piece_of(at), *before = &pieces[0];
    if (of->bytes && at - of->at < of->bytes) {
        snprintf(text, sizeof text, "byte %zu of %s%zu bytes", at - of->at, of->is_free ? "freed " : "", of->bytes);
        return text;
    }
    for (const piece &each : pieces)
        if (each.at <= at && each.at > before->at)
            before = &each;
    snprintf(text, sizeof text, "%zu bytes behind the end of %s%zu bytes", at - before->at - before->bytes,
             before->is_free ? "freed " : "", before->bytes);
    return text;
}

bool is_pinned(const void *at, size_t bytes)
{
    auto next = pinned.upper_bound((uintptr_t)at);
    if (next == pinned.begin())
        return false;
    --next;
    return (uintptr_t)at + bytes <= next->first + next->second;
}

size_t bytes_in_use()
{
    return in_use;
}

/* From the oldest piece that is in use: what lies before it stays closed, and costs the system nothing. */
static void protect(int protection)
{
    while (oldest < pieces.size() && pieces[oldest].is_free)
        oldest++;
    if (oldest == pieces.size())
        return;
    static const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t from = pieces[oldest].at / page * page;
    if (mprotect((void *)from, arena + used - from, protection))
        broken("the device's memory can't be %s: %s", protection == PROT_NONE ? "closed" : "opened", strerror(errno));
}

void open_memory()
{
    begin();
    if (opened++ == 0)
        protect(PROT_READ | PROT_WRITE);
}

void close_memory()
{
    if (--opened == 0)
        protect(PROT_NONE);
}

/* Addresses of multiples of 256 that are none of 512, with room behind each piece that is nobody's. Large ones have
 * COARSE ranges of their own. */
static uintptr_t place(size_t bytes)
{
    size_t from = used + 2 * FINE;
    if (bytes >= COARSE)
        from = (from + COARSE - 1) / COARSE * COARSE;
    else
        from = from / (2 * FINE) * (2 * FINE) + FINE;
    size_t end = from + (bytes + FINE - 1) / FINE * FINE;
    used = bytes >= COARSE ? (end + COARSE) / COARSE * COARSE : end;
    if (used > ARENA)
        broken("all addresses were given out once; the test is too long for one process");
    uint32_t number = (uint32_t)pieces.size();
    if (bytes >= COARSE)
        std::fill(coarse + from / COARSE, coarse + used / COARSE, number);
    else
        std::fill(fine + from / FINE, fine + end / FINE, number);
    return arena + from;
}

static cudaError_t allocate(void **out, size_t bytes)
{
    begin();
    *out = nullptr;
    if (bytes == 0)
        return cudaSuccess;
    if (bytes > the_options().memory || in_use > the_options().memory - bytes)
        return cudaErrorMemoryAllocation;
    uintptr_t at = place(bytes);
    pieces.push_back({at, bytes, false, false});
    in_use += bytes;
    *out = (void *)at;
    return cudaSuccess;
}

static void release(void *at)
{
    piece *of = at && on_device(at) ? (piece *)piece_of((uintptr_t)at) : &pieces[0];
    if (of->at != (uintptr_t)at || of->is_free || !at)
        broken("cudaFree of %p, which is %s", at, on_device(at) ? describe((uintptr_t)at).c_str() : "of the host");
    of->is_free = true;
    in_use -= of->bytes;
    forget(*of);
}

} // namespace fake

using namespace fake;

size_t fake_cuda_bytes(void)
{
    return bytes_in_use();
}

cudaError_t cudaMalloc(void **devPtr, size_t size)
{
    std::lock_guard<std::recursive_mutex> guard(entrance);
    if (int code = enter("cudaMalloc"))
        return result((cudaError_t)code);
    return result(allocate(devPtr, size));
}

/* As NVIDIA's does, it waits for all that is queued. */
cudaError_t cudaFree(void *devPtr)
{
    std::lock_guard<std::recursive_mutex> guard(entrance);
    if (int code = enter("cudaFree"))
        return result((cudaError_t)code);
    run_all();
    if (devPtr)
        release(devPtr);
    return result((cudaError_t)sickness());
}

cudaError_t cudaMallocHost(void **ptr, size_t size)
{
    std::lock_guard<std::recursive_mutex> guard(entrance);
    if (int code = enter("cudaMallocHost"))
        return result((cudaError_t)code);
    *ptr = nullptr;
    if (posix_memalign(ptr, 4096, size ? size : 1))
        return result(cudaErrorMemoryAllocation);
    memset(*ptr, 0xa5, size);
    pinned[(uintptr_t)*ptr] = size;
    thing_made(*ptr, "pinned memory");
    return result(cudaSuccess);
}

cudaError_t cudaFreeHost(void *ptr)
{
    std::lock_guard<std::recursive_mutex> guard(entrance);
    if (int code = enter("cudaFreeHost"))
        return result((cudaError_t)code);
    run_all();
    if (!ptr)
        return result((cudaError_t)sickness());
    thing_gone(ptr, "pinned memory");
    pinned.erase((uintptr_t)ptr);
    free(ptr);
    return result((cudaError_t)sickness());
}

cudaError_t cudaMemGetInfo(size_t *free, size_t *total)
{
    std::lock_guard<std::recursive_mutex> guard(entrance);
    if (int code = enter("cudaMemGetInfo"))
        return result((cudaError_t)code);
    *total = the_options().memory;
    *free = *total - std::min(*total, bytes_in_use());
    return result(cudaSuccess);
}
