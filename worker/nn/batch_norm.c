/* Batch normalisation (Ioffe and Szegedy 2015) of x[...,C] with learned gamma and beta. In training the statistics are
 * the batch's, and running ones follow them: running = momentum running + (1 - momentum) batch. Outside training the
 * running ones count. */
#include "worker/nn/layer.h"

enum { GAMMA, BETA };
enum { MEAN, VARIANCE }; /* kept: of the batch; state: running */

static int plan_norm(struct layer *layer, struct plan *plan, struct err *err)
{
    (void)err;
    plan_narrow(plan, layer);
    struct tensor channels = tensor_vector(TENSOR_F32, layer->x_shape.size[layer->x_shape.axes - 1]);
    plan_parameter(plan, layer, &channels, BEGINS_ONE, 0, 0);
    plan_parameter(plan, layer, &channels, BEGINS_ZERO, 0, 0);
    plan_state(plan, layer, &channels, BEGINS_ZERO);
    plan_state(plan, layer, &channels, BEGINS_ONE);
    for (int i = MEAN; i <= VARIANCE; i++) {
        layer->kept[i] = channels;
        plan_work(plan, &layer->kept[i]);
    }
    layer->y = layer->x_shape;
    plan_work(plan, &layer->y);
    plan_gradient(plan, layer);
    return 0;
}

static struct norm norm_with(const struct layer *layer, const struct tensor *statistics)
{
    return (struct norm){.gamma = layer->parameters[GAMMA].w,
                         .beta = layer->parameters[BETA].w,
                         .mean = statistics[MEAN],
                         .variance = statistics[VARIANCE],
                         .epsilon = layer->setting->epsilon};
}

static void forward_norm(struct layer *layer, const struct pass *pass, const struct tensor *x)
{
    struct norm norm = norm_with(layer, pass->training ? layer->kept : layer->state);
    float momentum = layer->setting->momentum;
    if (!pass->training) {
        op_batch_norm_apply(pass->backend, &norm, x, &layer->y);
        return;
    }
    op_batch_norm(pass->backend, &norm, x, &layer->y);
    for (int i = MEAN; i <= VARIANCE; i++)
        op_mix(pass->backend, 1 - momentum, &layer->kept[i], momentum, &layer->state[i]);
}

static void backward_norm(struct layer *layer, const struct pass *pass, const struct tensor *x, const struct tensor *dy)
{
    struct norm norm = norm_with(layer, layer->kept);
    const struct tensor *dx = layer->dx.at ? &layer->dx : dy; /* of the first layer of all: wanted by nobody */
    op_batch_norm_back(pass->backend, &norm, x, dy, dx, &layer->parameters[GAMMA].dw, &layer->parameters[BETA].dw);
}

const struct layer_kind layer_batch_norm = {"batch_norm", plan_norm, forward_norm, backward_norm};
