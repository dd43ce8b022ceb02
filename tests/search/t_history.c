/* The history of a search: what is kept of what a strategy was told. */
#include "tests/claims.h"
#include "search/history/history.h"
#include "common/rng.h"

#include <malloc.h>
#include <math.h>
#include <stdlib.h>

/* A problem with one parameter. */
struct setting {
    struct gannet_space space;
    struct gannet_problem problem;
};

static struct history *make(struct setting *setting, uint32_t objectives, uint32_t limits, uint32_t most)
{
    setting->space = (struct gannet_space){.count = 1};
    setting->problem = (struct gannet_problem){
        .space = &setting->space, .seed = 7, .objectives = objectives, .limits = limits, .options = NULL};
    return history_create(&setting->problem, most);
}

static void note(struct history *history, uint64_t trial)
{
    double unit = (double)trial / 1e7;
    history_note(history, trial, &unit);
}

static struct gannet_outcome_of_trial outcome_of(uint64_t trial, double *numbers, enum gannet_outcome outcome)
{
    numbers[0] = (double)trial / 1e7;
    return (struct gannet_outcome_of_trial){.trial = trial,
                                            .unit = numbers,
                                            .outcome = outcome,
                                            .loss = outcome == GANNET_FINISHED ? numbers[1] : NAN,
                                            .losses = numbers + 1,
                                            .violation = numbers + 3,
                                            .seconds = 1,
                                            .energy = NAN};
}

static void tell(struct history *history, uint64_t trial, enum gannet_outcome outcome, double loss)
{
    double numbers[] = {0, loss, 0, 0};
    struct gannet_outcome_of_trial told = outcome_of(trial, numbers, outcome);
    history_tell(history, &told);
}

static void finish(struct history *history, uint64_t trial, double loss)
{
    tell(history, trial, GANNET_FINISHED, loss);
}

static void tell_two(struct history *history, uint64_t trial, double first, double second)
{
    double numbers[] = {0, first, second, 0};
    struct gannet_outcome_of_trial told = outcome_of(trial, numbers, GANNET_FINISHED);
    history_tell(history, &told);
}

static void tell_limited(struct history *history, uint64_t trial, double loss, double violation)
{
    double numbers[] = {0, loss, 0, violation};
    struct gannet_outcome_of_trial told = outcome_of(trial, numbers, GANNET_FINISHED);
    history_tell(history, &told);
}

/* At a step: an observation, or a tell. */
static void see(struct history *history, uint64_t trial, uint64_t step, double loss, bool ended)
{
    double numbers[] = {0, loss, 0, 0};
    struct gannet_outcome_of_trial seen = outcome_of(trial, numbers, GANNET_FINISHED);
    seen.step = step;
    if (ended)
        history_tell(history, &seen);
    else
        history_observe(history, &seen);
}

/* The trials on record, as a number in base 10. */
static uint64_t digits(const struct history *history)
{
    uint64_t number = 0;
    for (uint32_t i = 0; i < history_count(history); i++)
        number = number * 10 + history_record(history, i)->trial;
    return number;
}

static bool has(const struct history *history, uint64_t trial)
{
    for (uint32_t i = 0; i < history_count(history); i++)
        if (history_record(history, i)->trial == trial)
            return true;
    return false;
}

static uint64_t best(const struct history *history)
{
    const struct record *record = history_best(history);
    return record ? record->trial : 0;
}

static void records_stand_in_the_order_of_tells(void **state)
{
    (void)state;
    struct setting setting;
    struct history *history = make(&setting, 1, 0, 0);
    finish(history, 3, .5);
    tell(history, 1, GANNET_FAILED, 0);
    finish(history, 2, .25);
    assert_int_equal(digits(history), 312);
    const struct record *record = history_record(history, 0);
    assert_true(record->loss == .5 && !record->failed && record->ended && record->unit[0] == 3 / 1e7);
    assert_true(!record->losses && !record->violation && isnan(record->energy) && record->seconds == 1);
    record = history_record(history, 1);
    assert_true(record->failed && isnan(record->loss));
    history_destroy(history);
}

static void void_trials_leave_nothing_but_their_count(void **state)
{
    (void)state;
    struct setting setting;
    struct history *history = make(&setting, 1, 0, 0);
    note(history, 1);
    note(history, 2);
    see(history, 2, 3, .5, false);
    tell(history, 1, GANNET_VOID, 0);
    tell(history, 2, GANNET_VOID, 0);
    assert_int_equal(history_count(history), 0);
    assert_int_equal(history_pending_count(history), 0);
    assert_int_equal(history_told(history), 2);
    assert_null(history_best(history));
    history_destroy(history);
}

static void a_loss_that_is_no_number_is_a_failure(void **state)
{
    (void)state;
    struct setting setting;
    struct history *history = make(&setting, 1, 0, 0);
    finish(history, 1, NAN);
    finish(history, 2, INFINITY);
    assert_true(history_record(history, 0)->failed && history_record(history, 1)->failed);
    assert_null(history_best(history));
    history_destroy(history);
}

static void pending_trials_stand_in_the_order_of_notes(void **state)
{
    (void)state;
    struct setting setting;
    struct history *history = make(&setting, 1, 0, 0);
    const uint64_t notes[] = {4, 2, 9, 1};
    for (int i = 0; i < 4; i++)
        note(history, notes[i]);
    note(history, 2); /* noted before: ignored */
    finish(history, 9, 1);
    finish(history, 77, 1); /* never noted */
    assert_int_equal(history_pending_count(history), 3);
    const uint64_t left[] = {4, 2, 1};
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(history_pending(history, i)->trial, left[i]);
        assert_true(history_pending(history, i)->unit[0] == (double)left[i] / 1e7);
    }
    history_destroy(history);
}

static void an_observed_trial_has_one_record_and_stays_pending(void **state)
{
    (void)state;
    struct setting setting;
    struct history *history = make(&setting, 1, 0, 0);
    for (uint64_t trial = 1; trial <= 3; trial++)
        note(history, trial);
    see(history, 2, 1, .9, false);
    finish(history, 1, .8);
    see(history, 2, 3, .7, false);
    assert_int_equal(digits(history), 21);
    assert_true(history_record(history, 0)->loss == .7 && !history_record(history, 0)->ended);
    assert_int_equal(history_pending_count(history), 2);
    see(history, 2, 9, .6, true);
    assert_int_equal(digits(history), 21);
    assert_true(history_record(history, 0)->ended && history_record(history, 0)->step == 9);
    assert_int_equal(history_pending_count(history), 1);
    history_destroy(history);
}

static void the_revision_counts_what_models_depend_on(void **state)
{
    (void)state;
    struct setting setting;
    struct history *history = make(&setting, 1, 0, 0);
    double unit = .5;
    struct gannet_past past = {.unit = &unit, .outcome = GANNET_FINISHED, .loss = 1};
    history_learn(history, &past);
    note(history, 1);
    see(history, 1, 1, 1, false);
    finish(history, 1, 1);
    assert_int_equal(history_revision(history), 3);
    assert_int_equal(history_told(history), 1);
    history_destroy(history);
}

/* --- the best --- */

static void the_best_is_the_earliest_of_the_least(void **state)
{
    (void)state;
    struct setting setting;
    struct history *history = make(&setting, 1, 0, 0);
    assert_int_equal(best(history), 0);
    tell(history, 1, GANNET_FAILED, 0);
    assert_int_equal(best(history), 0);
    finish(history, 2, 5);
    finish(history, 3, 4);
    finish(history, 4, 4);
    assert_int_equal(best(history), 3);
    history_destroy(history);
}

static void the_best_keeps_every_limit(void **state)
{
    (void)state;
    struct setting setting;
    struct history *history = make(&setting, 1, 1, 0);
    tell_limited(history, 1, .1, .5);
    tell_limited(history, 2, .2, NAN);
    assert_int_equal(best(history), 0);
    tell_limited(history, 3, .4, 0);
    tell_limited(history, 4, .3, -1);
    assert_int_equal(best(history), 4);
    history_destroy(history);
}

static void the_best_is_among_those_seen_furthest(void **state)
{
    (void)state;
    struct setting setting;
    struct history *history = make(&setting, 1, 0, 0);
    see(history, 1, 1, .1, false);
    see(history, 2, 1, .2, false);
    assert_int_equal(best(history), 1);
    see(history, 2, 3, .5, false);
    assert_int_equal(best(history), 2);
    see(history, 1, 3, .6, false);
    assert_int_equal(best(history), 2);
    tell(history, 2, GANNET_FAILED, 0); /* the best one has become worse */
    assert_int_equal(best(history), 1);
    tell(history, 1, GANNET_VOID, 0); /* and gone */
    assert_int_equal(best(history), 0);
    history_destroy(history);
}

static void steps_mean_nothing_when_nobody_judges_on_the_way(void **state)
{
    (void)state;
    struct setting setting;
    struct history *history = make(&setting, 1, 0, 0);
    see(history, 1, 5, .1, true);
    see(history, 2, 50, .2, true);
    assert_int_equal(best(history), 1);
    see(history, 3, 1, .9, false); /* from here on somebody does */
    assert_int_equal(best(history), 2);
    history_destroy(history);
}

/* --- what is kept --- */

static void the_best_half_and_a_sample_stay(void **state)
{
    (void)state;
    struct setting setting;
    struct history *history = make(&setting, 1, 0, 100);
    for (uint64_t trial = 1; trial <= 5000; trial++) /* losses 0 .. 4999 in a mixed order */
        finish(history, trial, (double)(trial * 1237 % 5000));
    assert_true(history_count(history) >= 100 && history_count(history) <= 125);
    uint64_t before = 0;
    for (uint32_t i = 0; i < history_count(history); i++) {
        assert_true(history_record(history, i)->trial > before);
        before = history_record(history, i)->trial;
    }
    for (uint64_t trial = 1; trial <= 5000; trial++)
        if (trial * 1237 % 5000 < 50)
            assert_true(has(history, trial));
    history_destroy(history);
}

/* Of 500 trials with falling merit, in either order, each of the others must stay equally often. */
static void every_other_trial_has_the_same_chance(void **state)
{
    (void)state;
    enum { TRIALS = 500, SEEDS = 2000, BINS = 9 };
    double kept[BINS] = {0}, total = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct setting setting;
        struct history *history = make(&setting, 1, 0, 40);
        setting.problem.seed = seed;
        for (uint64_t trial = 1; trial <= TRIALS; trial++)
            finish(history, trial, seed % 2 ? (double)trial : -(double)trial);
        for (uint32_t i = 0; i < history_count(history); i++) {
            uint64_t merit = history_record(history, i)->trial; /* from the best, 1, to the worst */
            merit = seed % 2 ? merit : TRIALS + 1 - merit;
            if (merit > 50 && merit <= TRIALS) /* beyond the best 20 and what was not chosen from yet */
                kept[(merit - 51) * BINS / 450]++, total++;
        }
        history_destroy(history);
    }
    for (int bin = 1; bin < BINS - 1; bin++) /* 5 standard deviations of a count */
        assert_true(fabs(kept[bin] - total / (double)BINS) <
                    5 * sqrt(total / (double)BINS) + total / (double)BINS * .2);
}

static void failures_give_way_to_losses(void **state)
{
    (void)state;
    struct setting setting;
    struct history *history = make(&setting, 1, 0, 8);
    for (uint64_t trial = 1; trial <= 4; trial++)
        finish(history, trial, 1e9);
    for (uint64_t trial = 5; trial <= 1000; trial++)
        tell(history, trial, GANNET_FAILED, 0);
    for (uint64_t trial = 1; trial <= 4; trial++)
        assert_true(has(history, trial));
    history_destroy(history);
}

static void the_best_record_is_never_dropped(void **state)
{
    (void)state;
    struct setting setting;
    struct history *history = make(&setting, 1, 0, 8);
    see(history, 1, 9, 100, true); /* the only one that was seen at step 9, with a bad loss */
    for (uint64_t trial = 2; trial <= 1000; trial++)
        see(history, trial, 1, (double)(trial % 50), false);
    assert_int_equal(best(history), 1);
    assert_true(has(history, 1));
    history_destroy(history);
}

static void the_front_stays_when_there_are_several_objectives(void **state)
{
    (void)state;
    struct setting setting;
    struct history *history = make(&setting, 2, 0, 400);
    for (uint64_t trial = 1; trial <= 3000; trial++) {
        struct rng rng = rng_make(1, "front", trial);
        double x = rng_unit(&rng), above = trial % 200 == 0 ? 0 : .05 + rng_unit(&rng);
        tell_two(history, trial, x + above, 1 - x + above);
    }
    for (uint64_t trial = 200; trial <= 3000; trial += 200) /* the 15 on the front */
        assert_true(has(history, trial));
    assert_true(history_record(history, 0)->losses[0] == history_record(history, 0)->loss);
    history_destroy(history);
}

static void earlier_experiments_are_kept_apart_and_bounded(void **state)
{
    (void)state;
    struct setting setting;
    struct history *history = make(&setting, 1, 0, 100);
    for (uint32_t source = 0; source < 3; source++)
        for (int i = 0; i < (source == 1 ? 10000 : 50); i++) {
            double unit = i / 1e4;
            struct gannet_past past = {source, &unit, i % 10 ? GANNET_FINISHED : GANNET_FAILED, i - 1000.0 * source, 2};
            history_learn(history, &past);
        }
    uint32_t count = history_past_count(history), counts[3] = {0};
    for (uint32_t i = 0; i < count; i++)
        counts[history_past(history, i)->source]++;
    assert_int_equal(counts[0], 50);
    assert_true(counts[1] >= 100 && counts[1] <= 125);
    assert_int_equal(counts[2], 50);
    assert_true(history_past(history, 0)->failed && history_past(history, 1)->loss == 1);
    assert_int_equal(history_count(history), 0);
    assert_null(history_best(history));
    history_destroy(history);
}

/* Both histories have the same records. */
static void equal(const struct history *a, const struct history *b)
{
    assert_int_equal(history_count(a), history_count(b));
    for (uint32_t i = 0; i < history_count(a); i++)
        assert_int_equal(history_record(a, i)->trial, history_record(b, i)->trial);
    assert_int_equal(best(a), best(b));
}

static void what_is_kept_is_a_function_of_what_was_told(void **state)
{
    (void)state;
    struct setting settings[2];
    struct history *a = make(&settings[0], 1, 0, 64), *b = make(&settings[1], 1, 0, 64);
    struct rng rng = rng_make(3, "same", 0);
    for (uint64_t trial = 1; trial <= 4000; trial++) {
        double loss = rng_unit(&rng);
        finish(a, trial, loss);
        best(a); /* reading leaves no trace */
        finish(b, trial, loss);
    }
    equal(a, b);
    history_destroy(a);
    history_destroy(b);
}

/* Random calls, against a plain array. */
static void the_best_is_right_after_any_calls(void **state)
{
    (void)state;
    enum { TRIALS = 60 };
    for (uint64_t seed = 0; seed < 50; seed++) {
        struct setting setting;
        history_destroy(make(&setting, 1, 0, 0));
        setting.problem.max_steps = 9;
        struct history *history = history_create(&setting.problem, 0);
        struct rng rng = rng_make(seed, "calls", 0);
        double loss[TRIALS + 1];
        uint64_t step[TRIALS + 1] = {0}, first[TRIALS + 1] = {0}; /* 0: no record */
        for (uint64_t i = 1; i <= 400; i++) {
            uint64_t trial = 1 + rng_below(&rng, TRIALS), kind = rng_below(&rng, 10);
            loss[trial] = (double)rng_below(&rng, 10);
            step[trial] = 1 + rng_below(&rng, 3);
            first[trial] = kind == 0 ? 0 : first[trial] ? first[trial] : i;
            if (kind == 0)
                tell(history, trial, GANNET_VOID, 0);
            else
                see(history, trial, step[trial], loss[trial], kind < 5);
            uint64_t expected = 0;
            for (uint64_t t = 1; t <= TRIALS; t++)
                if (first[t] &&
                    (!expected || step[t] > step[expected] ||
                     (step[t] == step[expected] &&
                      (loss[t] < loss[expected] || (loss[t] == loss[expected] && first[t] < first[expected])))))
                    expected = t;
            assert_int_equal(best(history), expected);
        }
        history_destroy(history);
    }
}

static void a_million_tells_leave_the_memory_flat(void **state)
{
    (void)state;
#ifdef GANNET_SANITIZED
    skip_because("a sanitizer's own memory would be measured");
#else
    struct setting setting;
    struct history *history = make(&setting, 1, 0, 1000);
    struct rng rng = rng_make(1, "million", 0);
    size_t early = 0;
    for (uint64_t trial = 1; trial <= 1000000; trial++) {
        note(history, trial + 100); /* 100 are pending at any time */
        finish(history, trial, rng_unit(&rng));
        if (trial == 100000)
            early = mallinfo2().uordblks;
    }
    assert_int_equal(history_told(history), 1000000);
    assert_true(mallinfo2().uordblks < early + 200000); /* 250 records more or less, some 300 bytes each */
    history_destroy(history);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_stand_in_the_order_of_tells),
        cmocka_unit_test(void_trials_leave_nothing_but_their_count),
        cmocka_unit_test(a_loss_that_is_no_number_is_a_failure),
        cmocka_unit_test(pending_trials_stand_in_the_order_of_notes),
        cmocka_unit_test(an_observed_trial_has_one_record_and_stays_pending),
        cmocka_unit_test(the_revision_counts_what_models_depend_on),
        cmocka_unit_test(the_best_is_the_earliest_of_the_least),
        cmocka_unit_test(the_best_keeps_every_limit),
        cmocka_unit_test(the_best_is_among_those_seen_furthest),
        cmocka_unit_test(steps_mean_nothing_when_nobody_judges_on_the_way),
        cmocka_unit_test(the_best_half_and_a_sample_stay),
        cmocka_unit_test(every_other_trial_has_the_same_chance),
        cmocka_unit_test(failures_give_way_to_losses),
        cmocka_unit_test(the_best_record_is_never_dropped),
        cmocka_unit_test(the_front_stays_when_there_are_several_objectives),
        cmocka_unit_test(earlier_experiments_are_kept_apart_and_bounded),
        cmocka_unit_test(what_is_kept_is_a_function_of_what_was_told),
        cmocka_unit_test(the_best_is_right_after_any_calls),
        cmocka_unit_test(a_million_tells_leave_the_memory_flat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
