/* See lanes_network.h. Rows are one vector longer where their length is even: then those below one another do not fall
 * on the same places of the first cache. */
#include "worker/lanes/lanes_network.h"

#include "common/mem.h"
#include "worker/backend/random.h"
#include "worker/lanes/lanes_layer.h"

#include <stdlib.h>

static bool is_drop(const struct layer *layer)
{
    return layer->setting->kind == &layer_dropout;
}

/* --- which networks --- */

/* The last layer of all widens what comes out: that is F32 here. */
static bool is_end(const struct layer *layer)
{
    return layer->setting->kind == &layer_widen;
}

/* The layers that do something. */
static size_t count_layers(const struct network *network)
{
    const struct chain *chain = &network->layers;
    return chain->count - (chain->count && is_end(&chain->layers[chain->count - 1]));
}

bool lanes_suit(const struct network *network)
{
    const struct chain *chain = &network->layers;
    for (size_t l = 0; l < chain->count; l++) {
        const struct layer *layer = &chain->layers[l];
        bool is_plain = layer->setting->kind == &layer_dense && !layer->setting->unbiased && layer->x_shape.axes == 2;
        if (!is_plain && !is_drop(layer) && !is_end(layer))
            return false;
    }
    return chain->count && !network->narrow.at;
}

bool lanes_match(const struct network *a, const struct network *b)
{
    bool match = a->backend == b->backend && a->layers.count == b->layers.count;
    for (size_t l = 0; match && l < a->layers.count; l++) {
        const struct layer *one = &a->layers.layers[l], *other = &b->layers.layers[l];
        match = one->setting->kind == other->setting->kind && one->setting->activation == other->setting->activation &&
                tensor_width(&one->x_shape) == tensor_width(&other->x_shape) &&
                tensor_width(&one->y) == tensor_width(&other->y);
    }
    return match;
}

bool lanes_fit(const struct lanes_network *fused, const struct network *network, size_t B)
{
    bool fit = fused && fused->B == B && fused->layer_count == count_layers(network);
    for (size_t l = 0; fit && l < fused->layer_count; l++) {
        const struct lanes_layer *ours = &fused->layers[l];
        const struct layer *layer = &network->layers.layers[l];
        fit = ours->drops == is_drop(layer) && ours->I == tensor_width(&layer->x_shape) &&
              ours->O == tensor_width(&layer->y) && ours->activation == layer->setting->activation;
    }
    return fit;
}

/* --- memory --- */

static struct lanes_layer plan_layer(const struct layer *layer, size_t *P)
{
    struct lanes_layer made = {.drops = is_drop(layer),
                               .I = tensor_width(&layer->x_shape),
                               .O = tensor_width(&layer->y),
                               .activation = layer->setting->activation};
    made.x_row = made.I | 1;
    made.y_row = made.O | 1;
    made.w = *P;
    made.b = *P + made.O * made.x_row;
    *P = made.drops ? *P : made.b + made.O;
    return made;
}

/* Gives the arrays their places behind `at`, where that is not NULL; the vectors that they take. */
static size_t place_arrays(struct lanes_network *fused, lanes *at)
{
    size_t used = 0;
    lanes *labels;
#define PLACE(array, count) ((array) = at ? at + used : NULL, used += (count))
    PLACE(fused->x, fused->B * fused->x_row);
    PLACE(fused->w, fused->P);
    PLACE(fused->dw, fused->P);
    PLACE(fused->first, fused->P);
    PLACE(fused->second, fused->P);
    PLACE(fused->mean, fused->P);
    for (size_t l = 0; l < fused->layer_count; l++) {
        struct lanes_layer *layer = &fused->layers[l];
        PLACE(layer->y, fused->B * layer->y_row);
        PLACE(layer->kept, fused->B * layer->y_row);
        if (l) /* nobody wants that of the first layer */
            PLACE(layer->dx, fused->B * layer->x_row);
    }
    PLACE(labels, fused->B);
#undef PLACE
    fused->labels = (lanes_int *)labels;
    return used;
}

struct lanes_network *lanes_create(const struct network *like, size_t B, struct err *err)
{
    struct lanes_network *made = MEM_NEW(struct lanes_network);
    made->backend = like->backend;
    made->B = B;
    made->layer_count = count_layers(like);
    made->layers = mem_aligned(made->layer_count, sizeof *made->layers);
    for (size_t l = 0; l < made->layer_count; l++)
        made->layers[l] = plan_layer(&like->layers.layers[l], &made->P);
    made->I = made->layers[0].I;
    made->x_row = made->layers[0].x_row;
    made->C = made->layers[made->layer_count - 1].O;
    made->y_row = made->layers[made->layer_count - 1].y_row;
    made->memory = made->backend->kind->allocate(made->backend->self, place_arrays(made, NULL) * sizeof(lanes), err);
    if (!made->memory) {
        lanes_destroy(made);
        return NULL;
    }
    place_arrays(made, made->memory);
    return made;
}

void lanes_destroy(struct lanes_network *fused)
{
    if (!fused)
        return;
    fused->backend->kind->release(fused->backend->self, fused->memory);
    free(fused->layers);
    free(fused);
}

/* --- from networks and back --- */

/* Moves `rows` of `width` numbers between lane f of vectors, whose rows are `row` apart, and an array. */
static void move_numbers(lanes *ours, size_t f, size_t rows, size_t width, size_t row, float *theirs, bool store)
{
    for (size_t r = 0; r < rows; r++) {
        float *at = (float *)(ours + r * row) + f, *other = theirs + r * width;
        for (size_t i = 0; store && i < width; i++)
            other[i] = at[i * LANES];
        for (size_t i = 0; !store && i < width; i++)
            at[i * LANES] = other[i];
    }
}

/* Moves what `whole` has for each weight of the network: weights, or what an optimizer keeps. */
static void move_weights(const struct lanes_network *fused, size_t f, const struct network *network,
                         const struct tensor *whole, lanes *ours, bool store)
{
    float *numbers = MEM_ARRAY(float, tensor_count(whole));
    op_download(network->backend, whole, numbers);
    for (size_t l = 0; l < fused->layer_count; l++) {
        const struct lanes_layer *layer = &fused->layers[l];
        const struct parameter *own = network->layers.layers[l].parameters;
        const char *begin = network->weights.at;
        if (layer->drops)
            continue;
        float *w = numbers + ((const char *)own[0].w.at - begin) / (ptrdiff_t)sizeof *numbers,
              *b = numbers + ((const char *)own[1].w.at - begin) / (ptrdiff_t)sizeof *numbers;
        move_numbers(ours + layer->w, f, layer->O, layer->I, layer->x_row, w, store);
        move_numbers(ours + layer->b, f, 1, layer->O, 0, b, store);
    }
    if (store)
        op_upload(network->backend, numbers, whole);
    free(numbers);
}

static void clear_lane(const struct lanes_network *fused, size_t f, lanes *ours)
{
    for (size_t i = 0; i < fused->P; i++)
        ours[i][f] = 0;
}

/* The share is told to 1/65536, as random.h has it. */
static void load_layer(struct lanes_layer *layer, size_t f, const struct layer *own)
{
    uint64_t bound = random_bound(own->setting->share);
    layer->bound[f] = bound;
    layer->scale[f] = 65536.0f / (65536.0f - (float)bound);
    layer->stream[f] = own->stream;
}

void lanes_load(struct lanes_network *fused, size_t f, const struct network *network, const struct optimizer *optimizer,
                const struct average *average)
{
    const struct tensor *first = &optimizer->first, *second = &optimizer->second, *mean = &average->mean;
    move_weights(fused, f, network, &network->weights, fused->w, false);
    move_weights(fused, f, network, mean->at ? mean : &network->weights, fused->mean, false);
    if (first->at)
        move_weights(fused, f, network, first, fused->first, false);
    else
        clear_lane(fused, f, fused->first);
    if (second->at)
        move_weights(fused, f, network, second, fused->second, false);
    for (size_t l = 0; l < fused->layer_count; l++)
        load_layer(&fused->layers[l], f, &network->layers.layers[l]);
}

void lanes_store(const struct lanes_network *fused, size_t f, struct network *network, struct optimizer *optimizer,
                 struct average *average)
{
    move_weights(fused, f, network, &network->weights, fused->w, true);
    if (average->mean.at)
        move_weights(fused, f, network, &average->mean, fused->mean, true);
    if (optimizer->first.at)
        move_weights(fused, f, network, &optimizer->first, fused->first, true);
    if (optimizer->second.at)
        move_weights(fused, f, network, &optimizer->second, fused->second, true);
    for (size_t l = 0; l < fused->layer_count; l++)
        if (fused->layers[l].drops)
            network->layers.layers[l].stream = fused->layers[l].stream[f];
    network_weights_changed(network);
}

/* --- passes --- */

lanes *lanes_forward(struct lanes_network *fused, size_t B, bool training, bool averaged)
{
    struct lanes_pass pass = {fused->backend, B, training, averaged ? fused->mean : fused->w, fused->dw};
    const struct lanes_matrix x = {fused->x, fused->x_row, 1};
    const struct lanes_matrix *in = &x;
    for (size_t l = 0; l < fused->layer_count; l++) {
        lanes_layer_forward(&fused->layers[l], &pass, in);
        in = &fused->layers[l].out;
    }
    return (lanes *)(uintptr_t)in->at;
}

void lanes_backward(struct lanes_network *fused, size_t B)
{
    struct lanes_pass pass = {fused->backend, B, true, fused->w, fused->dw};
    const struct lanes_matrix x = {fused->x, fused->x_row, 1};
    lanes *dy = (lanes *)(uintptr_t)fused->layers[fused->layer_count - 1].out.at;
    for (size_t l = fused->layer_count; l-- > 0;)
        dy = lanes_layer_backward(&fused->layers[l], &pass, l ? &fused->layers[l - 1].out : &x, dy);
}

/* Of optimizer.c's update_layers: each layer's weights by themselves, biases by plain momentum without decay. */
static void follow_layers(struct lanes_network *fused, const struct lanes_update *update)
{
    struct lanes_update plain = *update;
    plain.kind = UPDATE_SGD;
    plain.l2 = LANES_OF(0);
    for (size_t l = 0; l < fused->layer_count; l++) {
        const struct lanes_layer *layer = &fused->layers[l];
        size_t w = layer->w, b = layer->b;
        if (layer->drops)
            continue;
        lanes_update(b - w, update, fused->w + w, fused->dw + w, fused->first + w, NULL);
        lanes_update(layer->O, &plain, fused->w + b, fused->dw + b, fused->first + b, NULL);
    }
}

void lanes_follow(struct lanes_network *fused, const struct lanes_update *update)
{
    if (update->kind == UPDATE_LARS)
        follow_layers(fused, update);
    else
        lanes_update(fused->P, update, fused->w, fused->dw, fused->first, fused->second);
}
