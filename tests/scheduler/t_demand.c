/* What workers are wanted for, and workers whose jobs end on their own; see scheduler/core/demand.h. */
#include "scheduler/core/demand.h"
#include "tests/core_fixture.h"
#include "tests/stores.h"

#include <math.h>

static void say_hello(struct fixture *b, uint64_t peer, uint64_t worker, uint32_t job)
{
    struct msg hello = {.kind = MSG_HELLO,
                        .hello = {.worker = worker,
                                  .node = "n1",
                                  .pid = 4,
                                  .job = job,
                                  .element = NODE_NO_ELEMENT,
                                  .version = "1",
                                  .machine = ""}};
    fixture_say(b, peer, &hello);
}

static void offer(struct fixture *b, uint64_t peer, uint32_t slots)
{
    struct msg_slot list[8] = {0};
    struct msg offer = {.kind = MSG_OFFER, .offer = {.slots = list, .slots_count = slots}};
    for (uint32_t i = 0; i < slots; i++)
        list[i] = (struct msg_slot){.index = i, .cpus = "", .numa = "", .gpus = ""};
    fixture_say(b, peer, &offer);
}

/* A worker of a job joins. */
static void join(struct fixture *b, uint64_t peer, uint64_t worker, uint32_t slots, uint32_t job)
{
    say_hello(b, peer, worker, job);
    offer(b, peer, slots);
}

static void goodbye(struct fixture *b, uint64_t peer, bool idle)
{
    struct msg msg = {.kind = MSG_GOODBYE, .goodbye = {.why = "", .idle = idle}};
    fixture_say(b, peer, &msg);
}

static struct demand demand_of(const struct fixture *b)
{
    struct demand demand;
    core_demand(b->core, &demand);
    return demand;
}

static uint64_t wanted(const struct fixture *b)
{
    struct demand demand = demand_of(b);
    uint64_t count = demand.wanted;
    demand_fini(&demand);
    return count;
}

static void as_many_slots_are_wanted_as_trials_have_not_ended(void **state)
{
    struct fixture *b = *state;
    fixture_start(b);
    assert_int_equal(wanted(b), 10);
    join(b, 7, 1, 1, 5);
    fixture_report(b, 7, fixture_done(1, 1, ENDING_COMPLETED, 1));
    assert_int_equal(wanted(b), 9);
    core_drain(b->core, b->now, REASON_STOPPED);
    fixture_drive(b);
    assert_int_equal(wanted(b), 0);
}

static void trials_that_were_added_by_hand_need_no_slot_and_take_none_away(void **state)
{
    struct fixture *b = *state;
    struct event_added points[4];
    struct err err = {0};
    uint64_t first;
    for (int i = 0; i < 4; i++)
        points[i] = (struct event_added){.params = "{}", .end = {.has_value = true, .value = i}};
    fixture_start(b);
    fine(core_add(b->core, b->now, points, 4, &first, &err), &err);
    fixture_drive(b);
    assert_int_equal(wanted(b), 10);
}

static void no_more_are_wanted_than_may_run_at_the_same_time(void **state)
{
    struct fixture *b = *state;
    b->config.max_concurrent = 3;
    fixture_start(b);
    assert_int_equal(wanted(b), 3);
}

static void without_a_limit_any_number_is_wanted(void **state)
{
    struct fixture *b = *state;
    b->config.max_trials = 0;
    fixture_start(b);
    assert_true(wanted(b) > UINT32_MAX);
}

static void workers_of_jobs_are_listed_while_they_are_connected(void **state)
{
    struct fixture *b = *state;
    fixture_start(b);
    join(b, 7, 1, 2, 5);
    fixture_join(b, 8, 2, 1, 0); /* of no job */
    struct demand demand = demand_of(b);
    assert_int_equal(demand.slots, 3);
    assert_int_equal(demand.worker_count, 1);
    assert_int_equal(demand.workers[0].job.job, 5);
    assert_int_equal(demand.workers[0].slots, 2);
    assert_true(demand.workers[0].busy);
    demand_fini(&demand);
    goodbye(b, 7, false);
    demand = demand_of(b);
    assert_int_equal(demand.worker_count, 0);
    demand_fini(&demand);
}

static void a_worker_that_leaves_idle_leaves_no_lost_lease(void **state)
{
    struct fixture *b = *state;
    fixture_start(b);
    join(b, 7, 1, 1, 5);
    assert_int_equal(fixture_figures(b).busy, 1);
    goodbye(b, 7, true);
    assert_int_equal(fixture_count_events(b, EVENT_RETURNED), 1);
    assert_int_equal(fixture_count_events(b, EVENT_RUN_ENDED), 0);
    join(b, 8, 2, 1, 6);
    assert_int_equal(fixture_figures(b).busy, 1);
}

static void a_worker_that_leaves_with_a_run_loses_it(void **state)
{
    struct fixture *b = *state;
    fixture_start(b);
    join(b, 7, 1, 1, 5);
    goodbye(b, 7, false);
    assert_int_equal(fixture_count_events(b, EVENT_RETURNED), 0);
    assert_int_equal(fixture_count_events(b, EVENT_RUN_ENDED), 1);
}

static void tell_end(struct fixture *b, uint32_t job, double seconds)
{
    core_job_ends(b->core, b->now, (struct node_job){job, NODE_NO_ELEMENT}, b->now + b->config.wall_offset + seconds);
    fixture_drive(b);
}

static void an_end_that_is_no_time_is_passed_over(void **state)
{
    struct fixture *b = *state;
    fixture_start(b);
    join(b, 7, 1, 2, 5);
    tell_end(b, 5, NAN);
    core_deadline(b->core, b->now, NAN);
    fixture_drive(b);
    join(b, 8, 2, 1, 5);
    fixture_report(b, 7, fixture_done(1, 1, ENDING_COMPLETED, 0.5));
    assert_int_equal(fixture_figures(b).busy, 3);
}

static void shortly_before_its_job_ends_a_worker_gets_nothing_more(void **state)
{
    struct fixture *b = *state;
    b->config.warn = 10;
    b->config.can_continue = true;
    b->config.suspect = b->config.lost = 1000;
    fixture_start(b);
    join(b, 7, 1, 1, 5);
    join(b, 8, 2, 1, 6);
    tell_end(b, 5, 30);
    fixture_wait(b, 15);
    assert_int_equal(fixture_count_sent(b, MSG_STOP_RUN), 0);
    fixture_wait(b, 10);
    assert_int_equal(fixture_count_sent(b, MSG_STOP_RUN), 1); /* what it runs goes on elsewhere */
    assert_int_equal(fixture_last_sent(b, MSG_STOP_RUN)->stop_run.ending, ENDING_WALLTIME);
    fixture_report(b, 7, fixture_done(1, 1, ENDING_WALLTIME, NAN));
    assert_int_equal(fixture_figures(b).busy, 1);
    struct demand demand = demand_of(b);
    assert_int_equal(demand.slots, 1); /* it does not count any more */
    demand_fini(&demand);
}

static void a_trial_that_could_save_nothing_may_come_to_its_end_until_the_last_moment(void **state)
{
    struct fixture *b = *state;
    b->config.warn = 10;
    b->config.grace = 3;
    b->config.suspect = b->config.lost = 1000;
    fixture_start(b);
    join(b, 7, 1, 1, 5);
    join(b, 8, 2, 1, 6);
    tell_end(b, 5, 30);
    fixture_wait(b, 25);
    assert_int_equal(fixture_count_sent(b, MSG_STOP_RUN), 0);
    fixture_wait(b, 3);
    assert_int_equal(fixture_count_sent(b, MSG_STOP_RUN), 1);
}

static void a_trial_goes_to_a_worker_that_lives_long_enough(void **state)
{
    struct fixture *b = *state;
    struct msg_result result = fixture_done(1, 1, ENDING_COMPLETED, 1);
    b->config.warn = 10;
    b->config.suspect = b->config.lost = 10000;
    fixture_start(b);
    join(b, 7, 1, 1, 5);
    tell_end(b, 5, 1000);
    for (uint64_t trial = 1; trial <= 6; trial++) { /* now it is known that trials take 100 s */
        result.trial = trial;
        result.seconds = 100;
        b->now += 100;
        fixture_report(b, 7, result);
    }
    tell_end(b, 5, 60);
    result.trial = 7;
    fixture_report(b, 7, result);
    assert_int_equal(fixture_figures(b).busy, 0);
    join(b, 8, 2, 1, 6);
    assert_int_equal(fixture_figures(b).busy, 1);
}

/* Trials take 100 s, and its job has 60 left: another one is needed for what waits. */
static void an_idle_worker_without_time_for_what_waits_is_not_counted_on(void **state)
{
    struct fixture *b = *state;
    struct msg_result result = fixture_done(1, 1, ENDING_COMPLETED, 1);
    b->config.warn = 10;
    b->config.max_concurrent = 2;
    b->config.suspect = b->config.lost = 10000;
    fixture_start(b);
    join(b, 7, 1, 2, 5);
    tell_end(b, 5, 1000);
    result.seconds = 100;
    for (result.trial = 1; result.trial <= 6; result.trial++)
        fixture_report(b, 7, result);
    tell_end(b, 5, 60);
    fixture_report(b, 7, result); /* the seventh; the eighth runs still */
    struct demand demand = demand_of(b);
    assert_int_equal(demand.wanted, 2);
    assert_int_equal(demand.slots, 1);
    demand_fini(&demand);
    result.trial++;
    fixture_report(b, 7, result);
    demand = demand_of(b);
    assert_int_equal(demand.wanted, 2);
    assert_int_equal(demand.slots, 0);
    demand_fini(&demand);
    join(b, 8, 2, 2, 6);
    assert_int_equal(fixture_figures(b).busy, 2);
}

/* The strategy answers one ask. */
static void propose(struct fixture *b, uint64_t trial)
{
    core_proposal(b->core, b->now, trial, &(struct event_proposed){.params = "{}"});
    fixture_drive(b);
}

static void when_the_strategy_has_nothing_left_only_what_is_there_counts(void **state)
{
    struct fixture *b = *state;
    b->proposes = false;
    fixture_start(b);
    join(b, 7, 1, 1, 5);
    propose(b, 1);
    propose(b, 2);
    core_no_more(b->core, b->now);
    fixture_drive(b);
    assert_int_equal(fixture_figures(b).busy, 1);
    assert_int_equal(wanted(b), 2);
}

static void an_idle_worker_whose_job_will_end_earlier_than_it_said_gets_no_long_trial(void **state)
{
    struct fixture *b = *state;
    struct msg_result result = fixture_done(1, 1, ENDING_COMPLETED, 1);
    b->config.warn = 10;
    b->config.suspect = b->config.lost = 10000;
    b->proposes = false;
    result.seconds = 100;
    fixture_start(b);
    join(b, 7, 1, 1, 5);
    tell_end(b, 5, 1000);
    propose(b, 1);
    fixture_report(b, 7, result);
    tell_end(b, 5, 60);
    propose(b, 2);
    assert_int_equal(fixture_figures(b).busy, 0);
    tell_end(b, 5, 1000);
    fixture_wait(b, 1);
    assert_int_equal(fixture_figures(b).busy, 1);
}

static void a_worker_whose_job_ends_at_once_gets_nothing_though_nothing_is_known_of_trials(void **state)
{
    struct fixture *b = *state;
    b->config.warn = 10;
    b->proposes = false;
    fixture_start(b);
    join(b, 7, 1, 1, 5);
    tell_end(b, 5, 5);
    propose(b, 1);
    assert_int_equal(fixture_figures(b).busy, 0);
}

/* One trial took 317 s, so others may take 634, and the worker's job has so many seconds, leaving in the last 10. */
static void learn_with(struct fixture *b, double seconds)
{
    struct msg_result result = fixture_done(1, 1, ENDING_COMPLETED, 1);
    result.seconds = 317;
    b->config.warn = 10;
    fixture_start(b);
    join(b, 7, 1, 1, 5);
    tell_end(b, 5, seconds);
    fixture_report(b, 7, result);
}

static void a_trial_that_would_end_while_its_worker_leaves_is_not_started(void **state)
{
    learn_with(*state, 640);
    assert_int_equal(fixture_figures(*state).busy, 0);
}

/* So none would be started on any worker with as much time. */
static void when_that_holds_for_all_trials_the_session_ends(void **state)
{
    learn_with(*state, 640);
    assert_true(((struct fixture *)*state)->ended);
}

/* Trial 1 was cut short after 80 s, so it needs 100, and of its 105 s the worker has 95 for trials. */
static void another_trial_goes_before_one_that_would_end_while_its_worker_leaves(void **state)
{
    struct fixture *b = *state;
    struct memory_trial trials[] = {{.trial = 1, .params = "{}", .attempts = 1, .cut = 80},
                                    {.trial = 2, .params = "{}"}};
    struct memory memory = {.next_trial = 3, .session = 1, .trials = trials, .trial_count = 2};
    b->config.warn = 10;
    fixture_start_from(b, &memory);
    say_hello(b, 7, 1, 5);
    tell_end(b, 5, 105);
    offer(b, 7, 1);
    assert_int_equal(fixture_last_sent(b, MSG_LEASES)->leases.leases[0].trial, 2);
}

static void a_trial_that_would_end_before_its_worker_leaves_is_started(void **state)
{
    learn_with(*state, 645);
    assert_int_equal(fixture_figures(*state).busy, 1);
}

/* A worker with two slots and 640 s, one of whose trials took 1000. */
static void learn_of_a_long_trial(struct fixture *b)
{
    struct msg_result result = fixture_done(1, 1, ENDING_COMPLETED, 1);
    result.seconds = 1000;
    b->config.warn = 10;
    b->config.suspect = b->config.lost = 10000;
    fixture_start(b);
    join(b, 7, 1, 2, 5);
    tell_end(b, 5, 640);
    fixture_report(b, 7, result);
}

static void trials_that_would_outlast_every_job_end_the_session_with_a_sentence(void **state)
{
    struct fixture *b = *state;
    learn_of_a_long_trial(b);
    assert_false(b->ended); /* the other one still runs */
    fixture_report(b, 7, fixture_done(2, 1, ENDING_EXITED, NAN));
    assert_true(b->ended);
    assert_int_equal(b->reason, REASON_NO_WORKERS);
    assert_true(reason_goes_on(b->reason));
    assert_has(b->why, "is expected to run");
    assert_has(b->why, "10 s of it for leaving");
    assert_has(b->why, "slurm.time");
}

static void no_workers_are_wanted_for_them(void **state)
{
    struct fixture *b = *state;
    b->config.max_trials = 2;
    b->config.max_concurrent = 1;
    learn_of_a_long_trial(b);
    assert_int_equal(wanted(b), 0);
}

static void they_don_t_matter_when_trials_can_go_on(void **state)
{
    struct fixture *b = *state;
    b->config.can_continue = true;
    learn_of_a_long_trial(b);
    assert_int_equal(fixture_figures(b).busy, 2);
}

static void a_worker_that_is_just_there_is_taken_to_have_the_time_of_the_others(void **state)
{
    struct fixture *b = *state;
    learn_of_a_long_trial(b);
    join(b, 8, 2, 1, 6);
    assert_int_equal(fixture_figures(b).busy, 1);
}

static void a_worker_without_a_job_has_all_the_time(void **state)
{
    struct fixture *b = *state;
    learn_of_a_long_trial(b);
    fixture_join(b, 8, 2, 1, 0);
    assert_int_equal(fixture_figures(b).busy, 2);
}

static void without_any_worker_to_come_the_session_ends_and_can_go_on(void **state)
{
    struct fixture *b = *state;
    fixture_start(b);
    core_no_workers(b->core, b->now, "the account is used up");
    fixture_drive(b);
    assert_true(b->ended);
    assert_int_equal(b->reason, REASON_NO_WORKERS);
    assert_true(reason_goes_on(b->reason));
    assert_int_equal(fixture_count_events(b, EVENT_TRIAL_ENDED), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_CLAIM(as_many_slots_are_wanted_as_trials_have_not_ended),
        FIXTURE_CLAIM(trials_that_were_added_by_hand_need_no_slot_and_take_none_away),
        FIXTURE_CLAIM(no_more_are_wanted_than_may_run_at_the_same_time),
        FIXTURE_CLAIM(without_a_limit_any_number_is_wanted),
        FIXTURE_CLAIM(workers_of_jobs_are_listed_while_they_are_connected),
        FIXTURE_CLAIM(a_worker_that_leaves_idle_leaves_no_lost_lease),
        FIXTURE_CLAIM(a_worker_that_leaves_with_a_run_loses_it),
        FIXTURE_CLAIM(shortly_before_its_job_ends_a_worker_gets_nothing_more),
        FIXTURE_CLAIM(a_trial_that_could_save_nothing_may_come_to_its_end_until_the_last_moment),
        FIXTURE_CLAIM(a_trial_goes_to_a_worker_that_lives_long_enough),
        FIXTURE_CLAIM(an_idle_worker_without_time_for_what_waits_is_not_counted_on),
        FIXTURE_CLAIM(when_the_strategy_has_nothing_left_only_what_is_there_counts),
        FIXTURE_CLAIM(an_idle_worker_whose_job_will_end_earlier_than_it_said_gets_no_long_trial),
        FIXTURE_CLAIM(a_worker_whose_job_ends_at_once_gets_nothing_though_nothing_is_known_of_trials),
        FIXTURE_CLAIM(a_trial_that_would_end_while_its_worker_leaves_is_not_started),
        FIXTURE_CLAIM(when_that_holds_for_all_trials_the_session_ends),
        FIXTURE_CLAIM(another_trial_goes_before_one_that_would_end_while_its_worker_leaves),
        FIXTURE_CLAIM(a_trial_that_would_end_before_its_worker_leaves_is_started),
        FIXTURE_CLAIM(trials_that_would_outlast_every_job_end_the_session_with_a_sentence),
        FIXTURE_CLAIM(no_workers_are_wanted_for_them),
        FIXTURE_CLAIM(they_don_t_matter_when_trials_can_go_on),
        FIXTURE_CLAIM(an_end_that_is_no_time_is_passed_over),
        FIXTURE_CLAIM(a_worker_without_a_job_has_all_the_time),
        FIXTURE_CLAIM(a_worker_that_is_just_there_is_taken_to_have_the_time_of_the_others),
        FIXTURE_CLAIM(without_any_worker_to_come_the_session_ends_and_can_go_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
