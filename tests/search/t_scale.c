/* Unit coordinates and natural numbers. */
#include "search/scale.h"
#include "tests/claims.h"
#include "tests/spaces.h"

#include <math.h>

static void near(double number, double expected, double tolerance)
{
    if (!(fabs(number - expected) <= tolerance))
        fail_msg("%.17g is not near %.17g", number, expected);
}

static struct param_scale scale_of(struct param param)
{
    struct param_scale scale;
    struct err err = {{0}};
    param.name = (char[]){"x"};
    if (param_check(&param, &err))
        fail_msg("%s", err.text);
    scale_init(&scale, &param);
    return scale;
}

static struct param range(enum param_kind kind, double min, double max, bool log, double step)
{
    return (struct param){.kind = kind, .min = min, .max = max, .log = log, .step = step};
}

/* How many of `total` evenly spread coordinates give this number. */
static int share(const struct param_scale *scale, double natural, int total)
{
    int count = 0;
    for (int i = 0; i < total; i++)
        count += scale_natural(scale, (i + 0.5) / total) == natural;
    return count;
}

/* A value survives the way to the unit cube and back, and so does the coordinate that it gets. */
static void comes_back(const struct param_scale *scale, double unit)
{
    double natural = scale_natural(scale, unit);
    double canonical = scale_unit(scale, natural);
    assert_true(canonical >= 0 && canonical <= 1);
    if (scale_natural(scale, canonical) != natural)
        fail_msg("%.17g comes back as %.17g (range %.17g to %.17g)", natural, scale_natural(scale, canonical),
                 scale->min, scale->max);
    assert_true(scale_unit(scale, scale_natural(scale, canonical)) == canonical);
    assert_true(natural >= scale->min && natural <= scale->max);
    if (scale->whole)
        assert_true(natural == floor(natural));
}

static void all_come_back(struct param param)
{
    struct param_scale scale = scale_of(param);
    struct rng rng = rng_make(7, "scale", 0);
    comes_back(&scale, 0);
    comes_back(&scale, 1);
    comes_back(&scale, nextafter(1, 0));
    comes_back(&scale, 1e-18);
    for (int i = 0; i < 3000; i++)
        comes_back(&scale, rng_unit(&rng));
    scale_fini(&scale);
}

static void values_of_ranges_come_back(void **state)
{
    (void)state;
    all_come_back(range(PARAM_REAL, 0, 1, false, 0));
    all_come_back(range(PARAM_REAL, 1e-5, 1e-1, true, 0));
    all_come_back(range(PARAM_REAL, -3.3, 17.1, false, 0.7));
    all_come_back(range(PARAM_INT, 1, 1000000, true, 0));
    all_come_back(range(PARAM_INT, 32, 512, false, 32));
    all_come_back(range(PARAM_REAL, 5, 5, false, 0));
    all_come_back(range(PARAM_REAL, 1e-5, 1e-5, true, 0));
}

static void values_of_extreme_ranges_come_back(void **state)
{
    (void)state;
    all_come_back(range(PARAM_REAL, 1e-300, 1e300, true, 0));
    all_come_back(range(PARAM_REAL, 5e-324, 1e-300, true, 0));
    all_come_back(range(PARAM_REAL, -8e307, 8e307, false, 0));
    all_come_back(range(PARAM_REAL, 1e9, 1e9 + 1, false, 0));
    all_come_back(range(PARAM_REAL, 0, 5e-324, false, 0));
    all_come_back(range(PARAM_REAL, 0.1234567890123456, 0.1234567890123457, false, 0));
    all_come_back(range(PARAM_REAL, 1e-30, 2e-30, false, 1e-32));
    all_come_back(range(PARAM_REAL, 0, 1e15, false, 1));
}

static void integers_up_to_two_to_the_53_come_back(void **state)
{
    (void)state;
    all_come_back(range(PARAM_INT, 0x1p53 - 10, 0x1p53, false, 0));
    all_come_back(range(PARAM_INT, 0x1p53 - 10, 0x1p53, true, 0));
    all_come_back(range(PARAM_INT, -0x1p53, 0x1p53, false, 0));
    all_come_back(range(PARAM_INT, 1, 0x1p53, true, 0));
    all_come_back(range(PARAM_INT, 1, 0x1p40, true, 0));
    all_come_back(range(PARAM_INT, -0x1p39, 0x1p39, false, 3));
}

static void values_of_normals_come_back(void **state)
{
    (void)state;
    struct param param = {.kind = PARAM_NORMAL, .min = -INFINITY, .max = INFINITY, .mean = 0, .stddev = 1};
    for (double stddev = 1e-6; stddev < 1e7; stddev *= 7.3)
        for (double mean = -1000; mean < 1001; mean += 250) {
            param.mean = mean;
            param.stddev = stddev;
            param.log = fabs(mean) + 5 * stddev < 700;
            all_come_back(param);
            param.log = false;
            all_come_back(param);
        }
}

/* Numbers that land on the ends after rounding, or are rounded past them. */
static void every_kind_of_random_parameter_comes_back(void **state)
{
    (void)state;
    struct rng rng = rng_make(3, "scale", 1);
    for (int i = 0; i < 2000; i++) {
        double min = rng_normal(&rng) * pow(10, (double)rng_below(&rng, 30) - 15);
        double width = rng_unit(&rng) * pow(10, (double)rng_below(&rng, 30) - 15);
        bool log = rng_below(&rng, 2);
        min = log ? fabs(min) : min;
        struct param param = range(PARAM_REAL, min, min + width, log, rng_below(&rng, 2) ? width * rng_unit(&rng) : 0);
        struct param_scale scale = scale_of(param);
        for (int k = 0; k < 30; k++)
            comes_back(&scale, rng_unit(&rng));
        comes_back(&scale, 0);
        comes_back(&scale, 1);
        scale_fini(&scale);
    }
}

static void every_integer_is_equally_likely(void **state)
{
    (void)state;
    struct param_scale scale = scale_of(range(PARAM_INT, -3, 3, false, 0));
    for (int i = -3; i <= 3; i++)
        assert_int_equal(share(&scale, i, 7000), 1000);
    scale_fini(&scale);
}

/* P(k) = log((k + 1/2) / (k - 1/2)) / log(8.5 / 0.5) */
static void logarithmic_integers_fill_half_a_step_around_them(void **state)
{
    (void)state;
    struct param_scale scale = scale_of(range(PARAM_INT, 1, 8, true, 0));
    for (int k = 1; k <= 8; k++)
        near(share(&scale, k, 100000), 100000 * log((k + 0.5) / (k - 0.5)) / log(17), 2);
    scale_fini(&scale);
}

static void logarithmic_reals_are_even_in_the_logarithm(void **state)
{
    (void)state;
    struct param_scale scale = scale_of(range(PARAM_REAL, 1e-5, 1e-1, true, 0));
    near(scale_natural(&scale, 0.25), 1e-4, 1e-15);
    near(scale_natural(&scale, 0.5), 1e-3, 1e-14);
    assert_true(scale_natural(&scale, 0) == 1e-5);
    assert_true(scale_natural(&scale, 1) == 1e-1);
    assert_true(scale_natural(&scale, scale_unit(&scale, 3e-4)) == 3e-4);
    scale_fini(&scale);
}

static void a_step_that_does_not_divide_ends_below_max(void **state)
{
    (void)state;
    struct param_scale scale = scale_of(range(PARAM_REAL, 0, 1, false, 0.3));
    assert_int_equal(scale.levels, 4);
    assert_true(scale_natural(&scale, 1) == 0.9);
    assert_true(scale_natural(&scale, 0.3) == 0.3);
    assert_true(scale_unit(&scale, 1) == scale_unit(&scale, 0.9));
    scale_fini(&scale);
    scale = scale_of(range(PARAM_INT, 1, 10, false, 4));
    assert_int_equal(scale.levels, 3);
    assert_true(scale_at(&scale, 2) == 9);
    scale_fini(&scale);
}

static void a_step_of_a_tenth_divides_and_reads_well(void **state)
{
    (void)state;
    struct param_scale scale = scale_of(range(PARAM_REAL, 0, 0.6, false, 0.1));
    assert_int_equal(scale.levels, 7);
    const double expected[] = {0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6};
    for (uint64_t i = 0; i < 7; i++)
        assert_true(scale_at(&scale, i) == expected[i]);
    scale_fini(&scale);
}

static void weights_are_the_shares_of_choices(void **state)
{
    (void)state;
    struct value values[] = {value_of_int(1), value_of_int(2), value_of_int(3)};
    double weights[] = {1, 2, 5};
    struct param param = {.kind = PARAM_CHOICE, .values = values, .count = 3, .weights = weights};
    struct param_scale scale = scale_of(param);
    for (int i = 0; i < 3; i++)
        assert_int_equal(share(&scale, i, 8000), 1000 * (int)weights[i]);
    for (uint64_t i = 0; i < 3; i++)
        assert_int_equal(scale_level(&scale, scale_middle(&scale, i)), i);
    scale_fini(&scale);
}

static void a_normal_has_its_quantiles(void **state)
{
    (void)state;
    struct param param = {.kind = PARAM_NORMAL, .min = -INFINITY, .max = INFINITY, .mean = 10, .stddev = 2};
    struct param_scale scale = scale_of(param);
    near(scale_natural(&scale, 0.5), 10, 1e-6);
    near(scale_natural(&scale, 0.8413447460685429), 12, 1e-4);
    near(scale_natural(&scale, 0.0227501319481792), 6, 1e-4);
    assert_true(scale_natural(&scale, 1) == 20 && scale_natural(&scale, 0) == 0);
    scale_fini(&scale);
    param.log = true;
    param.mean = log(100);
    param.stddev = 0.1;
    scale = scale_of(param);
    near(scale_natural(&scale, 0.5), 100, 1e-5);
    scale_fini(&scale);
}

/* Half of a normal above its mean has its median where the whole has its upper quartile. */
static void a_truncated_normal_keeps_its_shape(void **state)
{
    (void)state;
    struct param param = {.kind = PARAM_NORMAL, .min = 0, .max = INFINITY, .mean = 0, .stddev = 1};
    struct param_scale scale = scale_of(param);
    near(scale_natural(&scale, 0.5), 0.6744897501960817, 1e-6);
    assert_true(scale_natural(&scale, 0) == 0);
    scale_fini(&scale);
}

static void too_many_integers_are_continuous_but_stay_whole(void **state)
{
    (void)state;
    struct param_scale scale = scale_of(range(PARAM_INT, 0, 0x1p50, false, 0));
    assert_int_equal(scale.levels, 0);
    for (int i = 0; i < 1000; i++)
        assert_true(scale_natural(&scale, i / 999.0) == floor(scale_natural(&scale, i / 999.0)));
    scale_fini(&scale);
}

static void no_coordinate_and_no_number_does_harm(void **state)
{
    (void)state;
    const double bad[] = {NAN, INFINITY, -INFINITY, -1, 2, 1e300, -1e300, -0.0};
    struct value values[] = {value_of_int(1), value_of_int(2)};
    double weights[] = {1, 2};
    const struct param params[] = {range(PARAM_REAL, 0, 1, false, 0),
                                   range(PARAM_REAL, 1, 2, true, 0.1),
                                   range(PARAM_INT, 1, 10, true, 0),
                                   range(PARAM_INT, 0, 0x1p52, false, 0),
                                   {.kind = PARAM_CHOICE, .values = values, .count = 2, .weights = weights}};
    for (size_t p = 0; p < sizeof params / sizeof *params; p++) {
        struct param_scale scale = scale_of(params[p]);
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
            double natural = scale_natural(&scale, bad[i]), unit = scale_unit(&scale, bad[i]);
            assert_true(natural >= scale.min && natural <= scale.max);
            assert_true(unit >= 0 && unit <= 1);
        }
        scale_fini(&scale);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_ranges_come_back),
        cmocka_unit_test(values_of_extreme_ranges_come_back),
        cmocka_unit_test(integers_up_to_two_to_the_53_come_back),
        cmocka_unit_test(values_of_normals_come_back),
        cmocka_unit_test(every_kind_of_random_parameter_comes_back),
        cmocka_unit_test(every_integer_is_equally_likely),
        cmocka_unit_test(logarithmic_integers_fill_half_a_step_around_them),
        cmocka_unit_test(logarithmic_reals_are_even_in_the_logarithm),
        cmocka_unit_test(a_step_that_does_not_divide_ends_below_max),
        cmocka_unit_test(a_step_of_a_tenth_divides_and_reads_well),
        cmocka_unit_test(weights_are_the_shares_of_choices),
        cmocka_unit_test(a_normal_has_its_quantiles),
        cmocka_unit_test(a_truncated_normal_keeps_its_shape),
        cmocka_unit_test(too_many_integers_are_continuous_but_stay_whole),
        cmocka_unit_test(no_coordinate_and_no_number_does_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
