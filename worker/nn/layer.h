/* Layers of networks. A network is a list of settings, one a layer; each becomes a struct layer, whose kind says what
 * happens in it. A new kind is one file with its struct layer_kind.
 *
 *     plan       once: from the shape of what comes in to what goes out; asks for weights and memory
 *     forward    y of x
 *     backward   dx of dy, and the gradients of the weights; after forward in training, with the same x
 *
 * Shapes: B examples in a batch; what comes in and goes out has B as its first axis. Sequences are [B,T,D], of T steps;
 * layers that look at numbers or at the last axis alone take them as they are, dense when its setting says `rows`. */
#ifndef GANNET_WORKER_NN_LAYER_H
#define GANNET_WORKER_NN_LAYER_H

#include "worker/backend/operations.h"

struct layer;

/* What a person chooses of a layer; what its kind does not use is 0. */
struct layer_setting {
    const struct layer_kind *kind; /* NULL ends a list */
    size_t outputs;                /* O of dense, conv and subsample, D of embedding, H of lstm */
    size_t tokens;                 /* of embedding: how many there are */
    size_t heads;                  /* of attention */
    bool causal;                   /* of attention: a step looks at itself and those before it alone */
    bool every_step;               /* of lstm: the states of all steps go out, not the last one alone */
    bool sinusoids;                /* of positions: they are not learned */
    struct window window;          /* of conv and pools; of subsample its stride alone */
    enum activation activation;    /* of dense, conv and activation: give ACTIVATION_NONE for none */
    bool zeroed;                   /* of dense: its weights begin as zeros */
    bool rows;                     /* of dense: each row of the last axis is for itself, [B,T,I] becomes [B,T,O] */
    bool unbiased;                 /* of dense and conv: there is no b, as before a normalisation */
    float share;                   /* of dropout: what is dropped; of attention: of its weights */
    float epsilon;                 /* of batch_norm and layer_norm: added to variances */
    float momentum;                /* of batch_norm: what is kept of the running statistics at each batch */
    const struct layer_setting *inner, *shortcut; /* of residual: the two ways; shortcut NULL: x itself */
};

/* How the numbers of a parameter begin. */
enum beginning {
    BEGINS_ZERO,
    BEGINS_ONE,
    BEGINS_HE,       /* uniform within sqrt(6 / inputs): He et al. 2015, for what follows with relu or gelu */
    BEGINS_GLOROT,   /* uniform within sqrt(6 / (inputs + outputs)): Glorot and Bengio 2010 */
    BEGINS_FORGET,   /* [4H] of an LSTM: ones in its second quarter, else zeros */
    BEGINS_IDENTITY, /* [O,I]: ones where O is I */
    BEGINS_WAVES,    /* positions of [T,D]: Vaswani et al. 2017, section 3.5 */
};

/* Weights that are learned. */
struct parameter {
    struct tensor w, dw; /* F32 */
    struct tensor seen;  /* w as operations take it: w itself, or its copy in the network's precision */
    enum beginning beginning;
    size_t inputs, outputs; /* of one of its numbers: fan-in and fan-out */
    bool decays;            /* whether weight decay is for it */
};

enum { LAYER_MOST_PARAMETERS = 3, LAYER_MOST_KEPT = 8 };

/* Some layers, one after the other. */
struct chain {
    struct layer *layers;
    size_t count;
};

struct layer {
    const struct layer_setting *setting;
    struct tensor x_shape; /* of what comes in, without memory */
    struct tensor y;       /* what goes out */
    struct tensor dx;      /* the gradient of what comes in; at NULL when nobody wants it: of a network's first layer */
    struct tensor cast;    /* what comes in, in the layer's own type; at NULL: it comes in that type */
    struct tensor dcast;   /* dx in the type of what comes in; likewise */
    struct parameter parameters[LAYER_MOST_PARAMETERS];
    int parameter_count;
    struct tensor state[LAYER_MOST_PARAMETERS]; /* not learned, but part of what was learned: running statistics */
    int state_count;
    struct tensor kept[LAYER_MOST_KEPT]; /* for the way back, or work; those of one axis do not depend on B */
    uint64_t stream;                     /* of random numbers: its beginning, as planned by the seed */
    uint64_t drawn;                      /* the stream of the last forward in training */
    size_t skipped;                      /* of dropout: numbers of its first draw that are of examples before these */
    struct chain inner, shortcut;        /* of residual */
};

/* What a pass through a network has in common. */
struct pass {
    struct backend *backend;
    size_t B;
    bool training;
    const struct tensor *lengths; /* of sequences [B,T,...], I32 [B]: steps that are no padding; NULL: all are none */
    size_t before, whole;         /* of a batch of `whole` examples these are those behind the first `before` */
};

struct plan;

struct layer_kind {
    const char *name;

    /* Reads x_shape and the setting; sets y's shape and asks the plan for y, dx and what else it needs. A layer that
     * can compute in the network's precision says so first (plan_narrow); to any other F32 comes in. -1 with a
     * sentence: the layer does not fit what comes in. */
    int (*plan)(struct layer *layer, struct plan *plan, struct err *err);

    /* Sets layer->y: of x, which stays as it is until backward. */
    void (*forward)(struct layer *layer, const struct pass *pass, const struct tensor *x);

    /* Sets layer->dx, unless it has no memory, and the gradients of the parameters. May write over dy. */
    void (*backward)(struct layer *layer, const struct pass *pass, const struct tensor *x, const struct tensor *dy);
};

extern const struct layer_kind layer_dense, layer_conv, layer_pool_max, layer_pool_mean, layer_batch_norm,
    layer_dropout, layer_activation, layer_flatten, layer_residual, layer_embedding, layer_positions, layer_layer_norm,
    layer_attention, layer_mean_step, layer_widen, layer_subsample, layer_lstm;

/* --- what kinds ask of a plan (plan.c) --- */

/* What comes in is of the network's precision (BF16 or F32): x_shape is then of that type, and what is made of it
 * should be, too. Parameters of several axes that are planned afterwards are `seen` in it; all others stay F32. */
void plan_narrow(const struct plan *plan, struct layer *layer);

/* Memory for a tensor whose shape is set: weights, what is learned beside them, or what a pass needs. */
void plan_parameter(struct plan *plan, struct layer *layer, const struct tensor *shape, enum beginning beginning,
                    size_t inputs, size_t outputs);
void plan_state(struct plan *plan, struct layer *layer, const struct tensor *shape, enum beginning beginning);
void plan_work(struct plan *plan, struct tensor *tensor);

/* dx of x's shape, unless this is the first layer of all. */
void plan_gradient(struct plan *plan, struct layer *layer);

/* The layers of a list of settings, planned one after the other from what comes in; sets *out to what goes out. -1 with
 * a sentence that names the layer. */
int plan_chain(struct plan *plan, struct chain *chain, const struct layer_setting *settings,
               const struct tensor *x_shape, struct tensor *out, struct err *err);

/* A stream of random numbers of the layer's own. */
uint64_t plan_stream(struct plan *plan);

/* --- chains (chain.c) --- */

/* The last layer's y of x; x itself when there is no layer. */
const struct tensor *chain_forward(struct chain *chain, const struct pass *pass, const struct tensor *x);

/* The first layer's dx of dy; dy itself when there is no layer. */
const struct tensor *chain_backward(struct chain *chain, const struct pass *pass, const struct tensor *x,
                                    const struct tensor *dy);
void chain_fini(struct chain *chain); /* {0} is fine */

#endif
