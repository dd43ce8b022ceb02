/* See weighted.h. */
#include "worker/nn/weighted.h"

enum { SUMS }; /* z, where it is kept */

static bool keeps_sums(const struct layer *layer)
{
    return !activation_forgets(layer->setting->activation);
}

bool weighted_rectifies(const struct layer_setting *setting)
{
    return setting->activation == ACTIVATION_RELU || setting->activation == ACTIVATION_GELU;
}

void weighted_plan(struct layer *layer, struct plan *plan, const struct tensor *w, enum beginning beginning,
                   size_t inputs, size_t outputs, const struct tensor *y)
{
    struct tensor b = tensor_vector(TENSOR_F32, layer->setting->outputs);
    plan_narrow(plan, layer);
    plan_parameter(plan, layer, w, beginning, inputs, outputs);
    if (!layer->setting->unbiased)
        plan_parameter(plan, layer, &b, BEGINS_ZERO, inputs, outputs);
    layer->y = *y;
    layer->y.type = layer->x_shape.type;
    plan_work(plan, &layer->y);
    if (keeps_sums(layer)) {
        layer->kept[SUMS] = layer->y;
        plan_work(plan, &layer->kept[SUMS]);
    }
    plan_gradient(plan, layer);
}

const struct tensor *weighted_bias(const struct layer *layer)
{
    return layer->parameter_count > 1 ? &layer->parameters[1].w : NULL;
}

struct tensor *weighted_bias_gradient(struct layer *layer)
{
    return layer->parameter_count > 1 ? &layer->parameters[1].dw : NULL;
}

struct tensor *weighted_sums(struct layer *layer, enum activation *activation)
{
    *activation = keeps_sums(layer) ? ACTIVATION_NONE : layer->setting->activation;
    return keeps_sums(layer) ? &layer->kept[SUMS] : &layer->y;
}

void weighted_activate(struct layer *layer, const struct pass *pass)
{
    if (keeps_sums(layer))
        op_activate(pass->backend, layer->setting->activation, &layer->kept[SUMS], &layer->y);
}

void weighted_activate_back(struct layer *layer, const struct pass *pass, const struct tensor *dy)
{
    enum activation f = layer->setting->activation;
    if (f != ACTIVATION_NONE)
        op_activate_back(pass->backend, f, keeps_sums(layer) ? &layer->kept[SUMS] : &layer->y, dy, dy);
}
