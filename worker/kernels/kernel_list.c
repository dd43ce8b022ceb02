/* The kernels of this build; see kernel.h. */
#include "worker/kernels/kernel.h"

#include <stddef.h>
#include <string.h>

const struct kernel *const kernel_list[] = {
    &kernel_cnn,    &kernel_gbt,   &kernel_logreg, &kernel_lstm,        &kernel_mlp,
    &kernel_resnet, &kernel_synth, &kernel_table,  &kernel_transformer, NULL};

const struct kernel *kernel_find(const char *name)
{
    for (size_t i = 0; kernel_list[i]; i++)
        if (strcmp(kernel_list[i]->name, name) == 0)
            return kernel_list[i];
    return NULL;
}
