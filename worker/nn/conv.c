/* A convolution: y[B,H',W',O] = f(x[B,H,W,I] * w[O,K,K,I] + b[O]). */
#include "worker/nn/weighted.h"

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
    struct tensor w = tensor_make(TENSOR_F32, 4, (size_t[]){O, window->height, window->width, I}),
                  y = tensor_make(TENSOR_F32, 4, (size_t[]){x->size[0], H, W, O});
    bool is_he = weighted_rectifies(setting) || setting->unbiased;
    weighted_plan(layer, plan, &w, is_he ? BEGINS_HE : BEGINS_GLOROT, I * area, O * area, &y);
    return 0;
}

static void forward_conv(struct layer *layer, const struct pass *pass, const struct tensor *x)
{
    enum activation f;
    struct tensor *z = weighted_sums(layer, &f);
    op_conv(pass->backend, &layer->setting->window, x, &layer->parameters[0].seen, weighted_bias(layer), f, z);
    weighted_activate(layer, pass);
}

static void backward_conv(struct layer *layer, const struct pass *pass, const struct tensor *x, const struct tensor *dy)
{
    const struct window *window = &layer->setting->window;
    struct parameter *w = &layer->parameters[0];
    weighted_activate_back(layer, pass, dy);
    op_conv_back_weights(pass->backend, window, x, dy, &w->dw, weighted_bias_gradient(layer));
    if (layer->dx.at)
        op_conv_back_data(pass->backend, window, dy, &w->seen, &layer->dx);
}

const struct layer_kind layer_conv = {"conv", plan_conv, forward_conv, backward_conv};
