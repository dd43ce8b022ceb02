/* oneDNN 3: an operation is described in one step, shapes are made and destroyed; see ops_dnnl.h. */
#include "worker/kernels/ops_dnnl.h"

static const_dnnl_memory_desc_t shape(dnnl_memory_t memory)
{
    const_dnnl_memory_desc_t found = NULL;
    if (memory)
        ops_dnnl_check(dnnl_memory_get_memory_desc(memory, &found), "read a shape");
    return found;
}

dnnl_memory_t ops_dnnl_memory(dnnl_engine_t engine, int dimensions, const dnnl_dims_t sizes)
{
    dnnl_memory_desc_t described;
    dnnl_memory_t made;
    ops_dnnl_check(
        dnnl_memory_desc_create_with_tag(&described, dimensions, sizes, dnnl_f32, dimensions == 1 ? dnnl_a : dnnl_ab),
        "describe a memory");
    ops_dnnl_check(dnnl_memory_create(&made, described, engine, DNNL_MEMORY_NONE), "make a memory");
    dnnl_memory_desc_destroy(described);
    return made;
}

dnnl_primitive_desc_t ops_dnnl_linear(dnnl_engine_t engine, const struct ops_dnnl_layer *layer)
{
    dnnl_primitive_desc_t made;
    ops_dnnl_check(dnnl_inner_product_forward_primitive_desc_create(&made, engine, dnnl_forward_training,
                                                                    shape(layer->x), shape(layer->w), shape(layer->b),
                                                                    shape(layer->y), NULL),
                   "describe a layer");
    return made;
}

dnnl_primitive_desc_t ops_dnnl_linear_back_data(dnnl_engine_t engine, const struct ops_dnnl_layer *layer,
                                                const_dnnl_primitive_desc_t forward)
{
    dnnl_primitive_desc_t made;
    ops_dnnl_check(dnnl_inner_product_backward_data_primitive_desc_create(
                       &made, engine, shape(layer->x), shape(layer->w), shape(layer->y), forward, NULL),
                   "describe a layer");
    return made;
}

dnnl_primitive_desc_t ops_dnnl_linear_back_weights(dnnl_engine_t engine, const struct ops_dnnl_layer *layer,
                                                   const_dnnl_primitive_desc_t forward)
{
    dnnl_primitive_desc_t made;
    ops_dnnl_check(dnnl_inner_product_backward_weights_primitive_desc_create(&made, engine, shape(layer->x),
                                                                             shape(layer->w), shape(layer->b),
                                                                             shape(layer->y), forward, NULL),
                   "describe a layer");
    return made;
}

dnnl_primitive_desc_t ops_dnnl_activation(dnnl_engine_t engine, dnnl_alg_kind_t f, dnnl_memory_t z)
{
    dnnl_primitive_desc_t made;
    ops_dnnl_check(dnnl_eltwise_forward_primitive_desc_create(&made, engine, dnnl_forward_training, f, shape(z),
                                                              shape(z), 0, 0, NULL),
                   "describe an activation");
    return made;
}

dnnl_primitive_desc_t ops_dnnl_activation_back(dnnl_engine_t engine, dnnl_alg_kind_t f, dnnl_memory_t z,
                                               const_dnnl_primitive_desc_t forward)
{
    dnnl_primitive_desc_t made;
    ops_dnnl_check(dnnl_eltwise_backward_primitive_desc_create(&made, engine, f, shape(z), shape(z), shape(z), 0, 0,
                                                               forward, NULL),
                   "describe an activation");
    return made;
}
