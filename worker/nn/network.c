/* Networks; see network.h. */
#include "worker/nn/network.h"

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

/* What comes out is F32, whatever the precision. */
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

struct network *network_create_in(struct backend *backend, enum tensor_type type, const struct tensor *shape,
                                  const struct layer_setting *settings, uint64_t seed, struct err *err)
{
    struct network *network = MEM_NEW(struct network);
    network->backend = backend;
    network->settings = copy_settings(settings);
    if (type != TENSOR_F32)
        end_wide(network->settings);
    network->stale = true;
    network->plan = (struct plan){.seed = seed, .type = type, .first = true};
    if (backend->kind->takes(backend->self, type, err) || plan_network(network, shape, err)) {
        network_destroy(network);
        return NULL;
    }
    return network;
}

struct network *network_create(struct backend *backend, const struct tensor *shape,
                               const struct layer_setting *settings, uint64_t seed, struct err *err)
{
    return network_create_in(backend, TENSOR_F32, shape, settings, seed, err);
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

const struct tensor *network_forward(struct network *network, const struct tensor *x, bool training)
{
    if (network->narrow.at && (training || network->stale))
        op_cast(network->backend, &network->weights, &network->narrow);
    network->stale = training;
    struct pass pass = {.backend = network->backend, .B = x->size[0], .training = training};
    network->y = *chain_forward(&network->layers, &pass, x);
    return &network->y;
}

void network_backward(struct network *network, const struct tensor *x, const struct tensor *dy)
{
    struct pass pass = {.backend = network->backend, .B = x->size[0], .training = true};
    chain_backward(&network->layers, &pass, x, dy);
}

/* --- checkpoints --- */

/* The streams of random numbers, to or from `at`; how many bytes they are. */
static size_t move_streams(const struct chain *chain, char *at, bool load)
{
    size_t moved = 0;
    for (size_t l = 0; l < chain->count; l++) {
        struct layer *layer = &chain->layers[l];
        if (at && load)
            memcpy(&layer->stream, at + moved, sizeof layer->stream);
        else if (at)
            memcpy(at + moved, &layer->stream, sizeof layer->stream);
        moved += sizeof layer->stream;
        moved += move_streams(&layer->inner, at ? at + moved : NULL, load);
        moved += move_streams(&layer->shortcut, at ? at + moved : NULL, load);
    }
    return moved;
}

size_t network_saved_bytes(const struct network *network)
{
    return tensor_bytes(&network->weights) + tensor_bytes(&network->state) +
           move_streams(&network->layers, NULL, false);
}

void network_save(const struct network *network, void *bytes)
{
    char *at = bytes;
    op_download(network->backend, &network->weights, at);
    at += tensor_bytes(&network->weights);
    op_download(network->backend, &network->state, at);
    move_streams(&network->layers, at + tensor_bytes(&network->state), false);
}

void network_load(struct network *network, const void *bytes)
{
    const char *at = bytes;
    op_upload(network->backend, at, &network->weights);
    network_weights_changed(network);
    at += tensor_bytes(&network->weights);
    op_upload(network->backend, at, &network->state);
    move_streams(&network->layers, (char *)(uintptr_t)at + tensor_bytes(&network->state), true);
}
