/* No strategy proposes a configuration twice, where the best one lies at an end of continuous ranges above all. */
#include "tests/claims.h"
#include "tests/searches.h"
#include "common/rng.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const strategies[] = {"auto", "gp", "tpe", "forest", "cmaes", "evolution", "sobol", "random"};
enum { STRATEGIES = sizeof strategies / sizeof *strategies, TRIALS = 60 };

/* Two parameters whose best values are an end of their range, one whose best value is inside. */
static const char *const faces = "{'lr': {'min': 1.0e-5, 'max': 0.1, 'log': true}, 'decay': {'min': 0.0, 'max': 1.0},"
                                 " 'momentum': {'min': 0.0, 'max': 1.0}}";
static const char *const corner = "{'lr': {'min': 1.0e-5, 'max': 0.1, 'log': true}, 'decay': {'min': 0.0, 'max': 1.0}}";

static double loss_at(const double *unit, uint32_t dimension)
{
    double inside = dimension > 2 ? pow(unit[2] - 0.3, 2) : 0;
    return 2 * (1 - unit[0]) + unit[1] + 0.5 * (1 - unit[0]) * unit[1] + inside;
}

/* The largest difference of two points in any coordinate. */
static double distance(const double *a, const double *b, uint32_t dimension)
{
    double most = 0;
    for (uint32_t d = 0; d < dimension; d++)
        most = fmax(most, fabs(a[d] - b[d]));
    return most;
}

/* A search of TRIALS trials; the noise is the standard deviation on losses, of which the span is 3. */
struct plan {
    const char *strategy, *space;
    uint64_t seed;
    bool repeat;
    double noise;
};

/* How many of its proposals lie within `reach` of an earlier one. */
static int count_repeats(const struct plan *plan, double reach)
{
    struct search search = {.strategy = plan->strategy, .repeat = plan->repeat};
    struct space *space = spaces_make(plan->space);
    struct searcher *searcher = searches_make(&search, space, plan->seed);
    struct rng rng = rng_make(plan->seed, "noise", 0);
    uint32_t dimension = space_dimension(space);
    double units[TRIALS + 1][SPACES_MOST];
    int repeats = 0;
    for (uint64_t trial = 1; trial <= TRIALS; trial++) {
        struct proposal proposal;
        struct err err = {{0}};
        if (searcher_ask(searcher, trial, &proposal, &err) != SEARCHER_PROPOSED)
            fail_msg("%s", err.text);
        assert_int_equal(space_point_of_json(space, proposal.params, units[trial], NULL), 0);
        free(proposal.params);
        bool again = false;
        for (uint64_t before = 1; before < trial; before++)
            again = again || distance(units[before], units[trial], dimension) <= reach;
        repeats += again;
        double loss = loss_at(units[trial], dimension) + plan->noise * rng_normal(&rng);
        searcher_tell(searcher, trial, ENDING_COMPLETED, loss, 1);
    }
    searcher_destroy(searcher);
    space_destroy(space);
    return repeats;
}

static void without_noise_nothing_is_proposed_twice(void **state)
{
    (void)state;
    for (int s = 0; s < STRATEGIES; s++)
        for (uint64_t seed = 1; seed <= 2; seed++)
            for (int f = 0; f < 2; f++) {
                struct plan plan = {.strategy = strategies[s], .space = f ? faces : corner, .seed = seed};
                int repeats = count_repeats(&plan, 1e-8);
                if (repeats)
                    fail_msg("%s, seed %d: %d proposals came before", plan.strategy, (int)seed, repeats);
            }
}

/* Asking for repetitions does not make them worth a trial. */
static void without_noise_a_model_repeats_nothing_that_it_may_repeat(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 2; seed++) {
        struct plan plan = {.strategy = "gp", .space = corner, .seed = seed, .repeat = true};
        assert_int_equal(count_repeats(&plan, 0), 0);
    }
}

/* 18 to 24 of 60 when only the corner itself was left out. */
static void without_noise_proposals_do_not_crowd_at_a_corner(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        struct plan plan = {.strategy = "gp", .space = corner, .seed = seed};
        int crowded = count_repeats(&plan, 1e-4);
        if (crowded > 6)
            fail_msg("seed %d: %d of %d proposals", (int)seed, crowded, TRIALS);
    }
}

static void under_noise_the_best_corner_is_tried_again(void **state)
{
    (void)state;
    int repeats = 0;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        struct plan plan = {.strategy = "gp", .space = corner, .seed = seed, .noise = 0.2};
        repeats += count_repeats(&plan, 0);
    }
    assert_true(repeats >= 4);
}

/* In a finite space nothing is tried twice, unless it is asked for. */
static void under_noise_a_finite_space_is_not_repeated(void **state)
{
    (void)state;
    static const char *const finite = "{'a': {'min': 1, 'max': 50}, 'b': {'min': 1, 'max': 50}}";
    struct plan plan = {.strategy = "gp", .space = finite, .seed = 1, .noise = 0.5};
    assert_int_equal(count_repeats(&plan, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_noise_nothing_is_proposed_twice),
        cmocka_unit_test(without_noise_a_model_repeats_nothing_that_it_may_repeat),
        cmocka_unit_test(without_noise_proposals_do_not_crowd_at_a_corner),
        cmocka_unit_test(under_noise_the_best_corner_is_tried_again),
        cmocka_unit_test(under_noise_a_finite_space_is_not_repeated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
