/* The virtual clock of benchmarks: what comes next, how long trials take, and when results are counted. */
#include "cli/bench/virtual_clock.h"
#include "cli/bench/simulate.h"
#include "tests/claims.h"

static void the_earliest_comes_first_and_then_the_lowest_number(void **state)
{
    (void)state;
    struct agenda agenda = {0};
    struct agenda_entry entry, last = {-1, 0, NULL};
    for (uint64_t i = 1000; i > 0; i--)
        agenda_add(&agenda, (struct agenda_entry){(double)(i * 7919 % 101), i, NULL});
    for (size_t left = 1000; left > 0; left--) {
        assert_true(agenda_next(&agenda, &entry));
        assert_true(entry.time > last.time || (entry.time == last.time && entry.trial > last.trial));
        last = entry;
    }
    assert_false(agenda_next(&agenda, &entry));
    agenda_fini(&agenda);
}

static void counts_go_on_for_ever(void **state)
{
    (void)state;
    const uint64_t expected[] = {10, 25, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000, 100000};
    uint64_t count = 0;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_int_equal(count = simulate_next_count(count), expected[i]);
    assert_true(simulate_next_count(UINT64_MAX - 1) == UINT64_MAX);
}

static void durations_have_the_mean_that_was_asked_for(void **state)
{
    (void)state;
    enum { DRAWS = 20000 };
    for (int kind = 0; kind < DURATION_KINDS; kind++) {
        struct durations durations = {(enum duration_kind)kind, 60};
        double sum = 0;
        for (uint64_t trial = 1; trial <= DRAWS; trial++)
            sum += durations_draw(&durations, 7, trial);
        assert_float_equal(sum / (float)DRAWS, 60, 1.5);
        assert_true(durations_draw(&durations, 7, 3) == durations_draw(&durations, 7, 3));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_earliest_comes_first_and_then_the_lowest_number),
        cmocka_unit_test(counts_go_on_for_ever),
        cmocka_unit_test(durations_have_the_mean_that_was_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
