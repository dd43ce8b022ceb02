/* Runs whose programs died of SIGTERM inside a job: the loop does not wait to see why, their results do. */
#include "tests/claims.h"
#include "worker/agent/parts.h"

#include <signal.h>
#include <stdlib.h>

static int enter_worker(void **state)
{
    struct worker *worker = calloc(1, sizeof *worker);
    worker->loop = loop_create();
    worker->job.job = 4711;
    worker->living = 1;
    list_init(&worker->fresh);
    list_init(&worker->held);
    *state = worker;
    return 0;
}

static int leave_worker(void **state)
{
    struct worker *worker = *state;
    jobend_stop(worker);
    loop_destroy(worker->loop);
    free(worker);
    return 0;
}

static void only_sigterm_in_a_job_is_doubtful(void **state)
{
    struct worker *worker = *state;
    assert_true(jobend_is_likely(worker, &(struct proc_exit){.by_signal = true, .number = SIGTERM}));
    assert_true(jobend_is_likely(worker, &(struct proc_exit){.number = 128 + SIGTERM}));
    assert_false(jobend_is_likely(worker, &(struct proc_exit){.by_signal = true, .number = SIGKILL}));
    assert_false(jobend_is_likely(worker, &(struct proc_exit){.number = SIGTERM}));
    worker->job.job = 0;
    assert_false(jobend_is_likely(worker, &(struct proc_exit){.by_signal = true, .number = SIGTERM}));
}

static void when_our_signal_comes_the_job_has_ended_the_run(void **state)
{
    struct worker *worker = *state;
    struct run run = {.trial = 1, .state = RUN_ENDED, .ending = ENDING_CRASHED, .detail = ""};
    jobend_hold(worker, &run);
    assert_true(list_is_empty(&worker->fresh));
    jobend_settle(worker);
    assert_ptr_equal(list_first(&worker->fresh), &run.link);
    assert_int_equal(run.ending, ENDING_PREEMPTED);
    assert_string_equal(run.detail, JOBEND_SENTENCE);
    assert_null(worker->release);
}

static void stop_when_reported(void *context)
{
    struct worker *worker = context;
    if (!list_is_empty(&worker->fresh))
        loop_stop(worker->loop);
}

static void when_none_comes_it_is_reported_as_it_ended(void **state)
{
    struct worker *worker = *state;
    struct run run = {.trial = 1, .state = RUN_ENDED, .ending = ENDING_CRASHED, .detail = "ended by SIGTERM"};
    jobend_hold(worker, &run);
    loop_turn(worker->loop, stop_when_reported, worker);
    assert_int_equal(loop_run(worker->loop, NULL), 0);
    assert_int_equal(run.ending, ENDING_CRASHED);
    assert_string_equal(run.detail, "ended by SIGTERM");
    assert_int_equal(worker->living, 0);
}

int main(void)
{
#define CLAIM(name) cmocka_unit_test_setup_teardown(name, enter_worker, leave_worker)
    const struct CMUnitTest tests[] = {
        CLAIM(only_sigterm_in_a_job_is_doubtful),
        CLAIM(when_our_signal_comes_the_job_has_ended_the_run),
        CLAIM(when_none_comes_it_is_reported_as_it_ended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
