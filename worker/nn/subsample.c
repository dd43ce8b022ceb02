/* The shortcut without weights between blocks of different sizes (He et al. 2016, option A): of x[B,H,W,I] each pixel
 * at a multiple of the stride, with zeros for the channels that x does not have. It is the convolution of one pixel
 * whose weights are the identity, and these are never learned. */
#include "worker/nn/layer.h"

enum { IDENTITY }; /* state: [O,1,1,I]; kept: the same in the network's precision, as one axis */

static struct window window_of(const struct layer *layer)
{
    return (struct window){1, 1, layer->setting->window.stride, 0};
}

static int plan_subsample(struct layer *layer, struct plan *plan, struct err *err)
{
    const struct tensor *x = &layer->x_shape;
    const struct window window = window_of(layer);
    size_t I = x->size[x->axes - 1], O = layer->setting->outputs;
    if (x->axes != 4 || O < I)
        return err_set(err, "it takes images of at most %zu channels", O);
    plan_narrow(plan, layer);
    struct tensor w = tensor_make(TENSOR_F32, 4, (size_t[]){O, 1, 1, I});
    plan_state(plan, layer, &w, BEGINS_IDENTITY);
    layer->kept[IDENTITY] = tensor_vector(x->type, tensor_count(&w));
    plan_work(plan, &layer->kept[IDENTITY]);
    layer->y = tensor_make(
        x->type, 4,
        (size_t[]){x->size[0], window_places(&window, x->size[1], 1), window_places(&window, x->size[2], 1), O});
    plan_work(plan, &layer->y);
    plan_gradient(plan, layer);
    return 0;
}

/* The weights as operations take them. */
static struct tensor identity_of(const struct layer *layer)
{
    struct tensor w = layer->state[IDENTITY];
    w.type = layer->kept[IDENTITY].type;
    w.at = layer->kept[IDENTITY].at;
    return w;
}

static void forward_subsample(struct layer *layer, const struct pass *pass, const struct tensor *x)
{
    const struct window window = window_of(layer);
    struct tensor w = identity_of(layer);
    op_cast(pass->backend, &layer->state[IDENTITY], &w);
    op_conv(pass->backend, &window, x, &w, NULL, ACTIVATION_NONE, &layer->y);
}

static void backward_subsample(struct layer *layer, const struct pass *pass, const struct tensor *x,
                               const struct tensor *dy)
{
    const struct window window = window_of(layer);
    struct tensor w = identity_of(layer);
    (void)x;
    if (layer->dx.at)
        op_conv_back_data(pass->backend, &window, dy, &w, &layer->dx);
}

const struct layer_kind layer_subsample = {"subsample", plan_subsample, forward_subsample, backward_subsample};
