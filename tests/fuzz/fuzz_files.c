/* The readers of data files against any bytes: tables, examples in CSV files, IDX files. What is refused is refused in
 * words; of what is read every row can be walked through.
 *
 * Seeds: tests/data/tables/[a-z]*.csv */
#include "worker/data/dataset.h"
#include "worker/data/lookup.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "fuzz_files: %s\n", what);
    abort();
}

static void read_table(const char *path)
{
    struct lookup_roles roles = {.metric = "loss", .step = "step"};
    struct err err = {""};
    size_t row;
    struct lookup *lookup = lookup_open(path, &roles, &err);
    require(lookup || err.text[0], "a table is refused without a sentence");
    json_t *none = json_object();
    if (lookup && lookup_find(lookup, none, &row, &err) == 0)
        while (lookup_next(lookup, row) != row) {
            require(lookup_step(lookup, lookup_next(lookup, row)) > lookup_step(lookup, row), "steps do not ascend");
            row = lookup_next(lookup, row);
        }
    json_decref(none);
    lookup_close(lookup);
}

static void read_examples(int result, struct dataset *data, const struct err *err)
{
    require(result == 0 || err->text[0], "examples are refused without a sentence");
    for (size_t n = 0; result == 0 && n < data->count; n++)
        require(data->labels[n] >= 0 && (size_t)data->labels[n] < data->classes, "a label is no class");
    if (result == 0 && data->classes) {
        dataset_split(data, 0.2, true, 1);
        dataset_scale(data, DATASET_STANDARD);
    }
    dataset_close(data);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char path[40];
    struct dataset data = {0};
    struct err err = {""};
    int file = memfd_create("fuzz", MFD_CLOEXEC);
    require(file >= 0 && write(file, bytes, size) == (ssize_t)size, "can't write the file");
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    read_table(path);
    int result = dataset_read_csv(&data, path, &(struct dataset_source){.label = ""}, &err);
    read_examples(result, &data, &err);
    result = dataset_read_idx(&data, path, path, &err);
    read_examples(result, &data, &err);
    close(file);
    return 0;
}
