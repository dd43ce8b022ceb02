/* Phases and the sums of their times. */
#include "common/phases.h"
#include "tests/claims.h"

#include <string.h>

static void numbers_never_change(void **state)
{
    (void)state;
    static const char *const names[] = {"queue",  "launch",     "data",       "forward", "backward",
                                        "update", "evaluation", "checkpoint", "work",    "idle"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        assert_string_equal(phase_name((enum phase)i), names[i]);
}

static void every_phase_is_found_by_its_name(void **state)
{
    (void)state;
    for (int i = 0; i < PHASES_COUNT; i++) {
        assert_int_equal(phase_named(phase_name((enum phase)i)), i);
        assert_true(strlen(phase_help((enum phase)i)) > 0);
    }
    assert_int_equal(phase_named("training"), -1);
}

static void times_are_summed_with_count_least_and_most(void **state)
{
    (void)state;
    struct phase_time time = {0};
    phase_add(&time, 2);
    phase_add(&time, 0.5);
    phase_add(&time, 1);
    assert_true(time.seconds == 3.5 && time.count == 3 && time.min == 0.5 && time.max == 2);
}

static void sums_can_be_merged(void **state)
{
    (void)state;
    struct phase_time sum = {0}, none = {0}, more = {4, 2, 1, 3};
    phase_merge(&sum, &none);
    assert_int_equal(sum.count, 0);
    phase_merge(&sum, &more);
    phase_merge(&sum, &none);
    assert_true(sum.seconds == 4 && sum.count == 2 && sum.min == 1 && sum.max == 3);
    phase_add(&sum, 0);
    assert_true(sum.seconds == 4 && sum.count == 3 && sum.min == 0 && sum.max == 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_never_change),
        cmocka_unit_test(every_phase_is_found_by_its_name),
        cmocka_unit_test(times_are_summed_with_count_least_and_most),
        cmocka_unit_test(sums_can_be_merged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
