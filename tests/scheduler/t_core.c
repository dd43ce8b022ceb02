/* The coordinator's core, one property at a time: what it sends, stores and tells for given messages. (tests/sim drives
 * it through everything at once.) */
#include "tests/judged.h"
#include "scheduler/core/core.h"
#include "scheduler/core/snapshot.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 400 };

/* A core with everything around it that a test needs: the last outputs by kind, and a disk that commits when told. */
struct bench {
    struct core_config config;
    struct core *core;
    double now;
    uint64_t emitted, committed;
    bool commits;  /* each event is committed at once */
    bool proposes; /* asks are answered at once */
    struct msg sent[MOST];
    uint64_t peers[MOST];
    size_t sent_count;
    uint64_t told[MOST];
    enum ending told_ending[MOST];
    double told_value[MOST];
    size_t told_count;
    enum event_kind events[MOST];
    enum ending event_endings[MOST];
    struct phase_time queue_time;
    struct event last_end; /* the last TRIAL_ENDED; owned */
    size_t event_count;
    uint64_t asked;
    bool ended;
    enum reason reason;
};

static void drive(struct bench *b);

static void take(struct bench *b, struct output *output)
{
    struct err err;
    char params[32];
    switch (output->kind) {
    case OUTPUT_SEND:
        assert_true(b->sent_count < MOST);
        b->peers[b->sent_count] = output->peer;
        assert_int_equal(msg_decode(&b->sent[b->sent_count++], output->bytes.data, output->bytes.length, &err), 0);
        break;
    case OUTPUT_STORE:
        assert_true(b->event_count < MOST);
        assert_int_equal(output->event.number, ++b->emitted);
        b->event_endings[b->event_count] = output->event.ending;
        b->events[b->event_count++] = output->event.kind;
        if (output->event.kind == EVENT_RUN_ENDED)
            b->queue_time = output->event.phases[PHASE_QUEUE];
        if (output->event.kind == EVENT_TRIAL_ENDED) {
            event_fini(&b->last_end);
            b->last_end = output->event;
            output->event = (struct event){0};
        }
        break;
    case OUTPUT_ASK:
        b->asked = output->trial;
        snprintf(params, sizeof params, "{\"x\": %llu}", (unsigned long long)output->trial);
        if (b->proposes)
            core_proposal(b->core, b->now, output->trial, params, 0, 0, false, 0);
        break;
    case OUTPUT_OBSERVE:
        break;
    case OUTPUT_TELL:
        assert_true(b->told_count < MOST);
        b->told_ending[b->told_count] = output->ending;
        b->told_value[b->told_count] = output->values ? output->values[0] : NAN;
        b->told[b->told_count++] = output->trial;
        break;
    case OUTPUT_ENDED:
        b->ended = true;
        b->reason = output->reason;
    }
}

static void drive(struct bench *b)
{
    struct output output;
    do {
        while (core_next(b->core, &output)) {
            take(b, &output);
            output_fini(&output);
        }
        if (!b->commits || b->committed == b->emitted)
            return;
        b->committed = b->emitted;
        core_committed(b->core, b->now, b->committed);
    } while (true);
}

static void setup(struct bench *b)
{
    *b = (struct bench){.now = 100, .commits = true, .proposes = true};
    core_config_defaults(&b->config);
    b->config.task = "{\"kernel\": \"synth\"}";
    b->config.metrics = judged_min;
    b->config.max_trials = 10;
}

static void start(struct bench *b)
{
    struct memory memory = {.next_trial = 1};
    b->core = core_create(&b->config, &memory, b->now);
    drive(b);
}

static void teardown(struct bench *b)
{
    core_destroy(b->core);
    event_fini(&b->last_end);
    for (size_t i = 0; i < b->sent_count; i++)
        msg_fini(&b->sent[i]);
}

static void say(struct bench *b, uint64_t peer, const struct msg *msg)
{
    core_message(b->core, b->now, peer, msg);
    drive(b);
}

static void join(struct bench *b, uint64_t peer, uint64_t worker, uint32_t slots, uint32_t credit)
{
    struct msg_slot offered[8] = {0};
    for (uint32_t i = 0; i < slots; i++)
        offered[i] = (struct msg_slot){i, "0", "", "", 0};
    say(b, peer, &(struct msg){.kind = MSG_HELLO, .hello = {.worker = worker, .node = "n1", .pid = 17}});
    say(b, peer, &(struct msg){.kind = MSG_OFFER, .offer = {credit, offered, slots, NULL, 0}});
}

static struct msg_result done(uint64_t trial, uint32_t attempt, enum ending ending, double value)
{
    struct msg_result result = {.trial = trial, .attempt = attempt, .ending = (uint32_t)ending, .seconds = 1};
    judged_add(&result, 0, value);
    return result;
}

static void report(struct bench *b, uint64_t peer, struct msg_result result)
{
    say(b, peer, &(struct msg){.kind = MSG_RESULTS, .results = {&result, 1}});
}

/* The last message of a kind that was sent; NULL: none. */
static const struct msg *last_sent(const struct bench *b, enum msg_kind kind)
{
    for (size_t i = b->sent_count; i-- > 0;)
        if (b->sent[i].kind == kind)
            return &b->sent[i];
    return NULL;
}

static size_t count_sent(const struct bench *b, enum msg_kind kind)
{
    size_t count = 0;
    for (size_t i = 0; i < b->sent_count; i++)
        count += b->sent[i].kind == kind;
    return count;
}

static size_t count_events(const struct bench *b, enum event_kind kind)
{
    size_t count = 0;
    for (size_t i = 0; i < b->event_count; i++)
        count += b->events[i] == kind;
    return count;
}

static struct snapshot stand(const struct bench *b)
{
    struct snapshot snapshot;
    core_snapshot(b->core, b->now, &snapshot);
    return snapshot;
}

/* --- leases and results --- */

static void a_worker_gets_a_lease_for_each_slot(void **state)
{
    (void)state;
    struct bench b;
    setup(&b);
    start(&b);
    join(&b, 7, 1, 2, 0);
    assert_string_equal(last_sent(&b, MSG_WELCOME)->welcome.task, b.config.task);
    const struct msg *leases = last_sent(&b, MSG_LEASES);
    assert_non_null(leases);
    assert_int_equal(leases->leases.leases_count, 2);
    assert_string_equal(leases->leases.leases[0].params, "{\"x\": 1}");
    assert_int_not_equal(leases->leases.leases[0].slot, leases->leases.leases[1].slot);
    teardown(&b);
}

static void nothing_is_sent_before_it_is_committed(void **state)
{
    (void)state;
    struct bench b;
    setup(&b);
    start(&b);
    b.commits = false;
    join(&b, 7, 1, 1, 0);
    assert_int_equal(count_sent(&b, MSG_LEASES), 0);
    b.commits = true;
    drive(&b);
    assert_int_equal(count_sent(&b, MSG_LEASES), 1);
    b.commits = false;
    report(&b, 7, done(1, 1, ENDING_COMPLETED, 0.5));
    assert_int_equal(count_sent(&b, MSG_ACKS), 0);
    assert_int_equal(b.told_count, 0);
    b.commits = true;
    drive(&b);
    assert_int_equal(count_sent(&b, MSG_ACKS), 1);
    assert_int_equal(b.told_count, 1);
    assert_true(last_sent(&b, MSG_ACKS)->acks.acks[0].ended);
    teardown(&b);
}

static void a_result_is_told_with_its_value_and_the_slot_goes_on(void **state)
{
    (void)state;
    struct bench b;
    setup(&b);
    start(&b);
    join(&b, 7, 1, 1, 0);
    b.now += 3;
    report(&b, 7, done(1, 1, ENDING_COMPLETED, 0.5));
    assert_int_equal(b.told[0], 1);
    assert_float_equal(b.told_value[0], 0.5, 0);
    assert_int_equal(last_sent(&b, MSG_LEASES)->leases.leases[0].trial, 2);
    assert_int_equal(b.queue_time.count, 1);
    teardown(&b);
}

static void a_repeated_result_is_acknowledged_and_counted_once(void **state)
{
    (void)state;
    struct bench b;
    setup(&b);
    start(&b);
    join(&b, 7, 1, 1, 0);
    report(&b, 7, done(1, 1, ENDING_COMPLETED, 0.5));
    report(&b, 7, done(1, 1, ENDING_COMPLETED, 0.5));
    assert_int_equal(b.told_count, 1);
    assert_int_equal(count_sent(&b, MSG_ACKS), 2);
    assert_int_equal(count_events(&b, EVENT_TRIAL_ENDED), 1);
    teardown(&b);
}

static void the_best_counts_in_the_direction_of_the_goal(void **state)
{
    (void)state;
    struct bench b;
    setup(&b);
    b.config.metrics = judged_max;
    start(&b);
    join(&b, 7, 1, 1, 0);
    report(&b, 7, done(1, 1, ENDING_COMPLETED, 0.5));
    report(&b, 7, done(2, 1, ENDING_COMPLETED, 0.9));
    report(&b, 7, done(3, 1, ENDING_COMPLETED, 0.1));
    struct snapshot now = stand(&b);
    assert_true(now.has_best);
    assert_int_equal(now.best_trial, 2);
    assert_int_equal(now.trials[TRIAL_COMPLETED], 3);
    snapshot_fini(&now);
    teardown(&b);
}

static void use_best_takes_the_best_sample_of_the_run(void **state)
{
    (void)state;
    struct bench b;
    setup(&b);
    b.config.metrics = judged_best;
    start(&b);
    join(&b, 7, 1, 1, 0);
    struct msg_result result = done(1, 1, ENDING_COMPLETED, 0.5);
    result.measures->min = 0.2;
    report(&b, 7, result);
    assert_float_equal(b.told_value[0], 0.2, 0);
    teardown(&b);
}

static void a_completed_run_without_a_value_failed(void **state)
{
    (void)state;
    struct bench b;
    setup(&b);
    start(&b);
    join(&b, 7, 1, 1, 0);
    report(&b, 7, done(1, 1, ENDING_COMPLETED, NAN));
    assert_int_equal(b.told_ending[0], ENDING_NO_VALUE);
    struct msg_result result = done(2, 1, ENDING_COMPLETED, 1);
    result.measures->last = INFINITY;
    report(&b, 7, result);
    assert_int_equal(b.told_ending[1], ENDING_DIVERGED);
    teardown(&b);
}

/* --- several metrics --- */

static struct msg_result done_three(uint64_t trial, double loss, double accuracy, double memory)
{
    struct msg_result result = done(trial, 1, ENDING_COMPLETED, loss);
    judged_add(&result, 1, accuracy);
    judged_add(&result, 2, memory);
    return result;
}

static void a_trial_that_breaks_a_limit_is_never_the_best(void **state)
{
    (void)state;
    struct bench b;
    setup(&b);
    b.config.metrics = judged_three;
    start(&b);
    join(&b, 7, 1, 1, 0);
    report(&b, 7, done_three(1, 0.1, 0.9, 8.5));
    report(&b, 7, done_three(2, 0.1, 0.9, NAN)); /* it does not say */
    struct snapshot now = stand(&b);
    assert_false(now.has_best);
    snapshot_fini(&now);
    report(&b, 7, done_three(3, 0.5, 0.9, 8));
    now = stand(&b);
    assert_int_equal(now.best_trial, 3);
    assert_int_equal(now.trials[TRIAL_COMPLETED], 3);
    snapshot_fini(&now);
    teardown(&b);
}

static void the_end_of_a_trial_says_the_values_of_all_metrics(void **state)
{
    (void)state;
    struct bench b;
    setup(&b);
    b.config.metrics = judged_three;
    start(&b);
    join(&b, 7, 1, 1, 0);
    report(&b, 7, done_three(1, 0.1, 0.9, 8.5));
    const struct event *end = &b.last_end;
    assert_int_equal(end->values_count, 3);
    assert_true(end->has_value && end->infeasible);
    assert_float_equal(end->value, 0.1, 0);
    assert_float_equal(end->values[1], 0.9, 0);
    assert_float_equal(end->values[2], 8.5, 0);
    teardown(&b);
}

static void a_trial_that_lacks_an_objective_has_no_value(void **state)
{
    (void)state;
    struct bench b;
    setup(&b);
    b.config.metrics = judged_three;
    start(&b);
    join(&b, 7, 1, 1, 0);
    report(&b, 7, done_three(1, 0.1, NAN, 4));
    assert_int_equal(b.told_ending[0], ENDING_NO_VALUE);
    assert_string_equal(b.last_end.detail, "the metric is 'accuracy'");
    report(&b, 7, done_three(2, 0.1, INFINITY, 4));
    assert_int_equal(b.told_ending[1], ENDING_DIVERGED);
    teardown(&b);
}

/* --- retries --- */

static void a_crash_is_tried_again_as_often_as_retries_say(void **state)
{
    (void)state;
    struct bench b;
    setup(&b);
    b.config.retries = 1;
    start(&b);
    join(&b, 7, 1, 1, 0);
    report(&b, 7, done(1, 1, ENDING_CRASHED, NAN));
    assert_int_equal(b.told_count, 0);
    assert_int_equal(last_sent(&b, MSG_LEASES)->leases.leases[0].trial, 1);
    assert_int_equal(last_sent(&b, MSG_LEASES)->leases.leases[0].attempt, 2);
    report(&b, 7, done(1, 2, ENDING_CRASHED, NAN));
    assert_int_equal(b.told_count, 1);
    assert_int_equal(b.told_ending[0], ENDING_CRASHED);
    teardown(&b);
}

static void a_bad_configuration_is_not_tried_again(void **state)
{
    (void)state;
    struct bench b;
    setup(&b);
    start(&b);
    join(&b, 7, 1, 1, 0);
    report(&b, 7, done(1, 1, ENDING_BAD_CONFIG, NAN));
    assert_int_equal(b.told_ending[0], ENDING_BAD_CONFIG);
    teardown(&b);
}

static void a_lost_worker_costs_no_retry_but_not_for_ever(void **state)
{
    (void)state;
    struct bench b;
    setup(&b);
    b.config.retries = 0;
    b.config.loss_limit = 3;
    b.config.max_trials = 1;
    start(&b);
    for (uint64_t i = 1; i <= 4; i++) {
        join(&b, i, i, 1, 0);
        core_worker_dead(b.core, b.now, i, "killed");
        drive(&b);
        assert_int_equal(b.told_count, i == 4);
    }
    assert_int_equal(b.told_ending[0], ENDING_LOST);
    teardown(&b);
}

static void a_silent_worker_gets_no_lease_and_then_loses_its_runs(void **state)
{
    (void)state;
    struct bench b;
    setup(&b);
    start(&b);
    join(&b, 7, 1, 2, 0);
    size_t before = count_sent(&b, MSG_LEASES);
    b.now += b.config.suspect + 1;
    core_tick(b.core, b.now);
    drive(&b);
    struct snapshot now = stand(&b);
    assert_true(now.workers[0].suspect);
    snapshot_fini(&now);
    b.now += b.config.lost;
    core_tick(b.core, b.now);
    drive(&b);
    assert_int_equal(count_events(&b, EVENT_WORKER_GONE), 1);
    assert_int_equal(count_events(&b, EVENT_RETRIED), 2);
    assert_int_equal(count_sent(&b, MSG_LEASES), before);
    join(&b, 8, 2, 2, 0);
    assert_int_equal(last_sent(&b, MSG_LEASES)->leases.leases_count, 2);
    teardown(&b);
}

static void a_run_that_its_worker_does_not_end_is_lost_and_its_slot_unused(void **state)
{
    (void)state;
    struct bench b;
    setup(&b);
    b.config.trial_time = 10;
    b.config.grace = 5;
    start(&b);
    join(&b, 7, 1, 1, 0);
    for (int i = 0; i < 30; i++) {
        b.now += 2;
        say(&b, 7, &(struct msg){.kind = MSG_HEARTBEAT, .heartbeat = {0, (struct msg_run_id[]){{1, 1}}, 1}});
        core_tick(b.core, b.now);
        drive(&b);
    }
    assert_int_equal(count_events(&b, EVENT_RETRIED), 1);
    assert_int_equal(count_sent(&b, MSG_LEASES), 1);
    assert_non_null(last_sent(&b, MSG_STOP_RUN));
    report(&b, 7, done(1, 1, ENDING_TIMED_OUT, NAN));
    assert_int_equal(count_events(&b, EVENT_LATE), 1);
    assert_int_equal(last_sent(&b, MSG_LEASES)->leases.leases[0].attempt, 2);
    teardown(&b);
}

/* --- strangers and restarts --- */

static void a_peer_that_never_said_hello_is_asked_who_it_is(void **state)
{
    (void)state;
    struct bench b;
    setup(&b);
    start(&b);
    report(&b, 99, done(1, 1, ENDING_COMPLETED, 0.1));
    assert_int_equal(b.sent_count, 1);
    assert_int_equal(b.sent[0].kind, MSG_WHO);
    assert_int_equal(b.told_count, 0);
    teardown(&b);
}

static void a_worker_can_not_end_the_trial_of_another(void **state)
{
    (void)state;
    struct bench b;
    setup(&b);
    start(&b);
    join(&b, 7, 1, 1, 0);
    join(&b, 8, 2, 1, 0);
    report(&b, 8, done(1, 1, ENDING_COMPLETED, -1e9));
    assert_int_equal(b.told_count, 0);
    report(&b, 7, done(1, 1, ENDING_COMPLETED, 0.5));
    assert_float_equal(b.told_value[0], 0.5, 0);
    teardown(&b);
}

static void a_late_success_of_a_run_given_up_wins_and_stops_the_other(void **state)
{
    (void)state;
    struct bench b;
    setup(&b);
    b.config.max_trials = 1;
    start(&b);
    join(&b, 7, 1, 1, 0);
    b.now += b.config.lost + 1; /* the worker is held up: it is lost, and its trial goes to another */
    core_tick(b.core, b.now);
    drive(&b);
    join(&b, 8, 2, 1, 0);
    assert_int_equal(last_sent(&b, MSG_LEASES)->leases.leases[0].attempt, 2);
    struct msg_held held = {1, 1, 0, true};
    struct msg_slot slot = {0, "0", "", "", 0};
    say(&b, 9, &(struct msg){.kind = MSG_HELLO, .hello = {.worker = 1, .node = "n1"}});
    say(&b, 9, &(struct msg){.kind = MSG_OFFER, .offer = {0, &slot, 1, &held, 1}});
    report(&b, 9, done(1, 1, ENDING_COMPLETED, 0.5));
    assert_int_equal(b.told_count, 1);
    assert_float_equal(b.told_value[0], 0.5, 0);
    assert_int_equal(last_sent(&b, MSG_STOP_RUN)->stop_run.attempt, 2);
    report(&b, 8, done(1, 2, ENDING_COMPLETED, 0.4));
    assert_int_equal(b.told_count, 1);
    assert_true(b.ended);
    teardown(&b);
}

static void a_restarted_core_takes_its_workers_back_with_their_runs(void **state)
{
    (void)state;
    struct bench b;
    setup(&b);
    struct memory_run run = {1, 5};
    struct memory_trial trial = {.trial = 1,
                                 .params = "{\"x\": 1}",
                                 .attempts = 1,
                                 .running = true,
                                 .attempt = 1,
                                 .worker = 5,
                                 .runs = &run,
                                 .run_count = 1};
    struct memory memory = {.session = 3, .next_trial = 2, .trials = &trial, .trial_count = 1};
    b.core = core_create(&b.config, &memory, b.now);
    drive(&b);
    struct msg_held held = {1, 1, 0, false};
    struct msg_slot slot = {0, "0", "", "", 0};
    say(&b, 7, &(struct msg){.kind = MSG_HELLO, .hello = {.worker = 5, .node = "n1"}});
    assert_int_equal(last_sent(&b, MSG_WELCOME)->welcome.session, 4);
    say(&b, 7, &(struct msg){.kind = MSG_OFFER, .offer = {0, &slot, 1, &held, 1}});
    assert_int_equal(count_sent(&b, MSG_LEASES), 0);
    report(&b, 7, done(1, 1, ENDING_COMPLETED, 0.25));
    assert_float_equal(b.told_value[0], 0.25, 0);
    teardown(&b);
}

static void a_restarted_core_gives_up_on_workers_that_stay_away(void **state)
{
    (void)state;
    struct bench b;
    setup(&b);
    struct memory_trial trial = {.trial = 1, .params = "{}", .attempts = 1, .running = true, .attempt = 1, .worker = 5};
    struct memory memory = {.session = 1, .next_trial = 2, .trials = &trial, .trial_count = 1};
    b.core = core_create(&b.config, &memory, b.now);
    drive(&b);
    join(&b, 8, 6, 1, 0);
    assert_int_equal(last_sent(&b, MSG_LEASES)->leases.leases[0].trial, 2);
    b.now += b.config.restart_patience + 1;
    say(&b, 8, &(struct msg){.kind = MSG_HEARTBEAT, .heartbeat = {0, (struct msg_run_id[]){{2, 1}}, 1}});
    core_tick(b.core, b.now);
    drive(&b);
    assert_int_equal(count_events(&b, EVENT_RETRIED), 1);
    teardown(&b);
}

static void a_lower_limit_leaves_trials_waiting(void **state)
{
    (void)state;
    struct bench b;
    setup(&b);
    b.config.max_trials = 3; /* 2 have ended, 3 wait: one more */
    struct memory_trial waiting[] = {
        {.trial = 3, .params = "{}"}, {.trial = 4, .params = "{}"}, {.trial = 5, .params = "{}"}};
    struct memory memory = {
        .session = 1, .next_trial = 6, .ended[TRIAL_COMPLETED] = 2, .trials = waiting, .trial_count = 3};
    b.core = core_create(&b.config, &memory, b.now);
    drive(&b);
    join(&b, 7, 1, 2, 8);
    assert_int_equal(count_sent(&b, MSG_LEASES), 1);
    assert_int_equal(last_sent(&b, MSG_LEASES)->leases.leases_count, 1);
    assert_false(b.ended);
    report(&b, 7, done(3, 1, ENDING_COMPLETED, 0.25));
    assert_true(b.ended);
    struct snapshot now = stand(&b);
    assert_int_equal(now.reason, REASON_MAX_TRIALS);
    assert_int_equal(now.trials[TRIAL_WAITING], 2);
    snapshot_fini(&now);
    teardown(&b);
}

/* --- leases ahead --- */

static void short_trials_are_leased_ahead_and_long_ones_are_not(void **state)
{
    (void)state;
    struct bench b;
    setup(&b);
    b.config.max_trials = 0;
    b.config.ask_far_ahead = true;
    start(&b);
    join(&b, 7, 1, 1, 8);
    assert_int_equal(last_sent(&b, MSG_LEASES)->leases.leases_count, 1);
    struct msg_result result = done(1, 1, ENDING_COMPLETED, 1);
    result.seconds = 0.0001;
    report(&b, 7, result);
    assert_int_equal(last_sent(&b, MSG_LEASES)->leases.leases_count, 9);
    struct snapshot now = stand(&b);
    assert_int_equal(now.trials[TRIAL_RUNNING], 9);
    assert_int_equal(now.busy, 1);
    snapshot_fini(&now);
    teardown(&b);
}

static void returned_leases_go_elsewhere_in_their_order_and_cost_nothing(void **state)
{
    (void)state;
    struct bench b;
    setup(&b);
    b.config.max_trials = 4;
    b.config.retries = 0;
    b.config.ask_far_ahead = true;
    start(&b);
    join(&b, 7, 1, 1, 8);
    struct msg_result result = done(1, 1, ENDING_COMPLETED, 1);
    result.seconds = 0.0001;
    report(&b, 7, result);
    struct msg_run_id runs[] = {{3, 1}, {4, 1}};
    say(&b, 7, &(struct msg){.kind = MSG_RETURNED, .returned = {runs, 2}});
    join(&b, 8, 2, 2, 0);
    const struct msg *leases = last_sent(&b, MSG_LEASES);
    assert_int_equal(leases->leases.leases[leases->leases.leases_count - 1].attempt, 2);
    assert_int_equal(count_events(&b, EVENT_RETRIED), 0);
    assert_int_equal(count_events(&b, EVENT_RETURNED), 2);
    teardown(&b);
}

static void a_slot_that_gave_leases_back_gets_none_ahead_until_its_run_ends(void **state)
{
    (void)state;
    struct bench b;
    setup(&b);
    b.config.ask_far_ahead = true;
    start(&b);
    join(&b, 7, 1, 1, 2);
    struct msg_result result = done(1, 1, ENDING_COMPLETED, 1);
    result.seconds = 0.0001;
    report(&b, 7, result);
    size_t before = count_sent(&b, MSG_LEASES);
    struct msg_run_id runs[] = {{3, 1}, {4, 1}};
    say(&b, 7, &(struct msg){.kind = MSG_RETURNED, .returned = {runs, 2}});
    assert_int_equal(count_sent(&b, MSG_LEASES), before);
    report(&b, 7, done(2, 1, ENDING_COMPLETED, 1));
    assert_int_equal(count_sent(&b, MSG_LEASES), before + 1);
    assert_int_equal(last_sent(&b, MSG_LEASES)->leases.leases[0].trial, 3);
    teardown(&b);
}

static void max_concurrent_bounds_the_busy_slots(void **state)
{
    (void)state;
    struct bench b;
    setup(&b);
    b.config.max_concurrent = 3;
    start(&b);
    join(&b, 7, 1, 8, 0);
    struct snapshot now = stand(&b);
    assert_int_equal(now.busy, 3);
    snapshot_fini(&now);
    teardown(&b);
}

static void one_at_a_time_each_proposal_knows_how_the_trial_before_it_ended(void **state)
{
    (void)state;
    static const uint32_t concurrent[] = {0, 1}; /* by one slot, or by the limit */
    for (size_t i = 0; i < 2; i++) {
        struct bench b;
        setup(&b);
        b.config.max_concurrent = concurrent[i];
        start(&b);
        join(&b, 7, 1, concurrent[i] ? 7 : 1, 8);
        assert_int_equal(b.asked, 1);
        b.commits = false;
        report(&b, 7, done(1, 1, ENDING_COMPLETED, 0.5));
        assert_int_equal(b.asked, 1); /* the slot is free, but the strategy does not know of the result */
        b.commits = true;
        drive(&b);
        assert_int_equal(b.told_count, 1);
        assert_int_equal(b.asked, 2);
        teardown(&b);
    }
}

/* --- ends --- */

static void it_ends_when_all_trials_have_ended(void **state)
{
    (void)state;
    struct bench b;
    setup(&b);
    b.config.max_trials = 3;
    start(&b);
    join(&b, 7, 1, 1, 0);
    for (uint64_t i = 1; i <= 3; i++) {
        assert_false(b.ended);
        report(&b, 7, done(i, 1, ENDING_COMPLETED, (double)i));
    }
    assert_true(b.ended);
    assert_int_equal(b.reason, REASON_MAX_TRIALS);
    assert_non_null(last_sent(&b, MSG_DRAIN));
    assert_int_equal(b.asked, 3);
    teardown(&b);
}

static void it_ends_when_the_strategy_has_nothing_left(void **state)
{
    (void)state;
    struct bench b;
    setup(&b);
    b.proposes = false;
    start(&b);
    join(&b, 7, 1, 4, 0);
    core_proposal(b.core, b.now, 1, "{}", 0, 0, false, 0);
    drive(&b);
    assert_true(b.asked > 2); /* one answer stands for all asks that are still open */
    core_no_more(b.core, b.now);
    drive(&b);
    assert_false(b.ended);
    report(&b, 7, done(1, 1, ENDING_COMPLETED, 1));
    assert_true(b.ended);
    assert_int_equal(b.reason, REASON_NO_MORE);
    teardown(&b);
}

static void the_target_ends_it_and_cancels_the_rest(void **state)
{
    (void)state;
    struct bench b;
    setup(&b);
    b.config.has_target = true;
    b.config.target = 0.1;
    start(&b);
    join(&b, 7, 1, 2, 0);
    report(&b, 7, done(1, 1, ENDING_COMPLETED, 0.1));
    assert_false(b.ended);
    assert_true(last_sent(&b, MSG_DRAIN)->drain.now);
    report(&b, 7, done(2, 1, ENDING_CANCELLED, NAN));
    assert_true(b.ended);
    assert_int_equal(b.reason, REASON_TARGET);
    assert_int_equal(b.told_ending[b.told_count - 1], ENDING_CANCELLED);
    struct snapshot now = stand(&b);
    assert_int_equal(now.trials[TRIAL_WAITING] + now.trials[TRIAL_RUNNING], 0);
    snapshot_fini(&now);
    teardown(&b);
}

static void at_the_time_limit_runs_are_stopped_and_keep_their_value(void **state)
{
    (void)state;
    struct bench b;
    setup(&b);
    b.config.time = 60;
    start(&b);
    join(&b, 7, 1, 2, 0);
    b.now += 61;
    say(&b, 7, &(struct msg){.kind = MSG_HEARTBEAT, .heartbeat = {0, (struct msg_run_id[]){{1, 1}, {2, 1}}, 2}});
    core_tick(b.core, b.now);
    drive(&b);
    assert_int_equal(last_sent(&b, MSG_STOP_RUN)->stop_run.ending, ENDING_STOPPED_EARLY);
    report(&b, 7, done(1, 1, ENDING_STOPPED_EARLY, 0.5));
    report(&b, 7, done(2, 1, ENDING_STOPPED_EARLY, NAN));
    assert_true(b.ended);
    assert_int_equal(b.reason, REASON_TIME);
    assert_int_equal(b.told_ending[0], ENDING_STOPPED_EARLY);
    assert_int_equal(b.told_ending[1], ENDING_CANCELLED);
    teardown(&b);
}

static void too_many_failures_end_it(void **state)
{
    (void)state;
    struct bench b;
    setup(&b);
    b.config.has_max_failures = true;
    b.config.max_failures = 1;
    start(&b);
    join(&b, 7, 1, 1, 0);
    report(&b, 7, done(1, 1, ENDING_BAD_CONFIG, NAN));
    assert_null(last_sent(&b, MSG_DRAIN));
    report(&b, 7, done(2, 1, ENDING_BAD_CONFIG, NAN));
    assert_non_null(last_sent(&b, MSG_DRAIN));
    teardown(&b);
}

static void an_interrupted_experiment_keeps_its_trials_for_later(void **state)
{
    (void)state;
    struct bench b;
    setup(&b);
    start(&b);
    join(&b, 7, 1, 1, 0);
    core_drain(b.core, b.now, REASON_INTERRUPTED);
    drive(&b);
    assert_false(last_sent(&b, MSG_DRAIN)->drain.now);
    assert_false(b.ended);
    core_stop(b.core, b.now, REASON_INTERRUPTED);
    drive(&b);
    assert_true(last_sent(&b, MSG_DRAIN)->drain.now);
    report(&b, 7, done(1, 1, ENDING_CANCELLED, NAN));
    assert_true(b.ended);
    assert_int_equal(b.told_count, 0);
    assert_int_equal(count_events(&b, EVENT_TRIAL_ENDED), 0);
    assert_int_equal(count_events(&b, EVENT_RETRIED), 1);
    teardown(&b);
}

static void a_forced_end_does_not_wait_for_ever(void **state)
{
    (void)state;
    struct bench b;
    setup(&b);
    b.config.grace = 1;
    start(&b);
    join(&b, 7, 1, 1, 0);
    core_stop(b.core, b.now, REASON_INTERRUPTED);
    drive(&b);
    b.now += 30;
    core_tick(b.core, b.now);
    drive(&b);
    assert_true(b.ended);
    teardown(&b);
}

static void a_cancelled_trial_ends_whether_it_waits_or_runs(void **state)
{
    (void)state;
    struct bench b;
    setup(&b);
    b.config.ask_far_ahead = true;
    start(&b);
    join(&b, 7, 1, 1, 0);
    struct err err = {0};
    assert_int_equal(core_cancel_trial(b.core, b.now, 2, &err), 0);
    drive(&b);
    assert_int_equal(b.told[0], 2);
    assert_int_equal(core_cancel_trial(b.core, b.now, 1, &err), 0);
    drive(&b);
    assert_int_equal(last_sent(&b, MSG_STOP_RUN)->stop_run.trial, 1);
    report(&b, 7, done(1, 1, ENDING_CANCELLED, NAN));
    assert_int_equal(b.told[1], 1);
    assert_int_equal(b.told_ending[1], ENDING_CANCELLED);
    assert_int_equal(core_cancel_trial(b.core, b.now, 1, &err), -1);
    assert_string_equal(err.text, "trial 1 has ended already");
    assert_int_equal(core_cancel_trial(b.core, b.now, 77, &err), -1);
    assert_string_equal(err.text, "there is no trial 77 yet");
    teardown(&b);
}

static void a_broken_strategy_ends_it_with_its_sentence(void **state)
{
    (void)state;
    struct bench b;
    setup(&b);
    b.proposes = false;
    start(&b);
    core_broken(b.core, b.now, "the plug-in divided by zero");
    drive(&b);
    assert_true(b.ended);
    assert_int_equal(b.reason, REASON_BROKEN);
    teardown(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_worker_gets_a_lease_for_each_slot),
        cmocka_unit_test(nothing_is_sent_before_it_is_committed),
        cmocka_unit_test(a_result_is_told_with_its_value_and_the_slot_goes_on),
        cmocka_unit_test(a_repeated_result_is_acknowledged_and_counted_once),
        cmocka_unit_test(the_best_counts_in_the_direction_of_the_goal),
        cmocka_unit_test(use_best_takes_the_best_sample_of_the_run),
        cmocka_unit_test(a_completed_run_without_a_value_failed),
        cmocka_unit_test(a_trial_that_breaks_a_limit_is_never_the_best),
        cmocka_unit_test(the_end_of_a_trial_says_the_values_of_all_metrics),
        cmocka_unit_test(a_trial_that_lacks_an_objective_has_no_value),
        cmocka_unit_test(a_crash_is_tried_again_as_often_as_retries_say),
        cmocka_unit_test(a_bad_configuration_is_not_tried_again),
        cmocka_unit_test(a_lost_worker_costs_no_retry_but_not_for_ever),
        cmocka_unit_test(a_silent_worker_gets_no_lease_and_then_loses_its_runs),
        cmocka_unit_test(a_run_that_its_worker_does_not_end_is_lost_and_its_slot_unused),
        cmocka_unit_test(a_peer_that_never_said_hello_is_asked_who_it_is),
        cmocka_unit_test(a_worker_can_not_end_the_trial_of_another),
        cmocka_unit_test(a_late_success_of_a_run_given_up_wins_and_stops_the_other),
        cmocka_unit_test(a_restarted_core_takes_its_workers_back_with_their_runs),
        cmocka_unit_test(a_restarted_core_gives_up_on_workers_that_stay_away),
        cmocka_unit_test(a_lower_limit_leaves_trials_waiting),
        cmocka_unit_test(short_trials_are_leased_ahead_and_long_ones_are_not),
        cmocka_unit_test(returned_leases_go_elsewhere_in_their_order_and_cost_nothing),
        cmocka_unit_test(a_slot_that_gave_leases_back_gets_none_ahead_until_its_run_ends),
        cmocka_unit_test(max_concurrent_bounds_the_busy_slots),
        cmocka_unit_test(one_at_a_time_each_proposal_knows_how_the_trial_before_it_ended),
        cmocka_unit_test(it_ends_when_all_trials_have_ended),
        cmocka_unit_test(it_ends_when_the_strategy_has_nothing_left),
        cmocka_unit_test(the_target_ends_it_and_cancels_the_rest),
        cmocka_unit_test(at_the_time_limit_runs_are_stopped_and_keep_their_value),
        cmocka_unit_test(too_many_failures_end_it),
        cmocka_unit_test(an_interrupted_experiment_keeps_its_trials_for_later),
        cmocka_unit_test(a_forced_end_does_not_wait_for_ever),
        cmocka_unit_test(a_cancelled_trial_ends_whether_it_waits_or_runs),
        cmocka_unit_test(a_broken_strategy_ends_it_with_its_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
