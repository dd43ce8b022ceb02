/* Pooling: the largest or the mean of each window of x[B,H,W,C]. */
#include "worker/nn/layer.h"

enum { WHERE }; /* what the way back of a maximum needs */

static int plan_pool(struct layer *layer, struct plan *plan, struct err *err)
{
    const struct window *window = &layer->setting->window;
    const struct tensor *x = &layer->x_shape;
    if (x->axes != 4)
        return err_set(err, "a pool needs images; flatten comes behind it");
    size_t H = window_places(window, x->size[1], window->height), W = window_places(window, x->size[2], window->width);
    if (!H || !W)
        return err_set(err, "its window of %zu x %zu does not fit into images of %zu x %zu", window->height,
                       window->width, x->size[1], x->size[2]);
    plan_narrow(plan, layer);
    layer->y = tensor_make(x->type, 4, (size_t[]){x->size[0], H, W, x->size[3]});
    plan_work(plan, &layer->y);
    if (layer->setting->kind == &layer_pool_max) {
        layer->kept[WHERE] = layer->y;
        layer->kept[WHERE].type = TENSOR_I32;
        plan_work(plan, &layer->kept[WHERE]);
    }
    plan_gradient(plan, layer);
    return 0;
}

static void forward_max(struct layer *layer, const struct pass *pass, const struct tensor *x)
{
    op_pool_max(pass->backend, &layer->setting->window, x, &layer->y, &layer->kept[WHERE]);
}

static void backward_max(struct layer *layer, const struct pass *pass, const struct tensor *x, const struct tensor *dy)
{
    (void)x;
    if (layer->dx.at)
        op_pool_max_back(pass->backend, &layer->setting->window, dy, &layer->kept[WHERE], &layer->dx);
}

static void forward_mean(struct layer *layer, const struct pass *pass, const struct tensor *x)
{
    op_pool_mean(pass->backend, &layer->setting->window, x, &layer->y);
}

static void backward_mean(struct layer *layer, const struct pass *pass, const struct tensor *x, const struct tensor *dy)
{
    (void)x;
    if (layer->dx.at)
        op_pool_mean_back(pass->backend, &layer->setting->window, dy, &layer->dx);
}

const struct layer_kind layer_pool_max = {"pool_max", plan_pool, forward_max, backward_max};
const struct layer_kind layer_pool_mean = {"pool_mean", plan_pool, forward_mean, backward_mean};
