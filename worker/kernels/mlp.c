/* The kernel mlp: a multilayer perceptron as a classifier.
 *
 *     x_0[B,I]                                     the inputs
 *     x_l+1[B,W] = dropout(f(x_l w_l^T + b_l))     hidden layers l = 0 .. depth-1 of width W
 *     z[B,C]     = x_depth w^T + b                 the outputs
 *
 * Shapes: B examples in a batch, I inputs, C classes. */
#include "worker/kernels/kernel.h"

#include "worker/kernels/classifier.h"

enum { DEEPEST = 64 };

static int mlp_open(const struct kernel_task *task, void **self, struct err *err)
{
    return classifier_open(&kernel_mlp, task, self, err);
}

/* Writes the list of layers. */
static void list_layers(const struct classifier *mlp, struct layer_setting *layers)
{
    const struct kernel_settings *settings = &mlp->settings;
    int64_t depth = kernel_settings_integer(settings, "depth");
    float share = (float)kernel_settings_number(settings, "dropout");
    for (int64_t l = 0; l < depth; l++) {
        *layers++ = (struct layer_setting){.kind = &layer_dense,
                                           .outputs = (size_t)kernel_settings_integer(settings, "width"),
                                           .activation = (enum activation)kernel_settings_word(settings, "activation")};
        if (share > 0)
            *layers++ = (struct layer_setting){.kind = &layer_dropout, .share = share};
    }
    *layers++ =
        (struct layer_setting){.kind = &layer_dense, .outputs = mlp->data.classes, .activation = ACTIVATION_NONE};
    *layers = (struct layer_setting){0};
}

static int mlp_start(void *self, const struct kernel_trial *trial, int64_t *steps, struct err *err)
{
    struct classifier *mlp = self;
    struct layer_setting layers[2 * DEEPEST + 2];
    if (classifier_check(mlp, trial, err))
        return -1;
    struct classifier_training training = classifier_read_training(&mlp->settings);
    struct tensor example = tensor_make(TENSOR_F32, 2, (size_t[]){1, mlp->data.inputs});
    list_layers(mlp, layers);
    return classifier_start(mlp, trial, &training, &example, layers, steps, err);
}

static const struct kernel_option options[] = {CLASSIFIER_OPTIONS, {0}};

static const struct kernel_option params[] = {
    {"lr", "number", "0.01", "the learning rate; its largest value when it is scheduled", 0, 1e6},
    {"width", "integer", "128", "outputs of each hidden layer", 1, 16384},
    {"depth", "integer", "1", "hidden layers", 0, DEEPEST},
    {"dropout", "number", "0", "the share of hidden outputs that is dropped in training", 0, 0.99},
    {"activation", ACTIVATIONS, "relu", "of the hidden layers", 0, 0},
    CLASSIFIER_PARAMS,
    {0},
};

const struct kernel kernel_mlp = {
    .name = "mlp",
    .summary = "multilayer perceptron: classes of a table's rows, or of any arrays",
    .options = options,
    .params = params,
    .fixed = true,
    .shapes = "",
    .ranks = true,
    .metrics = EPOCH_METRICS,
    .memory = EPOCH_MEMORY,
    .example = {.options = "data=generate:spirals optimizer=adam epochs=30",
                .metric = "val_accuracy maximize",
                .parameters = "lr=1e-4..0.1:log width=8..256:log depth=1..3 dropout=0.0..0.5 batch=16,32,64,128",
                .data = "Points on two spirals, which are made. " DATA_OF_ONES_OWN},
    .open = mlp_open,
    .data = classifier_data,
    .taken = classifier_taken,
    .start = mlp_start,
    .step = classifier_step,
    .save = classifier_save,
    .resume = classifier_resume,
    .finish = classifier_finish,
    .close = classifier_close,
    .fusion = &classifier_fusion,
};
