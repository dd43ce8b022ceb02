/* Claims about strategies that try the good points of earlier experiments again. */
#include "tests/claims.h"
#include "tests/searches.h"

#include <stdlib.h>
#include <string.h>

static const char *const strategies[] = {"tpe", "forest", "cmaes", "evolution"};
enum { STRATEGIES = sizeof strategies / sizeof *strategies };

static const char *const square = "{'x': {'min': 0.0, 'max': 1.0}, 'y': {'min': 0.0, 'max': 1.0}}";

/* Two experiments in different units; the second one has two good points that are nearly the same. */
static const struct searcher_past two_experiments[] = {
    {.source = 0, .params = "{\"x\": 0.9, \"y\": 0.9}", .loss = 7000},
    {.source = 0, .params = "{\"x\": 0.1, \"y\": 0.2}", .loss = 1000},
    {.source = 0, .params = "{\"x\": 0.5, \"y\": 0.5}", .failed = true},
    {.source = 1, .params = "{\"x\": 0.81, \"y\": 0.3}", .loss = -2},
    {.source = 1, .params = "{\"x\": 0.8, \"y\": 0.3}", .loss = -3},
    {.source = 1, .params = "{\"x\": 0.2, \"y\": 0.6}", .loss = -1},
    {.source = 1, .params = "{\"x\": 0.4, \"y\": 0.1}", .loss = 5},
    {.params = NULL},
};

static struct searcher *make(const char *strategy, const struct space *space)
{
    struct search search = {.strategy = strategy, .past = two_experiments};
    return searches_make(&search, space, 1);
}

static void expect(struct searcher *searcher, uint64_t trial, const char *params)
{
    char *found = searches_ask(searcher, trial);
    assert_string_equal(found, params);
    free(found);
}

static void experiments_take_turns_and_the_best_of_each_comes_first(void **state)
{
    (void)state;
    struct space *space = spaces_make(square);
    for (int s = 0; s < STRATEGIES; s++) {
        struct searcher *searcher = make(strategies[s], space);
        expect(searcher, 1, "{'x': 0.1, 'y': 0.2}");
        expect(searcher, 2, "{'x': 0.8, 'y': 0.3}");
        searcher_destroy(searcher);
    }
    space_destroy(space);
}

/* What failed is not tried, and of two points that are nearly the same only the better one at first. */
static void what_comes_next_lies_far_from_what_was_tried(void **state)
{
    (void)state;
    struct space *space = spaces_make(square);
    struct searcher *searcher = make("evolution", space);
    const char *const order[] = {"{'x': 0.1, 'y': 0.2}", "{'x': 0.8, 'y': 0.3}", "{'x': 0.9, 'y': 0.9}",
                                 "{'x': 0.2, 'y': 0.6}", "{'x': 0.4, 'y': 0.1}", "{'x': 0.81, 'y': 0.3}"};
    for (uint64_t trial = 1; trial <= 6; trial++)
        expect(searcher, trial, order[trial - 1]);
    char *seventh = searches_ask(searcher, 7);
    for (size_t i = 0; i < 6; i++)
        assert_string_not_equal(seventh, order[i]);
    free(seventh);
    searcher_destroy(searcher);
    space_destroy(space);
}

static void what_constraints_forbid_or_a_start_point_has_is_not_tried(void **state)
{
    (void)state;
    struct space *space = spaces_make_with(square, "x + y > 0.5");
    for (int s = 0; s < STRATEGIES; s++) {
        struct search search = {.strategy = strategies[s], .past = two_experiments, .start = {"{'x': 0.8, 'y': 0.3}"}};
        struct searcher *searcher = searches_make(&search, space, 1);
        uint64_t forbidden, repeated;
        expect(searcher, 1, "{'x': 0.8, 'y': 0.3}");
        expect(searcher, 2, "{'x': 0.9, 'y': 0.9}");
        searcher_rejections(searcher, &forbidden, &repeated);
        assert_int_equal(forbidden, 0);
        searcher_destroy(searcher);
    }
    space_destroy(space);
}

/* With results at once, or all of them late. */
static void no_more_than_half_of_the_first_trials_are_of_the_past(void **state)
{
    (void)state;
    struct space *space = spaces_make(square);
    for (int run = 0; run < 2 * STRATEGIES; run++) {
        struct searcher *searcher = make(strategies[run / 2], space);
        int old = 0;
        for (uint64_t trial = 1; trial <= 16; trial++) {
            char *params = searches_ask(searcher, trial);
            for (char *c = params; *c; c++)
                *c = *c == '\'' ? '"' : *c;
            for (size_t i = 0; two_experiments[i].params; i++)
                old += strcmp(params, two_experiments[i].params) == 0;
            free(params);
            if (run % 2)
                searcher_tell(searcher, trial, ENDING_COMPLETED, (double)(trial % 5), 1);
        }
        assert_true(old >= 2 && old <= 8);
        searcher_destroy(searcher);
    }
    space_destroy(space);
}

static void a_search_that_is_brought_back_goes_on_where_it_was(void **state)
{
    (void)state;
    struct space *space = spaces_make(square);
    struct err err;
    for (int s = 0; s < STRATEGIES; s++)
        for (uint64_t known = 0; known < 12; known++) {
            struct searcher *first = make(strategies[s], space), *second = make(strategies[s], space);
            for (uint64_t trial = 1; trial <= known; trial++) {
                struct proposal proposal;
                assert_int_equal(searcher_ask(first, trial, &proposal, &err), SEARCHER_PROPOSED);
                assert_int_equal(searcher_recall(second, trial, proposal.params, &err), 0);
                free(proposal.params);
                for (int i = 0; i < 2 && trial > 1; i++)
                    searcher_tell(i ? first : second, trial - 1, ENDING_COMPLETED, (double)(trial % 3), 1);
            }
            char *one = searches_ask(first, known + 1), *two = searches_ask(second, known + 1);
            assert_string_equal(one, two);
            free(one);
            free(two);
            searcher_destroy(first);
            searcher_destroy(second);
        }
    space_destroy(space);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(experiments_take_turns_and_the_best_of_each_comes_first),
        cmocka_unit_test(what_comes_next_lies_far_from_what_was_tried),
        cmocka_unit_test(what_constraints_forbid_or_a_start_point_has_is_not_tried),
        cmocka_unit_test(no_more_than_half_of_the_first_trials_are_of_the_past),
        cmocka_unit_test(a_search_that_is_brought_back_goes_on_where_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
