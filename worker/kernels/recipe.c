/* See recipe.h. */
#include "worker/kernels/recipe.h"

#include "worker/kernels/kernel.h"

#include <string.h>

struct recipe recipe_read(const struct kernel_settings *settings)
{
    enum { FP32, BF16, TF32 };
    int precision = kernel_settings_word(settings, "precision");
    return (struct recipe){
        .precision = precision == BF16 ? TENSOR_BF16 : TENSOR_F32,
        .coarse = precision == TF32,
        .scale = {.kind = (enum loss_scale_kind)kernel_settings_word(settings, "loss_scale"),
                  .factor = kernel_settings_number(settings, "loss_scale_factor"),
                  .interval = kernel_settings_integer(settings, "loss_scale_interval")},
        .lr_scaling = (enum lr_scaling)kernel_settings_word(settings, "lr_scaling"),
        .lr_batch = kernel_settings_number(settings, "lr_batch"),
        .patience = kernel_settings_integer(settings, "patience"),
    };
}

double recipe_lr(const struct recipe *recipe, double lr, size_t batch)
{
    return schedule_scaled(recipe->lr_scaling, lr, (double)batch, recipe->lr_batch);
}

struct patience recipe_patience(const struct recipe *recipe, const char *metric)
{
    bool larger = strstr(metric, "accuracy") || strcmp(metric, KERNEL_SPEED) == 0;
    return (struct patience){.epochs = recipe->patience, .larger = larger};
}
