/* Sets of numbers, as lists and back. */
#include "common/rng.h"
#include "worker/hardware/numbers.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void assert_shows(const char *list, const char *shown)
{
    struct numbers set = {0};
    struct buf out = {0};
    struct err err;
    assert_int_equal(numbers_read(list, &set, &err), 0);
    numbers_show(&set, &out);
    assert_string_equal(buf_str(&out), shown);
    buf_fini(&out);
    numbers_fini(&set);
}

static void neighbours_are_shown_as_ranges(void **state)
{
    (void)state;
    assert_shows("", "");
    assert_shows("7", "7");
    assert_shows("0,1,2,3,8", "0-3,8");
    assert_shows("8,3,2-3,0-1", "0-3,8");
    assert_shows("1,3,5", "1,3,5");
}

static void what_is_no_list_is_refused_with_a_sentence(void **state)
{
    (void)state;
    static const char *const wrong[] = {"a", "1,", ",1", "1-", "3-1", "1 2", "-1", "1-2-3", "99999999999999999999"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct numbers set = {0};
        struct err err = {""};
        assert_int_equal(numbers_read(wrong[i], &set, &err), -1);
        assert_non_null(strstr(err.text, wrong[i]));
        numbers_fini(&set);
    }
}

static void a_set_holds_what_was_added_and_nothing_else(void **state)
{
    (void)state;
    enum { RANGE = 200 };
    struct rng rng = rng_make(1, "numbers", 0);
    bool naive[RANGE] = {false};
    struct numbers set = {0};
    for (int i = 0; i < 100; i++) {
        uint32_t number = (uint32_t)rng_below(&rng, RANGE);
        naive[number] = true;
        numbers_add(&set, number);
    }
    size_t count = 0;
    for (uint32_t i = 0; i < RANGE; i++) {
        assert_int_equal(numbers_has(&set, i), naive[i]);
        count += naive[i];
    }
    assert_int_equal(set.count, count);
    numbers_fini(&set);
}

static void merged_sets_hold_what_either_did(void **state)
{
    (void)state;
    struct numbers a = {0}, b = {0};
    struct buf out = {0};
    numbers_read("0-3,9", &a, NULL);
    numbers_read("3-5", &b, NULL);
    numbers_merge(&a, &b);
    numbers_show(&a, &out);
    assert_string_equal(buf_str(&out), "0-5,9");
    buf_fini(&out);
    numbers_fini(&a);
    numbers_fini(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbours_are_shown_as_ranges),
        cmocka_unit_test(what_is_no_list_is_refused_with_a_sentence),
        cmocka_unit_test(a_set_holds_what_was_added_and_nothing_else),
        cmocka_unit_test(merged_sets_hold_what_either_did),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
