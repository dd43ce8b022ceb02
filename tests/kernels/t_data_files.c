/* Data that are several files: CIFAR's, those of validation, and files that change while they are read. */
#include "common/mem.h"
#include "common/path.h"
#include "tests/claims.h"
#include "tests/data_source.h"

#include <fcntl.h>
#include <pthread.h>
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

#define OPEN(...) data_source_open(&data, (struct dataset_source){__VA_ARGS__}, &said)

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
    data_source_write(path, bytes, count * each);
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
    data_source_write(path_in(state, "a.bin"), "123", 3);
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
    write_file(path_in(state, "bare.csv"), "a,y\n", 0600); /* the other part is not divided in its place */
    assert_int_equal(OPEN(.base = base, .file = "train.csv", .validation_data = "bare.csv"), -1);
    assert_has(said.text, "bare.csv: has no example, only a header");
    assert_int_equal(OPEN(.base = base, .file = "bare.csv", .validation_data = "train.csv"), -1);
    assert_has(said.text, "bare.csv: has no example, only a header");
    data_source_write(path_in(state, "train.csv.gz"), "\x1f\x8b\x08", 3);
    assert_int_equal(OPEN(.base = base, .file = "train.csv.gz"), -1);
    assert_has(said.text, "train.csv.gz: is a compressed table; these are read unpacked");
    assert_int_equal(OPEN(.base = base, .file = "generate:spirals", .validation_data = "test.csv"), -1);
    assert_has(said.text, "what is made is divided by 'validation'");
}

/* Two images of 2 x 3 pixels, and one of 3 x 2. */
static void validation_images_have_the_same_shape(void **state)
{
    const char *base = *state;
    data_source_write(path_in(state, "x"),
                      "\0\0\10\3\0\0\0\2\0\0\0\2\0\0\0\3"
                      "abcdefabcdef",
                      28);
    data_source_write(path_in(state, "y"), "\0\0\10\1\0\0\0\2\0\1", 10);
    data_source_write(path_in(state, "tx"),
                      "\0\0\10\3\0\0\0\1\0\0\0\3\0\0\0\2"
                      "abcdef",
                      22);
    data_source_write(path_in(state, "ty"), "\0\0\10\1\0\0\0\1\0", 9);
    assert_int_equal(OPEN(.base = base, .file = "x", .labels = "y", .validation_data = "tx", .validation_labels = "ty"),
                     -1);
    assert_has(said.text, "an example of the validation data is 3 x 2, and one of the training data is 2 x 3");
}

static void validation_images_may_say_one_channel_or_no_shape(void **state)
{
    const char *base = *state;
    data_source_write(path_in(state, "x"),
                      "\0\0\10\3\0\0\0\2\0\0\0\2\0\0\0\3"
                      "abcdefabcdef",
                      28);
    data_source_write(path_in(state, "y"), "\0\0\10\1\0\0\0\2\0\1", 10);
    data_source_write(path_in(state, "channel"),
                      "\0\0\10\4\0\0\0\1\0\0\0\2\0\0\0\3\0\0\0\1"
                      "abcdef",
                      26);
    data_source_write(path_in(state, "flat"),
                      "\0\0\10\2\0\0\0\1\0\0\0\6"
                      "abcdef",
                      18);
    data_source_write(path_in(state, "ty"), "\0\0\10\1\0\0\0\1\0", 9);
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
    data_source_write(path_in(state, "x.idx"), "\0\0\10\2\0\0\0\4\0\0\0\1abcd", 16);
    data_source_write(path_in(state, "y.idx"), "\0\0\10\1\0\0\0\4\0\1\0\1", 12);
    write_records(path_in(state, "data_batch_1.bin"), (const unsigned char[]){3, 9, 3, 9}, 1, 4);
    assert_change_is_seen(state, "a.csv", "", "a.csv");
    assert_change_is_seen(state, "x.idx", "y.idx", "y.idx");
    assert_change_is_seen(state, ".", "", "data_batch_1.bin");
}

static void an_empty_file_is_said_to_be_one(void **state)
{
    const char *base = *state;
    data_source_write(path_in(state, "e"), "", 0);
    assert_int_equal(OPEN(.base = base, .file = "e"), -1);
    assert_has(said.text, "e: is empty");
}

int main(void)
{
#define CLAIM(name) cmocka_unit_test_setup_teardown(name, enter_scratch, forget)
    const struct CMUnitTest tests[] = {
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
    return cmocka_run_group_tests_name("data_files", tests, NULL, NULL);
}
