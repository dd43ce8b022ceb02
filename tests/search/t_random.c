/* Random search. */
#include "tests/claims.h"
#include "tests/searches.h"

#include <stdlib.h>
#include <string.h>

static void proposals_follow_the_distribution_of_the_space(void **state)
{
    (void)state;
    struct space *space = spaces_make("{'lr': {'min': 1e-4, 'max': 1.0, 'log': true},"
                                      " 'opt': {'values': ['sgd', 'adam'], 'weights': [1, 3]}}");
    struct search search = {.strategy = "random"};
    struct searcher *searcher = searches_make(&search, space, 4);
    int decades[4] = {0}, sgd = 0;
    for (uint64_t trial = 1; trial <= 4000; trial++) {
        struct proposal proposal;
        double unit[2];
        assert_int_equal(searcher_ask(searcher, trial, &proposal, NULL), SEARCHER_PROPOSED);
        space_point_of_json(space, proposal.params, unit, NULL);
        decades[(int)(unit[0] * 4)]++;
        sgd += strstr(proposal.params, "sgd") != NULL;
        free(proposal.params);
    }
    for (int i = 0; i < 4; i++)
        assert_in_range(decades[i], 860, 1140); /* 1000, standard deviation 27 */
    assert_in_range(sgd, 860, 1140);
    searcher_destroy(searcher);
    space_destroy(space);
}

/* Whatever was asked before. */
static void a_proposal_depends_on_the_trial_alone(void **state)
{
    (void)state;
    struct space *space = spaces_make("{'lr': {'min': 1e-4, 'max': 1.0, 'log': true}}");
    struct search search = {.strategy = "random"};
    struct searcher *a = searches_make(&search, space, 4), *b = searches_make(&search, space, 4);
    for (uint64_t trial = 1; trial < 7; trial++)
        free(searches_ask(a, trial));
    char *first = searches_ask(a, 7), *second = searches_ask(b, 7), *other = searches_ask(b, 8);
    assert_string_equal(first, second);
    assert_string_not_equal(first, other);
    free(first);
    free(second);
    free(other);
    searcher_destroy(a);
    searcher_destroy(b);
    space_destroy(space);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(proposals_follow_the_distribution_of_the_space),
        cmocka_unit_test(a_proposal_depends_on_the_trial_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
