/* Layer normalisation (Ba et al. 2016) of each row of the last axis of x[...,C]. */
#include "worker/nn/layer.h"

enum { GAMMA, BETA };    /* parameters */
enum { MEAN, VARIANCE }; /* kept: of each row */

/* One number a row: the last axis becomes 1. */
static void plan_statistics(struct layer *layer, struct plan *plan)
{
    for (int i = MEAN; i <= VARIANCE; i++) {
        layer->kept[i] = layer->x_shape;
        layer->kept[i].size[layer->x_shape.axes - 1] = 1;
        plan_work(plan, &layer->kept[i]);
    }
}

static int plan_norm(struct layer *layer, struct plan *plan, struct err *err)
{
    (void)err;
    struct tensor channels = tensor_vector(TENSOR_F32, layer->x_shape.size[layer->x_shape.axes - 1]);
    plan_parameter(plan, layer, &channels, BEGINS_ONE, 0, 0);
    plan_parameter(plan, layer, &channels, BEGINS_ZERO, 0, 0);
    plan_statistics(layer, plan);
    layer->y = layer->x_shape;
    plan_work(plan, &layer->y);
    plan_gradient(plan, layer);
    return 0;
}

static struct norm norm_of(const struct layer *layer)
{
    return (struct norm){.gamma = layer->parameters[GAMMA].w,
                         .beta = layer->parameters[BETA].w,
                         .mean = tensor_flat(&layer->kept[MEAN]),
                         .variance = tensor_flat(&layer->kept[VARIANCE]),
                         .epsilon = layer->setting->epsilon};
}

static void forward_norm(struct layer *layer, const struct pass *pass, const struct tensor *x)
{
    struct norm norm = norm_of(layer);
    op_layer_norm(pass->backend, &norm, x, &layer->y);
}

static void backward_norm(struct layer *layer, const struct pass *pass, const struct tensor *x, const struct tensor *dy)
{
    struct norm norm = norm_of(layer);
    const struct tensor *dx = layer->dx.at ? &layer->dx : dy; /* of the first layer of all: wanted by nobody */
    op_layer_norm_back(pass->backend, &norm, x, dy, dx, &layer->parameters[GAMMA].dw, &layer->parameters[BETA].dw);
}

const struct layer_kind layer_layer_norm = {"layer_norm", plan_norm, forward_norm, backward_norm};
