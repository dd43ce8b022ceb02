/* Reading command lines along their tables. */
#include "cli/option.h"
#include "tests/claims.h"

#include <stdlib.h>
#include <string.h>

static const struct option options[] = {
    {.name = "workers", .short_name = 'w', .type = OPTION_COUNT, .value = "N", .help = "how many"},
    {.name = "dir", .short_name = 'd', .type = OPTION_TEXT, .value = "DIR", .help = "where"},
    {.name = "set", .type = OPTION_TEXT, .value = "KEY=VALUE", .many = true, .help = "change"},
    {.name = "as", .type = OPTION_WORD, .value = "args|json", .help = "how"},
    {.name = "quiet", .short_name = 'q', .help = "less"},
    {.name = NULL}};
static const struct argument arguments[] = {
    {"FILE", "the experiment file", true}, {"OTHER", "another", false}, {.name = NULL}};
static const struct syntax syntax = {.command = "gannet test", .arguments = arguments, .options = options};

/* Reads the words up to the NULL. */
static int read_words(struct args *args, struct err *err, const char *const *words)
{
    int count = 0;
    while (words[count])
        count++;
    return args_read(&syntax, count, (char **)(uintptr_t)words, args, err);
}

#define READ(args, ...) read_words(args, &err, (const char *const[]){__VA_ARGS__, NULL})

/* The sentence that these words are refused with. */
#define REFUSED(sentence, ...)                                                                                         \
    do {                                                                                                               \
        struct args args;                                                                                              \
        struct err err = {""};                                                                                         \
        assert_int_equal(READ(&args, __VA_ARGS__), -1);                                                                \
        assert_string_equal(err.text, sentence);                                                                       \
        args_fini(&args);                                                                                              \
    } while (0)

static void every_spelling_of_a_value_is_read(void **state)
{
    (void)state;
    struct args args;
    struct err err;
    const char *const *spellings[] = {
        (const char *const[]){"f", "--workers", "3", NULL}, (const char *const[]){"f", "--workers=3", NULL},
        (const char *const[]){"-w", "3", "f", NULL}, (const char *const[]){"f", "-w3", NULL},
        (const char *const[]){"-qw3", "f", NULL}};
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++) {
        assert_int_equal(read_words(&args, &err, spellings[i]), 0);
        assert_int_equal(args_count(&args, "workers", 1), 3);
        assert_string_equal(args_rest(&args, 0), "f");
        assert_null(args_rest(&args, 1));
        args_fini(&args);
    }
}

static void what_is_not_given_takes_its_default_value(void **state)
{
    (void)state;
    struct args args;
    struct err err;
    assert_int_equal(READ(&args, "f"), 0);
    assert_int_equal(args_count(&args, "workers", 7), 7);
    assert_string_equal(args_text(&args, "dir", "here"), "here");
    assert_false(args_has(&args, "quiet"));
    args_fini(&args);
}

static void a_repeated_option_keeps_every_value_in_order(void **state)
{
    (void)state;
    struct args args;
    struct err err;
    assert_int_equal(READ(&args, "--set", "a=1", "f", "--set=b=2"), 0);
    size_t count;
    const char *const *list = args_list(&args, "set", &count);
    assert_int_equal(count, 2);
    assert_string_equal(list[0], "a=1");
    assert_string_equal(list[1], "b=2");
    args_fini(&args);
}

static void two_dashes_end_the_options(void **state)
{
    (void)state;
    struct args args;
    struct err err;
    assert_int_equal(READ(&args, "-q", "--", "-f", "--dir"), 0);
    assert_string_equal(args_rest(&args, 0), "-f");
    assert_string_equal(args_rest(&args, 1), "--dir");
    assert_true(args_has(&args, "quiet"));
    args_fini(&args);
}

static void a_lone_dash_is_an_argument(void **state)
{
    (void)state;
    struct args args;
    struct err err;
    assert_int_equal(READ(&args, "-"), 0);
    assert_string_equal(args_rest(&args, 0), "-");
    args_fini(&args);
}

static void an_unknown_option_is_answered_with_a_suggestion_and_the_list(void **state)
{
    (void)state;
    REFUSED("gannet test has no option '--wrokers'; did you mean '--workers'? The options: --workers, --dir, --set, "
            "--as, --quiet, --help, --color, --plain",
            "f", "--wrokers=3");
    REFUSED("gannet test has no option '-x'. The options: --workers, --dir, --set, --as, --quiet, --help, --color, "
            "--plain",
            "f", "-x");
}

static void an_option_that_belongs_behind_the_dashes_is_told_so(void **state)
{
    (void)state;
    static const struct argument rows[] = {{"-- OPTION...", "options of sbatch", false}, {.name = NULL}};
    const struct syntax others = {.command = "gannet test", .arguments = rows};
    struct args args;
    struct err err;
    assert_int_equal(args_read(&others, 1, (char *[]){"--mem=3"}, &args, &err), -1);
    assert_string_equal(err.text, "gannet test has no option '--mem'. The options: --help, --color, --plain. Behind "
                                  "`--` stand options of sbatch");
    args_fini(&args);
}

static void a_wrong_value_names_its_option(void **state)
{
    (void)state;
    REFUSED("gannet test: --workers needs a whole number from 1, not 'many'", "f", "--workers", "many");
    REFUSED("gannet test: --workers needs a whole number from 1, not '0'", "f", "-w", "0");
    REFUSED("gannet test: --workers needs a whole number from 1, not '3x'", "f", "-w3x");
    REFUSED("gannet test: --workers needs a whole number from 1, not ''", "f", "--workers=");
    REFUSED("gannet test: --as is args|json, not 'xml'", "f", "--as=xml");
    REFUSED("gannet test: --as is args|json, not ''", "f", "--as=");
    REFUSED("gannet test: --color is auto|always|never, not 'red'", "f", "--color", "red");
    REFUSED("gannet test: --quiet takes no value, but got 'yes'", "f", "--quiet=yes");
}

static void a_missing_value_names_its_option(void **state)
{
    (void)state;
    REFUSED("gannet test: --dir needs a value: --dir DIR", "f", "--dir");
    REFUSED("gannet test: --workers needs a value: --workers N", "f", "-w");
}

static void an_option_given_twice_is_refused(void **state)
{
    (void)state;
    REFUSED("gannet test: --dir is given twice", "f", "--dir=a", "-d", "b");
}

static void arguments_are_counted(void **state)
{
    (void)state;
    REFUSED("gannet test needs FILE: the experiment file", "-q");
    REFUSED("gannet test: 'c' is one argument too many; see gannet test --help", "a", "b", "c");
}

static void help_needs_no_arguments(void **state)
{
    (void)state;
    struct args args;
    struct err err;
    assert_int_equal(READ(&args, "--help"), 0);
    assert_true(args_has(&args, "help"));
    args_fini(&args);
}

static void words_are_matched_whole(void **state)
{
    (void)state;
    assert_true(option_word("args|json", "json"));
    assert_true(option_word("args|json", "args"));
    assert_false(option_word("args|json", "js"));
    assert_false(option_word("args|json", "args|json"));
    assert_false(option_word("args|json", ""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_spelling_of_a_value_is_read),
        cmocka_unit_test(what_is_not_given_takes_its_default_value),
        cmocka_unit_test(a_repeated_option_keeps_every_value_in_order),
        cmocka_unit_test(two_dashes_end_the_options),
        cmocka_unit_test(a_lone_dash_is_an_argument),
        cmocka_unit_test(an_unknown_option_is_answered_with_a_suggestion_and_the_list),
        cmocka_unit_test(an_option_that_belongs_behind_the_dashes_is_told_so),
        cmocka_unit_test(a_wrong_value_names_its_option),
        cmocka_unit_test(a_missing_value_names_its_option),
        cmocka_unit_test(an_option_given_twice_is_refused),
        cmocka_unit_test(arguments_are_counted),
        cmocka_unit_test(help_needs_no_arguments),
        cmocka_unit_test(words_are_matched_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
