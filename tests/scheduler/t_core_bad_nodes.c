/* Nodes that are bad in all the ways that nodes are (scheduler/core/node_fault.c): several alike, while others are
 * busy, for some trials alone, late, by chance. No trial is lost to them, and no search ends for them that could go on.
 */
#include "tests/core_fixture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_WORKERS = 8 };

/* The workers 1, 2, ... on the nodes a, b, ..., one slot each, and how many runs of each have ended. */
static size_t ended[MOST_WORKERS + 1];

static const char missing[] = "the data file /scratch/digits.csv is not there";

/* Whether this worker has something to run, and what. */
static bool has_run(const struct fixture *b, uint64_t worker, struct msg_lease *lease)
{
    return fixture_count_leases(b, worker, lease) > ended[worker];
}

static bool runs(const struct fixture *b, uint64_t worker)
{
    struct msg_lease lease;
    return has_run(b, worker, &lease);
}

static void end_run(struct fixture *b, uint64_t worker, enum ending ending, const char *detail)
{
    struct msg_lease lease;
    assert_true(has_run(b, worker, &lease));
    struct msg_result result = fixture_done(lease.trial, lease.attempt, ending, ending == ENDING_COMPLETED ? 1 : NAN);
    result.detail = detail;
    ended[worker]++;
    fixture_report(b, worker, result);
}

static void do_well(struct fixture *b, uint64_t worker)
{
    if (runs(b, worker))
        end_run(b, worker, ENDING_COMPLETED, "");
}

static void do_badly(struct fixture *b, uint64_t worker, const char *words)
{
    if (runs(b, worker))
        end_run(b, worker, ENDING_EXITED, words);
}

static void start(struct fixture *b, uint64_t workers, uint64_t trials)
{
    memset(ended, 0, sizeof ended);
    b->config.max_trials = trials;
    b->config.retries = 0;
    b->config.same_failures = 5;
    fixture_start(b);
    for (uint64_t worker = 1; worker <= workers; worker++)
        fixture_join_on(b, (char[]){(char)('a' + worker - 1), '\0'}, worker, 1, NULL, 0);
}

/* They are there, and so many seconds pass. */
static void pass_time(struct fixture *b, uint64_t workers, double seconds)
{
    for (double step = 2; seconds > 0; seconds -= step) {
        for (uint64_t worker = 1; worker <= workers; worker++)
            fixture_say(b, worker, &(struct msg){.kind = MSG_RETURNED}); /* nothing */
        fixture_wait(b, seconds < step ? seconds : step);
    }
}

static bool is_aside(const struct fixture *b, uint64_t worker)
{
    struct snapshot now = fixture_stand(b);
    bool aside = false;
    for (uint32_t i = 0; i < now.worker_count; i++)
        aside |= now.workers[i].worker == worker && *now.workers[i].aside;
    snapshot_fini(&now);
    return aside;
}

static uint64_t count_failed(const struct fixture *b)
{
    return fixture_figures(b).trials[TRIAL_FAILED];
}

/* --- several --- */

static void nodes_that_fail_alike_are_all_set_aside(void **state)
{
    enum { WORKERS = 5 };
    struct fixture *b = *state;
    start(b, WORKERS, 30);
    for (int i = 0; i < 40 && !b->ended; i++)
        for (uint64_t worker = WORKERS; worker >= 1; worker--)
            if (worker == 2 || worker == 4)
                do_badly(b, worker, missing);
            else
                do_well(b, worker);
    assert_int_equal(b->reason, REASON_MAX_TRIALS);
    assert_int_equal(fixture_figures(b).trials[TRIAL_COMPLETED], 30);
    assert_int_equal(fixture_count_sent(b, MSG_REFUSED), 2);
}

static void most_of_the_nodes_may_be_bad(void **state)
{
    enum { WORKERS = 8 };
    struct fixture *b = *state;
    start(b, WORKERS, 30);
    for (int i = 0; i < 60 && !b->ended; i++)
        for (uint64_t worker = WORKERS; worker >= 1; worker--)
            if (worker > 2)
                do_badly(b, worker, missing);
            else
                do_well(b, worker);
    assert_int_equal(b->reason, REASON_MAX_TRIALS);
    assert_int_equal(fixture_figures(b).trials[TRIAL_COMPLETED], 30);
}

static void when_all_are_bad_the_search_ends_and_says_why(void **state)
{
    enum { WORKERS = 8 };
    struct fixture *b = *state;
    start(b, WORKERS, 100);
    for (int i = 0; i < 60 && !b->ended; i++)
        for (uint64_t worker = WORKERS; worker >= 1; worker--)
            do_badly(b, worker, missing);
    assert_true(b->ended);
    assert_int_equal(b->reason, REASON_SAME_FAILURES);
    assert_has(b->why, missing);
    assert_int_equal(fixture_count_sent(b, MSG_REFUSED), 0);
    assert_in_range(fixture_count_events(b, EVENT_RETRIED), 1, WORKERS - 1);
}

/* The first node of a job has its worker at once, the others' are on their way. */
static void a_bad_node_that_is_the_first_to_come_ends_nothing(void **state)
{
    struct fixture *b = *state;
    b->config.awaited_nodes = 3;
    start(b, 0, 20);
    fixture_join_on(b, "b", 2, 1, NULL, 0);
    for (int i = 0; i < 10; i++)
        do_badly(b, 2, missing);
    assert_false(b->ended);
    assert_int_equal(ended[2], 1);
    fixture_join_on(b, "a", 1, 1, NULL, 0);
    fixture_join_on(b, "c", 3, 1, NULL, 0);
    for (int i = 0; i < 40 && !b->ended; i++) {
        do_well(b, 1);
        do_badly(b, 2, missing);
        do_well(b, 3);
    }
    assert_int_equal(b->reason, REASON_MAX_TRIALS);
    assert_int_equal(fixture_figures(b).trials[TRIAL_COMPLETED], 20);
}

static void when_no_other_comes_it_is_alone_after_a_minute(void **state)
{
    struct fixture *b = *state;
    b->config.awaited_nodes = 3;
    start(b, 0, 20);
    fixture_join_on(b, "b", 2, 1, NULL, 0);
    for (int i = 0; i < 20 && !b->ended; i++) {
        do_badly(b, 2, missing);
        fixture_say(b, 2, &(struct msg){.kind = MSG_RETURNED});
        fixture_wait(b, 8);
    }
    for (int i = 0; i < 10 && !b->ended; i++)
        do_badly(b, 2, missing);
    assert_int_equal(b->reason, REASON_SAME_FAILURES);
}

/* --- while others are busy --- */

static void while_the_others_are_busy_for_hours_no_trial_is_lost(void **state)
{
    enum { WORKERS = 3 };
    struct fixture *b = *state;
    start(b, WORKERS, 30);
    for (int minutes = 0; minutes < 240; minutes++) {
        do_badly(b, 2, missing);
        pass_time(b, WORKERS, 60);
    }
    assert_false(b->ended);
    assert_int_equal(count_failed(b), 0);
    assert_in_range(ended[2], 2, 30); /* it is tried again now and then */
}

/* The others are busy, and silent. */
static void do_badly_on_two_and_three(struct fixture *b, uint64_t workers, int minutes)
{
    for (int i = 0; i < minutes && !b->ended; i++) {
        do_badly(b, 2, missing);
        do_badly(b, 3, missing);
        pass_time(b, workers, 60);
    }
}

/* Nothing was lost so far, and nothing is until the search has come to its end. */
static void complete_on_one_and_four(struct fixture *b, uint64_t trials)
{
    assert_false(b->ended);
    assert_int_equal(count_failed(b), 0);
    for (int i = 0; i < 40 && !b->ended; i++) {
        do_well(b, 1);
        do_well(b, 4);
        do_badly(b, 2, missing);
        do_badly(b, 3, missing);
    }
    assert_int_equal(b->reason, REASON_MAX_TRIALS);
    assert_int_equal(fixture_figures(b).trials[TRIAL_COMPLETED], trials);
}

static void nor_to_two_bad_nodes(void **state)
{
    enum { WORKERS = 4 };
    struct fixture *b = *state;
    start(b, WORKERS, 30);
    pass_time(b, WORKERS, 120); /* the others are on their way */
    do_badly_on_two_and_three(b, WORKERS, 240);
    complete_on_one_and_four(b, 30);
}

/* The good ones have not said a word yet: what two bad ones say alike is not taken for everybody's. */
static void two_that_are_bad_from_the_first_second_lose_nothing_either(void **state)
{
    enum { WORKERS = 4 };
    struct fixture *b = *state;
    start(b, WORKERS, 30);
    do_badly_on_two_and_three(b, WORKERS, 240);
    complete_on_one_and_four(b, 30);
}

/* A program that can't work, on two nodes that take longer to say so: it is known as soon as they have. */
static void what_the_last_node_says_too_is_the_programs_fault(void **state)
{
    enum { WORKERS = 4 };
    struct fixture *b = *state;
    start(b, WORKERS, 100);
    do_badly_on_two_and_three(b, WORKERS, 5);
    assert_int_equal(count_failed(b), 0);
    for (int i = 0; i < 10 && !b->ended; i++)
        for (uint64_t worker = WORKERS; worker >= 1; worker--)
            do_badly(b, worker, missing);
    assert_int_equal(b->reason, REASON_SAME_FAILURES);
    assert_int_equal(fixture_count_sent(b, MSG_REFUSED), 0);
}

/* The last trial of a search, while the good node has another one for hours. */
static void one_trial_is_not_lost_between_two_bad_nodes(void **state)
{
    struct fixture *b = *state;
    start(b, 2, 3);
    do_well(b, 1);
    fixture_join_on(b, "c", 3, 1, NULL, 0);
    for (int i = 0; i < 2 * 360 && !b->ended; i++) {
        do_badly(b, 2, missing);
        do_badly(b, 3, missing);
        pass_time(b, 3, 10);
    }
    assert_int_equal(count_failed(b), 0);
    assert_in_range(ended[2] + ended[3], 4, 20);
    for (int i = 0; i < 4; i++)
        do_well(b, 1);
    assert_int_equal(b->reason, REASON_MAX_TRIALS);
    assert_int_equal(fixture_figures(b).trials[TRIAL_COMPLETED], 3);
}

/* --- three times --- */

static void say_sample(struct fixture *b, uint64_t worker, uint64_t trial, uint32_t attempt)
{
    struct msg_sample sample = {"loss", 1, 0.5, 0};
    struct msg_batch batch = {trial, attempt, 0, 0, &sample, 1};
    fixture_say(b, worker, &(struct msg){.kind = MSG_SAMPLES, .samples = {&batch, 1}});
}

/* Runs that get on count as much as those that have ended. */
static void three_times_are_enough_though_no_run_has_ended(void **state)
{
    struct fixture *b = *state;
    start(b, 0, 100);
    fixture_join_on(b, "a", 1, 8, NULL, 0);
    fixture_join_on(b, "b", 2, 1, NULL, 0);
    for (int i = 0; i < 3; i++) {
        struct msg_lease lease;
        assert_true(has_run(b, 2, &lease));
        do_badly(b, 2, missing);
        fixture_join_on(b, "a", (uint64_t)(3 + i), 1, NULL, 0);
        struct msg_lease again;
        assert_true(has_run(b, (uint64_t)(3 + i), &again));
        assert_int_equal(again.trial, lease.trial);
        assert_false(is_aside(b, 2));
        say_sample(b, (uint64_t)(3 + i), again.trial, again.attempt);
    }
    assert_true(is_aside(b, 2));
}

/* --- for some trials alone, late, by chance --- */

static void one_that_is_bad_for_one_kind_of_trial_alone_costs_one_trial_at_most(void **state)
{
    struct fixture *b = *state;
    struct msg_lease lease;
    start(b, 2, 30);
    for (int i = 0; i < 80 && !b->ended; i++) {
        if (has_run(b, 2, &lease) && lease.trial % 3 == 0)
            do_badly(b, 2, "no CUDA device");
        else
            do_well(b, 2);
        do_well(b, 1);
    }
    assert_int_equal(b->reason, REASON_MAX_TRIALS);
    assert_in_range(count_failed(b), 0, 1);
}

/* The words of what the configuration is at fault for are never the same. */
static void suspicions_that_were_mistaken_long_ago_keep_no_bad_node(void **state)
{
    struct fixture *b = *state;
    start(b, 2, 90);
    for (int i = 0; i < 26; i++)
        for (uint64_t worker = 2; worker >= 1; worker--)
            do_badly(b, worker, (char[]){'n', (char)('a' + i), (char)('a' + worker), '\0'});
    pass_time(b, 2, 3600);
    for (int i = 0; i < 3; i++) {
        do_well(b, 1);
        do_well(b, 2);
    }
    uint64_t before = count_failed(b);
    for (int i = 0; i < 80 && !b->ended; i++) {
        do_badly(b, 2, missing);
        do_well(b, 1);
    }
    assert_int_equal(b->reason, REASON_MAX_TRIALS);
    assert_in_range(count_failed(b) - before, 0, 1); /* the first one after what went well there */
    assert_int_equal(fixture_count_sent(b, MSG_REFUSED), 1);
}

/* Half of all runs fail, anywhere, and each says something else. */
static void what_fails_by_chance_sets_no_node_aside(void **state)
{
    enum { WORKERS = 3, TRIALS = 60 };
    struct fixture *b = *state;
    uint32_t draw = 7, number = 0;
    start(b, WORKERS, TRIALS);
    for (int i = 0; i < 100 && !b->ended && number < 90; i++)
        for (uint64_t worker = 1; worker <= WORKERS; worker++, number++) {
            draw = draw * 1664525u + 1013904223u;
            char words[] = {(char)('a' + number % 26), (char)('a' + number / 26), '\0'};
            if (draw >> 31)
                do_badly(b, worker, words);
            else
                do_well(b, worker);
        }
    assert_int_equal(fixture_count_sent(b, MSG_REFUSED), 0);
}

/* The configuration is at fault for that, wherever it ran. */
static void a_loss_that_becomes_nan_is_no_fault_of_the_node(void **state)
{
    struct fixture *b = *state;
    start(b, 2, 30);
    for (int i = 0; i < 40 && !b->ended; i++) {
        if (runs(b, 2))
            end_run(b, 2, ENDING_DIVERGED, "");
        do_well(b, 1);
    }
    assert_int_equal(b->reason, REASON_MAX_TRIALS);
    assert_int_equal(fixture_count_events(b, EVENT_RETRIED), 0);
    assert_int_equal(fixture_count_sent(b, MSG_REFUSED), 0);
}

/* --- a success of an attempt that had been given up --- */

static void a_late_success_counts_where_it_was(void **state)
{
    struct fixture *b = *state;
    struct msg_lease first;
    start(b, 2, 30);
    assert_true(has_run(b, 2, &first));
    for (int i = 0; i < 80; i++) { /* b is silent, and given up; what it has is a's next trial */
        fixture_say(b, 1, &(struct msg){.kind = MSG_RETURNED});
        fixture_wait(b, 1);
    }
    do_well(b, 1);
    struct msg_lease again;
    assert_true(has_run(b, 1, &again));
    assert_int_equal(again.trial, first.trial);
    fixture_join_on(b, "b", 2, 1, NULL, 0);
    fixture_report(b, 2, fixture_done(first.trial, first.attempt, ENDING_COMPLETED, 1));
    ended[2]++;
    do_badly(b, 2, missing);                                     /* b did well: this is no suspicion */
    assert_int_equal(fixture_count_events(b, EVENT_RETRIED), 1); /* the loss */
}

/* --- on several nodes --- */

/* Two workers of one node are one node. */
static void the_last_nodes_that_a_run_needs_are_not_suspected(void **state)
{
    struct fixture *b = *state;
    memset(ended, 0, sizeof ended);
    b->config.nodes = 2;
    b->config.retries = 0;
    b->config.max_trials = 30;
    b->config.max_concurrent = 1;
    fixture_start(b);
    fixture_join_on(b, "a", 1, 1, NULL, 0);
    fixture_join_on(b, "a", 2, 1, NULL, 0);
    fixture_join_on(b, "b", 3, 1, NULL, 0);
    uint64_t partner = runs(b, 1) ? 1 : 2;
    do_badly(b, 3, missing);
    end_run(b, partner, ENDING_CANCELLED, "");
    fixture_wait(b, 1);
    assert_true(runs(b, 3));
    assert_int_equal(fixture_count_events(b, EVENT_RETRIED), 0);
}

/* --- they come back --- */

static void a_node_that_was_set_aside_is_tried_again_after_a_while(void **state)
{
    struct fixture *b = *state;
    start(b, 2, 100);
    for (int i = 0; i < 10 && !is_aside(b, 2); i++) {
        do_badly(b, 2, missing);
        do_well(b, 1);
    }
    assert_true(is_aside(b, 2));
    fixture_join_on(b, "b", 3, 1, NULL, 0);
    assert_has(fixture_last_sent(b, MSG_REFUSED)->refused.why, missing);
    assert_false(runs(b, 3));
    pass_time(b, 1, 900);
    fixture_join_on(b, "b", 4, 1, NULL, 0);
    assert_true(runs(b, 4)); /* somebody mended it, perhaps */
    size_t refused = fixture_count_sent(b, MSG_REFUSED);
    do_badly(b, 4, missing);
    for (int i = 0; i < 3; i++)
        do_well(b, 1);
    assert_int_equal(fixture_count_sent(b, MSG_REFUSED), refused + 1); /* nobody did: once is enough now */
    assert_int_equal(count_failed(b), 0);
}

/* What runs on a node that is bad is stopped in its time when the search ends; nothing is set aside any more. */
static void a_search_that_ends_sets_nothing_aside(void **state)
{
    struct fixture *b = *state;
    start(b, 2, 100);
    for (int i = 0; i < 2; i++) {
        do_badly(b, 2, missing);
        do_well(b, 1);
        do_well(b, 1);
    }
    do_badly(b, 2, missing);
    do_well(b, 1);
    core_drain(b->core, b->now, REASON_INTERRUPTED);
    fixture_drive(b);
    do_well(b, 1);
    assert_int_equal(fixture_count_sent(b, MSG_REFUSED), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_CLAIM(nodes_that_fail_alike_are_all_set_aside),
        FIXTURE_CLAIM(most_of_the_nodes_may_be_bad),
        FIXTURE_CLAIM(when_all_are_bad_the_search_ends_and_says_why),
        FIXTURE_CLAIM(a_bad_node_that_is_the_first_to_come_ends_nothing),
        FIXTURE_CLAIM(when_no_other_comes_it_is_alone_after_a_minute),
        FIXTURE_CLAIM(while_the_others_are_busy_for_hours_no_trial_is_lost),
        FIXTURE_CLAIM(nor_to_two_bad_nodes),
        FIXTURE_CLAIM(two_that_are_bad_from_the_first_second_lose_nothing_either),
        FIXTURE_CLAIM(what_the_last_node_says_too_is_the_programs_fault),
        FIXTURE_CLAIM(one_trial_is_not_lost_between_two_bad_nodes),
        FIXTURE_CLAIM(three_times_are_enough_though_no_run_has_ended),
        FIXTURE_CLAIM(one_that_is_bad_for_one_kind_of_trial_alone_costs_one_trial_at_most),
        FIXTURE_CLAIM(suspicions_that_were_mistaken_long_ago_keep_no_bad_node),
        FIXTURE_CLAIM(what_fails_by_chance_sets_no_node_aside),
        FIXTURE_CLAIM(a_loss_that_becomes_nan_is_no_fault_of_the_node),
        FIXTURE_CLAIM(a_late_success_counts_where_it_was),
        FIXTURE_CLAIM(the_last_nodes_that_a_run_needs_are_not_suspected),
        FIXTURE_CLAIM(a_node_that_was_set_aside_is_tried_again_after_a_while),
        FIXTURE_CLAIM(a_search_that_ends_sets_nothing_aside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
