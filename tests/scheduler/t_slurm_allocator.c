/* Every rule of the allocator, with a made-up Slurm and a made-up clock; see scheduler/slurm/allocator.h. */
#include "scheduler/slurm/allocator.h"
#include "common/rng.h"
#include "tests/claims.h"

#include <math.h>
#include <string.h>

/* An allocator, what time it is for it, and how the search stands. */
struct stage {
    struct allocator *allocator;
    double now;
    struct allocator_view view;
    struct allocator_worker workers[32];
    struct allocator_order order; /* the last question */
};

static struct stage stage_of(const struct allocator_config *config, uint64_t wanted)
{
    struct stage stage = {.allocator = allocator_create(config, 1000), .now = 1000, .view = {.wanted = wanted}};
    allocator_update(stage.allocator, stage.now, &stage.view);
    return stage;
}

static struct stage elastic(uint32_t workers, uint32_t backlog, uint64_t wanted)
{
    struct allocator_config config;
    allocator_config_defaults(&config, 1);
    config.workers = workers;
    config.backlog = backlog;
    return stage_of(&config, wanted);
}

static struct stage array(uint32_t workers, uint64_t wanted)
{
    struct allocator_config config;
    allocator_config_defaults(&config, 1);
    config.array = true;
    config.workers = workers;
    return stage_of(&config, wanted);
}

static void update(struct stage *stage)
{
    stage->view.workers = stage->workers;
    stage->view.slots = 0;
    for (uint32_t i = 0; i < stage->view.worker_count; i++)
        stage->view.slots += stage->workers[i].slots;
    allocator_update(stage->allocator, stage->now, &stage->view);
}

static void join(struct stage *stage, uint32_t job, uint32_t element, uint32_t slots)
{
    stage->workers[stage->view.worker_count++] = (struct allocator_worker){job, element, slots, true, true};
    update(stage);
}

/* The worker that joined last leaves. */
static void leave(struct stage *stage)
{
    stage->view.worker_count--;
    update(stage);
}

static void want(struct stage *stage, uint64_t wanted)
{
    stage->view.wanted = wanted;
    update(stage);
}

static bool asks(struct stage *stage, enum allocator_question question)
{
    return allocator_next(stage->allocator, stage->now, &stage->order) && stage->order.question == question;
}

static bool asks_nothing(struct stage *stage)
{
    return !allocator_next(stage->allocator, stage->now, &stage->order);
}

/* Submits and answers with this id. */
static void submit(struct stage *stage, uint32_t id)
{
    assert_true(asks(stage, ALLOCATOR_SUBMIT));
    allocator_submitted(stage->allocator, stage->now, id);
}

/* Goes on to when it wants to ask, and takes that question. */
static void await(struct stage *stage, enum allocator_question question)
{
    double wake = allocator_wake(stage->allocator, stage->now);
    assert_true(isfinite(wake));
    stage->now = wake;
    assert_true(asks(stage, question));
}

static void find(struct stage *stage, struct slurm_job *jobs, uint32_t count)
{
    await(stage, ALLOCATOR_FIND);
    allocator_found(stage->allocator, stage->now, &(struct slurm_jobs){.items = jobs, .count = count});
}

static void inspect(struct stage *stage, struct slurm_job *jobs, uint32_t count)
{
    await(stage, ALLOCATOR_INSPECT);
    allocator_inspected(stage->allocator, stage->now, &(struct slurm_jobs){.items = jobs, .count = count});
}

static struct allocator_state stands(const struct stage *stage)
{
    struct allocator_state standing;
    allocator_get_state(stage->allocator, &standing);
    return standing;
}

static struct slurm_job single(uint32_t id, enum slurm_state state)
{
    return (struct slurm_job){.id = id, .element = SLURM_UNSET, .state = state};
}

static struct slurm_job element_of(uint32_t array, uint32_t element, enum slurm_state state)
{
    return (struct slurm_job){.id = 100 * array + element, .array = array, .element = element, .state = state};
}

static void end(struct stage *stage)
{
    allocator_destroy(stage->allocator);
}

/* --- elastic: submitting --- */

static void the_queue_holds_no_more_than_the_backlog(void **state)
{
    (void)state;
    struct stage stage = elastic(8, 2, 100);
    submit(&stage, 1);
    submit(&stage, 2);
    assert_true(asks_nothing(&stage));
    join(&stage, 1, SLURM_UNSET, 1);
    submit(&stage, 3);
    assert_true(asks_nothing(&stage));
    end(&stage);
}

static void there_are_never_more_jobs_than_workers(void **state)
{
    (void)state;
    struct stage stage = elastic(3, 3, ALLOCATOR_ANY);
    for (uint32_t id = 1; id <= 3; id++) {
        submit(&stage, id);
        join(&stage, id, SLURM_UNSET, 1);
    }
    assert_true(asks_nothing(&stage));
    end(&stage);
}

static void nothing_is_submitted_while_the_slots_do_for_all_trials(void **state)
{
    (void)state;
    struct stage stage = elastic(8, 8, 4);
    submit(&stage, 1);
    join(&stage, 1, SLURM_UNSET, 4);
    assert_true(asks_nothing(&stage));
    assert_true(isinf(allocator_wake(stage.allocator, stage.now)));
    want(&stage, 5);
    submit(&stage, 2);
    end(&stage);
}

static void slots_that_are_on_their_way_count(void **state)
{
    (void)state;
    struct stage stage = elastic(8, 8, 6);
    submit(&stage, 1);
    join(&stage, 1, SLURM_UNSET, 2);
    submit(&stage, 2); /* four slots more are wanted: two workers like the first */
    submit(&stage, 3);
    assert_true(asks_nothing(&stage));
    end(&stage);
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
    struct stage stage = elastic(8, 8, 100);
    assert_true(asks(&stage, ALLOCATOR_SUBMIT));
    assert_true(asks_nothing(&stage));
    assert_true(isinf(allocator_wake(stage.allocator, stage.now)));
    allocator_submitted(stage.allocator, stage.now, 1);
    assert_true(asks(&stage, ALLOCATOR_SUBMIT));
    end(&stage);
}

/* --- arrays --- */

static void an_array_is_one_submission_of_as_many_elements_as_are_needed(void **state)
{
    (void)state;
    struct stage stage = array(8, ALLOCATOR_ANY);
    assert_true(asks(&stage, ALLOCATOR_SUBMIT));
    assert_int_equal(stage.order.count, 8);
    allocator_submitted(stage.allocator, stage.now, 5);
    assert_true(asks_nothing(&stage));
    assert_int_equal(stands(&stage).waiting, 8);
    end(&stage);
    stage = array(8, 3);
    assert_true(asks(&stage, ALLOCATOR_SUBMIT));
    assert_int_equal(stage.order.count, 3);
    end(&stage);
}

static void elements_come_and_go_and_the_next_array_waits_for_the_last_one(void **state)
{
    (void)state;
    struct stage stage = array(3, 100);
    struct slurm_job rest = {.id = 5, .array = 5, .element = SLURM_UNSET, .state = SLURM_PENDING};
    struct slurm_job seen[] = {element_of(5, 0, SLURM_RUNNING), rest};
    submit(&stage, 5);
    join(&stage, 5, 0, 1);
    find(&stage, seen, 2);
    assert_int_equal(stands(&stage).waiting, 2);
    assert_int_equal(stands(&stage).working, 1);
    join(&stage, 5, 1, 1);
    join(&stage, 5, 2, 1);
    assert_true(asks_nothing(&stage)); /* all are connected: Slurm is asked nothing */
    leave(&stage);
    leave(&stage);
    leave(&stage);
    find(&stage, NULL, 0);
    struct slurm_job ended[] = {element_of(5, 0, SLURM_COMPLETED), element_of(5, 1, SLURM_TIMEOUT),
                                element_of(5, 2, SLURM_COMPLETED)};
    inspect(&stage, ended, 3);
    submit(&stage, 6);
    end(&stage);
}

static void elements_that_are_not_needed_are_taken_back_in_one_question(void **state)
{
    (void)state;
    struct stage stage = array(5, 100);
    submit(&stage, 5);
    join(&stage, 5, 0, 1);
    join(&stage, 5, 3, 1);
    want(&stage, 2);
    assert_true(asks(&stage, ALLOCATOR_CANCEL));
    assert_string_equal(stage.order.which, "5_[1,2,4]");
    allocator_cancelled(stage.allocator, stage.now);
    struct slurm_job seen[] = {element_of(5, 0, SLURM_RUNNING), element_of(5, 3, SLURM_RUNNING)};
    find(&stage, seen, 2);
    assert_true(asks_nothing(&stage));
    assert_int_equal(stands(&stage).waiting, 0);
    assert_null(stands(&stage).stopped);
    end(&stage);
}

static void a_whole_array_is_taken_back_by_its_number(void **state)
{
    (void)state;
    struct stage stage = array(500, ALLOCATOR_ANY);
    submit(&stage, 12);
    allocator_end(stage.allocator, stage.now);
    assert_true(asks(&stage, ALLOCATOR_CANCEL));
    assert_string_equal(stage.order.which, "12");
    allocator_cancelled(stage.allocator, stage.now);
    assert_true(asks_nothing(&stage));
    end(&stage);
}

static void more_elements_than_a_question_holds_take_several(void **state)
{
    (void)state;
    struct stage stage = array(100, ALLOCATOR_ANY);
    int questions = 0;
    submit(&stage, 12);
    join(&stage, 12, 50, 1);
    allocator_end(stage.allocator, stage.now);
    while (asks(&stage, ALLOCATOR_CANCEL)) {
        questions++;
        assert_true(strlen(stage.order.which) < sizeof stage.order.which - 1);
        assert_int_equal(stage.order.which[strlen(stage.order.which) - 1], ']');
        allocator_cancelled(stage.allocator, stage.now);
    }
    assert_in_range(questions, 2, 9);
    assert_int_equal(stands(&stage).working, 1);
    end(&stage);
}

/* --- what is not needed --- */

static void a_job_that_waits_in_vain_is_taken_back(void **state)
{
    (void)state;
    struct stage stage = elastic(8, 1, 100);
    submit(&stage, 1);
    join(&stage, 1, SLURM_UNSET, 4);
    submit(&stage, 2);
    want(&stage, 4);
    assert_true(asks(&stage, ALLOCATOR_CANCEL));
    assert_string_equal(stage.order.which, "2");
    allocator_cancelled(stage.allocator, stage.now);
    find(&stage, NULL, 0);
    assert_true(asks_nothing(&stage));
    want(&stage, 5); /* a trial is to be repeated */
    submit(&stage, 3);
    end(&stage);
}

static void at_the_end_all_that_has_no_worker_is_taken_back_and_nothing_is_submitted(void **state)
{
    (void)state;
    struct stage stage = elastic(8, 1, ALLOCATOR_ANY);
    submit(&stage, 1);
    join(&stage, 1, SLURM_UNSET, 1);
    submit(&stage, 2);
    allocator_end(stage.allocator, stage.now);
    assert_true(asks(&stage, ALLOCATOR_CANCEL));
    assert_string_equal(stage.order.which, "2");
    allocator_cancelled(stage.allocator, stage.now);
    assert_true(asks_nothing(&stage));
    assert_true(isinf(allocator_wake(stage.allocator, stage.now)));
    end(&stage);
}

/* --- submissions that fail --- */

static void failed_submissions_wait_longer_each_time_and_the_fifth_ends_it(void **state)
{
    (void)state;
    static const double minutes[] = {1, 15, 30, 60};
    struct stage stage = elastic(8, 1, 100);
    for (int i = 0; i < 5; i++) {
        double before = stage.now;
        await(&stage, ALLOCATOR_SUBMIT);
        if (i)
            assert_true(fabs(stage.now - before - (60 * minutes[i - 1])) < 1e-6);
        assert_null(stands(&stage).stopped);
        allocator_refused(stage.allocator, stage.now, "Invalid account");
    }
    assert_has(stands(&stage).stopped, "5 submissions in a row failed");
    assert_has(stands(&stage).stopped, "Invalid account");
    assert_true(stands(&stage).hopeless);
    assert_true(isinf(allocator_wake(stage.allocator, stage.now)));
    end(&stage);
}

static void a_submission_that_works_forgives_those_that_failed(void **state)
{
    (void)state;
    struct stage stage = elastic(8, 8, 100);
    for (int i = 0; i < 4; i++) {
        await(&stage, ALLOCATOR_SUBMIT);
        allocator_refused(stage.allocator, stage.now, "no");
    }
    await(&stage, ALLOCATOR_SUBMIT);
    allocator_submitted(stage.allocator, stage.now, 1);
    assert_int_equal(stands(&stage).failures, 0);
    assert_true(asks(&stage, ALLOCATOR_SUBMIT)); /* and the next one does not wait */
    end(&stage);
}

static void workers_that_are_there_go_on_when_no_more_are_had(void **state)
{
    (void)state;
    struct stage stage = elastic(8, 1, 100);
    submit(&stage, 1);
    join(&stage, 1, SLURM_UNSET, 1);
    for (int i = 0; i < 5; i++) {
        await(&stage, ALLOCATOR_SUBMIT);
        allocator_refused(stage.allocator, stage.now, "no");
    }
    assert_non_null(stands(&stage).stopped);
    assert_false(stands(&stage).hopeless);
    leave(&stage);
    find(&stage, NULL, 0);
    inspect(&stage, NULL, 0);
    assert_true(stands(&stage).hopeless);
    end(&stage);
}

static void a_submission_without_an_answer_is_looked_for_before_the_next(void **state)
{
    (void)state;
    struct stage stage = elastic(8, 1, 100);
    struct slurm_job taken = single(9, SLURM_PENDING);
    assert_true(asks(&stage, ALLOCATOR_SUBMIT));
    allocator_unsure(stage.allocator, stage.now, "no answer within 30 s");
    assert_true(asks_nothing(&stage));
    find(&stage, &taken, 1);
    assert_int_equal(stands(&stage).waiting, 1);
    assert_int_equal(stands(&stage).failures, 0);
    end(&stage);
}

static void a_submission_without_an_answer_that_is_not_there_has_failed(void **state)
{
    (void)state;
    struct stage stage = elastic(8, 1, 100);
    assert_true(asks(&stage, ALLOCATOR_SUBMIT));
    allocator_unsure(stage.allocator, stage.now, "no answer within 30 s");
    await(&stage, ALLOCATOR_FIND);
    allocator_unanswered(stage.allocator, stage.now); /* the controller is still away */
    find(&stage, NULL, 0);
    assert_int_equal(stands(&stage).failures, 1);
    assert_string_equal(stands(&stage).failed, "no answer within 30 s");
    end(&stage);
}

static void an_array_whose_answer_was_lost_is_taken_on_whole(void **state)
{
    (void)state;
    struct stage stage = array(8, 4);
    struct slurm_job rest = {.id = 5, .array = 5, .element = SLURM_UNSET, .state = SLURM_PENDING};
    assert_true(asks(&stage, ALLOCATOR_SUBMIT));
    allocator_unsure(stage.allocator, stage.now, "no answer");
    find(&stage, &rest, 1);
    assert_int_equal(stands(&stage).waiting, 4);
    end(&stage);
}

static void what_was_submitted_in_doubt_is_taken_back_at_the_end(void **state)
{
    (void)state;
    struct stage stage = elastic(8, 1, 100);
    struct slurm_job taken = single(9, SLURM_PENDING);
    assert_true(asks(&stage, ALLOCATOR_SUBMIT));
    allocator_unsure(stage.allocator, stage.now, "no answer");
    allocator_end(stage.allocator, stage.now);
    find(&stage, &taken, 1);
    assert_true(asks(&stage, ALLOCATOR_CANCEL));
    end(&stage);
}

/* --- jobs that end before their worker joined --- */

/* Submits a job that is not in the queue any more at the next look, and has ended so. */
static void lose_one(struct stage *stage, uint32_t id, struct slurm_job ended)
{
    await(stage, ALLOCATOR_SUBMIT);
    allocator_submitted(stage->allocator, stage->now, id);
    find(stage, NULL, 0);
    inspect(stage, &ended, ended.id ? 1 : 0);
}

static struct slurm_job failed(uint32_t id, int exit_status)
{
    struct slurm_job job = single(id, SLURM_FAILED);
    job.exit_status = exit_status;
    return job;
}

static void three_jobs_without_a_worker_end_it(void **state)
{
    (void)state;
    struct stage stage = elastic(8, 1, 100);
    lose_one(&stage, 1, failed(1, 127));
    lose_one(&stage, 2, single(2, SLURM_TIMEOUT));
    assert_null(stands(&stage).stopped);
    lose_one(&stage, 3, failed(3, 127));
    assert_has(stands(&stage).stopped, "3 worker jobs in a row ended before their worker did anything");
    assert_has(stands(&stage).stopped, "the last one, 3, ended with status 127");
    assert_int_equal(stands(&stage).stopped_job, 3);
    assert_true(stands(&stage).hopeless);
    end(&stage);
}

static void a_worker_that_joins_forgives_the_jobs_before(void **state)
{
    (void)state;
    struct stage stage = elastic(8, 1, 100);
    lose_one(&stage, 1, failed(1, 1));
    lose_one(&stage, 2, failed(2, 1));
    submit(&stage, 3);
    join(&stage, 3, SLURM_UNSET, 1);
    lose_one(&stage, 4, failed(4, 1));
    assert_null(stands(&stage).stopped);
    end(&stage);
}

static void workers_that_never_have_a_trial_end_it(void **state)
{
    (void)state;
    struct stage stage = elastic(1, 1, 100);
    for (uint32_t id = 1; id <= 3; id++) {
        struct slurm_job ended = single(id, SLURM_COMPLETED);
        await(&stage, ALLOCATOR_SUBMIT);
        allocator_submitted(stage.allocator, stage.now, id);
        stage.workers[0] = (struct allocator_worker){id, SLURM_UNSET, 1, false, true};
        stage.view.worker_count = 1;
        update(&stage);
        leave(&stage);
        find(&stage, NULL, 0);
        inspect(&stage, &ended, 1);
    }
    assert_has(stands(&stage).stopped, "found no trial that would end in its time");
    end(&stage);
}

static void preemption_and_failed_nodes_are_nobodys_fault(void **state)
{
    (void)state;
    struct stage stage = elastic(8, 1, 100);
    for (uint32_t id = 1; id < 12; id += 2) {
        lose_one(&stage, id, single(id, SLURM_PREEMPTED));
        lose_one(&stage, id + 1, single(id + 1, SLURM_NODE_FAILED));
    }
    assert_null(stands(&stage).stopped);
    end(&stage);
}

static void jobs_that_vanish_three_times_end_it(void **state)
{
    (void)state;
    struct stage stage = elastic(8, 1, 100);
    lose_one(&stage, 1, single(1, SLURM_VANISHED));
    lose_one(&stage, 2, single(0, SLURM_VANISHED));
    lose_one(&stage, 3, single(3, SLURM_VANISHED));
    assert_has(stands(&stage).stopped, "is not known to the controller any more");
    end(&stage);
}

static void elements_of_an_array_that_die_at_once_end_it(void **state)
{
    (void)state;
    struct stage stage = array(4, 100);
    struct slurm_job ended[4];
    submit(&stage, 5);
    find(&stage, NULL, 0);
    for (uint32_t i = 0; i < 4; i++) {
        ended[i] = element_of(5, i, SLURM_FAILED);
        ended[i].exit_signal = 9;
    }
    inspect(&stage, ended, 4);
    assert_has(stands(&stage).stopped, "was ended by signal 9");
    assert_int_equal(stands(&stage).stopped_job, 5);
    end(&stage);
}

static void a_job_that_runs_long_without_a_worker_is_given_up(void **state)
{
    (void)state;
    struct stage stage = elastic(1, 1, 100);
    for (uint32_t id = 1; id <= 3; id++) {
        struct slurm_job runs = single(id, SLURM_RUNNING);
        submit(&stage, id);
        for (int looks = 0; looks < 100 && !asks(&stage, ALLOCATOR_CANCEL); looks++) {
            if (stage.order.question == ALLOCATOR_FIND)
                allocator_found(stage.allocator, stage.now, &(struct slurm_jobs){.items = &runs, .count = 1});
            stage.now = allocator_wake(stage.allocator, stage.now);
        }
        assert_int_equal(stage.order.question, ALLOCATOR_CANCEL);
        allocator_cancelled(stage.allocator, stage.now);
        find(&stage, NULL, 0);
    }
    assert_has(stands(&stage).stopped, "ran without it for 5m");
    end(&stage);
}

/* --- looking --- */

static void nothing_is_asked_while_every_job_has_its_worker(void **state)
{
    (void)state;
    struct stage stage = elastic(1, 1, 100);
    submit(&stage, 1);
    join(&stage, 1, SLURM_UNSET, 1);
    stage.now += 1e6;
    update(&stage);
    assert_true(asks_nothing(&stage));
    assert_true(isinf(allocator_wake(stage.allocator, stage.now)));
    end(&stage);
}

static void the_queue_is_looked_at_every_ten_seconds_and_less_often_with_time(void **state)
{
    (void)state;
    struct stage stage = elastic(1, 1, 100);
    struct slurm_job waits = single(1, SLURM_PENDING);
    submit(&stage, 1);
    double longest = 0;
    for (int i = 0; i < 100; i++) {
        double before = stage.now;
        find(&stage, &waits, 1);
        assert_true(stage.now - before >= 10 - 1e-9);
        assert_true(stage.now - before >= longest - 1e-9);
        longest = stage.now - before;
    }
    assert_true(fabs(longest - (60)) < 1e-6);
    end(&stage);
}

static void of_a_job_whose_end_is_not_known_slurm_is_asked_once(void **state)
{
    (void)state;
    struct stage stage = elastic(2, 1, 100);
    struct slurm_job runs = single(1, SLURM_RUNNING);
    submit(&stage, 1);
    join(&stage, 1, SLURM_UNSET, 1);
    submit(&stage, 2);
    join(&stage, 2, SLURM_UNSET, 1);
    assert_true(asks_nothing(&stage));
    end(&stage);
    stage = elastic(1, 1, 100);
    submit(&stage, 1);
    stage.workers[0] = (struct allocator_worker){1, SLURM_UNSET, 1, true, false};
    stage.view.worker_count = 1;
    update(&stage);
    inspect(&stage, &runs, 1);
    update(&stage);
    assert_true(asks_nothing(&stage));
    end(&stage);
}

static void a_job_that_vanished_matters_only_without_its_worker(void **state)
{
    (void)state;
    struct stage stage = elastic(2, 1, 100);
    struct slurm_job other = single(2, SLURM_PENDING);
    submit(&stage, 1);
    join(&stage, 1, SLURM_UNSET, 1);
    submit(&stage, 2);
    find(&stage, &other, 1); /* says nothing of job 1 */
    assert_int_equal(stands(&stage).working, 1);
    leave(&stage);
    find(&stage, &other, 1);
    inspect(&stage, NULL, 0);
    assert_int_equal(stands(&stage).working + stands(&stage).running, 0);
    assert_null(stands(&stage).stopped);
    end(&stage);
}

static void a_requeued_job_waits_again(void **state)
{
    (void)state;
    struct stage stage = elastic(1, 1, 100);
    struct slurm_job waits = single(1, SLURM_PENDING);
    submit(&stage, 1);
    join(&stage, 1, SLURM_UNSET, 1);
    leave(&stage);
    find(&stage, &waits, 1);
    assert_int_equal(stands(&stage).waiting, 1);
    join(&stage, 1, SLURM_UNSET, 1);
    assert_int_equal(stands(&stage).working, 1);
    end(&stage);
}

static void a_question_without_an_answer_is_asked_again_later(void **state)
{
    (void)state;
    struct stage stage = elastic(1, 1, 100);
    submit(&stage, 1);
    await(&stage, ALLOCATOR_FIND);
    double before = stage.now;
    allocator_unanswered(stage.allocator, stage.now);
    await(&stage, ALLOCATOR_FIND);
    assert_true(fabs(stage.now - before - (10)) < 1e-6);
    end(&stage);
}

static void a_cancellation_without_an_answer_is_asked_again(void **state)
{
    (void)state;
    struct stage stage = elastic(1, 1, 100);
    submit(&stage, 1);
    allocator_end(stage.allocator, stage.now);
    await(&stage, ALLOCATOR_CANCEL);
    allocator_unanswered(stage.allocator, stage.now);
    await(&stage, ALLOCATOR_CANCEL);
    assert_string_equal(stage.order.which, "1");
    end(&stage);
}

static void jobs_of_before_a_restart_are_looked_at_at_once(void **state)
{
    (void)state;
    struct stage stage = elastic(3, 1, 100);
    struct slurm_job runs = single(4, SLURM_RUNNING);
    allocator_adopt(stage.allocator, stage.now, 4, 0);
    double before = stage.now;
    find(&stage, &runs, 1);
    assert_true(fabs(stage.now - (before)) < 1e-6);
    assert_int_equal(stands(&stage).running, 1);
    join(&stage, 4, SLURM_UNSET, 1);
    assert_int_equal(stands(&stage).working, 1);
    end(&stage);
}

/* --- any order of events --- */

enum { WORLD_JOBS = 400 };

/* A Slurm of single jobs that does what it likes. */
struct world {
    struct stage stage;
    struct rng rng;
    enum slurm_state jobs[WORLD_JOBS]; /* by id; SLURM_STATES: not submitted */
    bool joined[WORLD_JOBS];
    uint32_t submitted;
    bool over;
};

static bool lives(enum slurm_state state)
{
    return state == SLURM_PENDING || state == SLURM_RUNNING;
}

static void check_world(const struct world *world, uint32_t workers, uint32_t backlog)
{
    uint32_t living = 0, pending = 0;
    for (uint32_t id = 1; id <= world->submitted; id++) {
        living += lives(world->jobs[id]);
        pending += world->jobs[id] == SLURM_PENDING;
    }
    assert_true(living <= workers);
    assert_true(pending <= backlog);
}

static void answer(struct world *world)
{
    struct stage *stage = &world->stage;
    struct slurm_job jobs[WORLD_JOBS];
    uint32_t count = 0, id = stage->order.id;
    if (rng_below(&world->rng, 8) == 0 && stage->order.question != ALLOCATOR_SUBMIT) {
        allocator_unanswered(stage->allocator, stage->now);
        return;
    }
    switch (stage->order.question) {
    case ALLOCATOR_SUBMIT:
        assert_false(world->over);
        if (rng_below(&world->rng, 6) == 0) {
            allocator_refused(stage->allocator, stage->now, "no");
            break;
        }
        world->jobs[++world->submitted] = SLURM_PENDING;
        if (rng_below(&world->rng, 6) == 0)
            allocator_unsure(stage->allocator, stage->now, "lost");
        else
            allocator_submitted(stage->allocator, stage->now, world->submitted);
        break;
    case ALLOCATOR_CANCEL:
        if (lives(world->jobs[id]))
            world->jobs[id] = SLURM_CANCELLED;
        allocator_cancelled(stage->allocator, stage->now);
        break;
    case ALLOCATOR_FIND:
        for (uint32_t i = 1; i <= world->submitted; i++)
            if (lives(world->jobs[i]))
                jobs[count++] = single(i, world->jobs[i]);
        allocator_found(stage->allocator, stage->now, &(struct slurm_jobs){.items = jobs, .count = count});
        break;
    case ALLOCATOR_INSPECT:
        jobs[0] = single(id, world->jobs[id]);
        allocator_inspected(stage->allocator, stage->now, &(struct slurm_jobs){.items = jobs, .count = 1});
        break;
    }
}

/* Something happens to one job. */
static void disturb(struct world *world)
{
    uint32_t id = world->submitted ? 1 + (uint32_t)rng_below(&world->rng, world->submitted) : 0;
    enum slurm_state *state = &world->jobs[id];
    if (!id || !lives(*state))
        return;
    if (*state == SLURM_PENDING)
        *state = SLURM_RUNNING;
    else if (!world->joined[id] && rng_below(&world->rng, 3))
        world->joined[id] = true;
    else {
        world->joined[id] = false;
        *state = rng_below(&world->rng, 2) ? SLURM_COMPLETED : SLURM_NODE_FAILED;
    }
}

static void show_workers(struct world *world)
{
    struct stage *stage = &world->stage;
    stage->view.worker_count = 0;
    for (uint32_t id = 1; id <= world->submitted; id++)
        if (world->joined[id] && lives(world->jobs[id]))
            stage->workers[stage->view.worker_count++] =
                (struct allocator_worker){id, SLURM_UNSET, 1, true, rng_below(&world->rng, 2)};
    update(stage);
}

static void step(struct world *world)
{
    struct stage *stage = &world->stage;
    stage->now += rng_unit(&world->rng) * 20;
    disturb(world);
    show_workers(world);
    if (allocator_next(stage->allocator, stage->now, &stage->order))
        answer(world);
}

static void live_through(uint64_t seed)
{
    enum { WORKERS = 6, BACKLOG = 2 };
    struct world world = {.stage = elastic(WORKERS, BACKLOG, 20), .rng = rng_make(seed, "world", 0)};
    for (int i = 0; i < 600 && world.submitted < WORLD_JOBS - 1; i++) {
        step(&world);
        check_world(&world, WORKERS, BACKLOG);
    }
    world.over = true;
    allocator_end(world.stage.allocator, world.stage.now);
    for (int i = 0; i < 100; i++)
        step(&world);
    for (uint32_t id = 1; id <= world.submitted; id++)
        assert_true(!lives(world.jobs[id]) || world.joined[id]);
    end(&world.stage);
}

static void whatever_slurm_does_the_limits_hold_and_nothing_is_left(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 300; seed++)
        live_through(seed);
}

static void a_look_at_many_workers_costs_as_many_visits(void **state)
{
    (void)state;
    enum { MANY = 10000 };
    struct stage stage = array(MANY, ALLOCATOR_ANY);
    struct allocator_worker *workers = test_calloc(MANY, sizeof *workers);
    struct slurm_jobs jobs = {.items = test_calloc(MANY, sizeof *jobs.items), .count = MANY};
    allocator_adopt(stage.allocator, stage.now, 7, MANY);
    for (uint32_t i = 0; i < MANY; i++) {
        workers[i] = (struct allocator_worker){.job = 7, .element = MANY - 1 - i, .slots = 1, .busy = true};
        jobs.items[i] = (struct slurm_job){.id = 8 + i, .array = 7, .element = i, .state = SLURM_RUNNING};
    }
    stage.view.workers = workers;
    stage.view.worker_count = MANY;
    uint64_t before = allocator_visits(stage.allocator);
    allocator_update(stage.allocator, stage.now, &stage.view);
    assert_true(allocator_visits(stage.allocator) - before <= 2 * MANY);
    assert_int_equal(stands(&stage).working, MANY);
    before = allocator_visits(stage.allocator);
    allocator_found(stage.allocator, stage.now, &jobs);
    stage.order.id = 7;
    allocator_inspected(stage.allocator, stage.now, &jobs);
    assert_true(allocator_visits(stage.allocator) - before <= 4 * MANY);
    test_free(jobs.items);
    test_free(workers);
    end(&stage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_queue_holds_no_more_than_the_backlog),
        cmocka_unit_test(there_are_never_more_jobs_than_workers),
        cmocka_unit_test(nothing_is_submitted_while_the_slots_do_for_all_trials),
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
        cmocka_unit_test(failed_submissions_wait_longer_each_time_and_the_fifth_ends_it),
        cmocka_unit_test(a_submission_that_works_forgives_those_that_failed),
        cmocka_unit_test(workers_that_are_there_go_on_when_no_more_are_had),
        cmocka_unit_test(a_submission_without_an_answer_is_looked_for_before_the_next),
        cmocka_unit_test(a_submission_without_an_answer_that_is_not_there_has_failed),
        cmocka_unit_test(an_array_whose_answer_was_lost_is_taken_on_whole),
        cmocka_unit_test(what_was_submitted_in_doubt_is_taken_back_at_the_end),
        cmocka_unit_test(three_jobs_without_a_worker_end_it),
        cmocka_unit_test(a_worker_that_joins_forgives_the_jobs_before),
        cmocka_unit_test(workers_that_never_have_a_trial_end_it),
        cmocka_unit_test(preemption_and_failed_nodes_are_nobodys_fault),
        cmocka_unit_test(jobs_that_vanish_three_times_end_it),
        cmocka_unit_test(elements_of_an_array_that_die_at_once_end_it),
        cmocka_unit_test(a_job_that_runs_long_without_a_worker_is_given_up),
        cmocka_unit_test(nothing_is_asked_while_every_job_has_its_worker),
        cmocka_unit_test(the_queue_is_looked_at_every_ten_seconds_and_less_often_with_time),
        cmocka_unit_test(of_a_job_whose_end_is_not_known_slurm_is_asked_once),
        cmocka_unit_test(a_job_that_vanished_matters_only_without_its_worker),
        cmocka_unit_test(a_requeued_job_waits_again),
        cmocka_unit_test(a_question_without_an_answer_is_asked_again_later),
        cmocka_unit_test(a_cancellation_without_an_answer_is_asked_again),
        cmocka_unit_test(jobs_of_before_a_restart_are_looked_at_at_once),
        cmocka_unit_test(whatever_slurm_does_the_limits_hold_and_nothing_is_left),
        cmocka_unit_test(a_look_at_many_workers_costs_as_many_visits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
