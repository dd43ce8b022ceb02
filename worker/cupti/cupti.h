/* CUPTI, NVIDIA's library that records what ran on a GPU, found with dlopen: neither building nor running needs it.
 * What is used of it is declared here. The beginnings of its records have been the same since CUDA 9, and new fields
 * come behind them; t_cupti compares them with NVIDIA's headers where these are.
 *
 * This folder is a guest in people's programs (cupti.so, loaded by NVIDIA's driver): it includes nothing of ours, since
 * ours may end a process that is out of memory. */
#ifndef GANNET_WORKER_CUPTI_CUPTI_H
#define GANNET_WORKER_CUPTI_CUPTI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of CUpti_ActivityKind. */
enum {
    CUPTI_COPY = 1,
    CUPTI_SET = 2,
    CUPTI_KERNEL = 3,
    CUPTI_CONCURRENT_KERNEL = 10, /* what kernels are recorded as, so that they may still run side by side */
    CUPTI_PEER_COPY = 22
};

/* Of CUpti_ActivityMemcpyKind: host and device, and arrays of these. */
enum {
    CUPTI_HOST_TO_DEVICE = 1,
    CUPTI_DEVICE_TO_HOST,
    CUPTI_HOST_TO_ARRAY,
    CUPTI_ARRAY_TO_HOST,
    CUPTI_ARRAY_TO_ARRAY,
    CUPTI_ARRAY_TO_DEVICE,
    CUPTI_DEVICE_TO_ARRAY,
    CUPTI_DEVICE_TO_DEVICE,
    CUPTI_HOST_TO_HOST,
    CUPTI_PEER_TO_PEER
};

/* The beginning of CUpti_ActivityKernel4 to 10. Times are nanoseconds; 0: they are not known. */
struct cupti_kernel {
    uint32_t kind;
    uint8_t cache, shared;
    uint16_t registers;
    uint32_t requested, executed;
    uint64_t start, end, completed;
    uint32_t device, context, stream;
    int32_t grid[3], block[3];
    int32_t static_shared, dynamic_shared;
    uint32_t local, local_total, correlation;
    int64_t grid_id;
    const char *name; /* as the linker has it; lives as long as its module */
};

/* The beginning of CUpti_ActivityMemcpy to 6, and of CUpti_ActivityMemcpyPtoP to 4. */
struct cupti_copy {
    uint32_t kind;
    uint8_t copy, source, target, flags;
    uint64_t bytes, start, end;
};

/* The beginning of CUpti_ActivityMemset to 4. */
struct cupti_set {
    uint32_t kind, value;
    uint64_t bytes, start, end;
};

/* CUpti_BuffersCallbackRequestFunc: gives a buffer, NULL for none, and how many records fit (0: all that do). It may be
 * called in any thread of the program. */
typedef void cupti_request(uint8_t **buffer, size_t *bytes, size_t *records);

/* CUpti_BuffersCallbackCompleteFunc: takes back a buffer, `used` bytes of which are records. In CUPTI's own thread, or
 * in one that flushes. */
typedef void cupti_complete(void *context, uint32_t stream, uint8_t *buffer, size_t bytes, size_t used);

/* The functions that are used, under their names there; 0 is success. A test puts its own here. */
struct cupti {
    int (*register_callbacks)(cupti_request *request, cupti_complete *complete);
    int (*enable)(int kind);
    int (*next_record)(uint8_t *buffer, size_t used, void **record);
    int (*flush)(uint32_t forced);

    /* Those that follow may be missing, and then are NULL. */
    int (*flush_period)(uint32_t milliseconds);
    int (*dropped)(void *context, uint32_t stream, size_t *records);
    int (*result_text)(int result, const char **text);
};

/* Finds CUPTI for the CUDA of this process: the one that it has loaded already, else the newest that its driver knows.
 * false with a sentence. */
bool cupti_find(struct cupti *out, char *why, size_t size);

/* What a result of CUPTI's that is not 0 means for a person, as a sentence in `out`. */
void cupti_explain(const struct cupti *cupti, int result, char *out, size_t size);

#endif
