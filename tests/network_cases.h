/* Networks of each kind of layer for tests, and short words for the settings of layers. */
#ifndef GANNET_TESTS_NETWORK_CASES_H
#define GANNET_TESTS_NETWORK_CASES_H

#include "worker/nn/network.h"

#define DENSE(o, f)                                                                                                    \
    {                                                                                                                  \
        .kind = &layer_dense, .outputs = (o), .activation = ACTIVATION_##f                                             \
    }
#define CONV(o, k, s, p, f)                                                                                            \
    {                                                                                                                  \
        .kind = &layer_conv, .outputs = (o), .window = {k, k, s, p}, .activation = ACTIVATION_##f                      \
    }
#define POOL(which, k)                                                                                                 \
    {                                                                                                                  \
        .kind = &layer_pool_##which, .window = { k, k, k, 0 }                                                          \
    }
#define NORM                                                                                                           \
    {                                                                                                                  \
        .kind = &layer_batch_norm, .epsilon = 0.01f, .momentum = 0.9f                                                  \
    }
#define ACTIVATE(f)                                                                                                    \
    {                                                                                                                  \
        .kind = &layer_activation, .activation = ACTIVATION_##f                                                        \
    }
#define DROPOUT(share_)                                                                                                \
    {                                                                                                                  \
        .kind = &layer_dropout, .share = (share_)                                                                      \
    }
#define FLATTEN                                                                                                        \
    {                                                                                                                  \
        .kind = &layer_flatten                                                                                         \
    }
#define ROWS(o, f)                                                                                                     \
    {                                                                                                                  \
        .kind = &layer_dense, .outputs = (o), .activation = ACTIVATION_##f, .rows = true                               \
    }
#define LAYER_NORM                                                                                                     \
    {                                                                                                                  \
        .kind = &layer_layer_norm, .epsilon = 0.01f                                                                    \
    }
#define EMBEDDING(tokens_, o)                                                                                          \
    {                                                                                                                  \
        .kind = &layer_embedding, .tokens = (tokens_), .outputs = (o)                                                  \
    }
#define POSITIONS(learned)                                                                                             \
    {                                                                                                                  \
        .kind = &layer_positions, .sinusoids = !(learned)                                                              \
    }
#define ATTENTION(heads_, causal_, dropped)                                                                            \
    {                                                                                                                  \
        .kind = &layer_attention, .heads = (heads_), .causal = (causal_), .share = (dropped)                           \
    }
#define MEAN_STEP                                                                                                      \
    {                                                                                                                  \
        .kind = &layer_mean_step                                                                                       \
    }
#define LSTM(o, every)                                                                                                 \
    {                                                                                                                  \
        .kind = &layer_lstm, .outputs = (o), .every_step = (every)                                                     \
    }
#define SUBSAMPLE(o, s)                                                                                                \
    {                                                                                                                  \
        .kind = &layer_subsample, .outputs = (o), .window = {.stride = (s) }                                           \
    }
#define LIST(...) ((const struct layer_setting[]){__VA_ARGS__, {0}})

/* A network, the layer that it is about, and the shape that it takes. */
struct network_case {
    const char *about;
    size_t shape[TENSOR_MOST_AXES];
    const struct layer_setting *settings;
};

enum { NETWORKS = 31 };
extern const struct network_case networks[NETWORKS];

#endif
