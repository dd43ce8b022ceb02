/* Multilayer perceptrons; see net.h. */
#include "worker/kernels/net.h"

#include "common/mem.h"
#include "common/clones.h"

#include <math.h>
#include <stdlib.h>

enum { LINE = 16 /* floats of a cache line */ };

static size_t whole_lines(size_t count)
{
    return (count + LINE - 1) / LINE * LINE;
}

/* The sizes of the layers; net->count. */
static void plan_layers(struct net *net)
{
    const struct net_shape *shape = &net->shape;
    net->layer_count = shape->depth + 1;
    net->layers = MEM_ARRAY(struct net_layer, net->layer_count);
    for (size_t l = 0; l < net->layer_count; l++) {
        struct net_layer *layer = &net->layers[l];
        layer->inputs = l ? shape->width : shape->inputs;
        layer->outputs = l < shape->depth ? shape->width : shape->classes;
        net->count += whole_lines(layer->inputs * layer->outputs) + whole_lines(layer->outputs);
    }
}

static void allocate_layers(struct net *net, size_t batch)
{
    net->weights = mem_aligned(net->count, sizeof(float));
    net->gradients = mem_aligned(net->count, sizeof(float));
    size_t at = 0;
    for (size_t l = 0; l < net->layer_count; l++) {
        struct net_layer *layer = &net->layers[l];
        size_t cells = batch * layer->outputs;
        layer->w = net->weights + at;
        layer->dw = net->gradients + at;
        at += whole_lines(layer->inputs * layer->outputs);
        layer->b = net->weights + at;
        layer->db = net->gradients + at;
        at += whole_lines(layer->outputs);
        layer->z = mem_aligned(cells, sizeof(float));
        if (l + 1 == net->layer_count)
            continue;
        layer->dz = mem_aligned(cells, sizeof(float));
        layer->out = mem_aligned(cells, sizeof(float));
        layer->mask = net->shape.dropout > 0 ? mem_aligned(cells, sizeof(float)) : NULL;
    }
}

/* Uniform in -limit .. limit. He: sqrt(6 / I), Glorot: sqrt(6 / (I + O)). */
static void randomise_weights(struct net *net, uint64_t seed)
{
    for (size_t l = 0; l < net->layer_count; l++) {
        struct net_layer *layer = &net->layers[l];
        struct rng rng = rng_make(seed, "weights", l);
        bool rectifies = net->shape.activation == OPS_RELU || net->shape.activation == OPS_GELU;
        bool he = rectifies && l + 1 < net->layer_count;
        double limit = sqrt(6.0 / (double)(layer->inputs + (he ? 0 : layer->outputs)));
        for (size_t i = 0; i < layer->inputs * layer->outputs; i++)
            layer->w[i] = (float)((2 * rng_unit(&rng) - 1) * limit);
    }
}

void net_init(struct net *net, const struct net_shape *shape, size_t batch, uint64_t seed, const struct ops *ops,
              void *ops_self)
{
    *net = (struct net){.shape = *shape, .ops = ops, .ops_self = ops_self, .rng = rng_make(seed, "dropout", 0)};
    plan_layers(net);
    allocate_layers(net, batch);
    randomise_weights(net, seed);
}

void net_fini(struct net *net)
{
    for (size_t l = 0; l < net->layer_count; l++) {
        struct net_layer *layer = &net->layers[l];
        free(layer->z);
        free(layer->dz);
        free(layer->out);
        free(layer->mask);
    }
    free(net->layers);
    free(net->weights);
    free(net->gradients);
    *net = (struct net){0};
}

/* Fills mask[n], and what is left of its last cache line: each is 0 with probability `dropout` (to 1/65536), else what
 * keeps the expected sum. */
static void draw_mask(struct rng *rng, double dropout, size_t n, float *mask)
{
    enum { A_DRAW = 4 }; /* numbers of 16 bits in one of 64 */
    uint64_t dropped = (uint64_t)lround(dropout * 65536);
    float kept = (float)(65536.0 / (65536.0 - (double)dropped));
    for (size_t i = 0; i < n; i += A_DRAW) {
        uint64_t bits = rng_next(rng);
        for (int j = 0; j < A_DRAW; j++)
            mask[i + (size_t)j] = (bits >> 16 * j & 0xffff) < dropped ? 0 : kept;
    }
}

/* x[n] = x[n] mask[n] */
CLONES static void apply_mask(size_t n, float *restrict x, const float *restrict mask)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++)
        x[i] *= mask[i];
}

const float *net_forward(struct net *net, size_t B, const float *x, bool training)
{
    const struct ops *ops = net->ops;
    for (size_t l = 0;; l++) {
        struct net_layer *layer = &net->layers[l];
        ops->linear(net->ops_self, B, layer->inputs, layer->outputs, x, layer->w, layer->b, layer->z);
        if (l == net->shape.depth)
            return layer->z;
        ops->activate(net->ops_self, net->shape.activation, B, layer->outputs, layer->z, layer->out);
        if (layer->mask && training) {
            draw_mask(&net->rng, net->shape.dropout, B * layer->outputs, layer->mask);
            apply_mask(B * layer->outputs, layer->out, layer->mask);
        }
        x = layer->out;
    }
}

void net_backward(struct net *net, size_t B, const float *x, const float *dz)
{
    const struct ops *ops = net->ops;
    for (size_t l = net->layer_count; l-- > 0;) {
        struct net_layer *layer = &net->layers[l], *below = l ? layer - 1 : NULL;
        size_t I = layer->inputs, O = layer->outputs;
        ops->linear_back_weights(net->ops_self, B, I, O, below ? below->out : x, dz, layer->dw, layer->db);
        if (!below)
            return;
        ops->linear_back_data(net->ops_self, B, I, O, dz, layer->w, below->dz);
        if (below->mask)
            apply_mask(B * I, below->dz, below->mask);
        ops->activate_back(net->ops_self, net->shape.activation, B, I, below->z, below->dz, below->dz);
        dz = below->dz;
    }
}

void net_save(const struct net *net, struct buf *out)
{
    pack_add(out, &net->rng, 1, sizeof net->rng);
    pack_add(out, net->weights, net->count, sizeof(float));
}

void net_resume(struct net *net, struct pack *pack)
{
    pack_take(pack, &net->rng, 1, sizeof net->rng);
    pack_take(pack, net->weights, net->count, sizeof(float));
}
