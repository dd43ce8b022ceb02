/* Files of HDF5 as examples: every type of number, chunks, groups, what is refused in words, damage. They are made here
 * by libhdf5. `t_hdf5 FILE` makes one of three classes, for tests/e2e. */
#include "tests/claims.h"

#ifdef HAVE_HDF5
#include "tests/kernels/hdf5_files.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

/* 16 bits of IEEE 754, as h5py writes numpy's float16. */
static hid_t make_half(void)
{
    hid_t half = H5Tcopy(H5T_IEEE_F32LE);
    H5Tset_fields(half, 15, 10, 5, 0, 10);
    H5Tset_size(half, 2);
    H5Tset_ebias(half, 15);
    return half;
}

/* --- numbers --- */

static int read_values(const char *path, struct array *array, char **name)
{
    said.text[0] = '\0';
    return hdf5_read(array, path, (const char *const[]){"a", NULL}, name, &said);
}

static void assert_converts(const char *path, hid_t type, const double *values, size_t count)
{
    struct array array;
    char *name;
    hid_t file = make_file(path);
    add_set(file, "a", type, H5T_NATIVE_DOUBLE, SIZES(count), H5P_DEFAULT, values);
    H5Fclose(file);
    if (read_values(path, &array, &name))
        fail_msg("%s", said.text);
    assert_true(array.rank == 1 && array.size[0] == count);
    for (size_t i = 0; i < count; i++)
        if (array.values[i] != (float)values[i])
            fail_msg("%zu bytes: %g is %g", H5Tget_size(type), values[i], (double)array.values[i]);
    array_fini(&array);
    free(name);
}

static void numbers_of_any_width_and_order_of_bytes_are_read(void **state)
{
    const char *path = path_in(state, "a.h5");
    const hid_t unsigned_types[] = {H5T_STD_U8LE,  H5T_STD_U16LE, H5T_STD_U16BE, H5T_STD_U32LE,
                                    H5T_STD_U32BE, H5T_STD_U64LE, H5T_STD_U64BE};
    const hid_t signed_types[] = {H5T_STD_I8LE,  H5T_STD_I16LE, H5T_STD_I16BE, H5T_STD_I32LE,
                                  H5T_STD_I32BE, H5T_STD_I64LE, H5T_STD_I64BE};
    const hid_t float_types[] = {H5T_IEEE_F32LE, H5T_IEEE_F32BE, H5T_IEEE_F64LE, H5T_IEEE_F64BE, H5T_NATIVE_LDOUBLE};
    for (size_t i = 0; i < 7; i++) {
        assert_converts(path, unsigned_types[i], (const double[]){0, 1, 254}, 3);
        assert_converts(path, signed_types[i], (const double[]){-128, -1, 127}, 3);
    }
    for (size_t i = 0; i < 5; i++)
        assert_converts(path, float_types[i], (const double[]){-1.5, 0, 0x1p-20, 1e30f}, 4);
    hid_t half = make_half();
    assert_converts(path, half, (const double[]){1.5, -0x1p-14, 65504}, 3);
    H5Tclose(half);
}

/* h5py's bool is an enumeration of two names. */
static void truth_values_are_numbers(void **state)
{
    const char *path = path_in(state, "a.h5");
    struct array array;
    char *name;
    hid_t type = H5Tenum_create(H5T_STD_I8LE), file = make_file(path);
    H5Tenum_insert(type, "FALSE", &(signed char){0});
    H5Tenum_insert(type, "TRUE", &(signed char){1});
    add_set(file, "a", type, type, SIZES(3), H5P_DEFAULT, "\1\0\1");
    H5Tclose(type);
    H5Fclose(file);
    if (read_values(path, &array, &name))
        fail_msg("%s", said.text);
    assert_true(array.values[0] == 1 && array.values[1] == 0 && array.values[2] == 1);
    array_fini(&array);
    free(name);
}

/* --- examples --- */

static void data_sets_of_the_usual_names_are_examples(void **state)
{
    static const char *const names[][2] = {{"x", "y"}, {"X", "labels"}, {"data", "targets"}, {"images", "label"}};
    for (size_t i = 0; i < 4; i++) {
        hid_t file = make_file(path_in(state, "a.h5"));
        add_examples(file, names[i][0], names[i][1]);
        H5Fclose(file);
        assert_int_equal(OPEN(.base = *state, .file = "a.h5"), 0);
        assert_true(data.count == 4 && data.inputs == 3 && data.classes == 2 && data.training == 2);
    }
}

static void chunks_that_are_compressed_are_images(void **state)
{
    hid_t file = make_file(path_in(state, "a.h5")), how = H5Pcreate(H5P_DATASET_CREATE);
    unsigned char pixels[5 * 4 * 3];
    for (size_t i = 0; i < sizeof pixels; i++)
        pixels[i] = (unsigned char)(i * 4);
    H5Pset_chunk(how, 3, SIZES(2, 3, 2));
    H5Pset_shuffle(how);
    H5Pset_deflate(how, 9);
    add_set(file, "images", H5T_STD_U8LE, H5T_NATIVE_UCHAR, SIZES(5, 4, 3), how, pixels);
    add_set(file, "labels", H5T_STD_U8LE, H5T_NATIVE_UCHAR, SIZES(5), H5P_DEFAULT, "\0\1\2\1\0");
    H5Pclose(how);
    H5Fclose(file);
    assert_int_equal(OPEN(.base = *state, .file = "a.h5", .validation_data = "a.h5"), 0);
    assert_true(data.count == 10 && data.training == 5 && data.classes == 3);
    assert_true(data.shape.rank == 2 && data.shape.size[0] == 4 && data.shape.size[1] == 3);
    for (size_t i = 0; i < 60; i++)
        assert_true(data.x[i] == (float)(i * 4) && data.x[60 + i] == data.x[i]);
}

static void data_sets_in_groups_have_a_test_part(void **state)
{
    hid_t file = make_file(path_in(state, "a.h5"));
    add_examples(file, "train/img", "train/class");
    add_examples(file, "test/img", "test/class");
    add_examples(file, "x_train", "y_train");
    add_examples(file, "x_test", "y_test");
    H5Fclose(file);
    assert_int_equal(OPEN(.base = *state, .file = "a.h5", .array = "train/img", .label = "/train/class"), 0);
    assert_int_equal(data.count, 4);
    assert_int_equal(
        OPEN(.base = *state, .file = "a.h5", .array = "train/img", .label = "train/class", .validation_data = "test"),
        0);
    assert_true(data.count == 8 && data.training == 4);
    assert_int_equal(OPEN(.base = *state, .file = "a.h5", .validation_data = "test"), 0);
    assert_true(data.count == 8 && data.training == 4);
}

/* As libhdf5 does while it writes; readers hold it together. */
static void a_file_that_is_being_written_is_refused(void **state)
{
    hid_t file = make_file(path_in(state, "a.h5"));
    add_examples(file, "x", "y");
    H5Fclose(file);
    int fd = open(path_in(state, "a.h5"), O_RDONLY | O_CLOEXEC);
    assert_int_equal(flock(fd, LOCK_EX), 0);
    assert_int_equal(OPEN(.base = *state, .file = "a.h5"), -1);
    assert_has(said.text, "a.h5: another process has it open for writing; begin again when that has closed it");
    assert_int_equal(flock(fd, LOCK_SH), 0);
    assert_int_equal(OPEN(.base = *state, .file = "a.h5"), 0);
    close(fd);
}

static void labels_may_be_in_a_file_of_their_own(void **state)
{
    hid_t x = make_file(path_in(state, "train_x.h5")), y = make_file(path_in(state, "train_y.h5"));
    add_set(x, "x", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, SIZES(4, 3), H5P_DEFAULT, four);
    add_set(y, "y", H5T_STD_I8LE, H5T_NATIVE_INT, SIZES(4, 1, 1, 1), H5P_DEFAULT, classes);
    H5Fclose(x);
    H5Fclose(y);
    assert_int_equal(OPEN(.base = *state, .file = "train_x.h5", .labels = "train_y.h5"), 0);
    assert_true(data.count == 4 && data.classes == 2);
    assert_int_equal(OPEN(.base = *state, .file = "train_x.h5"), -1);
    assert_has(said.text,
               "train_x.h5: has no data set 'y_train', nor one of the other usual names; it has: x (4 x 3, float32)");
}

/* --- refusals --- */

static void assert_refused(void **state, const char *sentence)
{
    assert_int_equal(OPEN(.base = *state, .file = "a.h5"), -1);
    assert_has(said.text, "a.h5: ");
    assert_has(said.text, sentence);
    assert_null(strchr(said.text, '\n'));
}

/* Of a file with labels, and these inputs of no number. */
static void assert_type_refused(void **state, hid_t type, const char *words)
{
    hid_t file = make_file(path_in(state, "a.h5"));
    add_set(file, "x", type, type, SIZES(4), H5P_DEFAULT, NULL);
    H5Fclose(file);
    assert_refused(state, words);
    assert_has(said.text, "real numbers are read");
}

static void what_is_no_number_is_refused_in_words(void **state)
{
    hid_t text = H5Tcopy(H5T_C_S1), any = H5Tcopy(H5T_C_S1), pair = H5Tcreate(H5T_COMPOUND, 8);
    hid_t rows = H5Tvlen_create(H5T_STD_I8LE), opaque = H5Tcreate(H5T_OPAQUE, 4);
    hid_t wide = H5Tcopy(H5T_STD_I64LE), square = H5Tarray_create2(H5T_IEEE_F32LE, 1, SIZES(3));
    H5Tset_size(text, 5);
    H5Tset_size(any, H5T_VARIABLE);
    H5Tinsert(pair, "r", 0, H5T_IEEE_F32LE);
    H5Tinsert(pair, "i", 4, H5T_IEEE_F32LE);
    H5Tset_size(wide, 16);
    assert_type_refused(state, text, "'x' has elements that are texts");
    assert_type_refused(state, any, "'x' has elements that are texts");
    assert_type_refused(state, pair, "'x' has elements that are compounds");
    assert_type_refused(state, rows, "'x' has elements that are rows of any length");
    assert_type_refused(state, opaque, "'x' has elements that are opaque bytes");
    assert_type_refused(state, wide, "'x' has elements that are int128");
    assert_type_refused(state, square, "'x' has elements that are arrays");
    assert_type_refused(state, H5T_STD_REF_OBJ, "'x' has elements that are references");
    const hid_t made[] = {text, any, pair, rows, opaque, wide, square};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        H5Tclose(made[i]);
}

/* b.h5 has x, and each of these would lead to it, or to a file of raw bytes. */
static void other_files_are_never_opened(void **state)
{
    hid_t file = make_file(path_in(state, "b.h5"));
    add_examples(file, "x", "y");
    H5Fclose(file);

    file = make_file(path_in(state, "a.h5"));
    H5Lcreate_external("b.h5", "/x", file, "x", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_external("b.h5", "/", file, "there", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/there/x", file, "soft", H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(file);
    assert_refused(state, "'x' is a link to another file, which is not followed");
    assert_int_equal(OPEN(.base = *state, .file = "a.h5", .array = "there/x"), -1);
    assert_has(said.text, "'there/x' is a link to another file");
    assert_int_equal(OPEN(.base = *state, .file = "a.h5", .array = "soft"), -1);
    assert_has(said.text, "'soft' is a link to another file");
    assert_int_equal(OPEN(.base = *state, .file = "a.h5", .array = "z"), -1);
    assert_has(said.text, "it has: there (a link to another file), x (a link to another file)");

    hid_t how = H5Pcreate(H5P_DATASET_CREATE);
    file = make_file(path_in(state, "a.h5"));
    H5Pset_external(how, "/etc/passwd", 0, 12);
    add_set(file, "x", H5T_STD_U8LE, H5T_NATIVE_UCHAR, SIZES(4, 3), how, NULL);
    H5Pclose(how);
    H5Fclose(file);
    assert_refused(state, "'x' has its elements in other files, which are not looked into (external storage)");

    hid_t space = H5Screate_simple(2, SIZES(4, 3), NULL);
    how = H5Pcreate(H5P_DATASET_CREATE);
    file = make_file(path_in(state, "a.h5"));
    H5Pset_virtual(how, space, "b.h5", "/x", space);
    add_set(file, "x", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, SIZES(4, 3), how, NULL);
    H5Pclose(how);
    H5Sclose(space);
    H5Fclose(file);
    assert_refused(state, "'x' has its elements in other files, which are not looked into (a virtual data set)");
    assert_int_equal(OPEN(.base = *state, .file = "a.h5", .array = "z"), -1);
    assert_has(said.text, "it has: x (in other files)");
}

static void shapes_that_can_t_be_are_refused(void **state)
{
    hid_t file = make_file(path_in(state, "a.h5")), how = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(how, 2, SIZES(1000000000, 1));
    add_set(file, "x", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, SIZES(1000000000000, 1000000), how, NULL);
    add_set(file, "X", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, SIZES(1, 1, 1, 1, 1, 1, 1, 1, 1), H5P_DEFAULT, four);
    hid_t none = H5Screate(H5S_NULL);
    H5Dclose(H5Dcreate2(file, "none", H5T_IEEE_F32LE, none, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Sclose(none);
    H5Pclose(how);
    H5Fclose(file);
    assert_refused(state, "of the 1000000000 chunks of 'x' 0 were written");
    assert_int_equal(OPEN(.base = *state, .file = "a.h5", .array = "X"), -1);
    assert_has(said.text, "'X' has 9 dimensions; up to 8 are read");
    assert_int_equal(OPEN(.base = *state, .file = "a.h5", .array = "none"), -1);
    assert_has(said.text, "'none' has no elements");
}

/* 2^40 numbers of which each chunk is compressed to a few bytes would be 4 TiB. */
static void more_than_the_memory_is_refused_before_it_is_taken(void **state)
{
    struct array array = {.name = "a", .rank = 2, .size = {1ull << 40, 1}, .type.size = 4};
    (void)state;
    assert_int_equal(array_check_memory(&array, &said), -1);
    assert_has(said.text, "a: 1099511627776 x 1 values of 4 bytes take 4096.0 GiB of memory as floats");
}

static void what_was_never_written_is_no_data(void **state)
{
    hid_t file = make_file(path_in(state, "a.h5")), how = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(how, 2, SIZES(2, 3));
    add_set(file, "x", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, SIZES(4, 3), H5P_DEFAULT, NULL);
    add_set(file, "X", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, SIZES(4, 3), how, NULL);
    hid_t set = H5Dopen2(file, "X", H5P_DEFAULT), space = H5Dget_space(set),
          rows = H5Screate_simple(2, SIZES(2, 3), NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, (const hsize_t[]){0, 0}, NULL, SIZES(2, 3), NULL);
    H5Dwrite(set, H5T_NATIVE_FLOAT, rows, space, H5P_DEFAULT, four);
    H5Sclose(rows);
    H5Sclose(space);
    H5Dclose(set);
    H5Pclose(how);
    H5Fclose(file);
    assert_refused(state, "'x' has a shape of 48 bytes, and 0 were written");
    assert_int_equal(OPEN(.base = *state, .file = "a.h5", .array = "X"), -1);
    assert_has(said.text, "of the 2 chunks of 'X' 1 were written");
}

static void a_name_that_is_not_there_lists_those_that_are(void **state)
{
    hid_t file = make_file(path_in(state, "a.h5")), text = H5Tcopy(H5T_C_S1);
    H5Tset_size(text, 5);
    add_set(file, "names", text, text, SIZES(7), H5P_DEFAULT, NULL);
    add_set(file, "train/images", H5T_STD_U8LE, H5T_NATIVE_FLOAT, SIZES(4, 3), H5P_DEFAULT, four);
    add_set(file, "one", H5T_IEEE_F64BE, H5T_NATIVE_FLOAT, (const hsize_t[]){0}, H5P_DEFAULT, four);
    H5Tclose(text);
    H5Fclose(file);
    assert_refused(state, "has no data set 'x_train', nor one of the other usual names; it has: names (7, texts), one "
                          "(float64), train/images (4 x 3, uint8)");
    assert_int_equal(OPEN(.base = *state, .file = "a.h5", .array = "train"), -1);
    assert_has(said.text, "has no data set 'train'; it has: ");
    file = make_file(path_in(state, "a.h5"));
    H5Lcreate_soft("/nowhere", file, "x", H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(file);
    assert_refused(state, "'x' can't be opened: the file is damaged, or the link leads nowhere (libhdf5: ");
}

static void without_its_module_the_error_says_what_to_install(void **state)
{
    hid_t file = make_file(path_in(state, "a.h5"));
    add_examples(file, "x", "y");
    H5Fclose(file);
    char *usual = getenv("GANNET_HDF5_MODULE");
    setenv("GANNET_HDF5_MODULE", "/nowhere/hdf5.so", 1);
    assert_refused(state, "is an HDF5 file: this gannet was built without libhdf5 (there is no /nowhere/hdf5.so); "
                          "install Debian's package libhdf5-dev (Rocky: hdf5-devel) and build gannet again");
    setenv("GANNET_HDF5_MODULE", "libm.so.6", 1);
    assert_has(said.text, "libhdf5");
    setenv("GANNET_HDF5_MODULE", usual, 1);
}

int main(void)
{
    use_built_module();
#define CLAIM(name) cmocka_unit_test_setup_teardown(name, enter_scratch, forget)
    const struct CMUnitTest tests[] = {
        CLAIM(numbers_of_any_width_and_order_of_bytes_are_read),
        CLAIM(truth_values_are_numbers),
        CLAIM(data_sets_of_the_usual_names_are_examples),
        CLAIM(chunks_that_are_compressed_are_images),
        CLAIM(data_sets_in_groups_have_a_test_part),
        CLAIM(a_file_that_is_being_written_is_refused),
        CLAIM(labels_may_be_in_a_file_of_their_own),
        CLAIM(what_is_no_number_is_refused_in_words),
        CLAIM(other_files_are_never_opened),
        CLAIM(shapes_that_can_t_be_are_refused),
        CLAIM(more_than_the_memory_is_refused_before_it_is_taken),
        CLAIM(what_was_never_written_is_no_data),
        CLAIM(a_name_that_is_not_there_lists_those_that_are),
        CLAIM(without_its_module_the_error_says_what_to_install),
    };
    return cmocka_run_group_tests_name("hdf5", tests, NULL, NULL);
}

#else

static void files_of_hdf5_are_read(void **state)
{
    (void)state;
    skip_because("libhdf5 is not here, so reading HDF5 files was not tried: apt-get install libhdf5-dev");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(files_of_hdf5_are_read)};
    return cmocka_run_group_tests_name("hdf5", tests, NULL, NULL);
}
#endif
