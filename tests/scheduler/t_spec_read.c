/* Reading files: what the spec holds, where paths start, what can't be read. */
#include "common/mem.h"
#include "scheduler/spec/load.h"
#include "scheduler/spec/spec.h"
#include "tests/claims.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char small[] =
    "version: 1\ntrial: {kernel: mlp, options: {file: a.csv}}\nmetric: {name: loss, goal: minimize}\n"
    "parameters: {lr: {min: 0.1, max: 0.9}, n: [1, 2]}\n";

static struct spec *read_file(const char *path)
{
    struct problems problems;
    struct spec *spec = spec_read(path, NULL, 0, &problems);
    assert_int_equal(problems.count, 0);
    problems_fini(&problems);
    return spec;
}

static struct spec *read_text(const char *text, const char *const *overrides, size_t count)
{
    struct problems problems;
    struct spec *spec = spec_read_text(text, strlen(text), "small.yaml", "/base", overrides, count, &problems);
    assert_int_equal(problems.errors, 0);
    problems_fini(&problems);
    return spec;
}

static void defaults_are_filled_in(void **state)
{
    (void)state;
    struct spec *spec = read_text(small, NULL, 0);
    assert_string_equal(spec->name, "small");
    assert_string_equal(spec->base, "/base");
    assert_string_equal(spec->trial.workdir, "/base");
    assert_int_equal(spec->trial.retries, 0);
    assert_int_equal(spec->limits.same_failures, 5);
    assert_true(spec->trial.grace == 60);
    assert_false(spec->has_seed);
    assert_false(spec->metric.maximize || spec->metric.use_best || spec->has_target);
    assert_string_equal(spec->strategy.name, "auto");
    assert_null(spec->strategy.plugin);
    assert_true(spec->limits.max_trials == 0 && spec->limits.time == 0 && !spec->limits.has_max_failures);
    assert_int_equal(spec->resources.cpus, 0);
    assert_int_equal(spec->resources.bind, BIND_CORE);
    assert_string_equal(bind_name(spec->resources.bind), "core");
    spec_destroy(spec);
}

static void what_is_written_is_what_the_spec_holds(void **state)
{
    (void)state;
    const char *text = "version: 1\nseed: 7\ntags: [a, b]\n"
                       "trial: {command: ./train, env: {A: 1}, retries: 0, grace: 1m}\n"
                       "metric: {name: acc, goal: maximize, target: 0.9, step: epoch, use: best}\n"
                       "parameters: {lr: {min: 0.1, max: 0.9}, opt: [x, y], m: {min: 1, max: 5, when: {opt: x}}}\n"
                       "constraints: [lr < 0.5 or m > 2]\nstart: [{lr: 0.2, opt: y}]\n"
                       "limits: {max_trials: 5, max_concurrent: 2, max_failures: 0, time: 1h, trial_time: 90s}\n"
                       "resources: {cpus: 3, gpus: 1, memory: 2G, bind: numa}\n";
    struct spec *spec = read_text(text, NULL, 0);
    assert_true(spec->has_seed && spec->seed == 7);
    assert_int_equal(spec->tag_count, 2);
    assert_string_equal(spec->tags[1], "b");
    assert_null(spec->trial.kernel);
    assert_int_equal(spec->trial.command_count, 3);
    assert_string_equal(spec->trial.command[2], "./train");
    assert_string_equal(spec->trial.env[0].text, "1");
    assert_true(spec->metric.maximize && spec->has_target && spec->target == 0.9);
    assert_true(spec->metric.use_best);
    assert_string_equal(spec->metric.step, "epoch");
    assert_int_equal(space_count(spec->space), 3);
    assert_int_equal(space_constraint_count(spec->space), 1);
    assert_int_equal(space_param(spec->space, 2)->conditions[0].parent, 1);
    assert_string_equal(spec->start[0], "{\"lr\": 0.2, \"opt\": \"y\"}");
    assert_true(spec->limits.has_max_failures && spec->limits.max_failures == 0);
    assert_true(spec->limits.time == 3600 && spec->limits.trial_time == 90);
    assert_true(spec->resources.memory == (uint64_t)2 << 30);
    assert_int_equal(spec->resources.bind, BIND_NUMA);
    spec_destroy(spec);
}

static void the_name_comes_from_the_file(void **state)
{
    (void)state;
    static const struct {
        const char *file, *name;
    } rows[] = {{"a/b/cifar.yaml", "cifar"}, {"my digits.gannet.yml", "my-digits"},
                {"-.yaml", "experiment"},    {"/dev/stdin", "stdin"},
                {".hidden.yaml", "hidden"},  {"x.gannet.yaml", "x"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct problems problems;
        struct spec *spec = spec_read_text(small, strlen(small), rows[i].file, "/", NULL, 0, &problems);
        assert_string_equal(spec->name, rows[i].name);
        spec_destroy(spec);
        problems_fini(&problems);
    }
}

static void relative_paths_start_from_the_file(void **state)
{
    const char *path = path_in(state, "x.yaml");
    struct buf text = {0};
    buf_text(&text, small);
    buf_text(&text, "strategy: {name: mine, plugin: ./lib/mine.so}\n");
    write_file(path, buf_str(&text), 0600);
    struct spec *spec = read_file(path);
    assert_string_equal(spec->base, *state);
    assert_string_equal(spec->strategy.plugin, path_in(state, "lib/mine.so"));
    spec_destroy(spec);
    buf_fini(&text);
}

static void a_file_of_this_directory_has_this_directory_for_base(void **state)
{
    write_file(path_in(state, "x.yaml"), small, 0600);
    char *before = getcwd(NULL, 0);
    assert_int_equal(chdir(*state), 0);
    char *here = getcwd(NULL, 0);
    struct spec *plain = read_file("x.yaml"), *dotted = read_file("./x.yaml");
    assert_string_equal(plain->base, here);
    assert_string_equal(dotted->base, here);
    assert_int_equal(chdir(before), 0);
    spec_destroy(plain);
    spec_destroy(dotted);
    free(here);
    free(before);
}

static void assert_unreadable(const char *path, const char *words)
{
    struct problems problems;
    struct buf shown = {0};
    assert_null(spec_read(path, NULL, 0, &problems));
    problems_show(&problems, &shown);
    assert_int_equal(problems.errors, 1);
    assert_string_equal(problems.items[0].code, "cannot_read");
    assert_has(buf_str(&shown), words);
    buf_fini(&shown);
    problems_fini(&problems);
}

static void files_that_can_not_be_read_are_problems_like_others(void **state)
{
    assert_unreadable(path_in(state, "missing.yaml"), "No such file");
    assert_unreadable(*state, "directory");
}

static void a_file_beyond_the_limit_is_not_read(void **state)
{
    char *text = mem_zero(LOAD_BYTES + 2, 1);
    memset(text, '#', LOAD_BYTES + 1);
    write_file(path_in(state, "large.yaml"), text, 0600);
    assert_unreadable(path_in(state, "large.yaml"), "large");
    free(text);
}

static void a_later_override_wins(void **state)
{
    (void)state;
    const char *const overrides[] = {"limits.max_trials=5", "limits.max_trials=6", "parameters.n=null"};
    struct spec *spec = read_text(small, overrides, 3);
    assert_int_equal(spec->limits.max_trials, 6);
    assert_int_equal(space_count(spec->space), 1);
    spec_destroy(spec);
}

/* A plug-in may be gone and a strategy unknown when a finished experiment is looked at. */
static void reading_looks_for_no_file_and_loads_no_code(void **state)
{
    (void)state;
    const char *const overrides[] = {"strategy={name: nobody, plugin: /no/such/file.so, options: {any: [1]}}",
                                     "trial.workdir=/no/such/directory"};
    struct spec *spec = read_text(small, overrides, 2);
    assert_string_equal(spec->strategy.name, "nobody");
    spec_destroy(spec);
}

static void problems_are_whole_even_when_there_is_no_spec(void **state)
{
    (void)state;
    struct problems problems;
    assert_null(spec_read_text("a: [", 4, "x.yaml", "/", NULL, 0, &problems));
    assert_string_equal(problems.file, "x.yaml");
    assert_string_equal(problems.text, "a: [");
    problems_fini(&problems);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_filled_in),
        cmocka_unit_test(what_is_written_is_what_the_spec_holds),
        cmocka_unit_test(the_name_comes_from_the_file),
        cmocka_unit_test_setup_teardown(relative_paths_start_from_the_file, enter_scratch, leave_scratch),
        cmocka_unit_test_setup_teardown(a_file_of_this_directory_has_this_directory_for_base, enter_scratch,
                                        leave_scratch),
        cmocka_unit_test_setup_teardown(files_that_can_not_be_read_are_problems_like_others, enter_scratch,
                                        leave_scratch),
        cmocka_unit_test_setup_teardown(a_file_beyond_the_limit_is_not_read, enter_scratch, leave_scratch),
        cmocka_unit_test(a_later_override_wins),
        cmocka_unit_test(reading_looks_for_no_file_and_loads_no_code),
        cmocka_unit_test(problems_are_whole_even_when_there_is_no_spec),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
