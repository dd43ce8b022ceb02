/* Small programs that keep CUDA's rules, or break one; see subjects.h. Each makes what it needs and leaves it there. */
#include "tests/cuda/subjects.h"

#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>
#include <tuple>

/* As worker/backend/cuda starts kernels. */
template <typename... P, typename... A>
static void start(cudaStream_t stream, dim3 grid, dim3 block, void (*kernel)(P...), A... given)
{
    std::tuple<P...> values(given...);
    cuda_pretend_launch(
        "a subject", [=] { std::apply(kernel, values); }, grid, block, stream);
}

template <typename T> static T *made(size_t count)
{
    void *at = nullptr;
    cudaMalloc(&at, count * sizeof(T));
    return (T *)at;
}

template <typename T> static T *pinned(size_t count)
{
    void *at = nullptr;
    cudaMallocHost(&at, count * sizeof(T));
    return (T *)at;
}

static cudaStream_t stream_made()
{
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    return stream;
}

template <typename T> static T *uploaded(cudaStream_t stream, size_t count, T (*number)(size_t))
{
    T *host = pinned<T>(count), *device = made<T>(count);
    for (size_t i = 0; i < count; i++)
        host[i] = number(i);
    cudaMemcpyAsync(device, host, count * sizeof(T), cudaMemcpyHostToDevice, stream);
    return device;
}

template <typename T> static T *downloaded(cudaStream_t stream, const T *device, size_t count)
{
    T *host = pinned<T>(count);
    cudaMemcpyAsync(host, device, count * sizeof(T), cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    return host;
}

static float numbered(size_t i)
{
    return (float)i;
}

/* --- what keeps the rules --- */

__global__ void sum_of_block(const float *x, size_t n, float *sums)
{
    __shared__ float parts[128];
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    parts[threadIdx.x] = i < n ? x[i] : 0;
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            parts[threadIdx.x] += parts[threadIdx.x + half];
    }
    if (threadIdx.x == 0)
        sums[blockIdx.x] = parts[0];
}

int subjects_sum()
{
    enum { N = 5000, BLOCKS = (N + 127) / 128 };
    cudaStream_t stream = stream_made();
    float *sums = made<float>(BLOCKS), total = 0;
    start(stream, BLOCKS, 128, sum_of_block, uploaded(stream, N, numbered), (size_t)N, sums);
    float *host = downloaded(stream, sums, BLOCKS);
    for (int i = 0; i < BLOCKS; i++)
        total += host[i];
    return total == (float)N * (N - 1) / 2;
}

__global__ void turn(const float *x, unsigned rows, unsigned columns, float *y)
{
    __shared__ float tile[16][17];
    unsigned column = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    if (row < rows && column < columns)
        tile[threadIdx.y][threadIdx.x] = x[row * columns + column];
    __syncthreads();
    unsigned to_row = blockIdx.x * 16 + threadIdx.y, to_column = blockIdx.y * 16 + threadIdx.x;
    if (to_row < columns && to_column < rows)
        y[to_row * rows + to_column] = tile[threadIdx.x][threadIdx.y];
}

int subjects_turn()
{
    enum { ROWS = 70, COLUMNS = 45 };
    cudaStream_t stream = stream_made();
    float *y = made<float>(ROWS * COLUMNS);
    start(stream, dim3(3, 5), dim3(16, 16), turn, uploaded(stream, ROWS * COLUMNS, numbered), ROWS, COLUMNS, y);
    float *host = downloaded(stream, y, ROWS * COLUMNS);
    for (int row = 0; row < ROWS; row++)
        for (int column = 0; column < COLUMNS; column++)
            if (host[column * ROWS + row] != (float)(row * COLUMNS + column))
                return 0;
    return 1;
}

__global__ void sum_of_warps(const float *x, double *sums)
{
    double sum = x[threadIdx.x];
    for (int bits = 16; bits > 0; bits /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, bits);
    int first = __shfl_sync(0xffffffffu, (int)threadIdx.x, 0);
    sums[threadIdx.x] = sum + 1000 * first;
}

int subjects_warps()
{
    cudaStream_t stream = stream_made();
    double *sums = made<double>(96);
    start(stream, 1, 96, sum_of_warps, uploaded(stream, 96, numbered), sums);
    double *host = downloaded(stream, sums, 96);
    for (int i = 0; i < 96; i++) {
        int first = i / 32 * 32;
        if (host[i] != 32.0 * first + 31 * 16 + 1000.0 * first)
            return 0;
    }
    return 1;
}

__global__ void add_number(float *x, size_t n, float number)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] += number;
}

int subjects_streams()
{
    cudaStream_t one = stream_made(), other = stream_made();
    cudaEvent_t event;
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    float *x = uploaded(one, 100, numbered);
    start(one, 2, 64, add_number, x, 100, 1);
    cudaEventRecord(event, one);
    cudaStreamWaitEvent(other, event, 0);
    start(other, 2, 64, add_number, x, 100, 2);
    float *host = downloaded(other, x, 100);
    return host[0] == 3 && host[99] == 102 && cudaEventDestroy(event) == cudaSuccess;
}

static cudaGraph_t recorded(cudaStream_t stream, float *x, float number)
{
    cudaGraph_t graph = nullptr;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed);
    start(stream, 1, 32, add_number, x, 10, number);
    cudaStreamEndCapture(stream, &graph);
    return graph;
}

int subjects_graph()
{
    cudaStream_t stream = stream_made();
    float *x = uploaded(stream, 10, numbered);
    cudaGraph_t graph = recorded(stream, x, 1), changed = recorded(stream, x, 10);
    cudaGraphExec_t exec;
    cudaGraphExecUpdateResultInfo how;
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphLaunch(exec, stream);
    cudaGraphLaunch(exec, stream);
    if (cudaGraphExecUpdate(exec, changed, &how) != cudaSuccess)
        return 0;
    cudaGraphLaunch(exec, stream);
    cudaGraphDestroy(graph);
    cudaGraphDestroy(changed);
    float *host = downloaded(stream, x, 10);
    return host[0] == 12 && host[9] == 21 && cudaGraphExecDestroy(exec) == cudaSuccess;
}

__global__ void write_alike(const float *x, size_t n, int *any)
{
    if (threadIdx.x < n && x[threadIdx.x] > 3)
        *any = 1;
}

int subjects_alike()
{
    cudaStream_t stream = stream_made();
    float *x = uploaded(stream, 64, numbered);
    int *any = made<int>(1);
    cudaMemsetAsync(any, 0, sizeof *any, stream);
    start(stream, 2, 64, write_alike, x, 64, any);
    return *downloaded(stream, any, 1) == 1;
}

/* --- what breaks one --- */

/* Runs a kernel with one block of 64 threads on 64 numbers and as many results. */
static void run_bad(void (*kernel)(const float *, float *))
{
    cudaStream_t stream = stream_made();
    float *x = uploaded(stream, 64, numbered), *y = made<float>(64);
    start(stream, 2, 64, kernel, x, y);
    cudaStreamSynchronize(stream);
}

__global__ void read_beyond(const float *x, float *y)
{
    if (blockIdx.x == 0)
        y[threadIdx.x] = x[threadIdx.x + 1];
}

__global__ void write_beyond(const float *x, float *y)
{
    if (threadIdx.x == 63)
        y[64] = x[0];
}

__global__ void read_unwritten(const float *x, float *y)
{
    y[threadIdx.x] = y[threadIdx.x] + x[threadIdx.x];
}

__global__ void race_of_blocks(const float *x, float *y)
{
    y[threadIdx.x] = x[threadIdx.x] + (float)blockIdx.x;
}

__global__ void race_of_threads(const float *x, float *y)
{
    __shared__ float kept[64];
    kept[threadIdx.x] = x[threadIdx.x];
    if (blockIdx.x == 0)
        y[threadIdx.x] = kept[63 - threadIdx.x];
}

__global__ void race_after_a_read(const float *x, float *y)
{
    __shared__ float kept[64];
    kept[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    float sum = kept[0] + kept[63];
    kept[threadIdx.x] = sum;
    if (blockIdx.x == 0)
        y[threadIdx.x] = kept[threadIdx.x];
}

/* The lanes of a warp met, but not those of the other one. */
__global__ void race_of_warps(const float *x, float *y)
{
    __shared__ float kept[64];
    kept[threadIdx.x] = x[threadIdx.x];
    __syncwarp();
    if (blockIdx.x == 0)
        y[threadIdx.x] = kept[threadIdx.x ^ 32];
}

__global__ void shared_unwritten(const float *x, float *y)
{
    __shared__ float kept[64];
    if (blockIdx.x == 1)
        y[threadIdx.x] = kept[threadIdx.x];
    else
        kept[threadIdx.x] = x[threadIdx.x];
}

__global__ void barrier_of_some(const float *x, float *y)
{
    if (threadIdx.x >= 40)
        return;
    __syncthreads();
    y[threadIdx.x] = x[threadIdx.x];
}

__global__ void exchange_of_some(const float *x, float *y)
{
    if (threadIdx.x < 40)
        y[threadIdx.x] = __shfl_xor_sync(0xffffffffu, x[threadIdx.x], 1);
}

__global__ void misaligned(const float *x, float *y)
{
    if (threadIdx.x == 0 && blockIdx.x == 0)
        *(float2 *)y = *(const float2 *)(x + 1);
}

static void run_host_pointer()
{
    static float of_host[64];
    cudaStream_t stream = stream_made();
    start(stream, 1, 64, race_of_blocks, of_host, made<float>(64));
    cudaStreamSynchronize(stream);
}

static void run_device_pointer()
{
    float *x = made<float>(4);
    *(volatile float *)x = 1;
}

/* The C library's functions aren't seen, but the memory is closed. */
static void run_device_pointer_elsewhere()
{
    char text[8] = "";
    float *x = made<float>(4);
    cudaStreamSynchronize(nullptr);
    strncpy(text, (const char *)x, sizeof text - 1);
    if (text[0])
        cudaFree(x);
}

static void run_freed()
{
    cudaStream_t stream = stream_made();
    float *x = uploaded(stream, 64, numbered);
    cudaFree(x);
    start(stream, 1, 64, race_of_blocks, x, made<float>(64));
    cudaStreamSynchronize(stream);
}

static void run_freed_twice()
{
    float *x = made<float>(4);
    cudaFree(x);
    cudaFree(x);
}

static void run_race_of_streams()
{
    cudaStream_t one = stream_made(), other = stream_made();
    float *x = uploaded(one, 100, numbered);
    cudaStreamSynchronize(one);
    start(one, 2, 64, add_number, x, 100, 1);
    start(other, 2, 64, add_number, x, 100, 2);
    cudaDeviceSynchronize();
}

static void run_pageable()
{
    static float of_host[64];
    cudaMemcpyAsync(made<float>(64), of_host, sizeof of_host, cudaMemcpyHostToDevice, stream_made());
}

static void run_changed_too_early()
{
    cudaStream_t stream = stream_made();
    float *host = pinned<float>(64);
    memset(host, 0, 64 * sizeof *host);
    cudaMemcpyAsync(made<float>(64), host, 64 * sizeof *host, cudaMemcpyHostToDevice, stream);
    host[3] = 1;
    cudaStreamSynchronize(stream);
}

static void run_wrong_way()
{
    float *host = pinned<float>(64);
    cudaMemcpyAsync(host, made<float>(64), 64, cudaMemcpyHostToDevice, stream_made());
}

static void run_download_of_nothing()
{
    cudaStream_t stream = stream_made();
    downloaded(stream, made<float>(64), 64);
}

static void run_destroyed_stream()
{
    cudaStream_t stream = stream_made();
    cudaStreamDestroy(stream);
    cudaStreamSynchronize(stream);
}

static void run_grid_of_nothing()
{
    cudaStream_t stream = stream_made();
    float *x = uploaded(stream, 64, numbered);
    start(stream, 0, 64, race_of_blocks, x, made<float>(64));
    if (cudaGetLastError() == cudaErrorInvalidConfiguration && cudaGetLastError() == cudaSuccess)
        start(stream, dim3(1, 65536), 64, race_of_blocks, x, made<float>(64));
    if (cudaGetLastError() == cudaErrorInvalidConfiguration)
        run_freed_twice();
}

#define BAD(kernel, sentence)                                                                                          \
    {                                                                                                                  \
#kernel, [] { run_bad(kernel); }, sentence                                                                     \
    }
const struct subject subjects_bad[] = {
    BAD(read_beyond, "thread (63,0,0): it reads 4 bytes that are not its own: 0 bytes behind the end of 256 bytes"),
    BAD(write_beyond, "writes 4 bytes that are not its own: 0 bytes behind the end of 256"),
    BAD(read_unwritten, "reads 4 bytes that nobody has written: byte 0 of 256 bytes"),
    BAD(race_of_blocks, "a race: it writes byte 0 of 256 bytes, which another block has written"),
    BAD(race_of_threads, "reads 4 bytes of shared memory that its block has not written"),
    BAD(race_after_a_read, "a race: it reads shared memory, which thread 0 of the block has written"),
    BAD(race_of_warps, "shared memory"),
    BAD(shared_unwritten, "of shared memory that its block has not written"),
    BAD(barrier_of_some, "hangs: of 64 threads 40 wait at a barrier, 0 for lanes of their warp, and 24 have ended"),
    BAD(exchange_of_some, "8 for lanes of their warp"),
    BAD(misaligned, "8 bytes at an address that is no multiple of that"),
    {"host pointer", run_host_pointer, "reads 4 bytes of the host's memory"},
    {"device pointer", run_device_pointer, "code of the host writes memory of the device: byte 0 of 16 bytes"},
    {"device pointer elsewhere", run_device_pointer_elsewhere, "code of the host touches memory of the device: byte 0"},
    {"freed memory", run_freed, "not its own: byte 0 of freed 256 bytes"},
    {"freed twice", run_freed_twice, "byte 0 of freed 16 bytes"},
    {"race of streams", run_race_of_streams, "which an operation of another stream has written"},
    {"pageable memory", run_pageable, "memory of the host that is not pinned"},
    {"changed too early", run_changed_too_early, "memory of the host was changed while a copy of 256 bytes"},
    {"copy the wrong way", run_wrong_way, "is no copy of kind 1"},
    {"download of nothing", run_download_of_nothing, "reads 256 bytes that nobody has written"},
    {"destroyed stream", run_destroyed_stream, "is no stream, or is none any more"},
    {"grid of nothing", run_grid_of_nothing, "cudaFree of"},
    {nullptr, nullptr, nullptr},
};
