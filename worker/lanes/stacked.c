/* See stacked.h. Of a batch the examples of one network lie together, so that a pass is an array of batches of F B
 * examples, the last of which may be smaller. */
#include "worker/lanes/stacked.h"

#include "common/mem.h"
#include <stdlib.h>

/* The last layer of all widens what comes out: that is F32 here. */
static size_t count_layers(const struct network *network)
{
    const struct chain *chain = &network->layers;
    return chain->count - (chain->layers[chain->count - 1].setting->kind == &layer_widen);
}

static bool is_drop(const struct layer *layer)
{
    return layer->setting->kind == &layer_dropout;
}

bool stacked_fit(const struct stacked *stacked, const struct network *network, size_t most, size_t B, size_t N)
{
    bool fit = stacked && stacked->most >= most && stacked->B == B && stacked->N >= N &&
               stacked->layer_count == count_layers(network);
    for (size_t l = 0; fit && l < stacked->layer_count; l++) {
        const struct stacked_layer *ours = &stacked->layers[l];
        const struct layer *layer = &network->layers.layers[l];
        fit = ours->drops == is_drop(layer) && ours->I == tensor_width(&layer->x_shape) &&
              ours->O == tensor_width(&layer->y) && ours->activation == layer->setting->activation;
    }
    return fit;
}

/* --- memory --- */

static size_t place_of(const struct network *network, const struct tensor *w)
{
    return (size_t)((const float *)w->at - (const float *)network->weights.at);
}

static struct stacked_layer plan_layer(const struct network *network, const struct layer *layer)
{
    struct stacked_layer made = {.drops = is_drop(layer),
                                 .I = tensor_width(&layer->x_shape),
                                 .O = tensor_width(&layer->y),
                                 .activation = layer->setting->activation};
    if (!made.drops) {
        made.w = place_of(network, &layer->parameters[0].w);
        made.b = place_of(network, &layer->parameters[1].w);
    }
    return made;
}

/* Makes a tensor at the end of what is used so far, where `base` is not NULL. */
static void place(char *base, size_t *used, struct tensor *tensor, enum tensor_type type, size_t rows, size_t columns)
{
    enum { LINE = 64 };
    *tensor = columns ? tensor_make(type, 2, (size_t[]){rows, columns}) : tensor_vector(type, rows);
    tensor->at = base ? base + *used : NULL;
    *used += (tensor_bytes(tensor) + LINE - 1) / LINE * LINE;
}

/* The bytes that all arrays take. */
static size_t place_arrays(struct stacked *s, char *base)
{
    size_t used = 0, F = s->most, P = F * s->stack.P, rows = F * s->B;
    struct tensor *weights[] = {&s->w, &s->dw, &s->first, &s->second, &s->mean};
    for (size_t i = 0; i < sizeof weights / sizeof *weights; i++)
        place(base, &used, weights[i], TENSOR_F32, P, 0);
    place(base, &used, &s->places, TENSOR_I32, F * s->N, 0);
    place(base, &used, &s->losses, TENSOR_F32, F * s->N, 0);
    place(base, &used, &s->hits, TENSOR_I32, F * s->N, 0);
    place(base, &used, &s->labels, TENSOR_I32, rows, 0);
    place(base, &used, &s->x, TENSOR_F32, rows, s->layers[0].I);
    for (size_t l = 0; l < s->layer_count; l++) {
        struct stacked_layer *layer = &s->layers[l];
        place(base, &used, &layer->y, TENSOR_F32, rows, layer->O);
        if (!layer->drops && !activation_forgets(layer->activation))
            place(base, &used, &layer->kept, TENSOR_F32, rows, layer->O);
        if (l && !layer->drops) /* nobody wants that of the first layer, and dropout's is dy */
            place(base, &used, &layer->dx, TENSOR_F32, rows, layer->I);
    }
    place(base, &used, &s->dz, TENSOR_F32, rows, s->layers[s->layer_count - 1].O);
    return used;
}

static void plan_stack(struct stacked *made, const struct network *like, size_t most, size_t B, size_t N)
{
    *made = (struct stacked){.backend = like->backend, .most = most, .B = B, .N = N};
    made->stack = (struct stack){most, tensor_count(&like->weights)};
    made->layer_count = count_layers(like);
    made->layers = MEM_ARRAY(struct stacked_layer, made->layer_count);
    for (size_t l = 0; l < made->layer_count; l++)
        made->layers[l] = plan_layer(like, &like->layers.layers[l]);
}

size_t stacked_bytes(const struct network *like, size_t B, size_t N)
{
    struct stacked one;
    plan_stack(&one, like, 1, B, N);
    size_t bytes = place_arrays(&one, NULL);
    free(one.layers);
    return bytes;
}

struct stacked *stacked_create(const struct network *like, size_t most, size_t B, size_t N, struct err *err)
{
    struct stacked *made = MEM_NEW(struct stacked);
    plan_stack(made, like, most, B, N);
    made->wanted = MEM_ARRAY(int32_t, most * N);
    made->hit = MEM_ARRAY(int32_t, most * N);
    made->loss = MEM_ARRAY(float, most *N);
    made->memory = backend_allocate(made->backend, place_arrays(made, NULL), err);
    if (!made->memory) {
        stacked_destroy(made);
        return NULL;
    }
    place_arrays(made, made->memory);
    return made;
}

void stacked_destroy(struct stacked *stacked)
{
    if (!stacked)
        return;
    stacked->backend->kind->release(stacked->backend->self, stacked->memory);
    free(stacked->wanted);
    free(stacked->hit);
    free(stacked->loss);
    free(stacked->layers);
    free(stacked);
}

/* --- from networks and back --- */

void stacked_begin(struct stacked *stacked, size_t count)
{
    stacked->stack.F = count;
}

static struct tensor of_network(const struct stacked *stacked, const struct tensor *all, size_t f)
{
    return tensor_slice(all, f * stacked->stack.P, stacked->stack.P);
}

static void load_weights(struct stacked *stacked, size_t f, const struct tensor *from, const struct tensor *all)
{
    struct tensor own = of_network(stacked, all, f);
    if (from->at)
        op_copy(stacked->backend, from, &own);
    else
        op_fill(stacked->backend, 0, &own);
}

void stacked_load(struct stacked *stacked, size_t f, const struct network *network, const struct optimizer *optimizer,
                  const struct average *average)
{
    load_weights(stacked, f, &network->weights, &stacked->w);
    load_weights(stacked, f, &optimizer->first, &stacked->first);
    load_weights(stacked, f, &optimizer->second, &stacked->second);
    load_weights(stacked, f, average->mean.at ? &average->mean : &network->weights, &stacked->mean);
    for (size_t l = 0; l < stacked->layer_count; l++) {
        stacked->layers[l].share[f] = network->layers.layers[l].setting->share;
        stacked->layers[l].stream[f] = network->layers.layers[l].stream;
    }
}

static void store_weights(const struct stacked *stacked, size_t f, const struct tensor *to, const struct tensor *all)
{
    struct tensor own = of_network(stacked, all, f);
    if (to->at)
        op_copy(stacked->backend, &own, to);
}

void stacked_store(const struct stacked *stacked, size_t f, struct network *network, struct optimizer *optimizer,
                   struct average *average)
{
    store_weights(stacked, f, &network->weights, &stacked->w);
    store_weights(stacked, f, &optimizer->first, &stacked->first);
    store_weights(stacked, f, &optimizer->second, &stacked->second);
    store_weights(stacked, f, &average->mean, &stacked->mean);
    for (size_t l = 0; l < stacked->layer_count; l++)
        if (stacked->layers[l].drops)
            network->layers.layers[l].stream = stacked->layers[l].stream[f];
    network_weights_changed(network);
}

/* --- the data --- */

void stacked_places(struct stacked *stacked, const size_t *const *orders, size_t first, size_t N, size_t B)
{
    size_t F = stacked->stack.F, at = 0;
    for (size_t n = 0; n < N; n += B)
        for (size_t f = 0; f < F; f++)
            for (size_t i = n; i < N && i < n + B; i++)
                stacked->wanted[at++] = (int32_t)(orders ? orders[f][i] : first + i);
    struct tensor all = tensor_slice(&stacked->places, 0, F * N);
    op_upload(stacked->backend, stacked->wanted, &all);
}

struct tensor stacked_rows(const struct stacked *stacked, const struct tensor *all, size_t first, size_t B)
{
    size_t F = stacked->stack.F;
    return tensor_slice(all, F * first, F * B);
}

void stacked_take(struct stacked *stacked, const struct tensor *x, const struct tensor *labels, size_t n, size_t B)
{
    struct tensor places = stacked_rows(stacked, &stacked->places, n, B), to = stacked_rows(stacked, &stacked->x, 0, B),
                  to_labels = stacked_rows(stacked, &stacked->labels, 0, B);
    op_take(stacked->backend, x, &places, &to);
    op_take(stacked->backend, labels, &places, &to_labels);
}

void stacked_sums(struct stacked *stacked, size_t N, size_t B, struct stacked_loss *out)
{
    size_t F = stacked->stack.F, at = 0;
    struct tensor losses = stacked_rows(stacked, &stacked->losses, 0, N),
                  hits = stacked_rows(stacked, &stacked->hits, 0, N);
    op_download(stacked->backend, &losses, stacked->loss);
    op_download(stacked->backend, &hits, stacked->hit);
    for (size_t f = 0; f < F; f++)
        out[f] = (struct stacked_loss){0};
    for (size_t n = 0; n < N; n += B)
        for (size_t f = 0; f < F; f++)
            for (size_t i = n; i < N && i < n + B; i++, at++) {
                out[f].sum += (double)stacked->loss[at];
                out[f].hits += stacked->hit[at] != 0;
            }
}
