/* A layer of products: y[B,O] = f(x[B,I] w[O,I]^T + b[O]). */
#include "worker/nn/layer.h"

/* z[B,O], the sums before the activation, where its slope needs them; else y stands for it. */
enum { SUMS };

static bool keeps_sums(const struct layer *layer)
{
    return !activation_forgets(layer->setting->activation);
}

/* Weights that begin with the size that keeps that of the signal; the last layer of a classifier has no activation. */
static enum beginning beginning_of(const struct layer_setting *setting)
{
    bool rectifies = setting->activation == ACTIVATION_RELU || setting->activation == ACTIVATION_GELU;
    return setting->zeroed ? BEGINS_ZERO : rectifies ? BEGINS_HE : BEGINS_GLOROT;
}

static int plan_dense(struct layer *layer, struct plan *plan, struct err *err)
{
    (void)err;
    size_t B = layer->x_shape.size[0], I = tensor_width(&layer->x_shape), O = layer->setting->outputs;
    struct tensor w = tensor_make(TENSOR_F32, 2, (size_t[]){O, I}), b = tensor_vector(TENSOR_F32, O);
    plan_parameter(plan, layer, &w, beginning_of(layer->setting), I, O);
    if (!layer->setting->unbiased)
        plan_parameter(plan, layer, &b, BEGINS_ZERO, I, O);
    layer->y = tensor_make(TENSOR_F32, 2, (size_t[]){B, O});
    plan_work(plan, &layer->y);
    if (keeps_sums(layer)) {
        layer->kept[SUMS] = layer->y;
        plan_work(plan, &layer->kept[SUMS]);
    }
    plan_gradient(plan, layer);
    return 0;
}

static void forward_dense(struct layer *layer, const struct pass *pass, const struct tensor *x)
{
    const struct parameter *p = layer->parameters;
    enum activation f = layer->setting->activation;
    const struct tensor *b = layer->parameter_count > 1 ? &p[1].w : NULL;
    if (!keeps_sums(layer)) {
        op_dense(pass->backend, x, &p[0].w, b, f, &layer->y);
        return;
    }
    op_dense(pass->backend, x, &p[0].w, b, ACTIVATION_NONE, &layer->kept[SUMS]);
    op_activate(pass->backend, f, &layer->kept[SUMS], &layer->y);
}

static void backward_dense(struct layer *layer, const struct pass *pass, const struct tensor *x,
                           const struct tensor *dy)
{
    const struct parameter *p = layer->parameters;
    if (layer->setting->activation != ACTIVATION_NONE)
        op_activate_back(pass->backend, layer->setting->activation, keeps_sums(layer) ? &layer->kept[SUMS] : &layer->y,
                         dy, dy);
    op_dense_back_weights(pass->backend, x, dy, &p[0].dw, layer->parameter_count > 1 ? &p[1].dw : NULL);
    if (layer->dx.at)
        op_dense_back_data(pass->backend, dy, &p[0].w, &layer->dx);
}

const struct layer_kind layer_dense = {"dense", plan_dense, forward_dense, backward_dense};
