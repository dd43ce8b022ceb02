/* Thinning: how many dots and points of lines are left, and which. */
#include "cli/plot/thin.h"
#include "common/mem.h"
#include "common/rng.h"
#include "tests/claims.h"

#include <math.h>
#include <stdlib.h>

enum { MANY = 50000, MOST = 1000 };

static void few_dots_are_all_drawn(void **state)
{
    (void)state;
    struct point places[] = {{1, 1}, {NAN, 2}, {1, 1}, {3, INFINITY}, {5, 6}};
    bool drawn[5];
    thin_dots(places, 5, 10, drawn);
    assert_true(drawn[0] && drawn[2] && drawn[4]);
    assert_false(drawn[1] || drawn[3]);
}

static void of_many_dots_some_are_drawn_and_the_outermost_always(void **state)
{
    (void)state;
    struct rng rng = rng_make(1, "thin", 0);
    struct point *places = MEM_ARRAY(struct point, MANY);
    bool *drawn = MEM_ARRAY(bool, MANY);
    size_t count = 0, ends[4] = {0};
    for (size_t i = 0; i < MANY; i++) {
        places[i] = (struct point){700 * rng_unit(&rng), 300 * rng_unit(&rng)};
        ends[0] = places[i].x < places[ends[0]].x ? i : ends[0];
        ends[1] = places[i].x > places[ends[1]].x ? i : ends[1];
        ends[2] = places[i].y < places[ends[2]].y ? i : ends[2];
        ends[3] = places[i].y > places[ends[3]].y ? i : ends[3];
    }
    thin_dots(places, MANY, MOST, drawn);
    for (size_t i = 0; i < MANY; i++)
        count += drawn[i];
    assert_in_range(count, MOST / 3, MOST + 4);
    for (size_t i = 0; i < 4; i++)
        assert_true(drawn[ends[i]]);
    free(places);
    free(drawn);
}

static void one_far_from_a_cloud_is_drawn(void **state)
{
    (void)state;
    struct point *places = MEM_ARRAY(struct point, MANY);
    bool *drawn = MEM_ARRAY(bool, MANY);
    for (size_t i = 0; i < MANY; i++)
        places[i] = (struct point){100 + (double)(i % 97) / 97, 100 + (double)(i % 89) / 89};
    places[777] = (struct point){500, 20};
    thin_dots(places, MANY, MOST, drawn);
    assert_true(drawn[777]);
    free(places);
    free(drawn);
}

static void a_line_keeps_its_ends_and_its_peaks(void **state)
{
    (void)state;
    struct point *points = MEM_ARRAY(struct point, MANY);
    for (size_t i = 0; i < MANY; i++)
        points[i] = (struct point){700.0 * (double)i / MANY, sin((double)i)};
    points[12345].y = 99;
    points[23456].y = -99;
    struct point first = points[0], last = points[MANY - 1];
    size_t left = thin_line(points, MANY, 1);
    double low = 0, high = 0;
    assert_in_range(left, 1400, 4 * 701);
    for (size_t i = 0; i < left; i++) {
        low = fmin(low, points[i].y);
        high = fmax(high, points[i].y);
        assert_true(i == 0 || points[i].x > points[i - 1].x);
    }
    assert_true(low == -99 && high == 99);
    assert_true(points[0].x == first.x && points[left - 1].x == last.x);
    free(points);
}

static void a_short_line_stays_as_it_is(void **state)
{
    (void)state;
    struct point points[] = {{0, 1}, {10, 2}, {20, 0}};
    assert_int_equal(thin_line(points, 3, 1), 3);
    assert_int_equal(thin_line(points, 0, 1), 0);
    assert_true(points[1].y == 2 && points[2].x == 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_dots_are_all_drawn),
        cmocka_unit_test(of_many_dots_some_are_drawn_and_the_outermost_always),
        cmocka_unit_test(one_far_from_a_cloud_is_drawn),
        cmocka_unit_test(a_line_keeps_its_ends_and_its_peaks),
        cmocka_unit_test(a_short_line_stays_as_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
