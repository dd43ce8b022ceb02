/* Importance after searches that looked mostly near the optimum, of functions whose shares are known: near the truth,
 * no farther from it than functional ANOVA of a forest, and right whenever it is sure. */
#include "tests/claims.h"
#include "tests/fanova_forest.h"
#include "tests/known.h"
#include "tests/spaces.h"
#include "search/explain/explain.h"

#include <math.h>
#include <stdlib.h>

enum { TRIALS = 60, SEEDS = 2, POINTS = 20000 };

static const char *const strategies[] = {"auto", "tpe"};

/* --- the set --- */

static void draw_cube(uint32_t dimension, struct rng *rng, double *cube)
{
    for (uint32_t d = 0; d < dimension; d++)
        cube[d] = rng_unit(rng);
}

static double value_at(const struct known *known, const struct space *space, const double *cube)
{
    double unit[KNOWN_MOST];
    for (uint32_t d = 0; d < space_dimension(space); d++)
        unit[d] = cube[d];
    space_host(space)->snap(space_host(space), unit);
    return known_value(known, space, unit);
}

/* By chance: what stays when all but one coordinate are drawn anew is what that one causes alone, and what goes when it
 * alone is drawn anew is its total. */
static void check_function(const struct known *known)
{
    struct space *space = spaces_make(known->space);
    uint32_t dimension = space_dimension(space);
    struct rng rng = rng_make(1, "known", 0);
    double sum = 0, squares = 0, kept[KNOWN_MOST] = {0}, gone[KNOWN_MOST] = {0};
    for (int i = 0; i < POINTS; i++) {
        double here[KNOWN_MOST] = {0}, there[KNOWN_MOST] = {0};
        draw_cube(dimension, &rng, here);
        draw_cube(dimension, &rng, there);
        double value = value_at(known, space, here), other = value_at(known, space, there);
        sum += value / (double)POINTS;
        squares += value * value / (double)POINTS;
        for (uint32_t d = 0; d < dimension; d++) {
            double swapped = there[d];
            there[d] = here[d];
            double with = value_at(known, space, there);
            kept[d] += value * (with - other) / (double)POINTS; /* Saltelli et al., 2010, table 2 (b) */
            there[d] = swapped;
            swapped = here[d];
            here[d] = there[d];
            gone[d] += pow(value_at(known, space, here) - value, 2) / 2 / (double)POINTS;
            here[d] = swapped;
        }
    }
    double variance = squares - sum * sum;
    for (uint32_t d = 0; d < dimension; d++)
        if (fabs(kept[d] / variance - known->alone[d]) > 0.04 || fabs(gone[d] / variance - known->together[d]) > 0.03)
            fail_msg("%s, parameter %u: alone %.3f, together %.3f", known->name, d + 1, kept[d] / variance,
                     gone[d] / variance);
    space_destroy(space);
}

static void the_shares_of_the_set_are_those_of_its_functions(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < known_count; k++)
        check_function(&known_functions[k]);
}

/* --- what is said of searches --- */

/* How far the answers to all searches are from the truth. */
struct marks {
    uint32_t shares, held; /* parameters; intervals that hold the truth, with one percent to spare */
    uint32_t sure, wrong;  /* places that are said to be sure; those behind which something matters more */
    double off, forest;    /* sums of distances: of ours and the forest's share that a parameter causes alone */
    double farthest;
};

static void mark_place(const struct known *known, const struct explanation *explanation, uint32_t place,
                       struct marks *marks)
{
    const struct explained *explained = &explanation->params[place];
    double truth = known->together[explained->index];
    bool wrong = false;
    for (uint32_t i = place + 1; i < explanation->count; i++)
        wrong = wrong || known->together[explanation->params[i].index] >= truth;
    marks->farthest = fmax(marks->farthest, fabs(explained->together.expected - truth));
    marks->held += truth > explained->together.low - 0.01 && truth < explained->together.high + 0.01;
    marks->sure += explain_is_sure(explanation, place);
    marks->wrong += explain_is_sure(explanation, place) && wrong;
    marks->shares++;
}

static void mark_search(const struct known *known, const char *strategy, uint64_t seed, struct marks *marks)
{
    struct known_search search = known_search(known, strategy, seed, TRIALS);
    struct explanation explanation;
    double forest[KNOWN_MOST];
    explain(search.problem, space_host(search.space), search.history, &explanation);
    fanova_forest(search.history, explanation.count, forest);
    for (uint32_t i = 0; i < explanation.count; i++) {
        uint32_t d = explanation.params[i].index;
        marks->off += fabs(explanation.params[i].alone.expected - known->alone[d]);
        marks->forest += fabs(forest[d] - known->alone[d]);
        mark_place(known, &explanation, i, marks);
    }
    explain_fini(&explanation);
    known_search_end(&search);
}

/* The intervals of each function, also of one that the model can't follow, must hold the truth mostly. */
static void mark_function(const struct known *known, struct marks *marks)
{
    uint32_t shares = marks->shares, held = marks->held;
    for (int s = 0; s < 2; s++)
        for (uint64_t seed = 1; seed <= SEEDS; seed++)
            mark_search(known, strategies[s], seed, marks);
    if (3 * (marks->held - held) < 2 * (marks->shares - shares))
        fail_msg("%s: %u of %u intervals held", known->name, marks->held - held, marks->shares - shares);
}

static void importance_after_a_search_is_near_the_truth_and_right_when_it_is_sure(void **state)
{
    (void)state;
    struct marks marks = {0};
    for (uint32_t k = 0; k < known_count; k++)
        mark_function(&known_functions[k], &marks);
    print_message("# off by %.3f on average, by %.3f at most, the forest by %.3f; %u of %u held, %u sure, %u wrong\n",
                  marks.off / marks.shares, marks.farthest, marks.forest / marks.shares, marks.held, marks.shares,
                  marks.sure, marks.wrong);
    assert_int_equal(marks.wrong, 0);
    assert_true(marks.sure * 2 > marks.shares);
    assert_true(marks.off / marks.shares < 0.05);
    assert_true(marks.off < marks.forest);
    assert_true(marks.farthest < 0.35);
    assert_true(marks.held * 10 > marks.shares * 9);
}

/* Two parameters, one of 96 %: the search has settled it, so that it makes no difference among good trials. */
static void what_a_search_has_settled_still_matters(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct known_search search = known_search(&known_functions[0], "auto", seed, TRIALS);
        struct explanation explanation;
        explain(search.problem, space_host(search.space), search.history, &explanation);
        const struct explained *first = &explanation.params[0];
        assert_int_equal(first->index, 0);
        assert_in_range(100 * first->alone.expected, 94, 98);
        assert_true(first->together.high - first->together.low < 0.1);
        assert_true(explain_is_sure(&explanation, 0));
        explain_fini(&explanation);
        known_search_end(&search);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_shares_of_the_set_are_those_of_its_functions),
        cmocka_unit_test(what_a_search_has_settled_still_matters),
        cmocka_unit_test(importance_after_a_search_is_near_the_truth_and_right_when_it_is_sure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
