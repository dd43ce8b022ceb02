/* A residual block (He et al. 2016): y = f(inner(x) + shortcut(x)), where both ways are lists of layers of their own;
 * without a shortcut it is x itself. */
#include "worker/nn/layer.h"

#include "worker/nn/plan.h"

enum { OTHER }; /* dy of the shortcut, since a way may write over what it is given */

static const struct layer_setting nothing[] = {{0}};

static int plan_residual(struct layer *layer, struct plan *plan, struct err *err)
{
    const struct layer_setting *setting = layer->setting;
    struct tensor inner, shortcut;
    bool first = plan->first;
    plan_narrow(plan, layer);
    if (!activation_forgets(setting->activation))
        return err_set(err, "its activation must be one whose slope follows from its value, as relu");
    if (plan_chain(plan, &layer->inner, setting->inner, &layer->x_shape, &inner, err))
        return -1;
    plan->first = first;
    if (plan_chain(plan, &layer->shortcut, setting->shortcut ? setting->shortcut : nothing, &layer->x_shape, &shortcut,
                   err))
        return -1;
    plan->first = first;
    if (!tensor_alike(&inner, &shortcut))
        return err_set(err, "its two ways end in different shapes; a convolution of 1 x 1 in the shortcut makes them "
                            "the same");
    layer->y = inner;
    layer->kept[OTHER] = inner;
    plan_work(plan, &layer->y);
    plan_work(plan, &layer->kept[OTHER]);
    plan_gradient(plan, layer);
    return 0;
}

static void forward_residual(struct layer *layer, const struct pass *pass, const struct tensor *x)
{
    const struct tensor *inner = chain_forward(&layer->inner, pass, x);
    op_add(pass->backend, inner, chain_forward(&layer->shortcut, pass, x), &layer->y);
    if (layer->setting->activation != ACTIVATION_NONE)
        op_activate(pass->backend, layer->setting->activation, &layer->y, &layer->y);
}

static void backward_residual(struct layer *layer, const struct pass *pass, const struct tensor *x,
                              const struct tensor *dy)
{
    if (layer->setting->activation != ACTIVATION_NONE)
        op_activate_back(pass->backend, layer->setting->activation, &layer->y, dy, dy);
    op_copy(pass->backend, dy, &layer->kept[OTHER]);
    const struct tensor *a = chain_backward(&layer->inner, pass, x, dy);
    const struct tensor *b = chain_backward(&layer->shortcut, pass, x, &layer->kept[OTHER]);
    if (layer->dx.at)
        op_add(pass->backend, a, b, &layer->dx);
}

const struct layer_kind layer_residual = {"residual", plan_residual, forward_residual, backward_residual};
