/* Switches as arguments. */
#include "common/trial_args.h"
#include "common/buf.h"
#include "tests/claims.h"

#include <string.h>

/* The arguments of a switch that is true, and of one that is false, in brackets. */
static void assert_switch(const char *arg, const char *expected)
{
    struct err err;
    struct buf shown = {0};
    for (int on = 1; on >= 0; on--) {
        struct texts list = {0};
        json_t *value = json_boolean(on);
        assert_int_equal(trial_args_add(ARGS_EQUALS, arg, "bn", value, &list, &err), 0);
        for (size_t i = 0; i < list.count; i++)
            buf_format(&shown, "[%s]", list.items[i]);
        buf_text(&shown, on ? " " : "");
        json_decref(value);
        texts_fini(&list);
    }
    assert_string_equal(buf_str(&shown), expected);
    buf_fini(&shown);
}

static void switches_are_flags_pairs_or_values(void **state)
{
    (void)state;
    assert_switch("flag", "[--bn] ");
    assert_switch("no-flag", "[--bn] [--no-bn]");
    assert_switch("--norm/", "[--norm] ");
    assert_switch("/--no-norm", " [--no-norm]");
    assert_switch("--amp/--fp32", "[--amp] [--fp32]");
    assert_switch(NULL, "[--bn=true] [--bn=false]");
    assert_switch("none", " ");
    assert_switch("use/bn={}", "[use/bn=true] [use/bn=false]");
}

static void only_switches_are_for_true_and_false_alone(void **state)
{
    (void)state;
    assert_true(trial_arg_is_switch("flag"));
    assert_true(trial_arg_is_switch("--a/--b"));
    assert_true(trial_arg_is_switch("/--b"));
    assert_false(trial_arg_is_switch("model/lr"));
    assert_false(trial_arg_is_switch("--a/b={}"));
    assert_false(trial_arg_is_switch("space"));
}

static void styles_have_their_words(void **state)
{
    (void)state;
    for (int style = 0; style < ARGS_STYLES; style++)
        assert_int_equal(args_style_named(args_style_words[style]), style);
    assert_int_equal(args_style_named("hydra"), ARGS_STYLES);
    assert_null(args_style_words[ARGS_STYLES]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(switches_are_flags_pairs_or_values),
        cmocka_unit_test(only_switches_are_for_true_and_false_alone),
        cmocka_unit_test(styles_have_their_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
