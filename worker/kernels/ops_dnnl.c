/* The operations by oneDNN's C interface (version 2); see ops.h. A primitive is made for each shape when it first comes
 * and kept: making one takes about 50 microseconds, running one about 1 beside the work. */
#ifdef HAVE_ONEDNN
#include "worker/kernels/ops.h"

#include "common/map.h"
#include "common/mem.h"

#include <assert.h>
#include <dnnl.h>
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
static void check(dnnl_status_t status, const char *what)
{
    if (status == dnnl_success)
        return;
    fprintf(stderr, "gannet: oneDNN can't %s: %s\n", what,
            status == dnnl_out_of_memory   ? "out of memory"
            : status == dnnl_unimplemented ? "not implemented for this shape and processor"
                                           : "invalid arguments");
    abort();
}

static uint64_t key(enum kind kind, size_t B, size_t I, size_t O)
{
    assert((unsigned)kind < 16 && B < 1 << 20 && I < 1 << 20 && O < 1 << 20);
    return (uint64_t)kind << 60 | (uint64_t)B << 40 | (uint64_t)I << 20 | O;
}

/* --- making primitives --- */

static dnnl_memory_desc_t matrix(size_t rows, size_t columns)
{
    dnnl_memory_desc_t made;
    dnnl_dims_t dims = {(dnnl_dim_t)rows, (dnnl_dim_t)columns};
    check(dnnl_memory_desc_init_by_tag(&made, 2, dims, dnnl_f32, dnnl_ab), "describe a matrix");
    return made;
}

static dnnl_memory_desc_t vector(size_t length)
{
    dnnl_memory_desc_t made;
    dnnl_dims_t dims = {(dnnl_dim_t)length};
    check(dnnl_memory_desc_init_by_tag(&made, 1, dims, dnnl_f32, dnnl_a), "describe a vector");
    return made;
}

static void add_argument(struct dnnl *dnnl, struct operation *operation, int which, const dnnl_memory_desc_t *shape)
{
    dnnl_memory_t memory;
    check(dnnl_memory_create(&memory, shape, dnnl->engine, DNNL_MEMORY_NONE), "make a memory");
    operation->arguments[operation->count++] = (dnnl_exec_arg_t){which, memory};
}

/* `hint`: the forward primitive that a backward one belongs to, or NULL. */
static dnnl_primitive_desc_t describe(struct dnnl *dnnl, const_dnnl_op_desc_t wanted, const_dnnl_primitive_desc_t hint)
{
    dnnl_primitive_desc_t made;
    check(dnnl_primitive_desc_create(&made, wanted, NULL, dnnl->engine, hint), "describe an operation");
    return made;
}

static void compile(struct operation *operation, dnnl_primitive_desc_t description)
{
    check(dnnl_primitive_create(&operation->primitive, description), "make an operation");
    dnnl_primitive_desc_destroy(description);
}

static void make_linear(struct dnnl *dnnl, struct operation *made, enum kind kind, size_t B, size_t I, size_t O)
{
    dnnl_memory_desc_t x = matrix(B, I), w = matrix(O, I), b = vector(O), y = matrix(B, O);
    dnnl_inner_product_desc_t wanted;
    check(dnnl_inner_product_forward_desc_init(&wanted, dnnl_forward_training, &x, &w, &b, &y), "describe a layer");
    dnnl_primitive_desc_t forward = describe(dnnl, &wanted, NULL);
    switch (kind) {
    case BACK_DATA:
        check(dnnl_inner_product_backward_data_desc_init(&wanted, &x, &w, &y), "describe a layer");
        compile(made, describe(dnnl, &wanted, forward));
        add_argument(dnnl, made, DNNL_ARG_DIFF_DST, &y);
        add_argument(dnnl, made, DNNL_ARG_WEIGHTS, &w);
        add_argument(dnnl, made, DNNL_ARG_DIFF_SRC, &x);
        break;
    case BACK_WEIGHTS:
        check(dnnl_inner_product_backward_weights_desc_init(&wanted, &x, &w, &b, &y), "describe a layer");
        compile(made, describe(dnnl, &wanted, forward));
        add_argument(dnnl, made, DNNL_ARG_SRC, &x);
        add_argument(dnnl, made, DNNL_ARG_DIFF_DST, &y);
        add_argument(dnnl, made, DNNL_ARG_DIFF_WEIGHTS, &w);
        add_argument(dnnl, made, DNNL_ARG_DIFF_BIAS, &b);
        break;
    default:
        compile(made, describe(dnnl, &wanted, NULL));
        add_argument(dnnl, made, DNNL_ARG_SRC, &x);
        add_argument(dnnl, made, DNNL_ARG_WEIGHTS, &w);
        add_argument(dnnl, made, DNNL_ARG_BIAS, &b);
        add_argument(dnnl, made, DNNL_ARG_DST, &y);
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
    dnnl_memory_desc_t z = vector(n);
    dnnl_eltwise_desc_t wanted;
    check(dnnl_eltwise_forward_desc_init(&wanted, dnnl_forward_training, f, &z, 0, 0), "describe an activation");
    dnnl_primitive_desc_t forward = describe(dnnl, &wanted, NULL);
    add_argument(dnnl, made, DNNL_ARG_SRC, &z);
    if (back) {
        check(dnnl_eltwise_backward_desc_init(&wanted, f, &z, &z, 0, 0), "describe an activation");
        compile(made, describe(dnnl, &wanted, forward));
        add_argument(dnnl, made, DNNL_ARG_DIFF_DST, &z);
        add_argument(dnnl, made, DNNL_ARG_DIFF_SRC, &z);
        dnnl_primitive_desc_destroy(forward);
    } else {
        compile(made, forward);
        add_argument(dnnl, made, DNNL_ARG_DST, &z);
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

static struct operation *find(struct dnnl *dnnl, enum kind kind, size_t B, size_t I, size_t O)
{
    uint64_t at = key(kind, B, I, O);
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
static void run(struct dnnl *dnnl, struct operation *operation, const float *const *arrays)
{
    for (int i = 0; i < operation->count; i++)
        check(dnnl_memory_set_data_handle(operation->arguments[i].memory, (void *)(uintptr_t)arrays[i]),
              "set a memory");
    check(dnnl_primitive_execute(operation->primitive, dnnl->stream, operation->count, operation->arguments), "run");
    check(dnnl_stream_wait(dnnl->stream), "wait");
}

static void destroy(void *self)
{
    struct dnnl *dnnl = self;
    if (!dnnl)
        return;
    forget_all(dnnl);
    dnnl_stream_destroy(dnnl->stream);
    dnnl_engine_destroy(dnnl->engine);
    free(dnnl);
}

static void linear(void *self, size_t B, size_t I, size_t O, const float *x, const float *w, const float *b, float *y)
{
    run(self, find(self, LINEAR, B, I, O), (const float *[]){x, w, b, y});
}

static void linear_back_data(void *self, size_t B, size_t I, size_t O, const float *dy, const float *w, float *dx)
{
    run(self, find(self, BACK_DATA, B, I, O), (const float *[]){dy, w, dx});
}

static void linear_back_weights(void *self, size_t B, size_t I, size_t O, const float *x, const float *dy, float *dw,
                                float *db)
{
    run(self, find(self, BACK_WEIGHTS, B, I, O), (const float *[]){x, dy, dw, db});
}

static void activate(void *self, enum ops_activation f, size_t B, size_t O, const float *z, float *a)
{
    run(self, find(self, (enum kind)(ACTIVATE + f), B, 1, O), (const float *[]){z, a});
}

static void activate_back(void *self, enum ops_activation f, size_t B, size_t O, const float *z, const float *da,
                          float *dz)
{
    run(self, find(self, (enum kind)(ACTIVATE_BACK + f), B, 1, O), (const float *[]){z, da, dz});
}

/* oneDNN compiles its matrix products when they are first used, which takes about 50 ms: here, so that it is not taken
 * for the time of the first trial's forward pass. */
static void warm_up(struct dnnl *dnnl)
{
    enum { B = 64, I = 784, O = 128 }; /* large enough for the products in blocks */
    float *x = mem_aligned(B * I + O * I + O + B * O, sizeof *x), *w = x + B * I, *b = w + O * I, *y = b + O;
    linear(dnnl, B, I, O, x, w, b, y);
    linear_back_data(dnnl, B, I, O, y, w, x);
    linear_back_weights(dnnl, B, I, O, x, y, w, b);
    free(x);
}

static void *create(void)
{
    struct dnnl *dnnl = MEM_NEW(struct dnnl);
    check(dnnl_engine_create(&dnnl->engine, dnnl_cpu, 0), "start");
    check(dnnl_stream_create(&dnnl->stream, dnnl->engine, dnnl_stream_default_flags), "start");
    warm_up(dnnl);
    return dnnl;
}

const struct ops ops_dnnl = {
    .name = "oneDNN",
    .create = create,
    .destroy = destroy,
    .linear = linear,
    .linear_back_data = linear_back_data,
    .linear_back_weights = linear_back_weights,
    .activate = activate,
    .activate_back = activate_back,
};
#else
typedef int ops_dnnl_is_not_in_this_build; /* a source file must declare something */
#endif
