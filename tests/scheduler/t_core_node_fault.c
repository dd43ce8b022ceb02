/* Failures that may be their node's (scheduler/core/node_fault.c). */
#include "tests/core_fixture.h"

#include <math.h>
#include <string.h>

/* The lease that this worker was sent last. */
static struct msg_lease lease_of(const struct fixture *b, uint64_t worker)
{
    for (size_t i = b->sent_count; i-- > 0;)
        if (b->sent[i].kind == MSG_LEASES && b->peers[i] == worker)
            return b->sent[i].leases.leases[b->sent[i].leases.leases_count - 1];
    fail_msg("worker %llu was sent no lease", (unsigned long long)worker);
    return (struct msg_lease){0};
}

static size_t count_leases(const struct fixture *b, uint64_t worker)
{
    size_t count = 0;
    for (size_t i = 0; i < b->sent_count; i++)
        if (b->sent[i].kind == MSG_LEASES && b->peers[i] == worker)
            count += b->sent[i].leases.leases_count;
    return count;
}

/* What this worker has been given ends so. */
static void end_lease(struct fixture *b, uint64_t worker, enum ending ending, const char *detail)
{
    struct msg_lease lease = lease_of(b, worker);
    struct msg_result result = fixture_done(lease.trial, lease.attempt, ending, ending == ENDING_COMPLETED ? 1 : NAN);
    result.detail = detail;
    fixture_report(b, worker, result);
}

static const char missing[] = "the data file /scratch/digits.csv is not there";

static void start(struct fixture *b, uint64_t trials)
{
    b->config.max_trials = trials;
    b->config.retries = 0;
    b->config.same_failures = 5;
    fixture_start(b);
    fixture_join_on(b, "a", 1, 1, NULL, 0);
    fixture_join_on(b, "b", 2, 1, NULL, 0);
}

static void a_node_that_fails_alone_is_set_aside_and_costs_no_trial(void **state)
{
    struct fixture *b = *state;
    start(b, 8);
    for (int i = 0; i < 3; i++) {
        uint64_t trial = lease_of(b, 2).trial;
        end_lease(b, 2, ENDING_BAD_CONFIG, missing);
        end_lease(b, 1, ENDING_COMPLETED, ""); /* what it had */
        assert_int_equal(lease_of(b, 1).trial, trial);
        end_lease(b, 1, ENDING_COMPLETED, "");
    }
    struct snapshot now = fixture_stand(b);
    assert_int_equal(now.trials[TRIAL_FAILED], 0);
    assert_int_equal(now.slots, 1);
    for (uint32_t i = 0; i < now.worker_count; i++)
        if (strcmp(now.workers[i].name, "b") == 0) {
            assert_has(now.workers[i].aside, "other nodes are fine");
            assert_has(now.workers[i].aside, missing);
        }
    snapshot_fini(&now);
    assert_has(fixture_last_sent(b, MSG_REFUSED)->refused.why, missing);
    while (!b->ended)
        end_lease(b, 1, ENDING_COMPLETED, "");
    assert_int_equal(b->reason, REASON_MAX_TRIALS);
    assert_int_equal(fixture_figures(b).trials[TRIAL_COMPLETED], 8);
}

static void its_workers_are_refused_from_then_on(void **state)
{
    struct fixture *b = *state;
    start(b, 100);
    for (int i = 0; i < 3; i++) {
        end_lease(b, 2, ENDING_NOT_STARTED, missing);
        end_lease(b, 1, ENDING_COMPLETED, "");
        end_lease(b, 1, ENDING_COMPLETED, "");
    }
    fixture_join_on(b, "b", 3, 1, NULL, 0);
    assert_has(fixture_last_sent(b, MSG_REFUSED)->refused.why, missing);
    assert_int_equal(fixture_figures(b).slots, 1);
    fixture_join_on(b, "c", 4, 1, NULL, 0);
    assert_int_equal(fixture_figures(b).slots, 2);
}

static void while_a_node_is_under_suspicion_it_gets_no_trial(void **state)
{
    struct fixture *b = *state;
    start(b, 100);
    size_t before = count_leases(b, 2);
    end_lease(b, 2, ENDING_BAD_CONFIG, missing);
    fixture_wait(b, 1);
    assert_int_equal(count_leases(b, 2), before);
    end_lease(b, 1, ENDING_COMPLETED, "");
    assert_int_equal(count_leases(b, 2), before);
    end_lease(b, 1, ENDING_COMPLETED, "");
    assert_int_equal(count_leases(b, 2), before + 1);
}

static void but_not_for_longer_than_a_minute(void **state)
{
    struct fixture *b = *state;
    start(b, 100);
    size_t before = count_leases(b, 2);
    end_lease(b, 2, ENDING_BAD_CONFIG, missing);
    for (int i = 0; i < 70; i++) {
        fixture_say(b, 1, &(struct msg){.kind = MSG_RETURNED}); /* nothing: they are there */
        fixture_say(b, 2, &(struct msg){.kind = MSG_RETURNED});
        fixture_wait(b, 1);
    }
    assert_int_equal(count_leases(b, 2), before + 1);
}

/* The others are busy for longer than the node is held. */
static void wait_for_it(struct fixture *b)
{
    for (int i = 0; i < 70; i++) {
        fixture_say(b, 1, &(struct msg){.kind = MSG_RETURNED}); /* nothing: they are there */
        fixture_say(b, 2, &(struct msg){.kind = MSG_RETURNED});
        fixture_wait(b, 1);
    }
}

static void a_node_that_comes_back_gets_another_trial_than_the_one_that_failed_there(void **state)
{
    struct fixture *b = *state;
    start(b, 100);
    uint64_t failed = lease_of(b, 2).trial;
    end_lease(b, 2, ENDING_BAD_CONFIG, missing);
    wait_for_it(b);
    assert_int_equal(count_leases(b, 2), 2);
    assert_int_not_equal(lease_of(b, 2).trial, failed);
    end_lease(b, 2, ENDING_COMPLETED, "");
    assert_int_equal(count_leases(b, 2), 3);
    assert_int_not_equal(lease_of(b, 2).trial, failed);
    end_lease(b, 1, ENDING_COMPLETED, "");
    assert_int_equal(lease_of(b, 1).trial, failed);
}

static void but_that_one_again_when_there_is_no_other(void **state)
{
    struct fixture *b = *state;
    start(b, 2);
    uint64_t failed = lease_of(b, 2).trial;
    end_lease(b, 2, ENDING_BAD_CONFIG, missing);
    wait_for_it(b);
    assert_int_equal(count_leases(b, 2), 2);
    assert_int_equal(lease_of(b, 2).trial, failed);
    end_lease(b, 2, ENDING_COMPLETED, "");
    end_lease(b, 1, ENDING_COMPLETED, "");
    assert_int_equal(b->reason, REASON_MAX_TRIALS);
    assert_int_equal(fixture_figures(b).trials[TRIAL_COMPLETED], 2);
}

static void what_failed_on_a_node_runs_there_when_the_others_are_gone(void **state)
{
    struct fixture *b = *state;
    start(b, 100);
    uint64_t failed = lease_of(b, 2).trial;
    end_lease(b, 2, ENDING_BAD_CONFIG, missing);
    wait_for_it(b);
    core_worker_dead(b->core, b->now, 1, ENDING_LOST, "its node is gone");
    fixture_drive(b);
    end_lease(b, 2, ENDING_COMPLETED, "");
    end_lease(b, 2, ENDING_COMPLETED, "");
    size_t given = 0;
    for (size_t i = 0; i < b->sent_count; i++)
        for (uint32_t k = 0; b->sent[i].kind == MSG_LEASES && k < b->sent[i].leases.leases_count; k++)
            given += b->sent[i].leases.leases[k].trial == failed;
    assert_int_equal(given, 2);
}

static void a_sample_beyond_the_failure_bears_the_suspicion_out(void **state)
{
    struct fixture *b = *state;
    start(b, 100);
    size_t before = count_leases(b, 2);
    end_lease(b, 2, ENDING_EXITED, missing);
    end_lease(b, 1, ENDING_COMPLETED, "");
    struct msg_lease lease = lease_of(b, 1);
    struct msg_sample sample = {"loss", 1, 0.5, 0};
    struct msg_batch batch = {lease.trial, lease.attempt, 0, 0, &sample, 1};
    fixture_say(b, 1, &(struct msg){.kind = MSG_SAMPLES, .samples = {&batch, 1}});
    assert_int_equal(count_leases(b, 2), before + 1);
}

/* What fails everywhere is known after one attempt more, and ends the search as ever. */
static void what_fails_on_all_nodes_ends_the_search(void **state)
{
    struct fixture *b = *state;
    size_t ended[3] = {0};
    start(b, 100);
    for (int i = 0; i < 40 && !b->ended; i++)
        for (uint64_t worker = 2; worker >= 1; worker--)
            if (count_leases(b, worker) > ended[worker]) {
                end_lease(b, worker, ENDING_BAD_CONFIG, missing);
                ended[worker]++;
            }
    assert_true(b->ended);
    assert_int_equal(b->reason, REASON_SAME_FAILURES);
    assert_has(b->why, missing);
    assert_int_equal(fixture_count_events(b, EVENT_RETRIED), 1);
    assert_int_equal(fixture_count_sent(b, MSG_REFUSED), 0);
}

static void a_node_that_did_well_is_not_suspected_for_one_failure(void **state)
{
    struct fixture *b = *state;
    start(b, 100);
    end_lease(b, 2, ENDING_COMPLETED, "");
    end_lease(b, 2, ENDING_EXITED, "ValueError: this width makes no sense");
    assert_int_equal(fixture_figures(b).trials[TRIAL_FAILED], 1);
    assert_int_equal(fixture_count_events(b, EVENT_RETRIED), 0);
}

static void the_only_node_is_never_suspected(void **state)
{
    struct fixture *b = *state;
    b->config.retries = 0;
    b->config.same_failures = 5;
    b->config.max_trials = 100;
    fixture_start(b);
    fixture_join_on(b, "a", 1, 1, NULL, 0);
    fixture_join_on(b, "a", 2, 1, NULL, 0); /* another worker of the same node */
    for (int i = 0; i < 6; i++)
        end_lease(b, 1 + (uint64_t)i % 2, ENDING_BAD_CONFIG, missing);
    assert_int_equal(fixture_count_events(b, EVENT_RETRIED), 0);
    assert_int_equal(b->reason, REASON_SAME_FAILURES);
}

static void a_node_under_suspicion_gets_trials_again_when_the_others_are_lost(void **state)
{
    struct fixture *b = *state;
    start(b, 100);
    size_t before = count_leases(b, 2);
    end_lease(b, 2, ENDING_BAD_CONFIG, missing);
    core_worker_dead(b->core, b->now, 1, ENDING_LOST, "its node is gone");
    fixture_drive(b);
    assert_int_equal(count_leases(b, 2), before + 1);
}

static void programs_whose_words_are_never_the_same_are_suspected_a_few_times_only(void **state)
{
    enum { ROUNDS = 40 };
    struct fixture *b = *state;
    size_t ended[3] = {0};
    start(b, 1000);
    for (int i = 0; i < ROUNDS; i++)
        for (uint64_t worker = 2; worker >= 1; worker--) {
            char words[] = {(char)('a' + worker), (char)('a' + i % 26), (char)('a' + i / 26), '\0'};
            if (count_leases(b, worker) > ended[worker]) {
                end_lease(b, worker, ENDING_EXITED, words);
                ended[worker]++;
            }
        }
    size_t retried = fixture_count_events(b, EVENT_RETRIED);
    assert_in_range(retried, 1, 10);
    assert_int_equal(fixture_figures(b).slots, 2);
}

/* --- on several nodes --- */

static void of_a_run_on_several_nodes_the_one_that_ended_first_is_under_suspicion(void **state)
{
    struct fixture *b = *state;
    b->config.nodes = 2;
    b->config.retries = 0;
    b->config.max_trials = 100;
    b->config.max_concurrent = 1;
    fixture_start(b);
    fixture_join_on(b, "a", 1, 1, NULL, 0);
    fixture_join_on(b, "b", 2, 1, NULL, 0);
    fixture_join_on(b, "c", 3, 1, NULL, 0);
    for (int i = 0; i < 40 && fixture_figures(b).slots == 3; i++) {
        bool busy[4] = {0};
        struct snapshot now = fixture_stand(b);
        for (uint32_t w = 0; w < now.worker_count; w++)
            busy[now.workers[w].worker] = now.workers[w].busy;
        snapshot_fini(&now);
        if (busy[2])
            end_lease(b, 2, ENDING_BAD_CONFIG, missing);
        for (uint64_t worker = 1; worker <= 3; worker += 2)
            if (busy[worker])
                end_lease(b, worker, busy[2] ? ENDING_CANCELLED : ENDING_COMPLETED, "");
    }
    struct snapshot now = fixture_stand(b);
    assert_int_equal(now.slots, 2);
    assert_int_equal(now.trials[TRIAL_FAILED], 0);
    for (uint32_t i = 0; i < now.worker_count; i++)
        assert_int_equal(*now.workers[i].aside != '\0', strcmp(now.workers[i].name, "b") == 0);
    snapshot_fini(&now);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_CLAIM(a_node_that_fails_alone_is_set_aside_and_costs_no_trial),
        FIXTURE_CLAIM(its_workers_are_refused_from_then_on),
        FIXTURE_CLAIM(while_a_node_is_under_suspicion_it_gets_no_trial),
        FIXTURE_CLAIM(but_not_for_longer_than_a_minute),
        FIXTURE_CLAIM(a_node_that_comes_back_gets_another_trial_than_the_one_that_failed_there),
        FIXTURE_CLAIM(but_that_one_again_when_there_is_no_other),
        FIXTURE_CLAIM(what_failed_on_a_node_runs_there_when_the_others_are_gone),
        FIXTURE_CLAIM(a_sample_beyond_the_failure_bears_the_suspicion_out),
        FIXTURE_CLAIM(what_fails_on_all_nodes_ends_the_search),
        FIXTURE_CLAIM(a_node_that_did_well_is_not_suspected_for_one_failure),
        FIXTURE_CLAIM(the_only_node_is_never_suspected),
        FIXTURE_CLAIM(a_node_under_suspicion_gets_trials_again_when_the_others_are_lost),
        FIXTURE_CLAIM(programs_whose_words_are_never_the_same_are_suspected_a_few_times_only),
        FIXTURE_CLAIM(of_a_run_on_several_nodes_the_one_that_ended_first_is_under_suspicion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
