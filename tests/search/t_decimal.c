/* Rounding to decimals. */
#include "search/decimal.h"
#include "tests/claims.h"
#include "common/rng.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void the_exponent_is_that_of_the_first_digit(void **state)
{
    (void)state;
    assert_int_equal(decimal_exponent(1), 0);
    assert_int_equal(decimal_exponent(9.99), 0);
    assert_int_equal(decimal_exponent(-1000), 3);
    assert_int_equal(decimal_exponent(0.0025), -3);
    assert_int_equal(decimal_exponent(1e-300), -300);
    assert_true(decimal_exponent(0) < decimal_exponent(5e-324));
}

static void what_binary_fractions_add_is_taken_off(void **state)
{
    (void)state;
    assert_true(decimal_round(0.1 + 0.2, -15) == 0.3);
    assert_true(decimal_round(3 * 0.1, -10) == 0.3);
    assert_true(decimal_round(0.123456789, -3) == 0.123);
    assert_true(decimal_round(12345, 2) == 12300);
    assert_true(decimal_round(1e300, -5) == 1e300);
}

static void zero_never_becomes_minus_zero(void **state)
{
    (void)state;
    assert_false(signbit(decimal_round(-0.0001, -2)));
    assert_false(signbit(decimal_round(0, -400)));
    assert_true(decimal_round(0, 300) == 0);
}

/* Also beyond 10^22, where powers of ten are not exact. */
static void a_rounded_number_is_the_one_that_its_text_reads_as(void **state)
{
    (void)state;
    struct rng rng = rng_make(1, "decimal", 0);
    for (int i = 0; i < 20000; i++) {
        int magnitude = (int)rng_below(&rng, 600) - 300;
        double number = rng_normal(&rng) * pow(10, magnitude);
        int digits = 1 + (int)rng_below(&rng, 14);
        char text[64];
        snprintf(text, sizeof text, "%.*e", digits - 1, number);
        double rounded = decimal_round(number, decimal_exponent(number) - digits + 1);
        /* A number exactly between two decimals may go either way. */
        if (rounded != strtod(text, NULL))
            assert_true(fabs(rounded - number) <= 0.5000001 * pow(10, decimal_exponent(number) - digits + 1));
        assert_true(decimal_round(rounded, decimal_exponent(number) - digits + 1) == rounded);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_exponent_is_that_of_the_first_digit),
        cmocka_unit_test(what_binary_fractions_add_is_taken_off),
        cmocka_unit_test(zero_never_becomes_minus_zero),
        cmocka_unit_test(a_rounded_number_is_the_one_that_its_text_reads_as),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
