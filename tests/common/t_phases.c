/* Phases and the sums of their times. */
#include "common/phases.h"
#include "tests/claims.h"

#include <math.h>
#include <string.h>

static void numbers_never_change(void **state)
{
    (void)state;
    static const char *const names[] = {"queue",      "launch", "data", "forward",   "backward", "update", "evaluation",
                                        "checkpoint", "work",   "idle", "allreduce", "stage",    "compile"};
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
    struct phase_time sum = {0}, none = {0}, more = {.seconds = 4, .count = 2, .min = 1, .max = 3};
    phase_merge(&sum, &none);
    assert_int_equal(sum.count, 0);
    phase_merge(&sum, &more);
    phase_merge(&sum, &none);
    assert_true(sum.seconds == 4 && sum.count == 2 && sum.min == 1 && sum.max == 3);
    phase_add(&sum, 0);
    assert_true(sum.seconds == 4 && sum.count == 3 && sum.min == 0 && sum.max == 3);
}

/* The shares of a sketch are those of the sorted times, to 3.2 %. */
static void quantiles_are_within_a_bucket_of_the_sorted_times(void **state)
{
    (void)state;
    enum { TIMES = 10000 };
    struct phase_sketch sketch = {0};
    struct phase_time time = {.sketch = &sketch};
    for (int i = 0; i < TIMES; i++)
        phase_add(&time, 1e-6 * pow(10, 6.0 * (i * 7919 % TIMES) / TIMES)); /* from 1 us to 1 s */
    phase_close(&time);
    assert_null(time.sketch);
    assert_true(fabs(time.p50 / 1e-3 - 1) < 0.033);
    assert_true(fabs(time.p95 / (1e-6 * pow(10, 5.7)) - 1) < 0.033);
}

static void quantiles_of_odd_times_are_within_least_and_most(void **state)
{
    (void)state;
    static const double odd[] = {0, 1e-300, 1e300, INFINITY};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        struct phase_sketch sketch = {0};
        struct phase_time time = {.sketch = &sketch};
        phase_add(&time, odd[i]);
        phase_close(&time);
        assert_true(time.p50 >= time.min && time.p50 <= time.max && time.p95 >= time.min && time.p95 <= time.max);
    }
}

/* Of a part the quantiles are not those of the whole. */
static void what_was_added_past_the_sketch_leaves_no_quantiles(void **state)
{
    (void)state;
    struct phase_sketch sketch = {0};
    struct phase_time time = {.sketch = &sketch},
                      more = {.seconds = 4, .count = 2, .min = 1, .max = 3, .p50 = 1, .p95 = 3};
    struct phase_time sum = {0};
    phase_merge(&sum, &more);
    assert_true(sum.p50 == 1 && sum.p95 == 3);
    phase_merge(&sum, &more);
    assert_true(sum.p50 == 0 && sum.p95 == 0);
    phase_add(&time, 1);
    phase_merge(&time, &more);
    phase_close(&time);
    assert_true(time.p50 == 0 && time.p95 == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_never_change),
        cmocka_unit_test(every_phase_is_found_by_its_name),
        cmocka_unit_test(times_are_summed_with_count_least_and_most),
        cmocka_unit_test(sums_can_be_merged),
        cmocka_unit_test(quantiles_are_within_a_bucket_of_the_sorted_times),
        cmocka_unit_test(quantiles_of_odd_times_are_within_least_and_most),
        cmocka_unit_test(what_was_added_past_the_sketch_leaves_no_quantiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
