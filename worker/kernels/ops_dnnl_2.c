/* oneDNN 2: an operation is described in two steps, shapes are plain structs; see ops_dnnl.h. */
#include "worker/kernels/ops_dnnl.h"

static const dnnl_memory_desc_t *shape(dnnl_memory_t memory)
{
    const dnnl_memory_desc_t *found = NULL;
    if (memory)
        ops_dnnl_check(dnnl_memory_get_memory_desc(memory, &found), "read a shape");
    return found;
}

static dnnl_primitive_desc_t describe_primitive(dnnl_engine_t engine, const_dnnl_op_desc_t wanted,
                                                const_dnnl_primitive_desc_t forward)
{
    dnnl_primitive_desc_t made;
    ops_dnnl_check(dnnl_primitive_desc_create(&made, wanted, NULL, engine, forward), "describe an operation");
    return made;
}

dnnl_memory_t ops_dnnl_memory(dnnl_engine_t engine, int dimensions, const dnnl_dims_t sizes)
{
    dnnl_memory_desc_t described;
    dnnl_memory_t made;
    ops_dnnl_check(
        dnnl_memory_desc_init_by_tag(&described, dimensions, sizes, dnnl_f32, dimensions == 1 ? dnnl_a : dnnl_ab),
        "describe a memory");
    ops_dnnl_check(dnnl_memory_create(&made, &described, engine, DNNL_MEMORY_NONE), "make a memory");
    return made;
}

dnnl_primitive_desc_t ops_dnnl_linear(dnnl_engine_t engine, const struct ops_dnnl_layer *layer)
{
    dnnl_inner_product_desc_t wanted;
    ops_dnnl_check(dnnl_inner_product_forward_desc_init(&wanted, dnnl_forward_training, shape(layer->x),
                                                        shape(layer->w), shape(layer->b), shape(layer->y)),
                   "describe a layer");
    return describe_primitive(engine, &wanted, NULL);
}

dnnl_primitive_desc_t ops_dnnl_linear_back_data(dnnl_engine_t engine, const struct ops_dnnl_layer *layer,
                                                const_dnnl_primitive_desc_t forward)
{
    dnnl_inner_product_desc_t wanted;
    ops_dnnl_check(
        dnnl_inner_product_backward_data_desc_init(&wanted, shape(layer->x), shape(layer->w), shape(layer->y)),
        "describe a layer");
    return describe_primitive(engine, &wanted, forward);
}

dnnl_primitive_desc_t ops_dnnl_linear_back_weights(dnnl_engine_t engine, const struct ops_dnnl_layer *layer,
                                                   const_dnnl_primitive_desc_t forward)
{
    dnnl_inner_product_desc_t wanted;
    ops_dnnl_check(dnnl_inner_product_backward_weights_desc_init(&wanted, shape(layer->x), shape(layer->w),
                                                                 shape(layer->b), shape(layer->y)),
                   "describe a layer");
    return describe_primitive(engine, &wanted, forward);
}

dnnl_primitive_desc_t ops_dnnl_activation(dnnl_engine_t engine, dnnl_alg_kind_t f, dnnl_memory_t z)
{
    dnnl_eltwise_desc_t wanted;
    ops_dnnl_check(dnnl_eltwise_forward_desc_init(&wanted, dnnl_forward_training, f, shape(z), 0, 0),
                   "describe an activation");
    return describe_primitive(engine, &wanted, NULL);
}

dnnl_primitive_desc_t ops_dnnl_activation_back(dnnl_engine_t engine, dnnl_alg_kind_t f, dnnl_memory_t z,
                                               const_dnnl_primitive_desc_t forward)
{
    dnnl_eltwise_desc_t wanted;
    ops_dnnl_check(dnnl_eltwise_backward_desc_init(&wanted, f, shape(z), shape(z), 0, 0), "describe an activation");
    return describe_primitive(engine, &wanted, forward);
}
