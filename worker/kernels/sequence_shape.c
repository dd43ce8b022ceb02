/* See sequence_shape.h. */
#include "worker/kernels/sequence_shape.h"

int sequence_shape_read(const struct kernel_settings *settings, const struct dataset *data, struct tensor *one,
                        struct err *err)
{
    size_t inputs = data->inputs, steps = (size_t)kernel_settings_integer(settings, "steps");
    if (!steps && data->shape.rank < 2)
        return err_set(err, "the data has %zu inputs and does not say of how many steps; the option 'steps' does",
                       inputs);
    steps = steps ? steps : data->shape.size[0];
    if (inputs % steps)
        return err_set(err, "the %zu inputs of the data can't be divided among %zu steps, as the option 'steps' says",
                       inputs, steps);
    *one = tensor_make(TENSOR_F32, 3, (size_t[]){1, steps, inputs / steps});
    return 0;
}
