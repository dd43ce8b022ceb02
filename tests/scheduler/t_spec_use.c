/* What a command makes of the parameters: what is not filled in, what is not used. */
#include "common/mem.h"
#include "scheduler/spec/spec.h"
#include "tests/claims.h"

#include <stdlib.h>
#include <string.h>

static const char rest[] = "metric: {name: loss, goal: minimize}\n"
                           "parameters: {lr: {min: 1e-4, max: 0.1}, width: [1, 2], fixed: 3}\n";

/* What is said of a `trial:` with parameters lr and width, and a constant; free() it. */
static char *said_of(const char *trial, const char *const *overrides, size_t count)
{
    struct problems problems;
    struct buf out = {0};
    char *text = mem_format("version: 1\ntrial: {%s}\n%s", trial, rest);
    spec_destroy(spec_read_text(text, strlen(text), "x.yaml", "/base", overrides, count, &problems));
    problems_check_use(&problems, false);
    problems_show(&problems, &out);
    problems_fini(&problems);
    free(text);
    char *said = mem_text(buf_str(&out));
    buf_fini(&out);
    return said;
}

static void expect(const char *trial, const char *sentence, const char *hint)
{
    char *said = said_of(trial, NULL, 0);
    assert_has(said, sentence);
    assert_has(said, hint);
    free(said);
}

static void expect_nothing(const char *trial)
{
    char *said = said_of(trial, NULL, 0);
    assert_string_equal(said, "");
    free(said);
}

static void a_command_that_uses_all_parameters_is_fine(void **state)
{
    (void)state;
    expect_nothing("command: [./train, \"${args}\"]");
    expect_nothing("command: [./train, \"--lr=${params.lr}\", \"${params.width}\"]");
    expect_nothing("command: [./train, \"${args_json_file}\"]");
    expect_nothing("command: \"./train --lr ${params.lr} -w $GANNET_PARAM_width\"");
    expect_nothing("command: [./train], env: {LR: \"${params.lr}\", W: \"${params.width}\"}");
    expect_nothing("command: [./train, \"${params.lr}\"], env: {FILE: GANNET_PARAMS_FILE}");
}

static void a_loop_of_ones_own_runs_nothing(void **state)
{
    (void)state;
    expect_nothing("command: [\"true\"]");
    expect_nothing("command: \"true\"");
    expect_nothing("kernel: mlp");
}

static void a_command_that_uses_no_parameter_is_an_error_at_its_place(void **state)
{
    (void)state;
    expect("command: [python, train.py]", "x.yaml:2:18: error: the command uses no parameter: every trial would run",
           "add \"${args}\" for one --NAME=VALUE each, or name them: \"--lr=${params.lr}\"");
    expect("command: python train.py", "x.yaml:2:18: error: the command uses no parameter", "add ${args} for");
}

static void braces_without_a_dollar_are_found_at_their_place(void **state)
{
    (void)state;
    expect("command: [./train, \"--lr={lr}\", \"${params.width}\"]", "x.yaml:2:34: error: '{lr}' is not filled in",
           "write ${params.lr}");
    expect("command: [./train, \"{{ lr }}\"]", "x.yaml:2:29: error: '{{ lr }}' is not filled in", "write ${params.lr}");
    expect("command: [./train, \"{args}\"]", "x.yaml:2:29: error: '{args}' is not filled in", "write ${args}");
    expect("command: [./train, \"%(lr)s\"]", "error: '%(lr)s' is not filled in", "write ${params.lr}");
}

static void one_mistake_is_said_once(void **state)
{
    (void)state;
    char *said = said_of("command: [./train, \"${lr}\", \"{{width}}\"]", NULL, 0);
    assert_has(said, "'{{width}}' is not filled in");
    assert_null(strstr(said, "'{lr}'"));
    assert_null(strstr(said, "'{width}'"));
    free(said);
}

static void a_variable_of_the_shell_that_nobody_sets_is_found(void **state)
{
    (void)state;
    expect("command: [./train, --lr, $lr]", "x.yaml:2:34: error: '$lr' is not filled in", "write ${params.lr}");
    expect("command: './train --lr $lr'", "error: '$lr' is not filled in", "write ${params.lr}");
    expect("command: './train --lr ${lr}'", "error: '${lr}' is not filled in", "write ${params.lr}");
    expect("command: [./train, \"${lr}\"]", "error: gannet doesn't fill in '${lr}'", "write ${params.lr}");
    expect("command: [./train, \"${trialParameters.lr}\"]", "error: gannet doesn't fill in", "write ${params.lr}");
}

static void what_the_shell_or_the_program_makes_of_a_name_is_its_own(void **state)
{
    (void)state;
    expect_nothing("command: 'lr=${params.lr}; ./train --lr $lr ${params.width}'");
    expect_nothing("command: [python, -c, 'lr=${params.lr}; print(f\"{lr}\")', '${params.width}']");
    expect("command: './train $lrate ${params.width}'", "warning: the command does not use 'lr'", "${params.lr}");
}

static void each_parameter_that_is_not_used_is_warned_of(void **state)
{
    (void)state;
    char *said = said_of("command: [./train, \"${params.lr}\"]", NULL, 0);
    assert_has(said, "x.yaml:4:41: warning: the command does not use 'width'");
    assert_null(strstr(said, "'fixed'"));
    free(said);
}

/* A mistake elsewhere in the file hides whether its program gets them by itself (import gannet). */
static void one_that_uses_none_is_not_warned_of_each(void **state)
{
    (void)state;
    char *said = said_of("command: [./train], retires: 3", NULL, 0);
    assert_has(said, "unknown key 'retires'");
    assert_null(strstr(said, "does not use"));
    free(said);
}

static void a_command_on_the_command_line_is_looked_at_too(void **state)
{
    (void)state;
    static const char *const overrides[] = {"trial.command=[./train, --lr, \"{lr}\"]"};
    char *said = said_of("command: [a, \"${args}\"]", overrides, 1);
    assert_has(said, "--set trial.command=[./train, --lr, \"{lr}\"]: error: '{lr}' is not filled in");
    free(said);
}

/* What is said of a command with a choice of texts, one of which has a blank; free() it. */
static char *said_of_quotes(const char *command)
{
    struct problems problems;
    struct buf out = {0};
    char *text = mem_format("version: 1\ntrial:\n  command: %s\nmetric: {name: loss, goal: minimize}\nparameters:\n"
                            "  opt: {values: [adam, \"sgd nesterov\"]}\n  lr: {min: 1e-4, max: 0.1}\n",
                            command);
    spec_destroy(spec_read_text(text, strlen(text), "x.yaml", "/base", NULL, 0, &problems));
    problems_check_use(&problems, false);
    problems_show(&problems, &out);
    problems_fini(&problems);
    free(text);
    char *said = mem_text(buf_str(&out));
    buf_fini(&out);
    return said;
}

static void a_value_in_quotes_of_the_shell_is_warned_of(void **state)
{
    (void)state;
    static const char *const commands[] = {"./train --lr ${params.lr} --opt \"${params.opt}\"",
                                           "./train --lr ${params.lr} '--opt=${params.opt}'", "./train \"${args}\"",
                                           "'# it''s tuned\n\n  ./train ${params.lr} \"${params.opt}\"'"};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        char *said = said_of_quotes(commands[i]);
        assert_has(said, "stands in quotes, and what is filled in is quoted for the shell already");
        free(said);
    }
    char *said = said_of_quotes(commands[1]);
    assert_has(said, "x.yaml:3:45: warning: '${params.opt}' stands in quotes");
    assert_has(said, "leave the quotes out: --opt=${params.opt}");
    free(said);
}

static void quotes_that_change_no_value_are_let_be(void **state)
{
    (void)state;
    static const char *const commands[] = {"./train \"${params.lr}\" ${params.opt}",
                                           "./train \"$HOME/data\" ${args}",
                                           "sh -c \"./train ${args}\"",
                                           "./train \"$(basename ${params.opt})\" ${params.lr}",
                                           "./train \\\"${params.opt}\\\" ${params.lr}",
                                           "[./train, \"${params.opt}\", \"${params.lr}\"]",
                                           "|\n    cat <<END | ./train ${params.lr}\n    \"${params.opt}\"\n    END"};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        char *said = said_of_quotes(commands[i]);
        assert_string_equal(said, "");
        free(said);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_command_that_uses_all_parameters_is_fine),
        cmocka_unit_test(a_loop_of_ones_own_runs_nothing),
        cmocka_unit_test(a_command_that_uses_no_parameter_is_an_error_at_its_place),
        cmocka_unit_test(braces_without_a_dollar_are_found_at_their_place),
        cmocka_unit_test(one_mistake_is_said_once),
        cmocka_unit_test(a_variable_of_the_shell_that_nobody_sets_is_found),
        cmocka_unit_test(what_the_shell_or_the_program_makes_of_a_name_is_its_own),
        cmocka_unit_test(each_parameter_that_is_not_used_is_warned_of),
        cmocka_unit_test(one_that_uses_none_is_not_warned_of_each),
        cmocka_unit_test(a_command_on_the_command_line_is_looked_at_too),
        cmocka_unit_test(a_value_in_quotes_of_the_shell_is_warned_of),
        cmocka_unit_test(quotes_that_change_no_value_are_let_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
