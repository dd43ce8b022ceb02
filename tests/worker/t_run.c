/* Runs as records: samples kept and dropped, ends that were asked for and others. */
#include "worker/program/run.h"
#include "common/metric.h"
#include "common/rng.h"
#include "tests/claims.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct run *begun_run(void)
{
    struct msg_lease lease = {.trial = 3, .attempt = 2, .slot = 1, .seed = 9, .params = "{}"};
    struct run *run = run_create(&lease);
    run_begin(run, 100, 1e9);
    run->state = RUN_RUNNING;
    return run;
}

static void add_sample(struct run *run, const char *metric, int64_t step, double value)
{
    struct msg_sample sample = {.metric = metric, .step = step, .value = value};
    const char *metrics[] = {"loss", "memory", NULL};
    run_sample(run, metrics, &sample);
}

static void a_lease_becomes_a_run_with_its_own_copies(void **state)
{
    (void)state;
    char params[] = "{\"lr\":1}";
    struct msg_lease lease = {.trial = 3, .attempt = 2, .slot = 1, .seed = 9, .params = params};
    struct run *run = run_create(&lease);
    memset(params, 'x', sizeof params - 1);
    assert_string_equal(run->params, "{\"lr\":1}");
    assert_int_equal(run->state, RUN_QUEUED);
    run_destroy(run);
    run_destroy(NULL);
}

static void metrics_names_are_kept_once(void **state)
{
    (void)state;
    struct run *run = begun_run();
    char name[8];
    for (int i = 0; i < 1000; i++) {
        snprintf(name, sizeof name, i % 2 ? "loss" : "acc");
        add_sample(run, name, i, i);
    }
    assert_int_equal(run->thin.count, 2);
    assert_ptr_equal(run->samples[1].metric, run->samples[999].metric);
    assert_string_equal(run->samples[0].metric, "acc");
    assert_string_equal(run->samples[999].metric, "loss");
    run_destroy(run);
}

static void a_name_without_end_is_cut(void **state)
{
    (void)state;
    struct run *run = begun_run();
    char *name = malloc(100001);
    memset(name, 'a', 100000);
    name[100000] = '\0';
    for (int i = 0; i < 100; i++)
        add_sample(run, name, i, i);
    assert_int_equal(run->thin.count, 1);
    assert_int_equal(strlen(run->samples[0].metric), 200);
    free(name);
    run_destroy(run);
}

static void acknowledged_samples_are_dropped_and_the_others_kept(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct rng rng = rng_make(seed, "run", 0);
        struct run *run = begun_run();
        uint32_t made = 0, acknowledged = 0;
        for (int i = 0; i < 100; i++) {
            if (rng_below(&rng, 2)) {
                add_sample(run, "loss", 1, made++);
            } else if (rng_below(&rng, 2)) {
                run->sent = run->first + run->kept;
            } else {
                struct msg_ack ack = {.samples = (uint32_t)rng_below(&rng, made + 2)}; /* at times one too many */
                run_acknowledge(run, &ack);
                uint32_t known = ack.samples < made ? ack.samples : made;
                acknowledged = known > acknowledged ? known : acknowledged;
            }
            assert_int_equal(run->first, acknowledged);
            assert_int_equal(run->first + run->kept, made);
            assert_in_range(run->sent, run->first, made);
            for (uint32_t s = 0; s < run->kept; s++)
                assert_true(run->samples[s].value == run->first + s);
        }
        run_repeat(run);
        assert_int_equal(run->sent, run->first);
        run_destroy(run);
    }
}

/* --- more of them than anybody looks at --- */

static void of_a_flood_of_values_a_curve_the_last_and_the_best_are_kept(void **state)
{
    enum { COUNT = 2000000, BEST = 1234567, WORST = 1765432 };
    (void)state;
    struct run *run = begun_run();
    for (int64_t i = 1; i <= COUNT; i++)
        add_sample(run, "loss", i, i == BEST ? -1 : i == WORST ? 7 : 1);
    assert_in_range(run->kept, 10000, 14500);
    assert_int_equal(run->samples[9999].step, 10000);
    run_end(run, 101, ENDING_COMPLETED, "", "");
    const struct msg_sample *last = &run->samples[run->kept - 1];
    assert_int_equal(last->step, COUNT);
    assert_true(last[-1].step == WORST && last[-1].value == 7);
    assert_true(last[-2].step == BEST && last[-2].value == -1);
    for (uint32_t i = 1; i < run->kept - 3; i++)
        assert_in_range(run->samples[i].step - run->samples[i - 1].step, 1, COUNT / 500);
    assert_true(run->measures[0].min == -1 && run->measures[0].max == 7 && run->measures[0].last == 1);
    assert_has(run->detail, "of 2000000 values of 'loss' ");
    run_destroy(run);
}

static void a_run_that_says_what_all_others_say_is_recorded_whole(void **state)
{
    (void)state;
    struct run *run = begun_run();
    for (int64_t i = 0; i < 10000; i++) {
        add_sample(run, "loss", i, 1);
        add_sample(run, "memory", i, 2);
    }
    run_end(run, 101, ENDING_COMPLETED, "", "");
    assert_int_equal(run->kept, 20000);
    assert_string_equal(run->detail, "");
    run_destroy(run);
}

/* Early stopping wants all objectives of a step: one comes every third step, the other one before and behind it. */
static void metrics_of_a_step_are_kept_together(void **state)
{
    (void)state;
    struct run *run = begun_run();
    uint32_t met = 0, seldom = 0;
    for (int64_t i = 1; i <= 300000; i++) {
        if (i % 2)
            add_sample(run, "loss", i, 1);
        if (i % 3 == 0)
            add_sample(run, "memory", i, 2);
        if (i % 2 == 0)
            add_sample(run, "loss", i, 1);
    }
    for (uint32_t i = 0; i < run->kept; i++)
        if (strcmp(run->samples[i].metric, "memory") == 0) {
            int64_t step = run->samples[i].step;
            seldom++;
            met += (i && run->samples[i - 1].step == step) || (i + 1 < run->kept && run->samples[i + 1].step == step);
        }
    assert_in_range(seldom, 10000, 16000);
    assert_int_equal(met, seldom);
    run_destroy(run);
}

static void no_run_reports_more_than_the_coordinator_takes(void **state)
{
    (void)state;
    struct run *run = begun_run();
    char name[8];
    for (int64_t i = 0; i < 3000000; i++) {
        snprintf(name, sizeof name, "m%d", (int)(i % 80));
        add_sample(run, name, i / 80, (double)(i % 977));
    }
    run_end(run, 101, ENDING_COMPLETED, "", "");
    assert_in_range(run->kept, 150000, metrics_most_samples(2));
    assert_int_equal(run->samples[run->kept - 1].step, 2999999 / 80);
    assert_has(run->detail, "of more than 64 metrics the others are not recorded");
    run_destroy(run);
}

static void what_never_started_was_only_launched(void **state)
{
    (void)state;
    struct run *run = begun_run();
    run->state = RUN_STARTING;
    run_end(run, 103, ENDING_NOT_STARTED, "can't start './train'", "");
    assert_true(run->phases[PHASE_LAUNCH].seconds == 3);
    assert_int_equal(run->phases[PHASE_IDLE].count, 0);
    run_destroy(run);
}

static void opening_the_data_is_no_part_of_the_launch(void **state)
{
    (void)state;
    struct run *run = begun_run();
    run->launch = 2;
    run_stage(run, 1.5);
    assert_true(run->launch == 0.5 && run->phases[PHASE_STAGE].seconds == 1.5);
    run_requeue(run);
    assert_true(run->launch == 0 && run->phases[PHASE_STAGE].count == 0);
    run_begin(run, 100, 1e9);
    run->state = RUN_RUNNING;
    run->launch = 0.25;
    run_stage(run, 0); /* it found the trainer ready, */
    assert_int_equal(run->phases[PHASE_STAGE].count, 0);
    run_stage(run, 7); /* or waited for a part of it */
    assert_true(run->launch == 0 && run->phases[PHASE_STAGE].seconds == 0.25);
    run_end(run, 101, ENDING_COMPLETED, "", "");
    assert_true(run->phases[PHASE_IDLE].seconds == 0.75);
    run_destroy(run);
}

static void a_run_is_forgotten_only_when_its_end_is_known(void **state)
{
    (void)state;
    struct run *run = begun_run();
    struct msg_ack early = {.ended = true}, late = {.ended = true}, other = {.samples = 1};
    assert_false(run_acknowledge(run, &early));
    run_end(run, 101, ENDING_COMPLETED, "", "");
    assert_false(run_acknowledge(run, &other));
    assert_true(run_acknowledge(run, &late));
    run_destroy(run);
}

/* --- ends --- */

static enum ending ends_as(int asked_first, int asked_then, enum ending came)
{
    struct run *run = begun_run();
    if (asked_first >= 0)
        run_stop(run, (enum ending)asked_first, "asked");
    if (asked_then >= 0)
        run_stop(run, (enum ending)asked_then, "asked again");
    run_end(run, 101, came, "came", "tail");
    enum ending ending = run->ending;
    run_destroy(run);
    return ending;
}

static void what_was_asked_for_is_what_the_result_says(void **state)
{
    (void)state;
    assert_int_equal(ends_as(-1, -1, ENDING_CRASHED), ENDING_CRASHED);
    assert_int_equal(ends_as(ENDING_CANCELLED, -1, ENDING_CRASHED), ENDING_CANCELLED);
    assert_int_equal(ends_as(ENDING_CANCELLED, -1, ENDING_COMPLETED), ENDING_CANCELLED);
    assert_int_equal(ends_as(ENDING_TIMED_OUT, ENDING_STOPPED_EARLY, ENDING_CRASHED), ENDING_TIMED_OUT);
    assert_int_equal(ends_as(ENDING_OUT_OF_MEMORY, ENDING_CANCELLED, ENDING_CRASHED), ENDING_OUT_OF_MEMORY);
    assert_int_equal(ends_as(ENDING_STOPPED_EARLY, ENDING_CANCELLED, ENDING_CRASHED), ENDING_CANCELLED);
}

static void a_run_that_completes_all_the_same_has_completed(void **state)
{
    (void)state;
    assert_int_equal(ends_as(ENDING_STOPPED_EARLY, -1, ENDING_COMPLETED), ENDING_COMPLETED);
    assert_int_equal(ends_as(ENDING_TIMED_OUT, -1, ENDING_COMPLETED), ENDING_COMPLETED);
}

static void a_detail_is_cut_and_cleaned(void **state)
{
    (void)state;
    struct run *run = begun_run();
    char detail[5001];
    memset(detail, '\377', 5000);
    detail[5000] = '\0';
    run_end(run, 101, ENDING_BAD_CONFIG, detail, NULL);
    assert_int_equal(strlen(run->detail), 1000);
    assert_int_equal(run->detail[999], '?');
    assert_string_equal(run->tail, "");
    run_destroy(run);
}

static void time_that_no_phase_accounts_for_is_idle(void **state)
{
    (void)state;
    struct run *run = begun_run();
    struct msg_phase phases[] = {
        {.phase = PHASE_FORWARD, .seconds = 2, .count = 4, .min = 0.25, .max = 1},
        {.phase = PHASES_COUNT, .seconds = 5, .count = 1, .min = 5, .max = 5}, /* none of ours: from a newer trainer */
        {.phase = PHASE_DATA, .seconds = -1, .count = 1, .min = -1, .max = -1}}; /* nonsense */
    run_profile(run, 1.5, 1 << 20, phases, 3);
    run_end(run, 110, ENDING_COMPLETED, "", "");
    assert_true(run->phases[PHASE_FORWARD].seconds == 2);
    assert_int_equal(run->phases[PHASE_DATA].count, 0);
    assert_true(run->phases[PHASE_IDLE].seconds == 8);
    assert_true(run->seconds == 10);
    run_destroy(run);
}

/* A worker whose message holds more than may be said would be set aside with all its runs. */
static void what_a_program_says_of_its_time_stays_within_a_message(void **state)
{
    (void)state;
    struct run *run = begun_run();
    struct msg_phase profile[] = {{.phase = PHASE_FORWARD, .seconds = 9e9, .count = 1ull << 53, .min = 0, .max = 1}};
    for (int i = 0; i < 20; i++) {
        run_phase(run, "data", 1, 1000000000000000);
        run_phase(run, "own", 1e9, 1000000000000000);
        run_profile(run, 1, 1, profile, 1);
    }
    run_phase(run, "data", 1, 1);
    run_end(run, 110, ENDING_COMPLETED, "", "");
    for (int i = 0; i < PHASES_COUNT; i++) {
        assert_in_range(run->phases[i].count, 0, 1ull << 53);
        assert_true(run->phases[i].seconds <= 1e10);
    }
    assert_in_range(run->named[0].count, 1000000000000000, 1ull << 53);
    assert_true(run->named[0].seconds <= 1e10);
    assert_true(run->phases[PHASE_DATA].count > 9000000000000000 - 1);
    run_destroy(run);
}

static void phases_that_a_program_cannot_have_had_are_left_out_and_said(void **state)
{
    (void)state;
    struct run *run = begun_run();
    run_phase(run, "data", 8e3, 1);
    run_phase(run, "own", 3e3, 1);
    run_work(run, 10); /* a thousand processes could have had 10,000 s */
    run_end(run, run->begun + 10, ENDING_COMPLETED, "all is well", "");
    assert_string_equal(run->detail,
                        "all is well; it told of phases of 3h03m in all, which can't be: they are left out");
    assert_int_equal(run->named_count, 0);
    assert_int_equal(run->phases[PHASE_DATA].count, 0);
    assert_true(run->phases[PHASE_WORK].seconds == 10);
    assert_int_equal(run->ending, ENDING_COMPLETED);
    run_destroy(run);
    run = begun_run();
    run_phase(run, "data", 9e3, 1);
    run_work(run, 10);
    run_end(run, run->begun + 10, ENDING_COMPLETED, "", "");
    assert_string_equal(run->detail, "");
    assert_true(run->phases[PHASE_DATA].seconds == 9e3);
    run_destroy(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(phases_that_a_program_cannot_have_had_are_left_out_and_said),
        cmocka_unit_test(a_lease_becomes_a_run_with_its_own_copies),
        cmocka_unit_test(metrics_names_are_kept_once),
        cmocka_unit_test(a_name_without_end_is_cut),
        cmocka_unit_test(acknowledged_samples_are_dropped_and_the_others_kept),
        cmocka_unit_test(of_a_flood_of_values_a_curve_the_last_and_the_best_are_kept),
        cmocka_unit_test(a_run_that_says_what_all_others_say_is_recorded_whole),
        cmocka_unit_test(metrics_of_a_step_are_kept_together),
        cmocka_unit_test(no_run_reports_more_than_the_coordinator_takes),
        cmocka_unit_test(a_run_is_forgotten_only_when_its_end_is_known),
        cmocka_unit_test(what_was_asked_for_is_what_the_result_says),
        cmocka_unit_test(a_run_that_completes_all_the_same_has_completed),
        cmocka_unit_test(a_detail_is_cut_and_cleaned),
        cmocka_unit_test(what_never_started_was_only_launched),
        cmocka_unit_test(opening_the_data_is_no_part_of_the_launch),
        cmocka_unit_test(time_that_no_phase_accounts_for_is_idle),
        cmocka_unit_test(what_a_program_says_of_its_time_stays_within_a_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
