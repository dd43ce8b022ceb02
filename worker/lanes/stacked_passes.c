/* Forward, backward and update of struct stacked; see stacked.h. */
#include "worker/lanes/stacked.h"

#include "worker/backend/random.h"

/* Its table and itself, as the slots of a stack take them. */
#define STACK_CALL(stacked, slot, ...)                                                                                 \
    (stacked)->backend->kind->stack->slot((stacked)->backend->self, &(stacked)->stack, __VA_ARGS__)

/* The weights [O,I], and [O], of the first network. */
static struct tensor weights_of(const struct stacked_layer *layer, const struct tensor *all)
{
    struct tensor w = tensor_make(TENSOR_F32, 2, (size_t[]){layer->O, layer->I});
    w.at = (float *)all->at + layer->w;
    return w;
}

static struct tensor biases_of(const struct stacked_layer *layer, const struct tensor *all)
{
    return tensor_slice(all, layer->b, layer->O);
}

/* --- forward --- */

static void forward_dense(struct stacked *stacked, struct stacked_layer *layer, const struct tensor *x, size_t B,
                          const struct tensor *weights)
{
    struct tensor w = weights_of(layer, weights), b = biases_of(layer, weights),
                  y = stacked_rows(stacked, &layer->y, 0, B), z = y;
    enum activation f = layer->kept.at ? ACTIVATION_NONE : layer->activation;
    if (layer->kept.at)
        z = stacked_rows(stacked, &layer->kept, 0, B);
    STACK_CALL(stacked, dense, x, &w, &b, f, &z);
    if (layer->kept.at)
        op_activate(stacked->backend, layer->activation, &z, &y);
    layer->out = y;
}

static void forward_dropout(struct stacked *stacked, struct stacked_layer *layer, const struct tensor *x, size_t B,
                            bool training)
{
    layer->out = *x;
    if (!training)
        return;
    for (size_t f = 0; f < stacked->stack.F; f++) {
        layer->drawn[f] = layer->stream[f];
        layer->stream[f] = random_after(layer->stream[f], B * layer->O);
    }
    layer->out = stacked_rows(stacked, &layer->y, 0, B);
    STACK_CALL(stacked, dropout, layer->share, layer->drawn, x, &layer->out);
}

void stacked_forward(struct stacked *stacked, size_t n, size_t B, const float *smoothing, bool training, bool averaged)
{
    const struct tensor *weights = averaged ? &stacked->mean : &stacked->w;
    struct tensor x = stacked_rows(stacked, &stacked->x, 0, B), labels = stacked_rows(stacked, &stacked->labels, 0, B),
                  losses = stacked_rows(stacked, &stacked->losses, n, B),
                  hits = stacked_rows(stacked, &stacked->hits, n, B), dz = stacked_rows(stacked, &stacked->dz, 0, B);
    for (size_t l = 0; l < stacked->layer_count; l++) {
        struct stacked_layer *layer = &stacked->layers[l];
        if (layer->drops)
            forward_dropout(stacked, layer, &x, B, training);
        else
            forward_dense(stacked, layer, &x, B, weights);
        x = layer->out;
    }
    STACK_CALL(stacked, softmax_loss, &x, &labels, smoothing, &losses, &hits, training ? &dz : NULL);
}

/* --- backward --- */

/* Sets the gradients of its weights from dy, which it writes over; dx, or one without memory. */
static struct tensor backward_dense(struct stacked *stacked, const struct stacked_layer *layer, const struct tensor *x,
                                    const struct tensor *dy, size_t B)
{
    struct tensor w = weights_of(layer, &stacked->w), dw = weights_of(layer, &stacked->dw),
                  db = biases_of(layer, &stacked->dw), dx = layer->dx;
    struct tensor kept = stacked_rows(stacked, layer->kept.at ? &layer->kept : &layer->y, 0, B);
    if (layer->activation != ACTIVATION_NONE)
        op_activate_back(stacked->backend, layer->activation, &kept, dy, dy);
    STACK_CALL(stacked, dense_back_weights, x, dy, &dw, &db);
    if (!dx.at)
        return dx;
    dx = stacked_rows(stacked, &dx, 0, B);
    STACK_CALL(stacked, dense_back_data, dy, &w, &dx);
    return dx;
}

void stacked_backward(struct stacked *stacked, size_t B)
{
    struct tensor x = stacked_rows(stacked, &stacked->x, 0, B), dy = stacked_rows(stacked, &stacked->dz, 0, B);
    for (size_t l = stacked->layer_count; l-- > 0;) {
        const struct stacked_layer *layer = &stacked->layers[l];
        if (!layer->drops)
            dy = backward_dense(stacked, layer, l ? &stacked->layers[l - 1].out : &x, &dy, B);
        else if (l)
            STACK_CALL(stacked, dropout, layer->share, layer->drawn, &dy, &dy);
    }
}

/* --- update --- */

static struct tensor first_network(const struct stacked *stacked, const struct tensor *all)
{
    return tensor_slice(all, 0, stacked->stack.P);
}

void stacked_clip(struct stacked *stacked, const float *limits)
{
    struct tensor dw = first_network(stacked, &stacked->dw);
    STACK_CALL(stacked, clip, limits, &dw);
}

/* Of optimizer.c's update_layers: each layer's weights by themselves, biases by plain momentum without decay. */
static void follow_layers(struct stacked *stacked, const struct update *updates)
{
    struct update plain[STACK_MOST];
    for (size_t f = 0; f < stacked->stack.F; f++) {
        plain[f] = updates[f];
        plain[f].kind = UPDATE_SGD;
        plain[f].l2 = 0;
    }
    for (size_t l = 0; l < stacked->layer_count; l++) {
        const struct stacked_layer *layer = &stacked->layers[l];
        const struct tensor *all[] = {&stacked->w, &stacked->dw, &stacked->first, &stacked->second};
        struct tensor w[4], b[4];
        if (layer->drops)
            continue;
        for (size_t i = 0; i < 4; i++) {
            w[i] = tensor_slice(all[i], layer->w, layer->O * layer->I);
            b[i] = biases_of(layer, all[i]);
        }
        STACK_CALL(stacked, update, updates, &w[0], &w[1], &w[2], &w[3]);
        STACK_CALL(stacked, update, plain, &b[0], &b[1], &b[2], &b[3]);
    }
}

void stacked_follow(struct stacked *stacked, const struct update *updates)
{
    struct tensor w = first_network(stacked, &stacked->w), dw = first_network(stacked, &stacked->dw),
                  first = first_network(stacked, &stacked->first), second = first_network(stacked, &stacked->second);
    if (updates[0].kind == UPDATE_LARS)
        follow_layers(stacked, updates);
    else
        STACK_CALL(stacked, update, updates, &w, &dw, &first, &second);
}

void stacked_average(struct stacked *stacked, const float *decays)
{
    struct tensor w = first_network(stacked, &stacked->w), mean = first_network(stacked, &stacked->mean);
    STACK_CALL(stacked, average, decays, &w, &mean);
}
