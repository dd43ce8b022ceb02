/* The reader of tables of configurations against any bytes. What is refused is refused in words; of what is read every
 * row can be walked through. fuzz_examples.c is of examples.
 *
 * Seeds: tests/data/tables/[a-z]*.csv */
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

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char path[40];
    int file = memfd_create("fuzz", MFD_CLOEXEC);
    require(file >= 0 && write(file, bytes, size) == (ssize_t)size, "can't write the file");
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    read_table(path);
    close(file);
    return 0;
}
