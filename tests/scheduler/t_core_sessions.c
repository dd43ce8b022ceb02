/* What sessions of limited time add up to: those that get nothing done, the time that all of them held, and what a job
 * that ends costs its trials and workers. */
#include "tests/core_fixture.h"

#include <math.h>

/* A core that goes on after `idle` sessions that got nothing done. */
static void start_after(struct fixture *b, uint32_t idle)
{
    b->config.can_continue = true;
    b->config.warn = 10;
    struct memory memory = {.next_trial = 1, .session = 5, .idle = idle};
    fixture_start_from(b, &memory);
    core_deadline(b->core, b->now, b->now + 100);
    fixture_join(b, 7, 1, 1, 0);
}

static void the_third_session_without_progress_is_the_last(void **state)
{
    struct fixture *b = *state;
    start_after(b, 2);
    core_leave(b->core, b->now, REASON_WALLTIME);
    fixture_drive(b);
    assert_int_equal(fixture_figures(b).reason, REASON_NO_PROGRESS);
    fixture_report(b, 7, fixture_done(1, 1, ENDING_WALLTIME, NAN));
    assert_true(b->ended);
    assert_int_equal(b->told_count, 0);
}

static void the_second_session_without_progress_is_not(void **state)
{
    struct fixture *b = *state;
    start_after(b, 1);
    core_leave(b->core, b->now, REASON_WALLTIME);
    fixture_drive(b);
    assert_int_equal(fixture_figures(b).reason, REASON_WALLTIME);
}

static void a_checkpoint_that_went_further_is_progress(void **state)
{
    struct fixture *b = *state;
    start_after(b, 2);
    struct msg_sample sample = {"loss", 8, 1, 0.1};
    struct msg_batch batch = {1, 1, 7, 0, &sample, 1};
    fixture_say(b, 7, &(struct msg){.kind = MSG_SAMPLES, .samples = {&batch, 1}});
    core_leave(b->core, b->now, REASON_WALLTIME);
    fixture_drive(b);
    assert_int_equal(fixture_figures(b).reason, REASON_WALLTIME);
}

static void the_limit_of_time_counts_what_earlier_sessions_held(void **state)
{
    struct fixture *b = *state;
    b->config.time = 60;
    struct memory memory = {.next_trial = 1, .session = 3, .held = 50};
    fixture_start_from(b, &memory);
    fixture_join(b, 7, 1, 1, 0);
    fixture_wait(b, 9);
    assert_int_equal(fixture_figures(b).state, EXPERIMENT_RUNNING);
    assert_true(fixture_figures(b).held == 59);
    fixture_wait(b, 2);
    assert_int_equal(fixture_figures(b).reason, REASON_TIME);
}

static void the_time_held_is_written_down_now_and_then(void **state)
{
    struct fixture *b = *state;
    b->config.time = 60;
    fixture_start(b);
    fixture_join(b, 7, 1, 1, 0);
    size_t before = fixture_count_events(b, EVENT_EXPERIMENT);
    fixture_wait(b, 9);
    assert_int_equal(fixture_count_events(b, EVENT_EXPERIMENT), before);
    fixture_wait(b, 2);
    assert_int_equal(fixture_count_events(b, EVENT_EXPERIMENT), before + 1);
    fixture_wait(b, 1);
    assert_int_equal(fixture_count_events(b, EVENT_EXPERIMENT), before + 1);
}

static void a_failed_node_costs_no_retry(void **state)
{
    struct fixture *b = *state;
    b->config.retries = 0;
    fixture_start(b);
    fixture_join(b, 7, 1, 1, 0);
    core_worker_dead(b->core, b->now, 1, ENDING_NODE_FAILED, "its node failed");
    fixture_drive(b);
    assert_int_equal(b->told_count, 0);
    assert_int_equal(fixture_count_events(b, EVENT_RETRIED), 1);
    assert_int_equal(b->event_endings[b->event_count - 2], ENDING_NODE_FAILED);
}

static void preemption_may_happen_for_ever(void **state)
{
    struct fixture *b = *state;
    b->config.retries = 0;
    fixture_start(b);
    for (uint64_t i = 1; i <= 12; i++) {
        fixture_join(b, i, i, 1, 0);
        core_worker_dead(b->core, b->now, i, ENDING_PREEMPTED, "preempted");
        fixture_drive(b);
    }
    assert_int_equal(b->told_count, 0);
    assert_int_equal(fixture_count_events(b, EVENT_RETRIED), 12);
}

/* A worker of a job joins. */
static void join_of_job(struct fixture *b, uint32_t job)
{
    struct msg_slot slot = {0, "0", "", "", 0, 0, ""};
    struct msg_hello hello = {.worker = 1, .node = "n1", .pid = 17, .job = job, .element = NODE_NO_ELEMENT};
    fixture_say(b, 7, &(struct msg){.kind = MSG_HELLO, .hello = hello});
    fixture_say(b, 7, &(struct msg){.kind = MSG_OFFER, .offer = {0, &slot, 1, NULL, 0}});
}

static void a_worker_that_speaks_is_believed_more_than_its_job(void **state)
{
    struct fixture *b = *state;
    struct job_facts facts = {.job = 12, .element = NODE_NO_ELEMENT, .role = "worker", .state = "preempted"};
    fixture_start(b);
    join_of_job(b, 12);
    core_job(b->core, b->now, &facts);
    fixture_wait(b, 1);
    assert_int_equal(fixture_figures(b).slots, 1);
    fixture_wait(b, 11);
    assert_int_equal(fixture_figures(b).slots, 0);
    assert_int_equal(fixture_count_events(b, EVENT_JOB), 1);
    assert_int_equal(fixture_count_events(b, EVENT_RETRIED), 1);
}

static uint32_t reap(struct fixture *b, struct worker_sign sign)
{
    return core_workers_dead(b->core, b->now, &sign, ENDING_LOST, "its process died");
}

static void workers_are_found_by_node_process_or_job(void **state)
{
    struct fixture *b = *state;
    struct node_job any = {.element = NODE_NO_ELEMENT};
    struct worker_sign its[] = {{.node = "n1", .job = any}, {.pid = 17, .job = any}, {.job = {12, NODE_NO_ELEMENT}}};
    struct worker_sign others[] = {{.node = "n2", .job = any}, {.job = {12, 0}}, {.job = {13, NODE_NO_ELEMENT}}};
    fixture_start(b);
    for (size_t i = 0; i < sizeof its / sizeof *its; i++) {
        join_of_job(b, 12);
        for (size_t k = 0; k < sizeof others / sizeof *others; k++)
            assert_int_equal(reap(b, others[k]), 0);
        assert_int_equal(reap(b, its[i]), 1);
        assert_int_equal(reap(b, its[i]), 0);
    }
}

static void of_workers_that_share_a_node_one_dies_alone(void **state)
{
    struct fixture *b = *state;
    struct node_job any = {.element = NODE_NO_ELEMENT};
    fixture_start(b);
    for (uint32_t part = 1; part <= 2; part++) {
        struct msg_slot slot = {0, "0", "", "", 0, 0, ""};
        struct msg_hello hello = {.worker = part, .node = "n1", .pid = part, .part = part, .element = NODE_NO_ELEMENT};
        fixture_say(b, 6 + part, &(struct msg){.kind = MSG_HELLO, .hello = hello});
        fixture_say(b, 6 + part, &(struct msg){.kind = MSG_OFFER, .offer = {0, &slot, 1, NULL, 0}});
    }
    assert_int_equal(reap(b, (struct worker_sign){.node = "n1", .part = 3, .job = any}), 0);
    assert_int_equal(reap(b, (struct worker_sign){.node = "n1", .part = 2, .job = any}), 1);
    struct snapshot left = fixture_stand(b);
    assert_int_equal(left.worker_count, 1);
    assert_int_equal(left.workers[0].part, 1);
    snapshot_fini(&left);
}

static void workers_of_before_a_restart_are_found_too(void **state)
{
    struct fixture *b = *state;
    struct memory_trial trial = {.trial = 1, .params = "{}", .attempts = 1, .running = true, .worker = 5};
    struct memory_worker worker = {.worker = 5, .node = "n1", .pid = 17, .job = {12, NODE_NO_ELEMENT}};
    struct memory memory = {
        .next_trial = 2, .session = 1, .trials = &trial, .trial_count = 1, .workers = &worker, .worker_count = 1};
    fixture_start_from(b, &memory);
    assert_int_equal(reap(b, (struct worker_sign){.job = {13, NODE_NO_ELEMENT}}), 0);
    assert_int_equal(reap(b, (struct worker_sign){.job = {12, NODE_NO_ELEMENT}}), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_CLAIM(the_third_session_without_progress_is_the_last),
        FIXTURE_CLAIM(the_second_session_without_progress_is_not),
        FIXTURE_CLAIM(a_checkpoint_that_went_further_is_progress),
        FIXTURE_CLAIM(the_limit_of_time_counts_what_earlier_sessions_held),
        FIXTURE_CLAIM(the_time_held_is_written_down_now_and_then),
        FIXTURE_CLAIM(a_failed_node_costs_no_retry),
        FIXTURE_CLAIM(preemption_may_happen_for_ever),
        FIXTURE_CLAIM(a_worker_that_speaks_is_believed_more_than_its_job),
        FIXTURE_CLAIM(workers_are_found_by_node_process_or_job),
        FIXTURE_CLAIM(of_workers_that_share_a_node_one_dies_alone),
        FIXTURE_CLAIM(workers_of_before_a_restart_are_found_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
