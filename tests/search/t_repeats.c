/* No strategy proposes a configuration twice, where the best one lies at an end of continuous ranges above all. */
#include "tests/claims.h"
#include "tests/searches.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* How many of a search's proposals lie within `reach` of an earlier one. */
static int count_repeats(const char *strategy, const char *text, uint64_t seed, double reach)
{
    struct search search = {.strategy = strategy};
    struct space *space = spaces_make(text);
    struct searcher *searcher = searches_make(&search, space, seed);
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
        searcher_tell(searcher, trial, ENDING_COMPLETED, loss_at(units[trial], dimension), 1);
    }
    searcher_destroy(searcher);
    space_destroy(space);
    return repeats;
}

static void nothing_is_proposed_twice_when_the_optimum_is_a_corner(void **state)
{
    (void)state;
    for (int s = 0; s < STRATEGIES; s++)
        for (uint64_t seed = 1; seed <= 3; seed++) {
            if (getenv("SHOW"))
                printf("%-10s %2d: corner %d %d %d %d faces %d %d %d %d\n", strategies[s], (int)seed,
                       count_repeats(strategies[s], corner, seed, 0), count_repeats(strategies[s], corner, seed, 1e-6),
                       count_repeats(strategies[s], corner, seed, 1e-4),
                       count_repeats(strategies[s], corner, seed, 1e-2), count_repeats(strategies[s], faces, seed, 0),
                       count_repeats(strategies[s], faces, seed, 1e-6), count_repeats(strategies[s], faces, seed, 1e-4),
                       count_repeats(strategies[s], faces, seed, 1e-2));
            int repeats = count_repeats(strategies[s], corner, seed, 0) + count_repeats(strategies[s], faces, seed, 0);
            if (repeats && !getenv("SHOW"))
                fail_msg("%s, seed %d: %d of %d proposals came before", strategies[s], (int)seed, repeats, 2 * TRIALS);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_proposed_twice_when_the_optimum_is_a_corner),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
