/* Claims about early stopping: what each stopper does with trials whose curves are known. */
#include "search/stop/stopper.h"
#include "tests/claims.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct stopper *make(const char *name, const char *options, bool can_pause)
{
    struct err err;
    json_t *json = options ? json_loads(options, 0, NULL) : NULL;
    struct stopper_setup setup = {.name = name, .options = json, .seed = 1, .objectives = 1, .can_pause = can_pause};
    struct stopper *stopper = stopper_create(&setup, &err);
    if (!stopper)
        fail_msg("%s", err.text);
    json_decref(json);
    return stopper;
}

static void refused(const char *name, const char *options, const char *sentence)
{
    struct err err;
    json_t *json = options ? json_loads(options, 0, NULL) : NULL;
    struct stopper_setup setup = {.name = name, .options = json, .objectives = 1};
    assert_null(stopper_create(&setup, &err));
    json_decref(json);
    assert_non_null(strstr(err.text, sentence));
}

static struct stopper_decision see(struct stopper *stopper, uint64_t trial, uint64_t step, double loss)
{
    struct stopper_decision decision;
    stopper_sample(stopper, trial, step, &loss, &decision);
    return decision;
}

static void a_misspelt_name_or_option_is_answered_with_what_was_meant(void **state)
{
    (void)state;
    refused("ahsa", NULL, "did you mean 'asha'?");
    refused("asha", "{\"min_step\": 3}", "did you mean 'min_steps'?");
    refused("asha", "{\"eta\": 1}", "early_stop.eta is 1; it must be between 2 and 100");
    refused("asha", "{\"min_steps\": 9, \"max_steps\": 9}", "no trial is looked at before max_steps");
}

static void asha_pauses_at_each_rung_and_promotes_the_best_third(void **state)
{
    (void)state;
    struct stopper *stopper = make("asha", "{\"min_steps\": 2, \"max_steps\": 18, \"eta\": 3}", true);
    struct stopper_move move;
    assert_int_equal(stopper_until(stopper, 1), 2);
    assert_int_equal(see(stopper, 1, 1, 0.5).action, STOPPER_GO_ON);
    assert_int_equal(see(stopper, 1, 2, 0.5).action, STOPPER_PAUSE);
    assert_int_equal(see(stopper, 2, 2, 0.4).action, STOPPER_PAUSE);
    assert_false(stopper_next(stopper, false, &move));
    struct stopper_decision third = see(stopper, 3, 2, 0.6);
    assert_true(third.rung);
    assert_string_equal(third.why, "rung 1 (step 2): 0.6 is number 3 of 3, the best 1 go on, up to 0.4");
    assert_true(third.cut_off == 0.4 && third.bracket == 0);
    assert_true(stopper_next(stopper, false, &move));
    assert_true(move.resume);
    assert_int_equal(move.trial, 2);
    assert_true(move.cut_off == 0.4);
    stopper_resumed(stopper, 2);
    assert_int_equal(stopper_until(stopper, 2), 6);
    assert_int_equal(stopper_until(stopper, 1), 2 * 3);
    assert_false(stopper_next(stopper, false, &move));
    assert_int_equal(see(stopper, 2, 6, 0.3).action, STOPPER_PAUSE);
    assert_false(stopper_next(stopper, false, &move));
    stopper_destroy(stopper);
}

static void where_nothing_can_be_paused_the_sentence_counts_those_that_stay(void **state)
{
    (void)state;
    struct stopper *stopper = make("asha", "{\"min_steps\": 1, \"max_steps\": 9, \"eta\": 3}", false);
    struct stopper_decision first = see(stopper, 1, 1, 0.5);
    assert_int_equal(first.action, STOPPER_GO_ON);
    assert_string_equal(first.why, "rung 1 (step 1): 0.5 is number 1 of 1, the best 1 go on, up to 0.5");
    see(stopper, 2, 1, 0.7);
    see(stopper, 3, 1, 0.9);
    struct stopper_decision fourth = see(stopper, 4, 1, 0.6);
    assert_int_equal(fourth.action, STOPPER_GO_ON);
    assert_string_equal(fourth.why, "rung 1 (step 1): 0.6 is number 2 of 4, the best 2 go on, up to 0.6");
    stopper_destroy(stopper);
}

/* Every trial is better than all before it, as when a strategy learns: of 81 no more than 27, 9, 3 and 1 go on, however
 * often the best is looked for. */
static void of_a_search_that_keeps_improving_no_more_than_a_third_goes_on(void **state)
{
    (void)state;
    struct stopper *stopper = make("asha", "{\"min_steps\": 1, \"max_steps\": 81, \"eta\": 3}", true);
    struct stopper_move move;
    uint64_t came[5] = {0}, steps = 0;
    for (uint64_t trial = 1; trial <= 81; trial++) {
        see(stopper, trial, 1, 100.0 - (double)trial);
        steps++;
        while (stopper_next(stopper, false, &move)) {
            assert_true(move.resume);
            stopper_resumed(stopper, move.trial);
            uint64_t until = stopper_until(stopper, move.trial), step = until ? until : 81;
            int rung = (int)round(log((double)step) / log(3));
            came[rung]++;
            steps += step - step / 3;
            see(stopper, move.trial, step, 100.0 - (double)move.trial);
            if (!until)
                stopper_ended(stopper, move.trial, ENDING_COMPLETED);
        }
    }
    const uint64_t most[] = {0, 27, 9, 3, 1};
    for (int rung = 1; rung < 5; rung++)
        assert_int_equal(came[rung], most[rung]);
    assert_true((double)steps <= 0.05 * 81 * 81);
    stopper_destroy(stopper);
}

static void at_the_end_the_best_goes_on_until_it_is_complete_and_the_others_end(void **state)
{
    (void)state;
    struct stopper *stopper = make("asha", "{\"min_steps\": 1, \"max_steps\": 9, \"eta\": 3}", true);
    struct stopper_move move;
    see(stopper, 1, 1, 0.5);
    see(stopper, 2, 1, 0.4);
    assert_true(stopper_next(stopper, true, &move));
    assert_true(move.resume && move.trial == 2);
    stopper_resumed(stopper, 2);
    see(stopper, 2, 3, 0.3);
    assert_true(stopper_next(stopper, true, &move));
    assert_true(move.resume && move.trial == 2);
    stopper_resumed(stopper, 2);
    assert_int_equal(stopper_until(stopper, 2), 0);
    see(stopper, 2, 9, 0.2);
    stopper_ended(stopper, 2, ENDING_COMPLETED);
    assert_true(stopper_next(stopper, true, &move));
    assert_true(!move.resume && move.trial == 1);
    stopper_ended(stopper, 1, ENDING_STOPPED_EARLY);
    assert_false(stopper_next(stopper, true, &move));
    stopper_destroy(stopper);
}

static void asha_stops_what_it_can_not_pause(void **state)
{
    (void)state;
    struct stopper *stopper = make("asha", "{\"min_steps\": 1, \"max_steps\": 9, \"eta\": 2}", false);
    assert_int_equal(stopper_until(stopper, 1), 0);
    assert_int_equal(see(stopper, 1, 1, 0.5).action, STOPPER_GO_ON);
    assert_int_equal(see(stopper, 2, 1, 0.6).action, STOPPER_STOP);
    assert_int_equal(see(stopper, 3, 1, 0.4).action, STOPPER_GO_ON);
    assert_int_equal(see(stopper, 3, 9, 0.1).action, STOPPER_STOP);
    assert_non_null(strstr(see(stopper, 1, 9, 0.1).why, "max_steps"));
    stopper_destroy(stopper);
}

static void more_paused_trials_than_are_kept_end_worst_first(void **state)
{
    (void)state;
    struct stopper *stopper = make("asha", "{\"min_steps\": 1, \"eta\": 100, \"max_paused\": 2}", true);
    struct stopper_move move;
    see(stopper, 1, 1, 0.5);
    see(stopper, 2, 1, 0.9);
    assert_false(stopper_next(stopper, false, &move));
    see(stopper, 3, 1, 0.1);
    assert_true(stopper_next(stopper, false, &move));
    assert_true(!move.resume && move.trial == 2);
    assert_string_equal(move.why, "rung 1 (step 1): 0.9 is number 3 of 3, the best 0 go on");
    stopper_ended(stopper, 2, ENDING_STOPPED_EARLY);
    assert_false(stopper_next(stopper, false, &move));
    stopper_destroy(stopper);
}

static void a_failed_trial_counts_as_the_worst_of_its_rung(void **state)
{
    (void)state;
    struct stopper *stopper = make("asha", "{\"min_steps\": 1, \"max_steps\": 9, \"eta\": 2}", true);
    struct stopper_move move;
    see(stopper, 1, 1, 0.5);
    assert_false(stopper_next(stopper, false, &move));
    stopper_ended(stopper, 2, ENDING_DIVERGED);
    assert_true(stopper_next(stopper, false, &move));
    assert_int_equal(move.trial, 1);
    see(stopper, 3, 1, NAN);
    stopper_resumed(stopper, 1);
    assert_false(stopper_next(stopper, false, &move));
    stopper_destroy(stopper);
}

/* It shows the same as before: what is said of it now is not said of its gone place on the rung. */
static void a_failed_trial_that_is_tried_again_is_another_one(void **state)
{
    (void)state;
    struct stopper *stopper = make("asha", "{\"min_steps\": 1, \"max_steps\": 9, \"eta\": 2}", true);
    struct stopper_move move;
    see(stopper, 1, 1, 0.5);
    stopper_ended(stopper, 1, ENDING_CRASHED);
    assert_false(stopper_next(stopper, true, &move));
    assert_int_equal(stopper_until(stopper, 1), 1);
    struct stopper_decision again = see(stopper, 1, 1, 0.5);
    assert_int_equal(again.action, STOPPER_PAUSE);
    assert_non_null(strstr(again.why, "number 2 of 2"));
    see(stopper, 2, 1, 0.9);
    see(stopper, 3, 1, 0.8);
    assert_true(stopper_next(stopper, false, &move));
    assert_true(move.resume && move.trial == 1);
    stopper_resumed(stopper, 1);
    assert_int_equal(stopper_until(stopper, 1), 2);
    assert_false(stopper_next(stopper, false, &move));
    stopper_ended(stopper, 1, ENDING_STOPPED_EARLY);
    stopper_destroy(stopper);
}

static void where_nothing_is_paused_a_trial_is_judged_from_its_first_step_again(void **state)
{
    (void)state;
    const char *const names[] = {"asha", "median"}, *const options[] = {
                                                        "{\"min_steps\": 1, \"max_steps\": 9, \"eta\": 2}",
                                                        "{\"min_steps\": 1, \"min_trials\": 2}"};
    for (int i = 0; i < 2; i++) {
        struct stopper *stopper = make(names[i], options[i], false);
        see(stopper, 1, 1, 0.9);
        see(stopper, 1, 2, 0.8);
        stopper_ended(stopper, 1, ENDING_CRASHED);
        see(stopper, 2, 1, 0.1);
        see(stopper, 3, 1, 0.2);
        struct stopper_decision again = see(stopper, 1, 1, 0.9);
        assert_true(again.rung);
        assert_int_equal(again.action, STOPPER_STOP);
        stopper_destroy(stopper);
    }
}

static void a_step_seen_twice_says_nothing_new(void **state)
{
    (void)state;
    struct stopper *stopper = make("asha", "{\"min_steps\": 1, \"max_steps\": 9, \"eta\": 2}", false);
    assert_true(see(stopper, 1, 1, 0.5).rung);
    struct stopper_decision again = see(stopper, 1, 1, 0.9);
    assert_false(again.rung);
    assert_int_equal(again.action, STOPPER_GO_ON);
    assert_non_null(strstr(see(stopper, 2, 1, 0.6).why, "number 2 of 2"));
    stopper_destroy(stopper);
}

static void hyperband_spreads_its_trials_over_brackets(void **state)
{
    (void)state;
    struct stopper *stopper = make("hyperband", "{\"min_steps\": 1, \"max_steps\": 27, \"eta\": 3}", true);
    unsigned first[28] = {0};
    for (uint64_t trial = 1; trial <= 1000; trial++)
        first[stopper_until(stopper, trial)]++;
    assert_int_equal(first[1] + first[3] + first[9], 1000);
    assert_true(first[1] > first[3] && first[3] > first[9] && first[9] > 100);
    stopper_destroy(stopper);
}

static void max_steps_is_learned_from_trials_that_ran_to_their_end(void **state)
{
    (void)state;
    struct stopper *stopper = make("asha", "{\"min_steps\": 1, \"eta\": 3}", true);
    assert_int_equal(stopper_max_steps(stopper), 0);
    see(stopper, 1, 1, 0.5);
    stopper_resumed(stopper, 1);
    assert_int_equal(stopper_until(stopper, 1), 3);
    see(stopper, 1, 2, 0.4);
    stopper_ended(stopper, 1, ENDING_COMPLETED);
    assert_int_equal(stopper_max_steps(stopper), 2);
    see(stopper, 2, 1, 0.5);
    assert_int_equal(stopper_until(stopper, 2), 0);
    stopper_destroy(stopper);
}

/* As people read the metric, also one that is to be high; no number where there is none. */
static void a_cut_off_is_a_value_of_the_metric_or_no_number(void **state)
{
    (void)state;
    struct err err;
    json_t *json = json_pack("{s:i, s:i}", "max_steps", 9, "brackets", 2);
    struct stopper_setup setup = {
        .name = "asha", .options = json, .objectives = 1, .can_pause = true, .maximize = true};
    struct stopper *stopper = stopper_create(&setup, &err), *several;
    assert_non_null(stopper);
    uint32_t brackets = 0;
    for (uint64_t trial = 1; trial <= 12; trial++) {
        struct stopper_decision decision = see(stopper, trial, 3, -0.5);
        assert_true(!decision.rung || (decision.bracket >= 1 && decision.bracket <= 2));
        assert_true(isnan(decision.cut_off) || decision.cut_off == 0.5);
        assert_true(trial < 12 || decision.cut_off == 0.5);
        brackets |= 1u << decision.bracket;
    }
    assert_int_equal(brackets, 1 << 1 | 1 << 2);
    stopper_destroy(stopper);
    setup.objectives = 2;
    several = stopper_create(&setup, &err);
    struct stopper_decision decision;
    for (uint64_t trial = 1; trial <= 12; trial++) {
        stopper_sample(several, trial, 3, (double[]){0.5, 0.25}, &decision);
        assert_true(decision.rung && isnan(decision.cut_off));
    }
    stopper_destroy(several);
    json_decref(json);
}

/* What is compared may be no number itself: of a rung where all diverged nobody passes by a value. */
static void a_rung_of_losses_that_are_no_numbers_has_no_cut_off(void **state)
{
    (void)state;
    struct stopper *stopper = make("asha", "{\"min_steps\": 1, \"max_steps\": 9, \"eta\": 4}", false);
    for (uint64_t trial = 1; trial <= 4; trial++)
        assert_true(isnan(see(stopper, trial, 1, NAN).cut_off));
    assert_true(isnan(see(stopper, 1, 2, 1).cut_off)); /* between rungs */
    stopper_destroy(stopper);
    stopper = make("patience", "{\"steps\": 2, \"min_delta\": 0.25}", false);
    assert_true(isnan(see(stopper, 1, 1, 1.5).cut_off));
    see(stopper, 1, 2, 1.5);
    struct stopper_decision decision = see(stopper, 1, 3, 1.4);
    assert_int_equal(decision.action, STOPPER_STOP);
    assert_true(decision.cut_off == 1.25);
    stopper_destroy(stopper);
}

static void median_stops_what_is_worse_than_half_of_the_others(void **state)
{
    (void)state;
    struct stopper *stopper = make("median", "{\"min_steps\": 2, \"min_trials\": 3}", true);
    for (uint64_t trial = 1; trial <= 3; trial++) {
        assert_int_equal(see(stopper, trial, 1, (double)trial).action, STOPPER_GO_ON);
        assert_int_equal(see(stopper, trial, 2, (double)trial).action, STOPPER_GO_ON);
    }
    assert_int_equal(see(stopper, 4, 1, 9).action, STOPPER_GO_ON);
    struct stopper_decision decision = see(stopper, 4, 2, 2.5);
    assert_int_equal(decision.action, STOPPER_STOP);
    assert_true(decision.cut_off == 2);
    assert_string_equal(decision.why, "step 2: its best, 2.5, is worse than 2, the median of 3 others");
    assert_int_equal(see(stopper, 5, 2, 1.5).action, STOPPER_GO_ON);
    stopper_destroy(stopper);
}

/* A worker that began anew reports steps that were seen before. */
static void median_counts_a_step_once(void **state)
{
    (void)state;
    struct stopper *stopper = make("median", "{\"min_trials\": 2}", true);
    for (int again = 0; again < 5; again++)
        see(stopper, 1, 1, 1);
    struct stopper_decision decision = see(stopper, 2, 1, 9);
    assert_false(decision.rung);
    assert_int_equal(see(stopper, 3, 1, 9).action, STOPPER_STOP);
    assert_int_equal(see(stopper, 3, 1, 9).action, STOPPER_GO_ON);
    stopper_destroy(stopper);
}

static void patience_ends_with_the_steps_that_bring_nothing(void **state)
{
    (void)state;
    struct stopper *stopper = make("patience", "{\"steps\": 2, \"min_delta\": 0.1}", true);
    assert_int_equal(see(stopper, 1, 1, 1).action, STOPPER_GO_ON);
    assert_int_equal(see(stopper, 1, 2, 0.8).action, STOPPER_GO_ON);
    assert_int_equal(see(stopper, 1, 3, 0.75).action, STOPPER_GO_ON);
    assert_int_equal(see(stopper, 1, 4, 0.74).action, STOPPER_STOP);
    stopper_destroy(stopper);
}

/* Runs the curve end + slope / t for `steps` steps; the step at which it was stopped, or 0. */
static uint64_t run_curve(struct stopper *stopper, uint64_t trial, double end, double slope, uint64_t steps)
{
    for (uint64_t t = 1; t <= steps; t++) {
        bool stop = see(stopper, trial, t, end + slope / (double)t).action == STOPPER_STOP;
        if (stop || t == steps)
            stopper_ended(stopper, trial, stop ? ENDING_STOPPED_EARLY : ENDING_COMPLETED);
        if (stop)
            return t;
    }
    return 0;
}

static void extrapolate_stops_a_curve_that_levels_off_too_high_and_keeps_one_that_falls(void **state)
{
    (void)state;
    struct stopper *stopper = make("extrapolate", "{\"min_trials\": 1}", true);
    assert_int_equal(run_curve(stopper, 1, 0.1, 1, 50), 0);
    uint64_t stopped = run_curve(stopper, 2, 0.5, 0.5, 50);
    assert_in_range(stopped, 4, 25);
    assert_int_equal(run_curve(stopper, 3, 0.05, 2, 50), 0);
    stopper_destroy(stopper);
}

static void extrapolate_stops_at_the_same_step_whatever_the_size_of_the_losses(void **state)
{
    (void)state;
    static const double sizes[] = {1, 1e-300, 1e-170, 1e-9, 1e9, 1e170, 1e300};
    uint64_t stopped[7];
    for (int i = 0; i < 7; i++) {
        struct stopper *stopper = make("extrapolate", "{\"min_trials\": 1}", true);
        assert_int_equal(run_curve(stopper, 1, 0.1 * sizes[i], sizes[i], 50), 0);
        stopped[i] = run_curve(stopper, 2, 0.5 * sizes[i], 0.5 * sizes[i], 50);
        assert_int_equal(stopped[i], stopped[0]);
        stopper_destroy(stopper);
    }
}

static void of_several_objectives_what_nothing_dominates_goes_on(void **state)
{
    (void)state;
    struct err err;
    struct stopper_setup setup = {.name = "asha", .seed = 1, .objectives = 2, .can_pause = true};
    struct stopper *stopper = stopper_create(&setup, &err);
    struct stopper_decision decision;
    static const double losses[6][2] = {{3, 3}, {1, 9}, {4, 4}, {9, 1}, {5, 5}, {9, 9}};
    for (uint64_t i = 0; i < 6; i++)
        stopper_sample(stopper, i + 1, 1, losses[i], &decision);
    bool went_on[7] = {false};
    struct stopper_move move;
    while (stopper_next(stopper, false, &move)) {
        went_on[move.trial] = true;
        stopper_resumed(stopper, move.trial);
    }
    assert_true(went_on[1] && went_on[2] && !went_on[3] && !went_on[5] && !went_on[6]);
    stopper_destroy(stopper);
    setup.name = "median";
    assert_null(stopper_create(&setup, &err));
    assert_non_null(strstr(err.text, "asha and hyperband compare several"));
}

/* Tells two stoppers the same long story, the second one only what the first one made of it. */
static void what_was_told_again_gives_the_same_stopper(void **state)
{
    (void)state;
    static const char *const names[] = {"asha", "hyperband"};
    for (size_t n = 0; n < 2; n++) {
        struct stopper *a = make(names[n], "{\"max_steps\": 27}", true),
                       *b = make(names[n], "{\"max_steps\": 27}", true);
        struct stopper_move move, again;
        for (uint64_t trial = 1; trial <= 300; trial++) {
            uint64_t until = stopper_until(a, trial);
            double loss = (double)((trial * 7919) % 311);
            assert_string_equal(see(a, trial, until, loss).why, see(b, trial, until, loss).why);
            while (stopper_next(a, false, &move)) {
                assert_true(stopper_next(b, false, &again));
                assert_int_equal(move.trial, again.trial);
                stopper_resumed(a, move.trial);
                stopper_resumed(b, move.trial);
                until = stopper_until(a, move.trial);
                assert_int_equal(until, stopper_until(b, move.trial));
                if (until) {
                    see(a, move.trial, until, loss / 2);
                    see(b, move.trial, until, loss / 2);
                } else {
                    stopper_ended(a, move.trial, ENDING_COMPLETED);
                    stopper_ended(b, move.trial, ENDING_COMPLETED);
                }
            }
        }
        stopper_destroy(a);
        stopper_destroy(b);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_misspelt_name_or_option_is_answered_with_what_was_meant),
        cmocka_unit_test(asha_pauses_at_each_rung_and_promotes_the_best_third),
        cmocka_unit_test(where_nothing_can_be_paused_the_sentence_counts_those_that_stay),
        cmocka_unit_test(of_a_search_that_keeps_improving_no_more_than_a_third_goes_on),
        cmocka_unit_test(at_the_end_the_best_goes_on_until_it_is_complete_and_the_others_end),
        cmocka_unit_test(asha_stops_what_it_can_not_pause),
        cmocka_unit_test(more_paused_trials_than_are_kept_end_worst_first),
        cmocka_unit_test(a_failed_trial_counts_as_the_worst_of_its_rung),
        cmocka_unit_test(a_failed_trial_that_is_tried_again_is_another_one),
        cmocka_unit_test(where_nothing_is_paused_a_trial_is_judged_from_its_first_step_again),
        cmocka_unit_test(a_step_seen_twice_says_nothing_new),
        cmocka_unit_test(hyperband_spreads_its_trials_over_brackets),
        cmocka_unit_test(max_steps_is_learned_from_trials_that_ran_to_their_end),
        cmocka_unit_test(a_cut_off_is_a_value_of_the_metric_or_no_number),
        cmocka_unit_test(a_rung_of_losses_that_are_no_numbers_has_no_cut_off),
        cmocka_unit_test(median_stops_what_is_worse_than_half_of_the_others),
        cmocka_unit_test(median_counts_a_step_once),
        cmocka_unit_test(patience_ends_with_the_steps_that_bring_nothing),
        cmocka_unit_test(extrapolate_stops_a_curve_that_levels_off_too_high_and_keeps_one_that_falls),
        cmocka_unit_test(extrapolate_stops_at_the_same_step_whatever_the_size_of_the_losses),
        cmocka_unit_test(of_several_objectives_what_nothing_dominates_goes_on),
        cmocka_unit_test(what_was_told_again_gives_the_same_stopper),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
