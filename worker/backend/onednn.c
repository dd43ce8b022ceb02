/* The backend of oneDNN: its slots; see onednn.h. Products, convolutions, pools and activations are oneDNN's, where it
 * has them for the shape and the processor; the rest is one pass over memory and borrowed from the loops of ref.h, or
 * loops for several threads in files of their own. Sums are in oneDNN's order, which follows from shape, processor and
 * the number of threads: the same call gives the same bits. */
#include "worker/backend/onednn.h"

#include "common/mem.h"
#include "worker/backend/narrow.h"

#include <stdlib.h>

static bool is_narrow(const struct tensor *x)
{
    return x->type == TENSOR_BF16;
}

/* Whether oneDNN has the call; it was then run on the arrays. */
static bool run_call(void *self, const struct onednn_call *call, void *const *arrays)
{
    struct onednn_operation *operation = onednn_find(self, call);
    if (operation)
        onednn_run(self, operation, arrays);
    return operation;
}

static void *array_of(const struct tensor *tensor)
{
    return tensor ? tensor->at : NULL;
}

/* --- products --- */

static struct onednn_call dense_call(enum onednn_kind kind, const struct tensor *x, const struct tensor *w,
                                     const struct tensor *b, enum activation f)
{
    return (struct onednn_call){.kind = kind,
                                .narrow = is_narrow(x),
                                .activation = f,
                                .biased = b != NULL,
                                .B = (uint32_t)x->size[0],
                                .I = (uint32_t)tensor_width(x),
                                .O = (uint32_t)w->size[0]};
}

/* All of x, w and y are of one type here; what is mixed is for the loops. */
static bool same_type(const struct tensor *a, const struct tensor *b)
{
    return a->type == b->type;
}

static void onednn_activate(void *self, enum activation f, const struct tensor *z, const struct tensor *a);

static void activate_product(void *self, enum activation f, const struct tensor *y)
{
    if (f != ACTIVATION_NONE && f != ACTIVATION_RELU)
        onednn_activate(self, f, y, y);
}

static void onednn_dense(void *self, const struct tensor *x, const struct tensor *w, const struct tensor *b,
                         enum activation f, const struct tensor *y)
{
    struct onednn_call call = dense_call(ONEDNN_DENSE, x, w, b, f);
    void *arrays[] = {x->at, w->at, array_of(b), y->at};
    bool same = same_type(x, w) && same_type(x, y);
    if (same && onednn_share_dense(self, &call, arrays))
        activate_product(self, f, y);
    else if (!same || !run_call(self, &call, arrays))
        ref_dense(self, x, w, b, f, y);
}

static void onednn_dense_back_data(void *self, const struct tensor *dz, const struct tensor *w, const struct tensor *dx)
{
    struct onednn_call call = dense_call(ONEDNN_DENSE_BACK_DATA, dx, w, NULL, ACTIVATION_NONE);
    void *arrays[] = {dz->at, w->at, dx->at};
    bool same = same_type(dz, w) && same_type(dz, dx);
    if (!same || (!onednn_share_dense(self, &call, arrays) && !run_call(self, &call, arrays)))
        ref_dense_back_data(self, dz, w, dx);
}

static void onednn_dense_back_weights(void *self, const struct tensor *x, const struct tensor *dz,
                                      const struct tensor *dw, const struct tensor *db)
{
    struct onednn_call call = dense_call(ONEDNN_DENSE_BACK_WEIGHTS, x, dw, db, ACTIVATION_NONE);
    void *arrays[] = {x->at, dz->at, dw->at, array_of(db)};
    bool same = same_type(x, dz) && !is_narrow(dw);
    if (!same || (!onednn_share_dense(self, &call, arrays) && !run_call(self, &call, arrays)))
        ref_dense_back_weights(self, x, dz, dw, db);
}

/* --- windows --- */

static struct onednn_call window_call(enum onednn_kind kind, const struct window *window, const struct tensor *x,
                                      const struct tensor *y)
{
    return (struct onednn_call){.kind = kind,
                                .narrow = is_narrow(x),
                                .activation = ACTIVATION_NONE,
                                .B = (uint32_t)x->size[0],
                                .H = (uint32_t)x->size[1],
                                .W = (uint32_t)x->size[2],
                                .I = (uint32_t)x->size[3],
                                .OH = (uint32_t)y->size[1],
                                .OW = (uint32_t)y->size[2],
                                .O = (uint32_t)y->size[3],
                                .KH = (uint32_t)window->height,
                                .KW = (uint32_t)window->width,
                                .stride = (uint32_t)window->stride,
                                .padding = (uint32_t)window->padding};
}

static void onednn_conv(void *self, const struct window *window, const struct tensor *x, const struct tensor *w,
                        const struct tensor *b, enum activation f, const struct tensor *y)
{
    struct onednn_call call = window_call(ONEDNN_CONV, window, x, y);
    void *arrays[] = {x->at, w->at, array_of(b), y->at};
    call.activation = f;
    call.biased = b != NULL;
    if (!same_type(x, w) || !same_type(x, y) || !run_call(self, &call, arrays))
        ref_conv(self, window, x, w, b, f, y);
}

static void onednn_conv_back_data(void *self, const struct window *window, const struct tensor *dz,
                                  const struct tensor *w, const struct tensor *dx)
{
    struct onednn_call call = window_call(ONEDNN_CONV_BACK_DATA, window, dx, dz);
    void *arrays[] = {dz->at, w->at, dx->at};
    if (!same_type(dz, w) || !same_type(dz, dx) || !run_call(self, &call, arrays))
        ref_conv_back_data(self, window, dz, w, dx);
}

static void onednn_conv_back_weights(void *self, const struct window *window, const struct tensor *x,
                                     const struct tensor *dz, const struct tensor *dw, const struct tensor *db)
{
    struct onednn_call call = window_call(ONEDNN_CONV_BACK_WEIGHTS, window, x, dz);
    void *arrays[] = {x->at, dz->at, dw->at, array_of(db)};
    call.biased = db != NULL;
    if (!same_type(x, dz) || is_narrow(dw) || !run_call(self, &call, arrays))
        ref_conv_back_weights(self, window, x, dz, dw, db);
}

/* Where windows overlap, oneDNN's way back adds BF16 gradients up in BF16. */
static bool sums_narrow(const struct onednn_call *call)
{
    return call->narrow && (call->stride < call->KH || call->stride < call->KW);
}

/* Both ways of a maximum pool are oneDNN's or both the loops', since only they read what they keep. */
static bool has_pool(void *self, struct onednn_call call, const struct tensor *where)
{
    call.kind = ONEDNN_POOL_BACK;
    if (sums_narrow(&call) || !onednn_find(self, &call))
        return false;
    call.kind = ONEDNN_POOL;
    const struct onednn_operation *forward = onednn_find(self, &call);
    return forward && forward->workspace <= tensor_bytes(where);
}

static void onednn_pool_max(void *self, const struct window *window, const struct tensor *x, const struct tensor *y,
                            const struct tensor *where)
{
    struct onednn_call call = window_call(ONEDNN_POOL, window, x, y);
    if (!same_type(x, y) || !has_pool(self, call, where))
        ref_pool_max(self, window, x, y, where);
    else
        run_call(self, &call, (void *[]){x->at, y->at, where->at});
}

static void onednn_pool_max_back(void *self, const struct window *window, const struct tensor *dy,
                                 const struct tensor *where, const struct tensor *dx)
{
    struct onednn_call call = window_call(ONEDNN_POOL_BACK, window, dx, dy);
    if (!same_type(dx, dy) || !has_pool(self, call, where))
        ref_pool_max_back(self, window, dy, where, dx);
    else
        run_call(self, &call, (void *[]){dy->at, where->at, dx->at});
}

static void onednn_pool_mean(void *self, const struct window *window, const struct tensor *x, const struct tensor *y)
{
    struct onednn_call call = window_call(ONEDNN_POOL, window, x, y);
    void *arrays[] = {x->at, y->at, NULL};
    call.biased = true;
    if (!same_type(x, y) || !run_call(self, &call, arrays))
        ref_pool_mean(self, window, x, y);
}

static void onednn_pool_mean_back(void *self, const struct window *window, const struct tensor *dy,
                                  const struct tensor *dx)
{
    struct onednn_call call = window_call(ONEDNN_POOL_BACK, window, dx, dy);
    void *arrays[] = {dy->at, NULL, dx->at};
    call.biased = true;
    if (!same_type(dx, dy) || sums_narrow(&call) || !run_call(self, &call, arrays))
        ref_pool_mean_back(self, window, dy, dx);
}

/* --- activations --- */

static struct onednn_call activation_call(enum onednn_kind kind, enum activation f, const struct tensor *z)
{
    uint64_t count = tensor_count(z); /* may have more than 32 bits */
    return (struct onednn_call){
        .kind = kind, .narrow = is_narrow(z), .activation = f, .B = (uint32_t)count, .H = (uint32_t)(count >> 32)};
}

static void onednn_activate(void *self, enum activation f, const struct tensor *z, const struct tensor *a)
{
    struct onednn_call call = activation_call(ONEDNN_ACTIVATE, f, z);
    void *arrays[] = {z->at, a->at};
    if (f == ACTIVATION_NONE || !same_type(z, a) || !run_call(self, &call, arrays))
        ref_activate(self, f, z, a);
}

static void onednn_activate_back(void *self, enum activation f, const struct tensor *kept, const struct tensor *da,
                                 const struct tensor *dz)
{
    struct onednn_call call = activation_call(ONEDNN_ACTIVATE_BACK, f, kept);
    void *arrays[] = {kept->at, da->at, dz->at};
    if (f == ACTIVATION_RELU && !is_narrow(kept) && !is_narrow(da) && !is_narrow(dz))
        onednn_rectify_back(kept, da, dz);
    else if (f == ACTIVATION_NONE || !same_type(kept, da) || !same_type(kept, dz) || !run_call(self, &call, arrays))
        ref_activate_back(self, f, kept, da, dz);
}

/* --- the backend --- */

/* oneDNN compiles its matrix products when they are first used, which takes about 50 ms: here, so that it is not taken
 * for the time of the first trial's forward pass. */
static void warm_up(struct onednn *onednn)
{
    enum { B = 64, I = 784, O = 128 }; /* large enough for the products in blocks */
    const size_t count = B * I + O * I + O + B * O;
    float *numbers = mem_aligned(count, sizeof *numbers);
    for (size_t i = 0; i < count; i++)
        numbers[i] = 1; /* zeros would be left out */
    struct tensor x = {.axes = 2, .size = {B, I}, .at = numbers},
                  w = {.axes = 2, .size = {O, I}, .at = numbers + B * I};
    struct tensor b = {.axes = 1, .size = {O}, .at = numbers + B * I + O * I};
    struct tensor y = {.axes = 2, .size = {B, O}, .at = numbers + B * I + O * I + O};
    onednn_dense(onednn, &x, &w, &b, ACTIVATION_RELU, &y);
    onednn_dense_back_data(onednn, &y, &w, &x);
    onednn_dense_back_weights(onednn, &x, &y, &w, &b);
    free(numbers);
}

static int create_onednn(void **self, struct err *err)
{
    (void)err;
    struct onednn *onednn = MEM_NEW(struct onednn);
    onednn_check(dnnl_engine_create(&onednn->engine, dnnl_cpu, 0), "start");
    onednn_check(dnnl_stream_create(&onednn->stream, onednn->engine, dnnl_stream_default_flags), "start");
    warm_up(onednn);
    *self = onednn;
    return 0;
}

/* oneDNN has BF16 for every processor with AVX512, but without the instructions for it slower than F32. It may also
 * have been told to leave them alone, by the variable that the sentence names. */
static int takes_onednn(void *self, enum tensor_type type, struct err *err)
{
    unsigned needed = dnnl_cpu_isa_avx512_core_bf16, used = dnnl_get_effective_cpu_isa();
    (void)self;
    if (type != TENSOR_BF16)
        return 0;
    if (narrow_check("/proc/cpuinfo", err))
        return -1;
    if ((used & needed) != needed)
        return err_set(err, "oneDNN does not use this processor's instructions for bf16 here (ONEDNN_MAX_CPU_ISA or "
                            "DNNL_MAX_CPU_ISA may forbid it); " NARROW_ADVICE);
    return 0;
}

static void destroy_onednn(void *self)
{
    struct onednn *onednn = self;
    if (!onednn)
        return;
    onednn_forget(onednn);
    dnnl_stream_destroy(onednn->stream);
    dnnl_engine_destroy(onednn->engine);
    ref_fini(&onednn->ref);
    free(onednn);
}

static double prepared_onednn(void *self)
{
    return ((const struct onednn *)self)->prepared;
}

static double skipped_onednn(void *self)
{
    struct onednn *onednn = self;
    double skipped = onednn->skipped;
    onednn->skipped = 0;
    return skipped;
}

const struct backend_kind backend_onednn = {
    .version = BACKEND_VERSION,
    .name = "onednn",
    .summary = "oneDNN on the processor",
    .create = create_onednn,
    .destroy = destroy_onednn,
    .takes = takes_onednn,
    .allocate = ref_allocate,
    .release = ref_release,
    .share = ref_share,
    .unshare = ref_unshare,
    .upload = ref_upload,
    .download = ref_download,
    .prepared = prepared_onednn,
    .skipped = skipped_onednn,
    .expect = onednn_expect,
    .copy = onednn_copy,
    .wait = ref_wait,
    .dense = onednn_dense,
    .dense_back_data = onednn_dense_back_data,
    .dense_back_weights = onednn_dense_back_weights,
    .conv = onednn_conv,
    .conv_back_data = onednn_conv_back_data,
    .conv_back_weights = onednn_conv_back_weights,
    .pool_max = onednn_pool_max,
    .pool_max_back = onednn_pool_max_back,
    .pool_mean = onednn_pool_mean,
    .pool_mean_back = onednn_pool_mean_back,
    .batch_norm = onednn_batch_norm,
    .batch_norm_apply = onednn_batch_norm_apply,
    .batch_norm_back = onednn_batch_norm_back,
    .layer_norm = onednn_layer_norm,
    .layer_norm_back = onednn_layer_norm_back,
    .activate = onednn_activate,
    .activate_back = onednn_activate_back,
    .softmax_loss = onednn_softmax_loss,
    .square_loss = ref_square_loss,
    .dropout = onednn_dropout,
    .add = onednn_add,
    .mix = onednn_mix,
    .cast = onednn_cast,
    .scale = ref_scale,
    .fill = ref_fill,
    .gather = onednn_gather,
    .gather_back = ref_gather_back,
    .add_each = onednn_add_each,
    .sum_each = ref_sum_each,
    .attention = onednn_attention,
    .attention_back = onednn_attention_back,
    .mean_steps = ref_mean_steps,
    .mean_steps_back = ref_mean_steps_back,
    .swap = ref_swap,
    .lstm = onednn_lstm,
    .lstm_back = onednn_lstm_back,
    .clip = ref_clip,
    .update = onednn_update,
    .stack = &ref_stack,
};
