/* Primitives that are made once and kept; see onednn.h. Making one takes some 50 microseconds, a convolution
 * milliseconds; running one about one microsecond beside the work. */
#include "worker/backend/onednn.h"
#include "worker/backend/team.h"

#include "common/clock.h"
#include "common/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Shapes that are kept; a search over widths and batch sizes brings new ones for ever. */
enum { MOST_SHAPES = 512 };

/* What fails here is memory or a bug of ours: the process ends, which costs one run. */
void onednn_check(dnnl_status_t status, const char *what)
{
    if (status == dnnl_success)
        return;
    fprintf(stderr, "gannet: oneDNN can't %s: %s\n", what,
            status == dnnl_out_of_memory   ? "out of memory"
            : status == dnnl_unimplemented ? "not implemented for this shape and processor"
                                           : "invalid arguments");
    abort();
}

/* --- making --- */

/* The arguments of each kind in the order in which onednn_run takes their arrays: what is read, then what is written.
 */
struct cached_argument {
    int which;   /* DNNL_ARG_...; 0 ends */
    char layout; /* of the descriptor: x, w, b, y; o: workspace */
    bool written;
};

static const struct cached_argument parameters[][ONEDNN_MOST_ARGUMENTS] = {
    [ONEDNN_DENSE_ADDED] = {{DNNL_ARG_SRC, 'x', 0}, {DNNL_ARG_WEIGHTS, 'w', 0}, {DNNL_ARG_DST, 'y', 1}},
    [ONEDNN_DENSE] = {{DNNL_ARG_SRC, 'x', 0},
                      {DNNL_ARG_WEIGHTS, 'w', 0},
                      {DNNL_ARG_BIAS, 'b', 0},
                      {DNNL_ARG_DST, 'y', 1}},
    [ONEDNN_DENSE_BACK_DATA] = {{DNNL_ARG_DIFF_DST, 'y', 0}, {DNNL_ARG_WEIGHTS, 'w', 0}, {DNNL_ARG_DIFF_SRC, 'x', 1}},
    [ONEDNN_DENSE_BACK_WEIGHTS] = {{DNNL_ARG_SRC, 'x', 0},
                                   {DNNL_ARG_DIFF_DST, 'y', 0},
                                   {DNNL_ARG_DIFF_WEIGHTS, 'w', 1},
                                   {DNNL_ARG_DIFF_BIAS, 'b', 1}},
    [ONEDNN_CONV] = {{DNNL_ARG_SRC, 'x', 0},
                     {DNNL_ARG_WEIGHTS, 'w', 0},
                     {DNNL_ARG_BIAS, 'b', 0},
                     {DNNL_ARG_DST, 'y', 1}},
    [ONEDNN_CONV_BACK_DATA] = {{DNNL_ARG_DIFF_DST, 'y', 0}, {DNNL_ARG_WEIGHTS, 'w', 0}, {DNNL_ARG_DIFF_SRC, 'x', 1}},
    [ONEDNN_CONV_BACK_WEIGHTS] = {{DNNL_ARG_SRC, 'x', 0},
                                  {DNNL_ARG_DIFF_DST, 'y', 0},
                                  {DNNL_ARG_DIFF_WEIGHTS, 'w', 1},
                                  {DNNL_ARG_DIFF_BIAS, 'b', 1}},
    [ONEDNN_POOL] = {{DNNL_ARG_SRC, 'x', 0}, {DNNL_ARG_DST, 'y', 1}, {DNNL_ARG_WORKSPACE, 'o', 1}},
    [ONEDNN_POOL_BACK] = {{DNNL_ARG_DIFF_DST, 'y', 0}, {DNNL_ARG_WORKSPACE, 'o', 0}, {DNNL_ARG_DIFF_SRC, 'x', 1}},
    [ONEDNN_ACTIVATE] = {{DNNL_ARG_SRC, 'x', 0}, {DNNL_ARG_DST, 'x', 1}},
    [ONEDNN_ACTIVATE_BACK] = {{0, 'x', 0}, {DNNL_ARG_DIFF_DST, 'x', 0}, {DNNL_ARG_DIFF_SRC, 'x', 1}}, /* see which_of */
};

/* How many arguments a kind has. */
static int parameter_count(enum onednn_kind kind)
{
    int count = 0;
    while (count < ONEDNN_MOST_ARGUMENTS && parameters[kind][count].layout)
        count++;
    return count;
}

/* An activation's way back takes what its way forward made, if that is enough, or what it was made from. */
static int which_of(const struct onednn_call *call, const struct cached_argument *parameter)
{
    if (parameter->which)
        return parameter->which;
    return activation_forgets((enum activation)call->activation) ? DNNL_ARG_DST : DNNL_ARG_SRC;
}

/* Where ours differs from what the primitive wants, an array of its own and the reordering from one to the other. */
static void pack_argument(struct onednn *onednn, struct onednn_argument *argument, onednn_shape wanted, bool written)
{
    onednn_shape ours;
    dnnl_primitive_desc_t description;
    onednn_check(dnnl_memory_get_memory_desc(argument->ours, &ours), "read a layout");
    if (dnnl_memory_desc_equal(ours, wanted))
        return;
    onednn_check(dnnl_memory_create(&argument->packed, wanted, onednn->engine, DNNL_MEMORY_ALLOCATE), "make a memory");
    onednn_check(dnnl_reorder_primitive_desc_create(&description, written ? wanted : ours, onednn->engine,
                                                    written ? ours : wanted, onednn->engine, NULL),
                 "describe a reordering");
    onednn_check(dnnl_primitive_create(&argument->reorder, description), "make a reordering");
    dnnl_primitive_desc_destroy(description);
}

static const struct onednn_layout *layout_in(const struct onednn_descriptor *descriptor, char name)
{
    return name == 'x' ? &descriptor->x : name == 'w' ? &descriptor->w : name == 'b' ? &descriptor->b : &descriptor->y;
}

/* What a maximum pool keeps for its way back; a mean needs none. */
static bool add_workspace(struct onednn *onednn, struct onednn_operation *made, const_dnnl_primitive_desc_t description,
                          struct onednn_argument *argument)
{
    onednn_shape shape = dnnl_primitive_desc_query_md(description, dnnl_query_workspace_md, 0);
    made->workspace = shape ? dnnl_memory_desc_get_size(shape) : 0;
    if (made->workspace)
        onednn_check(dnnl_memory_create(&argument->ours, shape, onednn->engine, DNNL_MEMORY_NONE), "make a memory");
    return made->workspace > 0;
}

static void add_arguments(struct onednn *onednn, struct onednn_operation *made,
                          const struct onednn_descriptor *descriptor, const_dnnl_primitive_desc_t description)
{
    made->count = parameter_count(descriptor->kind);
    for (int i = 0; i < made->count; i++) {
        const struct cached_argument *parameter = &parameters[descriptor->kind][i];
        struct onednn_argument *argument = &made->arguments[i];
        struct onednn_layout layout = *layout_in(descriptor, parameter->layout);
        int which = which_of(&made->call, parameter);
        made->results += parameter->written;
        made->passed[i].arg = which;
        if (parameter->layout == 'o') {
            add_workspace(onednn, made, description, argument);
        } else if (layout.axes) {
            layout.tag = layout.tag != dnnl_format_tag_any ? layout.tag : layout.axes == 2 ? dnnl_ab : dnnl_ohwi;
            argument->ours = onednn_memory(onednn->engine, &layout);
            if (parameter->layout == 'w')
                pack_argument(onednn, argument,
                              dnnl_primitive_desc_query_md(description, dnnl_query_exec_arg_md, which),
                              parameter->written);
        }
        made->passed[i].memory = argument->packed ? argument->packed : argument->ours;
    }
}

/* The activation that follows a product, or what it is added to. */
static void append_operations(const struct onednn_descriptor *descriptor, dnnl_primitive_attr_t attributes)
{
    dnnl_post_ops_t operations = NULL;
    bool added = descriptor->kind == ONEDNN_DENSE_ADDED;
    if (!added && ((descriptor->kind != ONEDNN_DENSE && descriptor->kind != ONEDNN_CONV) ||
                   descriptor->algorithm == dnnl_alg_kind_undef))
        return;
    onednn_check(dnnl_post_ops_create(&operations), "describe an operation");
    onednn_check(added ? onednn_append_sum(operations) : onednn_append(operations, descriptor->algorithm),
                 "describe what follows a product");
    onednn_check(dnnl_primitive_attr_set_post_ops(attributes, operations), "describe an operation");
    dnnl_post_ops_destroy(operations);
}

/* What oneDNN keeps of scratch memory is the thread's that makes a primitive; a part runs in another. */
static dnnl_primitive_attr_t attributes_of(const struct onednn_descriptor *descriptor, bool part)
{
    dnnl_primitive_attr_t attributes = NULL;
    onednn_check(dnnl_primitive_attr_create(&attributes), "describe an operation");
    append_operations(descriptor, attributes);
    if (part)
        onednn_check(dnnl_primitive_attr_set_scratchpad_mode(attributes, dnnl_scratchpad_mode_user),
                     "leave memory to its caller");
    return attributes;
}

static void add_scratch(struct onednn *onednn, struct onednn_operation *made, const_dnnl_primitive_desc_t description)
{
    onednn_shape shape = dnnl_primitive_desc_query_md(description, dnnl_query_scratchpad_md, 0);
    if (made->call.part && shape && dnnl_memory_desc_get_size(shape))
        onednn_check(dnnl_memory_create(&made->scratch, shape, onednn->engine, DNNL_MEMORY_ALLOCATE), "make a memory");
}

static bool goes_back(enum onednn_kind kind)
{
    return kind != ONEDNN_DENSE_ADDED && kind != ONEDNN_DENSE && kind != ONEDNN_CONV && kind != ONEDNN_POOL &&
           kind != ONEDNN_ACTIVATE;
}

struct onednn_operation *onednn_make(struct onednn *onednn, const struct onednn_call *call)
{
    struct onednn_operation *made = MEM_NEW(struct onednn_operation);
    struct onednn_descriptor descriptor = onednn_descriptor_of(call), before = onednn_descriptor_forward(&descriptor);
    dnnl_primitive_desc_t forward = NULL, description = NULL;
    dnnl_primitive_attr_t attributes = attributes_of(&descriptor, call->part);
    made->call = *call;
    if (goes_back(descriptor.kind))
        forward = onednn_describe(onednn->engine, &before, NULL, NULL);
    if (forward || !goes_back(descriptor.kind))
        description = onednn_describe(onednn->engine, &descriptor, attributes, forward);
    if (description) {
        onednn_check(dnnl_primitive_create(&made->primitive, description), "make an operation");
        add_arguments(onednn, made, &descriptor, description);
        add_scratch(onednn, made, description);
        dnnl_primitive_desc_destroy(description);
    }
    if (forward)
        dnnl_primitive_desc_destroy(forward);
    dnnl_primitive_attr_destroy(attributes);
    return made;
}

/* --- keeping --- */

void onednn_unmake(struct onednn_operation *operation)
{
    if (!operation)
        return;
    for (int i = 0; i < operation->count; i++) {
        const struct onednn_argument *argument = &operation->arguments[i];
        if (argument->ours)
            dnnl_memory_destroy(argument->ours);
        if (argument->packed)
            dnnl_memory_destroy(argument->packed);
        if (argument->reorder)
            dnnl_primitive_destroy(argument->reorder);
    }
    if (operation->primitive)
        dnnl_primitive_destroy(operation->primitive);
    if (operation->scratch)
        dnnl_memory_destroy(operation->scratch);
    for (size_t i = 0; i < operation->share_count; i++)
        onednn_unmake(operation->shared[i]);
    free(operation->shared);
    free(operation);
}

void onednn_forget(struct onednn *onednn)
{
    struct map_entry entry;
    for (size_t at = 0; map_next(&onednn->operations, &at, &entry);)
        onednn_unmake(entry.value);
    map_fini(&onednn->operations);
}

static uint64_t hash_call(const struct onednn_call *call)
{
    enum { WORDS = sizeof *call / sizeof(uint32_t) };
    uint32_t words[WORDS];
    uint64_t hash = 0;
    memcpy(words, call, sizeof words);
    for (size_t i = 0; i < WORDS; i++)
        hash = (hash ^ words[i]) * 0x9e3779b97f4a7c15u, hash ^= hash >> 32;
    return hash;
}

struct onednn_operation *onednn_find(struct onednn *onednn, const struct onednn_call *wanted)
{
    struct onednn_call keyed = *wanted, *call = &keyed;
    call->threads = (uint32_t)team_threads(); /* trials may have different numbers of them */
    uint64_t key = hash_call(call);
    struct onednn_operation *operation = map_get(&onednn->operations, key);
    if (!operation || memcmp(&operation->call, call, sizeof *call) != 0) {
        if (operation || onednn->operations.count == MOST_SHAPES)
            onednn_forget(onednn);
        double then = clock_monotonic();
        operation = onednn_share(onednn, call);
        operation = operation ? operation : onednn_make(onednn, call);
        onednn->prepared += clock_monotonic() - then;
        map_put(&onednn->operations, key, operation);
    }
    return operation->primitive || operation->shared ? operation : NULL;
}

/* --- running --- */

static void reorder_argument(struct onednn *onednn, const struct onednn_argument *argument, bool written)
{
    dnnl_exec_arg_t both[] = {{DNNL_ARG_FROM, written ? argument->packed : argument->ours},
                              {DNNL_ARG_TO, written ? argument->ours : argument->packed}};
    onednn_check(dnnl_primitive_execute(argument->reorder, onednn->stream, 2, both), "reorder");
}

void onednn_run(struct onednn *onednn, struct onednn_operation *operation, void *const *arrays)
{
    onednn_run_again(onednn, operation, arrays, false);
}

void onednn_execute(struct onednn *onednn, const struct onednn_operation *operation, void *const *arrays)
{
    int passed = 0;
    dnnl_exec_arg_t there[ONEDNN_MOST_ARGUMENTS + 1];
    for (int i = 0; i < operation->count; i++) {
        const struct onednn_argument *argument = &operation->arguments[i];
        if (!argument->ours)
            continue;
        if (!argument->packed)
            onednn_check(dnnl_memory_set_data_handle(argument->ours, arrays[i]), "set a memory");
        there[passed++] = operation->passed[i];
    }
    if (operation->scratch)
        there[passed++] = (dnnl_exec_arg_t){DNNL_ARG_SCRATCHPAD, operation->scratch};
    onednn_check(dnnl_primitive_execute(operation->primitive, onednn->stream, passed, there), "run");
}

/* Of the arguments from one to before another. */
static void reorder_arguments(struct onednn *onednn, const struct onednn_operation *operation, void *const *arrays,
                              int from, int to)
{
    for (int i = from; i < to; i++) {
        const struct onednn_argument *argument = &operation->arguments[i];
        if (!argument->reorder)
            continue;
        onednn_check(dnnl_memory_set_data_handle(argument->ours, arrays[i]), "set a memory");
        reorder_argument(onednn, argument, i >= operation->count - operation->results);
    }
}

void onednn_run_again(struct onednn *onednn, struct onednn_operation *operation, void *const *arrays, bool again)
{
    int read = operation->count - operation->results;
    reorder_arguments(onednn, operation, arrays, 0, again ? 0 : read);
    (operation->shared ? onednn_run_shared : onednn_execute)(onednn, operation, arrays);
    reorder_arguments(onednn, operation->shared ? operation->shared[0] : operation, arrays, read, operation->count);
    onednn_check(dnnl_stream_wait(onednn->stream), "wait");
}
