/* The command line of gannet-trainer: what it lists, one trial by hand, and mistakes. */
#include "common/buf.h"
#include "common/mem.h"
#include "common/path.h"
#include "tests/claims.h"
#include "worker/backend/backend.h"
#include "worker/kernels/kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

static char *program(void)
{
    char *here = path_program_directory();
    char *path = mem_format("%s/../../bin/gannet-trainer", here);
    free(here);
    return path;
}

/* Runs the program with arguments for the shell; its standard output, to be freed, and its exit status. */
static char *shell(const char *arguments, int *status)
{
    char *path = program(), *command = mem_format("%s %s 2>&1 3<&-", path, arguments), bytes[4096];
    struct buf out = {0};
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    for (size_t length; (length = fread(bytes, 1, sizeof bytes, pipe)) > 0;)
        buf_add(&out, bytes, length);
    *status = WEXITSTATUS(pclose(pipe));
    free(command);
    free(path);
    return buf_take(&out);
}

static void assert_says(const char *arguments, int status, const char *part)
{
    int was;
    char *text = shell(arguments, &was);
    assert_has(text, part);
    assert_int_equal(was, status);
    free(text);
}

static void the_catalogue_lists_every_kernel_and_row(void **state)
{
    (void)state;
    int status;
    char *text = shell("--kernels --json", &status), *words = shell("--kernels", &status);
    json_t *list = json_loads(text, 0, NULL);
    for (size_t i = 0; kernel_list[i]; i++) {
        const json_t *kernel = json_array_get(list, i);
        assert_string_equal(json_string_value(json_object_get(kernel, "name")), kernel_list[i]->name);
        assert_string_equal(json_string_value(json_object_get(kernel, "metrics")), kernel_list[i]->metrics);
        size_t options = 0, params = 0;
        for (const struct kernel_option *row = kernel_list[i]->options; row->name; row++, options++)
            assert_has(words, row->help);
        for (const struct kernel_option *row = kernel_list[i]->params; row->name; row++, params++)
            assert_has(words, row->help);
        assert_int_equal(json_array_size(json_object_get(kernel, "params")), params);
        assert_int_equal(json_array_size(json_object_get(kernel, "options")),
                         options + (kernel_list[i]->fixed ? params : 0));
    }
    assert_null(json_array_get(list, json_array_size(list)));
    json_decref(list);
    free(text);
    free(words);
}

/* oneDNN is told to do without the instructions, as a processor that has none would. */
static void a_precision_that_the_processor_does_not_have_is_refused(void **state)
{
    (void)state;
    static const char wide[] = "--run mlp --options '{\"data\": \"examples/data/digits.csv\"}' "
                               "--params '{\"epochs\": 1, \"precision\": \"bf16\"}'";
    static const char slow[] = "--run mlp --options '{\"data\": \"examples/data/digits.csv\", \"backend\": \"ref\"}' "
                               "--params '{\"epochs\": 1, \"precision\": \"bf16\"}'";
    if (!backend_find("onednn"))
        skip_because("this gannet was built without oneDNN, and the plain loops do every precision");
    setenv("DNNL_MAX_CPU_ISA", "AVX2", 1);
    assert_says(wide, 1, "bad_config: ");
    assert_says(wide, 1, "write precision: fp32, or backend: ref");
    assert_says(slow, 0, "completed");
    unsetenv("DNNL_MAX_CPU_ISA");
}

static void a_trial_can_be_run_by_hand(void **state)
{
    (void)state;
    assert_says("--run synth --params '{\"x1\": 1, \"x2\": 1}' --options '{\"function\": \"sphere\", \"steps\": 2}'", 0,
                "step 1  value=2\nstep 2  value=2\ncompleted: ran to its end; ");
    assert_says("--run synth --params '{\"x1\": 1, \"x2\": 1}' --seed 18446744073709551615", 0, "completed");
    assert_says("--run synth --params '{\"x1\": 1}'", 1, "bad_config: branin takes 2 coordinates");
    assert_says("--run mlp --base examples --options '{\"data\": \"data/digits.csv\"}' --params '{\"epochs\": 2}' "
                "--seed 7 --threads 1",
                0, "\nevaluation ");
}

static void mistakes_on_the_command_line_are_named(void **state)
{
    (void)state;
    assert_says("", 2, "is started by gannet-worker");
    assert_says("--run gan", 2, "there is no kernel 'gan'");
    assert_says("--run synth --params '{x1'", 2, "--params is no JSON (column ");
    assert_says("--run synth --options '[]'", 2, "--options must be a JSON object");
    assert_says("--run table --options '{\"file\": \"a.csv\"}'", 2, "kernel table needs --metric");
    assert_says("--run synth --seed x", 2, "not a number: x");
    assert_says("--run synth --seed -1", 2, "not a number: -1");
    assert_says("--run synth --seed 18446744073709551616", 2, "not a number: 18446744073709551616");
    assert_says("--run synth y", 2, "unexpected argument: y");
    assert_says("--sing", 2, "--sing");
}

static void help_and_version_are_there(void **state)
{
    (void)state;
    assert_says("--help", 0, "Usage: gannet-trainer");
    assert_says("--version", 0, "gannet-trainer " GANNET_VERSION);
    assert_says("--functions", 0, "branin           2, x1 -5..10, x2 0..15; least 0.3978873577 at (3.141593, 2.275)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_catalogue_lists_every_kernel_and_row),
        cmocka_unit_test(a_trial_can_be_run_by_hand),
        cmocka_unit_test(a_precision_that_the_processor_does_not_have_is_refused),
        cmocka_unit_test(mistakes_on_the_command_line_are_named),
        cmocka_unit_test(help_and_version_are_there),
    };
    return cmocka_run_group_tests_name("trainer_command", tests, NULL, NULL);
}
