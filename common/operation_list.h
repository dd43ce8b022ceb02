/* What trainers count and time by name: X(slot, its name in tables). The slots of OPERATIONS are those of struct
 * backend_kind; the others have no backend. Numbers are on the wire and in stores: rows are only added, at the end of
 * FURTHER_OPERATIONS, so that a slot that is new to backends moves the others by a step of the store's schema. */
#define OPERATIONS(X)                                                                                                  \
    X(dense, "gemm")                                                                                                   \
    X(dense_back_data, "gemm backward data")                                                                           \
    X(dense_back_weights, "gemm backward weights")                                                                     \
    X(conv, "convolution")                                                                                             \
    X(conv_back_data, "convolution backward data")                                                                     \
    X(conv_back_weights, "convolution backward weights")                                                               \
    X(pool_max, "max pooling")                                                                                         \
    X(pool_max_back, "max pooling backward")                                                                           \
    X(pool_mean, "mean pooling")                                                                                       \
    X(pool_mean_back, "mean pooling backward")                                                                         \
    X(batch_norm, "batch normalisation")                                                                               \
    X(batch_norm_apply, "batch normalisation inference")                                                               \
    X(batch_norm_back, "batch normalisation backward")                                                                 \
    X(layer_norm, "layer normalisation")                                                                               \
    X(layer_norm_back, "layer normalisation backward")                                                                 \
    X(activate, "activation")                                                                                          \
    X(activate_back, "activation backward")                                                                            \
    X(softmax_loss, "softmax")                                                                                         \
    X(square_loss, "squared error")                                                                                    \
    X(dropout, "dropout")                                                                                              \
    X(add, "add")                                                                                                      \
    X(mix, "scaled add")                                                                                               \
    X(cast, "cast")                                                                                                    \
    X(scale, "scale")                                                                                                  \
    X(fill, "fill")                                                                                                    \
    X(gather, "embedding")                                                                                             \
    X(gather_back, "embedding backward")                                                                               \
    X(add_each, "add to each")                                                                                         \
    X(sum_each, "sum over examples")                                                                                   \
    X(attention, "attention")                                                                                          \
    X(attention_back, "attention backward")                                                                            \
    X(swap, "transpose")                                                                                               \
    X(lstm, "recurrence")                                                                                              \
    X(lstm_back, "recurrence backward")                                                                                \
    X(clip, "gradient clipping")                                                                                       \
    X(update, "optimizer")

#define FURTHER_OPERATIONS(X)                                                                                          \
    X(upload, "copy in")                                                                                               \
    X(download, "copy out")                                                                                            \
    X(copy, "copy")                                                                                                    \
    X(batch, "copy of a batch")                                                                                        \
    X(allreduce, "all-reduce")                                                                                         \
    X(lanes_forward, "fused forward")                                                                                  \
    X(lanes_backward, "fused backward")                                                                                \
    X(lanes_update, "fused optimizer")                                                                                 \
    X(trees, "growing trees")                                                                                          \
    X(step, "steps")                                                                                                   \
    X(histograms, "histograms")                                                                                        \
    X(splits, "splits")
