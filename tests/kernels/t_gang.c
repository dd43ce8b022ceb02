/* The program gannet-trainer as several ranks that train a trial together: they come to the same losses as one, go on
 * to the bit where they paused, and end together however one of them ends. */
#include "common/mem.h"
#include "common/path.h"
#include "common/phases.h"
#include "common/proc.h"
#include "tests/claims.h"
#include "tests/gang_test.h"
#include "tests/scratch.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* --- the same losses --- */

/* In trainers of their own, since a trainer has as many ranks as its task. */
static struct gang_test run_in(int ranks, const char *kernel, const char *options, const char *params)
{
    void *state;
    gang_test_start(&state);
    struct gang_test *test = state, done;
    struct msg_run trial = gang_test_trial(params);
    assert_string_equal(gang_test_set_up(test, kernel, ranks, options), "");
    enum ending ending = gang_test_run(test, &trial);
    if (ending != ENDING_COMPLETED || *test->msg.ended.detail)
        fail_msg("%s in %d ranks: %s: %s", kernel, ranks, ending_name(ending), test->msg.ended.detail);
    done = *test;
    gang_test_end(&state);
    return done;
}

static void assert_same_losses(const char *kernel, const char *options, const char *params)
{
    struct gang_test alone = run_in(1, kernel, options, params);
    for (int ranks = 2; ranks <= 4; ranks += 2) {
        struct gang_test together = run_in(ranks, kernel, options, params);
        assert_int_equal(together.count, alone.count);
        for (size_t i = 0; i < alone.count; i++)
            if (!(fabs(together.values[i] - alone.values[i]) <= 2e-3 * fmax(1, fabs(alone.values[i]))))
                fail_msg("%s in %d ranks: value %zu is %g, and %g alone", kernel, ranks, i, together.values[i],
                         alone.values[i]);
    }
}

static void ranks_come_to_the_losses_of_one_process(void **state)
{
    (void)state;
    assert_same_losses("mlp", "{" DIGITS "}", "{\"lr\": 0.1, \"batch\": 50, \"dropout\": 0.25, \"clip\": 1}");
    assert_same_losses("mlp", "{" DIGITS "}", "{\"lr\": 0.1, \"width\": 5, \"batch\": 50, \"dropout\": 0.5}");
    assert_same_losses("logreg", "{" DIGITS "}", "{\"lr\": 0.05, \"batch\": 100}");
    assert_same_losses("cnn", "{'data': 'examples/data/digits.csv', 'epochs': 2, 'scaling': 'unit'}",
                       "{\"lr\": 0.05, \"padding\": 1, \"batch\": 100}");
    assert_same_losses("lstm", "{'data': {'generate': 'sequences', 'examples': 300, 'steps': 12}, 'epochs': 2}",
                       "{\"width\": 8, \"layers\": 2, \"dropout\": 0.25, \"clip\": 1, \"batch\": 40}");
    assert_same_losses("transformer", "{'data': {'generate': 'sequences', 'examples': 300, 'steps': 12}, 'epochs': 2}",
                       "{\"width\": 8, \"heads\": 2, \"attention_dropout\": 0.25, \"batch\": 40}");
    /* Pixels as steps: zeros at the end of an image are padding. */
    assert_same_losses("lstm", "{'data': 'examples/data/digits.csv', 'steps': 64, 'padding': 0, 'epochs': 1}",
                       "{\"width\": 8, \"clip\": 1, \"batch\": 40}");
}

/* 1438 examples for training: the last batch has 2 of them, fewer than there are ranks. */
static void a_last_batch_may_have_fewer_examples_than_ranks(void **state)
{
    (void)state;
    assert_same_losses("mlp", "{" DIGITS "}", "{\"lr\": 0.05, \"batch\": 359, \"dropout\": 0.25}");
}

static void averaging_is_a_phase_of_its_own(void **state)
{
    struct gang_test *test = *state;
    struct msg_run trial = gang_test_trial("{}");
    bool found = false;
    assert_string_equal(gang_test_set_up(test, "mlp", 2, "{" DIGITS "}"), "");
    assert_int_equal(gang_test_run(test, &trial), ENDING_COMPLETED);
    for (uint32_t i = 0; i < test->msg.ended.phases_count; i++)
        found |= test->msg.ended.phases[i].phase == PHASE_ALLREDUCE && test->msg.ended.phases[i].count > 4;
    assert_true(found);
}

/* --- going on --- */

static void a_trial_that_goes_on_is_the_same_to_the_bit(void **state)
{
    static const char params[] = "{\"lr\": 0.1, \"dropout\": 0.3, \"momentum\": 0.9, \"ema\": 0.9, \"batch\": 47}";
    struct gang_test *test = *state;
    double whole[MOST_SAMPLES], first[MOST_SAMPLES];
    struct msg_run trial = gang_test_trial(params);
    char *scratch = scratch_make(), *checkpoint = path_join(scratch, "checkpoint");
    assert_string_equal(gang_test_set_up(test, "mlp", 3, "{" DIGITS "}"), "");
    assert_int_equal(gang_test_run(test, &trial), ENDING_COMPLETED);
    size_t count = test->count;
    memcpy(whole, test->values, sizeof whole);
    trial.checkpoint = checkpoint;
    trial.until = 2;
    assert_int_equal(gang_test_run(test, &trial), ENDING_PAUSED);
    size_t paused = test->count;
    memcpy(first, test->values, sizeof first);
    trial.until = 0;
    trial.reached = trial.known = 2;
    assert_int_equal(gang_test_run(test, &trial), ENDING_COMPLETED);
    assert_int_equal(paused + test->count, count);
    assert_memory_equal(whole, first, paused * sizeof *whole);
    assert_memory_equal(whole + paused, test->values, test->count * sizeof *whole);
    free(checkpoint);
    scratch_remove(scratch);
}

/* --- ends --- */

static void a_configuration_that_one_refuses_is_refused_and_the_next_runs(void **state)
{
    struct gang_test *test = *state;
    struct msg_run bad = gang_test_trial("{\"lr\": \"much\"}"), diverges = gang_test_trial("{\"lr\": 1e6}"),
                   good = gang_test_trial("{}");
    assert_string_equal(gang_test_set_up(test, "mlp", 2, "{" DIGITS "}"), "");
    assert_int_equal(gang_test_run(test, &bad), ENDING_BAD_CONFIG);
    assert_has(test->msg.ended.detail, "lr");
    assert_int_equal(gang_test_run(test, &diverges), ENDING_DIVERGED);
    assert_has(test->msg.ended.detail, "the training loss became");
    assert_int_equal(gang_test_run(test, &good), ENDING_COMPLETED);
}

static void what_other_ranks_used_is_told_once(void **state)
{
    struct gang_test *test = *state;
    struct msg_run good = gang_test_trial("{}"), bad = gang_test_trial("{\"lr\": \"much\"}");
    assert_string_equal(gang_test_set_up(test, "mlp", 4, "{" DIGITS "}"), "");
    assert_int_equal(gang_test_run(test, &good), ENDING_COMPLETED);
    uint64_t all = test->msg.ended.peak_memory;
    assert_int_equal(gang_test_run(test, &bad), ENDING_BAD_CONFIG);
    assert_true(test->msg.ended.peak_memory < all / 2); /* rank 0's; that of the others was the first run's */
}

static void data_that_is_missing_is_trouble_for_all(void **state)
{
    struct gang_test *test = *state;
    assert_has(gang_test_set_up(test, "mlp", 2, "{'data': '/nowhere.csv'}"), "can't open /nowhere.csv");
    close(test->fd);
    assert_int_equal(gang_test_reap(test), 0);
}

static void a_kernel_of_one_process_says_so(void **state)
{
    assert_string_equal(gang_test_set_up(*state, "synth", 2, "{}"),
                        "kernel synth trains in one process; leave out resources.ranks");
}

/* The ranks of a trainer beside itself; how many. */
static size_t find_ranks(pid_t pid, pid_t *out, size_t most)
{
    char *path = mem_format("/proc/%d/task/%d/children", (int)pid, (int)pid);
    FILE *file = fopen(path, "re");
    size_t count = 0;
    assert_non_null(file);
    while (count < most && fscanf(file, "%d", &out[count]) == 1)
        count++;
    fclose(file);
    free(path);
    return count;
}

/* Sets up three ranks and begins a trial that lasts; the two beside rank 0. */
static void begin_long(struct gang_test *test, pid_t *ranks)
{
    struct msg msg = {.kind = MSG_RUN, .run = gang_test_trial("{\"epochs\": 1000000}")};
    assert_string_equal(gang_test_set_up(test, "mlp", 3, "{'data': 'examples/data/digits.csv', 'stage': 'none'}"), "");
    assert_int_equal(find_ranks(test->pid, ranks, 2), 2);
    gang_test_tell(test, &msg);
    assert_int_equal(gang_test_next(test), MSG_STEP);
}

/* They are told by the system, and a moment later. */
static void await_ends(const pid_t *ranks)
{
    struct timespec moment = {.tv_nsec = 1000000};
    for (int left = PATIENCE; proc_lives(ranks[0]) || proc_lives(ranks[1]); left--) {
        assert_int_not_equal(left, 0);
        nanosleep(&moment, NULL);
    }
}

/* What is left of its error output. */
static void read_errors(struct gang_test *test, char *text, size_t size)
{
    size_t length = 0;
    ssize_t more;
    while (length + 1 < size && (more = read(test->errors, text + length, size - 1 - length)) > 0)
        length += (size_t)more;
    text[length] = '\0';
}

static void a_rank_that_is_killed_ends_all_by_its_signal(void **state)
{
    static const int signals[] = {SIGKILL, SIGABRT}; /* a sanitizer would catch SIGSEGV */
    for (size_t i = 0; i < 2; i++) {
        struct gang_test *test = *state;
        pid_t ranks[2];
        char text[2000], *wanted = mem_format("rank 2 of 3 was killed by signal %d", signals[i]);
        begin_long(test, ranks);
        kill(ranks[1], signals[i]);
        int status = gang_test_reap(test);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), signals[i]);
        await_ends(ranks);
        read_errors(test, text, sizeof text);
        assert_has(text, wanted);
        free(wanted);
        gang_test_end(state);
        gang_test_start(state);
    }
}

static void when_rank_0_is_killed_the_others_die(void **state)
{
    struct gang_test *test = *state;
    pid_t ranks[2];
    begin_long(test, ranks);
    kill(test->pid, SIGKILL);
    gang_test_reap(test);
    await_ends(ranks);
}

static void without_a_worker_all_exit_after_the_step(void **state)
{
    struct gang_test *test = *state;
    pid_t ranks[2];
    char text[200];
    begin_long(test, ranks);
    shutdown(test->fd, SHUT_RDWR);
    assert_int_equal(gang_test_reap(test), 0);
    await_ends(ranks);
    read_errors(test, text, sizeof text);
    assert_string_equal(text, "");
}

int main(void)
{
#define IN_A_TRAINER(claim) cmocka_unit_test_setup_teardown(claim, gang_test_start, gang_test_end)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_come_to_the_losses_of_one_process),
        cmocka_unit_test(a_last_batch_may_have_fewer_examples_than_ranks),
        IN_A_TRAINER(averaging_is_a_phase_of_its_own),
        IN_A_TRAINER(a_trial_that_goes_on_is_the_same_to_the_bit),
        IN_A_TRAINER(a_configuration_that_one_refuses_is_refused_and_the_next_runs),
        IN_A_TRAINER(what_other_ranks_used_is_told_once),
        IN_A_TRAINER(data_that_is_missing_is_trouble_for_all),
        IN_A_TRAINER(a_kernel_of_one_process_says_so),
        IN_A_TRAINER(a_rank_that_is_killed_ends_all_by_its_signal),
        IN_A_TRAINER(when_rank_0_is_killed_the_others_die),
        IN_A_TRAINER(without_a_worker_all_exit_after_the_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
