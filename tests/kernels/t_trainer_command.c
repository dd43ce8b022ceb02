/* The command line of gannet-trainer: what it lists, one trial by hand, and mistakes. */
#include "common/buf.h"
#include "common/mem.h"
#include "common/path.h"
#include "tests/claims.h"
#include "worker/backend/backend.h"
#include "worker/kernels/kernel.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

static void a_precision_of_gpus_is_refused_on_processors(void **state)
{
    (void)state;
    assert_says(
        "--run mlp --options '{\"data\": \"generate:spirals\", \"backend\": \"ref\"}' "
        "--params '{\"epochs\": 1, \"precision\": \"tf32\"}'",
        1, "bad_config: precision tf32 is of GPUs (backend cuda), and what computes here is ref; write fp32 or bf16");
}

static void what_computes_is_listed_with_whether_it_can_be_had(void **state)
{
    (void)state;
    assert_says("--backends", 0,
                "{\"name\":\"ref\",\"summary\":\"plain loops on one thread\",\"works\":true,\"why\":\"\"}");
}

static void a_trial_can_be_run_by_hand(void **state)
{
    (void)state;
    assert_says("--run synth --params '{\"x1\": 1, \"x2\": 1}' --options '{\"function\": \"sphere\", \"steps\": 2}'", 0,
                "completed: ran to its end; ");
    assert_says("--run synth --params '{\"x1\": 1, \"x2\": 1}' --seed 18446744073709551615", 0, "completed");
    assert_says("--run synth --params '{\"x1\": 1}'", 1, "bad_config: branin takes 2 coordinates");
    assert_says("--run mlp --base examples --options '{\"data\": \"data/digits.csv\"}' --params '{\"epochs\": 2}' "
                "--seed 7 --threads 1",
                0, "\nevaluation ");
}

/* Whether a line of so many words begins and ends like that. */
static bool has_line(const char *text, const char *first, int words, const char *last)
{
    for (const char *line = text; *line; line += strcspn(line, "\n") + (line[strcspn(line, "\n")] == '\n')) {
        char copy[400], *rest = copy, *word, *end = NULL;
        snprintf(copy, sizeof copy, "%.*s", (int)strcspn(line, "\n"), line);
        int count = 0;
        bool begins = true;
        while ((word = strtok_r(rest, " ", &rest))) {
            begins &= count || strcmp(word, first) == 0;
            end = word;
            count++;
        }
        if (begins && count == words && strcmp(end, last) == 0)
            return true;
    }
    return false;
}

static void a_step_is_a_line_of_a_table(void **state)
{
    (void)state;
    int status;
    char *synth = shell("--run synth --params '{\"x1\": 1, \"x2\": 1}' --options '{\"function\": \"sphere\", "
                        "\"steps\": 2}'",
                        &status),
         *mlp =
             shell("--run mlp --base examples --options '{\"data\": \"data/digits.csv\"}' --params '{\"epochs\": 2}'",
                   &status);
    assert_true(has_line(synth, "step", 3, "value")); /* no data, no examples */
    assert_true(has_line(synth, "1", 3, "2"));
    assert_true(has_line(synth, "2", 3, "2"));
    assert_true(has_line(mlp, "step", 8, "val_accuracy"));
    assert_has(mlp,
               "  step    seconds   data  samples/s   train_loss  train_accuracy     val_loss  val_accuracy\n     1 ");
    assert_has(mlp, " %  ");
    assert_null(strstr(strstr(mlp, "step ") + 1, "step ")); /* the head stands there once */
    free(synth);
    free(mlp);
}

static void programs_read_the_log_as_json(void **state)
{
    (void)state;
    int status;
    char *text = shell("--run mlp --json --base examples --options '{\"data\": \"data/digits.csv\"}' "
                       "--params '{\"epochs\": 2}'",
                       &status),
         *rest = text, *line;
    double samples[2] = {0};
    for (int i = 0; i < 2; i++) {
        json_t *step = json_loads(line = strtok_r(rest, "\n", &rest), 0, NULL);
        const json_t *metrics = json_object_get(step, "metrics");
        assert_int_equal(json_integer_value(json_object_get(step, "step")), i + 1);
        assert_int_equal(json_object_size(metrics), 4);
        assert_true(json_is_real(json_object_get(metrics, "val_loss")));
        samples[i] = json_number_value(json_object_get(step, "samples"));
        double seconds = json_number_value(json_object_get(step, "seconds")),
               data = json_number_value(json_object_get(step, "data_seconds"));
        assert_true(seconds > 0 && data > 0 && data <= seconds);
        assert_true(fabs(json_number_value(json_object_get(step, "data_share")) - data / seconds) < 1e-9);
        assert_true(json_number_value(json_object_get(step, "samples_per_second")) > 0);
        json_decref(step);
    }
    assert_true(samples[0] > 1400 && samples[0] == samples[1]); /* four fifths of 1797 */
    json_t *end = json_loads(line = strtok_r(rest, "\n", &rest), 0, NULL);
    assert_string_equal(json_string_value(json_object_get(end, "ending")), "completed");
    assert_true(json_is_object(json_object_get(json_object_get(end, "phases"), "backward")));
    assert_true(json_number_value(json_object_get(end, "peak_memory")) > 0);
    json_decref(end);
    assert_string_equal(rest, "");
    free(text);
    assert_says("--run synth --json --params '{\"x1\": 1}'", 1,
                "{\"ending\":\"bad_config\",\"detail\":\"branin takes 2");
    assert_says("--run synth --json --params '{\"x1\": 1, \"x2\": 1}' --options '{\"diverge\": 1}'", 1,
                "{\"ending\":\"diverged\"");
}

static void mistakes_on_the_command_line_are_named(void **state)
{
    (void)state;
    assert_says("", 2, "is started by gannet-worker");
    assert_says("--run gan", 2, "there is no kernel 'gan'");
    assert_says("--run synth --params '{x1'", 2, "--params is no JSON (column ");
    assert_says("--run synth --options '[]'", 2, "--options must be a JSON object");
    assert_says("--run table --options '{\"file\": \"a.csv\"}'", 2, "kernel table needs --metric");
    assert_says("--run mlp --options '{\"data\": \"generate:spirals\"}' --metric val_acc", 2,
                "kernel mlp does not report 'val_acc'; it reports: val_loss, val_accuracy");
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
    assert_says("--help", 0, "waited for data");
    assert_says("--version", 0, "gannet-trainer " GANNET_VERSION);
    assert_says("--functions", 0, "branin           2, x1 -5..10, x2 0..15; least 0.3978873577 at (3.141593, 2.275)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_catalogue_lists_every_kernel_and_row),
        cmocka_unit_test(a_precision_of_gpus_is_refused_on_processors),
        cmocka_unit_test(what_computes_is_listed_with_whether_it_can_be_had),
        cmocka_unit_test(a_trial_can_be_run_by_hand),
        cmocka_unit_test(a_precision_that_the_processor_does_not_have_is_refused),
        cmocka_unit_test(a_step_is_a_line_of_a_table),
        cmocka_unit_test(programs_read_the_log_as_json),
        cmocka_unit_test(mistakes_on_the_command_line_are_named),
        cmocka_unit_test(help_and_version_are_there),
    };
    return cmocka_run_group_tests_name("trainer_command", tests, NULL, NULL);
}
