/* What every strategy with a model of densities or trees must do: find what is good, keep away from failures and
 * forbidden points, spread what runs at once, and survive whatever it is told. */
#include "tests/claims.h"
#include "tests/searches.h"
#include "common/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const models[] = {"tpe", "forest", "gp"};
enum { MODELS = sizeof models / sizeof *models };

static const char *const mixed = "{'x': {'min': 0.0, 'max': 1.0}, 'opt': ['sgd', 'adam', 'lamb'],"
                                 " 'm': {'min': 0.0, 'max': 1.0, 'when': {'opt': 'sgd'}}, 'k': {'min': 1, 'max': 9}}";

/* Lowest, 0, with the first choice at x = 0.3 and m = 0.7. */
static double valley(const double *unit)
{
    bool sgd = unit[1] < 1.0 / 3;
    return pow(unit[0] - 0.3, 2) + (sgd ? pow(unit[2] - 0.7, 2) : 1);
}

/* The best of a search one after the other. */
static double best_of(const char *strategy, const struct space *space, uint64_t seed, int trials)
{
    struct search search = {.strategy = strategy};
    struct searcher *searcher = searches_make(&search, space, seed);
    double unit[SPACES_MOST], best = INFINITY;
    for (uint64_t trial = 1; trial <= (uint64_t)trials; trial++) {
        searches_point(searcher, space, trial, unit);
        double loss = valley(unit);
        best = fmin(best, loss);
        searcher_tell(searcher, trial, ENDING_COMPLETED, loss, 1);
    }
    searcher_destroy(searcher);
    return best;
}

static void a_model_finds_the_valley_of_a_conditional_space_better_than_chance(void **state)
{
    (void)state;
    struct space *space = spaces_make(mixed);
    for (int s = 0; s < MODELS; s++) {
        double model = 0, chance = 0;
        for (uint64_t seed = 0; seed < 5; seed++) {
            model += best_of(models[s], space, seed, 60);
            chance += best_of("random", space, seed, 60);
        }
        if (model > chance / 3)
            fail_msg("%s: %g in all, random: %g", models[s], model, chance);
    }
    space_destroy(space);
}

/* How many of the later proposals lie where x > 0.5, when all trials there fail and the others are equal. */
static int count_failing(const char *strategy, const struct space *space)
{
    struct search search = {.strategy = strategy};
    struct searcher *searcher = searches_make(&search, space, 3);
    double unit[SPACES_MOST];
    int failing = 0;
    for (uint64_t trial = 1; trial <= 80; trial++) {
        searches_point(searcher, space, trial, unit);
        bool fails = unit[0] > 0.5;
        failing += fails && trial > 30;
        searcher_tell(searcher, trial, fails ? ENDING_DIVERGED : ENDING_COMPLETED, 1 - unit[0], 1);
    }
    searcher_destroy(searcher);
    return failing;
}

/* The loss falls towards the region that fails: a model that forgets failures runs into it for ever. */
static void a_model_learns_where_trials_fail(void **state)
{
    (void)state;
    struct space *space = spaces_make("{'x': {'min': 0.0, 'max': 1.0}, 'y': {'min': 0.0, 'max': 1.0}}");
    for (int s = 0; s < MODELS; s++) {
        int failing = count_failing(models[s], space);
        if (failing > 30)
            fail_msg("%s: %d of 50 proposals failed", models[s], failing);
    }
    space_destroy(space);
}

/* Fifty slots at once after thirty trials: none gets what another has, and they don't crowd at one place. */
static void proposals_for_many_slots_differ(void **state)
{
    (void)state;
    struct space *space = spaces_make(mixed);
    for (int s = 0; s < MODELS; s++) {
        struct search search = {.strategy = models[s]};
        struct searcher *searcher = searches_make(&search, space, 1);
        double unit[SPACES_MOST], low = 1, high = 0;
        for (uint64_t trial = 1; trial <= 30; trial++) {
            searches_point(searcher, space, trial, unit);
            searcher_tell(searcher, trial, ENDING_COMPLETED, valley(unit), 1);
        }
        for (uint64_t trial = 31; trial <= 80; trial++) {
            searches_point(searcher, space, trial, unit);
            low = fmin(low, unit[0]);
            high = fmax(high, unit[0]);
        }
        if (high - low < 0.2)
            fail_msg("%s: all between %g and %g", models[s], low, high);
        searcher_destroy(searcher);
    }
    space_destroy(space);
}

static void a_finite_space_is_searched_without_a_refused_proposal(void **state)
{
    (void)state;
    struct space *space = spaces_make_with("{'a': {'min': 1, 'max': 12}, 'b': ['u', 'v', 'w', 'x', 'y'],"
                                           " 'c': {'min': 1, 'max': 4}}",
                                           "a * c < 40");
    for (int s = 0; s < MODELS; s++) {
        struct search search = {.strategy = models[s]};
        struct searcher *searcher = searches_make(&search, space, 5);
        double unit[SPACES_MOST];
        for (uint64_t trial = 1; trial <= 120; trial++) {
            searches_point(searcher, space, trial, unit);
            assert_true(space_allowed(space, unit));
            searcher_tell(searcher, trial, ENDING_COMPLETED, unit[0] + unit[1], 1);
        }
        uint64_t forbidden, repeated;
        searcher_rejections(searcher, &forbidden, &repeated);
        assert_int_equal(forbidden, 0);
        assert_int_equal(repeated, 0);
        searcher_destroy(searcher);
    }
    space_destroy(space);
}

/* The point of the last of so many trials whose losses are multiplied by a factor. */
static void search_sized(const char *strategy, const struct space *space, double size, double *unit)
{
    struct search search = {.strategy = strategy};
    struct searcher *searcher = searches_make(&search, space, 2);
    for (uint64_t trial = 1; trial <= 40; trial++) {
        searches_point(searcher, space, trial, unit);
        searcher_tell(searcher, trial, ENDING_COMPLETED, size * valley(unit), 1);
    }
    searcher_destroy(searcher);
}

/* Factors are powers of two, so that nothing is rounded differently. */
static void proposals_are_the_same_whatever_the_size_of_the_losses(void **state)
{
    (void)state;
    static const char *const all[] = {"tpe", "forest", "gp", "cmaes", "evolution"};
    static const double sizes[] = {0x1p-30, 0x1p30};
    struct space *space = spaces_make(mixed);
    for (int s = 0; s < 5; s++)
        for (int i = 0; i < 2; i++) {
            double plain[SPACES_MOST], sized[SPACES_MOST];
            search_sized(all[s], space, 1, plain);
            search_sized(all[s], space, sizes[i], sized);
            if (memcmp(plain, sized, space_dimension(space) * sizeof *plain) != 0)
                fail_msg("%s: other proposals when losses are %g times as large", all[s], sizes[i]);
        }
    space_destroy(space);
}

/* Losses as programs may report them. */
static double odd_loss(struct rng *rng)
{
    static const double odd[] = {0, -0.0, 1, 1, 1e308, -1e308, 1e-308, 4e18, -3};
    return rng_below(rng, 2) ? odd[rng_below(rng, sizeof odd / sizeof *odd)] : rng_normal(rng);
}

static void whatever_is_told_the_proposals_stay_in_the_space(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 12; seed++) { /* each mixture of what seeds decide */
        struct rng rng = rng_make(seed, "odd", 0);
        struct space *space = spaces_random(&rng);
        for (int s = 0; s < MODELS; s++) {
            struct search search = {
                .strategy = models[s], .objectives = 1 + (uint32_t)seed % 3, .limits = seed % 2, .max_steps = seed % 4};
            struct searcher *searcher = searches_make(&search, space, seed);
            double unit[SPACES_MOST];
            for (uint64_t trial = 1; trial <= 40; trial++) {
                struct proposal proposal;
                if (searcher_ask(searcher, trial, &proposal, NULL) != SEARCHER_PROPOSED)
                    break;
                assert_int_equal(space_point_of_json(space, proposal.params, unit, NULL), 0);
                free(proposal.params);
                double losses[3] = {odd_loss(&rng), odd_loss(&rng), rng_below(&rng, 9) ? odd_loss(&rng) : NAN};
                double violation[1] = {rng_below(&rng, 5) ? odd_loss(&rng) : NAN};
                struct measures measures = {losses, violation, rng_unit(&rng), NAN, rng_below(&rng, 4)};
                if (rng_below(&rng, 3) == 0)
                    searcher_observe(searcher, trial, &measures);
                if (rng_below(&rng, 8))
                    searcher_tell_all(searcher, trial, rng_below(&rng, 4) ? ENDING_COMPLETED : ENDING_EXITED,
                                      &measures);
            }
            searcher_destroy(searcher);
        }
        space_destroy(space);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_model_finds_the_valley_of_a_conditional_space_better_than_chance),
        cmocka_unit_test(a_model_learns_where_trials_fail),
        cmocka_unit_test(proposals_for_many_slots_differ),
        cmocka_unit_test(a_finite_space_is_searched_without_a_refused_proposal),
        cmocka_unit_test(proposals_are_the_same_whatever_the_size_of_the_losses),
        cmocka_unit_test(whatever_is_told_the_proposals_stay_in_the_space),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
