/* Networks of each kind of layer for tests; see network_cases.h. */
#include "tests/network_cases.h"

const struct network_case networks[NETWORKS] = {
    {"dense, relu", {5, 7}, LIST(DENSE(6, RELU), DENSE(4, NONE))},
    {"dense, tanh", {5, 7}, LIST(DENSE(6, TANH), DENSE(5, TANH), DENSE(4, NONE))},
    {"dense, sigmoid", {5, 7}, LIST(DENSE(6, SIGMOID), DENSE(4, NONE))},
    {"dense, gelu", {5, 7}, LIST(DENSE(6, GELU), DENSE(4, NONE))},
    {"dense on images", {3, 2, 2, 3}, LIST(DENSE(6, TANH), DENSE(4, NONE))},
    {"convolution", {2, 5, 6, 2}, LIST(CONV(3, 3, 1, 1, TANH), CONV(4, 2, 2, 0, NONE))},
    {"convolution, gelu", {2, 5, 5, 1}, LIST(CONV(3, 3, 1, 0, GELU), CONV(2, 3, 1, 0, NONE))},
    {"maximum pool", {2, 6, 6, 2}, LIST(CONV(3, 3, 1, 0, TANH), POOL(max, 2), FLATTEN, DENSE(3, NONE))},
    {"average pool", {2, 6, 6, 2}, LIST(CONV(3, 3, 1, 0, TANH), POOL(mean, 2), FLATTEN, DENSE(3, NONE))},
    {"batch normalisation", {6, 5}, LIST(DENSE(4, NONE), NORM, ACTIVATE(TANH), DENSE(3, NONE))},
    {"batch normalisation of images",
     {3, 4, 4, 2},
     LIST(CONV(3, 3, 1, 1, NONE), NORM, ACTIVATE(SIGMOID), FLATTEN, DENSE(2, NONE))},
    {"activation of what came in", {4, 6}, LIST(ACTIVATE(GELU), DENSE(3, NONE))},
    {"dropout", {6, 8}, LIST(DENSE(8, TANH), DROPOUT(0.4f), DENSE(6, TANH), DROPOUT(0.2f), DENSE(3, NONE))},
    {"residual",
     {2, 4, 4, 2},
     LIST(
         {
             .kind = &layer_residual, .activation = ACTIVATION_TANH,
             .inner = LIST(CONV(2, 3, 1, 1, TANH), CONV(2, 3, 1, 1, NONE))
         },
         FLATTEN, DENSE(3, NONE))},
    {"residual with a shortcut",
     {2, 4, 4, 2},
     LIST(
         CONV(2, 1, 1, 0, TANH),
         {
             .kind = &layer_residual, .activation = ACTIVATION_NONE,
             .inner = LIST(CONV(3, 3, 2, 1, TANH), NORM, CONV(3, 3, 1, 1, NONE))
             , .shortcut = LIST(CONV(3, 1, 2, 0, NONE))
         },
         DENSE(3, NONE))},
    {"dense, of rows", {3, 4, 5}, LIST(ROWS(6, GELU), ROWS(3, TANH), DENSE(2, NONE))},
    {"layer normalisation", {3, 4, 5}, LIST(ROWS(4, NONE), LAYER_NORM, ACTIVATE(TANH), DENSE(3, NONE))},
    {"layer normalisation of what came in", {4, 6}, LIST(LAYER_NORM, DENSE(3, NONE))},
    {"attention", {2, 5, 4}, LIST(ROWS(18, NONE), ATTENTION(3, false, 0), ROWS(4, NONE))},
    {"attention, causal", {2, 5, 4}, LIST(ROWS(12, NONE), ATTENTION(2, true, 0), ROWS(4, NONE))},
    {"attention with dropout", {2, 5, 4}, LIST(ROWS(12, NONE), ATTENTION(2, false, 0.3f), ROWS(4, NONE))},
    {"learned positions", {2, 3, 4}, LIST(ROWS(5, NONE), POSITIONS(true), ROWS(5, TANH), MEAN_STEP, DENSE(2, NONE))},
    {"learned positions of what came in", {2, 3, 4}, LIST(POSITIONS(true), ROWS(5, TANH), MEAN_STEP)},
    {"sinusoids", {2, 3, 4}, LIST(POSITIONS(false), ROWS(5, TANH), MEAN_STEP, DENSE(2, NONE))},
    {"embedding", {3, 4}, LIST(EMBEDDING(6, 5), ROWS(4, TANH), MEAN_STEP)},
    {"transformer",
     {2, 4},
     LIST(
         EMBEDDING(5, 6), POSITIONS(true),
         {
             .kind = &layer_residual, .activation = ACTIVATION_NONE,
             .inner = LIST(LAYER_NORM, ROWS(18, NONE), ATTENTION(2, true, 0.2f), ROWS(6, NONE), DROPOUT(0.2f))
         },
         {
             .kind = &layer_residual, .activation = ACTIVATION_NONE,
             .inner = LIST(LAYER_NORM, ROWS(8, GELU), ROWS(6, NONE))
         },
         LAYER_NORM, ROWS(5, NONE))},
    {"LSTM", {3, 4, 2}, LIST(LSTM(3, false), DENSE(2, NONE))},
    {"LSTM of one step", {3, 1, 2}, LIST(LSTM(3, false), DENSE(2, NONE))},
    {"LSTM of two layers", {2, 3, 2}, LIST(LSTM(3, true), DROPOUT(0.3f), LSTM(4, false), DENSE(2, NONE))},
    {"LSTM, every step", {2, 3, 2}, LIST(LSTM(3, true), DENSE(2, NONE))},
    {"residual with new channels",
     {2, 5, 4, 2},
     LIST(
         {
             .kind = &layer_residual, .activation = ACTIVATION_TANH, .inner = LIST(CONV(3, 3, 2, 1, NONE))
             , .shortcut = LIST(SUBSAMPLE(3, 2))
         },
         DENSE(3, NONE))},
};
