/* A layer of products: y[B,O] = f(x[B,I] w[O,I]^T + b[O]); with `rows` of each row of the last axis for itself. */
#include "worker/nn/weighted.h"

/* Weights that begin with the size that keeps that of the signal; the last layer of a classifier has no activation. */
static enum beginning beginning_of(const struct layer_setting *setting)
{
    return setting->zeroed ? BEGINS_ZERO : weighted_rectifies(setting) ? BEGINS_HE : BEGINS_GLOROT;
}

/* What the products see. */
static struct tensor view_examples(const struct layer *layer, const struct tensor *tensor)
{
    return layer->setting->rows ? tensor_rows(tensor) : *tensor;
}

static int plan_dense(struct layer *layer, struct plan *plan, struct err *err)
{
    (void)err;
    struct tensor x = view_examples(layer, &layer->x_shape);
    size_t B = x.size[0], I = tensor_width(&x), O = layer->setting->outputs;
    struct tensor w = tensor_make(TENSOR_F32, 2, (size_t[]){O, I}), y = tensor_make(TENSOR_F32, 2, (size_t[]){B, O});
    if (layer->setting->rows) {
        y = layer->x_shape;
        y.size[y.axes - 1] = O;
    }
    weighted_plan(layer, plan, &w, beginning_of(layer->setting), I, O, &y);
    return 0;
}

static void forward_dense(struct layer *layer, const struct pass *pass, const struct tensor *x)
{
    enum activation f;
    struct tensor of = view_examples(layer, x), z = view_examples(layer, weighted_sums(layer, &f));
    op_dense(pass->backend, &of, &layer->parameters[0].seen, weighted_bias(layer), f, &z);
    weighted_activate(layer, pass);
}

static void backward_dense(struct layer *layer, const struct pass *pass, const struct tensor *x,
                           const struct tensor *dy)
{
    struct parameter *w = &layer->parameters[0];
    struct tensor of = view_examples(layer, x), dz = view_examples(layer, dy), dx = view_examples(layer, &layer->dx);
    weighted_activate_back(layer, pass, dy);
    op_dense_back_weights(pass->backend, &of, &dz, &w->dw, weighted_bias_gradient(layer));
    if (layer->dx.at)
        op_dense_back_data(pass->backend, &dz, &w->seen, &dx);
}

const struct layer_kind layer_dense = {"dense", plan_dense, forward_dense, backward_dense};
