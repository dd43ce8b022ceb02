/* Attempts that are given more memory or time than the one before (scheduler/core/grow.c, large.c). */
#include "tests/core_fixture.h"

#include <math.h>
#include <string.h>

#define GIB ((uint64_t)1 << 30)

static uint32_t busy_slots(struct fixture *b)
{
    struct snapshot snapshot = fixture_stand(b);
    uint32_t busy = snapshot.busy;
    snapshot_fini(&snapshot);
    return busy;
}

static void join(struct fixture *b, uint64_t worker, uint32_t slots, uint64_t memory)
{
    struct msg_slot offered[8] = {0};
    for (uint32_t i = 0; i < slots; i++)
        offered[i] = (struct msg_slot){i, "0", "", "", GIB, 0, ""};
    fixture_say(
        b, worker,
        &(struct msg){.kind = MSG_HELLO, .hello = {.worker = worker, .node = "n1", .pid = 17, .memory = memory}});
    fixture_say(b, worker, &(struct msg){.kind = MSG_OFFER, .offer = {8, offered, slots, NULL, 0}});
}

static void wants_more(struct fixture *b)
{
    b->config.memory = GIB;
    b->config.more_memory = (struct growth){.factor = 2};
    b->config.retries = 3;
}

/* The last lease of this trial that was sent. */
static const struct msg_lease *lease_of(const struct fixture *b, uint64_t trial)
{
    for (size_t i = b->sent_count; i-- > 0;)
        for (uint32_t k = 0; b->sent[i].kind == MSG_LEASES && k < b->sent[i].leases.leases_count; k++)
            if (b->sent[i].leases.leases[k].trial == trial)
                return &b->sent[i].leases.leases[k];
    return NULL;
}

static void report(struct fixture *b, uint64_t worker, uint64_t trial, enum ending ending)
{
    fixture_report(b, worker,
                   fixture_done(trial, lease_of(b, trial)->attempt, ending, ending == ENDING_COMPLETED ? 1.0 : NAN));
}

static void beat(struct fixture *b, uint64_t worker, const struct msg_run_id *held, uint32_t count)
{
    fixture_say(
        b, worker,
        &(struct msg){.kind = MSG_HEARTBEAT, .heartbeat = {.held = (struct msg_run_id *)held, .held_count = count}});
}

static void a_trial_that_ran_out_of_memory_is_tried_again_with_twice_as_much(void **state)
{
    struct fixture *b = *state;
    wants_more(b);
    b->config.max_trials = 1;
    fixture_start(b);
    join(b, 1, 2, 8 * GIB);
    assert_int_equal(lease_of(b, 1)->memory, GIB);
    report(b, 1, 1, ENDING_OUT_OF_MEMORY);
    fixture_wait(b, 1);
    assert_int_equal(lease_of(b, 1)->attempt, 2);
    assert_int_equal(lease_of(b, 1)->memory, 2 * GIB);
    report(b, 1, 1, ENDING_OUT_OF_MEMORY);
    fixture_wait(b, 1);
    assert_int_equal(lease_of(b, 1)->memory, 4 * GIB);
    report(b, 1, 1, ENDING_COMPLETED);
    assert_int_equal(b->told_ending[0], ENDING_COMPLETED);
}

static void an_amount_is_added_instead(void **state)
{
    struct fixture *b = *state;
    wants_more(b);
    b->config.more_memory = (struct growth){.amount = 3.0 * (double)GIB};
    b->config.max_trials = 1;
    fixture_start(b);
    join(b, 1, 1, 8 * GIB);
    report(b, 1, 1, ENDING_OUT_OF_MEMORY);
    fixture_wait(b, 1);
    assert_int_equal(lease_of(b, 1)->memory, 4 * GIB);
}

static void without_that_wish_it_fails_at_once(void **state)
{
    struct fixture *b = *state;
    b->config.memory = GIB;
    b->config.retries = 3;
    b->config.max_trials = 1;
    fixture_start(b);
    join(b, 1, 2, 8 * GIB);
    assert_int_equal(lease_of(b, 1)->memory, 0);
    report(b, 1, 1, ENDING_OUT_OF_MEMORY);
    assert_int_equal(b->told_ending[0], ENDING_OUT_OF_MEMORY);
}

static void retries_bound_it(void **state)
{
    struct fixture *b = *state;
    wants_more(b);
    b->config.retries = 1;
    b->config.max_trials = 1;
    fixture_start(b);
    join(b, 1, 1, 64 * GIB);
    report(b, 1, 1, ENDING_OUT_OF_MEMORY);
    fixture_wait(b, 1);
    report(b, 1, 1, ENDING_OUT_OF_MEMORY);
    assert_int_equal(b->told_count, 1);
    assert_int_equal(b->told_ending[0], ENDING_OUT_OF_MEMORY);
}

static void what_a_worker_has_bounds_it_with_a_sentence(void **state)
{
    struct fixture *b = *state;
    wants_more(b);
    b->config.max_trials = 1;
    fixture_start(b);
    join(b, 1, 2, 3 * GIB);
    report(b, 1, 1, ENDING_OUT_OF_MEMORY);
    fixture_wait(b, 1);
    report(b, 1, 1, ENDING_OUT_OF_MEMORY);
    fixture_wait(b, 1);
    assert_int_equal(lease_of(b, 1)->memory, 3 * GIB);
    report(b, 1, 1, ENDING_OUT_OF_MEMORY);
    assert_int_equal(b->told_ending[0], ENDING_OUT_OF_MEMORY);
    assert_non_null(strstr(b->last_end.end.detail, "3.0 GiB is the most that a worker has"));
}

static void a_maximum_bounds_it_with_a_sentence(void **state)
{
    struct fixture *b = *state;
    wants_more(b);
    b->config.memory_max = 3 * GIB / 2;
    b->config.max_trials = 1;
    fixture_start(b);
    join(b, 1, 2, 8 * GIB);
    report(b, 1, 1, ENDING_OUT_OF_MEMORY);
    fixture_wait(b, 1);
    assert_int_equal(lease_of(b, 1)->memory, 3 * GIB / 2);
    report(b, 1, 1, ENDING_OUT_OF_MEMORY);
    assert_non_null(strstr(b->last_end.end.detail, "1.5 GiB is the most that resources.memory_max allows"));
}

/* Four slots of 1 GiB on a worker of 4 GiB: a trial of 2 GiB leaves memory for two others. */
static void its_neighbours_stay_empty(void **state)
{
    struct fixture *b = *state;
    wants_more(b);
    b->config.max_trials = 40;
    fixture_start(b);
    join(b, 1, 4, 4 * GIB);
    assert_int_equal(busy_slots(b), 4);
    report(b, 1, 1, ENDING_OUT_OF_MEMORY);
    fixture_wait(b, 1);
    assert_int_equal(busy_slots(b), 3); /* its memory is kept for it */
    report(b, 1, 2, ENDING_COMPLETED);
    fixture_wait(b, 1);
    assert_int_equal(lease_of(b, 1)->memory, 2 * GIB);
    assert_int_equal(busy_slots(b), 3);
    report(b, 1, 3, ENDING_COMPLETED);
    fixture_wait(b, 1);
    assert_int_equal(busy_slots(b), 3); /* another one in the slot that became free, none beside it */
    report(b, 1, 1, ENDING_COMPLETED);
    fixture_wait(b, 1);
    assert_int_equal(busy_slots(b), 4);
}

/* Usual trials would take every slot that becomes free, for ever. */
static void it_is_not_starved_by_others(void **state)
{
    struct fixture *b = *state;
    wants_more(b);
    b->config.max_trials = 1000;
    b->config.more_memory.factor = 4;
    fixture_start(b);
    join(b, 1, 4, 4 * GIB);
    report(b, 1, 1, ENDING_OUT_OF_MEMORY);
    for (uint64_t trial = 2; trial <= 4; trial++) {
        fixture_wait(b, 1);
        assert_int_equal(lease_of(b, 1)->attempt, 1);
        report(b, 1, trial, ENDING_COMPLETED);
    }
    fixture_wait(b, 1);
    assert_int_equal(lease_of(b, 1)->attempt, 2);
    assert_int_equal(lease_of(b, 1)->memory, 4 * GIB);
    assert_int_equal(busy_slots(b), 1);
}

static void other_workers_go_on_meanwhile(void **state)
{
    struct fixture *b = *state;
    wants_more(b);
    b->config.max_trials = 1000;
    fixture_start(b);
    join(b, 1, 2, 2 * GIB);
    join(b, 2, 2, 2 * GIB);
    report(b, 1, 1, ENDING_OUT_OF_MEMORY);
    fixture_wait(b, 1);
    uint64_t before = fixture_last_sent(b, MSG_LEASES)->leases.leases[0].trial;
    report(b, 2, 3, ENDING_COMPLETED);
    assert_true(fixture_last_sent(b, MSG_LEASES)->leases.leases[0].trial > before);
    assert_int_equal(busy_slots(b), 3);
}

static void a_waiting_one_says_what_it_waits_for(void **state)
{
    struct fixture *b = *state;
    struct prospect prospect;
    wants_more(b);
    fixture_start(b);
    join(b, 1, 2, 2 * GIB);
    report(b, 1, 1, ENDING_OUT_OF_MEMORY);
    assert_true(core_prospect(b->core, b->now, 1, &prospect));
    assert_int_equal(prospect.memory, 2 * GIB);
}

static void one_that_no_worker_left_can_have_fails_with_a_sentence(void **state)
{
    struct fixture *b = *state;
    wants_more(b);
    b->config.max_trials = 1;
    fixture_start(b);
    join(b, 1, 1, 4 * GIB);
    report(b, 1, 1, ENDING_OUT_OF_MEMORY);
    fixture_wait(b, 1);
    core_worker_dead(b->core, b->now, 1, ENDING_LOST, "killed");
    fixture_drive(b);
    join(b, 2, 1, GIB);
    for (int i = 0; i < 80 && !b->told_count; i++) {
        fixture_wait(b, 1);
        beat(b, 2, NULL, 0);
    }
    assert_int_equal(b->told_count, 1);
    assert_int_equal(b->told_ending[0], ENDING_OUT_OF_MEMORY);
    assert_non_null(strstr(b->last_end.end.detail, "it needs 2.0 GiB of memory, and no worker that is left has so"));
}

static void nor_does_one_wait_for_ever_that_is_to_run_alone(void **state)
{
    struct fixture *b = *state;
    wants_more(b);
    b->config.max_trials = 1;
    fixture_start(b);
    join(b, 1, 1, 4 * GIB);
    report(b, 1, 1, ENDING_OUT_OF_MEMORY);
    for (uint64_t worker = 1; worker <= 2;
         worker++) { /* under it two workers are lost, the first with its second attempt */
        fixture_wait(b, 1);
        assert_int_equal(lease_of(b, 1)->attempt, worker + 1);
        fixture_wait(b, 9);
        core_worker_dead(b->core, b->now, worker, ENDING_LOST, "killed");
        fixture_drive(b);
        if (worker == 1)
            join(b, 2, 1, 4 * GIB);
    }
    join(b, 3, 1, GIB);
    for (int i = 0; i < 80 && !b->told_count; i++) {
        fixture_wait(b, 1);
        beat(b, 3, NULL, 0);
    }
    assert_int_equal(b->told_count, 1);
    assert_int_equal(b->told_ending[0], ENDING_OUT_OF_MEMORY);
}

static void a_restart_keeps_what_it_is_given(void **state)
{
    struct fixture *b = *state;
    struct memory_trial trial = {
        .trial = 1, .params = "{}", .attempts = 1, .failures = 1, .highest = -1, .memory = 2 * GIB, .time = 50};
    wants_more(b);
    b->config.max_trials = 1;
    b->config.trial_time = 10;
    fixture_start_from(b, &(struct memory){.next_trial = 2, .trials = &trial, .trial_count = 1});
    join(b, 1, 2, 2 * GIB);
    fixture_wait(b, 1);
    assert_int_equal(lease_of(b, 1)->attempt, 2);
    assert_int_equal(lease_of(b, 1)->memory, 2 * GIB);
    assert_true(lease_of(b, 1)->time == 50);
}

static void a_trial_that_ran_out_of_time_gets_more_up_to_a_maximum(void **state)
{
    struct fixture *b = *state;
    b->config.trial_time = 10;
    b->config.more_time = (struct growth){.factor = 2};
    b->config.trial_time_max = 30;
    b->config.retries = 5;
    b->config.max_trials = 1;
    fixture_start(b);
    join(b, 1, 1, GIB);
    assert_true(lease_of(b, 1)->time == 10);
    for (int i = 0; i < 2; i++)
        report(b, 1, 1, ENDING_TIMED_OUT);
    assert_true(lease_of(b, 1)->time == 30);
    report(b, 1, 1, ENDING_TIMED_OUT);
    assert_int_equal(b->told_ending[0], ENDING_TIMED_OUT);
    assert_non_null(strstr(b->last_end.end.detail, "30s is the most that limits.trial_time_max allows"));
}

/* The core takes a run for stuck that goes on long after its time. */
static void the_longer_time_is_not_taken_for_stuck(void **state)
{
    struct fixture *b = *state;
    const struct msg_run_id held = {1, 2};
    b->config.trial_time = 10;
    b->config.grace = 1;
    b->config.more_time = (struct growth){.factor = 100};
    b->config.max_trials = 1;
    fixture_start(b);
    join(b, 1, 1, GIB);
    report(b, 1, 1, ENDING_TIMED_OUT);
    for (int i = 0; i < 100; i++) {
        fixture_wait(b, 5);
        beat(b, 1, &held, 1);
    }
    assert_int_equal(fixture_count_sent(b, MSG_STOP_RUN), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_CLAIM(a_trial_that_ran_out_of_memory_is_tried_again_with_twice_as_much),
        FIXTURE_CLAIM(an_amount_is_added_instead),
        FIXTURE_CLAIM(without_that_wish_it_fails_at_once),
        FIXTURE_CLAIM(retries_bound_it),
        FIXTURE_CLAIM(what_a_worker_has_bounds_it_with_a_sentence),
        FIXTURE_CLAIM(a_maximum_bounds_it_with_a_sentence),
        FIXTURE_CLAIM(its_neighbours_stay_empty),
        FIXTURE_CLAIM(it_is_not_starved_by_others),
        FIXTURE_CLAIM(other_workers_go_on_meanwhile),
        FIXTURE_CLAIM(a_waiting_one_says_what_it_waits_for),
        FIXTURE_CLAIM(one_that_no_worker_left_can_have_fails_with_a_sentence),
        FIXTURE_CLAIM(nor_does_one_wait_for_ever_that_is_to_run_alone),
        FIXTURE_CLAIM(a_restart_keeps_what_it_is_given),
        FIXTURE_CLAIM(a_trial_that_ran_out_of_time_gets_more_up_to_a_maximum),
        FIXTURE_CLAIM(the_longer_time_is_not_taken_for_stuck),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
