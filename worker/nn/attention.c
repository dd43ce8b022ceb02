/* Self-attention with several heads (Vaswani et al. 2017): y[B,T,D] of queries, keys and values qkv[B,T,3D], which a
 * dense layer of 3D outputs makes; it has no weights of its own. */
#include "worker/nn/layer.h"

enum { SUMS }; /* kept: logarithms of the sums of each softmax */

static int plan_attention(struct layer *layer, struct plan *plan, struct err *err)
{
    const struct tensor *x = &layer->x_shape;
    plan_narrow(plan, layer);
    size_t heads = layer->setting->heads, D = x->size[2] / 3;
    if (x->axes != 3 || x->size[2] % 3)
        return err_set(err, "attention needs queries, keys and values side by side, from a dense layer of rows");
    if (!heads || D % heads)
        return err_set(err, "a width of %zu can't be divided among %zu heads", D, heads);
    layer->y = *x;
    layer->y.size[2] = D;
    layer->kept[SUMS] = tensor_make(TENSOR_F32, 3, (size_t[]){x->size[0], heads, x->size[1]});
    plan_work(plan, &layer->y);
    plan_work(plan, &layer->kept[SUMS]);
    plan_gradient(plan, layer);
    return 0;
}

static void forward_attention(struct layer *layer, const struct pass *pass, const struct tensor *x)
{
    op_attention(pass->backend, layer->setting->heads, layer->setting->causal, x, &layer->kept[SUMS], &layer->y);
}

static void backward_attention(struct layer *layer, const struct pass *pass, const struct tensor *x,
                               const struct tensor *dy)
{
    if (layer->dx.at)
        op_attention_back(pass->backend, layer->setting->heads, layer->setting->causal, x, &layer->kept[SUMS],
                          &layer->y, dy, &layer->dx);
}

const struct layer_kind layer_attention = {"attention", plan_attention, forward_attention, backward_attention};
