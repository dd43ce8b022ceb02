/* Layers without weights that look at each number alone: activation, dropout, flatten, which makes one axis of all
 * but the first, and widen. */
#include "worker/nn/layer.h"

#include "worker/backend/random.h"

static int plan_same(struct layer *layer, struct plan *plan, struct err *err)
{
    (void)err;
    plan_narrow(plan, layer);
    layer->y = layer->x_shape;
    plan_work(plan, &layer->y);
    plan_gradient(plan, layer);
    return 0;
}

/* --- activation --- */

static void forward_activation(struct layer *layer, const struct pass *pass, const struct tensor *x)
{
    op_activate(pass->backend, layer->setting->activation, x, &layer->y);
}

static void backward_activation(struct layer *layer, const struct pass *pass, const struct tensor *x,
                                const struct tensor *dy)
{
    enum activation f = layer->setting->activation;
    if (layer->dx.at)
        op_activate_back(pass->backend, f, activation_forgets(f) ? &layer->y : x, dy, &layer->dx);
}

/* --- dropout: Srivastava et al. 2014 --- */

enum { DROPPED }; /* the outputs in training; otherwise they are what came in */

static int plan_dropout(struct layer *layer, struct plan *plan, struct err *err)
{
    (void)err;
    plan_narrow(plan, layer);
    layer->stream = plan_stream(plan);
    layer->y = layer->kept[DROPPED] = layer->x_shape;
    plan_work(plan, &layer->kept[DROPPED]);
    plan_gradient(plan, layer);
    return 0;
}

static void forward_dropout(struct layer *layer, const struct pass *pass, const struct tensor *x)
{
    layer->y = pass->training ? layer->kept[DROPPED] : *x;
    if (!pass->training)
        return;
    size_t before = pass->before * tensor_width(x);
    layer->skipped = before % RANDOM_A_DRAW;
    layer->drawn = random_after(layer->stream, before - layer->skipped);
    layer->stream = random_after(layer->stream, pass->whole * tensor_width(x));
    op_dropout(pass->backend, layer->setting->share, layer->drawn, layer->skipped, x, &layer->y);
}

static void backward_dropout(struct layer *layer, const struct pass *pass, const struct tensor *x,
                             const struct tensor *dy)
{
    (void)x;
    if (layer->dx.at)
        op_dropout(pass->backend, layer->setting->share, layer->drawn, layer->skipped, dy, &layer->dx);
}

/* --- flatten, and widen, which moves nothing either: what comes to it is F32, whatever the network's precision --- */

static struct tensor flat_rows(const struct tensor *tensor)
{
    struct tensor rows = tensor_make(tensor->type, 2, (size_t[]){tensor->size[0], tensor_width(tensor)});
    rows.at = tensor->at;
    return rows;
}

static int plan_flatten(struct layer *layer, struct plan *plan, struct err *err)
{
    (void)err;
    plan_narrow(plan, layer); /* but whether this is the first layer is the next one's business */
    layer->y = flat_rows(&layer->x_shape);
    layer->dx = layer->x_shape;
    return 0;
}

static int plan_widen(struct layer *layer, struct plan *plan, struct err *err)
{
    (void)plan;
    (void)err;
    layer->y = layer->dx = layer->x_shape;
    return 0;
}

static void forward_widen(struct layer *layer, const struct pass *pass, const struct tensor *x)
{
    (void)pass;
    layer->y = *x;
}

static void forward_flatten(struct layer *layer, const struct pass *pass, const struct tensor *x)
{
    (void)pass;
    layer->y = flat_rows(x);
}

static void backward_nothing(struct layer *layer, const struct pass *pass, const struct tensor *x,
                             const struct tensor *dy)
{
    (void)x;
    (void)pass;
    layer->dx.at = dy->at;
}

const struct layer_kind layer_activation = {"activation", plan_same, forward_activation, backward_activation};
const struct layer_kind layer_dropout = {"dropout", plan_dropout, forward_dropout, backward_dropout};
const struct layer_kind layer_flatten = {"flatten", plan_flatten, forward_flatten, backward_nothing};
const struct layer_kind layer_widen = {"widen", plan_widen, forward_widen, backward_nothing};
