/* Self-attention with several heads (Vaswani et al. 2017): y[B,T,D] of queries, keys and values qkv[B,T,3D], which a
 * dense layer of 3D outputs makes; it has no weights of its own. With a `share` so many of the softmaxes' weights are
 * dropped in training. */
#include "worker/nn/layer.h"

#include "worker/backend/random.h"

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
    if (layer->setting->share > 0) /* without it later layers draw what they always drew */
        layer->stream = plan_stream(plan);
    plan_work(plan, &layer->y);
    plan_work(plan, &layer->kept[SUMS]);
    plan_gradient(plan, layer);
    return 0;
}

static struct attention attention_of(const struct layer *layer, const struct pass *pass, bool training)
{
    const struct layer_setting *setting = layer->setting;
    return (struct attention){.heads = setting->heads,
                              .causal = setting->causal,
                              .lengths = pass->lengths,
                              .dropped = training ? setting->share : 0,
                              .stream = layer->drawn};
}

/* The rows of weights of so many examples. */
static size_t count_rows(const struct layer *layer, size_t examples)
{
    return examples * layer->setting->heads * layer->x_shape.size[1];
}

static void forward_attention(struct layer *layer, const struct pass *pass, const struct tensor *x)
{
    size_t T = layer->x_shape.size[1];
    if (pass->training && layer->setting->share > 0) {
        layer->drawn = random_row(layer->stream, count_rows(layer, pass->before), T);
        layer->stream = random_row(layer->stream, count_rows(layer, pass->whole), T);
    }
    struct attention how = attention_of(layer, pass, pass->training);
    op_attention(pass->backend, &how, x, &layer->kept[SUMS], &layer->y);
}

static void backward_attention(struct layer *layer, const struct pass *pass, const struct tensor *x,
                               const struct tensor *dy)
{
    struct attention how = attention_of(layer, pass, true);
    if (layer->dx.at)
        op_attention_back(pass->backend, &how, x, &layer->kept[SUMS], &layer->y, dy, &layer->dx);
}

const struct layer_kind layer_attention = {"attention", plan_attention, forward_attention, backward_attention};
