/* Layers one after the other; see layer.h. */
#include "worker/nn/layer.h"

#include <stdlib.h>

static void set_batch(struct layer *layer, size_t B)
{
    layer->y.size[0] = layer->dx.size[0] = layer->cast.size[0] = layer->dcast.size[0] = B;
    for (int i = 0; i < LAYER_MOST_KEPT; i++)
        layer->kept[i].size[0] = layer->kept[i].axes > 1 ? B : layer->kept[i].size[0];
}

const struct tensor *chain_forward(struct chain *chain, const struct pass *pass, const struct tensor *x)
{
    for (size_t l = 0; l < chain->count; l++) {
        struct layer *layer = &chain->layers[l];
        set_batch(layer, pass->B);
        if (layer->cast.at)
            op_cast(pass->backend, x, &layer->cast);
        layer->setting->kind->forward(layer, pass, layer->cast.at ? &layer->cast : x);
        x = &layer->y;
    }
    return x;
}

/* What came to layer l, where x came to the first. */
static const struct tensor *input_of(const struct chain *chain, size_t l, const struct tensor *x)
{
    const struct layer *layer = &chain->layers[l];
    return layer->cast.at ? &layer->cast : l ? &layer[-1].y : x;
}

const struct tensor *chain_backward(struct chain *chain, const struct pass *pass, const struct tensor *x,
                                    const struct tensor *dy)
{
    for (size_t l = chain->count; l-- > 0;) {
        struct layer *layer = &chain->layers[l];
        layer->setting->kind->backward(layer, pass, input_of(chain, l, x), dy);
        if (layer->dcast.at)
            op_cast(pass->backend, &layer->dx, &layer->dcast);
        dy = layer->dcast.at ? &layer->dcast : &layer->dx;
    }
    return dy;
}

void chain_fini(struct chain *chain)
{
    for (size_t l = 0; l < chain->count; l++) {
        chain_fini(&chain->layers[l].inner);
        chain_fini(&chain->layers[l].shortcut);
    }
    free(chain->layers);
    *chain = (struct chain){0};
}
