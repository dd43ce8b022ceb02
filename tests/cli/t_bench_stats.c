/* The numbers that benchmarks are summed up by: quantiles, ranks, the signed-rank test. Reference values were computed
 * with R's and SciPy's tests and by counting all signs. */
#include "cli/bench/stats.h"
#include "tests/claims.h"

#include <math.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void quantiles_are_nearest_ranks(void **state)
{
    (void)state;
    double values[] = {5, 1, 4, 2, 3};
    assert_float_equal(stats_quantile(values, 5, 0.5), 3, 0);
    assert_float_equal(stats_quantile(values, 5, 0.99), 5, 0);
    assert_float_equal(stats_quantile(values, 5, 0.2), 1, 0);
    assert_float_equal(stats_quantile(values, 5, 0), 1, 0);
    assert_true(isnan(stats_quantile(values, 0, 0.5)));
}

static void the_median_of_an_even_number_is_between_the_middle_two(void **state)
{
    (void)state;
    double even[] = {4, 1, 3, 2}, odd[] = {3, 1, 2}, endless[] = {INFINITY, 1, INFINITY, INFINITY};
    assert_float_equal(stats_median(even, 4), 2.5, 0);
    assert_float_equal(stats_median(odd, 3), 2, 0);
    assert_true(isinf(stats_median(endless, 4)));
}

static void none_sorts_behind_everything(void **state)
{
    (void)state;
    double values[] = {NAN, 2, INFINITY, 1};
    stats_sort(values, 4);
    assert_float_equal(values[0], 1, 0);
    assert_true(isinf(values[2]));
    assert_true(isnan(values[3]));
}

static void equal_values_share_the_mean_of_their_ranks(void **state)
{
    (void)state;
    const double values[] = {3, 1, 3, INFINITY, 2, 3};
    const double expected[] = {4, 1, 4, 6, 2, 4};
    double ranks[COUNT(values)];
    stats_ranks(values, COUNT(values), ranks);
    for (size_t i = 0; i < COUNT(values); i++)
        assert_float_equal(ranks[i], expected[i], 0);
}

/* Compares differences with nothing. */
static struct wilcoxon test_of(const double *differences, size_t count)
{
    const double zeros[100] = {0};
    return wilcoxon_test(differences, zeros, count);
}

static void the_probability_of_few_pairs_is_exact(void **state)
{
    (void)state;
    /* Darwin's plants: cross-fertilised less self-fertilised, in eighths of an inch. */
    const double plants[] = {6, 8, 14, 16, 23, 24, 28, 29, 41, -48, 49, 56, 60, -67, 75};
    struct wilcoxon test = test_of(plants, COUNT(plants));
    assert_int_equal(test.pairs, 15);
    assert_int_equal(test.above, 13);
    assert_int_equal(test.below, 2);
    assert_float_equal(test.sum, 96, 0);
    assert_float_equal(test.p, 0.041259765625, 1e-12);
}

static void ties_are_counted_exactly(void **state)
{
    (void)state;
    const double tied[] = {1, 1, 2, -1, 3, 3, -2, 4, 0, 5}, equal[] = {1, 1, 1, 1, 1}, few[] = {2, 2, -1};
    struct wilcoxon test = test_of(tied, COUNT(tied));
    assert_int_equal(test.equal, 1);
    assert_float_equal(test.sum, 38.5, 0);
    assert_float_equal(test.p, 0.0703125, 1e-12);
    assert_float_equal(test_of(equal, COUNT(equal)).p, 0.0625, 1e-12);
    assert_float_equal(test_of(few, COUNT(few)).p, 0.5, 1e-12);
}

static void many_pairs_take_the_normal_distribution(void **state)
{
    (void)state;
    double different[60], tied[80];
    for (int i = 1; i <= 60; i++)
        different[i - 1] = (i * 37) % 101 - 40;
    for (int i = 1; i <= 80; i++)
        tied[i - 1] = (i * 37) % 11 - 4;
    assert_float_equal(test_of(different, 60).p, 0.008430399521170024, 1e-12);
    struct wilcoxon test = test_of(tied, 80);
    assert_int_equal(test.equal, 8);
    assert_float_equal(test.p, 0.008707582425937213, 1e-12);
}

static void the_two_ways_agree_where_they_connector(void **state)
{
    (void)state;
    double differences[WILCOXON_EXACT + 1];
    for (int i = 0; i <= WILCOXON_EXACT; i++)
        differences[i] = (i % 3 ? 1 : -1) * (i + 1);
    double exact = test_of(differences, WILCOXON_EXACT).p, normal = test_of(differences, WILCOXON_EXACT + 1).p;
    assert_float_equal(exact, normal, 0.02); /* of 50 and of 51 pairs */
}

static void without_a_difference_nothing_is_significant(void **state)
{
    (void)state;
    const double same[] = {1, INFINITY, 3};
    struct wilcoxon test = wilcoxon_test(same, same, 3);
    assert_int_equal(test.equal, 3);
    assert_float_equal(test.p, 1, 0);
    assert_float_equal(wilcoxon_test(same, same, 0).p, 1, 0);
}

static void an_infinite_loss_is_the_largest_difference(void **state)
{
    (void)state;
    const double a[] = {INFINITY, 1, 2, 3}, b[] = {0, 2, 4, 6};
    struct wilcoxon test = wilcoxon_test(a, b, 4);
    assert_float_equal(test.sum, 4, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_are_nearest_ranks),
        cmocka_unit_test(the_median_of_an_even_number_is_between_the_middle_two),
        cmocka_unit_test(none_sorts_behind_everything),
        cmocka_unit_test(equal_values_share_the_mean_of_their_ranks),
        cmocka_unit_test(the_probability_of_few_pairs_is_exact),
        cmocka_unit_test(ties_are_counted_exactly),
        cmocka_unit_test(many_pairs_take_the_normal_distribution),
        cmocka_unit_test(the_two_ways_agree_where_they_connector),
        cmocka_unit_test(without_a_difference_nothing_is_significant),
        cmocka_unit_test(an_infinite_loss_is_the_largest_difference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
