/* See augment_params.h. */
#include "worker/kernels/augment_params.h"

struct augment augment_params_read(const struct kernel_settings *settings)
{
    return (struct augment){
        .flip = kernel_settings_number(settings, "flip"),
        .crop = (size_t)kernel_settings_integer(settings, "crop"),
        .shift = kernel_settings_number(settings, "shift"),
        .cutout = (size_t)kernel_settings_integer(settings, "cutout"),
    };
}
