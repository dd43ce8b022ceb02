/* Scrambled Sobol points. */
#include "tests/claims.h"
#include "tests/searches.h"
#include "common/mem.h"

#include <stdlib.h>

enum { POINTS = 1024, MOST = 64 };

/* x[i][d]: dimension d of the point of trial i + 1, `count` parameters from 0 to 1. */
static double (*points(uint32_t count, uint64_t seed))[MOST]
{
    struct buf text = {0};
    for (uint32_t i = 0; i < count; i++)
        buf_format(&text, "%s'x%u': {'min': 0.0, 'max': 1.0}", i ? ", " : "{", i);
    buf_text(&text, "}");
    struct space *space = spaces_make(buf_str(&text));
    struct search search = {.strategy = "sobol"};
    struct searcher *searcher = searches_make(&search, space, seed);
    double(*x)[MOST] = mem_zero(POINTS, sizeof *x);
    for (int i = 0; i < POINTS; i++) {
        struct proposal proposal;
        assert_int_equal(searcher_ask(searcher, (uint64_t)i + 1, &proposal, NULL), SEARCHER_PROPOSED);
        assert_int_equal(space_point_of_json(space, proposal.params, x[i], NULL), 0);
        free(proposal.params);
    }
    searcher_destroy(searcher);
    space_destroy(space);
    buf_fini(&text);
    return x;
}

/* Every interval [a/2^k, (a+1)/2^k) holds exactly one of the first 2^k points, in every dimension. */
static void each_dimension_fills_every_interval_once(void **state)
{
    (void)state;
    double(*x)[MOST] = points(MOST, 1);
    for (int k = 0; k <= 10; k++)
        for (int d = 0; d < MOST; d++) {
            bool hit[POINTS] = {0};
            for (int i = 0; i < 1 << k; i++) {
                int interval = (int)(x[i][d] * (1 << k));
                assert_false(hit[interval]);
                hit[interval] = true;
            }
        }
    free(x);
}

/* The same for all boxes of 2^-a by 2^-b with a + b = k, in the first two dimensions. */
static void the_first_pair_fills_every_box_once(void **state)
{
    (void)state;
    double(*x)[MOST] = points(2, 5);
    for (int k = 0; k <= 10; k++)
        for (int a = 0; a <= k; a++) {
            bool hit[POINTS] = {0};
            for (int i = 0; i < 1 << k; i++) {
                int box = (int)(x[i][0] * (1 << a)) << (k - a) | (int)(x[i][1] * (1 << (k - a)));
                assert_false(hit[box]);
                hit[box] = true;
            }
        }
    free(x);
}

/* Parameters beyond the 40 of the generator use its dimensions again, in another order of points: 1024 of them in
 * 8 x 8 boxes, 16 each on average, are about as even as random ones. */
static void dimensions_that_share_a_generator_are_not_tied(void **state)
{
    (void)state;
    double(*x)[MOST] = points(MOST, 9);
    for (int d = 40; d < MOST; d++) {
        int boxes[8][8] = {{0}};
        for (int i = 0; i < POINTS; i++)
            boxes[(int)(x[i][d - 40] * 8)][(int)(x[i][d] * 8)]++;
        for (int a = 0; a < 8; a++)
            for (int b = 0; b < 8; b++)
                assert_in_range(boxes[a][b], 1, 40);
    }
    free(x);
}

static void each_seed_gives_other_points(void **state)
{
    (void)state;
    double(*a)[MOST] = points(3, 1), (*b)[MOST] = points(3, 2), (*again)[MOST] = points(3, 1);
    for (int i = 0; i < POINTS; i++) {
        assert_true(a[i][0] != b[i][0] && a[i][1] != b[i][1]);
        assert_true(a[i][2] == again[i][2]);
    }
    free(a);
    free(b);
    free(again);
}

/* Under a constraint that forbids half of the square the allowed points are those of the sequence: the small boxes of
 * the allowed half are as full as without it. */
static void constraints_leave_the_rest_as_even(void **state)
{
    (void)state;
    struct space *space = spaces_make_with("{'x': {'min': 0.0, 'max': 1.0}, 'y': {'min': 0.0, 'max': 1.0}}", "x < 0.5");
    struct search search = {.strategy = "sobol", .start = {"{'x': 0.25, 'y': 0.25}"}};
    struct searcher *searcher = searches_make(&search, space, 3);
    int boxes[8][16] = {{0}};
    for (uint64_t trial = 0; trial <= 512; trial++) {
        struct proposal proposal;
        double unit[2];
        assert_int_equal(searcher_ask(searcher, trial + 1, &proposal, NULL), SEARCHER_PROPOSED);
        space_point_of_json(space, proposal.params, unit, NULL);
        free(proposal.params);
        assert_true(unit[0] < 0.5);
        if (trial > 0)
            boxes[(int)(unit[0] * 16)][(int)(unit[1] * 16)]++;
    }
    for (int a = 0; a < 8; a++)
        for (int b = 0; b < 16; b++)
            assert_in_range(boxes[a][b], 3, 5); /* 512 in 128 boxes; the last points may cross the power of two */
    uint64_t forbidden, repeated;
    searcher_rejections(searcher, &forbidden, &repeated);
    assert_int_equal(forbidden + repeated, 0);
    searcher_destroy(searcher);
    space_destroy(space);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_dimension_fills_every_interval_once),
        cmocka_unit_test(the_first_pair_fills_every_box_once),
        cmocka_unit_test(dimensions_that_share_a_generator_are_not_tied),
        cmocka_unit_test(each_seed_gives_other_points),
        cmocka_unit_test(constraints_leave_the_rest_as_even),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
