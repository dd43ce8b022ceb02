/* Layers one after the other; see layer.h. */
#include "worker/nn/layer.h"

#include <stdlib.h>

const struct tensor *chain_forward(struct chain *chain, const struct pass *pass, const struct tensor *x)
{
    for (size_t l = 0; l < chain->count; l++) {
        struct layer *layer = &chain->layers[l];
        layer->y.size[0] = layer->dx.size[0] = pass->B;
        for (int i = 0; i < LAYER_MOST_KEPT; i++)
            layer->kept[i].size[0] = layer->kept[i].axes > 1 ? pass->B : layer->kept[i].size[0];
        layer->setting->kind->forward(layer, pass, x);
        x = &layer->y;
    }
    return x;
}

const struct tensor *chain_backward(struct chain *chain, const struct pass *pass, const struct tensor *x,
                                    const struct tensor *dy)
{
    for (size_t l = chain->count; l-- > 0;) {
        struct layer *layer = &chain->layers[l];
        layer->setting->kind->backward(layer, pass, l ? &chain->layers[l - 1].y : x, dy);
        dy = &layer->dx;
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
