/* A layer of products: y[B,O] = f(x[B,I] w[O,I]^T + b[O]). */
#include "worker/nn/weighted.h"

/* Weights that begin with the size that keeps that of the signal; the last layer of a classifier has no activation. */
static enum beginning beginning_of(const struct layer_setting *setting)
{
    return setting->zeroed ? BEGINS_ZERO : weighted_rectifies(setting) ? BEGINS_HE : BEGINS_GLOROT;
}

static int plan_dense(struct layer *layer, struct plan *plan, struct err *err)
{
    (void)err;
    size_t B = layer->x_shape.size[0], I = tensor_width(&layer->x_shape), O = layer->setting->outputs;
    struct tensor w = tensor_make(TENSOR_F32, 2, (size_t[]){O, I}), y = tensor_make(TENSOR_F32, 2, (size_t[]){B, O});
    weighted_plan(layer, plan, &w, beginning_of(layer->setting), I, O, &y);
    return 0;
}

static void forward_dense(struct layer *layer, const struct pass *pass, const struct tensor *x)
{
    enum activation f;
    struct tensor *z = weighted_sums(layer, &f);
    op_dense(pass->backend, x, &layer->parameters[0].w, weighted_bias(layer), f, z);
    weighted_activate(layer, pass);
}

static void backward_dense(struct layer *layer, const struct pass *pass, const struct tensor *x,
                           const struct tensor *dy)
{
    struct parameter *w = &layer->parameters[0];
    weighted_activate_back(layer, pass, dy);
    op_dense_back_weights(pass->backend, x, dy, &w->dw, weighted_bias_gradient(layer));
    if (layer->dx.at)
        op_dense_back_data(pass->backend, dy, &w->w, &layer->dx);
}

const struct layer_kind layer_dense = {"dense", plan_dense, forward_dense, backward_dense};
