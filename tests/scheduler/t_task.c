/* The task and the parameters as JSON: what workers and readers of the store get of a spec. */
#include "scheduler/spec/task.h"
#include "scheduler/spec/parameter_json.h"
#include "tests/claims.h"
#include "tests/experiment.h"

#include "common/task.h"

#include <stdlib.h>
#include <string.h>

static void write_and_read(void **state, const char *text, struct task *task)
{
    struct err err = {0};
    struct spec *spec = experiment_spec(state, text);
    char *json = task_write(spec, "/runs/small", false, &err);
    if (!json || task_read(json, task, &err))
        fail_msg("%s", err.text);
    free(json);
    spec_destroy(spec);
}

static void a_kernel_travels_with_its_options(void **state)
{
    struct task task;
    write_and_read(state, experiment_text, &task);
    assert_string_equal(task.experiment, "small");
    assert_string_equal(task.directory, "/runs/small");
    assert_string_equal(task.kernel, "synth");
    assert_string_equal(json_string_value(json_object_get(task.options, "function")), "branin");
    assert_null(task.command);
    assert_string_equal(task.metric, "value");
    assert_string_equal(task.metrics[0], "value");
    assert_null(task.metrics[1]);
    assert_string_equal(task.base, *state);
    task_fini(&task);
}

static void a_command_travels_with_its_environment_limits_and_resources(void **state)
{
    struct task task;
    write_and_read(state,
                   "version: 1\n"
                   "trial: {command: [./train, '${args}'], env: {A: '1', B: '${params.x}'}, grace: 5s, workdir: work}\n"
                   "metric: {name: loss, goal: minimize}\n"
                   "parameters: {x: [1, 2]}\n"
                   "limits: {max_trials: 2, trial_time: 90s}\n"
                   "resources: {cpus: 4, gpus: 1, memory: 2G, bind: numa}\n",
                   &task);
    assert_null(task.kernel);
    assert_has(task.command[0], "train");
    assert_string_equal(task.command[1], "${args}");
    assert_null(task.command[2]);
    assert_string_equal(json_string_value(json_object_get(task.env, "B")), "${params.x}");
    assert_true(task.grace == 5 && task.trial_time == 90);
    assert_int_equal(task.cpus, 4);
    assert_int_equal(task.gpus, 1);
    assert_int_equal(task.memory, 2ll << 30);
    assert_int_equal(task.bind, TASK_BIND_NUMA);
    assert_int_equal(task.workdir[0], '/');
    task_fini(&task);
}

static void a_path_that_json_can_not_say_is_refused(void **state)
{
    struct err err = {0};
    struct spec *spec = experiment_spec(state, experiment_text);
    assert_null(task_write(spec, "/runs/\xff", false, &err));
    assert_has(err.text, "not UTF-8");
    spec_destroy(spec);
}

static void parameters_are_an_array_of_objects(void **state)
{
    struct spec *spec = experiment_spec(state, "version: 1\n"
                                               "trial: {kernel: synth}\n"
                                               "metric: {name: value, goal: minimize}\n"
                                               "parameters:\n"
                                               "  lr: {min: 1e-4, max: 0.1, log: true, default: 1e-2}\n"
                                               "  layers: {min: 1, max: 4}\n"
                                               "  optimizer: {values: [sgd, adam], weights: [1, 2]}\n"
                                               "  momentum: {min: 0.5, max: 0.9, when: {optimizer: sgd}}\n"
                                               "  noise: {mean: 0, stddev: 1}\n"
                                               "  epochs: 30\n"
                                               "limits: {max_trials: 2}\n");
    struct buf text = {0};
    parameters_write(spec->space, &text);
    assert_has(buf_str(&text), "{\"name\":\"lr\",\"kind\":\"real\",\"min\":0.0001");
    assert_has(buf_str(&text), "\"log\":true");
    assert_has(buf_str(&text), "\"name\":\"layers\",\"kind\":\"int\"");
    assert_has(buf_str(&text), "\"values\":[\"sgd\",\"adam\"],\"weights\":[1.0,2.0]");
    assert_has(buf_str(&text), "\"when\":{\"optimizer\":[\"sgd\"]}");
    assert_has(buf_str(&text), "\"name\":\"noise\",\"kind\":\"normal\",\"mean\":0.0,\"stddev\":1.0}");
    assert_has(buf_str(&text), "\"name\":\"epochs\",\"kind\":\"constant\",\"value\":30");
    buf_fini(&text);
    spec_destroy(spec);
}

int main(void)
{
#define PLACED(test) cmocka_unit_test_setup_teardown(test, enter_scratch, leave_scratch)
    const struct CMUnitTest tests[] = {
        PLACED(a_kernel_travels_with_its_options),
        PLACED(a_command_travels_with_its_environment_limits_and_resources),
        PLACED(a_path_that_json_can_not_say_is_refused),
        PLACED(parameters_are_an_array_of_objects),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
