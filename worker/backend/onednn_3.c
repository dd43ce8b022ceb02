/* oneDNN 3: a primitive is described in one step, layouts are made and destroyed; see onednn.h. */
#include "worker/backend/onednn.h"

static dnnl_memory_desc_t describe_layout(const struct onednn_layout *layout)
{
    dnnl_memory_desc_t made = NULL;
    if (layout->axes)
        onednn_check(dnnl_memory_desc_create_with_tag(&made, layout->axes, layout->sizes, layout->type, layout->tag),
                     "describe a memory");
    return made;
}

dnnl_memory_t onednn_memory(dnnl_engine_t engine, const struct onednn_layout *layout)
{
    dnnl_memory_desc_t described = describe_layout(layout);
    dnnl_memory_t made;
    onednn_check(dnnl_memory_create(&made, described, engine, DNNL_MEMORY_NONE), "make a memory");
    dnnl_memory_desc_destroy(described);
    return made;
}

dnnl_status_t onednn_append(dnnl_post_ops_t operations, dnnl_alg_kind_t algorithm)
{
    return dnnl_post_ops_append_eltwise(operations, algorithm, 0, 0);
}

dnnl_status_t onednn_append_sum(dnnl_post_ops_t operations)
{
    return dnnl_post_ops_append_sum(operations, 1, 0, dnnl_data_type_undef);
}

/* A descriptor with its layouts made. */
struct described {
    const struct onednn_descriptor *descriptor;
    dnnl_engine_t engine;
    dnnl_memory_desc_t x, w, b, y;
    const_dnnl_primitive_attr_t attributes;
    const_dnnl_primitive_desc_t forward;
};

static const dnnl_dims_t no_dilation; /* zeros */

static dnnl_status_t describe_dense(dnnl_primitive_desc_t *made, const struct described *d)
{
    switch (d->descriptor->kind) {
    case ONEDNN_DENSE_ADDED:
    case ONEDNN_DENSE:
        return dnnl_inner_product_forward_primitive_desc_create(made, d->engine, dnnl_forward_training, d->x, d->w,
                                                                d->b, d->y, d->attributes);
    case ONEDNN_DENSE_BACK_DATA:
        return dnnl_inner_product_backward_data_primitive_desc_create(made, d->engine, d->x, d->w, d->y, d->forward,
                                                                      d->attributes);
    default:
        return dnnl_inner_product_backward_weights_primitive_desc_create(made, d->engine, d->x, d->w, d->b, d->y,
                                                                         d->forward, d->attributes);
    }
}

static dnnl_status_t describe_conv(dnnl_primitive_desc_t *made, const struct described *d)
{
    const struct onednn_descriptor *descriptor = d->descriptor;
    switch (descriptor->kind) {
    case ONEDNN_CONV:
        return dnnl_convolution_forward_primitive_desc_create(
            made, d->engine, dnnl_forward_training, dnnl_convolution_direct, d->x, d->w, d->b, d->y,
            descriptor->strides, no_dilation, descriptor->before, descriptor->behind, d->attributes);
    case ONEDNN_CONV_BACK_DATA:
        return dnnl_convolution_backward_data_primitive_desc_create(
            made, d->engine, dnnl_convolution_direct, d->x, d->w, d->y, descriptor->strides, no_dilation,
            descriptor->before, descriptor->behind, d->forward, d->attributes);
    default:
        return dnnl_convolution_backward_weights_primitive_desc_create(
            made, d->engine, dnnl_convolution_direct, d->x, d->w, d->b, d->y, descriptor->strides, no_dilation,
            descriptor->before, descriptor->behind, d->forward, d->attributes);
    }
}

static dnnl_status_t describe_pool(dnnl_primitive_desc_t *made, const struct described *d)
{
    const struct onednn_descriptor *descriptor = d->descriptor;
    if (descriptor->kind == ONEDNN_POOL)
        return dnnl_pooling_forward_primitive_desc_create(
            made, d->engine, dnnl_forward_training, descriptor->algorithm, d->x, d->y, descriptor->strides,
            descriptor->kernel, no_dilation, descriptor->before, descriptor->behind, d->attributes);
    return dnnl_pooling_backward_primitive_desc_create(
        made, d->engine, descriptor->algorithm, d->x, d->y, descriptor->strides, descriptor->kernel, no_dilation,
        descriptor->before, descriptor->behind, d->forward, d->attributes);
}

static dnnl_status_t describe_activation(dnnl_primitive_desc_t *made, const struct described *d)
{
    if (d->descriptor->kind == ONEDNN_ACTIVATE)
        return dnnl_eltwise_forward_primitive_desc_create(made, d->engine, dnnl_forward_training,
                                                          d->descriptor->algorithm, d->x, d->x, 0, 0, d->attributes);
    return dnnl_eltwise_backward_primitive_desc_create(made, d->engine, d->descriptor->algorithm, d->x, d->x, d->x, 0,
                                                       0, d->forward, d->attributes);
}

static void destroy_layouts(struct described *d)
{
    dnnl_memory_desc_t all[] = {d->x, d->w, d->b, d->y};
    for (int i = 0; i < 4; i++)
        if (all[i])
            dnnl_memory_desc_destroy(all[i]);
}

dnnl_primitive_desc_t onednn_describe(dnnl_engine_t engine, const struct onednn_descriptor *descriptor,
                                      const_dnnl_primitive_attr_t attributes, const_dnnl_primitive_desc_t forward)
{
    dnnl_primitive_desc_t made = NULL;
    struct described d = {.descriptor = descriptor, .engine = engine, .attributes = attributes, .forward = forward};
    d.x = describe_layout(&descriptor->x);
    d.w = describe_layout(&descriptor->w);
    d.b = describe_layout(&descriptor->b);
    d.y = describe_layout(&descriptor->y);
    dnnl_status_t status = descriptor->kind <= ONEDNN_DENSE_BACK_WEIGHTS  ? describe_dense(&made, &d)
                           : descriptor->kind <= ONEDNN_CONV_BACK_WEIGHTS ? describe_conv(&made, &d)
                           : descriptor->kind <= ONEDNN_POOL_BACK         ? describe_pool(&made, &d)
                                                                          : describe_activation(&made, &d);
    destroy_layouts(&d);
    if (status == dnnl_unimplemented)
        return NULL;
    onednn_check(status, "describe an operation");
    return made;
}
