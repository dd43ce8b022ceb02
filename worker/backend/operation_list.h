/* The operations of a backend: X(slot of struct backend_kind, its name in tables). */
#define OPERATIONS(X)                                                                                                  \
    X(dense, "dense")                                                                                                  \
    X(dense_back_data, "dense, to inputs")                                                                             \
    X(dense_back_weights, "dense, to weights")                                                                         \
    X(conv, "convolution")                                                                                             \
    X(conv_back_data, "convolution, to inputs")                                                                        \
    X(conv_back_weights, "convolution, to weights")                                                                    \
    X(pool_max, "maximum pooling")                                                                                     \
    X(pool_max_back, "maximum pooling, back")                                                                          \
    X(pool_mean, "average pooling")                                                                                    \
    X(pool_mean_back, "average pooling, back")                                                                         \
    X(batch_norm, "batch normalisation")                                                                               \
    X(batch_norm_apply, "batch normalisation, applied")                                                                \
    X(batch_norm_back, "batch normalisation, back")                                                                    \
    X(layer_norm, "layer normalisation")                                                                               \
    X(layer_norm_back, "layer normalisation, back")                                                                    \
    X(activate, "activation")                                                                                          \
    X(activate_back, "activation, back")                                                                               \
    X(softmax_loss, "cross entropy")                                                                                   \
    X(square_loss, "squared error")                                                                                    \
    X(dropout, "dropout")                                                                                              \
    X(add, "sum")                                                                                                      \
    X(mix, "scaled sum")                                                                                               \
    X(cast, "cast")                                                                                                    \
    X(scale, "scale")                                                                                                  \
    X(fill, "fill")                                                                                                    \
    X(gather, "rows of a table")                                                                                       \
    X(gather_back, "rows of a table, back")                                                                            \
    X(add_each, "sum with each example")                                                                               \
    X(sum_each, "sum over examples")                                                                                   \
    X(attention, "attention")                                                                                          \
    X(attention_back, "attention, back")                                                                               \
    X(swap, "steps and examples swapped")                                                                              \
    X(lstm, "LSTM steps")                                                                                              \
    X(lstm_back, "LSTM steps, back")                                                                                   \
    X(clip, "gradient clipping")                                                                                       \
    X(update, "optimizer")
