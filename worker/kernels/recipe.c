/* See recipe.h. */
#include "worker/kernels/recipe.h"

struct recipe recipe_read(const struct kernel_settings *settings)
{
    return (struct recipe){
        .precision = kernel_settings_word(settings, "precision") ? TENSOR_BF16 : TENSOR_F32,
        .scale = {.kind = (enum loss_scale_kind)kernel_settings_word(settings, "loss_scale"),
                  .factor = kernel_settings_number(settings, "loss_scale_factor"),
                  .interval = kernel_settings_integer(settings, "loss_scale_interval")},
    };
}
