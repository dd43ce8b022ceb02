/* The core when things go wrong: failed attempts, lost workers, strangers and restarts. */
#include "common/mem.h"
#include "tests/core_fixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- retries --- */

static void a_crash_is_tried_again_as_often_as_retries_say(void **state)
{
    struct fixture *b = *state;
    b->config.retries = 1;
    fixture_start(b);
    fixture_join(b, 7, 1, 1, 0);
    fixture_report(b, 7, fixture_done(1, 1, ENDING_CRASHED, NAN));
    assert_int_equal(b->told_count, 0);
    assert_int_equal(fixture_last_sent(b, MSG_LEASES)->leases.leases[0].trial, 1);
    assert_int_equal(fixture_last_sent(b, MSG_LEASES)->leases.leases[0].attempt, 2);
    fixture_report(b, 7, fixture_done(1, 2, ENDING_CRASHED, NAN));
    assert_int_equal(b->told_count, 1);
    assert_int_equal(b->told_ending[0], ENDING_CRASHED);
}

static void a_bad_configuration_is_not_tried_again(void **state)
{
    struct fixture *b = *state;
    fixture_start(b);
    fixture_join(b, 7, 1, 1, 0);
    fixture_report(b, 7, fixture_done(1, 1, ENDING_BAD_CONFIG, NAN));
    assert_int_equal(b->told_ending[0], ENDING_BAD_CONFIG);
}

static void a_lost_worker_costs_no_retry_but_not_for_ever(void **state)
{
    struct fixture *b = *state;
    b->config.retries = 0;
    b->config.max_trials = 1;
    fixture_start(b);
    for (uint64_t i = 1; i <= 3; i++) {
        fixture_join(b, i, i, 1, 0);
        core_worker_dead(b->core, b->now, i, ENDING_LOST, "killed");
        fixture_drive(b);
        assert_int_equal(b->told_count, i == 3);
    }
    assert_int_equal(b->told_ending[0], ENDING_LOST);
}

static void a_silent_worker_gets_no_lease_and_then_loses_its_runs(void **state)
{
    struct fixture *b = *state;
    fixture_start(b);
    fixture_join(b, 7, 1, 2, 0);
    size_t before = fixture_count_sent(b, MSG_LEASES);
    b->now += b->config.suspect + 1;
    core_tick(b->core, b->now);
    fixture_drive(b);
    struct snapshot now = fixture_stand(b);
    assert_true(now.workers[0].suspect);
    snapshot_fini(&now);
    b->now += b->config.lost;
    core_tick(b->core, b->now);
    fixture_drive(b);
    assert_int_equal(fixture_count_events(b, EVENT_WORKER_GONE), 1);
    assert_int_equal(fixture_count_events(b, EVENT_RETRIED), 2);
    assert_int_equal(fixture_count_sent(b, MSG_LEASES), before);
    fixture_join(b, 8, 2, 2, 0);
    assert_int_equal(fixture_last_sent(b, MSG_LEASES)->leases.leases_count, 2);
}

static void silence_while_the_coordinator_itself_was_stopped_counts_for_nothing(void **state)
{
    struct fixture *b = *state;
    fixture_start(b);
    fixture_join(b, 7, 1, 2, 0);
    b->now += 80;
    core_late(b->core, b->now, 79.5);
    core_tick(b->core, b->now);
    fixture_drive(b);
    assert_int_equal(fixture_count_events(b, EVENT_WORKER_GONE), 0);
    b->now += b->config.lost;
    core_tick(b->core, b->now);
    fixture_drive(b);
    assert_int_equal(fixture_count_events(b, EVENT_WORKER_GONE), 1);
}

/* A worker lists a run until its end is acknowledged, which is when that is on disk. */
static void a_run_whose_result_has_come_is_not_told_to_stop(void **state)
{
    struct fixture *b = *state;
    fixture_start(b);
    fixture_join(b, 7, 1, 1, 0);
    b->commits = false;
    fixture_report(b, 7, fixture_done(1, 1, ENDING_COMPLETED, 0.5));
    struct msg_run_id runs[] = {{1, 1}};
    fixture_say(b, 7, &(struct msg){.kind = MSG_HEARTBEAT, .heartbeat = {0, runs, 1}});
    assert_null(fixture_last_sent(b, MSG_STOP_RUN));
    runs[0].attempt = 2; /* which it was never given */
    fixture_say(b, 7, &(struct msg){.kind = MSG_HEARTBEAT, .heartbeat = {0, runs, 1}});
    assert_non_null(fixture_last_sent(b, MSG_STOP_RUN));
}

static void a_run_that_its_worker_does_not_end_is_lost_and_its_slot_unused(void **state)
{
    struct fixture *b = *state;
    b->config.trial_time = 10;
    b->config.grace = 5;
    fixture_start(b);
    fixture_join(b, 7, 1, 1, 0);
    for (int i = 0; i < 30; i++) {
        b->now += 2;
        fixture_say(b, 7, &(struct msg){.kind = MSG_HEARTBEAT, .heartbeat = {0, (struct msg_run_id[]){{1, 1}}, 1}});
        core_tick(b->core, b->now);
        fixture_drive(b);
    }
    assert_int_equal(fixture_count_events(b, EVENT_RETRIED), 1);
    assert_int_equal(fixture_count_sent(b, MSG_LEASES), 1);
    assert_non_null(fixture_last_sent(b, MSG_STOP_RUN));
    fixture_report(b, 7, fixture_done(1, 1, ENDING_TIMED_OUT, NAN));
    assert_int_equal(fixture_count_events(b, EVENT_LATE), 1);
    assert_int_equal(fixture_last_sent(b, MSG_LEASES)->leases.leases[0].attempt, 2);
}

/* --- strangers and restarts --- */

static void a_peer_that_never_said_hello_is_asked_who_it_is(void **state)
{
    struct fixture *b = *state;
    fixture_start(b);
    fixture_report(b, 99, fixture_done(1, 1, ENDING_COMPLETED, 0.1));
    assert_int_equal(b->sent_count, 1);
    assert_int_equal(b->sent[0].kind, MSG_WHO);
    assert_int_equal(b->told_count, 0);
}

/* A worker of this number offers so many slots and holds so many runs, all of which are made up. */
static void offer(struct fixture *b, uint64_t worker, uint32_t slots, uint32_t held, uint32_t first_index)
{
    struct msg_slot *list = MEM_ARRAY(struct msg_slot, slots + 1);
    struct msg_held *runs = MEM_ARRAY(struct msg_held, held + 1);
    for (uint32_t i = 0; i < slots; i++)
        list[i] = (struct msg_slot){i + first_index, "0", "", "", 0, 0, ""};
    for (uint32_t i = 0; i < held; i++)
        runs[i] = (struct msg_held){.trial = 1000, .attempt = 1};
    fixture_say(b, worker, &(struct msg){.kind = MSG_HELLO, .hello = {.worker = worker, .node = "n1", .pid = 17}});
    fixture_say(b, worker, &(struct msg){.kind = MSG_OFFER, .offer = {0, list, slots, runs, held}});
    free(list);
    free(runs);
}

static void an_offer_that_makes_no_sense_is_refused(void **state)
{
    enum { MOST_SLOTS = 4096, MOST_HELD = 65536 };
    struct fixture *b = *state;
    fixture_start(b);
    offer(b, 1, 0, 0, 0);
    offer(b, 2, 2, 0, 1);
    offer(b, 3, MOST_SLOTS + 1, 0, 0);
    offer(b, 4, 1, MOST_HELD + 1, 0);
    assert_int_equal(fixture_count_sent(b, MSG_REFUSED), 4);
    assert_has(fixture_last_sent(b, MSG_REFUSED)->refused.why, "makes no sense");
    assert_int_equal(fixture_count_sent(b, MSG_LEASES), 0);
    offer(b, 5, 1, MOST_HELD, 0);
    offer(b, 6, MOST_SLOTS, 0, 0);
    assert_int_equal(fixture_count_sent(b, MSG_REFUSED), 4);
    struct snapshot now = fixture_stand(b);
    assert_int_equal(now.slots, 1 + MOST_SLOTS);
    snapshot_fini(&now);
}

static void a_worker_can_not_end_the_trial_of_another(void **state)
{
    struct fixture *b = *state;
    fixture_start(b);
    fixture_join(b, 7, 1, 1, 0);
    fixture_join(b, 8, 2, 1, 0);
    fixture_report(b, 8, fixture_done(1, 1, ENDING_COMPLETED, -1e9));
    assert_int_equal(b->told_count, 0);
    assert_int_equal(fixture_count_events(b, EVENT_LATE), 0); /* nor leave a note at its run */
    struct msg_held held = {1, 1, 0, false};
    struct msg_slot slot = {0, "0", "", "", 0, 0, ""};
    fixture_say(b, 8, &(struct msg){.kind = MSG_OFFER, .offer = {0, &slot, 1, &held, 1}}); /* it says that it has it */
    fixture_report(b, 8, fixture_done(1, 1, ENDING_COMPLETED, -1e9));
    assert_int_equal(b->told_count, 0);
    assert_int_equal(fixture_count_events(b, EVENT_LATE), 0);
    fixture_report(b, 7, fixture_done(1, 1, ENDING_COMPLETED, 0.5));
    assert_float_equal(b->told_value[0], 0.5, 0);
}

static void a_late_success_of_a_run_given_up_wins_and_stops_the_other(void **state)
{
    struct fixture *b = *state;
    b->config.max_trials = 1;
    fixture_start(b);
    fixture_join(b, 7, 1, 1, 0);
    b->now += b->config.lost + 1; /* the worker is held up: it is lost, and its trial goes to another */
    core_tick(b->core, b->now);
    fixture_drive(b);
    fixture_join(b, 8, 2, 1, 0);
    assert_int_equal(fixture_last_sent(b, MSG_LEASES)->leases.leases[0].attempt, 2);
    struct msg_held held = {1, 1, 0, true};
    struct msg_slot slot = {0, "0", "", "", 0, 0, ""};
    fixture_say(b, 9, &(struct msg){.kind = MSG_HELLO, .hello = {.worker = 1, .node = "n1"}});
    fixture_say(b, 9, &(struct msg){.kind = MSG_OFFER, .offer = {0, &slot, 1, &held, 1}});
    fixture_report(b, 9, fixture_done(1, 1, ENDING_COMPLETED, 0.5));
    assert_int_equal(b->told_count, 1);
    assert_float_equal(b->told_value[0], 0.5, 0);
    assert_int_equal(fixture_last_sent(b, MSG_STOP_RUN)->stop_run.attempt, 2);
    fixture_report(b, 8, fixture_done(1, 2, ENDING_COMPLETED, 0.4));
    assert_int_equal(b->told_count, 1);
    assert_true(b->ended);
}

/* The worker says again what it has: so many slots, and so many runs of before, in the first slot. */
static void offer_again(struct fixture *b, uint64_t peer, uint32_t slots, const struct msg_held *held, uint32_t count)
{
    struct msg_slot list[2] = {{0, "0", "", "", 0, 0, ""}, {1, "1", "", "", 0, 0, ""}};
    struct msg_held runs[2];
    if (count)
        memcpy(runs, held, count * sizeof *runs);
    fixture_say(b, peer, &(struct msg){.kind = MSG_OFFER, .offer = {0, list, slots, runs, count}});
}

static void a_run_that_was_given_up_is_taken_up_again_but_one_a_slot(void **state)
{
    static const struct msg_held both[] = {{1, 1, 0, false}, {2, 1, 0, false}};
    struct fixture *b = *state;
    b->config.max_trials = 2;
    fixture_start(b);
    fixture_join(b, 7, 1, 2, 0);
    b->now += b->config.lost + 1;
    core_tick(b->core, b->now);
    fixture_drive(b);
    assert_int_equal(fixture_count_events(b, EVENT_RETRIED), 2);
    fixture_say(b, 9, &(struct msg){.kind = MSG_HELLO, .hello = {.worker = 1, .node = "n1"}});
    offer_again(b, 9, 1, both, 2);
    assert_int_equal(fixture_count_events(b, EVENT_LEASED), 3);
    assert_int_equal(fixture_count_sent(b, MSG_STOP_RUN), 1);
    assert_int_equal(fixture_last_sent(b, MSG_STOP_RUN)->stop_run.trial, 2);
    fixture_report(b, 9, fixture_done(1, 1, ENDING_COMPLETED, 0.5));
    assert_int_equal(b->told_count, 1);
    assert_float_equal(b->told_value[0], 0.5, 0);
}

static void an_offer_before_its_leases_are_sent_keeps_those_of_its_slots(void **state)
{
    struct fixture *b = *state;
    b->config.ask_far_ahead = true; /* so that trials wait already */
    fixture_start(b);
    b->commits = false;
    fixture_join(b, 7, 1, 2, 0);
    assert_int_equal(fixture_count_events(b, EVENT_LEASED), 2);
    offer_again(b, 7, 2, NULL, 0);
    assert_int_equal(fixture_count_events(b, EVENT_RETURNED), 0);
    offer_again(b, 7, 1, NULL, 0);
    assert_int_equal(fixture_count_events(b, EVENT_RETURNED), 1);
    b->commits = true;
    fixture_drive(b);
    assert_int_equal(fixture_count_sent(b, MSG_LEASES), 1);
    assert_int_equal(fixture_last_sent(b, MSG_LEASES)->leases.leases_count, 1);
    assert_int_equal(fixture_last_sent(b, MSG_LEASES)->leases.leases[0].slot, 0);
}

static void a_restarted_core_takes_its_workers_back_with_their_runs(void **state)
{
    struct fixture *b = *state;
    struct memory_run run = {1, 5, 0};
    struct memory_trial trial = {.trial = 1,
                                 .params = "{\"x\": 1}",
                                 .attempts = 1,
                                 .running = true,
                                 .attempt = 1,
                                 .worker = 5,
                                 .runs = &run,
                                 .run_count = 1};
    struct memory memory = {.session = 3, .next_trial = 2, .trials = &trial, .trial_count = 1};
    b->core = core_create(&b->config, &memory, b->now);
    fixture_drive(b);
    struct msg_held held = {1, 1, 0, false};
    struct msg_slot slot = {0, "0", "", "", 0, 0, ""};
    fixture_say(b, 7, &(struct msg){.kind = MSG_HELLO, .hello = {.worker = 5, .node = "n1"}});
    assert_int_equal(fixture_last_sent(b, MSG_WELCOME)->welcome.session, 4);
    fixture_say(b, 7, &(struct msg){.kind = MSG_OFFER, .offer = {0, &slot, 1, &held, 1}});
    assert_int_equal(fixture_count_sent(b, MSG_LEASES), 0);
    fixture_report(b, 7, fixture_done(1, 1, ENDING_COMPLETED, 0.25));
    assert_float_equal(b->told_value[0], 0.25, 0);
}

/* A core that knows of trials 1 and 2, running in slots 0 and 3 of worker 5; the worker is back with these slots. */
static void restart_with(struct fixture *b, uint32_t slots, const struct msg_held held[2])
{
    struct memory_run runs[] = {{1, 5, 0}, {1, 5, 0}};
    struct memory_trial trials[2];
    struct msg_slot offered[] = {{0, "0", "", "", 0, 0, ""}, {1, "1", "", "", 0, 0, ""}};
    for (uint32_t i = 0; i < 2; i++)
        trials[i] = (struct memory_trial){.trial = i + 1,
                                          .params = "{}",
                                          .attempts = 1,
                                          .running = true,
                                          .attempt = 1,
                                          .worker = 5,
                                          .slot = 3 * i,
                                          .runs = &runs[i],
                                          .run_count = 1};
    fixture_start_from(b, &(struct memory){.session = 3, .next_trial = 3, .trials = trials, .trial_count = 2});
    fixture_say(b, 7, &(struct msg){.kind = MSG_HELLO, .hello = {.worker = 5, .node = "n1"}});
    struct msg_held copy[] = {held[0], held[1]};
    fixture_say(b, 7, &(struct msg){.kind = MSG_OFFER, .offer = {0, offered, slots, copy, 2}});
}

/* A run that paused and whose end is on disk is not the one that goes on from there. */
static void an_attempt_that_paused_is_not_taken_up_again(void **state)
{
    struct fixture *b = *state;
    struct memory_run run = {1, 5, 0};
    struct memory_trial trial = {
        .trial = 1, .params = "{}", .attempts = 1, .reached = 3, .ended_attempt = 1, .runs = &run, .run_count = 1};
    struct msg_held held = {1, 1, 0, false};
    struct msg_slot slot = {0, "0", "", "", 0, 0, ""};
    b->config.can_continue = true;
    fixture_start_from(b, &(struct memory){.session = 3, .next_trial = 2, .trials = &trial, .trial_count = 1});
    fixture_say(b, 7, &(struct msg){.kind = MSG_HELLO, .hello = {.worker = 5, .node = "n1"}});
    fixture_say(b, 7, &(struct msg){.kind = MSG_OFFER, .offer = {0, &slot, 1, &held, 1}});
    assert_int_equal(fixture_count_sent(b, MSG_STOP_RUN), 1);
    assert_int_equal(fixture_last_sent(b, MSG_STOP_RUN)->stop_run.attempt, 1);
    assert_int_equal(fixture_count_sent(b, MSG_LEASES), 0);
    fixture_report(b, 7, fixture_done(1, 1, ENDING_CANCELLED, NAN));
    assert_int_equal(fixture_last_sent(b, MSG_LEASES)->leases.leases[0].attempt, 2);
}

/* The coordinator died behind the commit and before the acknowledgement: the worker offers the ended run, and reports
 * it again. */
static void a_failure_that_is_reported_again_after_a_restart_is_counted_once(void **state)
{
    struct fixture *b = *state;
    struct memory_run run = {1, 5, 0};
    struct memory_trial trial = {
        .trial = 1, .params = "{}", .attempts = 1, .failures = 1, .ended_attempt = 1, .runs = &run, .run_count = 1};
    struct msg_held held = {1, 1, 0, true};
    struct msg_slot slot = {0, "0", "", "", 0, 0, ""};
    b->config.retries = 1;
    fixture_start_from(b, &(struct memory){.session = 3, .next_trial = 2, .trials = &trial, .trial_count = 1});
    fixture_say(b, 7, &(struct msg){.kind = MSG_HELLO, .hello = {.worker = 5, .node = "n1"}});
    fixture_say(b, 7, &(struct msg){.kind = MSG_OFFER, .offer = {0, &slot, 1, &held, 1}});
    fixture_report(b, 7, fixture_done(1, 1, ENDING_CRASHED, NAN));
    assert_int_equal(fixture_count_events(b, EVENT_TRIAL_ENDED), 0);
    assert_int_equal(fixture_last_sent(b, MSG_LEASES)->leases.leases[0].attempt, 2);
}

static void assert_slots(const struct fixture *b, uint32_t slots, uint32_t busy)
{
    struct snapshot snapshot = fixture_stand(b);
    assert_int_equal(snapshot.slots, slots);
    assert_int_equal(snapshot.busy, busy);
    snapshot_fini(&snapshot);
}

static void a_worker_with_fewer_slots_than_before_keeps_its_runs(void **state)
{
    struct fixture *b = *state;
    restart_with(b, 2, (struct msg_held[]){{1, 1, 0, false}, {2, 1, 1, false}});
    assert_int_equal(fixture_count_sent(b, MSG_REFUSED), 0);
    assert_int_equal(fixture_count_sent(b, MSG_LEASES), 0);
    assert_slots(b, 2, 2);
    fixture_report(b, 7, fixture_done(2, 1, ENDING_COMPLETED, 0.5));
    assert_int_equal(b->told_count, 1);
    assert_int_equal(fixture_last_sent(b, MSG_LEASES)->leases.leases[0].slot, 1);
    assert_slots(b, 2, 2);
}

static void a_slot_gets_nothing_while_several_runs_from_before_are_in_it(void **state)
{
    struct fixture *b = *state;
    restart_with(b, 1, (struct msg_held[]){{1, 1, 0, false}, {2, 1, 0, false}});
    fixture_report(b, 7, fixture_done(2, 1, ENDING_COMPLETED, 0.5));
    assert_int_equal(fixture_count_sent(b, MSG_LEASES), 0);
    fixture_report(b, 7, fixture_done(1, 1, ENDING_COMPLETED, 0.5));
    assert_int_equal(b->told_count, 2);
    assert_int_equal(fixture_count_sent(b, MSG_LEASES), 1);
    assert_slots(b, 1, 1);
}

static void runs_in_slots_that_are_offered_no_more_are_kept_too(void **state)
{
    struct fixture *b = *state;
    restart_with(b, 2, (struct msg_held[]){{1, 1, 0, false}, {2, 1, 3, true}});
    assert_int_equal(fixture_count_sent(b, MSG_REFUSED), 0);
    assert_slots(b, 2, 2);
    fixture_report(b, 7, fixture_done(2, 1, ENDING_COMPLETED, 0.5));
    assert_int_equal(b->told_count, 1);
}

static void what_ran_in_a_slot_that_is_gone_and_is_not_held_goes_back(void **state)
{
    struct fixture *b = *state;
    restart_with(b, 2, (struct msg_held[]){{1, 1, 0, false}, {1, 1, 0, false}});
    assert_slots(b, 2, 2);
    assert_int_equal(fixture_count_events(b, EVENT_RETURNED), 1);
    assert_int_equal(fixture_last_sent(b, MSG_LEASES)->leases.leases[0].slot, 1);
}

static void a_restarted_core_gives_up_on_workers_that_stay_away(void **state)
{
    struct fixture *b = *state;
    struct memory_trial trial = {.trial = 1, .params = "{}", .attempts = 1, .running = true, .attempt = 1, .worker = 5};
    struct memory memory = {.session = 1, .next_trial = 2, .trials = &trial, .trial_count = 1};
    b->core = core_create(&b->config, &memory, b->now);
    fixture_drive(b);
    fixture_join(b, 8, 6, 1, 0);
    assert_int_equal(fixture_last_sent(b, MSG_LEASES)->leases.leases[0].trial, 2);
    b->now += b->config.restart_patience + 1;
    fixture_say(b, 8, &(struct msg){.kind = MSG_HEARTBEAT, .heartbeat = {0, (struct msg_run_id[]){{2, 1}}, 1}});
    core_tick(b->core, b->now);
    fixture_drive(b);
    assert_int_equal(fixture_count_events(b, EVENT_RETRIED), 1);
}

static void a_lower_limit_leaves_trials_waiting(void **state)
{
    struct fixture *b = *state;
    b->config.max_trials = 3; /* 2 have ended, 3 wait: one more */
    struct memory_trial waiting[] = {
        {.trial = 3, .params = "{}"}, {.trial = 4, .params = "{}"}, {.trial = 5, .params = "{}"}};
    struct memory memory = {
        .session = 1, .next_trial = 6, .tally.ended[TRIAL_COMPLETED] = 2, .trials = waiting, .trial_count = 3};
    b->core = core_create(&b->config, &memory, b->now);
    fixture_drive(b);
    fixture_join(b, 7, 1, 2, 8);
    assert_int_equal(fixture_count_sent(b, MSG_LEASES), 1);
    assert_int_equal(fixture_last_sent(b, MSG_LEASES)->leases.leases_count, 1);
    assert_false(b->ended);
    fixture_report(b, 7, fixture_done(3, 1, ENDING_COMPLETED, 0.25));
    assert_true(b->ended);
    struct snapshot now = fixture_stand(b);
    assert_int_equal(now.reason, REASON_MAX_TRIALS);
    assert_int_equal(now.trials[TRIAL_WAITING], 2);
    snapshot_fini(&now);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_CLAIM(a_crash_is_tried_again_as_often_as_retries_say),
        FIXTURE_CLAIM(a_bad_configuration_is_not_tried_again),
        FIXTURE_CLAIM(a_lost_worker_costs_no_retry_but_not_for_ever),
        FIXTURE_CLAIM(a_silent_worker_gets_no_lease_and_then_loses_its_runs),
        FIXTURE_CLAIM(silence_while_the_coordinator_itself_was_stopped_counts_for_nothing),
        FIXTURE_CLAIM(a_run_whose_result_has_come_is_not_told_to_stop),
        FIXTURE_CLAIM(a_run_that_its_worker_does_not_end_is_lost_and_its_slot_unused),
        FIXTURE_CLAIM(a_peer_that_never_said_hello_is_asked_who_it_is),
        FIXTURE_CLAIM(an_offer_that_makes_no_sense_is_refused),
        FIXTURE_CLAIM(a_worker_can_not_end_the_trial_of_another),
        FIXTURE_CLAIM(a_late_success_of_a_run_given_up_wins_and_stops_the_other),
        FIXTURE_CLAIM(a_run_that_was_given_up_is_taken_up_again_but_one_a_slot),
        FIXTURE_CLAIM(an_offer_before_its_leases_are_sent_keeps_those_of_its_slots),
        FIXTURE_CLAIM(an_attempt_that_paused_is_not_taken_up_again),
        FIXTURE_CLAIM(a_failure_that_is_reported_again_after_a_restart_is_counted_once),
        FIXTURE_CLAIM(a_restarted_core_takes_its_workers_back_with_their_runs),
        FIXTURE_CLAIM(a_restarted_core_gives_up_on_workers_that_stay_away),
        FIXTURE_CLAIM(a_worker_with_fewer_slots_than_before_keeps_its_runs),
        FIXTURE_CLAIM(a_slot_gets_nothing_while_several_runs_from_before_are_in_it),
        FIXTURE_CLAIM(runs_in_slots_that_are_offered_no_more_are_kept_too),
        FIXTURE_CLAIM(what_ran_in_a_slot_that_is_gone_and_is_not_held_goes_back),
        FIXTURE_CLAIM(a_lower_limit_leaves_trials_waiting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
