/* What the files of this directory share on the host: the GPU in use, and how failures end. `self` of every slot is a
 * struct cuda. All work goes to one stream, in the order of the calls. */
#ifndef GANNET_WORKER_BACKEND_CUDA_CUDA_CUH
#define GANNET_WORKER_BACKEND_CUDA_CUDA_CUH

#include "worker/backend/cuda/slots.h"

#include <cuda_runtime.h>

enum { CUDA_BLOCK = 256, CUDA_WARP = 32 }; /* threads */

struct cuda_matmul;  /* matmul.cu: products by shape */
struct cuda_conv;    /* conv_cudnn.cu: convolutions by shape */
struct cuda_staging; /* memory.cu: pinned memory that copies go through */
struct cuda_shared;  /* memory.cu: what was shared */
struct cuda_graph;   /* sequence.cu: a step that repeats itself */

enum cuda_scratch {
    CUDA_SCRATCH_PRODUCT, /* of cuBLASLt */
    CUDA_SCRATCH_CONV,    /* of cuDNN */
    CUDA_SCRATCH_WINDOWS, /* windows of convolutions */
    CUDA_SCRATCH_SUMS,    /* sums within one operation, or their parts */
    CUDA_SCRATCH_PARTS,   /* parts of sums of squares */
    CUDA_SCRATCH_NARROW,  /* biases as BF16 */
    CUDA_SCRATCHES
};

struct cuda_piece {
    void *at;
    size_t bytes;
};

struct cuda {
    cudaStream_t stream;
    struct cuda_piece scratch[CUDA_SCRATCHES];
    struct cuda_piece *outgrown; /* scratch that may still be worked on */
    size_t outgrown_count, outgrown_capacity;
    struct cuda_matmul *matmul;
    struct cuda_conv *conv;
    struct cuda_staging *staging;
    struct cuda_shared *shared;
    struct cuda_graph *graph;
    double prepared; /* seconds */
    bool coarse;     /* products of F32 as TF32 */
    bool one_by_one; /* steps are no graphs */
};

static inline struct cuda *cuda_of(void *self)
{
    return (struct cuda *)self;
}

/* Ends the process with a sentence unless a call went well: `what` the GPU could not do. */
void cuda_check(cudaError_t status, const char *what);

/* The same where a library says why. */
[[noreturn]] void cuda_fail(const char *what, const char *why);

/* So many bytes of no particular value, for work that is started before the next call for the same. */
void *cuda_scratch(struct cuda *self, enum cuda_scratch which, size_t bytes);

/* Blocks of CUDA_BLOCK threads for a thread each. */
static inline dim3 cuda_blocks(size_t count)
{
    return dim3((unsigned)((count + CUDA_BLOCK - 1) / CUDA_BLOCK));
}

/* The parts, each opened when it is first used; {0} is fine to close. */
void cuda_matmul_close(struct cuda *self);
void cuda_conv_close(struct cuda *self);
void cuda_memory_close(struct cuda *self);
void cuda_graph_close(struct cuda *self);

/* Starts what was recorded of a step so far, and records no more of it (sequence.cu); without one nothing happens. To
 * be called by who waits for the device, copies from and to the host, or makes something ready. */
void cuda_graph_flush(struct cuda *self);

/* --- products of matrices: matmul.cu --- */

enum cuda_after { CUDA_AFTER_NOTHING, CUDA_AFTER_BIAS, CUDA_AFTER_RELU, CUDA_AFTER_BIAS_RELU };

/* Several products of the same shape at once. */
struct cuda_side_by_side {
    size_t count;   /* 0: one */
    size_t a, b, c; /* numbers from one's array to the next one's */
};

/* c[N,M] = f(b[N,K] a[M,K]^T + bias[M]) + more c, of row-major arrays; `a_turned`: a is [K,M] instead, `b_turned`: b is
 * [K,N]. a and b are of one type, c of any. Several at once have no bias. */
struct cuda_product {
    size_t M, N, K;
    bool a_turned, b_turned;
    enum tensor_type type, c_type;
    enum cuda_after after; /* its bias is of c_type */
    bool more;             /* adds to what c is */
    struct cuda_side_by_side stack = {};
};

void cuda_multiply(struct cuda *self, const struct cuda_product *product, const void *a, const void *b, void *c,
                   const void *bias);

/* --- what several layers do --- */

/* The bias as numbers of that type: itself, or a copy in scratch. */
const void *cuda_bias(struct cuda *self, const struct tensor *b, enum tensor_type type);

/* What a product or convolution does at its end, unless cuda_finish does it. */
enum cuda_after cuda_after_of(const struct tensor *b, enum activation f);

/* y[R,O] = f(y + b[O]) in its place; b NULL: 0 (activation.cu). */
void cuda_finish(struct cuda *self, const struct tensor *b, enum activation f, const struct tensor *y);

/* sum[C] = the sums of the columns of x[R,C], unless it is NULL (rows.cu). */
void cuda_sum_columns(struct cuda *self, const struct tensor *x, size_t C, const struct tensor *sum);

/* The constants of the networks of a stack, as arguments of kernels: 4 KiB are the most that these may take in all. */
struct stack_floats {
    float of[STACK_MOST];
};
struct stack_floats cuda_stack_floats(const struct stack *stack, const float *values);

#endif
