/* Nodes under suspicion (scheduler/core/node_fault.c) get no trial of those either that have queues of their own: those
 * that need more memory than a slot has (large.c), and those that are to run alone (suspect.c). */
#include "tests/core_fixture.h"

#include <math.h>

static const char missing[] = "the data file /scratch/digits.csv is not there";

/* What the worker was leased since it had so many leases. */
static struct msg_lease lease_after(const struct fixture *b, uint64_t worker, size_t before)
{
    struct msg_lease lease;
    assert_int_equal(fixture_count_leases(b, worker, &lease), before + 1);
    return lease;
}

static void end_run(struct fixture *b, uint64_t worker, struct msg_lease lease, enum ending ending, const char *detail)
{
    struct msg_result result = fixture_done(lease.trial, lease.attempt, ending, ending == ENDING_COMPLETED ? 1 : NAN);
    result.detail = detail;
    fixture_report(b, worker, result);
}

/* Some time, in which the workers are heard. */
static void pass_time(struct fixture *b, int seconds)
{
    for (; seconds > 0; seconds--) {
        for (uint64_t worker = 1; worker <= 4; worker++)
            fixture_say(b, worker, &(struct msg){.kind = MSG_RETURNED}); /* nothing */
        fixture_wait(b, 1);
    }
}

/* --- more memory --- */

/* One trial, which needs the memory of two slots; the workers on nodes a and b have two, and so many. The worker that
 * has it then. */
static uint64_t start_large(struct fixture *b, uint32_t slots_on_b, struct msg_lease *large)
{
    struct msg_lease lease;
    b->config.memory = (uint64_t)1 << 30;
    b->config.more_memory = (struct growth){.factor = 2};
    b->config.max_trials = b->config.retries = 1;
    fixture_start(b);
    fixture_join_on(b, "a", 1, 2, NULL, 0);
    fixture_join_on(b, "b", 2, slots_on_b, NULL, 0);
    size_t here = fixture_count_leases(b, 1, &lease);
    end_run(b, 1, lease_after(b, 1, 0), ENDING_OUT_OF_MEMORY, "");
    fixture_wait(b, 1);
    uint64_t worker = fixture_count_leases(b, 1, &lease) > here ? 1 : 2;
    *large = lease_after(b, worker, worker == 1 ? here : 0);
    return worker;
}

static void one_that_needs_much_memory_goes_to_another_node_as_well(void **state)
{
    struct fixture *b = *state;
    struct msg_lease lease;
    uint64_t bad = start_large(b, 2, &lease), good = 3 - bad;
    size_t before = fixture_count_leases(b, good, &(struct msg_lease){0});
    end_run(b, bad, lease, ENDING_EXITED, missing);
    fixture_wait(b, 1);
    end_run(b, good, lease_after(b, good, before), ENDING_COMPLETED, "");
    assert_int_equal(fixture_figures(b).trials[TRIAL_COMPLETED], 1);
}

static void where_no_other_node_has_that_memory_nothing_is_tried_elsewhere(void **state)
{
    struct fixture *b = *state;
    struct msg_lease lease;
    assert_int_equal(start_large(b, 1, &lease), 1);
    end_run(b, 1, lease, ENDING_EXITED, missing);
    assert_int_equal(fixture_figures(b).trials[TRIAL_FAILED], 1);
}

/* --- alone --- */

static void lose_worker(struct fixture *b, uint64_t worker)
{
    pass_time(b, 20);
    core_worker_dead(b->core, b->now, worker, ENDING_LOST, "killed");
    fixture_drive(b);
}

static void one_that_is_to_run_alone_does_not_go_to_a_node_under_suspicion(void **state)
{
    struct fixture *b = *state;
    b->config.max_trials = 20;
    fixture_start(b);
    for (uint64_t worker = 1; worker <= 3; worker++)
        fixture_join_on(b, (char[]){(char)('a' + worker - 1), '\0'}, worker, 1, NULL, 0);
    uint64_t alone = lease_after(b, 3, 0).trial;
    lose_worker(b, 3);
    end_run(b, 1, lease_after(b, 1, 0), ENDING_COMPLETED, "");
    assert_int_equal(lease_after(b, 1, 1).trial, alone);
    lose_worker(b, 1);
    pass_time(b, 2); /* worker 2 is kept for it */
    fixture_join_on(b, "d", 4, 1, NULL, 0);
    end_run(b, 2, lease_after(b, 2, 0), ENDING_EXITED, missing);
    assert_int_equal(fixture_count_leases(b, 2, &(struct msg_lease){0}), 1);
    end_run(b, 4, lease_after(b, 4, 0), ENDING_COMPLETED, "");
    pass_time(b, 2);
    struct msg_lease last;
    fixture_count_leases(b, 4, &last);
    assert_int_equal(last.trial, alone);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_CLAIM(one_that_needs_much_memory_goes_to_another_node_as_well),
        FIXTURE_CLAIM(where_no_other_node_has_that_memory_nothing_is_tried_elsewhere),
        FIXTURE_CLAIM(one_that_is_to_run_alone_does_not_go_to_a_node_under_suspicion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
