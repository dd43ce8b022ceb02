/* What a rank hears of a state that rank 0 tells: a whole one, one that is cut off, and lengths that no piece has. */
#include "common/pack.h"
#include "tests/claims.h"
#include "worker/trainer/gang_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBERS = 3, CALLS = 8, ROOM = 1 << 16 };

/* What is broadcast, call by call; behind the last one nothing changes, as of a peer that has nothing more to say. */
struct told {
    struct {
        const void *bytes;
        size_t length;
    } calls[CALLS];
    size_t count, heard;
};

static void broadcast_told(void *self, uint32_t root, void *bytes, size_t length)
{
    struct told *told = self;
    assert_int_equal(root, 0);
    assert_true(length <= ROOM);
    assert_true(told->heard < 1000); /* nobody listens for ever */
    size_t at = told->heard++;
    if (at >= told->count)
        return;
    assert_int_equal(length, told->calls[at].length);
    memcpy(bytes, told->calls[at].bytes, length);
}

static const struct collective_kind told_kind = {.name = "told", .broadcast = broadcast_told};

static void tell(struct told *told, const void *bytes, size_t length)
{
    assert_true(told->count < CALLS);
    told->calls[told->count].bytes = bytes;
    told->calls[told->count++].length = length;
}

/* A kernel whose state is three numbers. */
static int resume_numbers(void *self, int64_t step, struct pack_reader *in, struct err *err)
{
    (void)step;
    pack_take(in, self, NUMBERS, sizeof(double));
    return pack_end(in, err);
}

static const struct kernel numbers_kernel = {.resume = resume_numbers};

/* 0, or -1 with a sentence, as the kernel says. */
static int hear(struct told *told, double *numbers, struct err *err)
{
    struct rank_gang gang = {.kernel = &numbers_kernel, .self = numbers, .collective = {&told_kind, told, 1, 2}};
    return gang_hear_state(&gang, 7, err);
}

static const double saved[NUMBERS] = {1.5, -2, 1e300};

/* What a kernel with these numbers saves. free() it. */
static char *save_numbers(size_t *length)
{
    char *bytes = NULL;
    struct pack_writer out = {.file = open_memstream(&bytes, length)};
    assert_non_null(out.file);
    pack_add(&out, saved, NUMBERS, sizeof *saved);
    fclose(out.file);
    return bytes;
}

static void a_state_is_heard_in_pieces(void **state)
{
    (void)state;
    struct told told = {.count = 0};
    struct err err;
    double numbers[NUMBERS] = {0};
    size_t whole;
    char *bytes = save_numbers(&whole);
    const uint64_t length = whole, part = 11, rest = whole - part;
    tell(&told, &length, sizeof length);
    tell(&told, &part, sizeof part);
    tell(&told, bytes, part);
    tell(&told, &rest, sizeof rest);
    tell(&told, bytes + part, rest);
    assert_int_equal(hear(&told, numbers, &err), 0);
    assert_memory_equal(numbers, saved, sizeof saved);
    assert_int_equal(told.heard, told.count);
    free(bytes);
}

static void a_state_whose_end_does_not_come_is_refused(void **state)
{
    (void)state;
    struct told told = {.count = 0};
    struct err err;
    double numbers[NUMBERS];
    static const uint64_t whole = 32, nothing = 0;
    tell(&told, &whole, sizeof whole);
    tell(&told, &nothing, sizeof nothing);
    assert_int_equal(hear(&told, numbers, &err), -1);
}

static void a_piece_that_has_no_room_is_refused(void **state)
{
    (void)state;
    static const uint64_t lengths[] = {ROOM + 1, UINT64_MAX, (uint64_t)1 << 63};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        struct told told = {.count = 0};
        struct err err;
        double numbers[NUMBERS];
        tell(&told, &lengths[i], sizeof lengths[i]);
        tell(&told, &lengths[i], sizeof lengths[i]);
        assert_int_equal(hear(&told, numbers, &err), -1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_state_is_heard_in_pieces),
        cmocka_unit_test(a_state_whose_end_does_not_come_is_refused),
        cmocka_unit_test(a_piece_that_has_no_room_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
