/* Hypervolume, expected improvement and scalarisation, against brute force. */
#include "tests/claims.h"
#include "search/pareto/chebyshev.h"
#include "search/pareto/ehvi.h"
#include "search/pareto/hypervolume.h"
#include "common/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 5, MOST = 40, MOST_OBJECTIVES = 5 };

/* --- hypervolume --- */

/* How many unit cells of the cube of this side points on the lattice dominate. */
static double count_cells(const double *points, size_t n, uint32_t m)
{
    int cells = 1, dominated = 0;
    for (uint32_t k = 0; k < m; k++)
        cells *= SIDE;
    for (int cell = 0; cell < cells; cell++) {
        bool found = false;
        for (size_t i = 0; i < n && !found; i++) {
            found = true;
            for (uint32_t k = 0, rest = (uint32_t)cell; k < m; k++, rest /= SIDE)
                found = found && points[i * m + k] <= rest % SIDE;
        }
        dominated += found;
    }
    return dominated;
}

/* Points on the lattice, some beyond the reference or without a value. */
static void draw(struct rng *rng, double *points, size_t n, uint32_t m)
{
    for (size_t i = 0; i < n * m; i++)
        points[i] = rng_below(rng, 50) ? (double)rng_below(rng, SIDE + 1) : NAN;
}

static const double lattice_reference[MOST_OBJECTIVES] = {(double)SIDE, (double)SIDE, (double)SIDE, (double)SIDE,
                                                          (double)SIDE};

static void the_volume_is_the_number_of_dominated_cells(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 300; seed++) {
        struct rng rng = rng_make(seed, "cells", 0);
        uint32_t m = 1 + (uint32_t)rng_below(&rng, MOST_OBJECTIVES);
        size_t n = rng_below(&rng, MOST + 1);
        double points[MOST * MOST_OBJECTIVES];
        draw(&rng, points, n, m);
        assert_true(hypervolume_measure(points, n, m, lattice_reference) == count_cells(points, n, m));
    }
}

static void a_reference_lies_beyond_the_front(void **state)
{
    (void)state;
    const double points[] = {0, 10, 10, 0, 5, 5, 99, 99, NAN, 1};
    double reference[2];
    hypervolume_reference(points, 5, 2, reference);
    assert_true(fabs(reference[0] - 11) < 1e-12 && fabs(reference[1] - 11) < 1e-12);
    hypervolume_reference(points, 0, 2, reference);
    assert_true(reference[0] == 1 && reference[1] == 1);
    hypervolume_reference((double[]){3, 4}, 1, 2, reference);
    assert_true(reference[0] > 3 && reference[1] > 4);
}

static void the_reference_of_one_point_is_as_far_as_its_losses_are_large(void **state)
{
    (void)state;
    static const double sizes[] = {1e-9, 1, 1e9};
    double reference[2];
    for (int i = 0; i < 3; i++) {
        hypervolume_reference((double[]){3 * sizes[i], -4 * sizes[i]}, 1, 2, reference);
        assert_true(fabs(reference[0] / sizes[i] - 3.3) < 1e-9 && fabs(reference[1] / sizes[i] + 3.6) < 1e-9);
    }
    hypervolume_reference((double[]){0, 0}, 1, 2, reference);
    assert_true(reference[0] > 0 && reference[1] > 0);
}

/* --- expected improvement --- */

/* By how much the volume of a front with two objectives grows when a point joins. */
static double gain_of(const double *front, size_t n, const double *reference, const double *point)
{
    double both[2 * MOST];
    memcpy(both, front, 2 * n * sizeof *front);
    memcpy(both + 2 * n, point, 2 * sizeof *point);
    return hypervolume_measure(both, n + 1, 2, reference) - hypervolume_measure(front, n, 2, reference);
}

/* The mean of the gain over many draws. */
static double expect_by_draws(const double *front, size_t n, const double *reference, const double *mean,
                              const double *stddev)
{
    enum { SIDES = 400 };
    double sum = 0;
    for (int i = 0; i < SIDES; i++)
        for (int j = 0; j < SIDES; j++) {
            struct rng rng = rng_make((uint64_t)i, "draws", (uint64_t)j);
            double point[] = {mean[0] + stddev[0] * rng_normal(&rng), mean[1] + stddev[1] * rng_normal(&rng)};
            sum += gain_of(front, n, reference, point);
        }
    return sum / (double)SIDES / (double)SIDES;
}

static void expected_improvement_is_the_mean_gain(void **state)
{
    (void)state;
    const double points[] = {0, 4, 1, 3, 3, 1, 2, 3.5, 4.5, .5, .2, 9, NAN, 0};
    const double reference[] = {5, 5};
    const double cases[][4] = {{2, 2, 1, 1}, {4, 4, 1, .5}, {-1, 0, .1, 2}, {6, 6, 2, 2}, {1, 3, .01, .01}};
    double front[14];
    size_t count = ehvi_front(points, 7, reference, front);
    assert_int_equal(count, 4);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double exact = ehvi_expect(front, count, reference, cases[i], cases[i] + 2, NULL);
        double drawn = expect_by_draws(front, count, reference, cases[i], cases[i] + 2);
        assert_true(fabs(exact - drawn) < .02 * exact + .002); /* 160,000 draws: below 1 % */
    }
}

static void certain_losses_improve_by_their_gain(void **state)
{
    (void)state;
    const double front[] = {0, 4, 1, 3, 3, 1}, reference[] = {5, 5}, certain[] = {0, 0};
    for (uint64_t seed = 0; seed < 50; seed++) {
        struct rng rng = rng_make(seed, "certain", 0);
        double point[] = {6 * rng_unit(&rng) - 1, 6 * rng_unit(&rng) - 1};
        double gain = gain_of(front, 3, reference, point);
        assert_true(fabs(ehvi_expect(front, 3, reference, point, certain, NULL) - gain) < 1e-12);
    }
}

static void its_gradient_is_that_of_differences(void **state)
{
    (void)state;
    const double front[] = {0, 4, 1, 3, 3, 1}, reference[] = {5, 5}, step = 1e-5;
    for (uint64_t seed = 0; seed < 30; seed++) {
        struct rng rng = rng_make(seed, "gradient", 0);
        double at[] = {5 * rng_unit(&rng), 5 * rng_unit(&rng), .1 + rng_unit(&rng), .1 + rng_unit(&rng)};
        double gradient[4];
        ehvi_expect(front, 3, reference, at, at + 2, gradient);
        for (int i = 0; i < 4; i++) {
            double up[4], down[4];
            memcpy(up, at, sizeof up);
            memcpy(down, at, sizeof down);
            up[i] += step;
            down[i] -= step;
            double slope = (ehvi_expect(front, 3, reference, up, up + 2, NULL) -
                            ehvi_expect(front, 3, reference, down, down + 2, NULL)) /
                           (2 * step);
            assert_true(fabs(slope - gradient[i]) < 1e-6 * (1 + fabs(slope)));
        }
    }
}

static void without_a_front_everything_below_the_reference_counts(void **state)
{
    (void)state;
    const double reference[] = {5, 5}, mean[] = {3, 2}, certain[] = {0, 0};
    assert_true(fabs(ehvi_expect(NULL, 0, reference, mean, certain, NULL) - 6) < 1e-12);
}

/* --- scalarisation --- */

static void weights_are_even_on_the_simplex(void **state)
{
    (void)state;
    enum { DRAWS = 20000 };
    int below = 0;
    for (uint64_t i = 0; i < DRAWS; i++) {
        double weights[3];
        chebyshev_draw(i * 0x9e3779b97f4a7c15u, 3, weights);
        assert_true(weights[0] > 0 && weights[1] > 0 && weights[2] > 0);
        assert_true(fabs(weights[0] + weights[1] + weights[2] - 1) < 1e-12);
        below += weights[0] < .5; /* the tip above holds a quarter of the triangle */
    }
    assert_true(fabs(below - .75 * (double)DRAWS) < 5 * sqrt((double)DRAWS * .75 * .25));
}

/* A front with a dent in the middle, which sums of weighted losses never reach. */
static void every_point_of_the_front_is_best_for_some_weights(void **state)
{
    (void)state;
    const double points[] = {0, 10, 4, 7, 6, 6, 7, 4, 10, 0, 9, 9};
    double low[2], high[2];
    chebyshev_scale(points, 6, 2, low, high);
    assert_true(low[0] == 0 && high[0] == 10 && low[1] == 0 && high[1] == 10);
    bool best[6] = {false};
    for (uint64_t i = 0; i < 1000; i++) {
        double weights[2], least = INFINITY;
        int at = 0;
        chebyshev_draw(i * 0x9e3779b97f4a7c15u, 2, weights);
        for (int j = 0; j < 6; j++) {
            double loss = chebyshev_loss(points + 2 * j, 2, weights, low, high);
            if (loss < least)
                least = loss, at = j;
        }
        best[at] = true;
    }
    for (int j = 0; j < 5; j++)
        assert_true(best[j]);
    assert_false(best[5]);
}

static void scales_of_odd_losses_are_numbers(void **state)
{
    (void)state;
    const double points[] = {NAN, INFINITY, 3, 3, 3, 3};
    double low[2], high[2];
    for (size_t n = 0; n <= 3; n++) {
        chebyshev_scale(points, n, 2, low, high);
        for (int k = 0; k < 2; k++)
            assert_true(isfinite(low[k]) && isfinite(high[k]) && high[k] > low[k]);
    }
    assert_true(isinf(chebyshev_loss(points, 2, (double[]){.5, .5}, low, high)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_volume_is_the_number_of_dominated_cells),
        cmocka_unit_test(a_reference_lies_beyond_the_front),
        cmocka_unit_test(the_reference_of_one_point_is_as_far_as_its_losses_are_large),
        cmocka_unit_test(expected_improvement_is_the_mean_gain),
        cmocka_unit_test(certain_losses_improve_by_their_gain),
        cmocka_unit_test(its_gradient_is_that_of_differences),
        cmocka_unit_test(without_a_front_everything_below_the_reference_counts),
        cmocka_unit_test(weights_are_even_on_the_simplex),
        cmocka_unit_test(every_point_of_the_front_is_best_for_some_weights),
        cmocka_unit_test(scales_of_odd_losses_are_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
