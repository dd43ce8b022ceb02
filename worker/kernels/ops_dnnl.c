/* The operations by oneDNN's C interface; see ops.h. A primitive is made for each shape when it first comes and kept:
 * making one takes about 50 microseconds, running one about 1 beside the work. */
#include "worker/kernels/ops_dnnl.h"

#include "common/map.h"
#include "common/mem.h"

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Shapes that are kept; a search over widths and batch sizes brings new ones for ever. */
enum { MOST_SHAPES = 256, MOST_ARGUMENTS = 4 };

enum kind { LINEAR, BACK_DATA, BACK_WEIGHTS, ACTIVATE, ACTIVATE_BACK = ACTIVATE + OPS_ACTIVATIONS_COUNT };

/* A primitive of one shape and the memories that it is called with. */
struct operation {
    dnnl_primitive_t primitive;
    dnnl_exec_arg_t arguments[MOST_ARGUMENTS];
    int count;
};

struct dnnl {
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    struct map operations; /* by key() */
};

/* What fails here is memory or a bug of ours: the process ends, which costs one run. */
void ops_dnnl_check(dnnl_status_t status, const char *what)
{
    if (status == dnnl_success)
        return;
    fprintf(stderr, "gannet: oneDNN can't %s: %s\n", what,
            status == dnnl_out_of_memory   ? "out of memory"
            : status == dnnl_unimplemented ? "not implemented for this shape and processor"
                                           : "invalid arguments");
    abort();
}

static uint64_t operation_key(enum kind kind, size_t B, size_t I, size_t O)
{
    assert((unsigned)kind < 16 && B < 1 << 20 && I < 1 << 20 && O < 1 << 20);
    return (uint64_t)kind << 60 | (uint64_t)B << 40 | (uint64_t)I << 20 | O;
}

/* --- making primitives --- */

static dnnl_memory_t matrix(struct dnnl *dnnl, size_t rows, size_t columns)
{
    return ops_dnnl_memory(dnnl->engine, 2, (dnnl_dims_t){(dnnl_dim_t)rows, (dnnl_dim_t)columns});
}

static dnnl_memory_t vector(struct dnnl *dnnl, size_t length)
{
    return ops_dnnl_memory(dnnl->engine, 1, (dnnl_dims_t){(dnnl_dim_t)length});
}

/* The operation owns the memory from now on. */
static void add_argument(struct operation *operation, int which, dnnl_memory_t memory)
{
    operation->arguments[operation->count++] = (dnnl_exec_arg_t){which, memory};
}

static void compile_operation(struct operation *operation, dnnl_primitive_desc_t description)
{
    ops_dnnl_check(dnnl_primitive_create(&operation->primitive, description), "make an operation");
    dnnl_primitive_desc_destroy(description);
}

static void make_linear(struct dnnl *dnnl, struct operation *made, enum kind kind, size_t B, size_t I, size_t O)
{
    struct ops_dnnl_layer layer = {.x = matrix(dnnl, B, I), .w = matrix(dnnl, O, I), .y = matrix(dnnl, B, O)};
    if (kind != BACK_DATA)
        layer.b = vector(dnnl, O);
    dnnl_primitive_desc_t forward = ops_dnnl_linear(dnnl->engine, &layer);
    switch (kind) {
    case BACK_DATA:
        compile_operation(made, ops_dnnl_linear_back_data(dnnl->engine, &layer, forward));
        add_argument(made, DNNL_ARG_DIFF_DST, layer.y);
        add_argument(made, DNNL_ARG_WEIGHTS, layer.w);
        add_argument(made, DNNL_ARG_DIFF_SRC, layer.x);
        break;
    case BACK_WEIGHTS:
        compile_operation(made, ops_dnnl_linear_back_weights(dnnl->engine, &layer, forward));
        add_argument(made, DNNL_ARG_SRC, layer.x);
        add_argument(made, DNNL_ARG_DIFF_DST, layer.y);
        add_argument(made, DNNL_ARG_DIFF_WEIGHTS, layer.w);
        add_argument(made, DNNL_ARG_DIFF_BIAS, layer.b);
        break;
    default:
        compile_operation(made, forward);
        add_argument(made, DNNL_ARG_SRC, layer.x);
        add_argument(made, DNNL_ARG_WEIGHTS, layer.w);
        add_argument(made, DNNL_ARG_BIAS, layer.b);
        add_argument(made, DNNL_ARG_DST, layer.y);
        return;
    }
    dnnl_primitive_desc_destroy(forward);
}

static void make_activation(struct dnnl *dnnl, struct operation *made, enum kind kind, size_t n)
{
    static const dnnl_alg_kind_t functions[] = {[OPS_RELU] = dnnl_eltwise_relu,
                                                [OPS_TANH] = dnnl_eltwise_tanh,
                                                [OPS_SIGMOID] = dnnl_eltwise_logistic,
                                                [OPS_GELU] = dnnl_eltwise_gelu_erf};
    bool back = kind >= ACTIVATE_BACK;
    dnnl_alg_kind_t f = functions[kind - (back ? ACTIVATE_BACK : ACTIVATE)];
    dnnl_memory_t z = vector(dnnl, n);
    dnnl_primitive_desc_t forward = ops_dnnl_activation(dnnl->engine, f, z);
    add_argument(made, DNNL_ARG_SRC, z);
    if (back) {
        compile_operation(made, ops_dnnl_activation_back(dnnl->engine, f, z, forward));
        add_argument(made, DNNL_ARG_DIFF_DST, vector(dnnl, n));
        add_argument(made, DNNL_ARG_DIFF_SRC, vector(dnnl, n));
        dnnl_primitive_desc_destroy(forward);
    } else {
        compile_operation(made, forward);
        add_argument(made, DNNL_ARG_DST, vector(dnnl, n));
    }
}

/* --- keeping and running them --- */

static void forget_all(struct dnnl *dnnl)
{
    struct map_entry entry;
    for (size_t at = 0; map_next(&dnnl->operations, &at, &entry);) {
        struct operation *operation = entry.value;
        for (int i = 0; i < operation->count; i++)
            dnnl_memory_destroy(operation->arguments[i].memory);
        dnnl_primitive_destroy(operation->primitive);
        free(operation);
    }
    map_fini(&dnnl->operations);
}

static struct operation *find_operation(struct dnnl *dnnl, enum kind kind, size_t B, size_t I, size_t O)
{
    uint64_t at = operation_key(kind, B, I, O);
    struct operation *operation = map_get(&dnnl->operations, at);
    if (operation)
        return operation;
    if (dnnl->operations.count == MOST_SHAPES)
        forget_all(dnnl);
    operation = MEM_NEW(struct operation);
    if (kind < ACTIVATE)
        make_linear(dnnl, operation, kind, B, I, O);
    else
        make_activation(dnnl, operation, kind, B * O);
    map_put(&dnnl->operations, at, operation);
    return operation;
}

/* Runs it on these arrays, in the order in which its arguments were added. */
static void run_operation(struct dnnl *dnnl, struct operation *operation, const float *const *arrays)
{
    for (int i = 0; i < operation->count; i++)
        ops_dnnl_check(dnnl_memory_set_data_handle(operation->arguments[i].memory, (void *)(uintptr_t)arrays[i]),
                       "set a memory");
    ops_dnnl_check(dnnl_primitive_execute(operation->primitive, dnnl->stream, operation->count, operation->arguments),
                   "run");
    ops_dnnl_check(dnnl_stream_wait(dnnl->stream), "wait");
}

static void destroy_dnnl(void *self)
{
    struct dnnl *dnnl = self;
    if (!dnnl)
        return;
    forget_all(dnnl);
    dnnl_stream_destroy(dnnl->stream);
    dnnl_engine_destroy(dnnl->engine);
    free(dnnl);
}

static void linear_dnnl(void *self, size_t B, size_t I, size_t O, const float *x, const float *w, const float *b,
                        float *y)
{
    run_operation(self, find_operation(self, LINEAR, B, I, O), (const float *[]){x, w, b, y});
}

static void linear_back_data(void *self, size_t B, size_t I, size_t O, const float *dy, const float *w, float *dx)
{
    run_operation(self, find_operation(self, BACK_DATA, B, I, O), (const float *[]){dy, w, dx});
}

static void linear_back_weights(void *self, size_t B, size_t I, size_t O, const float *x, const float *dy, float *dw,
                                float *db)
{
    run_operation(self, find_operation(self, BACK_WEIGHTS, B, I, O), (const float *[]){x, dy, dw, db});
}

static void activate_dnnl(void *self, enum ops_activation f, size_t B, size_t O, const float *z, float *a)
{
    run_operation(self, find_operation(self, (enum kind)(ACTIVATE + (int)f), B, 1, O), (const float *[]){z, a});
}

static void activate_back(void *self, enum ops_activation f, size_t B, size_t O, const float *z, const float *da,
                          float *dz)
{
    run_operation(self, find_operation(self, (enum kind)(ACTIVATE_BACK + (int)f), B, 1, O),
                  (const float *[]){z, da, dz});
}

/* oneDNN compiles its matrix products when they are first used, which takes about 50 ms: here, so that it is not taken
 * for the time of the first trial's forward pass. */
static void warm_up(struct dnnl *dnnl)
{
    enum { B = 64, I = 784, O = 128 }; /* large enough for the products in blocks */
    float *x = mem_aligned(B * I + O * I + O + B * O, sizeof *x), *w = x + B * I, *b = w + O * I, *y = b + O;
    linear_dnnl(dnnl, B, I, O, x, w, b, y);
    linear_back_data(dnnl, B, I, O, y, w, x);
    linear_back_weights(dnnl, B, I, O, x, y, w, b);
    free(x);
}

static void *create_dnnl(void)
{
    struct dnnl *dnnl = MEM_NEW(struct dnnl);
    ops_dnnl_check(dnnl_engine_create(&dnnl->engine, dnnl_cpu, 0), "start");
    ops_dnnl_check(dnnl_stream_create(&dnnl->stream, dnnl->engine, dnnl_stream_default_flags), "start");
    warm_up(dnnl);
    return dnnl;
}

const struct ops ops_dnnl = {
    .name = "oneDNN",
    .create = create_dnnl,
    .destroy = destroy_dnnl,
    .linear = linear_dnnl,
    .linear_back_data = linear_back_data,
    .linear_back_weights = linear_back_weights,
    .activate = activate_dnnl,
    .activate_back = activate_back,
};
