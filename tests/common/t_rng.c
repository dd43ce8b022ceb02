/* Random numbers: the same for ever on every machine, and without bias. The values were computed by another program
 * from the definitions. */
#include "common/rng.h"
#include "tests/claims.h"

#include <math.h>

static void the_numbers_never_change(void **state)
{
    (void)state;
    struct rng zero = {0}; /* SplitMix64's published sequence */
    assert_true(rng_next(&zero) == 0xe220a8397b1dcdafu);
    assert_true(rng_next(&zero) == 0x6e789e6aa1b965f4u);
    assert_true(rng_next(&zero) == 0x06c45d188009454fu);
    struct rng rng = rng_make(42, "random", 131);
    assert_true(rng_next(&rng) == 0xbc991e173f6a68beu);
    assert_true(rng_next(&rng) == 0x0a9174f39e0e1815u);
    assert_true(rng_next(&rng) == 0x1af90c36f4201b2bu);
    assert_true(rng_mix(0, 0) == 0x171cda715ee0139bu);
    assert_true(rng_mix(1, 2) == 0x22d0d50ac16e72d0u);
}

static void drawn_numbers_never_change(void **state)
{
    (void)state;
    static const uint64_t below[] = {7, 0, 1, 5, 8, 5, 5, 6, 8, 9, 7, 6};
    struct rng rng = rng_make(42, "random", 131);
    assert_true(rng_unit(&rng) == 0.7367113882786868);
    assert_true(rng_unit(&rng) == 0.04128199527445309);
    rng = rng_make(42, "random", 131);
    for (size_t i = 0; i < sizeof below / sizeof *below; i++)
        assert_int_equal(rng_below(&rng, 10), below[i]);
    rng = rng_make(42, "random", 131);
    assert_true(fabs(rng_normal(&rng) - 1.5790602157614089) < 1e-14);
    assert_true(fabs(rng_normal(&rng) - -0.4443016575371523) < 1e-14);
}

static void seeds_streams_and_numbers_make_different_draws(void **state)
{
    (void)state;
    struct rng all[] = {rng_make(1, "a", 1), rng_make(2, "a", 1), rng_make(1, "b", 1), rng_make(1, "a", 2),
                        rng_make(1, "", 1),  rng_make(0, "a", 1), rng_make(1, "a", 0), rng_make(1, "aa", 1)};
    enum { COUNT = sizeof all / sizeof *all };
    for (size_t i = 0; i < COUNT; i++)
        for (size_t j = 0; j < i; j++)
            assert_true(all[i].state != all[j].state);
}

/* The chi-square statistic of counts that ought to be equal has its bins as mean and twice them as variance; beyond six
 * standard deviations it is no chance. The draws are fixed, so the test is too. */
static void assert_even(const unsigned *counts, size_t bins, double draws)
{
    double expected = draws / (double)bins, sum = 0;
    for (size_t i = 0; i < bins; i++)
        sum += (counts[i] - expected) * (counts[i] - expected) / expected;
    assert_true(fabs(sum - (double)(bins - 1)) < 6 * sqrt(2 * (double)bins));
}

static void whole_numbers_are_without_bias(void **state)
{
    (void)state;
    enum { DRAWS = 200000 };
    struct rng rng = rng_make(3, "below", 0);
    for (uint64_t bound = 1; bound < 50; bound += 1 + bound / 4) {
        unsigned counts[64] = {0};
        for (int i = 0; i < DRAWS; i++) {
            uint64_t number = rng_below(&rng, bound);
            assert_true(number < bound);
            counts[number]++;
        }
        assert_even(counts, (size_t)bound, (double)DRAWS);
    }
    /* Where a plain remainder would prefer the lower half two to one. */
    uint64_t bound = (UINT64_MAX / 3) * 2;
    unsigned halves[2] = {0};
    for (int i = 0; i < DRAWS; i++)
        halves[rng_below(&rng, bound) >= bound / 2]++;
    assert_even(halves, 2, (double)DRAWS);
    assert_int_equal(rng_below(&rng, 1), 0);
}

static void reals_are_even_between_0_and_1(void **state)
{
    (void)state;
    enum { DRAWS = 200000, BINS = 50 };
    struct rng rng = rng_make(4, "unit", 0);
    unsigned counts[BINS] = {0};
    for (int i = 0; i < DRAWS; i++) {
        double number = rng_unit(&rng);
        assert_true(number >= 0 && number < 1);
        counts[(int)(number * (double)BINS)]++;
    }
    assert_even(counts, BINS, (double)DRAWS);
}

static void normal_numbers_have_mean_0_and_variance_1(void **state)
{
    (void)state;
    enum { DRAWS = 200000 };
    struct rng rng = rng_make(5, "normal", 0);
    double sum = 0, squares = 0, fourths = 0;
    for (int i = 0; i < DRAWS; i++) {
        double number = rng_normal(&rng);
        assert_true(isfinite(number));
        sum += number;
        squares += number * number;
        fourths += number * number * number * number;
    }
    assert_true(fabs(sum / (double)DRAWS) < 6 / sqrt((double)DRAWS));
    assert_true(fabs(squares / (double)DRAWS - 1) < 6 * sqrt(2.0 / (double)DRAWS));
    assert_true(fabs(fourths / (double)DRAWS - 3) < 6 * sqrt(96.0 / (double)DRAWS));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_numbers_never_change),
        cmocka_unit_test(drawn_numbers_never_change),
        cmocka_unit_test(seeds_streams_and_numbers_make_different_draws),
        cmocka_unit_test(whole_numbers_are_without_bias),
        cmocka_unit_test(reals_are_even_between_0_and_1),
        cmocka_unit_test(normal_numbers_have_mean_0_and_variance_1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
