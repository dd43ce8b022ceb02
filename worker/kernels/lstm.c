/* The kernel lstm: recurrent layers (Hochreiter and Schmidhuber 1997) as a classifier of sequences.
 *
 *     h[B,T,W] = dropout(lstm(x[B,T,F]))     each of the layers but the last: the states of all steps
 *     h[B,W]   = dropout(lstm(h))            the last layer: the state of each sequence's last step
 *     z[B,C]   = dense(h)
 *
 * Shapes: B sequences of T steps of F numbers, W numbers of state, C classes. */
#include "worker/kernels/kernel.h"

#include "worker/kernels/classifier.h"
#include "worker/kernels/sequence_shape.h"

enum { DEEPEST = 3 };

static int read_data(struct classifier *lstm, const char *base, struct err *err)
{
    struct dataset_source source = data_options_read(&lstm->settings, base);
    source.scaling = (enum dataset_scaling)kernel_settings_word(&lstm->settings, "scaling");
    return sequence_data_open(lstm, &source, false, err);
}

static int lstm_open(const struct kernel_task *task, void **self, struct err *err)
{
    return classifier_open_with(&kernel_lstm, read_data, task, self, err);
}

static void list_layers(const struct classifier *lstm, struct layer_setting *at)
{
    const struct kernel_settings *settings = &lstm->settings;
    int64_t count = kernel_settings_integer(settings, "layers");
    float share = (float)kernel_settings_number(settings, "dropout");
    for (int64_t l = 1; l <= count; l++) {
        *at++ = (struct layer_setting){.kind = &layer_lstm,
                                       .outputs = (size_t)kernel_settings_integer(settings, "width"),
                                       .every_step = l < count};
        if (share > 0)
            *at++ = (struct layer_setting){.kind = &layer_dropout, .share = share};
    }
    *at++ = (struct layer_setting){.kind = &layer_dense, .outputs = lstm->data.classes, .activation = ACTIVATION_NONE};
    *at = (struct layer_setting){0};
}

static int lstm_start(void *self, const struct kernel_trial *trial, int64_t *steps, struct err *err)
{
    struct classifier *lstm = self;
    struct layer_setting layers[2 * DEEPEST + 2];
    struct tensor one;
    if (classifier_check(lstm, trial, err) || sequence_shape_read(&lstm->settings, &lstm->data, &one, err))
        return -1;
    struct classifier_training training = classifier_read_training(&lstm->settings);
    list_layers(lstm, layers);
    return classifier_start(lstm, trial, &training, &one, layers, steps, err);
}

static const struct kernel_option options[] = {
    CLASSIFIER_OPTIONS,
    {"steps", "integer", "0", "steps of a sequence, among which the inputs are divided; 0: as the data says", 0, 1e6},
    SEQUENCE_PADDING,
    {0},
};

static const struct kernel_option params[] = {
    {"lr", "number", "0.001", "the learning rate; its largest value when it is scheduled", 0, 1e6},
    {"layers", "integer", "1", "recurrent ones, one above the other", 1, DEEPEST},
    {"width", "integer", "512", "numbers of state of each layer: its hidden size", 1, 16384},
    {"dropout", "number", "0", "the share of each layer's states that is dropped on their way up, in training", 0,
     0.99},
    CLASSIFIER_PARAMS_WITH("adam"),
    {0},
};

const struct kernel kernel_lstm = {
    .name = "lstm",
    .summary = "recurrent network on sequences",
    .options = options,
    .params = params,
    .fixed = true,
    .shapes = "",
    .ranks = true,
    .metrics = EPOCH_METRICS,
    .memory = EPOCH_MEMORY "; a layer gives 8 numbers for each of its state at each step",
    .example = {.options = "data=generate:sequences clip=1 epochs=5",
                .metric = "val_accuracy maximize",
                .parameters = "lr=1e-4..0.03:log width=8..64:log layers=1..2 dropout=0.0..0.3 batch=16,32,64",
                .data = "Waves of four frequencies, which are made. " SEQUENCES_OF_ONES_OWN},
    .open = lstm_open,
    .data = classifier_data,
    .taken = classifier_taken,
    .start = lstm_start,
    .step = classifier_step,
    .save = classifier_save,
    .resume = classifier_resume,
    .finish = classifier_finish,
    .close = classifier_close,
};
