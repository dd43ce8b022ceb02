/* The readers of examples against any bytes: CSV, arrays (IDX, NPY, NPZ), CIFAR. The first byte says which. What is
 * refused is refused in words; what is read has labels that are classes, and can be divided and scaled. */
#include "tests/fuzz_seeds.h"
#include "worker/data/read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "fuzz_examples: %s\n", what);
    abort();
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    setenv("GANNET_HDF5_MODULE", "/nowhere", 1); /* libhdf5 is not ours to try */
    static const char table[] = "a,b,y\n1,2,x\n3,4,z\n", plain[] = "\0\0\10\1\0\0\0\3\1\0\2";
    static char images[2 * 3073];
    fuzz_seed_kind('0', table, sizeof table - 1);
    fuzz_seed_kind('1', plain, sizeof plain - 1);
    fuzz_seed_kind('2', images, sizeof images);
    fuzz_seed_file('1', "tests/data/examples/y.npy");
    fuzz_seed_file('4', "tests/data/examples/stored.npz");
    fuzz_seed_file('1', "tests/data/examples/packed.npz");
    fuzz_seed_file('4', "tests/data/examples/labels.gz");
    return 0;
}

static void use_examples(int result, struct dataset *data, const struct err *err)
{
    require(result == 0 || err->text[0], "examples are refused without a sentence");
    for (size_t n = 0; result == 0 && n < data->count; n++)
        require(data->labels[n] >= 0 && (size_t)data->labels[n] < data->classes, "a label is no class");
    if (result == 0 && data->classes && data->count) {
        dataset_split(data, 0.2, true, 1);
        dataset_scale(data, DATASET_STANDARD);
    }
    dataset_close(data);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static int (*const readers[])(struct dataset *, const struct dataset_part *, struct err *) = {read_csv, read_arrays,
                                                                                                  read_cifar};
    struct dataset_source source = {.label = "", .array = "", .missing = size & 1};
    struct table_columns columns = {0};
    struct dataset data = {0};
    struct err err = {""};
    char path[40];
    if (!size)
        return 0;
    int file = memfd_create("fuzz", MFD_CLOEXEC);
    require(file >= 0 && write(file, bytes + 1, size - 1) == (ssize_t)size - 1, "can't write the file");
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    struct dataset_part part = {
        .source = &source, .file = path, .labels = path, .labels_option = "labels", .columns = &columns};
    int result = readers[bytes[0] % 3](&data, &part, &err);
    use_examples(result, &data, &err);
    table_columns_fini(&columns);
    close(file);
    return 0;
}
