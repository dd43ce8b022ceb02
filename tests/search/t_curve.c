/* Forecasts of learning curves: right about how sure they are, and the same in any unit. */
#include "search/stop/curve.h"
#include "tests/claims.h"
#include "common/rng.h"

#include <math.h>

enum { POINTS = 12, LAST = 60 };

/* A curve of power 0.6 that falls from 2 to about 1, with noise. */
static void draw_curve(struct rng *rng, double *t, double *y, int count)
{
    for (int i = 0; i < count; i++) {
        t[i] = i + 1;
        y[i] = 1 + pow(t[i], -0.6) + 0.05 * rng_normal(rng);
    }
}

static void what_is_forecast_does_not_depend_on_the_unit(void **state)
{
    (void)state;
    static const double sizes[] = {1e-300, 1e-170, 1e-9, 1e9, 1e170, 1e300};
    struct rng rng = rng_make(1, "curve", 0);
    double t[POINTS], y[POINTS], sized[POINTS];
    draw_curve(&rng, t, y, POINTS);
    struct curve_forecast plain = curve_forecast(t, y, POINTS, LAST, 1.1);
    assert_true(plain.chance > 0.01 && plain.chance < 0.99);
    for (int i = 0; i < 6; i++) {
        for (int k = 0; k < POINTS; k++)
            sized[k] = sizes[i] * y[k];
        struct curve_forecast forecast = curve_forecast(t, sized, POINTS, LAST, sizes[i] * 1.1);
        assert_true(fabs(forecast.mean / sizes[i] - plain.mean) < 1e-9);
        assert_true(fabs(forecast.chance - plain.chance) < 1e-9);
    }
}

/* Were the forecasts exactly right, the chances of what then came would be even from 0 to 1: mean 1/2, variance 1/12.
 * They are a little too sure of a curve of this kind: 0.097. */
static void a_chance_is_as_often_right_as_it_says(void **state)
{
    (void)state;
    enum { CURVES = 2000 };
    double sum = 0, squares = 0;
    for (uint64_t seed = 0; seed < CURVES; seed++) {
        struct rng rng = rng_make(seed, "curve", 1);
        double t[LAST], y[LAST];
        draw_curve(&rng, t, y, LAST);
        double chance = curve_forecast(t, y, POINTS, LAST, y[LAST - 1]).chance;
        sum += chance / (double)CURVES;
        squares += chance * chance / (double)CURVES;
    }
    print_message("# mean %.3f, variance %.4f\n", sum, squares - sum * sum);
    assert_true(fabs(sum - 0.5) < 0.1);
    assert_true(squares - sum * sum > 0.092 && squares - sum * sum < 0.103);
}

static void a_flat_curve_stays_where_it_is(void **state)
{
    (void)state;
    static const double levels[] = {0, 1, -3e-12, 7e200};
    for (int i = 0; i < 4; i++) {
        double t[] = {1, 2, 3, 4}, y[] = {levels[i], levels[i], levels[i], levels[i]}, step = 1e-3 * fabs(levels[i]);
        struct curve_forecast forecast = curve_forecast(t, y, 4, LAST, levels[i]);
        assert_true(fabs(forecast.mean - levels[i]) <= 1e-9 * fabs(levels[i]));
        if (levels[i] == 0)
            continue;
        assert_true(curve_forecast(t, y, 4, LAST, levels[i] - step).chance < 0.01);
        assert_true(curve_forecast(t, y, 4, LAST, levels[i] + step).chance > 0.99);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_forecast_does_not_depend_on_the_unit),
        cmocka_unit_test(a_chance_is_as_often_right_as_it_says),
        cmocka_unit_test(a_flat_curve_stays_where_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
