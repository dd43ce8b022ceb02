/* What oneDNN's versions spell differently: shapes and the descriptions of operations. ops_dnnl_2.c has it for version
 * 2, ops_dnnl_3.c for version 3; one of them is in a build. A description is for the caller to destroy. */
#ifndef GANNET_WORKER_KERNELS_OPS_DNNL_H
#define GANNET_WORKER_KERNELS_OPS_DNNL_H
#ifdef HAVE_ONEDNN

#include "worker/kernels/ops.h"

#include <dnnl.h>

/* A layer y = x w^T + b: memories of its shapes, which also stand for the gradients. */
struct ops_dnnl_layer {
    dnnl_memory_t x; /* [B,I] */
    dnnl_memory_t w; /* [O,I] */
    dnnl_memory_t b; /* [O]; NULL: none */
    dnnl_memory_t y; /* [B,O] */
};

/* Ends the process with a sentence when the status is no success; `what` follows "oneDNN can't". */
void ops_dnnl_check(dnnl_status_t status, const char *what);

/* A row-major memory of floats without an array yet; for the caller to destroy. */
dnnl_memory_t ops_dnnl_memory(dnnl_engine_t engine, int dimensions, const dnnl_dims_t sizes);

/* `forward`: the description of the layer or activation that a backward operation belongs to. */
dnnl_primitive_desc_t ops_dnnl_linear(dnnl_engine_t engine, const struct ops_dnnl_layer *layer);
dnnl_primitive_desc_t ops_dnnl_linear_back_data(dnnl_engine_t engine, const struct ops_dnnl_layer *layer,
                                                const_dnnl_primitive_desc_t forward);
dnnl_primitive_desc_t ops_dnnl_linear_back_weights(dnnl_engine_t engine, const struct ops_dnnl_layer *layer,
                                                   const_dnnl_primitive_desc_t forward);
dnnl_primitive_desc_t ops_dnnl_activation(dnnl_engine_t engine, dnnl_alg_kind_t f, dnnl_memory_t z);
dnnl_primitive_desc_t ops_dnnl_activation_back(dnnl_engine_t engine, dnnl_alg_kind_t f, dnnl_memory_t z,
                                               const_dnnl_primitive_desc_t forward);

#endif
#endif
