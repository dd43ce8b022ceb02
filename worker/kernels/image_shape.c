/* See image_shape.h. */
#include "worker/kernels/image_shape.h"

#include <math.h>

/* What was said of a side, unless the data has said otherwise. */
static int take_side(const char *name, size_t given, size_t *side, struct err *err)
{
    if (given && *side && given != *side)
        return err_set(err, "the option '%s' is %zu, and the images of the data have %zu; leave it out", name, given,
                       *side);
    *side = given ? given : *side;
    return 0;
}

/* Square images whose channels come first, as PyTorch has them, look like low ones with many channels. */
static int check_order(const struct dataset_shape *shape, size_t height_given, struct err *err)
{
    const size_t *size = shape->size;
    if (shape->rank != 3 || height_given || size[0] > 4 || size[1] <= 4 || size[1] != size[2])
        return 0;
    return err_set(err,
                   "the examples are arrays of %zu x %zu x %zu, in which channels seem to come first; they come last: "
                   "numpy.moveaxis(x, 1, -1). If these are images of %zu channels, say height: %zu",
                   size[0], size[1], size[2], size[2], size[0]);
}

int image_shape_read(const struct kernel_settings *settings, const struct dataset *data, struct dataset_shape *image,
                     struct err *err)
{
    size_t height = (size_t)kernel_settings_integer(settings, "height"), inputs = data->inputs;
    size_t channels = (size_t)kernel_settings_integer(settings, "channels");
    *image = data->shape.rank == 3 ? data->shape : (struct dataset_shape){0};
    if (data->shape.rank == 2) /* of one channel, unless the option says otherwise: then they lie side by side */
        image->size[0] = data->shape.size[0];
    if (check_order(image, height, err))
        return -1;
    if (take_side("height", height, &image->size[0], err) || take_side("channels", channels, &image->size[2], err))
        return -1;
    bool square = !image->size[0];
    channels = image->size[2] ? image->size[2] : 1;
    height = square ? (size_t)lround(sqrt((double)inputs / (double)channels)) : image->size[0];
    if (!height || inputs % (height * channels) || (square && height * height * channels != inputs))
        return err_set(err,
                       "the data has %zu inputs, which are no %simages of %zu channel%s; the options 'height' and "
                       "'channels' say their shape",
                       inputs, square ? "square " : "", channels, channels == 1 ? "" : "s");
    *image = (struct dataset_shape){.rank = 3, .size = {height, inputs / (height * channels), channels}};
    return 0;
}

struct augment augment_params_read(const struct kernel_settings *settings)
{
    return (struct augment){
        .flip = kernel_settings_number(settings, "flip"),
        .crop = (size_t)kernel_settings_integer(settings, "crop"),
        .shift = kernel_settings_number(settings, "shift"),
        .cutout = (size_t)kernel_settings_integer(settings, "cutout"),
    };
}
