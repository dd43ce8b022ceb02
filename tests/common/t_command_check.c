/* What a command needs and is not there is found before it is started. */
#include "common/command_check.h"
#include "common/path.h"
#include "common/path_search.h"
#include "tests/claims.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Looks at a command of up to five words, in the test's directory. */
static int look(void *const *state, struct command_fault *fault, const char *a, const char *b, const char *c,
                const char *d)
{
    const char *command[] = {a, b, c, d, NULL};
    struct command_place place = {
        .command = command, .base = *state, .workdir = *state, .path = "/usr/local/bin:/usr/bin:/bin"};
    return command_check(&place, fault);
}

static void expect_fine(void *const *state, const char *a, const char *b, const char *c, const char *d)
{
    struct command_fault fault;
    if (look(state, &fault, a, b, c, d))
        print_error("%s %s: %s\n", a, b ? b : "", fault.err.text);
    assert_int_equal(look(state, &fault, a, b, c, d), 0);
}

static void what_is_there_is_fine(void **state)
{
    write_file(path_in(state, "train.sh"), "echo\n", 0600);
    write_file(path_in(state, "train"), "#!/bin/sh\n", 0700);
    expect_fine(state, "sh", "train.sh", "${args}", NULL);
    expect_fine(state, "sh", "-e", "train.sh", NULL);
    expect_fine(state, "./train", "--data=missing.csv", NULL, NULL);
    expect_fine(state, "/bin/sh", "-c", "sh train.sh --lr ${params.lr}", NULL);
    expect_fine(state, "/bin/sh", "-c", "./train --lr ${params.lr}", NULL);
}

static void what_cannot_be_told_is_let_be(void **state)
{
    expect_fine(state, "${env.PROGRAM}", "train.py", NULL, NULL);
    expect_fine(state, "sh", "${params.script}", NULL, NULL);
    expect_fine(state, "sh", "-c", "no-such-program", NULL);
    expect_fine(state, "/bin/sh", "-c", "cd elsewhere && sh there.sh", NULL);
    expect_fine(state, "/bin/sh", "-c", "for i in 1 2", NULL);
    expect_fine(state, "/bin/sh", "-c", "LR=1 no-such-program", NULL);
    expect_fine(state, "env", "python9", "no.py", NULL);
    expect_fine(state, "sh", "-x", "${args}", "missing.sh");
}

static void a_program_that_is_not_in_path_is_named(void **state)
{
    struct command_fault fault;
    assert_int_equal(look(state, &fault, "no-such-program", NULL, NULL, NULL), -1);
    assert_string_equal(fault.err.text, "there is no program 'no-such-program' in PATH");
    assert_int_equal(fault.argument, 0);
    assert_int_equal(look(state, &fault, "/bin/sh", "-c", "no-such-program --lr ${params.lr}", NULL), -1);
    assert_int_equal(fault.argument, 2);
}

static void a_command_that_is_one_item_of_the_list_is_taken_apart(void **state)
{
    struct command_fault fault;
    assert_int_equal(look(state, &fault, "sh train.sh ${args}", NULL, NULL, NULL), -1);
    assert_string_equal(fault.err.text, "'sh train.sh ${args}' is one item of the list, and no program's name");
    assert_has(fault.remedy.text, "[sh, train.sh, \"${args}\"], or the command as one text");
    assert_int_equal(look(state, &fault, "sh train.sh", "${args}", NULL, NULL), -1);
    assert_has(fault.remedy.text, "[sh, train.sh]");
    expect_fine(state, "${env.HOME}/my program", "${args}", NULL, NULL);
}

static void a_misspelled_program_is_guessed(void **state)
{
    struct command_fault fault;
    assert_int_equal(look(state, &fault, "dirnmae", NULL, NULL, NULL), -1);
    assert_string_equal(fault.remedy.text, "did you mean 'dirname'?");
}

static void a_program_beside_the_file_needs_a_slash(void **state)
{
    struct command_fault fault;
    write_file(path_in(state, "train-it"), "#!/bin/sh\n", 0700);
    assert_int_equal(look(state, &fault, "train-it", NULL, NULL, NULL), -1);
    assert_has(fault.remedy.text, "write ./train-it");
}

static void a_script_that_is_not_executable_says_how_it_is_run(void **state)
{
    struct command_fault fault;
    write_file(path_in(state, "train.py"), "print()\n", 0600);
    assert_int_equal(look(state, &fault, "./train.py", NULL, NULL, NULL), -1);
    assert_has(fault.err.text, "can't be run here: Permission denied");
    assert_has(fault.remedy.text, "[python3, ./train.py]");
}

static void a_directory_is_no_program(void **state)
{
    struct command_fault fault;
    assert_int_equal(mkdir(path_in(state, "code"), 0700), 0);
    assert_int_equal(look(state, &fault, "./code", NULL, NULL, NULL), -1);
    assert_has(fault.err.text, "Is a directory");
}

static void a_script_that_is_missing_is_named_and_guessed(void **state)
{
    struct command_fault fault;
    write_file(path_in(state, "train.sh"), "echo\n", 0600);
    assert_int_equal(look(state, &fault, "sh", "-u", "trian.sh", "${args}"), -1);
    assert_has(fault.err.text, "there is no file '");
    assert_has(fault.err.text, "/trian.sh'");
    assert_string_equal(fault.remedy.text, "did you mean 'train.sh'?");
    assert_int_equal(fault.argument, 2);
    assert_int_equal(look(state, &fault, "/bin/sh", "-c", "bash trian.sh --lr=${params.lr}", NULL), -1);
    assert_has(fault.err.text, "/trian.sh'");
}

static void a_script_of_another_directory_says_where_it_is(void **state)
{
    struct command_fault fault;
    const char *command[] = {"sh", "train.sh", NULL};
    struct command_place place = {.command = command, .base = *state, .workdir = "/", .path = NULL};
    write_file(path_in(state, "train.sh"), "echo\n", 0600);
    assert_int_equal(command_check(&place, &fault), -1);
    assert_has(fault.remedy.text, "the command starts in trial.workdir");
}

static void a_directory_that_is_missing_is_said_first(void **state)
{
    struct command_fault fault;
    const char *command[] = {"no-such-program", NULL};
    struct command_place place = {.command = command, .base = *state, .workdir = path_in(state, "gone"), .path = NULL};
    assert_int_equal(command_check(&place, &fault), -1);
    assert_int_equal(fault.argument, COMMAND_WORKDIR);
    assert_has(fault.err.text, "/gone': No such file");
    write_file(path_in(state, "gone"), "", 0600);
    assert_int_equal(command_check(&place, &fault), -1);
    assert_has(fault.err.text, "it is no directory");
}

static bool reads_environment(void *const *state, const char *a, const char *b)
{
    const char *command[] = {a, b, NULL};
    struct command_place place = {.command = command, .base = *state, .workdir = *state};
    return command_reads_environment(&place);
}

static void a_script_that_names_its_variables_reads_its_environment(void **state)
{
    write_file(path_in(state, "reads.py"), "os.environ['GANNET_PARAM_lr']\n", 0700);
    write_file(path_in(state, "other.py"), "import os\n", 0700);
    assert_true(reads_environment(state, "python3", "reads.py"));
    assert_true(reads_environment(state, "./reads.py", NULL));
    assert_false(reads_environment(state, "python3", "other.py"));
    assert_false(reads_environment(state, "python3", "missing.py"));
}

static void a_script_that_imports_gannet_has_its_parameters_from_there(void **state)
{
    write_file(path_in(state, "imports.py"), "import gannet\ntrial = gannet.trial(lr=0.1)\n", 0700);
    write_file(path_in(state, "takes.py"), "if True:\n  from gannet import trial\n", 0700);
    write_file(path_in(state, "several.py"), "import os, gannet", 0700);
    write_file(path_in(state, "another.py"), "import gannets\nfrom mygannet import x\nprint('gannet')\n", 0700);
    assert_true(reads_environment(state, "python3", "imports.py"));
    assert_true(reads_environment(state, "python3", "takes.py"));
    assert_true(reads_environment(state, "python3", "several.py"));
    assert_false(reads_environment(state, "python3", "another.py"));
}

static void a_script_in_r_or_julia_that_asks_for_its_trial_has_them_too(void **state)
{
    write_file(path_in(state, "train.R"), "source(\"gannet.R\")\ntrial <- gannet_trial(lr = 0.1)\n", 0700);
    write_file(path_in(state, "train.jl"), "include(\"Gannet.jl\")\ntrial = Gannet.trial(lr = 0.1)\n", 0700);
    write_file(path_in(state, "other.R"), "# for gannet\n", 0700);
    assert_true(reads_environment(state, "Rscript", "train.R"));
    assert_true(reads_environment(state, "julia", "train.jl"));
    assert_false(reads_environment(state, "Rscript", "other.R"));
}

static void a_compiled_program_that_names_them_reads_its_environment(void **state)
{
    static const char program[] = "\177ELF\0\0GANNET_PARAM_\0", other[] = "\177ELF\0\0PARAM\0";
    assert_int_equal(path_write(path_in(state, "reads"), program, sizeof program, 0700, NULL), 0);
    assert_int_equal(path_write(path_in(state, "other"), other, sizeof other, 0700, NULL), 0);
    assert_true(reads_environment(state, "./reads", NULL));
    assert_false(reads_environment(state, "./other", NULL));
}

static bool starts_others(void *const *state, const char *a, const char *b, const char *c)
{
    const char *command[] = {a, b, c, NULL};
    struct command_place place = {.command = command, .base = *state, .workdir = *state};
    return command_starts_others(&place);
}

static void what_scripts_of_a_shell_and_modules_start_is_not_seen(void **state)
{
    write_file(path_in(state, "wrap"), "#!/usr/bin/env bash\npython3 train.py\n", 0700);
    write_file(path_in(state, "train.py"), "#!/usr/bin/env python3\n", 0700);
    assert_true(starts_others(state, "./wrap", NULL, NULL));
    assert_true(starts_others(state, "sh", "wrap.sh", NULL));
    assert_true(starts_others(state, "python3", "-m", "package"));
    assert_false(starts_others(state, "./train.py", NULL, NULL));
    assert_false(starts_others(state, "python3", "train.py", NULL));
    assert_false(starts_others(state, "sh", "-c", "echo loss=1"));
}

static void the_interpreter_of_a_script_must_be_there(void **state)
{
    struct command_fault fault;
    const char *command[] = {"./script", NULL};
    struct command_place place = {.command = command, .base = *state, .workdir = *state, .path = "/usr/bin:/bin"};
    write_file(path_in(state, "script"), "#!/bin/sh -e\n", 0700);
    assert_int_equal(command_check(&place, &fault), 0);
    write_file(path_in(state, "script"), "#!/usr/bin/env sh\n", 0700);
    assert_int_equal(command_check(&place, &fault), 0);
    write_file(path_in(state, "script"), "#! /no/such/sh\n", 0700);
    assert_int_equal(command_check(&place, &fault), -1);
    assert_has(fault.err.text, "names '/no/such/sh' in its first line");
    write_file(path_in(state, "script"), "#!/bin/sh\r\n", 0700);
    assert_int_equal(command_check(&place, &fault), -1);
    assert_has(fault.remedy.text, "dos2unix");
}

static void a_program_of_path_is_looked_at_as_well(void **state)
{
    struct command_fault fault;
    const char *command[] = {"moved", NULL};
    struct command_place place = {.command = command, .base = *state, .workdir = *state, .path = *state};
    write_file(path_in(state, "moved"), "#!/no/such/venv/bin/python3\n", 0700);
    assert_int_equal(command_check(&place, &fault), -1);
    assert_has(fault.err.text, "names '/no/such/venv/bin/python3' in its first line");
}

/* Who opens it waits for somebody who writes. */
static void a_pipe_is_not_read(void **state)
{
    assert_int_equal(mkfifo(path_in(state, "pipe"), 0700), 0);
    expect_fine(state, "./pipe", NULL, NULL, NULL);
}

static void a_text_says_in_its_first_line_what_runs_it(void **state)
{
    struct command_fault fault;
    write_file(path_in(state, "script"), "echo loss=1\n", 0700);
    assert_int_equal(look(state, &fault, "./script", "${args}", NULL, NULL), -1);
    assert_has(fault.err.text, "/script' is a text, and its first line does not say what runs it");
    assert_has(fault.remedy.text, "or write what runs it, such as [sh, ./script]");
    expect_fine(state, "/bin/sh", "-c", "./script ${args}", NULL); /* a shell runs it by itself */
    write_file(path_in(state, "script"), "\xef\xbb\xbf#!/bin/sh\n", 0700);
    assert_int_equal(look(state, &fault, "./script", NULL, NULL, NULL), -1);
    assert_has(fault.remedy.text, "byte order mark");
    write_file(path_in(state, "script"), "", 0700);
    assert_int_equal(look(state, &fault, "./script", NULL, NULL, NULL), -1);
    assert_has(fault.err.text, "/script' is an empty file");
}

static void a_path_without_directories_has_no_program(void **state)
{
    (void)state;
    assert_null(path_search("sh", ""));
    assert_null(path_search("", "/bin"));
    assert_null(path_search_near("sj", ""));
}

#define CLAIM(name) cmocka_unit_test_setup_teardown(name, enter_scratch, leave_scratch)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CLAIM(what_is_there_is_fine),
        CLAIM(what_cannot_be_told_is_let_be),
        CLAIM(a_program_that_is_not_in_path_is_named),
        CLAIM(a_command_that_is_one_item_of_the_list_is_taken_apart),
        CLAIM(a_misspelled_program_is_guessed),
        CLAIM(a_program_beside_the_file_needs_a_slash),
        CLAIM(a_script_that_is_not_executable_says_how_it_is_run),
        CLAIM(a_directory_is_no_program),
        CLAIM(a_script_that_is_missing_is_named_and_guessed),
        CLAIM(a_script_of_another_directory_says_where_it_is),
        CLAIM(a_directory_that_is_missing_is_said_first),
        CLAIM(a_script_that_names_its_variables_reads_its_environment),
        CLAIM(a_script_that_imports_gannet_has_its_parameters_from_there),
        CLAIM(a_script_in_r_or_julia_that_asks_for_its_trial_has_them_too),
        CLAIM(a_compiled_program_that_names_them_reads_its_environment),
        CLAIM(what_scripts_of_a_shell_and_modules_start_is_not_seen),
        CLAIM(the_interpreter_of_a_script_must_be_there),
        CLAIM(a_program_of_path_is_looked_at_as_well),
        CLAIM(a_pipe_is_not_read),
        CLAIM(a_text_says_in_its_first_line_what_runs_it),
        CLAIM(a_path_without_directories_has_no_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
