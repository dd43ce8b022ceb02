/* Nested uniform scrambling. */
#include "search/simple/owen.h"
#include "common/map.h"
#include "common/rng.h"
#include "tests/claims.h"

/* Flips must not depend on what is below a digit. */
static void numbers_that_agree_above_still_agree_above(void **state)
{
    (void)state;
    struct rng rng = rng_make(1, "owen", 0);
    for (int i = 0; i < 100000; i++) {
        uint32_t seed = (uint32_t)rng_next(&rng), a = (uint32_t)rng_next(&rng);
        unsigned digits = 1 + (unsigned)rng_below(&rng, 31);
        uint32_t b = a ^ ((uint32_t)rng_next(&rng) >> digits);
        assert_int_equal(owen_scramble(a, seed) >> (32 - digits), owen_scramble(b, seed) >> (32 - digits));
    }
}

static void different_numbers_stay_different(void **state)
{
    (void)state;
    struct map seen = {0};
    for (uint32_t i = 0; i < 100000; i++)
        assert_null(map_put(&seen, owen_scramble(i * 42949u, 7), &seen));
    map_fini(&seen);
}

static void each_digit_is_flipped_half_of_the_time(void **state)
{
    (void)state;
    struct rng rng = rng_make(2, "owen", 0);
    uint32_t flipped[32] = {0};
    for (int i = 0; i < 10000; i++) {
        uint32_t x = (uint32_t)rng_next(&rng), flips = x ^ owen_scramble(x, (uint32_t)rng_next(&rng));
        for (int bit = 0; bit < 32; bit++)
            flipped[bit] += flips >> bit & 1;
    }
    for (int bit = 0; bit < 32; bit++)
        assert_in_range(flipped[bit], 4700, 5300); /* 5000, standard deviation 50 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_that_agree_above_still_agree_above),
        cmocka_unit_test(different_numbers_stay_different),
        cmocka_unit_test(each_digit_is_flipped_half_of_the_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
