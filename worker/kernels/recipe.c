/* See recipe.h. */
#include "worker/kernels/recipe.h"

struct recipe recipe_read(const struct kernel_settings *settings)
{
    return (struct recipe){
        .precision = kernel_settings_word(settings, "precision") ? TENSOR_BF16 : TENSOR_F32,
    };
}
