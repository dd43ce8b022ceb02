/* Words about GPUs; see gpu_words.h. A table of what CUDA, its libraries and frameworks print: as they do when nobody
 * catches their error. */
#include "worker/program/gpu_words.h"

#include <string.h>

static const struct {
    enum gpu_trouble trouble;
    const char *words;
} rows[] = {
    {GPU_TROUBLE_MEMORY, "CUDA out of memory"},        /* PyTorch: "torch.OutOfMemoryError: CUDA out of memory." */
    {GPU_TROUBLE_MEMORY, "CUDA error: out of memory"}, /* PyTorch, where it was not its allocator's */
    {GPU_TROUBLE_MEMORY, "torch.OutOfMemoryError"},
    {GPU_TROUBLE_MEMORY, "torch.cuda.OutOfMemoryError"},
    {GPU_TROUBLE_MEMORY, "RESOURCE_EXHAUSTED"},     /* JAX: "XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory ..." */
    {GPU_TROUBLE_MEMORY, "ResourceExhaustedError"}, /* TensorFlow */
    {GPU_TROUBLE_MEMORY, "OOM when allocating tensor"},
    {GPU_TROUBLE_MEMORY, "cudaErrorMemoryAllocation"},
    {GPU_TROUBLE_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY"},
    {GPU_TROUBLE_MEMORY, "CUBLAS_STATUS_ALLOC_FAILED"},
    {GPU_TROUBLE_MEMORY, "CUDNN_STATUS_ALLOC_FAILED"},
    {GPU_TROUBLE_MEMORY, "CUSPARSE_STATUS_ALLOC_FAILED"},
    {GPU_TROUBLE_MEMORY, "CUSOLVER_STATUS_ALLOC_FAILED"},
    {GPU_TROUBLE_MEMORY, "CUFFT_ALLOC_FAILED"},
    {GPU_TROUBLE_MEMORY, "cupy.cuda.memory.OutOfMemoryError"},
    {GPU_TROUBLE_MEMORY, "HIP out of memory"}, /* PyTorch on AMD's */
    {GPU_TROUBLE_MEMORY, "hipErrorOutOfMemory"},
    {GPU_TROUBLE_HARDWARE, "uncorrectable ECC error"}, /* CUDA: "uncorrectable ECC error encountered" */
    {GPU_TROUBLE_HARDWARE, "cudaErrorECCUncorrectable"},
    {GPU_TROUBLE_HARDWARE, "CUDA_ERROR_ECC_UNCORRECTABLE"},
    {GPU_TROUBLE_HARDWARE, "uncorrectable NVLink error"}, /* "... detected during the execution" */
    {GPU_TROUBLE_HARDWARE, "cudaErrorNvlinkUncorrectable"},
    {GPU_TROUBLE_HARDWARE, "CUDA_ERROR_NVLINK_UNCORRECTABLE"},
    {GPU_TROUBLE_HARDWARE, "has fallen off the bus"},
    {GPU_TROUBLE_HARDWARE, "GPU is lost"}, /* NVML: "... Reboot the system to recover this GPU" */
};

static enum gpu_trouble judge_line(const char *line, size_t length)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (memmem(line, length, rows[i].words, strlen(rows[i].words)))
            return rows[i].trouble;
    return GPU_TROUBLE_NONE;
}

enum gpu_trouble gpu_words_find(const char *text, const char **line, size_t *length)
{
    enum gpu_trouble found = GPU_TROUBLE_NONE;
    for (const char *at = text; at && *at;) {
        size_t whole = strcspn(at, "\n");
        enum gpu_trouble here = judge_line(at, whole);
        if (here != GPU_TROUBLE_NONE) {
            found = here;
            *line = at;
            *length = whole;
        }
        at += whole + (at[whole] == '\n');
    }
    return found;
}
