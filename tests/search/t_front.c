/* Dominance, fronts and crowding, against their definitions. */
#include "tests/claims.h"
#include "search/pareto/front.h"
#include "common/rng.h"

#include <math.h>
#include <stdlib.h>

enum { MOST = 200 };

static void dominance_is_better_in_one_and_worse_in_none(void **state)
{
    (void)state;
    assert_true(front_dominates((double[]){1, 2}, (double[]){1, 3}, 2));
    assert_false(front_dominates((double[]){1, 3}, (double[]){1, 2}, 2));
    assert_false(front_dominates((double[]){1, 2}, (double[]){1, 2}, 2));
    assert_false(front_dominates((double[]){1, 2}, (double[]){0, 3}, 2));
    assert_true(front_dominates((double[]){-1}, (double[]){0}, 1));
}

static void a_value_that_is_missing_is_worse_than_any(void **state)
{
    (void)state;
    assert_true(front_dominates((double[]){1, 2}, (double[]){1, NAN}, 2));
    assert_true(front_dominates((double[]){1, INFINITY}, (double[]){1, NAN}, 2));
    assert_false(front_dominates((double[]){NAN, 2}, (double[]){5, 2}, 2));
    assert_false(front_dominates((double[]){NAN, NAN}, (double[]){NAN, NAN}, 2));
    assert_false(front_dominates((double[]){0, NAN}, (double[]){5, 2}, 2));
}

/* Random points on a coarse lattice, so that many are equal in some losses or in all; some values are missing. */
static void draw(struct rng *rng, double *points, size_t n, uint32_t m)
{
    for (size_t i = 0; i < n * m; i++)
        points[i] = rng_below(rng, 40) ? (double)rng_below(rng, 8) : NAN;
}

/* The rank by definition: 0, or one more than the highest of those that dominate it. */
static uint32_t rank_of(const double *points, size_t n, uint32_t m, size_t i)
{
    uint32_t rank = 0;
    for (size_t j = 0; j < n; j++)
        if (front_dominates(points + j * m, points + i * m, m)) {
            uint32_t beyond = rank_of(points, n, m, j) + 1;
            rank = beyond > rank ? beyond : rank;
        }
    return rank;
}

static void ranks_are_those_of_the_definition(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct rng rng = rng_make(seed, "ranks", 0);
        uint32_t m = 1 + (uint32_t)rng_below(&rng, 4), rank[12];
        size_t n = rng_below(&rng, 13);
        double points[12 * 4];
        draw(&rng, points, n, m);
        front_rank(points, n, m, rank);
        for (size_t i = 0; i < n; i++)
            assert_int_equal(rank[i], rank_of(points, n, m, i));
    }
}

static void the_front_is_what_nothing_dominates(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 50; seed++) {
        struct rng rng = rng_make(seed, "front", 0);
        uint32_t m = 1 + (uint32_t)rng_below(&rng, 4), rank[MOST];
        size_t n = rng_below(&rng, MOST + 1), index[MOST];
        double points[MOST * 4];
        draw(&rng, points, n, m);
        front_rank(points, n, m, rank);
        size_t count = front_first(points, n, m, index), at = 0;
        for (size_t i = 0; i < n; i++) {
            bool on_front = rank[i] == 0;
            for (size_t j = 0; j < i && on_front; j++) /* the first of equal ones only */
                for (uint32_t k = 0; k <= m; k++) {
                    double a = points[j * m + k % m], b = points[i * m + k % m];
                    if (k == m)
                        on_front = false;
                    else if (a != b && !(isnan(a) && isnan(b)))
                        break;
                }
            if (on_front)
                assert_int_equal(index[at++], i);
        }
        assert_int_equal(at, count);
    }
}

static void ends_are_the_loneliest_and_crowds_the_least(void **state)
{
    (void)state;
    const double points[] = {0, 10, 1, 9, 2, 8, 6, 4, 10, 0};
    double distance[5];
    front_crowding(points, 5, 2, distance);
    assert_true(isinf(distance[0]) && isinf(distance[4]));
    assert_true(fabs(distance[1] - .4) < 1e-12); /* (2 - 0) / 10, twice */
    assert_true(fabs(distance[2] - 1.0) < 1e-12);
    assert_true(fabs(distance[3] - 1.6) < 1e-12);
}

static void crowding_of_odd_fronts_is_a_number(void **state)
{
    (void)state;
    const double points[] = {1, 1, 1, 1, 1, 1, NAN, INFINITY, -INFINITY, 3};
    double distance[5];
    for (size_t n = 0; n <= 5; n++) {
        front_crowding(points, n, 2, distance);
        for (size_t i = 0; i < n; i++)
            assert_true(distance[i] >= 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dominance_is_better_in_one_and_worse_in_none),
        cmocka_unit_test(a_value_that_is_missing_is_worse_than_any),
        cmocka_unit_test(ranks_are_those_of_the_definition),
        cmocka_unit_test(the_front_is_what_nothing_dominates),
        cmocka_unit_test(ends_are_the_loneliest_and_crowds_the_least),
        cmocka_unit_test(crowding_of_odd_fronts_is_a_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
