/* Files of arrays in the formats that people have: IDX, NPY, NPZ; whole, damaged, and forged. t_data_files.c has those
 * that are several files. */
#include "common/buf.h"
#include "common/mem.h"
#include "common/path.h"
#include "tests/claims.h"
#include "tests/data_source.h"
#include "worker/data/bytes.h"
#include "worker/data/npy.h"

#include <stdlib.h>
#include <string.h>

static struct dataset data;
static struct err said;

static int forget(void **state)
{
    dataset_close(&data);
    return leave_scratch(state);
}

#define OPEN(...) data_source_open(&data, (struct dataset_source){__VA_ARGS__}, &said)

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
    data_source_write(path_in(state, "a.npy"), file->data, file->length);
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

static void write_npy(void **state, const char *name, const char *shape, const void *elements, size_t length)
{
    struct buf file = {0};
    char *header = mem_format("{'descr': '|u1', 'fortran_order': False, 'shape': (%s), }\n", shape);
    make_npy(&file, 1, header, elements, length);
    data_source_write(path_in(state, name), file.data, file.length);
    free(header);
    buf_fini(&file);
}

/* Labels of the training part are no others' because there are as many. */
static void a_test_part_has_labels_of_its_own(void **state)
{
    write_npy(state, "train_x.npy", "4, 1", "abcd", 4);
    write_npy(state, "test_x.npy", "4, 1", "efgh", 4);
    write_npy(state, "y.npy", "4,", "\0\1\0\1", 4);
    assert_int_equal(OPEN(.base = *state, .file = "train_x.npy", .labels = "y.npy", .validation_data = "test"), -1);
    assert_has(said.text, "y.npy: has no test part, as its name has no 'train' in it");
    write_npy(state, "train_y.npy", "4,", "\0\1\0\1", 4);
    write_npy(state, "test_y.npy", "4,", "\1\0\0\0", 4);
    assert_int_equal(OPEN(.base = *state, .file = "train_x.npy", .labels = "train_y.npy", .validation_data = "test"),
                     0);
    assert_true(data.training == 4 && data.labels[4] == 1 && data.labels[7] == 0);
}

static void labels_that_are_no_classes_are_named_with_their_byte(void **state)
{
    struct buf file = {0};
    make_npy(&file, 1, "{'descr': '<i4', 'fortran_order': False, 'shape': (4,)}",
             "\0\0\0\0\1\0\0\0\xff\xff\xff\xff\1\0\0\0", 16);
    data_source_write(path_in(state, "y.npy"), file.data, file.length);
    char *x = path_absolute("tests/data/examples/x.npy");
    assert_int_equal(OPEN(.base = *state, .file = x, .labels = "y.npy"), -1);
    assert_has(said.text, "y.npy: element 2 is -1 (at byte 73); labels are classes, whole numbers from 0 to 999");
    make_npy(&file, 1, "{'descr': '<i2', 'fortran_order': False, 'shape': (3,)}", "\0\0\1\0\0\0", 6);
    data_source_write(path_in(state, "y.npy"), file.data, file.length);
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
    data_source_write(path_in(state, "x.npy"), file.data, file.length);
    make_npy(&file, 1, "{'descr': '|u1', 'fortran_order': False, 'shape': (2,)}", "\0\1", 2);
    data_source_write(path_in(state, "y.npy"), file.data, file.length);
    assert_int_equal(OPEN(.base = *state, .file = "x.npy", .labels = "y.npy"), -1);
    assert_has(said.text, "x.npy: example 1 (element [1, 0, 1]) is nan (at byte ");
    buf_fini(&file);
}

/* As those of SVHN (1 to 10) and EMNIST's letters (1 to 26). */
static void labels_from_1_leave_no_class_empty(void **state)
{
    struct buf file = {0};
    make_npy(&file, 1, "{'descr': '|u1', 'fortran_order': False, 'shape': (4,)}", "\1\3\2\1", 4);
    data_source_write(path_in(state, "y.npy"), file.data, file.length);
    make_npy(&file, 1, "{'descr': '|u1', 'fortran_order': False, 'shape': (4,)}", "\2\0\3\3", 4);
    data_source_write(path_in(state, "v.npy"), file.data, file.length);
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
        data_source_write(path_in(state, "cut"), file.data, length);
        if (OPEN(.base = *state, .file = "cut", .labels = "cut") == 0)
            fail_msg("%s is read of which %zu bytes are there", name, length);
        assert_true(*said.text != '\0');
    }
    for (size_t at = 0; at < file.length; at++) {
        file.data[at] = (char)(file.data[at] ^ 0x55);
        data_source_write(path_in(state, "cut"), file.data, file.length);
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

int main(void)
{
#define CLAIM(name) cmocka_unit_test_setup_teardown(name, enter_scratch, forget)
    const struct CMUnitTest tests[] = {
        CLAIM(every_type_of_numpy_is_read),
        CLAIM(what_is_no_table_of_numbers_is_refused_in_words),
        CLAIM(a_pair_of_numpy_s_files_are_examples),
        CLAIM(a_test_part_has_labels_of_its_own),
        CLAIM(labels_that_are_no_classes_are_named_with_their_byte),
        CLAIM(inputs_that_are_no_numbers_are_named_with_their_example),
        CLAIM(labels_from_1_leave_no_class_empty),
        CLAIM(archives_of_arrays_are_read),
        CLAIM(compressed_idx_files_are_read),
        CLAIM(damaged_files_do_no_harm),
    };
    return cmocka_run_group_tests_name("formats", tests, NULL, NULL);
}
