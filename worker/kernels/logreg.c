/* The kernel logreg: multinomial logistic regression by stochastic gradient descent. The shortest of those that train,
 * the one to read first: mlp.c does the same with more layers.
 *
 *     z[B,C] = x[B,I] w[C,I]^T + b[C]
 *     loss   = mean over B of -log softmax(z)[label]  +  weight_decay / 2 (|w|^2 + |b|^2)
 *
 * Shapes: I inputs, C classes, B examples in a batch. */
#include "worker/kernels/kernel.h"

#include "worker/kernels/classifier.h"

static int logreg_open(const struct kernel_task *task, void **self, struct err *err)
{
    return classifier_open(&kernel_logreg, task, self, err);
}

static int logreg_start(void *self, const struct kernel_trial *trial, int64_t *steps, struct err *err)
{
    struct classifier *model = self;
    const struct kernel_settings *settings = &model->settings;
    if (classifier_check(model, trial, err))
        return -1;
    struct classifier_training training = {
        .optimizer = {.kind = OPTIMIZER_SGD, .weight_decay = (float)kernel_settings_number(settings, "weight_decay")},
        .lr = kernel_settings_number(settings, "lr"),
        .batch = (size_t)kernel_settings_integer(settings, "batch"),
        .epochs = kernel_settings_integer(settings, "epochs"),
        .recipe = recipe_read(settings)};
    struct layer_setting layers[] = {{.kind = &layer_dense,
                                      .outputs = model->data.classes,
                                      .activation = ACTIVATION_NONE,
                                      .zeroed = true}, /* the loss is convex, so any start will do */
                                     {0}};
    struct tensor example = tensor_make(TENSOR_F32, 2, (size_t[]){1, model->data.inputs});
    return classifier_start(model, trial, &training, &example, layers, steps, err);
}

static const struct kernel_option options[] = {CLASSIFIER_OPTIONS, {0}};

static const struct kernel_option params[] = {
    {"lr", "number", "0.1", "the learning rate", 0, 1e6},
    {"batch", "integer", "64", "examples in a batch", 1, 1e6},
    {"epochs", "integer", "10", "passes over the training part; an epoch is a step", 1, 1e6},
    {"weight_decay", "number", "0", "the factor of half the squared weights in the loss", 0, 1e6},
    RECIPE_PARAMS,
    {0},
};

const struct kernel kernel_logreg = {
    .name = "logreg",
    .summary = "multinomial logistic regression: classes of a table's rows, or of any arrays",
    .options = options,
    .params = params,
    .fixed = true,
    .shapes = "",
    .ranks = true,
    .metrics = EPOCH_METRICS,
    .memory = EPOCH_MEMORY,
    .example = {.options = "data=generate:shapes epochs=20",
                .metric = "val_loss minimize",
                .parameters = "lr=0.001..1.0:log batch=16,64,256 weight_decay=1e-6..0.1:log",
                .data = "Images of ten shapes, which are made. " DATA_OF_ONES_OWN},
    .open = logreg_open,
    .data = classifier_data,
    .taken = classifier_taken,
    .start = logreg_start,
    .step = classifier_step,
    .save = classifier_save,
    .resume = classifier_resume,
    .finish = classifier_finish,
    .close = classifier_close,
    .fusion = &classifier_fusion,
};
