/* Trainers as the nodes of one run: they come to the same losses as one process, however the ranks are spread over
 * them, go on to the bit where they paused, and end together however one of them ends. */
#include "common/mem.h"
#include "common/path.h"
#include "tests/claims.h"
#include "tests/gang_test.h"
#include "tests/scratch.h"
#include "worker/program/gang_env.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_NODES = 3 };

#define MEETING "127.0.0.1 0123456789abcdef0123456789abcdef"

static const char hosts[] = "alpha,beta,gamma";

/* Trainers that are the nodes of one search. */
struct nodes_test {
    struct gang_test *trainers[MOST_NODES];
    int nodes;
    uint32_t port;
};

static struct nodes_test start_nodes(int nodes, int ranks, const char *kernel, const char *options)
{
    struct nodes_test test = {.nodes = nodes, .port = gang_env_port()};
    for (int node = 0; node < nodes; node++) {
        void *state;
        gang_test_start(&state);
        test.trainers[node] = state;
        test.trainers[node]->nodes = nodes;
        assert_string_equal(gang_test_set_up(test.trainers[node], kernel, ranks, options), "");
    }
    return test;
}

static void end_nodes(struct nodes_test *test)
{
    for (int node = 0; node < test->nodes; node++) {
        void *state = test->trainers[node];
        gang_test_end(&state);
    }
}

/* The last one is told first: it waits for the others. */
static void begin_run(struct nodes_test *test, struct msg_run trial)
{
    for (int node = test->nodes - 1; node >= 0; node--) {
        trial.node = (uint32_t)node;
        trial.nodes = (uint32_t)test->nodes;
        trial.port = test->port;
        trial.meeting = MEETING;
        trial.hosts = hosts;
        gang_test_begin(test->trainers[node], &trial);
    }
}

/* How the run ended on node 0; the others have done what they were told, and report nothing. */
static enum ending await_end(struct nodes_test *test)
{
    for (int node = 1; node < test->nodes; node++) {
        assert_int_equal(gang_test_await(test->trainers[node]), ENDING_COMPLETED);
        assert_int_equal(test->trainers[node]->count, 0);
    }
    return gang_test_await(test->trainers[0]);
}

static enum ending run_nodes(struct nodes_test *test, const struct msg_run *trial)
{
    begin_run(test, *trial);
    return await_end(test);
}

/* --- the same losses --- */

static void assert_losses(const struct gang_test *some, const struct gang_test *others, double tolerance,
                          const char *what)
{
    assert_int_equal(some->count, others->count);
    assert_true(some->count > 4);
    for (size_t i = 0; i < some->count; i++)
        if (!(fabs(some->values[i] - others->values[i]) <= tolerance * fmax(1, fabs(some->values[i]))))
            fail_msg("%s: value %zu is %g, and %g alone", what, i, some->values[i], others->values[i]);
}

/* In one process; over nodes, within rounding; and twice there, to the bit. */
static void assert_same_losses(const char *kernel, const char *options, const char *params)
{
    static const int layouts[][2] = {{2, 1}, {2, 2}, {3, 1}};
    struct msg_run trial = gang_test_trial(params);
    void *state;
    gang_test_start(&state);
    struct gang_test *alone = state;
    assert_string_equal(gang_test_set_up(alone, kernel, 1, options), "");
    assert_int_equal(gang_test_run(alone, &trial), ENDING_COMPLETED);
    for (size_t i = 0; i < 3; i++) {
        struct nodes_test test = start_nodes(layouts[i][0], layouts[i][1], kernel, options);
        char *what = mem_format("%s on %d nodes with %d ranks", kernel, layouts[i][0], layouts[i][1]);
        assert_int_equal(run_nodes(&test, &trial), ENDING_COMPLETED);
        assert_losses(test.trainers[0], alone, 2e-3, what);
        struct gang_test before = *test.trainers[0];
        trial.attempt++;
        assert_int_equal(run_nodes(&test, &trial), ENDING_COMPLETED);
        assert_losses(test.trainers[0], &before, 0, what);
        free(what);
        end_nodes(&test);
    }
    gang_test_end(&state);
}

static void nodes_come_to_the_losses_of_one_process(void **state)
{
    (void)state;
    assert_same_losses("mlp", "{" DIGITS "}", "{\"lr\": 0.1, \"batch\": 50, \"dropout\": 0.25, \"clip\": 1}");
    assert_same_losses("lstm", "{'data': {'generate': 'sequences', 'examples': 300, 'steps': 12}, 'epochs': 3}",
                       "{\"width\": 8, \"layers\": 2, \"dropout\": 0.25, \"clip\": 1, \"batch\": 40}");
}

/* Batch normalisation is by the examples of a rank: that of four ranks on one node is that on two nodes. */
static void a_layout_of_ranks_is_no_matter_to_batch_normalisation(void **state)
{
    (void)state;
    static const char options[] = "{'data': {'generate': 'shapes', 'size': 8, 'examples': 200}, 'epochs': 3}";
    struct msg_run trial = gang_test_trial("{\"depth\": 1, \"width\": 4, \"batch\": 40, \"lr\": 0.05}");
    struct nodes_test spread = start_nodes(2, 2, "resnet", options);
    void *one;
    gang_test_start(&one);
    struct gang_test *together = one;
    assert_string_equal(gang_test_set_up(together, "resnet", 4, options), "");
    assert_int_equal(gang_test_run(together, &trial), ENDING_COMPLETED);
    assert_int_equal(run_nodes(&spread, &trial), ENDING_COMPLETED);
    assert_losses(spread.trainers[0], together, 2e-3, "resnet");
    end_nodes(&spread);
    gang_test_end(&one);
}

/* --- going on --- */

/* The checkpoint is where node 0 alone sees it: the others are told of no file. */
static void a_trial_that_goes_on_is_the_same_to_the_bit(void **state)
{
    (void)state;
    struct nodes_test test = start_nodes(2, 2, "mlp", "{" DIGITS "}");
    struct gang_test *first = test.trainers[0];
    struct msg_run trial =
        gang_test_trial("{\"lr\": 0.1, \"dropout\": 0.3, \"momentum\": 0.9, \"ema\": 0.9, \"batch\": 47}");
    char *scratch = scratch_make(), *checkpoint = path_join(scratch, "checkpoint");
    assert_int_equal(run_nodes(&test, &trial), ENDING_COMPLETED);
    struct gang_test whole = *first;
    trial.checkpoint = checkpoint;
    trial.until = 2;
    assert_int_equal(run_nodes(&test, &trial), ENDING_PAUSED);
    struct gang_test half = *first;
    trial.until = 0;
    trial.reached = trial.known = 2;
    assert_int_equal(run_nodes(&test, &trial), ENDING_COMPLETED);
    assert_int_equal(half.count + first->count, whole.count);
    assert_memory_equal(whole.values, half.values, half.count * sizeof *half.values);
    assert_memory_equal(whole.values + half.count, first->values, first->count * sizeof *half.values);
    free(checkpoint);
    scratch_remove(scratch);
    end_nodes(&test);
}

/* --- ends --- */

static void what_one_node_refuses_is_refused_and_the_next_runs(void **state)
{
    (void)state;
    struct nodes_test test = start_nodes(2, 1, "mlp", "{" DIGITS "}");
    struct msg_run bad = gang_test_trial("{\"lr\": \"much\"}"), diverges = gang_test_trial("{\"lr\": 1e6}"),
                   good = gang_test_trial("{}");
    assert_int_equal(run_nodes(&test, &bad), ENDING_BAD_CONFIG);
    assert_has(test.trainers[0]->msg.ended.detail, "lr");
    assert_int_equal(run_nodes(&test, &diverges), ENDING_DIVERGED);
    assert_int_equal(run_nodes(&test, &good), ENDING_COMPLETED);
    end_nodes(&test);
}

static void tell_halt(struct gang_test *test)
{
    gang_test_tell(test, &(struct msg){.kind = MSG_HALT, .halt = {.trial = 1, .attempt = 1}});
}

static void a_halt_of_node_0_ends_all_after_the_step(void **state)
{
    (void)state;
    struct nodes_test test = start_nodes(3, 1, "mlp", "{'data': 'examples/data/digits.csv'}");
    struct msg_run trial = gang_test_trial("{\"epochs\": 1000000}");
    begin_run(&test, trial);
    assert_int_equal(gang_test_next(test.trainers[0]), MSG_STEP);
    for (int node = 2; node >= 0; node--) /* they would rather hear it from node 0 */
        tell_halt(test.trainers[node]);
    assert_int_equal(await_end(&test), ENDING_STOPPED_EARLY);
    end_nodes(&test);
}

static void who_waits_for_other_nodes_can_be_halted(void **state)
{
    (void)state;
    struct nodes_test test = start_nodes(2, 2, "mlp", "{" DIGITS "}");
    struct msg_run trial = gang_test_trial("{}");
    for (uint32_t node = 0; node < 2; node++) {
        trial.node = node;
        trial.nodes = 2;
        trial.port = test.port;
        trial.meeting = MEETING;
        trial.hosts = hosts;
        gang_test_begin(test.trainers[node], &trial);
        tell_halt(test.trainers[node]);
        assert_int_equal(gang_test_await(test.trainers[node]), ENDING_STOPPED_EARLY);
    }
    assert_int_equal(run_nodes(&test, &(struct msg_run){.trial = 2, .attempt = 1, .params = "{}"}), ENDING_COMPLETED);
    end_nodes(&test);
}

static void a_lease_that_says_no_place_begins_nothing(void **state)
{
    (void)state;
    struct nodes_test test = start_nodes(2, 1, "mlp", "{" DIGITS "}");
    struct msg_run trial = gang_test_trial("{}");
    trial.nodes = 2;
    assert_int_equal(gang_test_run(test.trainers[0], &trial), ENDING_NOT_STARTED);
    assert_has(test.trainers[0]->msg.ended.detail, "does not say where its nodes meet");
    end_nodes(&test);
}

static void a_kernel_of_one_process_says_so(void **state)
{
    struct gang_test *test = *state;
    test->nodes = 2;
    assert_string_equal(gang_test_set_up(test, "gbt", 1, "{" DIGITS "}"),
                        "kernel gbt trains in one process; leave out resources.nodes");
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

/* The trainer of one node is killed in the middle of a run: the other says which, and how it exits is no failure of its
 * own. */
static void who_loses_another_node_says_so(void **state)
{
    (void)state;
    for (int killed = 0; killed < 2; killed++) {
        struct nodes_test test = start_nodes(2, 2, "mlp", "{'data': 'examples/data/digits.csv'}");
        struct gang_test *other = test.trainers[1 - killed];
        char text[2000],
            *wanted = mem_format("gannet-trainer: node %d of 2 (%s) is gone: ", killed, killed ? "beta" : "alpha");
        begin_run(&test, gang_test_trial("{\"epochs\": 1000000}"));
        assert_int_equal(gang_test_next(test.trainers[0]), MSG_STEP);
        kill(test.trainers[killed]->pid, SIGKILL);
        gang_test_reap(test.trainers[killed]);
        int status = gang_test_reap(other);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), EXIT_NODE_LOST);
        read_errors(other, text, sizeof text);
        assert_has(text, wanted);
        free(wanted);
        end_nodes(&test);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_come_to_the_losses_of_one_process),
        cmocka_unit_test(a_layout_of_ranks_is_no_matter_to_batch_normalisation),
        cmocka_unit_test(a_trial_that_goes_on_is_the_same_to_the_bit),
        cmocka_unit_test(what_one_node_refuses_is_refused_and_the_next_runs),
        cmocka_unit_test(a_halt_of_node_0_ends_all_after_the_step),
        cmocka_unit_test(who_waits_for_other_nodes_can_be_halted),
        cmocka_unit_test(a_lease_that_says_no_place_begins_nothing),
        cmocka_unit_test_setup_teardown(a_kernel_of_one_process_says_so, gang_test_start, gang_test_end),
        cmocka_unit_test(who_loses_another_node_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
