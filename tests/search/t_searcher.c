/* Searches: what is proposed, when it ends, what strategies are told. */
#include "tests/claims.h"
#include "tests/searches.h"
#include "common/hash.h"
#include "common/map.h"
#include "common/set.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const strategies[] = {"random", "grid", "sobol", "hello", "tpe", "cmaes", "evolution"};
enum { STRATEGIES = sizeof strategies / sizeof *strategies };

/* Asks and tells until there is no more; how many proposals there were, none twice, all allowed. */
static int exhaust(struct searcher *searcher, const struct space *space)
{
    struct map seen = {0};
    int count = 0;
    for (;; count++) {
        struct proposal proposal;
        double unit[SPACES_MOST];
        struct err err = {{0}};
        enum searcher_answer answer = searcher_ask(searcher, (uint64_t)count + 1, &proposal, &err);
        if (answer == SEARCHER_NO_MORE)
            break;
        if (answer != SEARCHER_PROPOSED)
            fail_msg("%s", err.text);
        assert_int_equal(space_point_of_json(space, proposal.params, unit, NULL), 0);
        assert_true(space_allowed(space, unit));
        assert_int_equal(space_fingerprint(space, unit), proposal.fingerprint);
        assert_null(map_put(&seen, hash_text(proposal.params), &seen));
        free(proposal.params);
        searcher_tell(searcher, (uint64_t)count + 1, ENDING_COMPLETED, count % 7, 1);
    }
    map_fini(&seen);
    return count;
}

/* How many configurations of a finite space are allowed. */
static int count_allowed(const struct space *space)
{
    double unit[SPACES_MOST];
    int count = 0;
    space_first(space, unit);
    do
        count += space_allowed(space, unit);
    while (space_next(space, unit));
    return count;
}

static void a_space_of_seven_gives_exactly_seven(void **state)
{
    (void)state;
    struct space *space =
        spaces_make_with("{'a': {'min': 1, 'max': 4}, 'b': ['x', 'y'], 'c': {'values': [true, false], "
                         "'when': {'b': 'x'}}}",
                         "a <= 2 or (a == 3 and b == 'y')");
    assert_int_equal(count_allowed(space), 7);
    for (int s = 0; s < STRATEGIES; s++)
        for (uint64_t seed = 0; seed < 20; seed++) {
            struct search search = {.strategy = strategies[s]};
            struct searcher *searcher = searches_make(&search, space, seed);
            assert_int_equal(exhaust(searcher, space), 7);
            searcher_destroy(searcher);
        }
    space_destroy(space);
}

static void every_finite_space_is_exhausted_without_a_repetition(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        struct rng rng = rng_make(seed, "exhaust", 0);
        struct space *space = spaces_random_finite(&rng);
        if (space_size(space, NULL) < 3000)
            for (int s = 0; s < STRATEGIES; s++) {
                struct search search = {.strategy = strategies[s]};
                struct searcher *searcher = searches_make(&search, space, seed);
                assert_int_equal(exhaust(searcher, space), count_allowed(space));
                searcher_destroy(searcher);
            }
        space_destroy(space);
    }
}

/* Values of a continuous range keep some digits: a range that is narrower has few of them, and a search tries them all.
 */
static void a_range_of_a_few_digits_is_used_up(void **state)
{
    (void)state;
    struct space *space = spaces_make("{'a': {'min': 0.1, 'max': 0.10000000000000002}}");
    struct search random = {.strategy = "random"}, grid = {.strategy = "grid"};
    struct searcher *draws = searches_make(&random, space, 1), *lays = searches_make(&grid, space, 1);
    assert_in_range(exhaust(draws, space), 1, 3);
    assert_in_range(exhaust(lays, space), 1, 3);
    searcher_destroy(draws);
    searcher_destroy(lays);
    space_destroy(space);
}

/* The proposals are these. */
static void proposes(const struct search *search, const char *const *expected, size_t count)
{
    struct space *space = spaces_make_with(search->space, search->constraint);
    struct searcher *searcher = searches_make(search, space, 1);
    for (size_t i = 0; i < count; i++) {
        char *params = searches_ask(searcher, i + 1);
        assert_string_equal(params, expected[i]);
        free(params);
    }
    searcher_destroy(searcher);
    space_destroy(space);
}

static void start_points_come_first_and_once(void **state)
{
    (void)state;
    struct search search = {.space = "{'a': {'min': 1, 'max': 2}, 'b': ['x', 'y'], 'k': 3}",
                            .strategy = "random",
                            .start = {"{'a': 2, 'b': 'y'}", "{'b': 'y', 'a': 2.0, 'k': 3}", "{'a': 1, 'b': 'x'}"}};
    const char *expected[] = {"{'a': 2, 'b': 'y', 'k': 3}", "{'a': 1, 'b': 'x', 'k': 3}"};
    proposes(&search, expected, 2);
}

static void start_points_are_completed_by_defaults_and_chance(void **state)
{
    (void)state;
    struct space *space =
        spaces_make_with("{'a': {'min': 1, 'max': 100, 'default': 7}, 'b': {'min': 1, 'max': 100}}", "b > 98");
    struct search search = {.strategy = "random", .start = {"{}", "{'a': 8}"}};
    struct searcher *searcher = searches_make(&search, space, 1);
    char *first = searches_ask(searcher, 1), *second = searches_ask(searcher, 2);
    assert_true(strncmp(first, "{'a': 7, 'b': ", 14) == 0);
    assert_true(strncmp(second, "{'a': 8, 'b': ", 14) == 0);
    free(first);
    free(second);
    searcher_destroy(searcher);
    space_destroy(space);
}

static void proposals_say_whether_they_are_start_points(void **state)
{
    (void)state;
    struct space *space = spaces_make("{'a': {'min': 1, 'max': 100}}");
    struct search search = {.strategy = "random", .start = {"{'a': 7}"}};
    struct searcher *searcher = searches_make(&search, space, 1);
    for (uint64_t trial = 1; trial <= 2; trial++) {
        struct proposal proposal;
        assert_int_equal(searcher_ask(searcher, trial, &proposal, NULL), SEARCHER_PROPOSED);
        assert_int_equal(proposal.from_start, trial == 1);
        free(proposal.params);
    }
    searcher_destroy(searcher);
    space_destroy(space);
}

/* --- what can't be made --- */

static void refused(const struct search *search, const char *sentence)
{
    struct space *space = spaces_make_with(search->space, search->constraint);
    struct err err = {{0}};
    assert_null(searches_try(search, space, 1, &err));
    assert_has(err.text, sentence);
    space_destroy(space);
}

static void mistakes_are_named(void **state)
{
    (void)state;
    struct search search = {.space = "{'a': {'min': 1, 'max': 9}}", .constraint = "a > 3", .strategy = "random"};
    search.start[0] = "{'a': 10}";
    refused(&search, "start point 1: 'a' can't be 10: it is between 1 and 9");
    search.start[0] = "{'a': 4}";
    search.start[1] = "{'b': 4}";
    refused(&search, "start point 2: there is no parameter 'b'");
    search.start[1] = "{'a': 2}";
    refused(&search, "start point 2: it violates the constraint 'a > 3'");
    search.start[0] = NULL;
    search.options = "{'levels': 3}";
    refused(&search, "the strategy 'random' has no options, so 'levels' can't be set");
    search.options = NULL;
    search.strategy = "unset";
    refused(&search, "the strategy 'unset' is broken: its default for 'step' is not valid");
}

static void an_unknown_strategy_is_answered_with_the_list(void **state)
{
    (void)state;
    struct space *space = spaces_make("{'a': {'min': 1, 'max': 9}}");
    struct searcher_setup setup = {.space = space, .strategy = "soboll"};
    struct err err = {{0}};
    assert_null(searcher_create(&setup, &err));
    assert_has(err.text, "there is no strategy 'soboll' (did you mean 'sobol'?); there are: ");
    assert_has(err.text, ", and those of plug-ins");
    setup.plugin = searches_plugin("hello");
    assert_null(searcher_create(&setup, &err));
    assert_has(err.text, "holds the strategy 'hello', not 'soboll'; write strategy: {name: hello, plugin: ...}");
    space_destroy(space);
}

static void a_space_of_constants_is_refused(void **state)
{
    (void)state;
    struct search search = {.space = "{'k': 3}", .strategy = "random"};
    refused(&search, "there is nothing to search: every parameter is a constant; give one a range or a list");
}

/* --- ends --- */

static void constraints_that_nothing_satisfies_end_the_search_with_a_sentence(void **state)
{
    (void)state;
    struct search search = {.strategy = "random"};
    struct space *space = spaces_make_with("{'a': {'min': 1, 'max': 9}, 'b': [1, 2]}", "a * b > 18");
    struct searcher *searcher = searches_make(&search, space, 1);
    char *answer = searches_ask(searcher, 1);
    assert_string_equal(answer, "broken: of 1018 configurations tried none satisfies the constraints; most violate "
                                "'a * b > 18'");
    free(answer);
    searcher_destroy(searcher);
    space_destroy(space);
    space = spaces_make_with("{'x': {'min': 0.0, 'max': 1.0}}", "x > 2");
    searcher = searches_make(&search, space, 1);
    answer = searches_ask(searcher, 1);
    assert_string_equal(answer, "broken: of 1000000 configurations tried none satisfies the constraints; most violate "
                                "'x > 2'");
    free(answer);
    searcher_destroy(searcher);
    space_destroy(space);
}

static void a_small_allowed_part_is_found(void **state)
{
    (void)state;
    struct space *space = spaces_make_with("{'x': {'min': 0.0, 'max': 1.0}, 'y': {'min': 0.0, 'max': 1.0}}",
                                           "abs(x - 0.3) < 0.005 and abs(y - 0.7) < 0.005");
    for (int s = 0; s < STRATEGIES; s++) {
        if (strcmp(strategies[s], "grid") == 0)
            continue;
        struct search search = {.strategy = strategies[s]};
        struct searcher *searcher = searches_make(&search, space, 2);
        for (uint64_t trial = 1; trial <= 5; trial++) {
            char *params = searches_ask(searcher, trial);
            if (*params != '{')
                fail_msg("%s: %s", strategies[s], params);
            free(params);
        }
        searcher_destroy(searcher);
    }
    space_destroy(space);
}

static void repeats_come_when_they_are_asked_for(void **state)
{
    (void)state;
    struct search search = {.space = "{'a': [1]}", .strategy = "random", .repeat = true};
    const char *expected[] = {"{'a': 1}", "{'a': 1}", "{'a': 1}"};
    proposes(&search, expected, 3);
}

static void rejections_are_counted(void **state)
{
    (void)state;
    struct space *space = spaces_make_with("{'a': {'min': 1, 'max': 10}}", "a > 5");
    struct search search = {.strategy = "random"};
    struct searcher *searcher = searches_make(&search, space, 1);
    assert_int_equal(exhaust(searcher, space), 5);
    uint64_t forbidden, repeated;
    searcher_rejections(searcher, &forbidden, &repeated);
    assert_true(forbidden > 5 && repeated > 5);
    searcher_destroy(searcher);
    space_destroy(space);
}

static void a_trial_is_asked_for_once(void **state)
{
    (void)state;
    struct space *space = spaces_make("{'a': {'min': 1, 'max': 10}}");
    struct search search = {.strategy = "random"};
    struct searcher *searcher = searches_make(&search, space, 1);
    free(searches_ask(searcher, 1));
    char *answer = searches_ask(searcher, 1);
    assert_string_equal(answer, "broken: trial 1 has a configuration already");
    free(answer);
    struct err err = {{0}};
    assert_int_equal(searcher_recall(searcher, 1, "{\"a\": 3}", &err), -1);
    assert_int_equal(searcher_recall(searcher, 2, "{\"a\": 30}", &err), -1);
    assert_string_equal(err.text, "trial 2: 'a' can't be 30: it is between 1 and 10");
    searcher_destroy(searcher);
    space_destroy(space);
}

/* --- what strategies are asked --- */

static void start_points_are_noted_too(void **state)
{
    (void)state;
    struct search search = {.space = "{'notes': {'min': 0, 'max': 99}, 'trial': {'min': 0, 'max': 99}}",
                            .strategy = "echo",
                            .start = {"{'notes': 50, 'trial': 50}", "{'notes': 51, 'trial': 50}"}};
    const char *expected[] = {"{'notes': 50, 'trial': 50}", "{'notes': 51, 'trial': 50}", "{'notes': 2, 'trial': 3}"};
    proposes(&search, expected, 3);
}

static void a_strategy_is_asked_again_64_times(void **state)
{
    (void)state;
    struct search search = {
        .space = "{'retry': {'min': 0, 'max': 99}}", .constraint = "retry >= 64", .strategy = "echo"};
    const char *expected[] = {"{'retry': 64}"};
    proposes(&search, expected, 1);
}

/* --- strategies that misbehave --- */

static void rogue(const char *mode, const char *const *expected, size_t count)
{
    char options[64];
    snprintf(options, sizeof options, "{'mode': '%s'}", mode);
    struct search search = {
        .space = "{'x': {'min': 0.0, 'max': 4.0}, 'n': {'min': 1, 'max': 3}}",
        .strategy = "rogue",
        .options = options,
        .repeat = true,
    };
    proposes(&search, expected, count);
}

static void odd_coordinates_do_no_harm(void **state)
{
    (void)state;
    const char *nan[] = {"{'x': 2.0, 'n': 2}", "{'x': 2.0, 'n': 2}"};
    rogue("nan", nan, 2);
    const char *outside[] = {"{'x': 4.0, 'n': 3}", "{'x': 0.0, 'n': 1}"};
    rogue("outside", outside, 2);
    rogue("nothing", nan, 2);
}

static void errors_become_sentences(void **state)
{
    (void)state;
    const char *later[] = {"broken: the strategy 'rogue' wants to wait for a trial, but none runs"};
    rogue("later", later, 1);
    const char *error[] = {"broken: the strategy 'rogue' failed: the moon is full"};
    rogue("error", error, 1);
    const char *mute[] = {"broken: the strategy 'rogue' failed: it does not say why"};
    rogue("error_mute", mute, 1);
    const char *nonsense[] = {"broken: the strategy 'rogue' gave an answer that means nothing (77)"};
    rogue("nonsense", nonsense, 1);
    const char *no_more[] = {"broken: the strategy 'rogue' has nothing to try"};
    rogue("no_more", no_more, 1);
    struct search search = {.space = "{'x': [1, 2]}", .strategy = "rogue", .options = "{'mode': 'refuse_mute'}"};
    refused(&search, "the strategy 'rogue' can't search this: it does not say why");
    search.options = "{'mode': 'refuse'}";
    refused(&search, "the strategy 'rogue' can't search this: xxxxxxxx");
}

static void a_sentence_without_an_end_is_closed(void **state)
{
    (void)state;
    struct space *space = spaces_make("{'x': [1, 2]}");
    struct search search = {.strategy = "rogue", .options = "{'mode': 'endless'}"};
    struct searcher *searcher = searches_make(&search, space, 1);
    char *answer = searches_ask(searcher, 1);
    assert_has(answer, "failed: xxxx");
    assert_true(strlen(answer) < 600);
    free(answer);
    searcher_destroy(searcher);
    space_destroy(space);
}

static void later_is_fine_while_a_trial_runs(void **state)
{
    (void)state;
    struct space *space = spaces_make("{'x': [1, 2]}");
    struct search search = {.strategy = "rogue", .options = "{'mode': 'later'}", .start = {"{'x': 2}"}};
    struct searcher *searcher = searches_make(&search, space, 1);
    free(searches_ask(searcher, 1));
    char *answer = searches_ask(searcher, 2);
    assert_string_equal(answer, "later");
    free(answer);
    searcher_tell(searcher, 1, ENDING_COMPLETED, 1, 1);
    answer = searches_ask(searcher, 2);
    assert_has(answer, "wants to wait for a trial, but none runs");
    free(answer);
    searcher_destroy(searcher);
    space_destroy(space);
}

/* One that always proposes the same is helped out. */
static void a_stubborn_strategy_exhausts_a_finite_space_all_the_same(void **state)
{
    (void)state;
    struct space *space = spaces_make("{'a': {'min': 1, 'max': 30}, 'b': [1, 2, 3]}");
    struct search search = {.strategy = "rogue", .options = "{'mode': 'same'}"};
    struct searcher *searcher = searches_make(&search, space, 1);
    assert_int_equal(exhaust(searcher, space), 90);
    searcher_destroy(searcher);
    space_destroy(space);
}

static void a_stubborn_strategy_repeats_nothing_in_an_infinite_space(void **state)
{
    (void)state;
    struct space *space = spaces_make("{'x': {'min': 0.0, 'max': 4.0}, 'n': {'min': 1, 'max': 3}}");
    struct search search = {.strategy = "rogue", .options = "{'mode': 'same'}"};
    struct searcher *searcher = searches_make(&search, space, 1);
    struct set seen = {0};
    for (uint64_t trial = 1; trial <= 50; trial++) {
        char *params = searches_ask(searcher, trial);
        assert_false(set_has(&seen, hash_text(params)));
        set_add(&seen, hash_text(params));
        free(params);
    }
    set_fini(&seen);
    searcher_destroy(searcher);
    space_destroy(space);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_space_of_seven_gives_exactly_seven),
        cmocka_unit_test(every_finite_space_is_exhausted_without_a_repetition),
        cmocka_unit_test(a_range_of_a_few_digits_is_used_up),
        cmocka_unit_test(start_points_come_first_and_once),
        cmocka_unit_test(start_points_are_completed_by_defaults_and_chance),
        cmocka_unit_test(proposals_say_whether_they_are_start_points),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(an_unknown_strategy_is_answered_with_the_list),
        cmocka_unit_test(a_space_of_constants_is_refused),
        cmocka_unit_test(constraints_that_nothing_satisfies_end_the_search_with_a_sentence),
        cmocka_unit_test(a_small_allowed_part_is_found),
        cmocka_unit_test(repeats_come_when_they_are_asked_for),
        cmocka_unit_test(rejections_are_counted),
        cmocka_unit_test(a_trial_is_asked_for_once),
        cmocka_unit_test(start_points_are_noted_too),
        cmocka_unit_test(a_strategy_is_asked_again_64_times),
        cmocka_unit_test(odd_coordinates_do_no_harm),
        cmocka_unit_test(errors_become_sentences),
        cmocka_unit_test(a_sentence_without_an_end_is_closed),
        cmocka_unit_test(later_is_fine_while_a_trial_runs),
        cmocka_unit_test(a_stubborn_strategy_exhausts_a_finite_space_all_the_same),
        cmocka_unit_test(a_stubborn_strategy_repeats_nothing_in_an_infinite_space),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
