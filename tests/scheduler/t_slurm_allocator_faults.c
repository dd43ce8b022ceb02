/* When the allocator tries again, and when it gives up; see scheduler/slurm/allocator.h. */
#include "tests/allocator_stage.h"
#include "tests/claims.h"

#include <math.h>
#include <string.h>

/* --- submissions that fail --- */

static void failed_submissions_wait_longer_each_time_and_the_fifth_ends_it(void **state)
{
    (void)state;
    static const double minutes[] = {1, 15, 30, 60};
    struct stage stage = stage_elastic(8, 1, 100);
    for (int i = 0; i < 5; i++) {
        double before = stage.now;
        stage_await(&stage, ALLOCATOR_SUBMIT);
        if (i)
            assert_true(fabs(stage.now - before - (60 * minutes[i - 1])) < 1e-6);
        assert_null(stage_state(&stage).stopped);
        allocator_refused(stage.allocator, stage.now, "Invalid account");
    }
    assert_has(stage_state(&stage).stopped, "5 submissions in a row failed");
    assert_has(stage_state(&stage).stopped, "Invalid account");
    assert_true(stage_state(&stage).hopeless);
    assert_true(isinf(allocator_wake(stage.allocator, stage.now)));
    stage_end(&stage);
}

static void a_submission_that_works_forgives_those_that_failed(void **state)
{
    (void)state;
    struct stage stage = stage_elastic(8, 8, 100);
    for (int i = 0; i < 4; i++) {
        stage_await(&stage, ALLOCATOR_SUBMIT);
        allocator_refused(stage.allocator, stage.now, "no");
    }
    stage_await(&stage, ALLOCATOR_SUBMIT);
    allocator_submitted(stage.allocator, stage.now, 1);
    assert_int_equal(stage_state(&stage).failures, 0);
    assert_true(stage_asks(&stage, ALLOCATOR_SUBMIT)); /* and the next one does not wait */
    stage_end(&stage);
}

static void workers_that_are_there_go_on_when_no_more_are_had(void **state)
{
    (void)state;
    struct stage stage = stage_elastic(8, 1, 100);
    stage_submit(&stage, 1);
    stage_join(&stage, 1, SLURM_UNSET, 1);
    for (int i = 0; i < 5; i++) {
        stage_await(&stage, ALLOCATOR_SUBMIT);
        allocator_refused(stage.allocator, stage.now, "no");
    }
    assert_non_null(stage_state(&stage).stopped);
    assert_false(stage_state(&stage).hopeless);
    stage_leave(&stage);
    stage_find(&stage, NULL, 0);
    stage_inspect(&stage, NULL, 0);
    assert_true(stage_state(&stage).hopeless);
    stage_end(&stage);
}

static void a_submission_without_an_answer_is_looked_for_before_the_next(void **state)
{
    (void)state;
    struct stage stage = stage_elastic(8, 1, 100);
    struct slurm_job taken = single_job(9, SLURM_PENDING);
    assert_true(stage_asks(&stage, ALLOCATOR_SUBMIT));
    allocator_unsure(stage.allocator, stage.now, "no answer within 30 s");
    assert_true(stage_asks_nothing(&stage));
    stage_find(&stage, &taken, 1);
    assert_int_equal(stage_state(&stage).waiting, 1);
    assert_int_equal(stage_state(&stage).failures, 0);
    stage_end(&stage);
}

static void a_submission_without_an_answer_that_is_not_there_has_failed(void **state)
{
    (void)state;
    struct stage stage = stage_elastic(8, 1, 100);
    assert_true(stage_asks(&stage, ALLOCATOR_SUBMIT));
    allocator_unsure(stage.allocator, stage.now, "no answer within 30 s");
    stage_await(&stage, ALLOCATOR_FIND);
    allocator_unanswered(stage.allocator, stage.now); /* the controller is still away */
    stage_find(&stage, NULL, 0);
    assert_int_equal(stage_state(&stage).failures, 1);
    assert_string_equal(stage_state(&stage).failed, "no answer within 30 s");
    stage_end(&stage);
}

static void an_array_whose_answer_was_lost_is_taken_on_whole(void **state)
{
    (void)state;
    struct stage stage = stage_array(8, 4);
    struct slurm_job rest = {.id = 5, .array = 5, .element = SLURM_UNSET, .state = SLURM_PENDING};
    assert_true(stage_asks(&stage, ALLOCATOR_SUBMIT));
    allocator_unsure(stage.allocator, stage.now, "no answer");
    stage_find(&stage, &rest, 1);
    assert_int_equal(stage_state(&stage).waiting, 4);
    stage_end(&stage);
}

static void what_was_submitted_without_an_answer_is_taken_back_at_the_end(void **state)
{
    (void)state;
    struct stage stage = stage_elastic(8, 1, 100);
    struct slurm_job taken = single_job(9, SLURM_PENDING);
    assert_true(stage_asks(&stage, ALLOCATOR_SUBMIT));
    allocator_unsure(stage.allocator, stage.now, "no answer");
    allocator_end(stage.allocator, stage.now);
    stage_find(&stage, &taken, 1);
    assert_true(stage_asks(&stage, ALLOCATOR_CANCEL));
    stage_end(&stage);
}

/* --- jobs that end before their worker joined --- */

/* Submits a job that is not in the queue any more at the next look, and has ended so. */
static void lose_one(struct stage *stage, uint32_t id, struct slurm_job ended)
{
    stage_await(stage, ALLOCATOR_SUBMIT);
    allocator_submitted(stage->allocator, stage->now, id);
    stage_find(stage, NULL, 0);
    stage_inspect(stage, &ended, ended.id ? 1 : 0);
}

static struct slurm_job failed(uint32_t id, int exit_status)
{
    struct slurm_job job = single_job(id, SLURM_FAILED);
    job.exit_status = exit_status;
    return job;
}

static void three_jobs_without_a_worker_end_it(void **state)
{
    (void)state;
    struct stage stage = stage_elastic(8, 1, 100);
    lose_one(&stage, 1, failed(1, 127));
    lose_one(&stage, 2, single_job(2, SLURM_TIMEOUT));
    assert_null(stage_state(&stage).stopped);
    lose_one(&stage, 3, failed(3, 127));
    assert_has(stage_state(&stage).stopped, "3 worker jobs in a row ended before their worker did anything");
    assert_has(stage_state(&stage).stopped, "the last one, 3, ended with status 127");
    assert_int_equal(stage_state(&stage).stopped_job, 3);
    assert_true(stage_state(&stage).hopeless);
    stage_end(&stage);
}

static void a_worker_that_joins_forgives_the_jobs_before(void **state)
{
    (void)state;
    struct stage stage = stage_elastic(8, 1, 100);
    lose_one(&stage, 1, failed(1, 1));
    lose_one(&stage, 2, failed(2, 1));
    stage_submit(&stage, 3);
    stage_join(&stage, 3, SLURM_UNSET, 1);
    lose_one(&stage, 4, failed(4, 1));
    assert_null(stage_state(&stage).stopped);
    stage_end(&stage);
}

static void workers_that_never_have_a_trial_end_it(void **state)
{
    (void)state;
    struct stage stage = stage_elastic(1, 1, 100);
    for (uint32_t id = 1; id <= 3; id++) {
        struct slurm_job ended = single_job(id, SLURM_COMPLETED);
        stage_await(&stage, ALLOCATOR_SUBMIT);
        allocator_submitted(stage.allocator, stage.now, id);
        stage.workers[0] = (struct allocator_worker){id, SLURM_UNSET, 1, false, true};
        stage.view.worker_count = 1;
        stage_update(&stage);
        stage_leave(&stage);
        stage_find(&stage, NULL, 0);
        stage_inspect(&stage, &ended, 1);
    }
    assert_has(stage_state(&stage).stopped, "found no trial that would end in its time");
    stage_end(&stage);
}

static void preemption_and_failed_nodes_are_nobodys_fault(void **state)
{
    (void)state;
    struct stage stage = stage_elastic(8, 1, 100);
    for (uint32_t id = 1; id < 12; id += 2) {
        lose_one(&stage, id, single_job(id, SLURM_PREEMPTED));
        lose_one(&stage, id + 1, single_job(id + 1, SLURM_NODE_FAILED));
    }
    assert_null(stage_state(&stage).stopped);
    stage_end(&stage);
}

static void jobs_that_vanish_three_times_end_it(void **state)
{
    (void)state;
    struct stage stage = stage_elastic(8, 1, 100);
    lose_one(&stage, 1, single_job(1, SLURM_VANISHED));
    lose_one(&stage, 2, single_job(0, SLURM_VANISHED));
    lose_one(&stage, 3, single_job(3, SLURM_VANISHED));
    assert_has(stage_state(&stage).stopped, "is not known to the controller any more");
    stage_end(&stage);
}

static void elements_of_an_array_that_die_at_once_end_it(void **state)
{
    (void)state;
    struct stage stage = stage_array(4, 100);
    struct slurm_job ended[4];
    stage_submit(&stage, 5);
    stage_find(&stage, NULL, 0);
    for (uint32_t i = 0; i < 4; i++) {
        ended[i] = element_job(5, i, SLURM_FAILED);
        ended[i].exit_signal = 9;
    }
    stage_inspect(&stage, ended, 4);
    assert_has(stage_state(&stage).stopped, "was ended by signal 9");
    assert_int_equal(stage_state(&stage).stopped_job, 5);
    stage_end(&stage);
}

static void a_job_that_runs_long_without_a_worker_is_given_up(void **state)
{
    (void)state;
    struct stage stage = stage_elastic(1, 1, 100);
    for (uint32_t id = 1; id <= 3; id++) {
        struct slurm_job runs = single_job(id, SLURM_RUNNING);
        stage_submit(&stage, id);
        for (int looks = 0; looks < 100 && !stage_asks(&stage, ALLOCATOR_CANCEL); looks++) {
            if (stage.order.question == ALLOCATOR_FIND)
                allocator_found(stage.allocator, stage.now, &(struct slurm_jobs){.items = &runs, .count = 1});
            stage.now = allocator_wake(stage.allocator, stage.now);
        }
        assert_int_equal(stage.order.question, ALLOCATOR_CANCEL);
        allocator_cancelled(stage.allocator, stage.now);
        stage_find(&stage, NULL, 0);
    }
    assert_has(stage_state(&stage).stopped, "ran without it for 5m");
    stage_end(&stage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failed_submissions_wait_longer_each_time_and_the_fifth_ends_it),
        cmocka_unit_test(a_submission_that_works_forgives_those_that_failed),
        cmocka_unit_test(workers_that_are_there_go_on_when_no_more_are_had),
        cmocka_unit_test(a_submission_without_an_answer_is_looked_for_before_the_next),
        cmocka_unit_test(a_submission_without_an_answer_that_is_not_there_has_failed),
        cmocka_unit_test(an_array_whose_answer_was_lost_is_taken_on_whole),
        cmocka_unit_test(what_was_submitted_without_an_answer_is_taken_back_at_the_end),
        cmocka_unit_test(three_jobs_without_a_worker_end_it),
        cmocka_unit_test(a_worker_that_joins_forgives_the_jobs_before),
        cmocka_unit_test(workers_that_never_have_a_trial_end_it),
        cmocka_unit_test(preemption_and_failed_nodes_are_nobodys_fault),
        cmocka_unit_test(jobs_that_vanish_three_times_end_it),
        cmocka_unit_test(elements_of_an_array_that_die_at_once_end_it),
        cmocka_unit_test(a_job_that_runs_long_without_a_worker_is_given_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
