/* Who is at fault when a worker is lost (scheduler/core/suspect.c). */
#include "tests/core_fixture.h"

#include <math.h>
#include <string.h>

static uint32_t busy_slots(struct fixture *b)
{
    struct snapshot snapshot = fixture_stand(b);
    uint32_t busy = snapshot.busy;
    snapshot_fini(&snapshot);
    return busy;
}

/* The worker of this number, and with it all that it runs, is lost; a moment later another one is there. */
static void lose(struct fixture *b, uint64_t worker)
{
    core_worker_dead(b->core, b->now, worker, ENDING_LOST, "killed");
    fixture_drive(b);
    b->now += 1;
}

static uint64_t first_leased(const struct fixture *b)
{
    return fixture_last_sent(b, MSG_LEASES)->leases.leases[0].trial;
}

static uint32_t attempt_leased(const struct fixture *b)
{
    return fixture_last_sent(b, MSG_LEASES)->leases.leases[0].attempt;
}

/* Two workers of three slots are lost one after the other: all three trials are suspects, and a third worker is there
 * with the first of them. */
static void make_suspects(struct fixture *b)
{
    b->config.max_trials = 6;
    fixture_start(b);
    for (uint64_t worker = 1; worker <= 2; worker++) {
        fixture_join(b, worker, worker, 3, 0);
        lose(b, worker);
    }
    fixture_join(b, 3, 3, 3, 0);
}

static void a_trial_that_lost_two_workers_runs_alone(void **state)
{
    struct fixture *b = *state;
    make_suspects(b);
    assert_int_equal(fixture_last_sent(b, MSG_LEASES)->leases.leases_count, 1);
    fixture_wait(b, 1);
    assert_int_equal(fixture_last_sent(b, MSG_LEASES)->leases.leases_count, 1);
    assert_int_equal(busy_slots(b), 1);
    uint64_t first = first_leased(b);
    fixture_report(b, 3, fixture_done(first, attempt_leased(b), ENDING_COMPLETED, 1));
    assert_int_equal(b->told[0], first);
    assert_int_not_equal(first_leased(b), first);
    assert_int_equal(busy_slots(b), 1);
}

static void a_waiting_suspect_is_said_to_run_alone(void **state)
{
    struct fixture *b = *state;
    struct prospect prospect;
    make_suspects(b);
    uint64_t first = first_leased(b), other = first == 1 ? 2 : 1;
    assert_true(core_prospect(b->core, b->now, other, &prospect));
    assert_true(prospect.alone);
    assert_int_equal(prospect.losses, 2);
}

static void the_guilty_one_fails_and_the_others_go_on_together(void **state)
{
    struct fixture *b = *state;
    make_suspects(b);
    uint64_t guilty = first_leased(b);
    lose(b, 3);
    assert_int_equal(b->told_count, 1);
    assert_int_equal(b->told[0], guilty);
    assert_int_equal(b->told_ending[0], ENDING_LOST);
    assert_non_null(
        strstr(b->last_end.end.detail, "lost three times while this trial ran; the last time it ran alone"));
    assert_int_equal(fixture_count_events(b, EVENT_CLEARED), 2);
    fixture_join(b, 4, 4, 3, 0);
    assert_int_equal(busy_slots(b), 3);
}

/* The first suspect has ended, the second one runs; the worker says that it has these runs, and is lost. Returns the
 * second one. */
static uint64_t lose_second(struct fixture *b, bool both)
{
    make_suspects(b);
    struct msg_run_id first = {first_leased(b), attempt_leased(b)};
    fixture_report(b, 3, fixture_done(first.trial, first.attempt, ENDING_COMPLETED, 1));
    struct msg_run_id held[2] = {first, {first_leased(b), attempt_leased(b)}};
    fixture_say(b, 3, &(struct msg){.kind = MSG_HEARTBEAT, .heartbeat = {.held = held, .held_count = both ? 2 : 1}});
    lose(b, 3);
    return held[1].trial;
}

static void a_heartbeat_from_before_an_acknowledgement_keeps_nobody_from_being_alone(void **state)
{
    struct fixture *b = *state;
    uint64_t second = lose_second(b, false);
    assert_int_equal(b->told_count, 2);
    assert_int_equal(b->told[1], second);
    assert_int_equal(b->told_ending[1], ENDING_LOST);
}

static void who_runs_beside_a_run_that_nobody_knows_is_not_alone(void **state)
{
    struct fixture *b = *state;
    lose_second(b, true);
    assert_int_equal(b->told_count, 1);
}

static void a_suspect_that_ends_alone_is_cleared(void **state)
{
    struct fixture *b = *state;
    b->config.retries = 3;
    make_suspects(b);
    uint64_t first = first_leased(b);
    for (int i = 0; i < 3; i++) /* all three fail by themselves, which the worker outlives, and are to be tried again */
        fixture_report(b, 3, fixture_done(first_leased(b), attempt_leased(b), ENDING_EXITED, NAN));
    assert_int_equal(busy_slots(b), 3);
    lose(b, 3);
    assert_int_equal(b->told_count, 0);
    fixture_join(b, 4, 4, 3, 0);
    assert_int_equal(busy_slots(b), 3);
    (void)first;
}

static void what_else_runs_on_its_worker_may_end_but_nothing_new_begins(void **state)
{
    struct fixture *b = *state;
    b->config.max_trials = 6;
    b->config.max_concurrent = 2;
    fixture_start(b);
    fixture_join(b, 9, 9, 1, 0); /* has trial 1 all the time */
    for (uint64_t worker = 1; worker <= 2; worker++) {
        fixture_join(b, worker, worker, 1, 0);
        b->now += 10;
        fixture_say(
            b, 9,
            &(struct msg){.kind = MSG_HEARTBEAT, .heartbeat = {.held = &(struct msg_run_id){1, 1}, .held_count = 1}});
        lose(b, worker);
    }
    fixture_wait(b, 1);
    assert_int_equal(busy_slots(b), 1);
    fixture_report(b, 9, fixture_done(1, 1, ENDING_COMPLETED, 1));
    assert_int_equal(first_leased(b), 2);
    assert_int_equal(attempt_leased(b), 3);
}

static void workers_lost_at_the_same_moment_count_against_nobody(void **state)
{
    struct fixture *b = *state;
    b->config.max_trials = 4;
    fixture_start(b);
    for (uint64_t round = 0; round < 3; round++) {
        for (uint64_t k = 1; k <= 2; k++)
            fixture_join(b, 10 * round + k, 10 * round + k, 2, 0);
        assert_int_equal(busy_slots(b), 4);
        b->now += 30;
        for (uint64_t k = 1; k <= 2; k++) {
            core_worker_dead(b->core, b->now, 10 * round + k, ENDING_LOST, "power");
            fixture_drive(b);
        }
    }
    assert_int_equal(b->told_count, 0);
}

static void jobs_and_sessions_that_end_count_against_nobody(void **state)
{
    static const enum ending endings[] = {ENDING_WALLTIME, ENDING_PREEMPTED};
    struct fixture *b = *state;
    b->config.max_trials = 2;
    fixture_start(b);
    for (uint64_t i = 1; i <= 6; i++) {
        fixture_join(b, i, i, 2, 0);
        assert_int_equal(busy_slots(b), 2);
        core_worker_dead(b->core, b->now, i, endings[i % 2], "its job ended");
        fixture_drive(b);
        b->now += 30;
    }
    assert_int_equal(b->told_count, 0);
}

/* The run is with a worker of before, which never comes back. */
static struct memory_trial running_trial(uint64_t trial, uint32_t losses, uint64_t worker)
{
    static struct memory_run run;
    run = (struct memory_run){3, worker, 0};
    return (struct memory_trial){.trial = trial,
                                 .params = "{}",
                                 .attempts = 3,
                                 .attempt = 3,
                                 .losses = losses,
                                 .running = true,
                                 .worker = worker,
                                 .runs = &run,
                                 .run_count = 1};
}

static void a_worker_lost_with_the_coordinator_counts_against_nobody(void **state)
{
    struct fixture *b = *state;
    struct memory_trial trial = running_trial(1, 2, 77);
    b->config.max_trials = 1;
    fixture_start_from(b, &(struct memory){.next_trial = 2, .trials = &trial, .trial_count = 1});
    fixture_wait(b, b->config.restart_patience + 1);
    assert_int_equal(fixture_count_events(b, EVENT_WORKER_GONE), 1);
    assert_int_equal(b->told_count, 0);
}

static void a_suspect_is_one_after_a_restart_too(void **state)
{
    struct fixture *b = *state;
    struct memory_trial trial = running_trial(1, 2, 77);
    struct msg_slot slots[3] = {{0, "0", "", "", 0, 0, ""}, {1, "1", "", "", 0, 0, ""}, {2, "2", "", "", 0, 0, ""}};
    struct msg_held held = {1, 3, 0, false};
    b->config.max_trials = 6;
    fixture_start_from(b, &(struct memory){.next_trial = 2, .trials = &trial, .trial_count = 1});
    fixture_say(b, 7, &(struct msg){.kind = MSG_HELLO, .hello = {.worker = 77, .node = "n1", .pid = 17}});
    fixture_say(b, 7, &(struct msg){.kind = MSG_OFFER, .offer = {0, slots, 3, &held, 1}});
    assert_int_equal(busy_slots(b), 1);
    lose(b, 77);
    assert_int_equal(b->told_count, 1);
    assert_int_equal(b->told_ending[0], ENDING_LOST);
}

static void a_machine_on_which_every_trial_loses_its_worker_ends_the_session(void **state)
{
    struct fixture *b = *state;
    b->config.max_trials = 100;
    b->config.most_guilty = 2;
    fixture_start(b);
    for (uint64_t i = 1; i <= 6; i++) {
        assert_false(b->ended);
        fixture_join(b, i, i, 1, 0);
        lose(b, i);
    }
    fixture_wait(b, 1);
    assert_true(b->ended);
    assert_int_equal(b->reason, REASON_NO_WORKERS);
    assert_non_null(strstr(b->why, "the machine may be at fault"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_CLAIM(a_trial_that_lost_two_workers_runs_alone),
        FIXTURE_CLAIM(a_waiting_suspect_is_said_to_run_alone),
        FIXTURE_CLAIM(the_guilty_one_fails_and_the_others_go_on_together),
        FIXTURE_CLAIM(a_heartbeat_from_before_an_acknowledgement_keeps_nobody_from_being_alone),
        FIXTURE_CLAIM(who_runs_beside_a_run_that_nobody_knows_is_not_alone),
        FIXTURE_CLAIM(a_suspect_that_ends_alone_is_cleared),
        FIXTURE_CLAIM(what_else_runs_on_its_worker_may_end_but_nothing_new_begins),
        FIXTURE_CLAIM(workers_lost_at_the_same_moment_count_against_nobody),
        FIXTURE_CLAIM(jobs_and_sessions_that_end_count_against_nobody),
        FIXTURE_CLAIM(a_worker_lost_with_the_coordinator_counts_against_nobody),
        FIXTURE_CLAIM(a_suspect_is_one_after_a_restart_too),
        FIXTURE_CLAIM(a_machine_on_which_every_trial_loses_its_worker_ends_the_session),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
