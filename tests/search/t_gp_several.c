/* The strategy gp with more than a loss: a limit, and two objectives. */
#include "tests/claims.h"
#include "tests/searches.h"

#include <math.h>

/* The best loss of the trials that keep a limit, and how many of the last thirty do. The loss falls towards the corner
 * at 1, 1; the limit forbids what lies beyond the line x + y = 1. With `wild` a trial in ten that does is told beyond
 * all measure. The best that is allowed is -1, at 1, 0. */
static double search_along_limit(uint64_t seed, double wild, int *kept)
{
    struct space *space = spaces_make("{'x': {'min': 0.0, 'max': 1.0}, 'y': {'min': 0.0, 'max': 1.0}}");
    struct search search = {.strategy = "gp", .limits = 1};
    struct searcher *searcher = searches_make(&search, space, seed);
    double best = INFINITY;
    *kept = 0;
    for (uint64_t trial = 1; trial <= 50; trial++) {
        double unit[SPACES_MOST];
        searches_point(searcher, space, trial, unit);
        double loss = -unit[0] - 0.5 * unit[1], violation = 10 * (unit[0] + unit[1] - 1);
        if (violation > 0 && trial % 10 == 5 && wild > 0)
            violation = wild;
        struct measures measures = {.losses = &loss, .violation = &violation, .seconds = 1, .energy = NAN};
        searcher_tell_all(searcher, trial, ENDING_COMPLETED, &measures);
        *kept += trial > 20 && violation <= 0;
        best = violation <= 0 ? fmin(best, loss) : best;
    }
    searcher_destroy(searcher);
    space_destroy(space);
    return best;
}

static void limits_are_kept_to(void **state)
{
    (void)state;
    int kept;
    assert_true(search_along_limit(5, 0, &kept) < -0.93);
    assert_true(kept >= 10);
}

static void wild_violations_do_not_hide_the_limit(void **state)
{
    (void)state;
    static const double wild[] = {1e9, 1.7e308};
    for (int i = 0; i < 2; i++)
        for (uint64_t seed = 1; seed <= 3; seed++) {
            int kept;
            double best = search_along_limit(seed, wild[i], &kept);
            if (best > -0.93 || kept < 10)
                fail_msg("%g, seed %d: best %g, %d kept", wild[i], (int)seed, best, kept);
        }
}

static void two_objectives_give_a_front(void **state)
{
    (void)state;
    struct space *space = spaces_make("{'x': {'min': 0.0, 'max': 1.0}, 'y': {'min': 0.0, 'max': 1.0}}");
    struct searcher_setup setup = {.space = space, .strategy = "gp", .seed = 5, .objectives = 2};
    struct err err = {{0}};
    struct searcher *searcher = searcher_create(&setup, &err);
    assert_non_null(searcher);
    bool reached[5] = {false};
    for (uint64_t trial = 1; trial <= 40; trial++) {
        double unit[SPACES_MOST];
        searches_point(searcher, space, trial, unit);
        /* The front is y = 0: all of x is as good. */
        double losses[2] = {unit[0] + unit[1], 1 - unit[0] + unit[1]};
        struct measures measures = {.losses = losses, .seconds = 1, .energy = NAN};
        searcher_tell_all(searcher, trial, ENDING_COMPLETED, &measures);
        if (unit[1] < 0.05)
            reached[(int)fmin(4, 5 * unit[0])] = true;
    }
    for (int part = 0; part < 5; part++)
        if (!reached[part])
            fail_msg("nothing of part %d of the front was found", part);
    searcher_destroy(searcher);
    space_destroy(space);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_are_kept_to),
        cmocka_unit_test(wild_violations_do_not_hide_the_limit),
        cmocka_unit_test(two_objectives_give_a_front),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
