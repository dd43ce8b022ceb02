/* The gradient of a convolution's weights, whose examples the threads share; see onednn.h. Each makes a gradient of its
 * own examples with a primitive for one thread, then each adds up a part of the gradients of all, in the order of the
 * threads. oneDNN's own threads wait for each other in a loop that keeps a processor busy: where another program has
 * the processor of one of them, that lasts a slice of the scheduler's time. Measured on two threads of a shared
 * machine, a step of ResNet-20 took 47 ms of processor time there, and 25 with one thread.
 *
 * Shapes: B examples, P numbers of a gradient in its primitive's order, O of its biases. */
#include "worker/backend/onednn.h"

#include "common/clones.h"
#include "common/mem.h"
#include "worker/backend/team.h"

#include <stdlib.h>

/* Adding up reads P numbers of each thread, the gradients take 2 B OH OW P operations of all together: at 32 of them
 * and 2 numbers a cycle the former is less than a tenth of the latter with so many pixels a thread. */
enum { PIXELS_A_THREAD = 80 };

/* Of all gradients together; more would not stay in caches. */
static const size_t most_bytes = 64 << 20;

static size_t count_weights(const struct onednn_call *call)
{
    return (size_t)call->O * call->I * call->KH * call->KW;
}

static bool is_worth_it(const struct onednn_call *call, size_t threads)
{
    size_t pixels = (size_t)call->B * call->OH * call->OW;
    return call->kind == ONEDNN_CONV_BACK_WEIGHTS && threads > 1 && call->B >= threads &&
           pixels >= threads * PIXELS_A_THREAD && count_weights(call) * threads * sizeof(float) <= most_bytes;
}

/* The first example of part i of n, or of B examples their end. */
static size_t first_example(const struct onednn_call *call, size_t i, size_t n)
{
    return call->B * i / n;
}

static struct onednn_operation *make_part(struct onednn *onednn, const struct onednn_call *call, size_t i, size_t n)
{
    struct onednn_call part = *call;
    part.B = (uint32_t)(first_example(call, i + 1, n) - first_example(call, i, n));
    part.part = true;
    return onednn_make(onednn, &part);
}

struct onednn_operation *onednn_share(struct onednn *onednn, const struct onednn_call *call)
{
    size_t threads = team_threads();
    if (!is_worth_it(call, threads))
        return NULL;
    struct onednn_operation *made = MEM_NEW(struct onednn_operation);
    bool complete = true;
    *made = (struct onednn_operation){
        .call = *call, .shared = MEM_ARRAY(struct onednn_operation *, threads), .share_count = threads};
    team_set(1); /* a primitive is for as many threads as there are when it is made */
    for (size_t i = 0; i < threads; i++) {
        made->shared[i] = make_part(onednn, call, i, threads);
        complete &= made->shared[i]->primitive != NULL;
    }
    team_set(threads);
    made->count = made->shared[0]->count;
    made->results = made->shared[0]->results;
    if (complete)
        return made;
    made->count = 0;
    onednn_unmake(made);
    return NULL;
}

/* --- running --- */

/* Where a part has its gradient: in an array of its own, or in the order of ours, that of the first in the result. */
static float *gradient_of(const struct onednn_argument *argument, float *ours)
{
    void *packed = ours;
    if (argument->packed)
        onednn_check(dnnl_memory_get_data_handle(argument->packed, &packed), "find a memory");
    return packed;
}

static size_t count_gradient(const struct onednn_operation *part)
{
    const struct onednn_argument *argument = &part->arguments[2];
    onednn_shape shape;
    if (!argument->packed)
        return count_weights(&part->call);
    onednn_check(dnnl_memory_get_memory_desc(argument->packed, &shape), "read a layout");
    return dnnl_memory_desc_get_size(shape) / sizeof(float);
}

/* The arrays of part i. */
static void place_arrays(const struct onednn_operation *operation, size_t i, void *const *arrays, float *spare,
                         void **own)
{
    const struct onednn_call *call = &operation->call;
    size_t first = first_example(call, i, operation->share_count), width = call->narrow ? 2 : 4;
    float *beside = spare + (i ? i - 1 : 0) * (count_weights(call) + call->O);
    own[0] = (char *)arrays[0] + first * call->H * call->W * call->I * width;
    own[1] = (char *)arrays[1] + first * call->OH * call->OW * call->O * width;
    own[2] = gradient_of(&operation->shared[i]->arguments[2], i ? beside : arrays[2]);
    own[3] = i ? beside + count_weights(call) : arrays[3];
}

CLONES static void add_gradients(size_t n, const float *restrict from, float *restrict to)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++)
        to[i] += from[i];
}

/* Piece `i` of as many as there are parts, of all gradients. */
static void add_piece(size_t i, size_t parts, size_t n, void *(*own)[ONEDNN_MOST_ARGUMENTS], int which)
{
    size_t from = n * i / parts, to = n * (i + 1) / parts;
    for (size_t k = 1; k < parts; k++)
        add_gradients(to - from, (const float *)own[k][which] + from, (float *)own[0][which] + from);
}

void onednn_run_shared(struct onednn *onednn, const struct onednn_operation *operation, void *const *arrays)
{
    const struct onednn_call *call = &operation->call;
    size_t parts = operation->share_count, P = count_gradient(operation->shared[0]);
    float *spare = ref_scratch(onednn, (parts - 1) * (count_weights(call) + call->O));
    void *(*own)[ONEDNN_MOST_ARGUMENTS] = mem_aligned(parts, sizeof *own);
    for (size_t i = 0; i < parts; i++)
        place_arrays(operation, i, arrays, spare, own[i]);
#pragma omp parallel
    {
#pragma omp for schedule(static, 1)
        for (size_t i = 0; i < parts; i++)
            onednn_execute(onednn, operation->shared[i], own[i]);
#pragma omp for schedule(static, 1)
        for (size_t i = 0; i < parts; i++) {
            add_piece(i, parts, P, own, 2);
            if (i == 0 && call->biased)
                for (size_t k = 1; k < parts; k++)
                    add_gradients(call->O, own[k][3], own[0][3]);
        }
    }
    free(own);
    ref_done(onednn);
}
