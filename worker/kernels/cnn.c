/* The kernel cnn: small convolutional networks as classifiers of images, in the orders that introductions use.
 *
 *     conv-pool-conv-pool    conv F1 - pool 2 - conv F2 - pool 2 - dropout - dense W - dropout - dense C
 *     conv-conv-pool         conv F1 - conv F2 - pool 2 - dropout - dense W - dropout - dense C
 *     conv                   conv F1 - dropout - dense W - dropout - dense C
 *
 * Shapes: images [B,H,W,channels] of B examples, F1 and F2 filters of K x K pixels, C classes. */
#include "worker/kernels/kernel.h"

#include "worker/kernels/classifier.h"
#include "worker/kernels/image_shape.h"

/* The words of the parameter layers, in this order. */
enum { CONV_POOL_CONV_POOL, CONV_CONV_POOL, CONV };

/* A list of layers that grows. */
struct cnn_layers {
    const struct kernel_settings *settings;
    struct layer_setting layers[16]; /* two convolutions of three layers, two pools, five behind, the end */
    size_t count;
};

static int cnn_open(const struct kernel_task *task, void **self, struct err *err)
{
    return classifier_open(&kernel_cnn, task, self, err);
}

static void add_layer(struct cnn_layers *list, struct layer_setting layer)
{
    list->layers[list->count++] = layer;
}

static size_t size_of(const struct cnn_layers *list, const char *name)
{
    return (size_t)kernel_settings_integer(list->settings, name);
}

/* A convolution, with its normalisation when there is one. */
static void add_conv(struct cnn_layers *list, const char *filters)
{
    bool normed = kernel_settings_switch(list->settings, "batch_norm");
    size_t K = size_of(list, "kernel");
    enum activation f = (enum activation)kernel_settings_word(list->settings, "activation");
    add_layer(list, (struct layer_setting){.kind = &layer_conv,
                                           .outputs = size_of(list, filters),
                                           .window = {K, K, 1, size_of(list, "padding")},
                                           .activation = normed ? ACTIVATION_NONE : f,
                                           .unbiased = normed});
    if (!normed)
        return;
    add_layer(list, (struct layer_setting){.kind = &layer_batch_norm, .epsilon = 1e-5f, .momentum = 0.9f});
    add_layer(list, (struct layer_setting){.kind = &layer_activation, .activation = f});
}

static void add_pool(struct cnn_layers *list)
{
    add_layer(list, (struct layer_setting){.kind = &layer_pool_max, .window = {2, 2, 2, 0}});
}

static void add_dropout(struct cnn_layers *list, const char *name)
{
    float share = (float)kernel_settings_number(list->settings, name);
    if (share > 0)
        add_layer(list, (struct layer_setting){.kind = &layer_dropout, .share = share});
}

static void list_layers(struct cnn_layers *list, size_t classes)
{
    int order = kernel_settings_word(list->settings, "layers");
    add_conv(list, "filters1");
    if (order == CONV_POOL_CONV_POOL)
        add_pool(list);
    if (order != CONV)
        add_conv(list, "filters2");
    if (order != CONV)
        add_pool(list);
    add_dropout(list, "dropout");
    add_layer(list, (struct layer_setting){.kind = &layer_flatten});
    add_layer(list, (struct layer_setting){.kind = &layer_dense,
                                           .outputs = size_of(list, "width"),
                                           .activation =
                                               (enum activation)kernel_settings_word(list->settings, "activation")});
    add_dropout(list, "dense_dropout");
    add_layer(list, (struct layer_setting){.kind = &layer_dense, .outputs = classes, .activation = ACTIVATION_NONE});
}

static int cnn_start(void *self, const struct kernel_trial *trial, int64_t *steps, struct err *err)
{
    struct classifier *cnn = self;
    struct cnn_layers list = {.settings = &cnn->settings};
    struct dataset_shape shape;
    if (classifier_check(cnn, trial, err) || image_shape_read(&cnn->settings, &cnn->data, &shape, err))
        return -1;
    if (size_of(&list, "padding") >= size_of(&list, "kernel"))
        return err_set(err, "the parameter 'padding' is %zu; it must be less than 'kernel', which is %zu",
                       size_of(&list, "padding"), size_of(&list, "kernel"));
    struct classifier_training training = classifier_read_training(&cnn->settings);
    training.augment = augment_params_read(&cnn->settings);
    struct tensor image = tensor_make(TENSOR_F32, 4, (size_t[]){1, shape.size[0], shape.size[1], shape.size[2]});
    list_layers(&list, cnn->data.classes);
    return classifier_start(cnn, trial, &training, &image, list.layers, steps, err);
}

static const struct kernel_option options[] = {
    CLASSIFIER_OPTIONS,
    IMAGE_OPTIONS,
    {0},
};

static const struct kernel_option params[] = {
    {"lr", "number", "0.01", "the learning rate; its largest value when it is scheduled", 0, 1e6},
    {"layers", "conv-pool-conv-pool|conv-conv-pool|conv", "conv-pool-conv-pool", "before the dense ones", 0, 0},
    {"filters1", "integer", "32", "of the first convolution", 1, 4096},
    {"filters2", "integer", "64", "of the second convolution", 1, 4096},
    {"kernel", "integer", "3", "rows and columns of a filter", 1, 64},
    {"padding", "integer", "0", "rows and columns of zeros around the image of a convolution", 0, 63},
    {"batch_norm", "switch", "false", "whether the sums of convolutions are normalised over the batch", 0, 0},
    {"width", "integer", "128", "outputs of the first dense layer", 1, 16384},
    {"dropout", "number", "0", "the share of the last image that is dropped in training", 0, 0.99},
    {"dense_dropout", "number", "0", "the share of the first dense layer that is dropped in training", 0, 0.99},
    {"activation", ACTIVATIONS, "relu", "of all layers but the last", 0, 0},
    AUGMENT_PARAMS,
    CLASSIFIER_PARAMS,
    {0},
};

const struct kernel kernel_cnn = {
    .name = "cnn",
    .summary = "convolutional network on images",
    .options = options,
    .params = params,
    .fixed = true,
    .shapes = "layers kernel padding crop cutout",
    .ranks = true,
    .metrics = EPOCH_METRICS,
    .memory = EPOCH_MEMORY,
    .example = {.options = "data=generate:shapes optimizer=adam epochs=5",
                .metric = "val_accuracy maximize",
                .parameters = "lr=1e-4..0.03:log filters1=4..32:log filters2=4..64:log batch_norm=true,false "
                              "dense_dropout=0.0..0.5 batch=16,32,64,128",
                .data = "Images of ten shapes, which are made. " IMAGES_OF_ONES_OWN},
    .open = cnn_open,
    .data = classifier_data,
    .taken = classifier_taken,
    .start = cnn_start,
    .step = classifier_step,
    .save = classifier_save,
    .resume = classifier_resume,
    .finish = classifier_finish,
    .close = classifier_close,
};
