/* The set against a plain table of what is in it. */
#include "common/set.h"
#include "common/rng.h"
#include "tests/claims.h"

static void an_empty_set_has_nothing(void **state)
{
    (void)state;
    struct set set = {0};
    assert_false(set_has(&set, 0));
    assert_false(set_has(&set, 7));
    set_fini(&set);
}

static void nought_is_a_number_like_others(void **state)
{
    (void)state;
    struct set set = {0};
    set_add(&set, 0);
    set_add(&set, 0);
    assert_true(set_has(&set, 0));
    assert_false(set_has(&set, 1));
    assert_int_equal(set.count, 1);
    set_fini(&set);
}

static void it_has_what_was_added_and_nothing_else(void **state)
{
    (void)state;
    enum { NUMBERS = 5000 };
    for (unsigned shape = 0; shape < 3; shape++) {
        bool model[NUMBERS] = {false};
        struct set set = {0};
        struct rng rng = rng_make(shape, "set", 0);
        for (int round = 0; round < NUMBERS; round++) {
            size_t number = rng_below(&rng, NUMBERS);
            model[number] = true;
            set_add(&set, shape == 0 ? number : shape == 1 ? number << 32 : rng_mix(number, 0));
        }
        size_t count = 0;
        for (size_t number = 0; number < NUMBERS; count += model[number++])
            assert_int_equal(set_has(&set, shape == 0   ? number
                                           : shape == 1 ? number << 32
                                                        : rng_mix(number, 0)),
                             model[number]);
        assert_int_equal(set.count, count);
        set_fini(&set);
    }
}

static void a_number_takes_19_bytes_at_most(void **state)
{
    (void)state;
    struct set set = {0};
    for (uint64_t i = 1; i <= 100000; i++) {
        set_add(&set, rng_mix(i, 0));
        assert_true(i < 16 || set.capacity * sizeof *set.places <= 8 * 16 * i / 7 + 8 * 2);
    }
    set_fini(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_set_has_nothing),
        cmocka_unit_test(nought_is_a_number_like_others),
        cmocka_unit_test(it_has_what_was_added_and_nothing_else),
        cmocka_unit_test(a_number_takes_19_bytes_at_most),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
