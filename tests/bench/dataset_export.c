/* Writes the examples of a kernel's data options as the kernel sees them, for programs that are compared with it.
 *
 *     dataset_export OPTIONS DIRECTORY      OPTIONS: the JSON object of the kernel mlp
 *
 * DIRECTORY/x has the inputs, float32, example after example, DIRECTORY/y the labels, int32, both the training part
 * first; what is printed: an object with how many there are. */
#include "worker/data/dataset.h"
#include "worker/kernels/data_options.h"
#include "worker/kernels/kernel.h"

#include <stdio.h>
#include <stdlib.h>

static int write_array(const char *directory, const char *name, const void *array, size_t bytes)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *out = fopen(path, "w");
    return !out || fwrite(array, 1, bytes, out) != bytes || fclose(out) ? -1 : 0;
}

int main(int argc, char **argv)
{
    struct kernel_settings settings = {.kernel = kernel_find("mlp"),
                                       .options = argc == 3 ? json_loads(argv[1], 0, NULL) : NULL};
    struct dataset data;
    struct err err;
    if (!settings.options)
        return EXIT_FAILURE;
    struct dataset_source source = data_options_read(&settings, ".");
    source.scaling = (enum dataset_scaling)kernel_settings_word(&settings, "scaling");
    if (dataset_open(&data, &source, &err)) {
        fprintf(stderr, "dataset_export: %s\n", err.text);
        return EXIT_FAILURE;
    }
    printf("{\"count\": %zu, \"training\": %zu, \"inputs\": %zu, \"classes\": %zu}\n", data.count, data.training,
           data.inputs, data.classes);
    return write_array(argv[2], "x", data.x, data.count * data.inputs * sizeof *data.x) ||
                   write_array(argv[2], "y", data.labels, data.count * sizeof *data.labels)
               ? EXIT_FAILURE
               : EXIT_SUCCESS;
}
