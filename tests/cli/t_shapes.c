/* The JSON that other programs may rely on, as the real programs write it about a real search. */
#include "common/buf.h"
#include "tests/claims.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char experiment[] = "version: 1\n"
                                 "seed: 3\n"
                                 "description: for programs\n"
                                 "trial: {kernel: synth, options: {function: sphere, steps: 3, diverge: [2]}}\n"
                                 "metric: {name: value, goal: minimize, step: step}\n"
                                 "parameters:\n"
                                 "  x1: {min: -1.0, max: 1.0}\n"
                                 "  x2: {min: -1.0, max: 1.0}\n"
                                 "strategy: random\n"
                                 "limits: {max_trials: 6}\n";

/* Runs `gannet COMMAND` and reads what it writes; its exit status must be as expected. NULL when it wrote no JSON. */
static json_t *ask(const char *command, int status)
{
    struct buf line = {0};
    buf_format(&line, "gannet %s 2>/dev/null", command);
    FILE *pipe = popen(buf_str(&line), "r");
    assert_non_null(pipe);
    json_t *answer = json_loadf(pipe, JSON_DECODE_ANY, NULL);
    int ended = pclose(pipe);
    buf_fini(&line);
    assert_true(WIFEXITED(ended));
    assert_int_equal(WEXITSTATUS(ended), status);
    return answer;
}

/* What a member has to be: i integer, r real number, s text, o object, a array, b boolean; n: or null. */
static void has(const json_t *object, const char *member, const char *kinds)
{
    const json_t *value = json_object_get(object, member);
    bool fits = false;
    for (const char *kind = kinds; value && *kind; kind++)
        fits = fits || (*kind == 'i' && json_is_integer(value)) || (*kind == 'r' && json_is_number(value)) ||
               (*kind == 's' && json_is_string(value)) || (*kind == 'o' && json_is_object(value)) ||
               (*kind == 'a' && json_is_array(value)) || (*kind == 'b' && json_is_boolean(value)) ||
               (*kind == 'n' && json_is_null(value));
    if (!fits)
        fail_msg("'%s' is %s, expected one of \"%s\"", member, value ? "something else" : "missing", kinds);
}

static void is_trial(const json_t *trial)
{
    static const char *const members[][2] = {{"trial", "i"},  {"state", "s"},    {"reason", "sn"}, {"attempts", "i"},
                                             {"params", "o"}, {"metrics", "o"},  {"value", "rsn"}, {"started", "sn"},
                                             {"ended", "sn"}, {"seconds", "rn"}, {"node", "sn"},   {"slot", "in"},
                                             {"cpus", "an"},  {"gpus", "an"},    {"profile", "o"}};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        has(trial, members[i][0], members[i][1]);
}

/* Goes to a fresh directory and runs the experiment there. The programs are those in PATH (tests/run). */
static int run_experiment(void **state)
{
    enter_scratch(state);
    write_file(path_in(state, "shapes.yaml"), experiment, 0600);
    assert_int_equal(chdir(*state), 0);
    json_t *result = ask("run shapes.yaml --json", 0);
    assert_non_null(result);
    has(result, "name", "s");
    has(result, "directory", "s");
    has(result, "state", "s");
    has(result, "reason", "s");
    has(result, "trials", "o");
    has(result, "seconds", "r");
    has(result, "best", "o");
    has(result, "phases", "a");
    has(result, "again", "s");
    is_trial(json_object_get(result, "best"));
    json_decref(result);
    return 0;
}

static void trials_are_an_array_of_objects(void **state)
{
    (void)state;
    json_t *trials = ask("trials shapes --json", 0);
    assert_int_equal(json_array_size(trials), 6);
    for (size_t i = 0; i < 6; i++)
        is_trial(json_array_get(trials, i));
    const json_t *first = json_array_get(trials, 0);
    const json_t *params = json_object_get(first, "params");
    double x1 = json_real_value(json_object_get(params, "x1")), x2 = json_real_value(json_object_get(params, "x2"));
    assert_true(fabs(json_number_value(json_object_get(first, "value")) - x1 * x1 - x2 * x2) < 1e-9);
    assert_string_equal(json_string_value(json_object_get(first, "state")), "completed");
    const json_t *second = json_array_get(trials, 1);
    assert_string_equal(json_string_value(json_object_get(second, "state")), "failed");
    assert_string_equal(json_string_value(json_object_get(second, "reason")), "diverged");
    assert_true(json_is_null(json_object_get(second, "value")));
    json_decref(trials);
}

static void the_best_is_one_of_them(void **state)
{
    (void)state;
    json_t *best = ask("best shapes --json", 0), *trials = ask("trials shapes --sort value -n 1 --json", 0);
    is_trial(best);
    assert_true(json_equal(best, json_array_get(trials, 0)));
    json_decref(best);
    json_decref(trials);
    json_t *three = ask("best shapes -n 3 --json", 0);
    assert_int_equal(json_array_size(three), 3);
    json_decref(three);
}

static void one_trial_has_its_runs_and_its_curve(void **state)
{
    (void)state;
    json_t *trial = ask("show shapes/1 --json", 0);
    is_trial(trial);
    assert_int_equal(json_array_size(json_object_get(trial, "runs")), 1);
    assert_int_equal(json_array_size(json_object_get(trial, "curve")), 3);
    const json_t *run = json_array_get(json_object_get(trial, "runs"), 0);
    has(run, "attempt", "i");
    has(run, "reason", "s");
    has(run, "profile", "o");
    const json_t *sample = json_array_get(json_object_get(trial, "curve"), 0);
    has(sample, "metric", "s");
    has(sample, "step", "i");
    has(sample, "value", "rs");
    json_decref(trial);
}

static void the_status_has_a_schema(void **state)
{
    (void)state;
    json_t *status = ask("status shapes --json", 0);
    assert_string_equal(json_string_value(json_object_get(status, "schema")), "gannet.status/1");
    has(status, "lives", "b");
    has(status, "trials", "o");
    has(status, "workers", "a");
    has(status, "best_trial", "i");
    has(status, "best_values", "o");
    has(status, "counters", "n"); /* no coordinator lives */
    json_decref(status);
    json_t *list = ask("ls --json", 0);
    assert_int_equal(json_array_size(list), 1);
    has(json_array_get(list, 0), "schema", "s");
    json_decref(list);
}

static void a_checked_file_is_an_object_with_its_problems(void **state)
{
    (void)state;
    json_t *check = ask("check shapes.yaml --json", 0);
    has(check, "experiment", "s");
    has(check, "space", "o");
    assert_int_equal(json_array_size(json_object_get(check, "trials")), 3);
    assert_int_equal(json_array_size(json_object_get(check, "problems")), 0);
    json_decref(check);
    check = ask("check shapes.yaml --set limits.max_trails=3 --json", 2);
    const json_t *problem = json_array_get(json_object_get(check, "problems"), 0);
    has(problem, "severity", "s");
    has(problem, "code", "s");
    has(problem, "message", "s");
    json_decref(check);
}

static void lists_of_what_gannet_knows_are_arrays(void **state)
{
    (void)state;
    json_t *kernels = ask("kernels --json", 0), *strategies = ask("strategies --json", 0);
    assert_true(json_array_size(kernels) >= 4);
    assert_true(json_array_size(strategies) >= 3);
    has(json_array_get(kernels, 0), "options", "a");
    has(json_array_get(strategies, 0), "options", "a");
    json_decref(kernels);
    json_decref(strategies);
    json_t *replay = ask("replay shapes --json", 0);
    has(replay, "proposals", "i");
    has(replay, "same", "i");
    json_decref(replay);
    json_t *schema = ask("schema", 0);
    has(schema, "properties", "o");
    json_decref(schema);
}

static void errors_write_no_json(void **state)
{
    (void)state;
    assert_null(ask("status nowhere --json", 5));
    assert_null(ask("show shapes/99 --json", 5));
    assert_null(ask("trials shapes --columns nonsense --json", 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trials_are_an_array_of_objects),
        cmocka_unit_test(the_best_is_one_of_them),
        cmocka_unit_test(one_trial_has_its_runs_and_its_curve),
        cmocka_unit_test(the_status_has_a_schema),
        cmocka_unit_test(a_checked_file_is_an_object_with_its_problems),
        cmocka_unit_test(lists_of_what_gannet_knows_are_arrays),
        cmocka_unit_test(errors_write_no_json),
    };
    return cmocka_run_group_tests(tests, run_experiment, leave_scratch);
}
