/* Networks; see network.h. */
#include "worker/nn/network.h"

#include "common/hash.h"
#include "common/mem.h"

#include <stdlib.h>
#include <string.h>

/* A list with the lists within it and room for one layer more; NULL of NULL. */
static struct layer_setting *copy_settings(const struct layer_setting *settings)
{
    size_t count = 0;
    while (settings && settings[count].kind)
        count++;
    struct layer_setting *copy = settings ? MEM_ARRAY(struct layer_setting, count + 2) : NULL;
    for (size_t l = 0; l < count; l++) {
        copy[l] = settings[l];
        copy[l].inner = copy_settings(settings[l].inner);
        copy[l].shortcut = copy_settings(settings[l].shortcut);
    }
    return copy;
}

/* What comes out is F32, whatever the precision; checkpoints of both have the same layers. */
static void end_wide(struct layer_setting *settings)
{
    while (settings->kind)
        settings++;
    settings->kind = &layer_widen;
}

static void free_settings(const struct layer_setting *settings)
{
    for (const struct layer_setting *at = settings; at && at->kind; at++) {
        free_settings(at->inner);
        free_settings(at->shortcut);
    }
    free((void *)(uintptr_t)settings); /* made by copy_settings */
}

static int plan_network(struct network *network, const struct tensor *shape, struct err *err)
{
    struct tensor out;
    if (plan_chain(&network->plan, &network->layers, network->settings, shape, &out, err) ||
        plan_allocate(&network->plan, network->backend, err))
        return -1;
    network->weights = plan_whole(&network->plan.weights);
    network->gradients = plan_whole(&network->plan.gradients);
    network->narrow = plan_whole_narrow(&network->plan);
    network->state = plan_whole(&network->plan.state);
    plan_begin(&network->plan, network->backend);
    return 0;
}

struct network *network_create(struct backend *backend, enum tensor_type type, const struct tensor *shape,
                               const struct layer_setting *settings, uint64_t seed, struct err *err)
{
    struct network *network = MEM_NEW(struct network);
    network->backend = backend;
    network->settings = copy_settings(settings);
    end_wide(network->settings);
    network->stale = true;
    network->larger = 1;
    network->plan = (struct plan){.seed = seed, .type = type, .first = true};
    if (backend->kind->takes(backend->self, type, err) || plan_network(network, shape, err)) {
        network_destroy(network);
        return NULL;
    }
    return network;
}

void network_destroy(struct network *network)
{
    if (!network)
        return;
    chain_fini(&network->layers);
    plan_fini(&network->plan, network->backend);
    free_settings(network->settings);
    free(network);
}

void network_weights_changed(struct network *network)
{
    network->stale = true;
}

static struct pass make_pass(const struct network *network, const struct tensor *x, bool training)
{
    size_t B = x->size[0];
    return (struct pass){.backend = network->backend,
                         .B = B,
                         .training = training,
                         .lengths = network->lengths.at ? &network->lengths : NULL,
                         .before = network->whole ? network->before : 0,
                         .whole = network->whole ? network->whole : B};
}

/* The gradient of the first weight of some layers; NULL: they have none. */
static const struct tensor *first_gradient(const struct chain *chain)
{
    for (size_t l = 0; l < chain->count; l++) {
        const struct layer *layer = &chain->layers[l];
        const struct tensor *first = layer->parameter_count ? &layer->parameters[0].dw : first_gradient(&layer->inner);
        if (first || (first = first_gradient(&layer->shortcut)))
            return first;
    }
    return NULL;
}

const struct tensor *network_forward(struct network *network, const struct tensor *x, bool training)
{
    if (network->narrow.at && (training || network->stale))
        op_cast(network->backend, &network->weights, &network->narrow);
    network->stale = training;
    struct pass pass = make_pass(network, x, training);
    network->y = *chain_forward(&network->layers, &pass, x);
    return &network->y;
}

void network_backward(struct network *network, const struct tensor *x, const struct tensor *dy)
{
    struct pass pass = make_pass(network, x, true);
    struct layer *layers = network->layers.layers;
    if (network->larger != 1)
        op_scale(network->backend, network->larger, dy, NULL);
    for (size_t l = network->layers.count; l-- > 0;) {
        struct chain one = {.layers = &layers[l], .count = 1};
        dy = chain_backward(&one, &pass, l ? &layers[l - 1].y : x, dy);
        const struct tensor *first = network->made ? first_gradient(&one) : NULL;
        if (first)
            network->made(network->context, (size_t)((float *)first->at - (float *)network->gradients.at));
    }
}

/* --- checkpoints --- */

static void save_streams(const struct chain *chain, struct pack_writer *out)
{
    for (size_t l = 0; l < chain->count; l++) {
        const struct layer *layer = &chain->layers[l];
        pack_add_bytes(out, &layer->stream, sizeof layer->stream);
        save_streams(&layer->inner, out);
        save_streams(&layer->shortcut, out);
    }
}

static void load_streams(struct chain *chain, struct pack_reader *in)
{
    for (size_t l = 0; l < chain->count; l++) {
        struct layer *layer = &chain->layers[l];
        pack_take_bytes(in, &layer->stream, sizeof layer->stream);
        load_streams(&layer->inner, in);
        load_streams(&layer->shortcut, in);
    }
}

/* Says which layers the weights are of: networks of other sizes may have as many numbers, since each parameter begins
 * at a cache line. */
static uint64_t hash_shapes(const struct network *network)
{
    uint64_t hash = HASH_START;
    for (size_t i = 0; i < network->plan.parameter_count; i++) {
        const struct tensor *w = &network->plan.parameters[i]->w;
        hash = hash_bytes(hash, w->size, sizeof w->size);
    }
    return hash;
}

void network_save(const struct network *network, struct pack_writer *out)
{
    uint64_t shapes = hash_shapes(network);
    pack_add_bytes(out, &shapes, sizeof shapes);
    stored_add(network->backend, &network->weights, out);
    stored_add(network->backend, &network->state, out);
    save_streams(&network->layers, out);
}

void network_load(struct network *network, struct pack_reader *in)
{
    uint64_t shapes;
    if (pack_take_bytes(in, &shapes, sizeof shapes))
        in->torn |= shapes != hash_shapes(network);
    stored_take(network->backend, &network->weights, in);
    network_weights_changed(network);
    stored_take(network->backend, &network->state, in);
    load_streams(&network->layers, in);
}
