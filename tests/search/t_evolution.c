/* Evolution: crossover and mutation, what it finds, several objectives. */
#include "tests/claims.h"
#include "tests/searches.h"
#include "search/pareto/hypervolume.h"
#include "search/simple/breed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const mixed = "{'x': {'min': 0.0, 'max': 1.0}, 'opt': ['sgd', 'adam', 'lamb'],"
                                 " 'm': {'min': 0.0, 'max': 1.0, 'when': {'opt': 'sgd'}}, 'k': {'min': 1, 'max': 9},"
                                 " 'one': [7]}";

/* --- making points --- */

static void a_child_has_the_values_of_its_parents_or_lies_between(void **state)
{
    (void)state;
    struct space *space = spaces_make(mixed);
    struct rng rng = rng_make(1, "cross", 0);
    for (int i = 0; i < 2000; i++) {
        double mother[5], father[5], child[5];
        spaces_point(space, &rng, mother);
        spaces_point(space, &rng, father);
        breed_cross(space_public(space), &rng, mother, father, child);
        assert_true(child[1] == mother[1] || child[1] == father[1]);
        for (int c = 0; c < 5; c++) {
            double low = fmin(mother[c], father[c]), high = fmax(mother[c], father[c]), beyond = .25 * (high - low);
            if (isnan(mother[c]) && isnan(father[c]))
                assert_true(isnan(child[c]));
            else if (isnan(mother[c]) || isnan(father[c]))
                assert_true(child[c] == low); /* fmin gives the one that is a number */
            else
                assert_true(child[c] >= fmax(low - beyond, 0) && child[c] <= fmin(high + beyond, 1));
        }
    }
    space_destroy(space);
}

static void a_mutation_changes_something_and_stays_in_the_cube(void **state)
{
    (void)state;
    struct space *space = spaces_make(mixed);
    const struct gannet_host *host = space_host(space);
    struct rng rng = rng_make(1, "mutate", 0);
    int changes[4] = {0}, same = 0;
    for (int i = 0; i < 4000; i++) {
        double before[5], after[5];
        spaces_point(space, &rng, before);
        memcpy(after, before, sizeof after);
        breed_mutate(space_public(space), host, &rng, .25, after);
        breed_fill(space_public(space), &rng, after);
        for (int c = 0; c < 5; c++)
            assert_true(after[c] >= 0 && after[c] <= 1);
        host->snap(host, after);
        bool changed = false;
        for (int c = 0; c < 4; c++) {
            bool differs = after[c] != before[c] && !(isnan(after[c]) && isnan(before[c]));
            changes[c] += differs;
            changed = changed || differs;
        }
        same += !changed;
    }
    assert_true(same < 4000 / 5); /* only when the one change was that of the parameter with one value */
    for (int c = 0; c < 4; c++)
        assert_true(changes[c] > 400);
    space_destroy(space);
}

static void steps_of_mutation_are_long_and_short(void **state)
{
    (void)state;
    struct space *space = spaces_make("{'x': {'min': 0.0, 'max': 1.0}}");
    struct rng rng = rng_make(1, "steps", 0);
    int tiny = 0, large = 0;
    for (int i = 0; i < 1000; i++) {
        double unit = .5;
        breed_mutate(space_public(space), space_host(space), &rng, 1, &unit);
        tiny += fabs(unit - .5) < .005;
        large += fabs(unit - .5) > .1;
    }
    assert_true(tiny > 200 && large > 50);
    space_destroy(space);
}

/* --- the strategy --- */

/* Lowest, 0, with the first choice at x = 0.3, m = 0.7 and the middle k; where x is above 0.8 it fails. */
static double valley(const double *unit)
{
    bool sgd = unit[1] < 1.0 / 3;
    if (unit[0] > .8)
        return INFINITY;
    return pow(unit[0] - .3, 2) + (sgd ? pow(unit[2] - .7, 2) : .3) + fabs(unit[3] - .5);
}

static double best_of(const char *strategy, const char *options, const struct space *space, uint64_t seed)
{
    struct search search = {.strategy = strategy, .options = options};
    struct searcher *searcher = searches_make(&search, space, seed);
    double unit[SPACES_MOST], best = INFINITY;
    for (uint64_t trial = 1; trial <= 150; trial++) {
        searches_point(searcher, space, trial, unit);
        double loss = valley(unit);
        best = fmin(best, loss);
        searcher_tell(searcher, trial, ENDING_COMPLETED, loss, 1);
    }
    searcher_destroy(searcher);
    return best;
}

static void it_beats_chance_in_a_mixed_conditional_space(void **state)
{
    (void)state;
    static const char *const options[] = {NULL, "{'survival': 'oldest'}", "{'crossover': 0}", "{'crossover': 1}"};
    struct space *space = spaces_make(mixed);
    for (int o = 0; o < 4; o++) {
        double evolved = 0, chance = 0;
        for (uint64_t seed = 1; seed <= 8; seed++) {
            evolved += log(best_of("evolution", options[o], space, seed));
            chance += log(best_of("random", NULL, space, seed));
        }
        assert_true(evolved < chance - 5); /* nearly twice as good, on average */
    }
    space_destroy(space);
}

static const char *const five = "{'a': {'min': 0.0, 'max': 1.0}, 'b': {'min': 0.0, 'max': 1.0},"
                                " 'c': {'min': 0.0, 'max': 1.0}, 'd': {'min': 0.0, 'max': 1.0},"
                                " 'e': {'min': 0.0, 'max': 1.0}}";

/* The volume that a search dominates on ZDT1 (Zitzler, Deb, Thiele 2000). */
static double volume_of(const char *strategy, const struct space *space, uint64_t seed)
{
    enum { TRIALS = 300 };
    struct search search = {.strategy = strategy, .objectives = 2};
    struct searcher *searcher = searches_make(&search, space, seed);
    double unit[SPACES_MOST], losses[2 * TRIALS];
    for (uint64_t trial = 0; trial < TRIALS; trial++) {
        searches_point(searcher, space, trial + 1, unit);
        double *pair = losses + 2 * trial, g = 1 + 9 * (unit[1] + unit[2] + unit[3] + unit[4]) / 4;
        pair[0] = unit[0];
        pair[1] = g * (1 - sqrt(unit[0] / g));
        struct measures measures = {.losses = pair, .energy = NAN};
        searcher_tell_all(searcher, trial + 1, ENDING_COMPLETED, &measures);
    }
    searcher_destroy(searcher);
    return hypervolume_measure(losses, TRIALS, 2, (double[]){1.1, 10});
}

static void it_finds_the_front_of_two_objectives(void **state)
{
    (void)state;
    struct space *space = spaces_make(five);
    for (uint64_t seed = 1; seed <= 5; seed++) {
        double whole = 11 - 1.0 / 3; /* what the front itself dominates */
        double evolved = whole - volume_of("evolution", space, seed), chance = whole - volume_of("random", space, seed);
        assert_true(evolved < .5 * chance);
    }
    space_destroy(space);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_child_has_the_values_of_its_parents_or_lies_between),
        cmocka_unit_test(a_mutation_changes_something_and_stays_in_the_cube),
        cmocka_unit_test(steps_of_mutation_are_long_and_short),
        cmocka_unit_test(it_beats_chance_in_a_mixed_conditional_space),
        cmocka_unit_test(it_finds_the_front_of_two_objectives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
