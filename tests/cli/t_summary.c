/* What is said when a search has ended: the summary, what goes with it, and the exit status. */
#include "cli/view/notes.h"
#include "cli/view/overview.h"
#include "cli/view/summary.h"
#include "cli/status.h"
#include "tests/claims.h"

#include <string.h>

static const struct look pipe_look = {0};

static json_t *parse(const char *text)
{
    json_t *json = json_loads(text, JSON_DECODE_ANY, NULL);
    assert_non_null(json);
    return json;
}

static json_t *digits(void)
{
    return parse("{\"name\": \"digits\", \"metric\": \"val_accuracy\", \"goal\": \"maximize\"}");
}

static json_t *best(void)
{
    return parse("{\"trial\": 12, \"value\": 0.97222, \"params\": {\"lr\": 0.003, \"width\": 64}}");
}

/* --- values that came at the end --- */

static void assert_held_back(const char *trial, const char *expected)
{
    json_t *json = parse(trial);
    struct buf text = {0};
    assert_int_equal(notes_add_held_back(json, &text), *expected != '\0');
    assert_has(buf_str(&text), expected);
    buf_fini(&text);
    json_decref(json);
}

static void values_that_all_came_at_the_end_are_told_with_the_mend(void **state)
{
    (void)state;
    assert_held_back(
        "{\"trial\": 7, \"runs\": [{\"seconds\": 42.0}], \"curve\": [{\"metric\": \"loss\", \"step\": 1, "
        "\"value\": 1.0, \"time\": 41.9}, {\"metric\": \"loss\", \"step\": 2, \"value\": 1.0, \"time\": 42.0}]}",
        "trial 7 ran for 42s, and all of its 2 values came when it ended, so early stopping could not act on the "
        "way. A program that prints a value at each step has to let it out: print(..., flush=True) in Python");
    assert_held_back("{\"trial\": 7, \"runs\": [{\"seconds\": 42.0}], \"curve\": [{\"time\": 41.9}]}",
                     "its only value came when it ended");
    assert_held_back("{\"trial\": 7, \"runs\": [{\"seconds\": 42.0}], \"curve\": [{\"time\": 1.0}, {\"time\": 42}]}",
                     "");
    assert_held_back("{\"trial\": 7, \"runs\": [{\"seconds\": 0.5}], \"curve\": [{\"time\": 0.5}]}",
                     ""); /* too short */
    assert_held_back("{\"trial\": 7, \"runs\": [{\"seconds\": 9.0}, {\"seconds\": 9.0}], \"curve\": [{\"time\": 9}]}",
                     "");
    assert_held_back("{\"trial\": 7, \"runs\": [{\"seconds\": 9.0}], \"curve\": []}", "");
    assert_held_back("null", "");
    assert_held_back("{\"runs\": 3, \"curve\": {}}", "");
}

/* --- the end of a run --- */

static struct summary ended(json_t *experiment, json_t *trial, json_t *phases, json_t *failures)
{
    struct summary summary = {.experiment = experiment,
                              .best = trial,
                              .phases = phases,
                              .bound = "100 % of the time was in runs with the verdict computing",
                              .failures = failures,
                              .again = "gannet-trainer --run mlp",
                              .programs = "",
                              .directory = "runs/digits",
                              .handle = "digits"};
    summary.snapshot = (struct snapshot){
        .state = EXPERIMENT_ENDED, .reason = REASON_MAX_TRIALS, .max_trials = 40, .held = 21, .has_best = true};
    summary.snapshot.trials[TRIAL_COMPLETED] = 38;
    summary.snapshot.trials[TRIAL_FAILED] = 2;
    return summary;
}

static void the_end_tells_the_best_the_time_the_failures_and_what_next(void **state)
{
    (void)state;
    json_t *experiment = digits(), *trial = best(), *phases = parse("[{\"phase\": \"forward\", \"seconds\": 2.0}]");
    json_t *failures = parse("[{\"trial\": 5, \"reason\": \"diverged\", \"detail\": \"loss became NaN\"}, {\"trial\": "
                             "9, \"reason\": \"diverged\"}]");
    struct summary summary = ended(experiment, trial, phases, failures);
    struct buf text = {0};
    summary_draw(&summary, &pipe_look, &text);
    assert_string_equal(buf_str(&text), "digits: all trials of limits.max_trials have ended (40 trials in 21s)\n"
                                        "\n"
                                        "Best  val_accuracy 0.97222  (trial 12)\n"
                                        "  lr             0.003\n"
                                        "  width          64\n"
                                        "\n"
                                        "Train it again\n"
                                        "  gannet-trainer --run mlp\n"
                                        "\n"
                                        "Where the time went\n"
                                        "  forward         2.0s  100 %  ##############################\n"
                                        "  100 % of the time was in runs with the verdict computing\n"
                                        "\n"
                                        "Trials\n"
                                        "  38 completed, 2 failed\n"
                                        "  2 diverged: its metric became NaN or infinite (trials 5, 9)\n"
                                        "    the first: loss became NaN\n"
                                        "\n"
                                        "Everything is in runs/digits\n"
                                        "\n"
                                        "Next\n"
                                        "  gannet trials digits --sort value -n 10\n"
                                        "  gannet show digits best\n"
                                        "  gannet trials digits --state failed\n"
                                        "  gannet show digits 5\n"
                                        "  gannet run digits --resume --set limits.max_trials=80\n");
    buf_fini(&text);
    json_decref(experiment);
    json_decref(trial);
    json_decref(phases);
    json_decref(failures);
}

static void where_the_time_went_is_told_with_the_sample_that_it_is_of(void **state)
{
    (void)state;
    json_t *experiment = digits(), *none = json_null(), *nothing = json_array(),
           *phases = parse("[{\"phase\": \"forward\", \"seconds\": 2.0}]"),
           *sample = parse("{\"trials\": 25000, \"of\": 50000}");
    struct summary summary = ended(experiment, none, phases, nothing);
    struct buf text = {0};
    summary.sample = sample;
    summary_draw(&summary, &pipe_look, &text);
    assert_non_null(strstr(buf_str(&text), " verdict computing\n  from a sample: 25000 of 50000 trials\n\n"));
    buf_fini(&text);
    json_decref(experiment);
    json_decref(nothing);
    json_decref(phases);
    json_decref(sample);
}

static void assert_next(enum reason reason, const char *expected)
{
    json_t *experiment = digits(), *none = json_null(), *nothing = json_array();
    json_t *failures = parse("[{\"trial\": 5, \"reason\": \"exited\"}]");
    struct summary summary = ended(experiment, none, nothing, failures);
    struct buf text = {0};
    summary.snapshot.reason = reason;
    summary_draw(&summary, &pipe_look, &text);
    const char *next = strstr(buf_str(&text), "Next\n");
    assert_non_null(next);
    assert_string_equal(next, expected);
    buf_fini(&text);
    json_decref(experiment);
    json_decref(none);
    json_decref(nothing);
    json_decref(failures);
}

static void a_search_that_its_failures_ended_names_retry_and_no_table_of_values(void **state)
{
    (void)state;
    const char *mend = "Next\n"
                       "  gannet trials digits --state failed\n"
                       "  gannet show digits 5\n"
                       "  gannet retry digits --failed\n"
                       "  gannet run digits --resume\n";
    assert_next(REASON_SAME_FAILURES, mend);
    assert_next(REASON_FAILURES, mend);
    assert_next(REASON_TARGET, "Next\n"
                               "  gannet trials digits --state failed\n"
                               "  gannet show digits 5\n");
}

static void what_failed_is_read_on_a_terminal_without_a_word_broken(void **state)
{
    (void)state;
    json_t *experiment = digits(), *none = json_null(), *nothing = json_array();
    json_t *failures = parse("[{\"trial\": 46, \"reason\": \"exited\", \"detail\": \"exit status 1\", \"last_words\": "
                             "\"ValueError: width 207 does not divide the batch: shapes (32, 207) and (64, 1)\"}]");
    struct summary summary = ended(experiment, none, nothing, failures);
    struct buf text = {0};
    summary_draw(&summary, &(struct look){.live = true, .width = 80}, &text);
    assert_has(buf_str(&text), "\n    it said: exit status 1; its last words: ValueError: width 207 does not\n"
                               "      divide the batch: shapes (32, 207) and (64, 1)\n");
    buf_fini(&text);
    json_decref(experiment);
    json_decref(none);
    json_decref(nothing);
    json_decref(failures);
}

static void of_very_many_failures_only_the_first_are_counted_and_that_is_said(void **state)
{
    (void)state;
    json_t *experiment = digits(), *none = json_null(), *nothing = json_array();
    json_t *failures = parse("[{\"trial\": 5, \"reason\": \"diverged\"}]");
    struct summary summary = ended(experiment, none, nothing, failures);
    struct buf text = {0};
    summary_draw(&summary, &pipe_look, &text);
    assert_has(buf_str(&text),
               "  1 diverged: its metric became NaN or infinite (trial 5)\n  (of the first 1 that failed)\n");
    buf_fini(&text);
    json_decref(experiment);
    json_decref(none);
    json_decref(nothing);
    json_decref(failures);
}

static void nodes_that_were_set_aside_are_told_at_the_end_and_in_the_status(void **state)
{
    (void)state;
    json_t *experiment = digits(), *none = json_null(), *nothing = json_array();
    json_object_set_new(experiment, "aside", parse("[{\"node\": \"n9\", \"why\": \"no file; mend that there\"}]"));
    struct summary summary = ended(experiment, none, nothing, nothing);
    struct overview overview = {.snapshot = summary.snapshot, .experiment = experiment, .directory = "runs/digits"};
    struct look look = {.width = 80};
    struct buf text = {0};
    summary_draw(&summary, &look, &text);
    assert_has(buf_str(&text), "a worker on n9 was set aside: no file; mend that there\n");
    buf_clear(&text);
    overview_draw(&overview, &look, &text);
    assert_has(buf_str(&text), "a worker on n9 was set aside: no file; mend that there\n");
    json_t *json = overview_json(&overview);
    assert_int_equal(json_array_size(json_object_get(json, "aside")), 1);
    json_decref(json);
    buf_fini(&text);
    json_decref(experiment);
    json_decref(nothing);
}

static void an_end_without_any_value_says_so(void **state)
{
    (void)state;
    json_t *experiment = digits(), *none = json_null(), *nothing = json_array();
    struct summary summary = ended(experiment, none, nothing, nothing);
    struct buf text = {0};
    summary.again = NULL;
    summary.snapshot.reason = REASON_INTERRUPTED;
    summary_draw(&summary, &pipe_look, &text);
    assert_has(buf_str(&text), "No trial has a value.\n");
    assert_has(buf_str(&text), "  gannet run digits --resume\n");
    assert_null(strstr(buf_str(&text), "Where the time went"));
    assert_null(strstr(buf_str(&text), "Train it again"));
    buf_fini(&text);
    json_decref(experiment);
    json_decref(nothing);
}

static void the_status_says_how_it_ended(void **state)
{
    (void)state;
    static const struct {
        enum reason reason;
        bool has_best;
        int status;
    } rows[] = {{REASON_MAX_TRIALS, true, 0}, {REASON_MAX_TRIALS, false, 1}, {REASON_TARGET, true, 0},
                {REASON_TIME, true, 0},       {REASON_NO_MORE, true, 0},     {REASON_FAILURES, true, 1},
                {REASON_BROKEN, true, 1},     {REASON_STOPPED, true, 4},     {REASON_INTERRUPTED, true, 130},
                {REASON_NONE, true, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct snapshot snapshot = {.reason = rows[i].reason, .has_best = rows[i].has_best};
        assert_int_equal(status_of_end(&snapshot), rows[i].status);
    }
}

static void a_best_trial_that_was_stopped_early_is_one_among_those_that_were_not(void **state)
{
    (void)state;
    json_t *experiment = digits(), *nothing = json_array();
    json_t *stopped = parse("{\"trial\": 7, \"state\": \"stopped\", \"value\": 0.5, \"step\": 3}");
    json_t *completed = parse("{\"trial\": 2, \"values\": {\"val_accuracy\": 0.4}}");
    struct summary summary = ended(experiment, stopped, nothing, nothing);
    struct buf text = {0};
    summary_draw(&summary, &pipe_look, &text);
    assert_has(buf_str(&text), "(trial 7: stopped early, at step 3)\n");
    assert_has(buf_str(&text), "  No other was trained to its end\n");
    buf_clear(&text);
    summary.completed = completed;
    summary_draw(&summary, &pipe_look, &text);
    assert_has(buf_str(&text), "  Of those trained to their end the best is trial 2  val_accuracy 0.4\n");
    buf_fini(&text);
    json_decref(experiment);
    json_decref(nothing);
    json_decref(stopped);
    json_decref(completed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_that_all_came_at_the_end_are_told_with_the_mend),
        cmocka_unit_test(where_the_time_went_is_told_with_the_sample_that_it_is_of),
        cmocka_unit_test(the_end_tells_the_best_the_time_the_failures_and_what_next),
        cmocka_unit_test(a_search_that_its_failures_ended_names_retry_and_no_table_of_values),
        cmocka_unit_test(what_failed_is_read_on_a_terminal_without_a_word_broken),
        cmocka_unit_test(of_very_many_failures_only_the_first_are_counted_and_that_is_said),
        cmocka_unit_test(nodes_that_were_set_aside_are_told_at_the_end_and_in_the_status),
        cmocka_unit_test(an_end_without_any_value_says_so),
        cmocka_unit_test(the_status_says_how_it_ended),
        cmocka_unit_test(a_best_trial_that_was_stopped_early_is_one_among_those_that_were_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
