/* Grid search. */
#include "tests/claims.h"
#include "tests/searches.h"
#include "common/map.h"
#include "common/hash.h"

#include <stdlib.h>
#include <string.h>

/* The proposals are these, and then there are no more. */
static void proposes(const struct search *search, const char *const *expected, size_t count)
{
    struct space *space = spaces_make_with(search->space, search->constraint);
    struct searcher *searcher = searches_make(search, space, 1);
    for (size_t i = 0; i <= count; i++) {
        char *params = searches_ask(searcher, i + 1);
        assert_string_equal(params, i < count ? expected[i] : "no more");
        free(params);
    }
    char *end = searches_ask(searcher, count + 2);
    assert_string_equal(end, "no more");
    free(end);
    searcher_destroy(searcher);
    space_destroy(space);
}

static void the_last_parameter_goes_fastest(void **state)
{
    (void)state;
    struct search search = {.space = "{'a': [1, 2], 'b': ['x', 'y', 'z']}", .strategy = "grid"};
    const char *expected[] = {"{'a': 1, 'b': 'x'}", "{'a': 1, 'b': 'y'}", "{'a': 1, 'b': 'z'}",
                              "{'a': 2, 'b': 'x'}", "{'a': 2, 'b': 'y'}", "{'a': 2, 'b': 'z'}"};
    proposes(&search, expected, 6);
}

static void inactive_parameters_bring_no_repetitions(void **state)
{
    (void)state;
    struct search search = {
        .space = "{'m': {'values': [1, 2], 'when': {'opt': 'sgd'}}, 'opt': ['sgd', 'adam'], 'n': [7, 8]}",
        .strategy = "grid"};
    const char *expected[] = {"{'m': 1, 'opt': 'sgd', 'n': 7}", "{'m': 1, 'opt': 'sgd', 'n': 8}",
                              "{'m': 2, 'opt': 'sgd', 'n': 7}", "{'m': 2, 'opt': 'sgd', 'n': 8}",
                              "{'opt': 'adam', 'n': 7}",        "{'opt': 'adam', 'n': 8}"};
    proposes(&search, expected, 6);
}

static void continuous_parameters_get_levels_from_end_to_end(void **state)
{
    (void)state;
    struct search search = {
        .space = "{'lr': {'min': 1e-4, 'max': 1.0, 'log': true}}", .strategy = "grid", .options = "{'levels': 5}"};
    const char *expected[] = {"{'lr': 0.0001}", "{'lr': 0.001}", "{'lr': 0.01}", "{'lr': 0.1}", "{'lr': 1.0}"};
    proposes(&search, expected, 5);
    struct search one = {.space = "{'x': {'min': 0.0, 'max': 8.0}}", .strategy = "grid", .options = "{'levels': 1}"};
    const char *middle[] = {"{'x': 4.0}"};
    proposes(&one, middle, 1);
}

static void a_normal_gets_its_quantiles(void **state)
{
    (void)state;
    struct search search = {.space = "{'x': {'mean': 3, 'stddev': 1}}", .strategy = "grid", .options = "{'levels': 3}"};
    const char *expected[] = {"{'x': 2.0325792}", "{'x': 3.0}", "{'x': 3.9674208}"};
    proposes(&search, expected, 3);
}

static void levels_of_logarithmic_and_weighted_parameters_come_once(void **state)
{
    (void)state;
    struct search search = {.space =
                                "{'n': {'min': 1, 'max': 3, 'log': true}, 'c': {'values': [7, 8], 'weights': [1, 99]}}",
                            .strategy = "grid"};
    const char *expected[] = {"{'n': 1, 'c': 7}", "{'n': 1, 'c': 8}", "{'n': 2, 'c': 7}",
                              "{'n': 2, 'c': 8}", "{'n': 3, 'c': 7}", "{'n': 3, 'c': 8}"};
    proposes(&search, expected, 6);
}

static void constraints_are_kept_and_start_points_come_first(void **state)
{
    (void)state;
    struct search search = {.space = "{'a': {'min': 1, 'max': 3}, 'b': {'min': 1, 'max': 3}}",
                            .constraint = "a + b == 4 or a == b",
                            .strategy = "grid",
                            .start = {"{'a': 2, 'b': 2}", "{'a': 3, 'b': 1}"}};
    const char *expected[] = {"{'a': 2, 'b': 2}", "{'a': 3, 'b': 1}", "{'a': 1, 'b': 1}", "{'a': 1, 'b': 3}",
                              "{'a': 3, 'b': 3}"};
    proposes(&search, expected, 5);
}

/* Also where the grid's points are no levels of the space, so that the search itself forgets what was proposed. */
static void a_start_point_on_the_grid_is_not_repeated(void **state)
{
    (void)state;
    struct search search = {.space = "{'x': {'min': 0.0, 'max': 4.0}}",
                            .strategy = "grid",
                            .options = "{'levels': 3}",
                            .start = {"{'x': 4.0}", "{'x': 2.0}", "{'x': 1.0}"}};
    const char *expected[] = {"{'x': 4.0}", "{'x': 2.0}", "{'x': 1.0}", "{'x': 0.0}"};
    proposes(&search, expected, 4);
}

/* All proposals, as a sum of hashes that knows no order; how many there were. */
static uint64_t gather(const struct search *search, uint64_t seed, int *count)
{
    struct space *space = spaces_make_with(search->space, search->constraint);
    struct searcher *searcher = searches_make(search, space, seed);
    struct map seen = {0};
    uint64_t sum = 0;
    for (*count = 0;; ++*count) {
        char *params = searches_ask(searcher, (uint64_t)*count + 1);
        uint64_t hash = hash_text(params);
        bool end = strcmp(params, "no more") == 0;
        free(params);
        if (end)
            break;
        assert_null(map_put(&seen, hash, &seen));
        sum += hash;
    }
    map_fini(&seen);
    searcher_destroy(searcher);
    space_destroy(space);
    return sum;
}

static void shuffled_is_the_same_grid_in_another_order(void **state)
{
    (void)state;
    struct search search = {.space =
                                "{'m': {'min': 1, 'max': 4, 'when': {'opt': 'sgd'}}, 'opt': ['sgd', 'adam', 'lamb'],"
                                " 'x': {'min': 0.0, 'max': 1.0}, 'n': {'min': 1, 'max': 8}}",
                            .constraint = "n != 3",
                            .strategy = "grid",
                            .options = "{'levels': 5}"};
    int sorted_count, shuffled_count;
    uint64_t sorted = gather(&search, 1, &sorted_count);
    search.options = "{'levels': 5, 'order': 'shuffled'}";
    assert_int_equal(gather(&search, 1, &shuffled_count), sorted);
    assert_int_equal(gather(&search, 2, &shuffled_count), sorted);
    assert_int_equal(shuffled_count, sorted_count);
    assert_int_equal(sorted_count, (4 + 2) * 5 * 7);
}

/* A quarter of the shuffled grid holds about a quarter of each value. */
static void shuffled_is_even_from_the_start(void **state)
{
    (void)state;
    struct space *space = spaces_make("{'a': {'min': 0, 'max': 3}, 'b': {'min': 1, 'max': 1000}}");
    struct search search = {.strategy = "grid", .options = "{'order': 'shuffled'}"};
    struct searcher *searcher = searches_make(&search, space, 1);
    int count[4] = {0};
    for (uint64_t trial = 1; trial <= 1000; trial++) {
        char *params = searches_ask(searcher, trial);
        count[params[6] - '0']++;
        free(params);
    }
    for (int i = 0; i < 4; i++)
        assert_in_range(count[i], 200, 300);
    searcher_destroy(searcher);
    space_destroy(space);
}

/* Ten methods with six parameters of ten values each: 10^61 combinations, of which 10^7 are different. */
static void a_huge_grid_of_alternatives_begins_at_once(void **state)
{
    (void)state;
    struct buf text = {0};
    buf_text(&text, "{'method': [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]");
    for (int i = 0; i < 60; i++)
        buf_format(&text, ", 'p%d': {'min': 0, 'max': 9, 'when': {'method': %d}}", i, i / 6);
    buf_text(&text, "}");
    struct space *space = spaces_make(buf_str(&text));
    struct search search = {.strategy = "grid"};
    struct searcher *searcher = searches_make(&search, space, 1);
    for (uint64_t trial = 1; trial <= 1000; trial++)
        free(searches_ask(searcher, trial));
    char *params = searches_ask(searcher, 1001);
    assert_string_equal(params, "{'method': 0, 'p0': 0, 'p1': 0, 'p2': 1, 'p3': 0, 'p4': 0, 'p5': 0}");
    free(params);
    searcher_destroy(searcher);
    search.options = "{'order': 'shuffled'}";
    struct err err = {{0}};
    assert_null(searches_try(&search, space, 1, &err));
    assert_has(err.text, "1e+61 combinations are too many to shuffle; use order: sequential, or fewer levels");
    buf_fini(&text);
    space_destroy(space);
}

static void a_grid_that_constraints_empty_ends_with_a_sentence(void **state)
{
    (void)state;
    struct space *space =
        spaces_make_with("{'x': {'min': 0.0, 'max': 1.0}, 'n': {'min': 1, 'max': 100}}", "x == 0.123");
    struct search search = {.strategy = "grid"};
    struct searcher *searcher = searches_make(&search, space, 1);
    char *params = searches_ask(searcher, 1);
    assert_string_equal(params,
                        "broken: the strategy 'grid' has nothing to try; do the constraints forbid everything?");
    free(params);
    searcher_destroy(searcher);
    space_destroy(space);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_parameter_goes_fastest),
        cmocka_unit_test(inactive_parameters_bring_no_repetitions),
        cmocka_unit_test(continuous_parameters_get_levels_from_end_to_end),
        cmocka_unit_test(a_normal_gets_its_quantiles),
        cmocka_unit_test(levels_of_logarithmic_and_weighted_parameters_come_once),
        cmocka_unit_test(constraints_are_kept_and_start_points_come_first),
        cmocka_unit_test(a_start_point_on_the_grid_is_not_repeated),
        cmocka_unit_test(shuffled_is_the_same_grid_in_another_order),
        cmocka_unit_test(shuffled_is_even_from_the_start),
        cmocka_unit_test(a_huge_grid_of_alternatives_begins_at_once),
        cmocka_unit_test(a_grid_that_constraints_empty_ends_with_a_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
