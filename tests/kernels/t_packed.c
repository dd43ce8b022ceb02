/* Packed datasets: what was packed is there again, and what is damaged in any way is refused with the byte. */
#include "common/pack.h"
#include "tests/claims.h"
#include "worker/data/packed.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char origin[] = "file a.csv: 120 bytes\nscaling: 2\n";

static float x[] = {0.5f, -1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
static int32_t labels[] = {0, 2, 1, 0};
static float targets[] = {1.5f, NAN, -3, 0};

static struct dataset four_examples(void)
{
    return (struct dataset){.count = 4,
                            .training = 3,
                            .inputs = 3,
                            .classes = 3,
                            .shape = {.rank = 2, .size = {3, 1}},
                            .x = x,
                            .labels = labels};
}

/* A new file; its descriptor. */
static int packed_file(const char *path, const struct dataset *data)
{
    struct err err;
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(packed_write(fd, data, DATASET_STANDARD, origin, &err), 0);
    return fd;
}

static void what_is_packed_is_mapped_as_it_was(void **state)
{
    struct dataset data = four_examples(), found;
    struct err err;
    int fd = packed_file(path_in(state, "a"), &data);
    assert_int_equal(packed_map(fd, "a", origin, &found, &err), 0);
    assert_int_equal(found.map_length, packed_length(&data, strlen(origin)));
    assert_int_equal(found.count, 4);
    assert_int_equal(found.training, 3);
    assert_int_equal(found.inputs, 3);
    assert_int_equal(found.classes, 3);
    assert_memory_equal(&found.shape, &data.shape, sizeof found.shape);
    assert_memory_equal(found.x, x, sizeof x);
    assert_memory_equal(found.labels, labels, sizeof labels);
    assert_null(found.targets);
    munmap(found.map, found.map_length);
    close(fd);
}

/* That a file can't be mapped; the sentence. */
static const char *refusal(int fd)
{
    static struct err err;
    struct dataset found;
    assert_int_equal(packed_map(fd, "a", origin, &found, &err), -1);
    assert_null(found.map);
    assert_has(err.text, "byte");
    return err.text;
}

static void lengths_of_sequences_are_kept(void **state)
{
    static int32_t lengths[] = {3, 1, 2, 3};
    struct dataset data = four_examples(), found;
    struct err err;
    data.lengths = lengths;
    data.steps = 3;
    int fd = packed_file(path_in(state, "a"), &data);
    assert_int_equal(packed_map(fd, "a", origin, &found, &err), 0);
    assert_int_equal(found.steps, 3);
    assert_memory_equal(found.labels, labels, sizeof labels);
    assert_memory_equal(found.lengths, lengths, sizeof lengths);
    munmap(found.map, found.map_length);
    close(fd);
    static int32_t bad[] = {3, 4, 2, 3}, worse[] = {3, 1, 0, 3};
    for (int i = 0; i < 2; i++) {
        data.lengths = i ? worse : bad;
        fd = packed_file(path_in(state, "a"), &data);
        assert_has(refusal(fd), i ? "says 0 steps of 3" : "says 4 steps of 3");
        close(fd);
    }
}

static void numbers_to_be_learned_and_missing_ones_are_kept_to_the_bit(void **state)
{
    struct dataset data = four_examples(), found;
    struct err err;
    data.labels = NULL;
    data.targets = targets;
    data.classes = 0;
    data.shape = (struct dataset_shape){0};
    int fd = packed_file(path_in(state, "a"), &data);
    assert_int_equal(packed_map(fd, "a", origin, &found, &err), 0);
    assert_memory_equal(found.targets, targets, sizeof targets);
    assert_null(found.labels);
    munmap(found.map, found.map_length);
    close(fd);
}

static void a_file_that_is_cut_off_at_any_byte_is_refused(void **state)
{
    struct dataset data = four_examples();
    int fd = packed_file(path_in(state, "a"), &data);
    for (long length = (long)packed_length(&data, strlen(origin)) - 1; length >= 0; length--) {
        assert_int_equal(ftruncate(fd, length), 0);
        assert_has(refusal(fd), length < (long)sizeof(struct packed_header) ? "within its header" : "cut off");
    }
    close(fd);
}

static void a_bit_that_flips_anywhere_is_noticed(void **state)
{
    struct dataset data = four_examples();
    int fd = packed_file(path_in(state, "a"), &data);
    long length = (long)packed_length(&data, strlen(origin));
    for (long at = 0; at < length; at++) {
        unsigned char byte, flipped;
        assert_int_equal(pread(fd, &byte, 1, at), 1);
        for (int bit = 0; bit < 8; bit++) {
            flipped = (unsigned char)(byte ^ 1u << bit);
            assert_int_equal(pwrite(fd, &flipped, 1, at), 1);
            refusal(fd);
        }
        assert_int_equal(pwrite(fd, &byte, 1, at), 1);
    }
    struct dataset found;
    struct err err;
    assert_int_equal(packed_map(fd, "a", origin, &found, &err), 0);
    munmap(found.map, found.map_length);
    close(fd);
}

/* Changes a header, and signs it as a forger would. */
static void sign_header(int fd, struct packed_header *header)
{
    struct pack_hash hash = {0};
    header->header = 0;
    pack_hash_add(&hash, header, sizeof *header);
    pack_hash_add(&hash, origin, strlen(origin));
    header->header = pack_hash_value(&hash);
    assert_int_equal(pwrite(fd, header, sizeof *header, 0), sizeof *header);
}

static void a_signed_header_that_can_not_be_is_refused(void **state)
{
    static const struct {
        size_t at;
        uint64_t value;
        const char *said;
    } cases[] = {
        {offsetof(struct packed_header, length), 5, "cut off, or longer"},
        {offsetof(struct packed_header, text), UINT64_MAX, "not the length that its counts"},
        {offsetof(struct packed_header, text), 1 << 20, "not the length that its counts"},
        {offsetof(struct packed_header, scaling), 3, "scaling"},
        {offsetof(struct packed_header, type), 2, "neither labels"},
        {offsetof(struct packed_header, type), 1, "number of classes"},
        {offsetof(struct packed_header, steps), 3, "not the length that its counts"},
        {offsetof(struct packed_header, count), UINT64_MAX, "not the length that its counts"},
        {offsetof(struct packed_header, count), 0, "not the length that its counts"},
        {offsetof(struct packed_header, count), UINT64_MAX / 4 + 2, "not the length that its counts"},
        {offsetof(struct packed_header, training), 0, "empty part"},
        {offsetof(struct packed_header, training), 4, "empty part"},
        {offsetof(struct packed_header, training), UINT64_MAX, "empty part"},
        {offsetof(struct packed_header, inputs), 0, "not the length that its counts"},
        {offsetof(struct packed_header, inputs), (uint64_t)1 << 62, "not the length that its counts"},
        {offsetof(struct packed_header, classes), 1, "number of classes"},
        {offsetof(struct packed_header, classes), UINT64_MAX, "number of classes"},
        {offsetof(struct packed_header, classes), 2, "says class 2 of 2"},
        {offsetof(struct packed_header, rank), 4, "shape"},
        {offsetof(struct packed_header, rank), UINT64_MAX, "shape"},
        {offsetof(struct packed_header, rank), 1, "shape"},
        {offsetof(struct packed_header, size), (uint64_t)1 << 63, "shape"},
        {offsetof(struct packed_header, size) + 8, 2, "shape"},
        {offsetof(struct packed_header, size) + 16, 1, "shape"},
    };
    struct dataset data = four_examples();
    int fd = packed_file(path_in(state, "a"), &data);
    struct packed_header whole, header;
    assert_int_equal(pread(fd, &whole, sizeof whole, 0), sizeof whole);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        header = whole;
        memcpy((char *)&header + cases[i].at, &cases[i].value, sizeof cases[i].value);
        sign_header(fd, &header);
        assert_has(refusal(fd), cases[i].said);
    }
    header = whole;
    header.version++;
    sign_header(fd, &header);
    assert_has(refusal(fd), "another version of gannet (byte 8");
    close(fd);
}

static void a_file_of_other_data_is_refused(void **state)
{
    struct dataset data = four_examples(), found;
    struct err err;
    int fd = packed_file(path_in(state, "a"), &data);
    assert_int_equal(packed_map(fd, "a", "file b.csv: 120 bytes\nscaling: 2\n", &found, &err), -1);
    assert_has(err.text, "is of other data");
    assert_int_equal(packed_map(fd, "a", "file a.csv", &found, &err), -1);
    close(fd);
}

static void a_full_disk_is_said_with_the_size(void **state)
{
    (void)state;
    struct dataset data = four_examples();
    struct err err;
    int full = open("/dev/full", O_RDWR | O_CLOEXEC);
    assert_true(full >= 0);
    assert_int_equal(packed_write(full, &data, DATASET_STANDARD, origin, &err), -1);
    assert_has(err.text, "can't write 0.0 MiB: No space left on device");
    close(full);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_packed_is_mapped_as_it_was, enter_scratch, leave_scratch),
        cmocka_unit_test_setup_teardown(lengths_of_sequences_are_kept, enter_scratch, leave_scratch),
        cmocka_unit_test_setup_teardown(numbers_to_be_learned_and_missing_ones_are_kept_to_the_bit, enter_scratch,
                                        leave_scratch),
        cmocka_unit_test_setup_teardown(a_file_that_is_cut_off_at_any_byte_is_refused, enter_scratch, leave_scratch),
        cmocka_unit_test_setup_teardown(a_bit_that_flips_anywhere_is_noticed, enter_scratch, leave_scratch),
        cmocka_unit_test_setup_teardown(a_signed_header_that_can_not_be_is_refused, enter_scratch, leave_scratch),
        cmocka_unit_test_setup_teardown(a_file_of_other_data_is_refused, enter_scratch, leave_scratch),
        cmocka_unit_test(a_full_disk_is_said_with_the_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
