/* Rungs and reservoirs: what early stopping compares trials with is in order, found again, and bounded. */
#include "search/stop/reservoir.h"
#include "search/stop/rung.h"
#include "tests/claims.h"
#include "common/rng.h"

enum { TRIALS = 200 };

/* --- rungs --- */

/* Where the trial stands among the others, with few different losses: those that are better come before it, of equal
 * ones the earlier. */
static size_t place_among(const double *losses, size_t trial)
{
    size_t place = 0;
    for (size_t i = 0; i < TRIALS; i++)
        place += losses[i] < losses[trial] || (losses[i] == losses[trial] && i < trial);
    return place;
}

static void trials_stand_by_their_losses_and_are_found_again(void **state)
{
    (void)state;
    struct rng rng = rng_make(1, "rung", 0);
    struct rung rung;
    double losses[TRIALS];
    rung_init(&rung, 1);
    for (size_t i = 0; i < TRIALS; i++) {
        losses[i] = (double)rng_below(&rng, 20);
        size_t place = rung_add(&rung, i + 1, &losses[i]);
        assert_int_equal(rung.entries[place].trial, i + 1);
        assert_true(rung_loss(&rung, place) == losses[i]);
    }
    for (size_t i = 0; i < TRIALS; i++) {
        assert_int_equal(rung_find(&rung, i + 1, losses[i]), place_among(losses, i));
        assert_int_equal(rung_find(&rung, TRIALS + 1, losses[i]), TRIALS);
    }
    rung_fini(&rung);
}

/* How many of the first `count` trials are better in one loss and no worse in the other. */
static int count_dominating(const double (*losses)[2], size_t count, size_t trial)
{
    int dominating = 0;
    for (size_t i = 0; i < count; i++) {
        const double *a = losses[i], *b = losses[trial];
        dominating += a[0] <= b[0] && a[1] <= b[1] && (a[0] < b[0] || a[1] < b[1]);
    }
    return dominating;
}

static void of_two_losses_the_number_of_those_that_dominate_is_the_order(void **state)
{
    (void)state;
    struct rng rng = rng_make(2, "rung", 0);
    struct rung rung;
    double losses[TRIALS][2];
    rung_init(&rung, 2);
    for (size_t i = 0; i < TRIALS; i++) {
        losses[i][0] = (double)rng_below(&rng, 9);
        losses[i][1] = (double)rng_below(&rng, 9);
        rung_add(&rung, i + 1, losses[i]);
        for (size_t place = 0; place <= i; place++) {
            size_t trial = rung.entries[place].trial - 1;
            assert_true(rung.entries[place].key == count_dominating(losses, i + 1, trial));
            assert_true(place == 0 || rung.entries[place - 1].key <= rung.entries[place].key);
            assert_true(rung_loss(&rung, place) == losses[trial][0]);
            assert_int_equal(rung_find(&rung, trial + 1, losses[trial][0]), place);
        }
    }
    rung_fini(&rung);
}

/* --- reservoirs --- */

static void a_median_is_that_of_all_while_they_are_few(void **state)
{
    (void)state;
    struct reservoir reservoir = {0};
    assert_true(reservoir_median(&reservoir) != reservoir_median(&reservoir)); /* NaN */
    static const double values[] = {5, 1, 4, 2, -3, 4}, medians[] = {5, 3, 4, 3, 2, 3};
    for (int i = 0; i < 6; i++) {
        reservoir_add(&reservoir, values[i], 1);
        assert_true(reservoir_median(&reservoir) == medians[i]);
    }
    reservoir_fini(&reservoir);
}

/* Numbers that rise: a sample of the first or of the last ones would have its median far from the middle. */
static void of_many_numbers_a_bounded_fair_sample_is_kept(void **state)
{
    (void)state;
    enum { NUMBERS = 50000, BOUND = 2000 };
    struct reservoir reservoir = {0};
    size_t largest = 0;
    for (int i = 0; i < NUMBERS; i++) {
        reservoir_add(&reservoir, i, 7);
        largest = reservoir.count > largest ? reservoir.count : largest;
    }
    assert_in_range(largest, 500, BOUND);
    assert_int_equal(reservoir.count, largest);
    assert_int_equal(reservoir.seen, NUMBERS);
    for (size_t i = 1; i < reservoir.count; i++)
        assert_true(reservoir.values[i - 1] < reservoir.values[i]);
    assert_in_range((uint64_t)reservoir_median(&reservoir), NUMBERS * 45 / 100, NUMBERS * 55 / 100);
    reservoir_fini(&reservoir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trials_stand_by_their_losses_and_are_found_again),
        cmocka_unit_test(of_two_losses_the_number_of_those_that_dominate_is_the_order),
        cmocka_unit_test(a_median_is_that_of_all_while_they_are_few),
        cmocka_unit_test(of_many_numbers_a_bounded_fair_sample_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
