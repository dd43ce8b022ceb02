/* A worker that did not run for a while, since it was stopped or its node had no processor for it. What has happened
 * meanwhile counts as it was, before anything that has become due. A test that sleeps is such a worker: the loop of
 * both does not run. */
#include "common/clock.h"
#include "common/mem.h"
#include "common/phases.h"
#include "tests/until.h"
#include "tests/worker_scripts.h"
#include "worker/program/ranks.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void do_not_run(double seconds)
{
    usleep((useconds_t)(seconds * 1e6));
}

/* --- runs that have ended --- */

static void a_program_that_ended_in_time_has_not_timed_out(void **state)
{
    struct harness *harness = *state;
    harness->task.trial_time = 1.5;
    scripts_start(harness, "echo value=1; exec sleep 0.3");
    harness_lease(harness, 1, 1, "{}");
    harness_wait(harness, MSG_SAMPLES);
    do_not_run(2);
    harness_assert_ending(harness_result(harness, 1), ENDING_COMPLETED);
}

/* Its trainer is ended when it does not answer within the grace. */
static void what_a_trainer_answered_in_time_counts(void **state)
{
    struct harness *harness = *state;
    harness->task.grace = 1;
    harness_start(harness);
    harness_lease(harness, 1, 1, "{}");
    pid_t trainer = (pid_t)harness_value(harness_result(harness, 1), "pid");
    harness_lease(harness, 2, 1, "{\"do\":\"wait\"}");
    harness_wait(harness, MSG_SAMPLES);
    kill(trainer, SIGSTOP);
    harness_stop_run(harness, 2, ENDING_STOPPED_EARLY);
    harness_settle(harness);
    kill(trainer, SIGCONT);
    do_not_run(1.2);
    const struct msg_result *result = harness_result(harness, 2);
    harness_assert_ending(result, ENDING_STOPPED_EARLY);
    bool has_told = false;
    for (uint32_t i = 0; i < result->phases_count; i++)
        has_told |= result->phases[i].phase == PHASE_FORWARD;
    assert_true(has_told);
    assert_true(harness_lives(trainer));
}

static void stop_late(void *context)
{
    (void)context;
    do_not_run(1.5);
    kill(getpid(), SIGTERM);
}

static void note_child(void *context)
{
    struct harness *harness = context;
    loop_timer(harness->loop, 0, stop_late, harness);
}

static void leave_now(void *context)
{
    agent_leave(((struct harness *)context)->worker, SIGTERM);
}

static int enter_job(void **state)
{
    setenv("SLURM_JOB_ID", "4711", 1);
    setenv("SLURMD_NODENAME", "n3", 1);
    return enter_harness(state);
}

static int leave_job(void **state)
{
    unsetenv("SLURM_JOB_ID");
    unsetenv("SLURMD_NODENAME");
    return leave_harness(state);
}

/* The job's signal has met the program first, and then the worker, which could not look. */
static void the_jobs_signal_that_waits_is_heard_before_patience_ends(void **state)
{
    struct harness *harness = *state;
    harness->task.command = "[\"/bin/sh\",\"-c\",\"kill -TERM $$\"]";
    harness_start(harness);
    loop_signal(harness->loop, SIGTERM, leave_now, harness);
    loop_signal(harness->loop, SIGCHLD, note_child, harness);
    harness_lease(harness, 1, 1, "{}");
    assert_int_equal(harness_result(harness, 1)->ending, ENDING_PREEMPTED);
    assert_int_equal(harness_wait_end(harness), 128 + SIGTERM);
}

static void go_for_walltime(void *context)
{
    harness_stop_run(context, 1, ENDING_WALLTIME);
}

/* A job's end that comes while the output is still read makes no other attempt of it. */
static void a_program_whose_output_is_still_read_has_ended(void **state)
{
    struct harness *harness = *state;
    scripts_start(harness, "head -c 60000000 /dev/zero | tr '\\\\0' '\\\\n'; echo value=1");
    loop_signal(harness->loop, SIGCHLD, go_for_walltime, harness);
    harness_lease(harness, 1, 1, "{}");
    harness_assert_ending(harness_result(harness, 1), ENDING_COMPLETED);
}

static void leave_late(void)
{
    do_not_run(0.6);
    kill(getpid(), SIGTERM);
}

/* Signals that wait are read by their numbers, so that of its end, SIGCHLD, comes behind SIGTERM. */
static void a_program_that_ended_before_the_worker_was_told_to_leave_is_not_lost(void **state)
{
    struct harness *harness = *state;
    scripts_start(harness, "echo value=1; exec sleep 0.3");
    loop_signal(harness->loop, SIGTERM, leave_now, harness);
    harness_lease(harness, 1, 1, "{}");
    harness_wait(harness, MSG_SAMPLES);
    leave_late();
    harness_assert_ending(harness_result(harness, 1), ENDING_COMPLETED);
    assert_int_equal(harness_wait_end(harness), 128 + SIGTERM);
}

static void a_kernel_that_ended_before_the_worker_was_told_to_leave_is_not_lost(void **state)
{
    struct harness *harness = *state;
    harness_start(harness);
    loop_signal(harness->loop, SIGTERM, leave_now, harness);
    harness_lease(harness, 1, 1, "{\"do\":\"sleep\",\"number\":600}");
    harness_settle(harness);
    leave_late();
    harness_assert_ending(harness_result(harness, 1), ENDING_COMPLETED);
    assert_int_equal(harness_wait_end(harness), 128 + SIGTERM);
}

/* --- processes of one program --- */

struct gang_of_two {
    struct ranks *ranks;
    uint32_t stayed;
    bool has_ended;
};

static double never(void *context, uint32_t which)
{
    (void)context, (void)which;
    return 0;
}

static void on_end(void *context, const struct ranks_end *end)
{
    struct gang_of_two *gang = context;
    gang->stayed = (uint32_t)end->stayed->count;
    gang->has_ended = true;
}

static bool is_over(void *context)
{
    return ((struct gang_of_two *)context)->has_ended;
}

static void add_rank(struct gang_of_two *gang, const char *seconds)
{
    const char *argv[] = {"sleep", seconds, NULL};
    struct proc_setup setup = {.argv = argv, .fd0 = -1, .fd1 = -1, .fd2 = -1, .fd3 = -1};
    struct err err;
    assert_int_equal(ranks_add(gang->ranks, &setup, &err), 0);
}

static void be_away(void *context)
{
    (void)context;
    do_not_run(2);
}

static void a_rank_that_ended_within_the_grace_has_not_stayed(void **state)
{
    (void)state;
    struct loop *loop = loop_create();
    struct gang_of_two gang = {0};
    struct ranks_setup setup = {.leads = true, .grace = 2, .spoke = never, .ended = on_end, .context = &gang};
    gang.ranks = ranks_create(loop, &setup);
    add_rank(&gang, "0");
    add_rank(&gang, "0.8");
    loop_timer(loop, 0.5, be_away, NULL);
    until(loop, is_over, &gang);
    assert_int_equal(gang.stayed, 0);
    ranks_destroy(gang.ranks);
    loop_destroy(loop);
}

/* --- the coordinator --- */

static void time_in_which_the_worker_did_not_run_is_no_silence_of_its_coordinator(void **state)
{
    struct harness *harness = *state;
    harness->setup.give_up = 1;
    harness_start(harness);
    harness_settle(harness);
    do_not_run(2.5);
    harness_lease(harness, 1, 1, "{}");
    harness_assert_ending(harness_result(harness, 1), ENDING_COMPLETED);
    assert_false(harness->ended);
}

/* Leases that come one by one must not put off what is to be done again and again. */
static void a_worker_that_gets_run_after_run_has_its_heartbeats(void **state)
{
    struct harness *harness = *state;
    size_t beats = 0;
    harness_start(harness);
    for (uint64_t trial = 1; trial <= 30; trial++) {
        harness_lease(harness, trial, 1, "{\"do\":\"sleep\",\"number\":40}");
        harness_result(harness, trial);
    }
    for (size_t i = 0; i < harness->inbox_count; i++)
        beats += harness->inbox[i]->kind == MSG_HEARTBEAT;
    assert_in_range(beats, 5, 100);
}

#define in_job(test) cmocka_unit_test_setup_teardown(test, enter_job, leave_job)

static int tests(void)
{
    const struct CMUnitTest all[] = {
        HARNESS_CLAIM(a_program_that_ended_in_time_has_not_timed_out),
        HARNESS_CLAIM(what_a_trainer_answered_in_time_counts),
        in_job(the_jobs_signal_that_waits_is_heard_before_patience_ends),
        HARNESS_CLAIM(a_program_whose_output_is_still_read_has_ended),
        HARNESS_CLAIM(a_program_that_ended_before_the_worker_was_told_to_leave_is_not_lost),
        HARNESS_CLAIM(a_kernel_that_ended_before_the_worker_was_told_to_leave_is_not_lost),
        cmocka_unit_test(a_rank_that_ended_within_the_grace_has_not_stayed),
        HARNESS_CLAIM(time_in_which_the_worker_did_not_run_is_no_silence_of_its_coordinator),
        HARNESS_CLAIM(a_worker_that_gets_run_after_run_has_its_heartbeats),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}

int main(int count, char **words)
{
    return harness_main(count, words, tests);
}
