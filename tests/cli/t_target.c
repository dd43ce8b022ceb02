/* The trial that a person means. */
#include "cli/data/target.h"
#include "tests/claims.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* "EXP#TRIAL" as it was read; '-' stands for the last experiment or no trial. */
static void means(const char *first, const char *second, const char *expected)
{
    struct target target;
    struct err err;
    char text[256];
    assert_int_equal(target_read(first, second, &target, &err), 0);
    snprintf(text, sizeof text, "%s#", target.experiment ? target.experiment : "-");
    if (target.best)
        strcat(text, "best");
    else if (target.has_trial)
        snprintf(text + strlen(text), 32, "%llu", (unsigned long long)target.trial);
    else
        strcat(text, "-");
    assert_string_equal(text, expected);
    target_fini(&target);
}

static void a_trial_is_named_behind_a_slash_or_apart(void **state)
{
    (void)state;
    means("digits/12", NULL, "digits#12");
    means("digits", "12", "digits#12");
    means("runs/digits/12", NULL, "runs/digits#12");
    means("runs/digits", "best", "runs/digits#best");
    means("digits/best", NULL, "digits#best");
}

static void a_lone_number_is_a_trial_of_the_last_experiment(void **state)
{
    (void)state;
    means("12", NULL, "-#12");
    means("best", NULL, "-#best");
    means(NULL, NULL, "-#-");
}

static void what_is_no_trial_is_an_experiment(void **state)
{
    (void)state;
    means("digits", NULL, "digits#-");
    means("runs/digits", NULL, "runs/digits#-");
    means("runs/digits/gannet.db", NULL, "runs/digits/gannet.db#-");
    means("/12", NULL, "/12#-");
    means("digits/0", NULL, "digits/0#-");
    means("digits/-3", NULL, "digits/-3#-");
    means("digits/1x", NULL, "digits/1x#-");
}

static void what_exists_as_a_file_is_an_experiment(void **state)
{
    char *here = getcwd(NULL, 0);
    assert_int_equal(chdir(*state), 0);
    assert_int_equal(mkdir("runs", 0700), 0);
    assert_int_equal(mkdir("runs/7", 0700), 0);
    assert_int_equal(mkdir("12", 0700), 0);
    means("runs/7", NULL, "runs/7#-");
    means("runs/8", NULL, "runs#8");
    means("12", NULL, "12#-");
    assert_int_equal(chdir(here), 0);
    free(here);
}

static void a_second_argument_must_be_a_trial(void **state)
{
    (void)state;
    struct target target;
    struct err err;
    assert_int_equal(target_read("digits", "twelve", &target, &err), -1);
    assert_string_equal(err.text, "'twelve' is no trial: a number from 1, or best");
    assert_int_equal(target_read("digits", "0", &target, &err), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_trial_is_named_behind_a_slash_or_apart),
        cmocka_unit_test(a_lone_number_is_a_trial_of_the_last_experiment),
        cmocka_unit_test(what_is_no_trial_is_an_experiment),
        cmocka_unit_test_setup_teardown(what_exists_as_a_file_is_an_experiment, enter_scratch, leave_scratch),
        cmocka_unit_test(a_second_argument_must_be_a_trial),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
