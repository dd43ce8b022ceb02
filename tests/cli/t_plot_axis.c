/* Axes: places, round values, labels. */
#include "cli/plot/axis.h"
#include "common/buf.h"
#include "common/rng.h"
#include "tests/claims.h"

#include <math.h>
#include <string.h>

static void joined(const struct tick *ticks, size_t count, const char *expected)
{
    struct buf out = {0};
    for (size_t i = 0; i < count; i++) {
        buf_text(&out, i ? "|" : "");
        buf_text(&out, ticks[i].label);
    }
    assert_string_equal(buf_str(&out), expected);
    buf_fini(&out);
}

static void has_ticks(double low, double high, enum axis_scale scale, size_t most, const char *expected)
{
    struct axis axis = {low, high, scale};
    struct tick ticks[64];
    joined(ticks, axis_ticks(&axis, most, ticks), expected);
}

static void has_whole_ticks(double low, double high, enum axis_scale scale, size_t most, const char *expected)
{
    struct axis axis = {low, high, scale};
    struct tick ticks[64];
    joined(ticks, axis_whole_ticks(&axis, most, ticks), expected);
}

static void ticks_of_whole_numbers_are_whole(void **state)
{
    (void)state;
    has_whole_ticks(1, 2, AXIS_LINEAR, 6, "1|2");
    has_whole_ticks(0.94, 3.06, AXIS_LINEAR, 6, "1|2|3");
    has_whole_ticks(1, 3, AXIS_LOG, 6, "1|2|3");
    has_whole_ticks(0.9, 1.1, AXIS_LINEAR, 6, "1");
    has_whole_ticks(0, 4e9, AXIS_LINEAR, 5, "0|1e9|2e9|3e9|4e9");
    has_whole_ticks(16, 256, AXIS_LOG, 6, "20|50|100|200");
}

static void ticks_of_a_linear_axis_are_round(void **state)
{
    (void)state;
    has_ticks(0, 1, AXIS_LINEAR, 6, "0.0|0.2|0.4|0.6|0.8|1.0");
    has_ticks(0.07, 0.43, AXIS_LINEAR, 5, "0.1|0.2|0.3|0.4");
    has_ticks(-3, 3, AXIS_LINEAR, 4, "-2|0|2");
    has_ticks(1, 400, AXIS_LINEAR, 5, "100|200|300|400");
    has_ticks(0, 10000, AXIS_LINEAR, 6, "0|2000|4000|6000|8000|10000");
    has_ticks(0.5, 0.5004, AXIS_LINEAR, 5, "0.5000|0.5001|0.5002|0.5003|0.5004");
    has_ticks(0, 4e9, AXIS_LINEAR, 5, "0|1e9|2e9|3e9|4e9");
    has_ticks(0, 4e-7, AXIS_LINEAR, 5, "0|1e-7|2e-7|3e-7|4e-7");
}

static void ticks_of_a_logarithmic_axis_are_powers_of_ten_or_halves_of_them(void **state)
{
    (void)state;
    has_ticks(1e-5, 0.1, AXIS_LOG, 6, "1e-5|0.0001|0.001|0.01|0.1");
    has_ticks(1e-5, 0.1, AXIS_LOG, 3, "0.0001|0.01");
    has_ticks(1, 100, AXIS_LOG, 9, "1|2|5|10|20|50|100");
    has_ticks(2, 9, AXIS_LOG, 5, "2|4|6|8");
    has_ticks(1e-30, 1e30, AXIS_LOG, 5, "1e-20|1|1e20");
}

static void ticks_of_times_are_those_of_clocks(void **state)
{
    (void)state;
    has_ticks(0, 50, AXIS_SECONDS, 6, "0|10 s|20 s|30 s|40 s|50 s");
    has_ticks(0, 600, AXIS_SECONDS, 6, "0|2 min|4 min|6 min|8 min|10 min");
    has_ticks(0, 7 * 3600, AXIS_SECONDS, 5, "0|2 h|4 h|6 h");
    has_ticks(0, 86400 * 20, AXIS_SECONDS, 5, "0|5 d|10 d|15 d|20 d");
    has_ticks(0, 0.4, AXIS_SECONDS, 5, "0|0.1 s|0.2 s|0.3 s|0.4 s");
}

static void places_and_values_are_each_others_way_back(void **state)
{
    (void)state;
    static const struct axis axes[] = {{-3, 5, AXIS_LINEAR}, {1e-5, 10, AXIS_LOG}, {0, 1e9, AXIS_SECONDS}};
    for (size_t i = 0; i < 3; i++) {
        assert_float_equal(axis_place(&axes[i], axes[i].low), 0, 1e-12);
        assert_float_equal(axis_place(&axes[i], axes[i].high), 1, 1e-12);
        for (double place = -0.5; place < 1.5; place += 0.25)
            assert_float_equal(axis_place(&axes[i], axis_value(&axes[i], place)), place, 1e-9);
    }
    assert_true(isnan(axis_place(&axes[1], 0)));
    assert_true(isnan(axis_place(&axes[1], -1)));
    assert_true(isnan(axis_place(&axes[0], NAN)));
}

static void any_values_make_an_axis_of_some_width(void **state)
{
    (void)state;
    static const double values[] = {NAN, -INFINITY, INFINITY, 0, -0.0, 1, -1, 1e-300, 1e300, -1e300, 5e-324, 1.7e308};
    size_t count = sizeof values / sizeof *values;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++)
            for (int scale = 0; scale < 3; scale++) {
                struct axis axis = axis_widen(axis_of(values[i], values[j], (enum axis_scale)scale), 0.05);
                struct tick ticks[8];
                assert_true(axis.low < axis.high && isfinite(axis.low) && isfinite(axis.high));
                assert_true(axis.scale != AXIS_LOG || axis.low > 0);
                assert_in_range(axis_ticks(&axis, 8, ticks), 0, 8);
            }
}

/* Whatever the ends: no more ticks than wanted, in order, within, each label another one. */
static void ticks_stay_within_and_in_order(void **state)
{
    (void)state;
    struct rng rng = rng_make(1, "axis", 0);
    for (int round = 0; round < 3000; round++) {
        double low = pow(10, 12 * rng_unit(&rng) - 6), high = low * (1 + pow(10, 8 * rng_unit(&rng) - 3));
        struct axis axis = axis_of(round % 2 ? low : low - high / 2, high, (enum axis_scale)(round % 3));
        size_t most = 2 + (size_t)round % 9;
        struct tick ticks[16];
        size_t count = axis_ticks(&axis, most, ticks);
        assert_in_range(count, most > 2, most);
        for (size_t i = 0; i < count; i++) {
            assert_true(ticks[i].value >= axis.low && ticks[i].value <= axis.high);
            assert_true(i == 0 || ticks[i].value > ticks[i - 1].value);
            assert_true(i == 0 || strcmp(ticks[i].label, ticks[i - 1].label) != 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ticks_of_a_linear_axis_are_round),
        cmocka_unit_test(ticks_of_a_logarithmic_axis_are_powers_of_ten_or_halves_of_them),
        cmocka_unit_test(ticks_of_times_are_those_of_clocks),
        cmocka_unit_test(ticks_of_whole_numbers_are_whole),
        cmocka_unit_test(places_and_values_are_each_others_way_back),
        cmocka_unit_test(any_values_make_an_axis_of_some_width),
        cmocka_unit_test(ticks_stay_within_and_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
