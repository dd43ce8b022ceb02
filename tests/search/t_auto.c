/* The strategy auto: it comes back the same, its methods learn of each other's trials, and shares leave methods out. */
#include "tests/claims.h"
#include "tests/searches.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TRIALS = 60, SLOTS = 4 };

static const char *const mixed = "{'x': {'min': 0.0, 'max': 1.0}, 'opt': ['sgd', 'adam', 'lamb'],"
                                 " 'm': {'min': 0.0, 'max': 1.0, 'when': {'opt': 'sgd'}}, 'k': {'min': 1, 'max': 9}}";

/* Runs a search whose trials end SLOTS behind their asks; asks from trial `from` on, before it recalls params[]. */
static void run(struct searcher *searcher, const struct space *space, char *params[TRIALS + 1], int from)
{
    struct err err = {{0}};
    double loss[TRIALS + 1];
    for (int trial = 1; trial <= TRIALS; trial++) {
        int ends = trial - SLOTS;
        if (ends > 0)
            searcher_tell(searcher, (uint64_t)ends, ends % 9 ? ENDING_COMPLETED : ENDING_EXITED, loss[ends], 1);
        double unit[SPACES_MOST];
        if (trial < from) {
            assert_int_equal(searcher_recall(searcher, (uint64_t)trial, params[trial], &err), 0);
        } else {
            struct proposal proposal;
            assert_int_equal(searcher_ask(searcher, (uint64_t)trial, &proposal, &err), SEARCHER_PROPOSED);
            if (params[trial])
                assert_string_equal(params[trial], proposal.params);
            free(params[trial]);
            params[trial] = proposal.params;
        }
        assert_int_equal(space_point_of_json(space, params[trial], unit, NULL), 0);
        loss[trial] = pow(unit[0] - 0.4, 2) + (isnan(unit[2]) ? 0.3 : pow(unit[2] - 0.7, 2));
    }
    searcher_destroy(searcher);
}

static void let_go(char *params[TRIALS + 1])
{
    for (int i = 0; i <= TRIALS; i++)
        free(params[i]);
}

static void brought_back_anywhere_it_proposes_the_same(void **state)
{
    (void)state;
    struct search search = {.strategy = "auto", .options = "{'gp': 0.7, 'tpe': 0.3}"};
    struct space *space = spaces_make(mixed);
    char *params[TRIALS + 1] = {NULL};
    for (int from = 1; from <= TRIALS; from += 13)
        run(searches_make(&search, space, 4), space, params, from);
    let_go(params);
    space_destroy(space);
}

/* What a method alone proposes is what auto proposes when that method has the only share. */
static void a_share_of_nothing_leaves_a_method_out(void **state)
{
    (void)state;
    struct search alone = {.strategy = "tpe"}, only = {.strategy = "auto", .options = "{'gp': 0, 'tpe': 0.1}"};
    struct space *space = spaces_make(mixed);
    char *params[TRIALS + 1] = {NULL};
    run(searches_make(&alone, space, 7), space, params, 1);
    run(searches_make(&only, space, 7), space, params, 1);
    let_go(params);
    space_destroy(space);
}

static void no_share_at_all_is_refused(void **state)
{
    (void)state;
    struct search none = {.strategy = "auto", .options = "{'gp': 0, 'tpe': 0}"};
    struct space *space = spaces_make(mixed);
    struct err err = {{0}};
    assert_null(searches_try(&none, space, 1, &err));
    assert_has(err.text, "the shares of all methods are 0");
    space_destroy(space);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(brought_back_anywhere_it_proposes_the_same),
        cmocka_unit_test(a_share_of_nothing_leaves_a_method_out),
        cmocka_unit_test(no_share_at_all_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
