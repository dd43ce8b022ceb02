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
    const struct searcher_past *past; /* trials of earlier experiments, or NULL */
    int waits;                        /* trials that run while the next is asked */
};

/* What came of a search. */
struct course {
    double units[TRIALS + 1][SPACES_MOST], losses[TRIALS + 1];
    char *params[TRIALS + 1]; /* owned */
};

static void ask_for_course(struct searcher *searcher, const struct space *space, struct course *course, uint64_t trial)
{
    struct proposal proposal;
    struct err err = {{0}};
    if (searcher_ask(searcher, trial, &proposal, &err) != SEARCHER_PROPOSED)
        fail_msg("%s", err.text);
    course->params[trial] = proposal.params;
    assert_int_equal(space_point_of_json(space, proposal.params, course->units[trial], NULL), 0);
}

static void run_plan(const struct plan *plan, struct course *course)
{
    struct search search = {.strategy = plan->strategy, .repeat = plan->repeat, .past = plan->past};
    struct space *space = spaces_make(plan->space);
    struct searcher *searcher = searches_make(&search, space, plan->seed);
    struct rng rng = rng_make(plan->seed, "noise", 0);
    for (int trial = 1; trial <= TRIALS; trial++) {
        ask_for_course(searcher, space, course, (uint64_t)trial);
        double loss = loss_at(course->units[trial], space_dimension(space)) + plan->noise * rng_normal(&rng);
        course->losses[trial] = loss;
        int ended = trial - plan->waits;
        if (ended > 0)
            searcher_tell(searcher, (uint64_t)ended, ENDING_COMPLETED, course->losses[ended], 1);
    }
    searcher_destroy(searcher);
    space_destroy(space);
}

static void course_fini(struct course *course)
{
    for (int trial = 1; trial <= TRIALS; trial++)
        free(course->params[trial]);
}

static uint32_t dimension_of(const struct plan *plan)
{
    return plan->space == faces ? 3 : 2;
}

/* How many of its proposals lie within `reach` of an earlier one. */
static int count_repeats(const struct plan *plan, double reach)
{
    struct course course;
    int repeats = 0;
    run_plan(plan, &course);
    for (int trial = 1; trial <= TRIALS; trial++) {
        bool again = false;
        for (int before = 1; before < trial; before++)
            again = again || distance(course.units[before], course.units[trial], dimension_of(plan)) <= reach;
        repeats += again;
    }
    course_fini(&course);
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

/* Two earlier experiments of one space, the second with other losses and noisy, so that the same points have losses
 * that differ. */
enum { SOURCES = 2 };
struct earlier {
    struct course courses[SOURCES];
    struct searcher_past past[SOURCES * TRIALS + 1];
};

static void earlier_init(struct earlier *earlier, const char *space)
{
    *earlier = (struct earlier){0};
    for (uint32_t s = 0; s < SOURCES; s++) {
        struct course *course = &earlier->courses[s];
        run_plan(&(struct plan){.strategy = "auto", .space = space, .seed = 9 + s, .noise = s * 0.2}, course);
        for (int i = 0; i < TRIALS; i++)
            earlier->past[s * TRIALS + (uint32_t)i] = (struct searcher_past){
                .source = s, .params = course->params[i + 1], .loss = course->losses[i + 1] * (1 + s), .seconds = 1};
    }
}

static void earlier_fini(struct earlier *earlier)
{
    for (int s = 0; s < SOURCES; s++)
        course_fini(&earlier->courses[s]);
}

/* Losses of earlier experiments differ from this one's at the same points, which is no noise of this one's. */
static void after_earlier_experiments_nothing_is_proposed_twice(void **state)
{
    (void)state;
    struct earlier earlier;
    earlier_init(&earlier, corner);
    for (uint64_t seed = 1; seed <= 3; seed++)
        for (int waits = 0; waits < 2; waits++) {
            struct plan plan = {.strategy = "auto", .space = corner, .seed = seed, .past = earlier.past};
            plan.waits = waits;
            int repeats = count_repeats(&plan, 1e-8);
            if (repeats)
                fail_msg("seed %d: %d proposals came before", (int)seed, repeats);
        }
    earlier_fini(&earlier);
}

static void under_noise_after_earlier_experiments_the_best_corner_is_tried_again(void **state)
{
    (void)state;
    struct earlier earlier;
    int repeats = 0;
    earlier_init(&earlier, corner);
    for (uint64_t seed = 1; seed <= 4; seed++) {
        struct plan plan = {.strategy = "gp", .space = corner, .seed = seed, .noise = 0.2, .past = earlier.past};
        repeats += count_repeats(&plan, 0);
    }
    assert_true(repeats >= 4);
    earlier_fini(&earlier);
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
        cmocka_unit_test(after_earlier_experiments_nothing_is_proposed_twice),
        cmocka_unit_test(under_noise_after_earlier_experiments_the_best_corner_is_tried_again),
        cmocka_unit_test(without_noise_a_model_repeats_nothing_that_it_may_repeat),
        cmocka_unit_test(without_noise_proposals_do_not_crowd_at_a_corner),
        cmocka_unit_test(under_noise_the_best_corner_is_tried_again),
        cmocka_unit_test(under_noise_a_finite_space_is_not_repeated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
