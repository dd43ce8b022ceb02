/* What a program's source declares decides how its parameters are written. */
#include "cli/session/options.h"
#include "common/mem.h"
#include "tests/claims.h"

#include <stdlib.h>
#include <string.h>

static const char file[] = "version: 1\ntrial: {command: [t, \"${args}\"]%s}\nmetric: {name: m, goal: minimize}\n"
                           "parameters: {%s: %s}\n";

/* The `arg` of one parameter after a look at the source, "" when it has none, and what was said. */
static void look(const char *trial, const char *name, const char *values, const char *source, char **arg, char **said)
{
    struct problems problems;
    struct buf shown = {0};
    char *text = mem_format(file, trial, name, values);
    struct spec *spec = spec_read_text(text, strlen(text), "x.yaml", "/", NULL, 0, &problems);
    assert_non_null(spec);
    options_settle(spec, source, &problems);
    problems_show(&problems, &shown);
    const char *found = json_string_value(json_object_get(spec->trial.args, name));
    *arg = mem_text(found ? found : "");
    *said = mem_text(buf_str(&shown));
    buf_fini(&shown);
    spec_destroy(spec);
    problems_fini(&problems);
    free(text);
}

static void assert_arg(const char *name, const char *values, const char *source, const char *expected)
{
    char *arg, *said;
    look("", name, values, source, &arg, &said);
    assert_string_equal(arg, expected);
    assert_string_equal(said, "");
    free(arg);
    free(said);
}

static void a_switch_is_written_as_the_flag_that_it_is(void **state)
{
    (void)state;
    static const char switches[] = "[true, false]";
    assert_arg("bn", switches, "p.add_argument(\"--bn\", help=\"(x)\", action=\"store_true\")", "--bn/");
    assert_arg("use_bn", switches, "p.add_argument('-b', '--use-bn', action='store_true')", "--use-bn/");
    assert_arg("bn", switches, "p.add_argument('--bn', action=argparse.BooleanOptionalAction)", "--bn/--no-bn");
    assert_arg("bn", switches, "p.add_argument('--no-bn', action='store_false')", "/--no-bn");
    assert_arg("bn", switches,
               "p.add_argument('--bn', action='store_true')\np.add_argument('--no-bn', action='store_false')",
               "--bn/--no-bn");
    assert_arg("bn", switches, "@click.option('--bn/--no-bn', default=True)", "--bn/--no-bn");
    assert_arg("bn", switches, "@click.option('--bn', is_flag=True)", "--bn/");
}

static void an_action_of_another_option_is_not_its_own(void **state)
{
    (void)state;
    assert_arg("bn", "[true, false]",
               "p.add_argument('--bn', type=str2bool)\np.add_argument('--v', action='store_true')", "");
    assert_arg("bn", "[true, false]", "print('--bn')", "");
    assert_arg("bn", "[true, false]", "('--bn'", "");
}

static void a_name_with_dashes_is_found(void **state)
{
    (void)state;
    assert_arg("learning_rate", "{min: 0.1, max: 1.0}", "p.add_argument(\"--learning-rate\", type=float)",
               "--learning-rate");
    assert_arg("learning_rate", "{min: 0.1, max: 1.0}", "p.add_argument(\"--learning_rate\", type=float)", "");
}

static void what_the_file_says_wins(void **state)
{
    (void)state;
    assert_arg("bn", "{values: [true, false], arg: equals}", "p.add_argument('--bn', action='store_true')", "equals");
    char *arg, *said;
    look(", args_style: plain", "bn", "[true, false]", "p.add_argument('--bn', action='store_true')", &arg, &said);
    assert_string_equal(arg, "");
    free(arg);
    free(said);
}

static void what_argparse_would_not_take_is_warned_of(void **state)
{
    (void)state;
    char *arg, *said;
    look("", "bn", "[true, false]", "p.add_argument('--bn', type=bool)", &arg, &said);
    assert_has(said, "x.yaml:4:14: warning: argparse's type=bool takes '--bn=false' as true");
    free(arg);
    free(said);
    look("", "widht", "[1, 2]", "p.add_argument('--width')\nargs = p.parse_args()", &arg, &said);
    assert_has(said, "warning: the program declares no option '--widht'");
    free(arg);
    free(said);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_switch_is_written_as_the_flag_that_it_is),
        cmocka_unit_test(an_action_of_another_option_is_not_its_own),
        cmocka_unit_test(a_name_with_dashes_is_found),
        cmocka_unit_test(what_the_file_says_wins),
        cmocka_unit_test(what_argparse_would_not_take_is_warned_of),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
