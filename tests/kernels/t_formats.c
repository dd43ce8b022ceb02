/* Files of examples in the formats that people have: IDX, NPY, NPZ, CIFAR; whole, damaged, and forged. */
#include "common/buf.h"
#include "common/mem.h"
#include "common/path.h"
#include "tests/claims.h"
#include "worker/data/bytes.h"
#include "worker/data/npy.h"
#include "worker/data/read.h"

#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static struct dataset data;
static struct err said;

static int forget(void **state)
{
    dataset_close(&data);
    return leave_scratch(state);
}

static void write_bytes(const char *path, const void *bytes, size_t length)
{
    FILE *out = fopen(path, "we"); /* thousands of them, none of which the disk needs to keep */
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, length, out), length);
    assert_int_equal(fclose(out), 0);
}

/* Opens what a source names, as a kernel does; unsaid texts are "". */
static int open_source(struct dataset_source source)
{
    dataset_close(&data);
    said.text[0] = '\0';
    const char **texts[] = {&source.labels, &source.array, &source.label, &source.validation_data,
                            &source.validation_labels};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        *texts[i] = *texts[i] ? *texts[i] : "";
    source.base = source.base ? source.base : "tests/data/examples";
    source.validation = source.validation > 0 ? source.validation : 0.5;
    return dataset_open(&data, &source, &said);
}

#define OPEN(...) open_source((struct dataset_source){__VA_ARGS__})

/* --- NPY --- */

/* A file of this header, of a version of the format, and these elements. */
static void make_npy(struct buf *out, int version, const char *header, const void *elements, size_t length)
{
    unsigned char size[4] = {(unsigned char)strlen(header), (unsigned char)(strlen(header) >> 8)};
    buf_clear(out);
    buf_add(out, "\x93NUMPY", 6);
    buf_add(out, &(char[]){(char)version, 0}, 2);
    buf_add(out, size, version == 1 ? 2 : 4);
    buf_text(out, header);
    buf_add(out, elements, length);
}

static int read_npy_bytes(void **state, const struct buf *file, struct array *array)
{
    write_bytes(path_in(state, "a.npy"), file->data, file->length);
    said.text[0] = '\0';
    return npy_read_file(array, path_in(state, "a.npy"), &said);
}

static void assert_reads(void **state, int version, const char *header, const void *elements, size_t length,
                         const float *wanted, size_t count)
{
    struct buf file = {0};
    struct array array;
    make_npy(&file, version, header, elements, length);
    if (read_npy_bytes(state, &file, &array))
        fail_msg("%s: %s", header, said.text);
    assert_int_equal(array_count(&array), count);
    assert_memory_equal(array.values, wanted, count * sizeof *wanted);
    array_fini(&array);
    buf_fini(&file);
}

static void every_type_of_numpy_is_read(void **state)
{
    static const float wanted[] = {1, -2}, unsigned_wanted[] = {1, 254}, half[] = {1.5f, -0x1p-24f};
#define READS(version, header, bytes, wanted) assert_reads(state, version, header, bytes, sizeof bytes - 1, wanted, 2)
    READS(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", "\0\0\x80\x3f\0\0\0\xc0", wanted);
    READS(2, "{'descr': '>f4', 'fortran_order': False, 'shape': (2,), }", "\x3f\x80\0\0\xc0\0\0\0", wanted);
    READS(3, "{'descr': '<f8', 'fortran_order': True, 'shape': (2,), }", "\0\0\0\0\0\0\xf0\x3f\0\0\0\0\0\0\0\xc0",
          wanted);
    READS(1, "{'shape': (1, 2), 'descr': '<i8', 'fortran_order': False}",
          "\1\0\0\0\0\0\0\0\xfe\xff\xff\xff\xff\xff\xff\xff", wanted);
    READS(1, "{'descr': '>i2', 'fortran_order': False, 'shape': (2,), }", "\0\1\xff\xfe", wanted);
    READS(1, "{'descr': '|i1', 'fortran_order': False, 'shape': (2,), }", "\1\xfe", wanted);
    READS(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }", "\1\xfe", unsigned_wanted);
    READS(1, "{'descr': '<u4', 'fortran_order': False, 'shape': (2L,), }", "\1\0\0\0\xfe\0\0\0", unsigned_wanted);
    READS(1, "{'descr': '<f2', 'fortran_order': False, 'shape': (2,), }", "\0\x3e\1\x80", half);
#undef READS
}

static void what_is_no_table_of_numbers_is_refused_in_words(void **state)
{
    static const struct {
        const char *header, *sentence;
    } bad[] = {
        {"{'descr': '<c8', 'fortran_order': False, 'shape': (2,)}", "real numbers are read"},
        {"{'descr': '|O', 'fortran_order': False, 'shape': (2,)}", "real numbers are read"},
        {"{'descr': '<U10', 'fortran_order': False, 'shape': (2,)}", "its elements are '<U10'; real numbers are read"},
        {"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,)}", "real numbers are read"},
        {"{'descr': '<f4', 'fortran_order': True, 'shape': (1, 2)}", "save numpy.ascontiguousarray(x)"},
        {"{'descr': '<f4', 'shape': (2,)}", "does not say fortran_order"},
        {"{'descr': '<f4', 'fortran_order': False}", "names no shape"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,", "ends within the shape"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, x)}", "its shape is x)}"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (-2,)}", "its shape is -2"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,2)}", "up to 8 sizes are read"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (3,)}",
         "says that 3 values of 4 bytes follow, 12 bytes from byte 65 on; there are 8. Is it whole?"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", "there are 8. Is it whole?"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (250000000000,)}", "there are 8. Is it whole?"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775807, 4)}", "more than any memory holds"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (4611686018427387904,)}", "more than any memory holds"},
    };
    struct buf file = {0};
    struct array array;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        make_npy(&file, 1, bad[i].header, "12345678", 8);
        assert_int_equal(read_npy_bytes(state, &file, &array), -1);
        assert_has(said.text, bad[i].sentence);
        assert_has(said.text, "a.npy: ");
    }
    make_npy(&file, 4, bad[0].header, "", 0);
    assert_int_equal(read_npy_bytes(state, &file, &array), -1);
    assert_has(said.text, "byte 6 says version 4");
    buf_fini(&file);
}

static void a_pair_of_numpy_s_files_are_examples(void **state)
{
    (void)state;
    assert_int_equal(OPEN(.file = "x.npy", .labels = "y.npy"), 0);
    assert_true(data.count == 4 && data.training == 2 && data.inputs == 6 && data.classes == 2);
    assert_true(data.shape.rank == 2 && data.shape.size[0] == 2 && data.shape.size[1] == 3);
    assert_int_equal(OPEN(.base = "examples", .file = "data/digits.csv", .labels = "digit"), -1);
    assert_has(said.text, "is a CSV file, in which the option 'label' names a column; 'labels' is the file");
    assert_int_equal(OPEN(.file = "x.npy"), -1);
    assert_has(said.text, "is an NPY file of inputs; name the one of labels in the option 'labels'");
    assert_int_equal(OPEN(.file = "x.npy", .labels = "x.npy"), -1);
    assert_has(said.text, "holds 4 x 2 x 3 values of 4 bytes; one label for each example is needed");
    assert_int_equal(OPEN(.file = "x.npy", .labels = "y.npy", .validation_data = "test"), -1);
    assert_has(said.text, "x.npy: has no test part");
    assert_int_equal(OPEN(.file = "x.npy", .labels = "y.npy", .validation_data = "x.npy"), -1);
    assert_has(said.text, "in the option 'validation_labels'");
    assert_int_equal(OPEN(.file = "x.npy", .labels = "y.npy", .validation_data = "x.npy", .validation_labels = "y.npy"),
                     0);
    assert_true(data.count == 8 && data.training == 4);
    assert_memory_equal(data.x, data.x + 24, 24 * sizeof *data.x);
}

static void labels_that_are_no_classes_are_named_with_their_byte(void **state)
{
    struct buf file = {0};
    make_npy(&file, 1, "{'descr': '<i4', 'fortran_order': False, 'shape': (4,)}",
             "\0\0\0\0\1\0\0\0\xff\xff\xff\xff\1\0\0\0", 16);
    write_bytes(path_in(state, "y.npy"), file.data, file.length);
    char *x = path_absolute("tests/data/examples/x.npy");
    assert_int_equal(OPEN(.base = *state, .file = x, .labels = "y.npy"), -1);
    assert_has(said.text, "y.npy: element 2 is -1 (at byte 73); labels are classes, whole numbers from 0 to 999");
    make_npy(&file, 1, "{'descr': '<i2', 'fortran_order': False, 'shape': (3,)}", "\0\0\1\0\0\0", 6);
    write_bytes(path_in(state, "y.npy"), file.data, file.length);
    assert_int_equal(OPEN(.base = *state, .file = x, .labels = "y.npy"), -1);
    assert_has(said.text, "y.npy: holds 3 values of 2 bytes, for 4 examples of");
    free(x);
    buf_fini(&file);
}

static void inputs_that_are_no_numbers_are_named_with_their_example(void **state)
{
    struct buf file = {0};
    make_npy(&file, 1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1, 2)}",
             "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\xc0\x7f", 16);
    write_bytes(path_in(state, "x.npy"), file.data, file.length);
    make_npy(&file, 1, "{'descr': '|u1', 'fortran_order': False, 'shape': (2,)}", "\0\1", 2);
    write_bytes(path_in(state, "y.npy"), file.data, file.length);
    assert_int_equal(OPEN(.base = *state, .file = "x.npy", .labels = "y.npy"), -1);
    assert_has(said.text, "x.npy: example 1 (element [1, 0, 1]) is nan (at byte ");
    buf_fini(&file);
}

/* As those of SVHN (1 to 10) and EMNIST's letters (1 to 26). */
static void labels_from_1_leave_no_class_empty(void **state)
{
    struct buf file = {0};
    make_npy(&file, 1, "{'descr': '|u1', 'fortran_order': False, 'shape': (4,)}", "\1\3\2\1", 4);
    write_bytes(path_in(state, "y.npy"), file.data, file.length);
    make_npy(&file, 1, "{'descr': '|u1', 'fortran_order': False, 'shape': (4,)}", "\2\0\3\3", 4);
    write_bytes(path_in(state, "v.npy"), file.data, file.length);
    char *x = path_absolute("tests/data/examples/x.npy");
    assert_int_equal(
        OPEN(.base = *state, .file = x, .labels = "y.npy", .validation_data = x, .validation_labels = "v.npy"), 0);
    assert_int_equal(data.classes, 4);
    static const int32_t wanted[] = {0, 2, 1, 0, 1, 3, 2, 2};
    assert_memory_equal(data.labels, wanted, sizeof wanted);
    assert_int_equal(OPEN(.base = *state, .file = x, .labels = "y.npy"), 0);
    assert_int_equal(data.classes, 3);
    free(x);
    buf_fini(&file);
}

/* --- NPZ and gzip, where this build has them --- */

static void archives_of_arrays_are_read(void **state)
{
    (void)state;
#ifndef HAVE_MINIZIP
    assert_int_equal(OPEN(.file = "stored.npz"), -1);
    assert_has(said.text, "build with the package libminizip-dev");
    return;
#endif
    assert_int_equal(OPEN(.file = "stored.npz"), 0);
    assert_true(data.count == 4 && data.inputs == 6 && data.shape.rank == 2);
    assert_int_equal(OPEN(.file = "stored.npz", .validation_data = "test"), 0);
    assert_true(data.count == 6 && data.training == 4);
    assert_int_equal(OPEN(.file = "stored.npz", .array = "x_test", .label = "y_test"), 0);
    assert_int_equal(data.count, 2);
    assert_int_equal(OPEN(.file = "packed.npz"), 0);
    assert_int_equal(data.count, 4);
    assert_int_equal(OPEN(.file = "packed.npz", .labels = "y.npy"), 0);
    assert_int_equal(OPEN(.file = "packed.npz", .labels = "x.npy"), -1);
    assert_has(said.text, "x.npy: holds 4 x 2 x 3 values of 4 bytes; one label for each example is needed");
    assert_int_equal(OPEN(.file = "packed.npz", .labels = "../../../examples/digits.yaml"), -1);
    assert_has(said.text, "digits.yaml: is no file of arrays (IDX, NPY, NPZ, HDF5)");
    assert_int_equal(OPEN(.file = "packed.npz", .array = "z"), -1);
    assert_has(said.text, "packed.npz: has no array 'z'; it has: x, y");
    assert_int_equal(OPEN(.file = "packed.npz", .validation_data = "test"), -1);
    assert_has(said.text, "has no array 'x_test', nor one of the other usual names; it has: x, y");
}

static void compressed_idx_files_are_read(void **state)
{
    (void)state;
#ifndef HAVE_ZLIB
    assert_int_equal(OPEN(.file = "images.gz", .labels = "labels.gz"), -1);
    assert_has(said.text, "build with the package zlib1g-dev");
    return;
#endif
    assert_int_equal(OPEN(.file = "images.gz", .labels = "labels.gz"), 0);
    assert_true(data.count == 4 && data.inputs == 6 && data.classes == 3);
    assert_true(data.shape.rank == 2 && data.shape.size[0] == 2 && data.shape.size[1] == 3);
}

/* Every truncation, but of so many bytes that say nothing, is refused with a sentence; every changed byte does no harm.
 */
static void assert_harmless(void **state, const char *name, size_t unneeded)
{
    struct buf file = {0};
    char *from = path_join("tests/data/examples", name);
    assert_int_equal(path_read(from, &file, 1 << 20, &said), 0);
    for (size_t length = 0; length + unneeded < file.length; length++) {
        write_bytes(path_in(state, "cut"), file.data, length);
        if (OPEN(.base = *state, .file = "cut", .labels = "cut") == 0)
            fail_msg("%s is read of which %zu bytes are there", name, length);
        assert_true(*said.text != '\0');
    }
    for (size_t at = 0; at < file.length; at++) {
        file.data[at] = (char)(file.data[at] ^ 0x55);
        write_bytes(path_in(state, "cut"), file.data, file.length);
        if (OPEN(.base = *state, .file = "cut", .labels = "cut"))
            assert_true(*said.text != '\0');
        file.data[at] = (char)(file.data[at] ^ 0x55);
    }
    free(from);
    buf_fini(&file);
}

static void damaged_files_do_no_harm(void **state)
{
    assert_harmless(state, "x.npy", 0);
    assert_harmless(state, "y.npy", 0);
    assert_harmless(state, "images.gz", 0);
    assert_harmless(state, "packed.npz", 3); /* the last bytes of an archive are those of its comment, which is empty */
    assert_harmless(state, "stored.npz", 3);
}

/* --- CIFAR --- */

enum { PLANE = 1024 };

/* Records whose pixels tell the channel: 10 x label + 1, 2, 3. */
static void write_records(const char *path, const unsigned char *labels, size_t labels_each, size_t count)
{
    size_t each = labels_each + 3 * PLANE;
    unsigned char *bytes = MEM_ARRAY(unsigned char, count *each);
    for (size_t n = 0; n < count; n++) {
        memcpy(bytes + n * each, labels + n * labels_each, labels_each);
        for (int c = 0; c < 3; c++)
            memset(bytes + n * each + labels_each + c * PLANE, 10 * labels[n * labels_each] + c + 1, PLANE);
    }
    write_bytes(path, bytes, count * each);
    free(bytes);
}

static void cifar_10_is_read_as_files_and_as_a_directory(void **state)
{
    const char *base = *state;
    write_records(path_in(state, "data_batch_1.bin"), (const unsigned char[]){3, 9, 3, 9}, 1, 4);
    assert_int_equal(OPEN(.base = base, .file = "data_batch_1.bin"), 0);
    assert_true(data.count == 4 && data.training == 2 && data.inputs == 3072 && data.classes == 10);
    assert_true(data.shape.rank == 3 && data.shape.size[0] == 32 && data.shape.size[1] == 32 &&
                data.shape.size[2] == 3);
    for (size_t n = 0; n < 4; n++)
        for (int i = 0; i < 6; i++)
            assert_true(data.x[n * 3072 + (size_t)i] == (float)(10 * data.labels[n] + i % 3 + 1));
    write_records(path_in(state, "data_batch_2.bin"), (const unsigned char[]){1}, 1, 1);
    write_records(path_in(state, "test_batch.bin"), (const unsigned char[]){7, 8}, 1, 2);
    assert_int_equal(OPEN(.base = base, .file = "."), 0);
    assert_true(data.count == 5);
    assert_int_equal(OPEN(.base = base, .file = ".", .validation_data = "test"), 0);
    assert_true(data.count == 7 && data.training == 5 && data.labels[4] == 1 && data.labels[5] == 7);
}

static void cifar_100_has_two_labels(void **state)
{
    const char *base = *state;
    write_records(path_in(state, "train.bin"), (const unsigned char[]){3, 90, 3, 91}, 2, 2);
    assert_int_equal(OPEN(.base = base, .file = "train.bin"), 0);
    assert_true(data.classes == 100 && data.labels[0] >= 90);
    assert_int_equal(OPEN(.base = base, .file = "train.bin", .label = "coarse"), 0);
    assert_true(data.classes == 20 && data.labels[0] == 3);
    assert_int_equal(OPEN(.base = base, .file = "train.bin", .label = "rough"), -1);
    assert_has(said.text, "CIFAR-100 has the labels fine and coarse");
    write_records(path_in(state, "test.bin"), (const unsigned char[]){3, 90}, 2, 1);
    assert_int_equal(OPEN(.base = base, .file = ".", .validation_data = "test"), 0);
    assert_true(data.count == 3 && data.training == 2);
    assert_int_equal(OPEN(.base = base, .file = "train.bin", .validation_data = "test"), 0);
    assert_true(data.count == 3 && data.training == 2);
}

static void cifar_10_and_100_don_t_mix_and_have_their_labels(void **state)
{
    const char *base = *state;
    write_records(path_in(state, "ten.bin"), (const unsigned char[]){3, 9}, 1, 2);
    write_records(path_in(state, "hundred.bin"), (const unsigned char[]){3, 90, 3, 91}, 2, 2);
    assert_int_equal(OPEN(.base = base, .file = "ten.bin", .validation_data = "hundred.bin"), -1);
    assert_has(said.text, "hundred.bin: has 100 classes, and the files before it have 10; CIFAR-10 and CIFAR-100");
    assert_int_equal(OPEN(.base = base, .file = "ten.bin", .labels = "ten.bin"), -1);
    assert_has(said.text,
               "ten.bin: CIFAR's files have their labels in them; the option 'labels' is of files of arrays");
    assert_int_equal(
        OPEN(.base = base, .file = "ten.bin", .validation_data = "ten.bin", .validation_labels = "ten.bin"), -1);
    assert_has(said.text, "the option 'validation_labels' is of files of arrays");
}

static void files_that_are_not_cifar_s_are_refused_in_words(void **state)
{
    const char *base = *state;
    write_bytes(path_in(state, "a.bin"), "123", 3);
    assert_int_equal(OPEN(.base = base, .file = "a.bin"), -1);
    assert_has(said.text, "a.bin: has 3 bytes, which is no multiple of 3073 (CIFAR-10) or 3074 (CIFAR-100)");
    write_records(path_in(state, "b.bin"), (const unsigned char[]){3, 11}, 1, 2);
    assert_int_equal(OPEN(.base = base, .file = "b.bin"), -1);
    assert_has(said.text, "b.bin: byte 3073 says class 11; there are 10, from 0");
    mkdir(path_in(state, "d"), 0700);
    assert_int_equal(OPEN(.base = base, .file = "d"), -1);
    assert_has(said.text, "is a directory without data_batch_1.bin");
    assert_int_equal(OPEN(.base = base, .file = "d", .validation_data = "test"), -1);
    assert_int_equal(OPEN(.base = base, .file = "none.bin"), -1);
    assert_has(said.text, "can't open ");
    assert_has(said.text, "none.bin: No such file");
}

/* --- validation data of tables --- */

static void validation_tables_share_the_classes(void **state)
{
    const char *base = *state;
    write_file(path_in(state, "train.csv"), "a,y\n1,cat\n2,dog\n3,cat\n", 0600);
    write_file(path_in(state, "test.csv"), "a,y\n4,dog\n5,cat\n", 0600);
    assert_int_equal(OPEN(.base = base, .file = "train.csv", .validation_data = "test"), 0);
    assert_true(data.count == 5 && data.training == 3 && data.classes == 2);
    assert_true(data.labels[3] == data.labels[1] && data.labels[4] == data.labels[0]);
    assert_int_equal(OPEN(.base = base, .file = "train.csv", .validation_data = "test.csv"), 0);
    assert_int_equal(data.count, 5);
    write_file(path_in(state, "other.csv"), "b,y\n4,dog\n", 0600);
    assert_int_equal(OPEN(.base = base, .file = "train.csv", .validation_data = "other.csv"), -1);
    assert_has(said.text, "other.csv: column 1 is 'b', and that of the other part is 'a'");
    write_file(path_in(state, "wide.csv"), "a,b,y\n4,1,dog\n", 0600);
    assert_int_equal(OPEN(.base = base, .file = "train.csv", .validation_data = "wide.csv"), -1);
    assert_has(said.text, "wide.csv: has 3 columns, and the other part has 2");
    assert_int_equal(OPEN(.base = base, .file = "generate:spirals", .validation_data = "test.csv"), -1);
    assert_has(said.text, "what is made is divided by 'validation'");
}

/* Two images of 2 x 3 pixels, and one of 3 x 2. */
static void validation_images_have_the_same_shape(void **state)
{
    const char *base = *state;
    write_bytes(path_in(state, "x"),
                "\0\0\10\3\0\0\0\2\0\0\0\2\0\0\0\3"
                "abcdefabcdef",
                28);
    write_bytes(path_in(state, "y"), "\0\0\10\1\0\0\0\2\0\1", 10);
    write_bytes(path_in(state, "tx"),
                "\0\0\10\3\0\0\0\1\0\0\0\3\0\0\0\2"
                "abcdef",
                22);
    write_bytes(path_in(state, "ty"), "\0\0\10\1\0\0\0\1\0", 9);
    assert_int_equal(OPEN(.base = base, .file = "x", .labels = "y", .validation_data = "tx", .validation_labels = "ty"),
                     -1);
    assert_has(said.text, "an example of the validation data is 3 x 2, and one of the training data is 2 x 3");
}

static void validation_images_may_say_one_channel_or_no_shape(void **state)
{
    const char *base = *state;
    write_bytes(path_in(state, "x"),
                "\0\0\10\3\0\0\0\2\0\0\0\2\0\0\0\3"
                "abcdefabcdef",
                28);
    write_bytes(path_in(state, "y"), "\0\0\10\1\0\0\0\2\0\1", 10);
    write_bytes(path_in(state, "channel"),
                "\0\0\10\4\0\0\0\1\0\0\0\2\0\0\0\3\0\0\0\1"
                "abcdef",
                26);
    write_bytes(path_in(state, "flat"),
                "\0\0\10\2\0\0\0\1\0\0\0\6"
                "abcdef",
                18);
    write_bytes(path_in(state, "ty"), "\0\0\10\1\0\0\0\1\0", 9);
    for (int i = 0; i < 2; i++) {
        const char *file = i ? "flat" : "channel";
        if (OPEN(.base = base, .file = "x", .labels = "y", .validation_data = file, .validation_labels = "ty"))
            fail_msg("%s", said.text);
        assert_true(data.count == 3 && data.shape.rank == 2 && data.shape.size[1] == 3);
    }
}

/* --- files that change --- */

static _Atomic bool enough;

/* As a program that writes data anew while trainers begin. */
static void *keep_changing(void *path)
{
    for (long n = 1; !enough; n++)
        utimensat(AT_FDCWD, path, (const struct timespec[]){{n, 0}, {n, 0}}, 0);
    return NULL;
}

static void assert_change_is_seen(void **state, const char *file, const char *labels, const char *changing)
{
    pthread_t thread;
    char *path = path_join(*state, changing);
    enough = false;
    assert_int_equal(pthread_create(&thread, NULL, keep_changing, path), 0);
    while (OPEN(.base = *state, .file = file, .labels = labels) == 0) /* until one falls into the reading */
        ;
    enough = true;
    pthread_join(thread, NULL);
    assert_has(said.text, changing);
    assert_has(said.text, ": was changed or replaced while it was read");
    assert_int_equal(OPEN(.base = *state, .file = file, .labels = labels), 0);
    free(path);
}

static void a_file_that_changes_while_it_is_read_is_refused(void **state)
{
    write_file(path_in(state, "a.csv"), "a,y\n1,cat\n2,dog\n3,cat\n4,dog\n", 0600);
    write_bytes(path_in(state, "x.idx"), "\0\0\10\2\0\0\0\4\0\0\0\1abcd", 16);
    write_bytes(path_in(state, "y.idx"), "\0\0\10\1\0\0\0\4\0\1\0\1", 12);
    write_records(path_in(state, "data_batch_1.bin"), (const unsigned char[]){3, 9, 3, 9}, 1, 4);
    assert_change_is_seen(state, "a.csv", "", "a.csv");
    assert_change_is_seen(state, "x.idx", "y.idx", "y.idx");
    assert_change_is_seen(state, ".", "", "data_batch_1.bin");
}

static void an_empty_file_is_said_to_be_one(void **state)
{
    const char *base = *state;
    write_bytes(path_in(state, "e"), "", 0);
    assert_int_equal(OPEN(.base = base, .file = "e"), -1);
    assert_has(said.text, "e: is empty");
}

int main(void)
{
#define CLAIM(name) cmocka_unit_test_setup_teardown(name, enter_scratch, forget)
    const struct CMUnitTest tests[] = {
        CLAIM(every_type_of_numpy_is_read),
        CLAIM(what_is_no_table_of_numbers_is_refused_in_words),
        CLAIM(a_pair_of_numpy_s_files_are_examples),
        CLAIM(labels_that_are_no_classes_are_named_with_their_byte),
        CLAIM(inputs_that_are_no_numbers_are_named_with_their_example),
        CLAIM(labels_from_1_leave_no_class_empty),
        CLAIM(archives_of_arrays_are_read),
        CLAIM(compressed_idx_files_are_read),
        CLAIM(damaged_files_do_no_harm),
        CLAIM(cifar_10_is_read_as_files_and_as_a_directory),
        CLAIM(cifar_100_has_two_labels),
        CLAIM(cifar_10_and_100_don_t_mix_and_have_their_labels),
        CLAIM(files_that_are_not_cifar_s_are_refused_in_words),
        CLAIM(validation_tables_share_the_classes),
        CLAIM(validation_images_have_the_same_shape),
        CLAIM(validation_images_may_say_one_channel_or_no_shape),
        CLAIM(a_file_that_changes_while_it_is_read_is_refused),
        CLAIM(an_empty_file_is_said_to_be_one),
    };
    return cmocka_run_group_tests_name("formats", tests, NULL, NULL);
}
