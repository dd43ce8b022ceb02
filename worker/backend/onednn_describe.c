/* Calls in oneDNN's words; see onednn.h. Our arrays are row-major, images [B,H,W,C], weights of convolutions
 * [O,K,K,I]: to oneDNN nhwc and ohwi. Weights of convolutions may lie as the primitive wants them ("any"), since they
 * are small beside the work; all other arrays lie as ours do. */
#include "worker/backend/onednn.h"

static struct onednn_layout layout_of(dnnl_data_type_t type, int axes, dnnl_format_tag_t tag, size_t a, size_t b,
                                      size_t c, size_t d)
{
    return (struct onednn_layout){
        .type = type, .axes = axes, .sizes = {(dnnl_dim_t)a, (dnnl_dim_t)b, (dnnl_dim_t)c, (dnnl_dim_t)d}, .tag = tag};
}

static dnnl_alg_kind_t algorithm_of(enum activation f)
{
    static const dnnl_alg_kind_t algorithms[] = {[ACTIVATION_RELU] = dnnl_eltwise_relu_use_dst_for_bwd,
                                                 [ACTIVATION_TANH] = dnnl_eltwise_tanh_use_dst_for_bwd,
                                                 [ACTIVATION_SIGMOID] = dnnl_eltwise_logistic_use_dst_for_bwd,
                                                 [ACTIVATION_GELU] = dnnl_eltwise_gelu_erf};
    return f < ACTIVATION_NONE ? algorithms[f] : dnnl_alg_kind_undef;
}

static struct onednn_descriptor dense_descriptor(const struct onednn_call *c, dnnl_data_type_t type)
{
    bool weights = c->kind == ONEDNN_DENSE_BACK_WEIGHTS; /* their gradients are F32 */
    dnnl_format_tag_t order = c->kind == ONEDNN_DENSE_ADDED ? dnnl_format_tag_any : dnnl_ab;
    struct onednn_descriptor descriptor = {.x = layout_of(type, 2, dnnl_ab, c->B, c->I, 0, 0),
                                           .w = layout_of(weights ? dnnl_f32 : type, 2, order, c->O, c->I, 0, 0),
                                           .y = layout_of(type, 2, dnnl_ab, c->B, c->O, 0, 0)};
    if (c->biased)
        descriptor.b = layout_of(dnnl_f32, 1, dnnl_a, c->O, 0, 0, 0);
    return descriptor;
}

/* How many rows or columns of zeros a window needs behind the last pixel; less than 0 when it does not reach it. */
static dnnl_dim_t zeros_behind(const struct onednn_call *c, size_t places, size_t kernel, size_t size)
{
    return (dnnl_dim_t)((places - 1) * c->stride + kernel) - (dnnl_dim_t)(size + c->padding);
}

static void describe_window(const struct onednn_call *c, struct onednn_descriptor *descriptor)
{
    descriptor->kernel[0] = (dnnl_dim_t)c->KH;
    descriptor->kernel[1] = (dnnl_dim_t)c->KW;
    descriptor->strides[0] = descriptor->strides[1] = (dnnl_dim_t)c->stride;
    descriptor->before[0] = descriptor->before[1] = (dnnl_dim_t)c->padding;
    descriptor->behind[0] = zeros_behind(c, c->OH, c->KH, c->H);
    descriptor->behind[1] = zeros_behind(c, c->OW, c->KW, c->W);
}

static struct onednn_descriptor windows_descriptor(const struct onednn_call *c, dnnl_data_type_t type)
{
    struct onednn_descriptor descriptor = {.x = layout_of(type, 4, dnnl_nhwc, c->B, c->I, c->H, c->W),
                                           .y = layout_of(type, 4, dnnl_nhwc, c->B, c->O, c->OH, c->OW)};
    describe_window(c, &descriptor);
    return descriptor;
}

static struct onednn_descriptor conv_descriptor(const struct onednn_call *c, dnnl_data_type_t type)
{
    struct onednn_descriptor descriptor = windows_descriptor(c, type);
    bool weights = c->kind == ONEDNN_CONV_BACK_WEIGHTS;
    descriptor.w = layout_of(weights ? dnnl_f32 : type, 4, dnnl_format_tag_any, c->O, c->I, c->KH, c->KW);
    if (c->biased)
        descriptor.b = layout_of(dnnl_f32, 1, dnnl_a, c->O, 0, 0, 0);
    return descriptor;
}

struct onednn_descriptor onednn_descriptor_of(const struct onednn_call *c)
{
    dnnl_data_type_t type = c->narrow ? dnnl_bf16 : dnnl_f32;
    struct onednn_descriptor descriptor;
    switch ((enum onednn_kind)c->kind) {
    case ONEDNN_DENSE_ADDED:
    case ONEDNN_DENSE:
    case ONEDNN_DENSE_BACK_DATA:
    case ONEDNN_DENSE_BACK_WEIGHTS:
        descriptor = dense_descriptor(c, type);
        break;
    case ONEDNN_CONV:
    case ONEDNN_CONV_BACK_DATA:
    case ONEDNN_CONV_BACK_WEIGHTS:
        descriptor = conv_descriptor(c, type);
        break;
    case ONEDNN_POOL:
    case ONEDNN_POOL_BACK:
        descriptor = windows_descriptor(c, type);
        break;
    default:
        descriptor = (struct onednn_descriptor){.x = layout_of(type, 1, dnnl_a, (uint64_t)c->H << 32 | c->B, 0, 0, 0)};
    }
    descriptor.kind = (enum onednn_kind)c->kind;
    descriptor.algorithm = algorithm_of((enum activation)c->activation);
    if (descriptor.kind == ONEDNN_POOL || descriptor.kind == ONEDNN_POOL_BACK)
        descriptor.algorithm = c->biased ? dnnl_pooling_avg_exclude_padding : dnnl_pooling_max;
    return descriptor;
}

struct onednn_descriptor onednn_descriptor_forward(const struct onednn_descriptor *descriptor)
{
    struct onednn_descriptor forward = *descriptor;
    switch (descriptor->kind) {
    case ONEDNN_DENSE_BACK_DATA:
    case ONEDNN_DENSE_BACK_WEIGHTS:
        forward.kind = ONEDNN_DENSE;
        break;
    case ONEDNN_CONV_BACK_DATA:
    case ONEDNN_CONV_BACK_WEIGHTS:
        forward.kind = ONEDNN_CONV;
        break;
    default:
        forward.kind = descriptor->kind - 1;
    }
    forward.w.type = forward.w.axes ? forward.x.type : forward.w.type;
    return forward;
}
