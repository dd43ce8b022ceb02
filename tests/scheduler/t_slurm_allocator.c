/* What the allocator submits, looks at and takes back; see scheduler/slurm/allocator.h. */
#include "tests/allocator_stage.h"
#include "tests/claims.h"

#include <math.h>
#include <string.h>

/* --- elastic: submitting --- */

static void the_queue_holds_no_more_than_the_backlog(void **state)
{
    (void)state;
    struct stage stage = stage_elastic(8, 2, 100);
    stage_submit(&stage, 1);
    stage_submit(&stage, 2);
    assert_true(stage_asks_nothing(&stage));
    stage_join(&stage, 1, SLURM_UNSET, 1);
    stage_submit(&stage, 3);
    assert_true(stage_asks_nothing(&stage));
    stage_end(&stage);
}

static void there_are_never_more_jobs_than_workers(void **state)
{
    (void)state;
    struct stage stage = stage_elastic(3, 3, ALLOCATOR_ANY);
    for (uint32_t id = 1; id <= 3; id++) {
        stage_submit(&stage, id);
        stage_join(&stage, id, SLURM_UNSET, 1);
    }
    assert_true(stage_asks_nothing(&stage));
    stage_end(&stage);
}

static void nothing_is_submitted_while_the_slots_do_for_all_trials(void **state)
{
    (void)state;
    struct stage stage = stage_elastic(8, 8, 4);
    stage_submit(&stage, 1);
    stage_join(&stage, 1, SLURM_UNSET, 4);
    assert_true(stage_asks_nothing(&stage));
    assert_true(isinf(allocator_wake(stage.allocator, stage.now)));
    stage_want(&stage, 5);
    stage_submit(&stage, 2);
    stage_end(&stage);
}

static void while_the_queue_lets_workers_in_as_many_come_as_there_are(void **state)
{
    (void)state;
    struct stage stage = stage_elastic(7, 1, ALLOCATOR_ANY);
    for (uint32_t id = 1; id <= 2; id++) {
        stage_submit(&stage, id);
        stage_join(&stage, id, SLURM_UNSET, 1);
    }
    assert_true(stage_asks(&stage, ALLOCATOR_SUBMIT));
    assert_int_equal(stage.order.count, 2);
    allocator_submitted(stage.allocator, stage.now, 3);
    stage_join(&stage, 3, 0, 1);
    assert_true(stage_asks_nothing(&stage)); /* the other one waits */
    stage_join(&stage, 3, 1, 1);
    assert_true(stage_asks(&stage, ALLOCATOR_SUBMIT));
    assert_int_equal(stage.order.count, 3); /* there may be seven in all */
    stage_end(&stage);
}

static void where_slurm_takes_no_several_at_once_they_come_one_by_one(void **state)
{
    (void)state;
    struct stage stage = stage_elastic(8, 1, ALLOCATOR_ANY);
    for (uint32_t id = 1; id <= 2; id++) {
        stage_submit(&stage, id);
        stage_join(&stage, id, SLURM_UNSET, 1);
    }
    assert_true(stage_asks(&stage, ALLOCATOR_SUBMIT));
    allocator_refused(stage.allocator, stage.now, "Invalid job array specification");
    assert_true(stage_asks(&stage, ALLOCATOR_SUBMIT));
    assert_int_equal(stage.order.count, 0);
    assert_int_equal(stage_state(&stage).failures, 0);
    stage_end(&stage);
}

static void slots_that_are_on_their_way_count(void **state)
{
    (void)state;
    struct stage stage = stage_elastic(8, 8, 6);
    stage_submit(&stage, 1);
    stage_join(&stage, 1, SLURM_UNSET, 2);
    stage_submit(&stage, 2); /* four slots more are wanted: two workers like the first */
    stage_submit(&stage, 3);
    assert_true(stage_asks_nothing(&stage));
    stage_end(&stage);
}

static void before_it_knows_the_search_it_asks_nothing(void **state)
{
    (void)state;
    struct allocator_config config;
    allocator_config_defaults(&config, 1);
    struct allocator *allocator = allocator_create(&config, 0);
    struct allocator_order order;
    allocator_adopt(allocator, 0, 7, 0);
    assert_false(allocator_next(allocator, 100, &order));
    assert_true(isinf(allocator_wake(allocator, 100)));
    allocator_destroy(allocator);
}

static void one_question_is_asked_at_a_time(void **state)
{
    (void)state;
    struct stage stage = stage_elastic(8, 8, 100);
    assert_true(stage_asks(&stage, ALLOCATOR_SUBMIT));
    assert_true(stage_asks_nothing(&stage));
    assert_true(isinf(allocator_wake(stage.allocator, stage.now)));
    allocator_submitted(stage.allocator, stage.now, 1);
    assert_true(stage_asks(&stage, ALLOCATOR_SUBMIT));
    stage_end(&stage);
}

/* --- arrays --- */

static void an_array_is_one_submission_of_as_many_elements_as_are_needed(void **state)
{
    (void)state;
    struct stage stage = stage_array(8, ALLOCATOR_ANY);
    assert_true(stage_asks(&stage, ALLOCATOR_SUBMIT));
    assert_int_equal(stage.order.count, 8);
    allocator_submitted(stage.allocator, stage.now, 5);
    assert_true(stage_asks_nothing(&stage));
    assert_int_equal(stage_state(&stage).waiting, 8);
    stage_end(&stage);
    stage = stage_array(8, 3);
    assert_true(stage_asks(&stage, ALLOCATOR_SUBMIT));
    assert_int_equal(stage.order.count, 3);
    stage_end(&stage);
}

static void elements_come_and_go_and_the_next_array_waits_for_the_last_one(void **state)
{
    (void)state;
    struct stage stage = stage_array(3, 100);
    struct slurm_job rest = {.id = 5, .array = 5, .element = SLURM_UNSET, .state = SLURM_PENDING};
    struct slurm_job seen[] = {element_job(5, 0, SLURM_RUNNING), rest};
    stage_submit(&stage, 5);
    stage_join(&stage, 5, 0, 1);
    stage_find(&stage, seen, 2);
    assert_int_equal(stage_state(&stage).waiting, 2);
    assert_int_equal(stage_state(&stage).working, 1);
    stage_join(&stage, 5, 1, 1);
    stage_join(&stage, 5, 2, 1);
    assert_true(stage_asks_nothing(&stage)); /* all are connected: Slurm is asked nothing */
    stage_leave(&stage);
    stage_leave(&stage);
    stage_leave(&stage);
    stage_find(&stage, NULL, 0);
    struct slurm_job ended[] = {element_job(5, 0, SLURM_COMPLETED), element_job(5, 1, SLURM_TIMEOUT),
                                element_job(5, 2, SLURM_COMPLETED)};
    stage_inspect(&stage, ended, 3);
    stage_submit(&stage, 6);
    stage_end(&stage);
}

static void elements_that_are_not_needed_are_taken_back_in_one_question(void **state)
{
    (void)state;
    struct stage stage = stage_array(5, 100);
    stage_submit(&stage, 5);
    stage_join(&stage, 5, 0, 1);
    stage_join(&stage, 5, 3, 1);
    stage_want(&stage, 2);
    assert_true(stage_asks(&stage, ALLOCATOR_CANCEL));
    assert_string_equal(stage.order.which, "5_[1,2,4]");
    allocator_cancelled(stage.allocator, stage.now);
    struct slurm_job seen[] = {element_job(5, 0, SLURM_RUNNING), element_job(5, 3, SLURM_RUNNING)};
    stage_find(&stage, seen, 2);
    assert_true(stage_asks_nothing(&stage));
    assert_int_equal(stage_state(&stage).waiting, 0);
    assert_null(stage_state(&stage).stopped);
    stage_end(&stage);
}

static void a_whole_array_is_taken_back_by_its_number(void **state)
{
    (void)state;
    struct stage stage = stage_array(500, ALLOCATOR_ANY);
    stage_submit(&stage, 12);
    allocator_end(stage.allocator, stage.now);
    assert_true(stage_asks(&stage, ALLOCATOR_CANCEL));
    assert_string_equal(stage.order.which, "12");
    allocator_cancelled(stage.allocator, stage.now);
    assert_true(stage_asks_nothing(&stage));
    stage_end(&stage);
}

static void more_elements_than_a_question_holds_take_several(void **state)
{
    (void)state;
    struct stage stage = stage_array(100, ALLOCATOR_ANY);
    int questions = 0;
    stage_submit(&stage, 12);
    stage_join(&stage, 12, 50, 1);
    allocator_end(stage.allocator, stage.now);
    while (stage_asks(&stage, ALLOCATOR_CANCEL)) {
        questions++;
        assert_true(strlen(stage.order.which) < sizeof stage.order.which - 1);
        assert_int_equal(stage.order.which[strlen(stage.order.which) - 1], ']');
        allocator_cancelled(stage.allocator, stage.now);
    }
    assert_in_range(questions, 2, 9);
    assert_int_equal(stage_state(&stage).working, 1);
    stage_end(&stage);
}

/* --- what is not needed --- */

static void a_job_that_waits_in_vain_is_taken_back(void **state)
{
    (void)state;
    struct stage stage = stage_elastic(8, 1, 100);
    stage_submit(&stage, 1);
    stage_join(&stage, 1, SLURM_UNSET, 4);
    stage_submit(&stage, 2);
    stage_want(&stage, 4);
    assert_true(stage_asks(&stage, ALLOCATOR_CANCEL));
    assert_string_equal(stage.order.which, "2");
    allocator_cancelled(stage.allocator, stage.now);
    stage_find(&stage, NULL, 0);
    assert_true(stage_asks_nothing(&stage));
    stage_want(&stage, 5); /* a trial is to be repeated */
    stage_submit(&stage, 3);
    stage_end(&stage);
}

static void at_the_end_all_that_has_no_worker_is_taken_back_and_nothing_is_submitted(void **state)
{
    (void)state;
    struct stage stage = stage_elastic(8, 1, ALLOCATOR_ANY);
    stage_submit(&stage, 1);
    stage_join(&stage, 1, SLURM_UNSET, 1);
    stage_submit(&stage, 2);
    allocator_end(stage.allocator, stage.now);
    assert_true(stage_asks(&stage, ALLOCATOR_CANCEL));
    assert_string_equal(stage.order.which, "2");
    allocator_cancelled(stage.allocator, stage.now);
    assert_true(stage_asks_nothing(&stage));
    assert_true(isinf(allocator_wake(stage.allocator, stage.now)));
    stage_end(&stage);
}

/* --- looking --- */

static void nothing_is_asked_while_every_job_has_its_worker(void **state)
{
    (void)state;
    struct stage stage = stage_elastic(1, 1, 100);
    stage_submit(&stage, 1);
    stage_join(&stage, 1, SLURM_UNSET, 1);
    stage.now += 1e6;
    stage_update(&stage);
    assert_true(stage_asks_nothing(&stage));
    assert_true(isinf(allocator_wake(stage.allocator, stage.now)));
    stage_end(&stage);
}

static void the_queue_is_looked_at_every_ten_seconds_and_less_often_with_time(void **state)
{
    (void)state;
    struct stage stage = stage_elastic(1, 1, 100);
    struct slurm_job waits = single_job(1, SLURM_PENDING);
    stage_submit(&stage, 1);
    double longest = 0;
    for (int i = 0; i < 100; i++) {
        double before = stage.now;
        stage_find(&stage, &waits, 1);
        assert_true(stage.now - before >= 10 - 1e-9);
        assert_true(stage.now - before >= longest - 1e-9);
        longest = stage.now - before;
    }
    assert_true(fabs(longest - (60)) < 1e-6);
    stage_end(&stage);
}

static void of_a_job_whose_end_is_not_known_slurm_is_asked_once(void **state)
{
    (void)state;
    struct stage stage = stage_elastic(2, 1, 100);
    struct slurm_job runs = single_job(1, SLURM_RUNNING);
    stage_submit(&stage, 1);
    stage_join(&stage, 1, SLURM_UNSET, 1);
    stage_submit(&stage, 2);
    stage_join(&stage, 2, SLURM_UNSET, 1);
    assert_true(stage_asks_nothing(&stage));
    stage_end(&stage);
    stage = stage_elastic(1, 1, 100);
    stage_submit(&stage, 1);
    stage.workers[0] = (struct allocator_worker){1, SLURM_UNSET, 1, true, false};
    stage.view.worker_count = 1;
    stage_update(&stage);
    stage_inspect(&stage, &runs, 1);
    stage_update(&stage);
    assert_true(stage_asks_nothing(&stage));
    stage_end(&stage);
}

static void a_job_that_vanished_matters_only_without_its_worker(void **state)
{
    (void)state;
    struct stage stage = stage_elastic(2, 1, 100);
    struct slurm_job other = single_job(2, SLURM_PENDING);
    stage_submit(&stage, 1);
    stage_join(&stage, 1, SLURM_UNSET, 1);
    stage_submit(&stage, 2);
    stage_find(&stage, &other, 1); /* says nothing of job 1 */
    assert_int_equal(stage_state(&stage).working, 1);
    stage_leave(&stage);
    stage_find(&stage, &other, 1);
    stage_inspect(&stage, NULL, 0);
    assert_int_equal(stage_state(&stage).working + stage_state(&stage).running, 0);
    assert_null(stage_state(&stage).stopped);
    stage_end(&stage);
}

static void a_requeued_job_waits_again(void **state)
{
    (void)state;
    struct stage stage = stage_elastic(1, 1, 100);
    struct slurm_job waits = single_job(1, SLURM_PENDING);
    stage_submit(&stage, 1);
    stage_join(&stage, 1, SLURM_UNSET, 1);
    stage_leave(&stage);
    stage_find(&stage, &waits, 1);
    assert_int_equal(stage_state(&stage).waiting, 1);
    stage_join(&stage, 1, SLURM_UNSET, 1);
    assert_int_equal(stage_state(&stage).working, 1);
    stage_end(&stage);
}

static void a_question_without_an_answer_is_asked_again_later(void **state)
{
    (void)state;
    struct stage stage = stage_elastic(1, 1, 100);
    stage_submit(&stage, 1);
    stage_await(&stage, ALLOCATOR_FIND);
    double before = stage.now;
    allocator_unanswered(stage.allocator, stage.now);
    stage_await(&stage, ALLOCATOR_FIND);
    assert_true(fabs(stage.now - before - (10)) < 1e-6);
    stage_end(&stage);
}

static void a_cancellation_without_an_answer_is_asked_again(void **state)
{
    (void)state;
    struct stage stage = stage_elastic(1, 1, 100);
    stage_submit(&stage, 1);
    allocator_end(stage.allocator, stage.now);
    stage_await(&stage, ALLOCATOR_CANCEL);
    allocator_unanswered(stage.allocator, stage.now);
    stage_await(&stage, ALLOCATOR_CANCEL);
    assert_string_equal(stage.order.which, "1");
    stage_end(&stage);
}

static void jobs_of_before_a_restart_are_looked_at_at_once(void **state)
{
    (void)state;
    struct stage stage = stage_elastic(3, 1, 100);
    struct slurm_job runs = single_job(4, SLURM_RUNNING);
    allocator_adopt(stage.allocator, stage.now, 4, 0);
    double before = stage.now;
    stage_find(&stage, &runs, 1);
    assert_true(fabs(stage.now - (before)) < 1e-6);
    assert_int_equal(stage_state(&stage).running, 1);
    stage_join(&stage, 4, SLURM_UNSET, 1);
    assert_int_equal(stage_state(&stage).working, 1);
    stage_end(&stage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_queue_holds_no_more_than_the_backlog),
        cmocka_unit_test(there_are_never_more_jobs_than_workers),
        cmocka_unit_test(nothing_is_submitted_while_the_slots_do_for_all_trials),
        cmocka_unit_test(while_the_queue_lets_workers_in_as_many_come_as_there_are),
        cmocka_unit_test(where_slurm_takes_no_several_at_once_they_come_one_by_one),
        cmocka_unit_test(slots_that_are_on_their_way_count),
        cmocka_unit_test(before_it_knows_the_search_it_asks_nothing),
        cmocka_unit_test(one_question_is_asked_at_a_time),
        cmocka_unit_test(an_array_is_one_submission_of_as_many_elements_as_are_needed),
        cmocka_unit_test(elements_come_and_go_and_the_next_array_waits_for_the_last_one),
        cmocka_unit_test(elements_that_are_not_needed_are_taken_back_in_one_question),
        cmocka_unit_test(a_whole_array_is_taken_back_by_its_number),
        cmocka_unit_test(more_elements_than_a_question_holds_take_several),
        cmocka_unit_test(a_job_that_waits_in_vain_is_taken_back),
        cmocka_unit_test(at_the_end_all_that_has_no_worker_is_taken_back_and_nothing_is_submitted),
        cmocka_unit_test(nothing_is_asked_while_every_job_has_its_worker),
        cmocka_unit_test(the_queue_is_looked_at_every_ten_seconds_and_less_often_with_time),
        cmocka_unit_test(of_a_job_whose_end_is_not_known_slurm_is_asked_once),
        cmocka_unit_test(a_job_that_vanished_matters_only_without_its_worker),
        cmocka_unit_test(a_requeued_job_waits_again),
        cmocka_unit_test(a_question_without_an_answer_is_asked_again_later),
        cmocka_unit_test(a_cancellation_without_an_answer_is_asked_again),
        cmocka_unit_test(jobs_of_before_a_restart_are_looked_at_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
