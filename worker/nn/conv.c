/* A convolution: y[B,H',W',O] = f(x[B,H,W,I] * w[O,K,K,I] + b[O]). */
#include "worker/nn/layer.h"

enum { SUMS }; /* z, the sums before the activation, where its slope needs them */

static bool keeps_sums(const struct layer *layer)
{
    return !activation_forgets(layer->setting->activation);
}

static int plan_conv(struct layer *layer, struct plan *plan, struct err *err)
{
    const struct layer_setting *setting = layer->setting;
    const struct window *window = &setting->window;
    const struct tensor *x = &layer->x_shape;
    if (x->axes != 4)
        return err_set(err, "a convolution needs images; flatten comes behind it");
    size_t H = window_places(window, x->size[1], window->height), W = window_places(window, x->size[2], window->width);
    if (!H || !W)
        return err_set(err, "its window of %zu x %zu does not fit into images of %zu x %zu", window->height,
                       window->width, x->size[1], x->size[2]);
    size_t I = x->size[3], O = setting->outputs, area = window->height * window->width;
    struct tensor w = tensor_make(TENSOR_F32, 4, (size_t[]){O, window->height, window->width, I});
    struct tensor b = tensor_vector(TENSOR_F32, O);
    bool rectifies = setting->activation == ACTIVATION_RELU || setting->activation == ACTIVATION_GELU;
    plan_parameter(plan, layer, &w, rectifies || setting->unbiased ? BEGINS_HE : BEGINS_GLOROT, I * area, O * area);
    if (!setting->unbiased)
        plan_parameter(plan, layer, &b, BEGINS_ZERO, I, O);
    layer->y = tensor_make(TENSOR_F32, 4, (size_t[]){x->size[0], H, W, O});
    plan_work(plan, &layer->y);
    if (keeps_sums(layer)) {
        layer->kept[SUMS] = layer->y;
        plan_work(plan, &layer->kept[SUMS]);
    }
    plan_gradient(plan, layer);
    return 0;
}

static void forward_conv(struct layer *layer, const struct pass *pass, const struct tensor *x)
{
    const struct layer_setting *setting = layer->setting;
    const struct parameter *p = layer->parameters;
    const struct tensor *b = layer->parameter_count > 1 ? &p[1].w : NULL;
    if (!keeps_sums(layer)) {
        op_conv(pass->backend, &setting->window, x, &p[0].w, b, setting->activation, &layer->y);
        return;
    }
    op_conv(pass->backend, &setting->window, x, &p[0].w, b, ACTIVATION_NONE, &layer->kept[SUMS]);
    op_activate(pass->backend, setting->activation, &layer->kept[SUMS], &layer->y);
}

static void backward_conv(struct layer *layer, const struct pass *pass, const struct tensor *x, const struct tensor *dy)
{
    const struct layer_setting *setting = layer->setting;
    const struct parameter *p = layer->parameters;
    if (setting->activation != ACTIVATION_NONE)
        op_activate_back(pass->backend, setting->activation, keeps_sums(layer) ? &layer->kept[SUMS] : &layer->y, dy,
                         dy);
    op_conv_back_weights(pass->backend, &setting->window, x, dy, &p[0].dw,
                         layer->parameter_count > 1 ? &p[1].dw : NULL);
    if (layer->dx.at)
        op_conv_back_data(pass->backend, &setting->window, dy, &p[0].w, &layer->dx);
}

const struct layer_kind layer_conv = {"conv", plan_conv, forward_conv, backward_conv};
