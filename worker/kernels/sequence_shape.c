/* See sequence_shape.h. */
#include "worker/kernels/sequence_shape.h"

#include "worker/data/padding.h"

static struct dataset_padding read_padding(const struct kernel_settings *settings, bool tokens)
{
    const json_t *given = kernel_settings_given(settings, "padding");
    bool number = json_is_number(given);
    return (struct dataset_padding){.kind = number ? PADDING_NUMBER
                                                   : (enum padding_kind)kernel_settings_word(settings, "padding"),
                                    .number = (float)json_number_value(given),
                                    .tokens = tokens,
                                    .steps = tokens ? 0 : (size_t)kernel_settings_integer(settings, "steps")};
}

int sequence_data_open(struct classifier *classifier, struct dataset_source *source, bool tokens, struct err *err)
{
    source->padding = read_padding(&classifier->settings, tokens);
    source->missing = source->padding.kind == PADDING_NAN;
    return dataset_open(&classifier->data, source, err);
}

int sequence_shape_read(const struct kernel_settings *settings, const struct dataset *data, struct tensor *one,
                        struct err *err)
{
    size_t steps;
    if (padding_steps(data, (size_t)kernel_settings_integer(settings, "steps"), &steps, err))
        return -1;
    *one = tensor_make(TENSOR_F32, 3, (size_t[]){1, steps, data->inputs / steps});
    return 0;
}
