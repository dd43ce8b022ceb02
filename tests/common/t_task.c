/* The task as workers and trainers read it. */
#include "common/task.h"
#include "tests/claims.h"

#include <string.h>

static struct err err;

#define HEAD                                                                                                           \
    "'experiment': 'e', 'directory': '/r', 'base': '/b', 'workdir': '/w', 'metric': 'loss', 'metrics': ['loss', "      \
    "'acc'], 'trial_time': 60, 'grace': 2.5, "
#define RESOURCES "'resources': {'cpus': 2, 'gpus': 1, 'memory': 34359738368, 'bind': 'numa'}"

/* Reads a task written with ' for ". */
static int read_task(const char *text, struct task *task)
{
    char json[2048];
    size_t i = 0;
    for (; text[i]; i++)
        json[i] = text[i] == '\'' ? '"' : text[i];
    json[i] = '\0';
    err.text[0] = '\0';
    return task_read(json, task, &err);
}

static void expect_refused(const char *text, const char *sentence)
{
    struct task task;
    assert_int_equal(read_task(text, &task), -1);
    assert_has(err.text, sentence);
    assert_null(task.json);
    task_fini(&task);
}

static void a_task_with_a_kernel_is_read(void **state)
{
    (void)state;
    struct task task;
    assert_int_equal(
        read_task("{" HEAD "'kernel': 'mlp', 'options': {'epochs': 3}, 'tomorrow': [1], " RESOURCES "}", &task), 0);
    assert_string_equal(task.experiment, "e");
    assert_string_equal(task.directory, "/r");
    assert_string_equal(task.base, "/b");
    assert_string_equal(task.workdir, "/w");
    assert_string_equal(task.metric, "loss");
    assert_string_equal(task.metrics[0], "loss");
    assert_string_equal(task.metrics[1], "acc");
    assert_null(task.metrics[2]);
    assert_string_equal(task.kernel, "mlp");
    assert_null(task.command);
    assert_null(task.env);
    assert_int_equal(json_integer_value(json_object_get(task.options, "epochs")), 3);
    assert_true(task.trial_time == 60 && task.grace == 2.5);
    assert_int_equal(task.cpus, 2);
    assert_int_equal(task.sockets, 0);
    assert_int_equal(task.gpus, 1);
    assert_true(task.memory == 32ull << 30);
    assert_int_equal(task.bind, TASK_BIND_NUMA);
    task_fini(&task);
}

static void a_task_with_a_command_is_read(void **state)
{
    (void)state;
    struct task task;
    assert_int_equal(
        read_task("{" HEAD "'command': ['python3', 'train.py', '${args}'], 'env': {'A': 'b'}, 'resources': {}}", &task),
        0);
    assert_null(task.kernel);
    assert_string_equal(task.command[2], "${args}");
    assert_null(task.command[3]);
    assert_string_equal(json_string_value(json_object_get(task.env, "A")), "b");
    assert_int_equal(task.bind, TASK_BIND_NONE);
    task_fini(&task);
    task_fini(&task);
}

static void a_missing_member_is_named(void **state)
{
    (void)state;
    expect_refused("{'kernel': 'mlp', " RESOURCES "}", "the task has no 'experiment'");
    expect_refused("{" HEAD "'kernel': 'mlp'}", "the task has no object 'resources'");
    expect_refused("{" HEAD RESOURCES "}", "neither 'kernel' nor 'command'");
    expect_refused("{" HEAD "'kernel': 'mlp', 'command': ['a'], " RESOURCES "}", "both 'kernel' and 'command'");
}

static void more_processes_than_there_may_be_are_refused(void **state)
{
    (void)state;
    expect_refused("{" HEAD "'command': ['a'], 'resources': {'ranks': 4097}}", "4097 'ranks', more than 4096");
    expect_refused("{" HEAD "'command': ['a'], 'persistent': true, 'resources': {'ranks': 2}}",
                   "a persistent program is one process");
}

static void a_member_of_the_wrong_kind_is_named(void **state)
{
    (void)state;
    expect_refused("{" HEAD "'kernel': 3, " RESOURCES "}", "'kernel' is not a text");
    expect_refused("{" HEAD "'kernel': 'a', 'options': [], " RESOURCES "}", "'options' is not an object");
    expect_refused("{" HEAD "'command': 'a', " RESOURCES "}", "'command' is not a list of texts");
    expect_refused("{" HEAD "'command': ['a', 1], " RESOURCES "}", "'command' is not a list of texts");
    expect_refused("{" HEAD "'command': [], " RESOURCES "}", "'command' is empty");
    expect_refused("{" HEAD "'command': ['a'], 'env': {'N': 1}, " RESOURCES "}", "'env' has a 'N' that is not a text");
    expect_refused("{" HEAD "'kernel': 'a', 'resources': {'cpus': -1}}", "'cpus' is not a whole number");
    expect_refused("{" HEAD "'kernel': 'a', 'resources': {'cpus': 4294967296}}", "'cpus' is not a whole number");
    expect_refused("{" HEAD "'kernel': 'a', 'resources': {'memory': 1.5}}", "'memory' is not bytes");
    expect_refused("{" HEAD "'kernel': 'a', 'resources': {'bind': 'gpu'}}", "'bind' is not none, core, socket or numa");
    expect_refused("{'experiment': 'e', 'directory': '/r', 'base': '/b', 'workdir': '/w', 'metric': 'loss', 'metrics': "
                   "[], 'trial_time': -1, " RESOURCES "}",
                   "'trial_time' is not seconds, zero or more");
}

static void what_is_no_json_object_is_refused(void **state)
{
    (void)state;
    expect_refused("", "the task is no JSON");
    expect_refused("{'a'", "the task is no JSON");
    expect_refused("[]", "the task is not an object");
    expect_refused("{'a': 1, 'a': 2}", "the task is no JSON");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_task_with_a_kernel_is_read),
        cmocka_unit_test(a_task_with_a_command_is_read),
        cmocka_unit_test(a_missing_member_is_named),
        cmocka_unit_test(more_processes_than_there_may_be_are_refused),
        cmocka_unit_test(a_member_of_the_wrong_kind_is_named),
        cmocka_unit_test(what_is_no_json_object_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
