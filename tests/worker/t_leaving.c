/* Leaving: a worker that is drained or told to end, and runs that are stopped to go on later: their checkpoints, the
 * time that they have, and what their results say. */
#include "common/clock.h"
#include "common/mem.h"
#include "common/node.h"
#include "tests/worker_scripts.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#define SAVES   "echo saved > $GANNET_CHECKPOINT_OUT"
#define GOES_ON "echo value=1 step=1; echo > ready; while :; do sleep 0.02; done"

/* Starts the harness with a script for /bin/sh that can save checkpoints. */
static void start(struct harness *harness, const char *signal, const char *script)
{
    harness->task.checkpoint = true;
    harness->task.signal = signal;
    scripts_start(harness, script);
}

static const struct msg_result *stop_worker(struct harness *harness, enum ending ending, double seconds)
{
    struct msg msg = {.kind = MSG_STOP_RUN,
                      .stop_run = {.trial = 1, .attempt = 1, .ending = ending, .seconds = seconds}};
    harness_wait_file(harness, "ready");
    harness_send(harness, &msg);
    return harness_result(harness, 1);
}

static void its_own_signal_asks_a_program_to_save(void **state)
{
    struct harness *harness = *state;
    start(harness, "USR1", "trap '" SAVES "; exit 75' USR1; " GOES_ON);
    harness_lease(harness, 1, 1, "{}");
    assert_int_equal(stop_worker(harness, ENDING_WALLTIME, 0)->ending, ENDING_WALLTIME);
    harness_wait_file(harness, "trials/000001/checkpoint");
}

static void without_one_sigterm_does(void **state)
{
    struct harness *harness = *state;
    start(harness, NULL, "trap '" SAVES "; exit 0' TERM; " GOES_ON);
    harness_lease(harness, 1, 1, "{}");
    assert_int_equal(stop_worker(harness, ENDING_PREEMPTED, 0)->ending, ENDING_PREEMPTED);
    harness_wait_file(harness, "trials/000001/checkpoint");
}

static void a_program_that_does_not_end_gets_sigterm_after_its_signal(void **state)
{
    struct harness *harness = *state;
    harness->task.grace = 6; /* of which SIGTERM leaves it a quarter: enough to write a file on a busy machine */
    start(harness, "USR2", "trap 'echo > asked' USR2; trap 'echo > termed; exit 1' TERM; " GOES_ON);
    harness_lease(harness, 1, 1, "{}");
    assert_int_equal(stop_worker(harness, ENDING_WALLTIME, 0)->ending, ENDING_WALLTIME);
    harness_wait_file(harness, "asked");
    harness_wait_file(harness, "termed");
}

static void the_time_that_is_left_is_shorter_than_the_grace(void **state)
{
    struct harness *harness = *state;
    harness->task.grace = 3600;
    start(harness, "USR1", "trap '' USR1 TERM; " GOES_ON);
    harness_lease(harness, 1, 1, "{}");
    assert_int_equal(stop_worker(harness, ENDING_WALLTIME, 0.2)->ending, ENDING_WALLTIME);
}

static void early_stopping_sends_sigterm_at_once(void **state)
{
    struct harness *harness = *state;
    start(harness, "USR1", "trap 'echo > asked' USR1; trap 'exit 0' TERM; " GOES_ON);
    harness_lease(harness, 1, 1, "{}");
    struct buf text = {0};
    assert_int_equal(stop_worker(harness, ENDING_STOPPED_EARLY, 0)->ending, ENDING_STOPPED_EARLY);
    assert_string_equal(harness_file(harness, "asked", &text), "");
    buf_fini(&text);
}

static void status_75_and_a_checkpoint_ask_to_go_on_later(void **state)
{
    struct harness *harness = *state;
    start(harness, NULL, "echo value=1 step=1; " SAVES "; exit 75");
    harness_lease(harness, 1, 1, "{}");
    const struct msg_result *result = harness_result(harness, 1);
    assert_int_equal(result->ending, ENDING_REQUEUED);
    assert_string_equal(result->detail, "");
}

static void status_75_without_a_new_checkpoint_is_a_failure(void **state)
{
    struct harness *harness = *state;
    start(harness, NULL, "[ $GANNET_ATTEMPT = 1 ] && " SAVES "; exit 75");
    harness_lease(harness, 1, 1, "{}");
    assert_int_equal(harness_result(harness, 1)->ending, ENDING_REQUEUED);
    harness_lease(harness, 1, 2, "{}");
    const struct msg_result *result = harness_result(harness, 1);
    assert_int_equal(result->ending, ENDING_EXITED);
    assert_has(result->detail, "if it had saved a checkpoint");
}

static void a_program_knows_when_the_time_is_up(void **state)
{
    struct harness *harness = *state;
    struct buf text = {0};
    harness->deadline = 1234567890;
    start(harness, NULL, "echo value=1; echo $GANNET_DEADLINE > deadline");
    harness_lease(harness, 1, 1, "{}");
    assert_int_equal(harness_result(harness, 1)->ending, ENDING_COMPLETED);
    assert_string_equal(harness_file(harness, "deadline", &text), "1234567890\n");
    buf_fini(&text);
}

/* The worker belongs to a job while a test runs. */
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

static void a_worker_says_which_job_and_node_it_belongs_to(void **state)
{
    struct harness *harness = *state;
    harness_open_listener(harness);
    harness_start_worker(harness);
    const struct msg *hello = harness_wait(harness, MSG_HELLO);
    assert_int_equal(hello->hello.job, 4711);
    assert_int_equal(hello->hello.element, NODE_NO_ELEMENT);
    assert_string_equal(hello->hello.node, "n3");
}

static void the_signal_of_a_job_lets_programs_save_and_preempts_them(void **state)
{
    struct harness *harness = *state;
    start(harness, "USR1", "trap '" SAVES "; exit 75' USR1; " GOES_ON);
    harness_lease(harness, 1, 1, "{}");
    harness_wait_file(harness, "ready");
    agent_leave(harness->worker, SIGTERM);
    assert_int_equal(harness_result(harness, 1)->ending, ENDING_PREEMPTED);
    harness_wait_file(harness, "trials/000001/checkpoint");
    assert_has(harness_wait(harness, MSG_GOODBYE)->goodbye.why, "SIGTERM");
    assert_int_equal(harness_wait_end(harness), 128 + SIGTERM);
}

static void leave_now(void *context)
{
    agent_leave(((struct harness *)context)->worker, SIGTERM);
}

/* In the turn after the one in which the end of a child is seen. */
static void leave_next(void *context)
{
    loop_timer(((struct harness *)context)->loop, 0, leave_now, context);
}

/* The worker's loop goes on while it waits for the signal that its program has had already. */
static void a_program_that_the_jobs_signal_meets_first_was_preempted(void **state)
{
    struct harness *harness = *state;
    harness->task.command = "[\"/bin/sh\",\"-c\",\"kill -TERM $$\"]";
    harness_start(harness);
    loop_signal(harness->loop, SIGCHLD, leave_next, harness);
    harness_lease(harness, 1, 1, "{}");
    const struct msg_result *result = harness_result(harness, 1);
    assert_int_equal(result->ending, ENDING_PREEMPTED);
    assert_string_equal(result->detail, "Slurm has ended the job");
    assert_int_equal(harness_wait_end(harness), 128 + SIGTERM);
}

static void a_program_that_ends_by_sigterm_alone_was_not_preempted(void **state)
{
    struct harness *harness = *state;
    harness->task.command = "[\"/bin/sh\",\"-c\",\"kill -TERM $$\"]";
    harness_start(harness);
    harness_lease(harness, 1, 1, "{}");
    assert_int_equal(harness_result(harness, 1)->ending, ENDING_CRASHED);
}

/* The coordinator comes back with other resources, in the turn after the one in which the end of the first child is
 * seen. */
static void halve_slots(void *context)
{
    struct harness *harness = context;
    harness->task.cpus = 1;
    harness_welcome(harness);
}

static void halve_slots_once(void *context)
{
    struct harness *harness = context;
    if (harness->task.cpus == 2)
        loop_timer(harness->loop, 0, halve_slots, harness);
}

/* Starts a program that the job's signal may have met, in a slot that is retired before that is known. */
static void retire_waiting_slot(struct harness *harness)
{
    harness->task.cpus = 2;
    harness->task.command = "[\"/bin/sh\",\"-c\",\"[ $GANNET_TRIAL = 2 ] || kill -TERM $$; echo value=1\"]";
    harness_start(harness);
    loop_signal(harness->loop, SIGCHLD, halve_slots_once, harness);
    harness_lease_slot(harness, 1, 1, "{}");
    const struct msg_offer *offer = &harness_wait(harness, MSG_OFFER)->offer;
    assert_int_equal(offer->slots_count, 4);
    assert_int_equal(offer->held_count, 1);
    assert_int_equal(offer->held[0].slot, 2); /* the first with cores of the one that was retired */
    assert_false(offer->held[0].ended);
    harness_lease_slot(harness, 2, 2, "{}"); /* has to wait for it */
}

static void a_retired_slot_waits_for_the_jobs_signal_too(void **state)
{
    struct harness *harness = *state;
    retire_waiting_slot(harness);
    const struct msg_result *result = harness_result(harness, 1);
    assert_int_equal(result->ending, ENDING_CRASHED);
    assert_int_equal(result->slot, 2);
    assert_int_equal(harness_result(harness, 2)->ending, ENDING_COMPLETED);
}

static void the_jobs_signal_reaches_a_retired_slot(void **state)
{
    struct harness *harness = *state;
    retire_waiting_slot(harness);
    agent_leave(harness->worker, SIGTERM);
    assert_int_equal(harness_result(harness, 1)->ending, ENDING_PREEMPTED);
    assert_int_equal(harness_wait_end(harness), 128 + SIGTERM);
}

static void stop_second(void *context)
{
    harness_stop_run(context, 2, ENDING_STOPPED_EARLY);
}

/* The first program ends by itself, and its slot waits for the job's signal; the second one is stopped after that. */
static void a_program_that_was_told_to_end_needs_no_signal_of_the_job(void **state)
{
    struct harness *harness = *state;
    harness->task.cpus = 2;
    harness->task.command = "[\"/bin/sh\",\"-c\",\"echo > began$GANNET_TRIAL; [ $GANNET_TRIAL = 1 ] || exec sleep 100; "
                            "while [ ! -e go ]; do sleep 0.01; done; kill -TERM $$\"]";
    harness_start(harness);
    harness_lease_slot(harness, 1, 0, "{}");
    harness_lease_slot(harness, 2, 1, "{}");
    harness_wait_file(harness, "began1");
    harness_wait_file(harness, "began2");
    loop_signal(harness->loop, SIGCHLD, stop_second, harness);
    char *go = mem_format("%s/go", harness->scratch);
    fclose(fopen(go, "w"));
    free(go);
    const struct msg_result *first = &harness_wait(harness, MSG_RESULTS)->results.results[0];
    assert_int_equal(first->trial, 2);
    assert_int_equal(first->ending, ENDING_STOPPED_EARLY);
    assert_int_equal(harness_result(harness, 1)->ending, ENDING_CRASHED);
}

static void near_the_deadline_it_was_the_walltime(void **state)
{
    struct harness *harness = *state;
    harness->deadline = clock_wall() + 30;
    start(harness, NULL, "trap 'exit 0' TERM; " GOES_ON);
    harness_lease(harness, 1, 1, "{}");
    harness_wait_file(harness, "ready");
    agent_leave(harness->worker, SIGTERM);
    assert_int_equal(harness_result(harness, 1)->ending, ENDING_WALLTIME);
    assert_int_equal(harness_wait_end(harness), 128 + SIGTERM);
}

/* However the worker learned of it. */
static void assert_walltime_of_first_signal(struct harness *harness)
{
    loop_signal(harness->loop, SIGCHLD, leave_next, harness);
    char *go = mem_format("%s/go", harness->scratch);
    fclose(fopen(go, "w"));
    free(go);
    const struct msg_result *result = harness_result(harness, 1);
    assert_int_equal(result->ending, ENDING_WALLTIME);
    assert_string_equal(result->detail, "Slurm has ended the job");
    assert_int_equal(harness_wait_end(harness), 128 + SIGTERM);
}

static const char *const ends_by_sigterm =
    "[\"/bin/sh\",\"-c\",\"echo > began$GANNET_TRIAL; [ $GANNET_TRIAL = 1 ] || exec sleep 100; "
    "while [ ! -e go ]; do sleep 0.01; done; kill -TERM $$\"]";

static void so_it_was_for_a_program_that_the_jobs_signal_meets_first(void **state)
{
    struct harness *harness = *state;
    harness->deadline = clock_wall() + 30;
    harness->task.command = ends_by_sigterm;
    harness_start(harness);
    harness_lease(harness, 1, 1, "{}");
    harness_wait_file(harness, "began1");
    assert_walltime_of_first_signal(harness);
}

static void so_it_was_when_the_coordinator_has_stopped_another_run_for_it(void **state)
{
    struct harness *harness = *state;
    harness->task.cpus = 2;
    harness->task.command = ends_by_sigterm;
    harness_start(harness);
    harness_lease_slot(harness, 1, 0, "{}");
    harness_lease_slot(harness, 2, 1, "{}");
    harness_wait_file(harness, "began1");
    harness_wait_file(harness, "began2");
    harness_stop_run(harness, 2, ENDING_WALLTIME);
    assert_int_equal(harness_result(harness, 2)->ending, ENDING_WALLTIME);
    assert_walltime_of_first_signal(harness);
}

/* --- the worker leaves --- */

static void a_drained_worker_finishes_what_runs_and_goes(void **state)
{
    struct harness *harness = *state;
    harness_start(harness);
    harness_lease(harness, 1, 1, "{\"do\":\"wait\"}");
    harness_lease(harness, 2, 1, "{}");
    harness_wait(harness, MSG_SAMPLES);
    harness_drain(harness, false);
    harness_settle(harness);
    assert_false(harness->ended);
    harness_lease(harness, 3, 1, "{}");
    harness_stop_run(harness, 1, ENDING_STOPPED_EARLY);
    harness_wait(harness, MSG_GOODBYE);
    assert_int_equal(harness_wait_end(harness), 0);
    uint32_t returned = 0;
    for (size_t i = 0; i < harness->inbox_count; i++)
        if (harness->inbox[i]->kind == MSG_RETURNED)
            returned += harness->inbox[i]->returned.runs_count;
    assert_int_equal(returned, 2);
}

static void a_worker_that_is_drained_now_cancels_what_runs(void **state)
{
    struct harness *harness = *state;
    harness_start(harness);
    harness_lease(harness, 1, 1, "{\"do\":\"wait\"}");
    harness_wait(harness, MSG_SAMPLES);
    harness_drain(harness, true);
    harness_drain(harness, true);
    assert_int_equal(harness_result(harness, 1)->ending, ENDING_CANCELLED);
    assert_int_equal(harness_wait_end(harness), 0);
}

static void a_drained_worker_waits_for_its_acknowledgements(void **state)
{
    struct harness *harness = *state;
    harness->keep_acks = true;
    harness_start(harness);
    harness_lease(harness, 1, 1, "{}");
    harness_result(harness, 1);
    harness_drain(harness, false);
    harness_settle(harness);
    assert_false(harness->ended);
    harness_ack(harness, 1, 1, 2, true);
    assert_int_equal(harness_wait_end(harness), 0);
}

static void a_signal_ends_what_runs_as_lost_and_says_goodbye(void **state)
{
    struct harness *harness = *state;
    harness->task.cpus = 2;
    harness_start(harness);
    harness_lease(harness, 1, 1, "{}");
    pid_t trainer = (pid_t)harness_value(harness_result(harness, 1), "pid");
    harness_lease(harness, 2, 1, "{\"do\":\"hang\"}");
    harness_lease(harness, 3, 1, "{}");
    harness_settle(harness);
    agent_leave(harness->worker, SIGTERM);
    const struct msg_result *result = harness_result(harness, 2);
    assert_int_equal(result->ending, ENDING_LOST);
    assert_has(result->detail, "SIGTERM");
    harness_wait(harness, MSG_GOODBYE);
    assert_int_equal(harness_wait_end(harness), 128 + SIGTERM);
    assert_false(harness_lives(trainer));
}

static void a_worker_without_work_leaves_after_its_idle_time(void **state)
{
    struct harness *harness = *state;
    harness->setup.idle_exit = 0.3;
    harness_start(harness);
    harness_lease(harness, 1, 1, "{}");
    harness_result(harness, 1);
    const struct msg *goodbye = harness_wait(harness, MSG_GOODBYE);
    assert_has(goodbye->goodbye.why, "it had no work for 300ms");
    assert_int_equal(harness_wait_end(harness), 0);
}

static void a_signal_without_a_coordinator_ends_the_worker_all_the_same(void **state)
{
    struct harness *harness = *state;
    harness->keep_acks = true;
    harness_start(harness);
    harness_lease(harness, 1, 1, "{}");
    harness_result(harness, 1);
    harness_close_listener(harness);
    agent_leave(harness->worker, SIGINT);
    agent_leave(harness->worker, SIGINT);
    assert_int_equal(harness_wait_end(harness), 128 + SIGINT);
}

#define in_job(test) cmocka_unit_test_setup_teardown(test, enter_job, leave_job)

static int tests(void)
{
    const struct CMUnitTest all[] = {
        HARNESS_CLAIM(a_drained_worker_finishes_what_runs_and_goes),
        HARNESS_CLAIM(a_worker_that_is_drained_now_cancels_what_runs),
        HARNESS_CLAIM(a_drained_worker_waits_for_its_acknowledgements),
        HARNESS_CLAIM(a_signal_ends_what_runs_as_lost_and_says_goodbye),
        HARNESS_CLAIM(a_worker_without_work_leaves_after_its_idle_time),
        HARNESS_CLAIM(a_signal_without_a_coordinator_ends_the_worker_all_the_same),
        HARNESS_CLAIM(its_own_signal_asks_a_program_to_save),
        HARNESS_CLAIM(without_one_sigterm_does),
        HARNESS_CLAIM(a_program_that_does_not_end_gets_sigterm_after_its_signal),
        HARNESS_CLAIM(the_time_that_is_left_is_shorter_than_the_grace),
        HARNESS_CLAIM(early_stopping_sends_sigterm_at_once),
        HARNESS_CLAIM(status_75_and_a_checkpoint_ask_to_go_on_later),
        HARNESS_CLAIM(status_75_without_a_new_checkpoint_is_a_failure),
        HARNESS_CLAIM(a_program_knows_when_the_time_is_up),
        in_job(a_worker_says_which_job_and_node_it_belongs_to),
        in_job(the_signal_of_a_job_lets_programs_save_and_preempts_them),
        in_job(a_program_that_the_jobs_signal_meets_first_was_preempted),
        in_job(a_program_that_ends_by_sigterm_alone_was_not_preempted),
        in_job(a_retired_slot_waits_for_the_jobs_signal_too),
        in_job(the_jobs_signal_reaches_a_retired_slot),
        in_job(a_program_that_was_told_to_end_needs_no_signal_of_the_job),
        in_job(near_the_deadline_it_was_the_walltime),
        in_job(so_it_was_for_a_program_that_the_jobs_signal_meets_first),
        in_job(so_it_was_when_the_coordinator_has_stopped_another_run_for_it),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}

int main(int count, char **words)
{
    return harness_main(count, words, tests);
}
