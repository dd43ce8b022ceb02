/* Buffers that grow at their end. */
#include "common/buf.h"
#include "tests/claims.h"

#include <stdlib.h>
#include <string.h>

static void what_is_added_stands_behind_what_was_there(void **state)
{
    (void)state;
    struct buf buf = {0};
    assert_string_equal(buf_str(&buf), "");
    buf_text(&buf, "a");
    buf_add(&buf, "b\0c", 3);
    buf_format(&buf, "-%d", 42);
    assert_int_equal(buf.length, 7);
    assert_memory_equal(buf.data, "ab\0c-42", 8); /* closed by a zero */
    buf_fini(&buf);
    assert_null(buf.data);
}

static void it_grows_past_any_room(void **state)
{
    (void)state;
    struct buf buf = {0};
    for (int i = 0; i < 10000; i++)
        buf_format(&buf, "%04d", i);
    assert_int_equal(buf.length, 40000);
    assert_memory_equal(buf.data + 4 * 1234, "1234", 4);
    assert_string_equal(buf.data + 4 * 9999, "9999");
    buf_fini(&buf);
}

static void adding_nothing_closes_it_with_a_zero(void **state)
{
    (void)state;
    struct buf buf = {0};
    buf_add(&buf, "", 0);
    assert_int_equal(buf.length, 0);
    assert_string_equal(buf.data, "");
    buf_fini(&buf);
}

static void clearing_keeps_the_room(void **state)
{
    (void)state;
    struct buf buf = {0};
    buf_clear(&buf);
    buf_text(&buf, "something");
    size_t capacity = buf.capacity;
    buf_clear(&buf);
    assert_string_equal(buf_str(&buf), "");
    assert_int_equal(buf.capacity, capacity);
    buf_fini(&buf);
}

static void the_front_can_be_dropped(void **state)
{
    (void)state;
    struct buf buf = {0};
    buf_drop(&buf, 0);
    buf_text(&buf, "abcdef");
    buf_drop(&buf, 2);
    assert_string_equal(buf_str(&buf), "cdef");
    buf_drop(&buf, 4);
    assert_string_equal(buf_str(&buf), "");
    buf_fini(&buf);
}

static void the_text_can_be_taken(void **state)
{
    (void)state;
    struct buf buf = {0};
    char *empty = buf_take(&buf);
    assert_string_equal(empty, "");
    buf_text(&buf, "mine");
    char *text = buf_take(&buf);
    assert_string_equal(text, "mine");
    assert_null(buf.data);
    assert_int_equal(buf.length, 0);
    free(empty);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_added_stands_behind_what_was_there),
        cmocka_unit_test(it_grows_past_any_room),
        cmocka_unit_test(adding_nothing_closes_it_with_a_zero),
        cmocka_unit_test(clearing_keeps_the_room),
        cmocka_unit_test(the_front_can_be_dropped),
        cmocka_unit_test(the_text_can_be_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
