/* Constraints: what they mean, and what is said about mistakes. */
#include "tests/claims.h"
#include "tests/spaces.h"
#include "search/expression.h"
#include "common/mem.h"

#include <stdlib.h>
#include <string.h>

static const char *const space_text =
    "{'width': {'min': 1, 'max': 4096}, 'layers': {'min': 1, 'max': 64}, 'lr': {'min': 0.0, 'max': 1.0},"
    " 'opt.name': ['sgd', 'adam', 'lamb'], 'momentum': {'min': 0.0, 'max': 1.0, 'when': {'opt.name': 'sgd'}},"
    " 'nesterov': [true, false], 'batch-size': [64, 128, 256], 'rate': [null, 0.1, 0.5], 'epochs': 30,"
    " 'log': {'min': 1, 'max': 9}, 'warm': {'value': 3, 'when': {'opt.name': 'adam'}}}";

/* Whether a constraint holds at {'width': 512, ...} with some values set otherwise. */
static bool holds(const char *constraint, const char *config)
{
    struct space *space = spaces_make_with(space_text, constraint);
    double unit[SPACES_MOST];
    spaces_read(space, config, unit);
    bool allowed = space_allowed(space, unit);
    assert_int_equal(space_violated(space, unit), allowed ? -1 : 0);
    assert_string_equal(space_constraint(space, 0), constraint);
    space_destroy(space);
    return allowed;
}

#define CONFIG                                                                                                         \
    "{'width': 512, 'layers': 8, 'lr': 0.25, 'opt.name': 'sgd', 'momentum': 0.9, 'nesterov': true, 'batch-size': "     \
    "128, "                                                                                                            \
    "'rate': 0.5, 'log': 4}"

static void yes(const char *constraint)
{
    if (!holds(constraint, CONFIG))
        fail_msg("%s does not hold", constraint);
}

static void no(const char *constraint)
{
    if (holds(constraint, CONFIG))
        fail_msg("%s holds", constraint);
}

static void comparisons_compare(void **state)
{
    (void)state;
    yes("width * layers <= 4096");
    no("width * layers < 4096");
    yes("width > 511.5");
    no("width >= 513");
    yes("width == 512");
    no("width != 512.0");
    yes("opt.name == 'sgd'");
    no("opt.name == \"adam\"");
    yes("'adam' != opt.name");
    yes("nesterov == true");
    yes("true != false");
    yes("rate != null");
    no("null == rate");
    yes("rate == 0.5");
}

static void arithmetic_binds_as_taught_at_school(void **state)
{
    (void)state;
    yes("1 + 2 * 3 == 7");
    yes("(1 + 2) * 3 == 9");
    yes("10 - 4 - 3 == 3");
    yes("24 / 4 / 2 == 3");
    yes("2 ^ 3 ^ 2 == 512");
    yes("2 ** 3 == 8");
    yes("-2 ^ 2 == -4");
    yes("2 ^ -1 == 0.5");
    yes("- - 3 == +3");
    yes("17 % 5 == 2");
    yes("width % 64 == 0");
    yes("1e3 == 1000 and .5 == 0.5 and 1.e2 == 100");
}

static void and_binds_tighter_than_or_and_not_tighter_than_and(void **state)
{
    (void)state;
    yes("true or false and false");
    no("(true or false) and false");
    yes("not false and true");
    no("not (false or true)");
    yes("not width == 3");
    yes("!false && true || false");
    yes("nesterov");
    no("not nesterov");
    yes("not not nesterov");
}

static void functions_work(void **state)
{
    (void)state;
    yes("min(3, 1, 2) == 1 and max(3, 1, 2) == 3 and max(width, layers) == 512");
    yes("abs(-3) == 3 and log(exp(2)) == 2 and log2(8) == 3 and log10(1000) == 3");
    yes("sqrt(9) == 3 and floor(1.5) == 1 and ceil(1.5) == 2 and round(1.5) == 2");
    yes("log10( lr * 4 ) == 0");
}

static void names_may_be_like_functions_and_have_dots_and_dashes(void **state)
{
    (void)state;
    yes("log == 4");
    yes("log(log) > 1");
    yes("batch-size == 128");
    yes("batch-size-28 == 100");
    yes("epochs == 30");
}

static void what_is_no_number_compares_as_false(void **state)
{
    (void)state;
    no("log(-1) < 0");
    no("sqrt(-1) >= 0");
    no("log(-1) == log(-1)");
    no("0 / 0 == 0");
    yes("1 / 0 > 1e300");
}

static void a_constraint_on_an_inactive_parameter_is_satisfied(void **state)
{
    (void)state;
    no("momentum < 0.5");
    assert_true(holds("momentum < 0.5", "{'opt.name': 'adam'}"));
    assert_true(holds("false and momentum < 0.5", "{'opt.name': 'adam'}"));
    yes("warm == 4");
    assert_false(holds("warm == 4", "{'opt.name': 'adam'}"));
}

/* --- mistakes --- */

static void refused(const char *constraint, size_t column, const char *sentence)
{
    struct space *space = spaces_make(space_text);
    struct err err = {{0}};
    size_t at = 999;
    assert_int_equal(space_constrain(space, constraint, &at, &err), -1);
    assert_string_equal(err.text, sentence);
    assert_int_equal(at, column);
    space_destroy(space);
}

static void unknown_names_are_found_with_a_suggestion(void **state)
{
    (void)state;
    refused("widht <= 512", 0, "there is no parameter 'widht'; did you mean 'width'?");
    refused("1 < depth", 4, "there is no parameter 'depth'");
    refused("widths < 3", 0, "there is no parameter 'widths'; did you mean 'width'?");
    refused("opt.nam == 'sgd'", 0, "there is no parameter 'opt.nam'; did you mean 'opt.name'?");
    refused("1 < sqr(3)", 4, "there is no parameter 'sqr'; did you mean 'sqrt'?");
    refused("nesterov == True", 12, "there is no parameter 'True'; did you mean 'true'?");
}

static void kinds_must_fit(void **state)
{
    (void)state;
    refused("opt.name + 1 < 3", 0, "'opt.name' is a text, but '+' needs numbers");
    refused("1 < opt.name", 4, "'opt.name' is a text, but '<' needs numbers");
    refused("width and true", 0, "'width' is a number, but 'and' needs true or false");
    refused("not width", 4, "'width' is a number, but 'not' needs true or false");
    refused("-nesterov < 1", 1, "'nesterov' is true or false, but '-' needs numbers");
    refused("rate < 0.5", 0, "'rate' is not always of one kind, but '<' needs numbers");
    refused("width == 'wide'", 9, "this is a text and can't equal a number");
    refused("'wide' == width", 10, "'width' is a number and can't equal a text");
    refused("max(1, 'a') > 1", 7, "this is a text, but 'max' needs numbers");
    refused("width * 2", 0, "this is a number; a constraint must be true or false, like width <= 512");
    refused("  'text'", 2, "this is a text; a constraint must be true or false, like width <= 512");
}

static void a_choice_that_never_is_so_is_found(void **state)
{
    (void)state;
    refused("opt.name == 'sdg'", 12, "'opt.name' is never 'sdg'; did you mean 'sgd'?");
    refused("'rmsprop' != opt.name", 0, "'opt.name' is never 'rmsprop'");
}

static void what_is_missing_is_pointed_at(void **state)
{
    (void)state;
    refused("", 0, "something is missing at the end");
    refused("width <", 7, "something is missing at the end");
    refused("width < * 3", 8, "something is missing before this");
    refused("and width", 0, "something is missing before this");
    refused("width < 3 layers", 10, "an operator is missing before this");
    refused("(width < 3", 10, "')' is missing here");
    refused("width < 3)", 9, "an operator is missing before this");
    refused("max 3", 4, "'(' is missing here");
    refused("max(3) < 4", 5, "max takes two numbers or more");
    refused("sqrt(3, 4) < 4", 6, "sqrt takes one number");
    refused("sqrt() < 4", 5, "something is missing before this");
    refused("1 < width < 5", 10, "a chain of comparisons; write a < b and b < c");
    refused("width = 3", 6, "'=' means nothing here; write == to compare");
    refused("width & 3", 6, "a single & means nothing here; write &&");
    refused("width < 3 # 4", 10, "this character means nothing here");
    refused("opt.name == 'sgd", 12, "this text has no closing '");
    refused("2width < 3", 0, "a number runs into a name here; write 2 * x, not 2x");
    refused("width < 1e999", 8, "this number is too large");
}

/* --- hostile --- */

static char *repeated(const char *piece, size_t count, const char *end)
{
    struct buf text = {0};
    for (size_t i = 0; i < count; i++)
        buf_text(&text, piece);
    buf_text(&text, end);
    return buf_take(&text);
}

static void is_refused_somehow(const char *piece)
{
    struct space *space = spaces_make(space_text);
    char *text = repeated(piece, 10000, "1");
    struct err err = {{0}};
    size_t column = 0;
    assert_int_equal(space_constrain(space, text, &column, &err), -1);
    assert_true(*err.text && column <= strlen(text));
    free(text);
    space_destroy(space);
}

static void nesting_without_end_is_refused(void **state)
{
    (void)state;
    const char *const pieces[] = {"(", "-", "!", "not ", "+", "2^", "2**-", "abs(", "max(1,", "(1+(2*", "!(true and "};
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
        is_refused_somehow(pieces[i]);
    refused("((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((1", 64,
            "this is nested more than 64 levels deep");
}

static void a_long_chain_is_fine(void **state)
{
    (void)state;
    char *sum = repeated("1 + ", 10000, "0 == 10000");
    yes(sum);
    free(sum);
    char *either = repeated("width == 3 or ", 10000, "true");
    yes(either);
    free(either);
}

static void sixty_brackets_are_fine(void **state)
{
    (void)state;
    char *open = repeated("(", 60, "1");
    char *close = repeated(")", 60, " == 1");
    char *text = mem_format("%s%s", open, close);
    yes(text);
    free(text);
    free(open);
    free(close);
}

/* Random pieces: most are refused, none does harm, and what is accepted can be evaluated. */
static void random_text_is_read_or_refused(void **state)
{
    (void)state;
    static const char *const pieces[] = {
        "width", "lr",   "opt.name", "nesterov", "rate", "momentum", "'sgd'", "\"", "(",   ")",  "+",    "-",
        "*",     "/",    "%",        "^",        "<",    "<=",       "==",    "!=", "and", "or", "not",  "true",
        "null",  "max(", ",",        "log",      "1",    "0.5",      "1e9",   " ",  "&&",  "|",  "\xff", "."};
    struct rng rng = rng_make(5, "expression", 0);
    int accepted = 0;
    for (int i = 0; i < 5000; i++) {
        struct buf text = {0};
        for (uint64_t k = 1 + rng_below(&rng, 8); k > 0; k--)
            buf_format(&text, "%s%s", pieces[rng_below(&rng, sizeof pieces / sizeof *pieces)],
                       rng_below(&rng, 2) ? " " : "");
        struct space *space = spaces_make(space_text);
        struct err err = {{0}};
        size_t column = 0;
        if (space_constrain(space, buf_str(&text), &column, &err) == 0) {
            double unit[SPACES_MOST];
            spaces_point(space, &rng, unit);
            space_allowed(space, unit);
            accepted++;
        } else {
            assert_true(*err.text && column <= text.length);
        }
        space_destroy(space);
        buf_fini(&text);
    }
    assert_true(accepted > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comparisons_compare),
        cmocka_unit_test(arithmetic_binds_as_taught_at_school),
        cmocka_unit_test(and_binds_tighter_than_or_and_not_tighter_than_and),
        cmocka_unit_test(functions_work),
        cmocka_unit_test(names_may_be_like_functions_and_have_dots_and_dashes),
        cmocka_unit_test(what_is_no_number_compares_as_false),
        cmocka_unit_test(a_constraint_on_an_inactive_parameter_is_satisfied),
        cmocka_unit_test(unknown_names_are_found_with_a_suggestion),
        cmocka_unit_test(kinds_must_fit),
        cmocka_unit_test(a_choice_that_never_is_so_is_found),
        cmocka_unit_test(what_is_missing_is_pointed_at),
        cmocka_unit_test(nesting_without_end_is_refused),
        cmocka_unit_test(a_long_chain_is_fine),
        cmocka_unit_test(sixty_brackets_are_fine),
        cmocka_unit_test(random_text_is_read_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
