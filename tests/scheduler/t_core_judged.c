/* The core with early stopping: what trials are judged by, and what follows from the decisions. */
#include "scheduler/core/demand.h"
#include "scheduler/core/trial.h"
#include "tests/core_fixture.h"
#include "tests/test_metrics.h"

#include <math.h>
#include <stdio.h>

/* Early stopping that says what it is told to, and keeps what it was shown last. */
struct judge {
    struct early_stop calls;
    struct early_stop_decision decision;
    const struct metrics *metrics; /* of the fixture */
    uint64_t trial, step;
    double values[3]; /* NAN behind the last metric */
    int count;
};

static uint64_t until_any(void *context, uint64_t trial)
{
    (void)context, (void)trial;
    return 0;
}

static uint64_t max_steps_of_ten(void *context)
{
    (void)context;
    return 10;
}

static void judge_sample(void *context, uint64_t trial, uint64_t step, const double *values,
                         struct early_stop_decision *out)
{
    struct judge *judge = context;
    judge->trial = trial;
    judge->step = step;
    for (uint32_t i = 0; i < 3; i++)
        judge->values[i] = i < judge->metrics->count ? values[i] : NAN;
    judge->count++;
    *out = judge->decision;
}

static bool no_move(void *context, bool last, struct early_stop_move *out)
{
    (void)context, (void)last, (void)out;
    return false;
}

static void hear_resumed(void *context, uint64_t trial)
{
    (void)context, (void)trial;
}

static void hear_end(void *context, uint64_t trial, enum ending ending)
{
    (void)context, (void)trial, (void)ending;
}

/* Trials are judged so. */
static void prepare_judged(struct fixture *b, struct judge *judge, struct early_stop_decision decision)
{
    *judge = (struct judge){.metrics = &b->config.metrics, .decision = decision};
    judge->calls = (struct early_stop){.context = judge,
                                       .until = until_any,
                                       .max_steps = max_steps_of_ten,
                                       .sample = judge_sample,
                                       .next = no_move,
                                       .resumed = hear_resumed,
                                       .ended = hear_end};
    b->config.early_stop = &judge->calls;
    b->config.metrics = metrics_three;
    b->config.can_continue = true;
}

/* The same with one worker of one slot. */
static void start_judged(struct fixture *b, struct judge *judge, struct early_stop_decision decision)
{
    prepare_judged(b, judge, decision);
    fixture_start(b);
    fixture_join(b, 7, 1, 1, 0);
}

/* A sample of the first attempt at the first trial, `first` of which came before it. */
static void send_sample(struct fixture *b, uint32_t first, const char *metric, int64_t step, double value)
{
    struct msg_sample sample = {.metric = metric, .step = step, .value = value, .time = 2.5 * (double)step};
    struct msg_batch batch = {.trial = 1, .attempt = 1, .first = first, .samples = &sample, .samples_count = 1};
    fixture_say(b, 7, &(struct msg){.kind = MSG_SAMPLES, .samples = {&batch, 1}});
}

/* Both objectives at a step. */
static void send_both(struct fixture *b, uint32_t first, int64_t step)
{
    send_sample(b, first, "loss", step, 0.5);
    send_sample(b, first + 1, "accuracy", step, 0.75);
}

static void a_trial_is_judged_at_a_step_when_all_its_objectives_are_known(void **state)
{
    struct fixture *b = *state;
    struct judge judge;
    start_judged(b, &judge, (struct early_stop_decision){0});
    send_sample(b, 0, "memory", 1, 5);
    send_sample(b, 1, "other", 1, 5);
    send_sample(b, 2, "loss", 1, 0.5);
    assert_int_equal(judge.count, 0);
    send_sample(b, 3, "accuracy", 1, 0.75);
    assert_int_equal(judge.count, 1);
    assert_int_equal(judge.trial, 1);
    assert_int_equal(judge.step, 1);
    assert_true(judge.values[0] == 0.5 && judge.values[1] == 0.75 && judge.values[2] == 5);
    send_sample(b, 4, "accuracy", 2, 0.5); /* loss is known of step 1 only */
    assert_int_equal(judge.count, 1);
    send_sample(b, 5, "loss", 2, 0.25);
    assert_int_equal(judge.count, 2);
    assert_true(judge.values[0] == 0.25 && judge.values[1] == 0.5 && isnan(judge.values[2]));
}

static void a_rung_is_observed_when_it_is_on_disk_with_what_the_trial_came_to(void **state)
{
    struct fixture *b = *state;
    struct judge judge;
    start_judged(b, &judge, (struct early_stop_decision){.rung = true});
    b->commits = false;
    send_both(b, 0, 3);
    assert_int_equal(judge.count, 1);
    assert_int_equal(b->observed_count, 0);
    b->commits = true;
    fixture_drive(b);
    assert_int_equal(b->observed_count, 1);
    assert_int_equal(b->observed.trial, 1);
    assert_int_equal(b->observed.step, 3);
    assert_true(b->observed.seconds == 7.5);
    assert_true(b->observed.values[0] == 0.5 && b->observed.values[1] == 0.75 && isnan(b->observed.values[2]));
}

static void what_is_no_rung_is_not_observed(void **state)
{
    struct fixture *b = *state;
    struct judge judge;
    start_judged(b, &judge, (struct early_stop_decision){0});
    send_both(b, 0, 3);
    assert_int_equal(judge.count, 1);
    assert_int_equal(b->observed_count, 0);
}

/* A program takes steps until it hears that it is stopped; one that fails took some, too. */
static void steps_behind_the_last_decision_count_as_used(void **state)
{
    struct fixture *b = *state;
    struct judge judge;
    start_judged(b, &judge, (struct early_stop_decision){.action = EARLY_STOP_STOP, .why = "it is worse"});
    send_both(b, 0, 3);
    send_both(b, 2, 5);
    struct msg_result result = fixture_done(1, 1, ENDING_STOPPED_EARLY, 0.5);
    decided_add(&result, 1, 0.75);
    decided_add(&result, 2, 5);
    result.first = 4;
    fixture_report(b, 7, result);
    struct snapshot snapshot = fixture_stand(b);
    assert_int_equal(snapshot.steps, 5);
    assert_int_equal(snapshot.stepped, 1);
    snapshot_fini(&snapshot);
}

static void a_stopped_trial_is_told_with_the_step_that_it_came_to(void **state)
{
    struct fixture *b = *state;
    struct judge judge;
    start_judged(b, &judge, (struct early_stop_decision){.action = EARLY_STOP_STOP, .why = "it is worse"});
    send_both(b, 0, 3);
    assert_int_equal(fixture_last_sent(b, MSG_STOP_RUN)->stop_run.ending, ENDING_STOPPED_EARLY);
    struct msg_result result = fixture_done(1, 1, ENDING_STOPPED_EARLY, 0.5);
    decided_add(&result, 1, 0.75);
    decided_add(&result, 2, 5);
    result.first = 2;
    result.seconds = 9;
    fixture_report(b, 7, result);
    assert_int_equal(b->told_count, 1);
    assert_int_equal(b->told_ending[0], ENDING_STOPPED_EARLY);
    assert_int_equal(b->told_step[0], 3);
    assert_true(b->told_value[0] == 0.5 && b->told_seconds[0] == 9);
    send_sample(b, 2, "loss", 4, 0.5);
    assert_int_equal(judge.count, 1);
}

/* Its second attempt goes on from step 2 of 4, and is stopped at step 3. */
static void a_trial_stopped_before_it_was_as_far_again_keeps_what_it_came_to(void **state)
{
    struct fixture *b = *state;
    struct judge judge;
    b->config.retries = 1;
    start_judged(b, &judge, (struct early_stop_decision){0});
    send_both(b, 0, 4);
    struct msg_result result = fixture_done(1, 1, ENDING_EXITED, NAN);
    result.first = 2;
    fixture_report(b, 7, result);
    assert_int_equal(fixture_count_events(b, EVENT_RETRIED), 1);
    struct msg_sample late = {.metric = "loss", .step = 3, .value = 0.625};
    result = fixture_done(1, 2, ENDING_STOPPED_EARLY, 0.625);
    decided_add(&result, 1, 0.875);
    result.resumed = 2;
    result.samples = &late;
    result.samples_count = 1;
    fixture_report(b, 7, result);
    assert_int_equal(b->told_count, 1);
    assert_int_equal(b->told_step[0], 4);
    assert_true(b->told_value[0] == 0.5);
}

/* An attempt reports a loss of this value at a step, and fails. */
static void fail_at(struct fixture *b, uint32_t attempt, uint64_t resumed, int64_t step, double value)
{
    struct msg_sample sample = {.metric = "loss", .step = step, .value = value};
    struct msg_result result = fixture_done(1, attempt, ENDING_EXITED, NAN);
    result.resumed = resumed;
    result.samples = &sample;
    result.samples_count = 1;
    fixture_report(b, 7, result);
}

/* The first attempt saves at step 4, the second one begins anew and comes to this step, the third goes on from 4. */
static void go_on_from_4(struct fixture *b, int64_t second)
{
    struct judge judge;
    b->config.retries = 3;
    prepare_judged(b, &judge, (struct early_stop_decision){0});
    b->config.metrics = metrics_best;
    fixture_start(b);
    fixture_join(b, 7, 1, 1, 0);
    fail_at(b, 1, 0, 4, 0.25);
    fail_at(b, 2, 0, second, 0.875);
    struct msg_sample last = {.metric = "loss", .step = 5, .value = 0.5};
    struct msg_result result = fixture_done(1, 3, ENDING_COMPLETED, 0.5);
    result.resumed = 4;
    result.samples = &last;
    result.samples_count = 1;
    fixture_report(b, 7, result);
}

/* The second attempt could not read the checkpoint after step 4, and came to step 2; the third goes on from it. */
static void what_came_before_a_checkpoint_counts_when_an_attempt_goes_on_from_it_after_one_that_began_anew(void **state)
{
    struct fixture *b = *state;
    go_on_from_4(b, 2);
    assert_int_equal(b->told_count, 1);
    assert_true(b->told_value[0] == 0.25);
}

/* It was leased before the coordinator was started anew, and says its first word to the new one. */
static void an_attempt_that_begins_anew_after_a_restart_takes_back_what_was_seen(void **state)
{
    struct fixture *b = *state;
    struct judge judge;
    struct memory_seen seen[2 * 8] = {{.any = true, .step = 4, .last = 0.25, .min = 0.25, .max = 0.25}};
    struct memory_run runs[] = {{1, 1, 0}, {2, 1, 0}};
    struct memory_trial trial = {.trial = 1, .params = "{}", .attempts = 2, .running = true, .attempt = 2, .worker = 1};
    trial.runs = runs;
    trial.run_count = 2;
    trial.seen = seen;
    struct memory memory = {.session = 1, .next_trial = 2, .trials = &trial, .trial_count = 1};
    b->config.retries = 3;
    prepare_judged(b, &judge, (struct early_stop_decision){0});
    b->config.metrics = metrics_best;
    fixture_start_from(b, &memory);
    struct msg_held held = {1, 2, 0, true};
    struct msg_slot slot = {0, "0", "", "", 0, 0, ""};
    fixture_say(b, 7, &(struct msg){.kind = MSG_HELLO, .hello = {.worker = 1, .node = "n1"}});
    fixture_say(b, 7, &(struct msg){.kind = MSG_OFFER, .offer = {0, &slot, 1, &held, 1}});
    fail_at(b, 2, 0, 2, 0.875);
    assert_int_equal(fixture_last_sent(b, MSG_LEASES)->leases.leases[0].attempt, 3);
    assert_int_equal(fixture_last_sent(b, MSG_LEASES)->leases.leases[0].known, 2);
}

/* The third attempt goes on from where the second one, which had begun anew, was: nothing of the first one counts. */
static void nothing_counts_of_before_an_attempt_that_began_anew_and_is_gone_on_from(void **state)
{
    struct fixture *b = *state;
    go_on_from_4(b, 4);
    assert_int_equal(b->told_count, 1);
    assert_true(b->told_value[0] == 0.5);
}

/* Its worker was silent for too long, comes back with the run, and leaves out the sample that was acknowledged. */
static void what_a_run_given_up_had_reported_counts_when_its_worker_comes_back(void **state)
{
    struct fixture *b = *state;
    struct judge judge;
    prepare_judged(b, &judge, (struct early_stop_decision){0});
    b->config.metrics = metrics_best;
    b->config.retries = 1;
    fixture_start(b);
    fixture_join(b, 7, 1, 1, 0);
    send_sample(b, 0, "loss", 1, 0.25);
    b->now += b->config.lost + 1;
    core_tick(b->core, b->now);
    fixture_drive(b);
    assert_int_equal(fixture_count_events(b, EVENT_RETRIED), 1);
    struct msg_held held = {1, 1, 0, true};
    struct msg_slot slot = {0, "0", "", "", 0, 0, ""};
    fixture_say(b, 9, &(struct msg){.kind = MSG_HELLO, .hello = {.worker = 1, .node = "n1"}});
    fixture_say(b, 9, &(struct msg){.kind = MSG_OFFER, .offer = {0, &slot, 1, &held, 1}});
    judge.decision = (struct early_stop_decision){.action = EARLY_STOP_STOP, .why = "it is worse"};
    struct msg_sample late = {.metric = "loss", .step = 3, .value = 0.75};
    struct msg_result result = fixture_done(1, 1, ENDING_EXITED, NAN);
    result.first = 1;
    result.samples = &late;
    result.samples_count = 1;
    fixture_report(b, 9, result);
    assert_int_equal(b->told_count, 1);
    assert_int_equal(b->told_ending[0], ENDING_STOPPED_EARLY);
    assert_int_equal(b->told_step[0], 3);
    assert_true(b->told_value[0] == 0.25);
}

static void no_worker_is_wanted_for_a_trial_that_pauses(void **state)
{
    struct fixture *b = *state;
    struct judge judge;
    struct demand demand;
    start_judged(b, &judge, (struct early_stop_decision){.action = EARLY_STOP_PAUSE, .rung = true});
    send_both(b, 0, 3);
    struct msg_result result = fixture_done(1, 1, ENDING_PAUSED, NAN);
    result.first = 2;
    fixture_report(b, 7, result);
    assert_int_equal(fixture_count_events(b, EVENT_PAUSED), 1);
    core_demand(b->core, &demand);
    assert_int_equal(demand.wanted, 9);
    demand_fini(&demand);
}

static void a_trial_has_the_joules_of_before_its_pause_and_none_where_a_part_is_not_known(void **state)
{
    (void)state;
    struct trial trial = {.number = 1};
    trial_spend(&trial, &(struct outcome){.seconds = 1, .energy = 2});
    trial_spend(&trial, &(struct outcome){.seconds = 1, .energy = 3});
    assert_true(trial.spent == 2 && trial.energy == 5);
    trial_spend(&trial, &(struct outcome){.seconds = 0}); /* it ended while it was paused */
    assert_true(trial.energy == 5);
    trial_spend(&trial, &(struct outcome){.seconds = 1});
    assert_true(trial.energy == 0);
    trial_spend(&trial, &(struct outcome){.seconds = 1, .energy = 3});
    assert_true(trial.energy == 0);
}

static void above_a_limit_that_was_lowered_nothing_begins_and_paused_trials_are_not_waited_for(void **state)
{
    struct fixture *b = *state;
    struct judge judge;
    struct demand demand;
    struct memory_trial trials[] = {{.trial = 3, .params = "{}", .attempts = 1, .paused = true, .held = true},
                                    {.trial = 4, .params = "{}", .attempts = 1, .paused = true, .held = true},
                                    {.trial = 5, .params = "{}"}};
    struct memory memory = {
        .session = 1, .next_trial = 6, .tally.ended[TRIAL_COMPLETED] = 2, .trials = trials, .trial_count = 3};
    b->config.max_trials = 3;
    prepare_judged(b, &judge, (struct early_stop_decision){0});
    fixture_start_from(b, &memory);
    core_demand(b->core, &demand);
    assert_int_equal(demand.state, EXPERIMENT_ENDED); /* trial 5 may not begin, so nothing would ever move 3 and 4 */
    assert_int_equal(demand.wanted, 0);
    demand_fini(&demand);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_CLAIM(a_trial_is_judged_at_a_step_when_all_its_objectives_are_known),
        FIXTURE_CLAIM(a_rung_is_observed_when_it_is_on_disk_with_what_the_trial_came_to),
        FIXTURE_CLAIM(what_is_no_rung_is_not_observed),
        FIXTURE_CLAIM(steps_behind_the_last_decision_count_as_used),
        FIXTURE_CLAIM(a_stopped_trial_is_told_with_the_step_that_it_came_to),
        FIXTURE_CLAIM(a_trial_stopped_before_it_was_as_far_again_keeps_what_it_came_to),
        FIXTURE_CLAIM(what_came_before_a_checkpoint_counts_when_an_attempt_goes_on_from_it_after_one_that_began_anew),
        FIXTURE_CLAIM(an_attempt_that_begins_anew_after_a_restart_takes_back_what_was_seen),
        FIXTURE_CLAIM(nothing_counts_of_before_an_attempt_that_began_anew_and_is_gone_on_from),
        FIXTURE_CLAIM(what_a_run_given_up_had_reported_counts_when_its_worker_comes_back),
        FIXTURE_CLAIM(no_worker_is_wanted_for_a_trial_that_pauses),
        cmocka_unit_test(a_trial_has_the_joules_of_before_its_pause_and_none_where_a_part_is_not_known),
        FIXTURE_CLAIM(above_a_limit_that_was_lowered_nothing_begins_and_paused_trials_are_not_waited_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
