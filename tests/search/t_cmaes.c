/* CMA-ES: that it learns, that nothing freezes, and what it does when trials fail or run late. */
#include "tests/claims.h"
#include "tests/searches.h"
#include "search/simple/cmaes_choices.h"
#include "search/simple/cmaes_normal.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- the distribution --- */

/* Generation by generation in the open, without a search. */
static void evolve(struct normal *normal, double (*loss)(const double *x), int generations)
{
    enum { MOST = 64 };
    struct rng rng = rng_make(1, "evolve", normal->n);
    double x[MOST * 8], losses[MOST];
    for (int g = 0; g < generations; g++) {
        const double *best[MOST];
        for (uint32_t k = 0; k < normal->lambda; k++) {
            normal_draw(normal, &rng, x + k * normal->n);
            losses[k] = loss(x + k * normal->n);
        }
        for (uint32_t k = 0; k < normal->mu; k++) {
            uint32_t least = 0;
            for (uint32_t i = 1; i < normal->lambda; i++)
                least = losses[i] < losses[least] ? i : least;
            losses[least] = INFINITY;
            best[k] = x + least * normal->n;
        }
        normal_learn(normal, best);
    }
}

/* A long valley that no axis follows. */
static double valley(const double *x)
{
    double along = x[0] + x[1] + x[2], across = x[0] - x[1];
    return along * along + 1e4 * across * across + 1e2 * x[2] * x[2];
}

static void a_distribution_follows_a_valley_to_its_end(void **state)
{
    (void)state;
    struct normal normal;
    normal_init(&normal, 3, 7, (double[]){1, 2, 3}, .5);
    evolve(&normal, valley, 150);
    assert_true(valley(normal.mean) < 1e-8);
    /* C is what its axes and lengths say. */
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double sum = 0;
            for (int k = 0; k < 3; k++)
                sum += normal.axes[i * 3 + k] * pow(normal.lengths[k], 2) * normal.axes[j * 3 + k];
            assert_true(fabs(sum - normal.cov[i * 3 + j]) < 1e-9 * (1 + fabs(sum)));
        }
    normal_fini(&normal);
}

static double bowl(const double *x)
{
    double sum = 0;
    for (int i = 0; i < 3; i++)
        sum += x[i] * x[i] * pow(100, i);
    return sum;
}

static void a_diagonal_learns_as_well(void **state)
{
    (void)state;
    struct normal normal;
    normal_init(&normal, 3, 7, (double[]){1, 2, 3}, .5);
    normal.full = false; /* as with very many coordinates; the first entries of C become its diagonal */
    for (int i = 0; i < 3; i++)
        normal.cov[i] = 1;
    evolve(&normal, bowl, 150);
    assert_true(bowl(normal.mean) < 1e-8);
    normal_fini(&normal);
}

static void points_from_far_away_do_not_blow_it_up(void **state)
{
    (void)state;
    struct normal normal;
    normal_init(&normal, 2, 6, (double[]){.5, .5}, 1e-3);
    const double far[] = {1e6, -1e6}, *best[] = {far, far, far};
    normal_learn(&normal, best);
    assert_true(normal.sigma < .01 && fabs(normal.mean[0] - .5) < .01);
    normal_fini(&normal);
}

/* --- the margin --- */

static void every_level_can_be_left_however_small_the_steps(void **state)
{
    (void)state;
    const double alpha = .05;
    for (uint64_t seed = 0; seed < 100; seed++) {
        struct rng rng = rng_make(seed, "margin", 0);
        struct normal normal;
        double mean = .4 + .2 * rng_unit(&rng);
        normal_init(&normal, 1, 4, &mean, pow(10, -4 * rng_unit(&rng)));
        margin_keep(&normal, 0, .4, .6, alpha);
        double stddev = normal_stddev(&normal, 0);
        assert_true(gsl_cdf_ugaussian_P((.4 - normal.mean[0]) / stddev) >= alpha / 2 * .999);
        assert_true(gsl_cdf_ugaussian_Q((.6 - normal.mean[0]) / stddev) >= alpha / 2 * .999);
        normal_fini(&normal);
    }
}

static void the_last_levels_can_be_left_too(void **state)
{
    (void)state;
    struct normal normal;
    normal_init(&normal, 2, 4, (double[]){.01, .99}, 1e-3);
    margin_keep(&normal, 0, -INFINITY, .2, .05);
    margin_keep(&normal, 1, .8, INFINITY, .05);
    assert_true(fabs(gsl_cdf_ugaussian_Q((.2 - normal.mean[0]) / 1e-3) - .05) < 1e-6);
    assert_true(fabs(gsl_cdf_ugaussian_P((.8 - normal.mean[1]) / 1e-3) - .05) < 1e-6);
    margin_keep(&normal, 0, -INFINITY, INFINITY, .05); /* a single level: nothing to keep */
    normal_fini(&normal);
}

static void choices_learn_and_never_die_out(void **state)
{
    (void)state;
    const uint64_t values[] = {3, 2, 1};
    struct choices choices;
    struct normal normal;
    choices_init(&choices, 3, values);
    normal_init(&normal, 2, 8, (double[]){.5, .5}, .2);
    const double chosen[] = {2, -1, 0}, *best[] = {chosen, chosen, chosen, chosen};
    for (int i = 0; i < 100; i++)
        choices_learn(&choices, &normal, best);
    assert_true(choices.chance[0][2] > .8 && choices.chance[0][0] > .01 && choices.chance[0][1] > .01);
    assert_true(fabs(choices.chance[1][0] - .5) < 1e-9); /* it was inactive all the time */
    assert_true(choices.chance[2][0] == 1);
    assert_true(fabs(choices.chance[0][0] + choices.chance[0][1] + choices.chance[0][2] - 1) < 1e-9);
    normal_fini(&normal);
    choices_fini(&choices);
}

/* --- the strategy --- */

/* The least loss of a search by `workers` that end in the order in which they began. Infinite losses fail. */
static double search_with(const char *strategy, const char *text, double (*loss)(const double *unit), uint64_t seed,
                          uint64_t trials, uint64_t workers)
{
    enum { MOST = 64 };
    struct space *space = spaces_make(text);
    struct search search = {.strategy = strategy};
    struct searcher *searcher = searches_make(&search, space, seed);
    double unit[SPACES_MOST], losses[MOST], best = INFINITY;
    for (uint64_t trial = 1; trial <= trials + workers; trial++) {
        if (trial > workers)
            searcher_tell(searcher, trial - workers, ENDING_COMPLETED, losses[(trial - workers) % MOST], 1);
        searches_point(searcher, space, trial, unit);
        losses[trial % MOST] = loss(unit);
        best = fmin(best, losses[trial % MOST]);
    }
    searcher_destroy(searcher);
    space_destroy(space);
    return best;
}

static const char *const five = "{'a': {'min': 0.0, 'max': 1.0}, 'b': {'min': 0.0, 'max': 1.0},"
                                " 'c': {'min': 0.0, 'max': 1.0}, 'd': {'min': 0.0, 'max': 1.0},"
                                " 'e': {'min': 0.0, 'max': 1.0}}";

static double rosenbrock(const double *unit)
{
    double sum = 0;
    for (int i = 0; i < 4; i++) {
        double x = 4 * unit[i] - 2, next = 4 * unit[i + 1] - 2;
        sum += 100 * pow(next - x * x, 2) + pow(1 - x, 2);
    }
    return sum;
}

static void it_beats_chance_on_a_curved_valley(void **state)
{
    (void)state;
    for (uint64_t workers = 1; workers <= 16; workers *= 16) {
        double learned = 0, chance = 0;
        for (uint64_t seed = 1; seed <= 6; seed++) {
            learned += log(search_with("cmaes", five, rosenbrock, seed, 300, workers));
            chance += log(search_with("random", five, rosenbrock, seed, 300, workers));
        }
        assert_true(learned < chance - 6); /* e times better, on average */
    }
}

/* Of integers, ordered choices and choices, with a number that hides the slope of the others. */
static double mixed(const double *unit)
{
    return pow(unit[0] - .3, 2) + .2 * fabs(unit[1] - .85) + .2 * fabs(unit[2] - .1) + (unit[3] > 1.0 / 3);
}

static void levels_and_choices_are_found(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        double best = search_with("cmaes",
                                  "{'x': {'min': 0.0, 'max': 1.0}, 'n': {'min': 1, 'max': 10},"
                                  " 'o': {'values': [1, 2, 4, 8, 16], 'ordered': true}, 'c': ['p', 'q', 'r']}",
                                  mixed, seed, 300, 4);
        assert_true(best < .001);
    }
}

/* Half of the space fails, beside the minimum. */
static double cliff(const double *unit)
{
    return unit[0] < .5 ? INFINITY : unit[0] + pow(unit[1] - .5, 2);
}

static void failures_keep_it_on_this_side_of_the_cliff(void **state)
{
    (void)state;
    double best = search_with("cmaes", five, cliff, 3, 300, 4);
    assert_true(best < .52);
}

static double nothing(const double *unit)
{
    (void)unit;
    return INFINITY;
}

static void it_goes_on_when_everything_fails(void **state)
{
    (void)state;
    assert_true(isinf(search_with("cmaes", five, nothing, 1, 300, 4)));
}

/* Two holes of one size; the wide one is found first. */
static double far_hole(const double *unit)
{
    double wide = pow(unit[0] - .2, 2), narrow = 100 * pow(unit[0] - .9, 2) - .5;
    return fmin(wide, narrow);
}

static void it_begins_anew_when_nothing_moves(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++)
        assert_true(search_with("cmaes", "{'x': {'min': 0.0, 'max': 1.0}}", far_hole, seed, 3000, 1) < -.49);
}

static void several_objectives_are_refused(void **state)
{
    (void)state;
    struct space *space = spaces_make(five);
    struct search search = {.strategy = "cmaes", .objectives = 2};
    struct err err = {{0}};
    assert_null(searches_try(&search, space, 1, &err));
    assert_has(err.text, "it searches for one objective and there are 2; use evolution");
    space_destroy(space);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_distribution_follows_a_valley_to_its_end),
        cmocka_unit_test(a_diagonal_learns_as_well),
        cmocka_unit_test(points_from_far_away_do_not_blow_it_up),
        cmocka_unit_test(every_level_can_be_left_however_small_the_steps),
        cmocka_unit_test(the_last_levels_can_be_left_too),
        cmocka_unit_test(choices_learn_and_never_die_out),
        cmocka_unit_test(it_beats_chance_on_a_curved_valley),
        cmocka_unit_test(levels_and_choices_are_found),
        cmocka_unit_test(failures_keep_it_on_this_side_of_the_cliff),
        cmocka_unit_test(it_goes_on_when_everything_fails),
        cmocka_unit_test(it_begins_anew_when_nothing_moves),
        cmocka_unit_test(several_objectives_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
