/* See data_options.h. */
#include "worker/kernels/data_options.h"

struct dataset_source data_options_read(const struct kernel_settings *settings, const char *base)
{
    return (struct dataset_source){
        .base = base,
        .file = kernel_settings_text(settings, "data"),
        .made = kernel_settings_given(settings, "data"),
        .labels = kernel_settings_text(settings, "labels"),
        .array = kernel_settings_text(settings, "array"),
        .validation_data = kernel_settings_text(settings, "validation_data"),
        .validation_labels = kernel_settings_text(settings, "validation_labels"),
        .label = kernel_settings_text(settings, "label"),
        .validation = kernel_settings_number(settings, "validation"),
        .stratified = kernel_settings_switch(settings, "stratified"),
        .split_seed = (uint64_t)kernel_settings_integer(settings, "split_seed"),
        .stage = (enum dataset_stage)kernel_settings_word(settings, "stage"),
    };
}
