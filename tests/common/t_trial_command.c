/* Placeholders in commands and environments. */
#include "common/trial_command.h"
#include "common/buf.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TASK(members)                                                                                                  \
    "{\"experiment\":\"e\",\"directory\":\"/run\",\"base\":\"/base\",\"workdir\":\"/work\",\"metric\":\"loss\","       \
    "\"metrics\":[\"loss\"],\"trial_time\":0,\"grace\":1,\"resources\":{\"cpus\":4,\"sockets\":0,\"gpus\":1,"          \
    "\"memory\":0,\"bind\":\"core\"}," members "}"

/* The arguments (or the environment) of a trial, each in brackets; or the error. */
static void assert_made(const char *task_text, bool env, const char *expected)
{
    struct err err = {""};
    struct task task;
    struct trial_command command;
    struct buf shown = {0};
    if (task_read(task_text, &task, &err))
        fail_msg("%s", err.text);
    json_t *params =
        json_loads("{\"lr\":1e-05,\"width\":64,\"opt\":\"adam\",\"odd\":\"it's two\",\"wide\":true}", 0, NULL);
    struct trial_command_facts trial = {.number = 131,
                                        .seed = 7,
                                        .params = params,
                                        .directory = "/run/trials/000131",
                                        .params_file = "/run/trials/000131/params.json",
                                        .cpus = 4,
                                        .gpus = 1};
    if (trial_command_make(&task, &trial, &command, &err)) {
        buf_text(&shown, err.text);
    } else {
        const struct texts *texts = env ? &command.env : &command.argv;
        for (size_t i = 0; i < texts->count; i++)
            buf_format(&shown, "[%s]", texts->items[i]);
        trial_command_fini(&command);
    }
    assert_string_equal(buf_str(&shown), expected);
    buf_fini(&shown);
    json_decref(params);
    task_fini(&task);
}

static void values_of_all_kinds_are_filled_in(void **state)
{
    (void)state;
    assert_made(TASK("\"command\":[\"train\",\"${params.lr}\",\"w=${params.width},${params.wide}\",\"${params.opt}\"]"),
                false, "[train][1e-05][w=64,true][adam]");
    assert_made(TASK("\"command\":[\"train\",\"${trial.id}\",\"${trial.dir}\",\"${seed}\",\"${resources.cpus}\","
                     "\"${resources.gpus}\",\"${args_json_file}\"]"),
                false, "[train][131][/run/trials/000131][7][4][1][/run/trials/000131/params.json]");
}

static void args_alone_become_an_argument_each(void **state)
{
    (void)state;
    assert_made(TASK("\"command\":[\"train\",\"${args}\",\"last\"]"), false,
                "[train][--lr=1e-05][--width=64][--opt=adam][--odd=it's two][--wide=true][last]");
    assert_made(TASK("\"command\":[\"train\",\"a ${args}\"]"), false,
                "[train][a --lr=1e-05 --width=64 --opt=adam --odd=it's two --wide=true]");
}

static void args_are_written_in_the_style_of_the_task(void **state)
{
    (void)state;
#define STYLED(style) TASK("\"command\":[\"t\",\"${args.lr}\",\"${args.odd}\"],\"args\":{\"style\":\"" style "\"}")
    assert_made(STYLED("equals"), false, "[t][--lr=1e-05][--odd=it's two]");
    assert_made(STYLED("space"), false, "[t][--lr][1e-05][--odd][it's two]");
    assert_made(STYLED("plain"), false, "[t][lr=1e-05][odd=it's two]");
    assert_made(STYLED("positional"), false, "[t][1e-05][it's two]");
    assert_made(STYLED("words"), false, "[t][--lr][1e-05][--odd][it's][two]");
}

static void a_parameter_may_have_an_arg_of_its_own(void **state)
{
    (void)state;
#define OWN(style, members)                                                                                            \
    TASK("\"command\":[\"t\",\"${args}\"],\"args\":{\"style\":\"" style "\",\"own\":{" members "}}")
    assert_made(OWN("equals", "\"lr\":\"-l\",\"width\":\"none\",\"opt\":\"--optimizer\",\"odd\":\"-o {} x{}y\","
                              "\"wide\":\"flag\""),
                false, "[t][-l][1e-05][--optimizer=adam][-o][it's two][xit's twoy][--wide]");
    assert_made(
        OWN("plain", "\"lr\":\"optim.lr\",\"width\":\"+w={}\",\"opt\":\"space\",\"odd\":\"words\",\"wide\":\"none\""),
        false, "[t][optim.lr=1e-05][+w=64][--opt][adam][--odd][it's][two]");
    assert_made(
        OWN("space",
            "\"wide\":\"--wide/--narrow\",\"lr\":\"none\",\"width\":\"none\",\"opt\":\"none\",\"odd\":\"none\""),
        false, "[t][--wide]");
    assert_made(OWN("space", "\"opt\":\"flag\""), false,
                "'opt' is flag on the command line, so it has to be true or false");
}

static void what_a_trial_does_not_have_vanishes_or_has_a_default(void **state)
{
    (void)state;
    assert_made(TASK("\"command\":[\"t\",\"${args.momentum}\",\"m=${params.momentum:-0.9}\",\"${params.lr:-1}\"]"),
                false, "[t][m=0.9][1e-05]");
    assert_made(TASK("\"command\":[\"/bin/sh\",\"-c\",\"t ${args.momentum} ${args.odd} ${params.momentum:-it's}\"]"),
                false, "[/bin/sh][-c][t  '--odd=it'\\''s two' 'it'\\''s']");
}

static void a_shell_gets_its_values_quoted_and_keeps_its_variables(void **state)
{
    (void)state;
    assert_made(TASK("\"command\":[\"/bin/sh\",\"-c\",\"t ${args} > ${HOME} ${params.odd} ${x\"]"), false,
                "[/bin/sh][-c][t --lr=1e-05 --width=64 --opt=adam '--odd=it'\\''s two' --wide=true > ${HOME} "
                "'it'\\''s two' ${x]");
}

static void a_program_beside_the_experiment_file_is_found_there(void **state)
{
    (void)state;
    assert_made(TASK("\"command\":[\"./train\"]"), false, "[/base/train]");
    assert_made(TASK("\"command\":[\"/bin/train\"]"), false, "[/bin/train]");
    assert_made(TASK("\"command\":[\"train\"]"), false, "[train]");
}

static void a_doubled_dollar_is_a_plain_one(void **state)
{
    (void)state;
    assert_made(TASK("\"command\":[\"t\",\"$${params.lr} $5 $\"]"), false, "[t][${params.lr} $5 $]");
}

static void the_environment_may_hold_placeholders(void **state)
{
    (void)state;
    setenv("GANNET_TEST_HOME", "/home/x", 1);
    assert_made(
        TASK("\"command\":[\"t\"],\"env\":{\"THREADS\":\"${resources.cpus}\",\"H\":\"${env.GANNET_TEST_HOME}/y\"}"),
        true, "[THREADS=4][H=/home/x/y]");
}

static void what_is_no_placeholder_is_refused_with_what_there_is(void **state)
{
    (void)state;
    assert_made(TASK("\"command\":[\"t\",\"${param.lr}\"]"), false,
                "${param.lr} is no placeholder; there are ${params.NAME}, ${args}, ${args.NAME}, ${args_json_file}, "
                "${config.yaml}, ${config.json}, ${trial.id}, ${trial.dir}, ${seed}, ${resources.cpus}, "
                "${resources.gpus} and ${env.NAME}; $${ is a plain ${");
    assert_made(
        TASK("\"command\":[\"t\",\"${params.momentum}\"]"), false,
        "${params.momentum}: this trial has no such parameter; ${args} and ${args.momentum} leave out parameters "
        "whose condition does not hold, and ${params.momentum:-VALUE} has another value then");
    assert_made(TASK("\"command\":[\"t\"],\"env\":{\"X\":\"${env.GANNET_NO_SUCH}\"}"), false,
                "trial.env.X: ${env.GANNET_NO_SUCH}: the environment of the worker has no variable 'GANNET_NO_SUCH'");
    assert_made(TASK("\"command\":[\"t\",\"${args\"]"), false,
                "'${args' opens a placeholder and does not close it; $${ is a plain ${");
}

static void a_variable_is_named_after_its_parameter(void **state)
{
    (void)state;
    json_t *real = json_real(1e-05), *text = json_string("a=b");
    char *first = trial_command_variable("opt.lr", real), *second = trial_command_variable("mode", text);
    assert_string_equal(first, "GANNET_PARAM_opt_lr=1e-05");
    assert_string_equal(second, "GANNET_PARAM_mode=a=b");
    free(first);
    free(second);
    json_decref(real);
    json_decref(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_all_kinds_are_filled_in),
        cmocka_unit_test(args_alone_become_an_argument_each),
        cmocka_unit_test(args_are_written_in_the_style_of_the_task),
        cmocka_unit_test(a_parameter_may_have_an_arg_of_its_own),
        cmocka_unit_test(what_a_trial_does_not_have_vanishes_or_has_a_default),
        cmocka_unit_test(a_shell_gets_its_values_quoted_and_keeps_its_variables),
        cmocka_unit_test(a_program_beside_the_experiment_file_is_found_there),
        cmocka_unit_test(a_doubled_dollar_is_a_plain_one),
        cmocka_unit_test(the_environment_may_hold_placeholders),
        cmocka_unit_test(what_is_no_placeholder_is_refused_with_what_there_is),
        cmocka_unit_test(a_variable_is_named_after_its_parameter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
