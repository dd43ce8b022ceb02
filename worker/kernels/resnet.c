/* The kernel resnet: residual networks for small images (He et al. 2016, section 4.2), of 6 depth + 2 layers.
 *
 *     conv F - norm - relu
 *     stages s = 0, 1, 2 of `depth` blocks with F 2^s filters:
 *         y = relu(norm(conv(relu(norm(conv(x))))) + shortcut(x))
 *     mean over the image - dense C
 *
 * Convolutions are of 3 x 3 pixels with a row of zeros around; the first of stages 1 and 2 takes every second pixel.
 * The shortcut is x itself; where the shape changes, it is every second pixel of x with zeros for the new filters
 * (`identity`, option A of the paper) or a convolution of 1 x 1 (`projection`, option B).
 *
 * Shapes: images [B,H,W,channels] of B examples, F filters of the first stage, C classes. */
#include "worker/kernels/kernel.h"

#include "common/mem.h"
#include "worker/kernels/classifier.h"
#include "worker/kernels/image_shape.h"

#include <stdlib.h>

enum { STAGES = 3, DEEPEST = 33 /* 200 layers */ };

/* The words of the parameter shortcut, in this order. */
enum { SHORTCUT_IDENTITY, SHORTCUT_PROJECTION };

/* The two ways of a block. */
struct resnet_block {
    struct layer_setting inner[6], shortcut[3];
};

/* A network's list of layers, with the blocks that it names. */
struct resnet_layers {
    struct resnet_block blocks[STAGES * DEEPEST];
    struct layer_setting layers[STAGES * DEEPEST + 7];
    size_t count;
};

static int resnet_open(const struct kernel_task *task, void **self, struct err *err)
{
    return classifier_open(&kernel_resnet, task, self, err);
}

static struct layer_setting conv_of(size_t filters, size_t K, size_t stride)
{
    return (struct layer_setting){.kind = &layer_conv,
                                  .outputs = filters,
                                  .window = {K, K, stride, K / 2},
                                  .activation = ACTIVATION_NONE,
                                  .unbiased = true};
}

static const struct layer_setting norm = {.kind = &layer_batch_norm, .epsilon = 1e-5f, .momentum = 0.9f},
                                  relu = {.kind = &layer_activation, .activation = ACTIVATION_RELU};

/* A block; with a stride of 2 when the shape changes in it. */
static struct layer_setting make_block(struct resnet_block *block, size_t filters, size_t stride, int shortcut)
{
    const struct layer_setting inner[] = {conv_of(filters, 3, stride), norm, relu, conv_of(filters, 3, 1), norm};
    for (size_t l = 0; l < sizeof inner / sizeof *inner; l++)
        block->inner[l] = inner[l];
    if (stride > 1 && shortcut == SHORTCUT_PROJECTION) {
        block->shortcut[0] = conv_of(filters, 1, stride);
        block->shortcut[1] = norm;
    } else if (stride > 1) {
        block->shortcut[0] =
            (struct layer_setting){.kind = &layer_subsample, .outputs = filters, .window = {.stride = stride}};
    }
    return (struct layer_setting){.kind = &layer_residual,
                                  .activation = ACTIVATION_RELU,
                                  .inner = block->inner,
                                  .shortcut = stride > 1 ? block->shortcut : NULL};
}

static void add_layer(struct resnet_layers *list, struct layer_setting layer)
{
    list->layers[list->count++] = layer;
}

static void add_stages(struct resnet_layers *list, const struct kernel_settings *settings)
{
    size_t depth = (size_t)kernel_settings_integer(settings, "depth"), count = 0;
    size_t filters = (size_t)kernel_settings_integer(settings, "width");
    int shortcut = kernel_settings_word(settings, "shortcut");
    for (size_t stage = 0; stage < STAGES; stage++, filters *= 2)
        for (size_t n = 0; n < depth; n++, count++)
            add_layer(list, make_block(&list->blocks[count], filters, n == 0 && stage > 0 ? 2 : 1, shortcut));
}

/* A size after the two halvings, which round up. */
static size_t quarter_of(size_t size)
{
    return (size + 3) / 4;
}

static void list_layers(struct resnet_layers *list, const struct kernel_settings *settings, const struct tensor *image,
                        size_t classes)
{
    struct window whole = {quarter_of(image->size[1]), quarter_of(image->size[2]), 1, 0};
    add_layer(list, conv_of((size_t)kernel_settings_integer(settings, "width"), 3, 1));
    add_layer(list, norm);
    add_layer(list, relu);
    add_stages(list, settings);
    add_layer(list, (struct layer_setting){.kind = &layer_pool_mean, .window = whole});
    add_layer(list, (struct layer_setting){.kind = &layer_flatten});
    add_layer(list, (struct layer_setting){.kind = &layer_dense, .outputs = classes, .activation = ACTIVATION_NONE});
}

static int resnet_start(void *self, const struct kernel_trial *trial, int64_t *steps, struct err *err)
{
    struct classifier *resnet = self;
    struct dataset_shape shape;
    if (classifier_check(resnet, trial, err) || image_shape_read(&resnet->settings, &resnet->data, &shape, err))
        return -1;
    struct tensor image = tensor_make(TENSOR_F32, 4, (size_t[]){1, shape.size[0], shape.size[1], shape.size[2]});
    struct classifier_training training = classifier_read_training(&resnet->settings);
    training.augment = augment_params_read(&resnet->settings);
    struct resnet_layers *list = MEM_NEW(struct resnet_layers);
    list_layers(list, &resnet->settings, &image, resnet->data.classes);
    int result = classifier_start(resnet, trial, &training, &image, list->layers, steps, err);
    free(list);
    return result;
}

static const struct kernel_option options[] = {CLASSIFIER_OPTIONS, IMAGE_OPTIONS, {0}};

static const struct kernel_option params[] = {
    {"lr", "number", "0.1", "the learning rate; its largest value when it is scheduled", 0, 1e6},
    {"depth", "integer", "3", "blocks of each of the three stages; 3 makes ResNet-20, n makes 6 n + 2", 1, DEEPEST},
    {"width", "integer", "16", "filters of the first stage; the others have twice and four times as many", 1, 1024},
    {"shortcut", "identity|projection", "identity",
     "where the shape changes: zeros for new filters, or a convolution of 1 x 1; options A and B of the paper", 0, 0},
    AUGMENT_PARAMS,
    CLASSIFIER_PARAMS,
    {0},
};

const struct kernel kernel_resnet = {
    .name = "resnet",
    .summary = "residual network on small images",
    .options = options,
    .params = params,
    .fixed = true,
    .shapes = "crop cutout",
    .ranks = true,
    .metrics = EPOCH_METRICS,
    .memory = EPOCH_MEMORY "; ResNet-20 takes 5 MB for each image of 32 x 32 pixels",
    .example = {.options = "data=generate:shapes scaling=unit depth=1 schedule=one-cycle epochs=4",
                .metric = "val_accuracy maximize",
                .parameters = "lr=0.01..0.5:log width=4..16:log weight_decay=1e-5..1e-2:log "
                              "shortcut=identity,projection batch=16,32,64",
                .data = "Images of ten shapes, which are made. " IMAGES_OF_ONES_OWN},
    .open = resnet_open,
    .data = classifier_data,
    .taken = classifier_taken,
    .start = resnet_start,
    .step = classifier_step,
    .save = classifier_save,
    .resume = classifier_resume,
    .finish = classifier_finish,
    .close = classifier_close,
};
