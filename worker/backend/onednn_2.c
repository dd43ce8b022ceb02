/* oneDNN 2: a primitive is described in two steps, layouts are plain structs; see onednn.h. */
#include "worker/backend/onednn.h"

static dnnl_memory_desc_t describe_layout(const struct onednn_layout *layout)
{
    dnnl_memory_desc_t made = {0}; /* of no array: the empty one */
    if (layout->axes)
        onednn_check(dnnl_memory_desc_init_by_tag(&made, layout->axes, layout->sizes, layout->type, layout->tag),
                     "describe a memory");
    return made;
}

dnnl_memory_t onednn_memory(dnnl_engine_t engine, const struct onednn_layout *layout)
{
    dnnl_memory_desc_t described = describe_layout(layout);
    dnnl_memory_t made;
    onednn_check(dnnl_memory_create(&made, &described, engine, DNNL_MEMORY_NONE), "make a memory");
    return made;
}

dnnl_status_t onednn_append(dnnl_post_ops_t operations, dnnl_alg_kind_t algorithm)
{
    return dnnl_post_ops_append_eltwise(operations, 1, algorithm, 0, 0);
}

dnnl_status_t onednn_append_sum(dnnl_post_ops_t operations)
{
    return dnnl_post_ops_append_sum(operations, 1);
}

/* The first step, of any kind. */
union operation_desc {
    dnnl_inner_product_desc_t dense;
    dnnl_convolution_desc_t conv;
    dnnl_pooling_desc_t pool;
    dnnl_eltwise_desc_t activation;
};

static dnnl_status_t describe_dense(union operation_desc *made, const struct onednn_descriptor *descriptor)
{
    dnnl_memory_desc_t x = describe_layout(&descriptor->x), w = describe_layout(&descriptor->w),
                       b = describe_layout(&descriptor->b);
    dnnl_memory_desc_t y = describe_layout(&descriptor->y), *bias = descriptor->b.axes ? &b : NULL;
    switch (descriptor->kind) {
    case ONEDNN_DENSE_ADDED:
    case ONEDNN_DENSE:
        return dnnl_inner_product_forward_desc_init(&made->dense, dnnl_forward_training, &x, &w, bias, &y);
    case ONEDNN_DENSE_BACK_DATA:
        return dnnl_inner_product_backward_data_desc_init(&made->dense, &x, &w, &y);
    default:
        return dnnl_inner_product_backward_weights_desc_init(&made->dense, &x, &w, bias, &y);
    }
}

static dnnl_status_t describe_conv(union operation_desc *made, const struct onednn_descriptor *descriptor)
{
    dnnl_memory_desc_t x = describe_layout(&descriptor->x), w = describe_layout(&descriptor->w),
                       b = describe_layout(&descriptor->b);
    dnnl_memory_desc_t y = describe_layout(&descriptor->y), *bias = descriptor->b.axes ? &b : NULL;
    switch (descriptor->kind) {
    case ONEDNN_CONV:
        return dnnl_convolution_forward_desc_init(&made->conv, dnnl_forward_training, dnnl_convolution_direct, &x, &w,
                                                  bias, &y, descriptor->strides, descriptor->before,
                                                  descriptor->behind);
    case ONEDNN_CONV_BACK_DATA:
        return dnnl_convolution_backward_data_desc_init(&made->conv, dnnl_convolution_direct, &x, &w, &y,
                                                        descriptor->strides, descriptor->before, descriptor->behind);
    default:
        return dnnl_convolution_backward_weights_desc_init(&made->conv, dnnl_convolution_direct, &x, &w, bias, &y,
                                                           descriptor->strides, descriptor->before, descriptor->behind);
    }
}

static dnnl_status_t describe_pool(union operation_desc *made, const struct onednn_descriptor *descriptor)
{
    dnnl_memory_desc_t x = describe_layout(&descriptor->x), y = describe_layout(&descriptor->y);
    if (descriptor->kind == ONEDNN_POOL)
        return dnnl_pooling_forward_desc_init(&made->pool, dnnl_forward_training, descriptor->algorithm, &x, &y,
                                              descriptor->strides, descriptor->kernel, descriptor->before,
                                              descriptor->behind);
    return dnnl_pooling_backward_desc_init(&made->pool, descriptor->algorithm, &x, &y, descriptor->strides,
                                           descriptor->kernel, descriptor->before, descriptor->behind);
}

static dnnl_status_t describe_activation(union operation_desc *made, const struct onednn_descriptor *descriptor)
{
    dnnl_memory_desc_t x = describe_layout(&descriptor->x);
    if (descriptor->kind == ONEDNN_ACTIVATE)
        return dnnl_eltwise_forward_desc_init(&made->activation, dnnl_forward_training, descriptor->algorithm, &x, 0,
                                              0);
    return dnnl_eltwise_backward_desc_init(&made->activation, descriptor->algorithm, &x, &x, 0, 0);
}

dnnl_primitive_desc_t onednn_describe(dnnl_engine_t engine, const struct onednn_descriptor *descriptor,
                                      const_dnnl_primitive_attr_t attributes, const_dnnl_primitive_desc_t forward)
{
    dnnl_primitive_desc_t made = NULL;
    union operation_desc wanted;
    dnnl_status_t status = descriptor->kind <= ONEDNN_DENSE_BACK_WEIGHTS  ? describe_dense(&wanted, descriptor)
                           : descriptor->kind <= ONEDNN_CONV_BACK_WEIGHTS ? describe_conv(&wanted, descriptor)
                           : descriptor->kind <= ONEDNN_POOL_BACK         ? describe_pool(&wanted, descriptor)
                                                                          : describe_activation(&wanted, descriptor);
    if (status == dnnl_success)
        status = dnnl_primitive_desc_create(&made, &wanted, attributes, engine, forward);
    if (status == dnnl_unimplemented)
        return NULL;
    onednn_check(status, "describe an operation");
    return made;
}
