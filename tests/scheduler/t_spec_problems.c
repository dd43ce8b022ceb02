/* How problems are shown, sorted, counted and given to programs. */
#include "common/mem.h"
#include "scheduler/spec/problem.h"
#include "tests/claims.h"

#include <stdlib.h>
#include <string.h>

static struct problems in_file(const char *text)
{
    return (struct problems){.file = mem_text("x.yaml"), .text = mem_text(text)};
}

static struct source_mark at(uint32_t line, uint32_t column, uint32_t end_column)
{
    return (struct source_mark){line, column, end_column, NULL};
}

/* Shows the problems, compares, and frees them. */
static void assert_shown(struct problems *problems, const char *expected)
{
    struct buf out = {0};
    problems_show(problems, &out);
    assert_string_equal(buf_str(&out), expected);
    buf_fini(&out);
    problems_fini(problems);
}

static void a_problem_shows_its_line_a_caret_and_the_hint(void **state)
{
    (void)state;
    struct problems problems = in_file("limits:\n  max_trails: 400\n");
    problem_hint(problem_add(&problems, PROBLEM_UNKNOWN_KEY, at(2, 3, 13), "unknown key 'max_trails' in 'limits'"),
                 "did you mean 'max_trials'?");
    assert_shown(&problems, "x.yaml:2:3: error: unknown key 'max_trails' in 'limits'\n"
                            "    2 |   max_trails: 400\n"
                            "      |   ^^^^^^^^^^ did you mean 'max_trials'?\n");
}

static void a_long_hint_has_a_line_of_its_own(void **state)
{
    (void)state;
    struct problems problems = in_file("a: 1\n");
    problem_hint(problem_add(&problems, PROBLEM_BAD_VALUE, at(1, 4, 5), "no"), "%0120d", 1);
    struct buf expected = {0};
    buf_format(&expected, "x.yaml:1:4: error: no\n    1 | a: 1\n      |    ^\n      = help: %0120d\n", 1);
    assert_shown(&problems, buf_str(&expected));
    buf_fini(&expected);
}

static void a_problem_of_the_whole_file_has_no_line(void **state)
{
    (void)state;
    struct problems problems = in_file("a: 1\n");
    problem_hint(problem_add(&problems, PROBLEM_MISSING_KEY, (struct source_mark){0}, "'metric' is missing"),
                 "write one");
    assert_shown(&problems, "x.yaml: error: 'metric' is missing\n      = help: write one\n");
}

static void a_problem_of_an_override_names_the_option(void **state)
{
    (void)state;
    struct problems problems = in_file("a: 1\n");
    struct source_mark mark = {.column = 3, .end_column = 5, .option = "a.bc=1"};
    problem_add(&problems, PROBLEM_UNKNOWN_KEY, mark, "unknown key 'bc'");
    assert_shown(&problems, "--set a.bc=1: error: unknown key 'bc'\n      | a.bc=1\n      |   ^^\n");
}

/* A file may have any name, and so may what is in it. */
static void nothing_that_is_shown_commands_a_terminal_or_hides(void **state)
{
    (void)state;
    struct problems problems = {.file = mem_text("a\x1b[31m\n\xff\xe2\x80\xae.yaml"),
                                .text = mem_text("\xe2\x80\xae"
                                                 "a\xc2\x85: 1\n")};
    problem_say(&problems, PROBLEM_UNKNOWN_KEY, at(1, 1, 3), "not '\xe2\x80\x8b'", "unknown key '\xe2\x80\xae'");
    struct source_mark option = {.column = 1, .end_column = 3, .option = "a\x1b\xe2\x80\xae=1"};
    problem_add(&problems, PROBLEM_UNKNOWN_KEY, option, "no");
    struct buf summary = {0};
    problems_summary(&problems, "nothing was started", &summary);
    assert_string_equal(buf_str(&summary), "a?[31m?"
                                           "?\\u202e.yaml: 2 errors; nothing was started.\n");
    buf_fini(&summary);
    assert_shown(&problems, "a?[31m?"
                            "?\\u202e.yaml:1:1: error: unknown key '\\u202e'\n"
                            "    1 | ?a?: 1\n      | ^^ not '\\u200b'\n"
                            "--set a?\\u202e=1: error: no\n      | a?"
                            "?=1\n      | ^^\n");
}

static void errors_come_before_warnings_and_both_by_place(void **state)
{
    (void)state;
    struct problems problems = in_file("a: 1\nb: 2\n");
    problem_add(&problems, PROBLEM_WORD_NOT_SWITCH, at(1, 1, 2), "w1");
    problem_add(&problems, PROBLEM_UNKNOWN_KEY, at(2, 4, 5), "e3");
    problem_add(&problems, PROBLEM_UNKNOWN_KEY, at(2, 1, 2), "e2");
    problem_add(&problems, PROBLEM_UNKNOWN_KEY, (struct source_mark){.option = "x=1", .column = 1}, "e4");
    problem_add(&problems, PROBLEM_UNKNOWN_KEY, at(1, 4, 5), "e1");
    problems_sort(&problems);
    static const char *const order[] = {"e1", "e2", "e3", "e4", "w1"};
    for (size_t i = 0; i < 5; i++)
        assert_string_equal(problems.items[i].message, order[i]);
    assert_int_equal(problems.errors, 4);
    problems_fini(&problems);
}

static void what_was_found_twice_is_said_once(void **state)
{
    (void)state;
    struct problems problems = in_file("a: 1\n");
    for (int i = 0; i < 3; i++)
        problem_add(&problems, PROBLEM_BAD_VALUE, at(1, 4, 5), "no");
    problem_add(&problems, PROBLEM_BAD_VALUE, at(1, 4, 5), "other");
    problems_sort(&problems);
    assert_int_equal(problems.count, 2);
    assert_int_equal(problems.errors, 2);
    problems_fini(&problems);
}

static void of_very_many_the_first_are_shown_and_the_rest_is_counted(void **state)
{
    (void)state;
    struct problems problems = in_file("a: 1\n");
    struct buf out = {0};
    for (uint32_t i = 1; i <= 25; i++)
        problem_add(&problems, PROBLEM_BAD_VALUE, at(1, i, i + 1), "no");
    problems_show(&problems, &out);
    assert_has(buf_str(&out), "... and 5 more, which gannet check --json lists\n");
    buf_fini(&out);
    problems_fini(&problems);
}

static void of_a_long_line_the_part_around_the_place_is_shown(void **state)
{
    (void)state;
    char line[402];
    for (int i = 0; i < 400; i++)
        line[i] = (char)('a' + i % 26);
    strcpy(line + 400, "\n");
    struct problems problems = in_file(line);
    struct buf out = {0};
    problem_add(&problems, PROBLEM_BAD_VALUE, at(1, 200, 203), "no");
    problems_show(&problems, &out);
    const char *shown = strchr(buf_str(&out), '|') + 2, *carets = strrchr(buf_str(&out), '|') + 2;
    assert_int_equal(strncmp(shown, "...", 3), 0);
    assert_int_equal(strncmp(shown + strspn(carets, " "), line + 199, 3), 0);
    assert_true(strcspn(shown, "\n") < 120);
    buf_fini(&out);
    problems_fini(&problems);
}

static void tabs_wide_messages_and_wrong_bytes_keep_their_columns(void **state)
{
    (void)state;
    struct problems problems = in_file("a:\t\xC3\xA9\xFFx\n");
    problem_add(&problems, PROBLEM_BAD_VALUE, at(1, 6, 7), "no");
    assert_shown(&problems, "x.yaml:1:6: error: no\n    1 | a: \xC3\xA9?x\n      |      ^\n");
}

static void a_place_beyond_the_text_shows_no_line(void **state)
{
    (void)state;
    struct problems problems = in_file("a: 1\n");
    problem_hint(problem_add(&problems, PROBLEM_BAD_VALUE, at(9, 1, 2), "no"), "hint");
    problem_add(&problems, PROBLEM_BAD_VALUE, at(1, 99, 100), "no");
    assert_shown(&problems, "x.yaml:1:99: error: no\nx.yaml:9:1: error: no\n      = help: hint\n");
}

static void an_enormous_sentence_is_cut_between_characters(void **state)
{
    (void)state;
    struct problems problems = in_file("");
    struct buf long_text = {0};
    for (int i = 0; i < 1000; i++)
        buf_text(&long_text, "\xE2\x82\xAC");
    problem_add(&problems, PROBLEM_BAD_VALUE, (struct source_mark){0}, "%s", buf_str(&long_text));
    assert_true(strlen(problems.items[0].message) < 700);
    json_t *text = json_string(problems.items[0].message);
    assert_non_null(text); /* NULL when it is not UTF-8 */
    json_decref(text);
    buf_fini(&long_text);
    problems_fini(&problems);
}

static void assert_summary(const struct problems *problems, const char *expected)
{
    struct buf out = {0};
    problems_summary(problems, "nothing was started", &out);
    assert_string_equal(buf_str(&out), expected);
    buf_fini(&out);
}

static void the_last_line_counts_errors_and_warnings(void **state)
{
    (void)state;
    struct problems problems = in_file("a: 1\n");
    assert_summary(&problems, "");
    problem_add(&problems, PROBLEM_WORD_NOT_SWITCH, at(1, 1, 2), "w");
    assert_summary(&problems, "x.yaml: 1 warning\n");
    problem_add(&problems, PROBLEM_BAD_VALUE, at(1, 1, 2), "e");
    problem_add(&problems, PROBLEM_BAD_VALUE, at(1, 2, 3), "e");
    assert_summary(&problems, "x.yaml: 2 errors, 1 warning; nothing was started.\n");
    problems_fini(&problems);
}

static void programs_get_every_field(void **state)
{
    (void)state;
    struct problems problems = in_file("a: 1\n");
    problem_hint(problem_add(&problems, PROBLEM_BAD_VALUE, at(1, 4, 5), "no"), "yes");
    problem_add(&problems, PROBLEM_WORD_NOT_SWITCH,
                (struct source_mark){.option = "a=yes", .column = 3, .end_column = 6}, "w");
    json_t *list = problems_json(&problems);
    json_t *expected =
        json_pack("[{s:s,s:i,s:i,s:i,s:s,s:s,s:s,s:s}, {s:s,s:i,s:i,s:i,s:s,s:s,s:s,s:n,s:s}]", "file", "x.yaml",
                  "line", 1, "column", 4, "end_column", 5, "severity", "error", "code", "bad_value", "message", "no",
                  "hint", "yes", "file", "x.yaml", "line", 0, "column", 3, "end_column", 6, "severity", "warning",
                  "code", "word_not_switch", "message", "w", "hint", "option", "a=yes");
    assert_true(json_equal(list, expected));
    json_decref(list);
    json_decref(expected);
    problems_fini(&problems);
}

static void others_report_at_a_key_or_its_value(void **state)
{
    (void)state;
    struct problems problems = in_file("trial:\n  kernel: mpl\n  options: {epochs: 5, opt.lr: [a, b]}\n");
    problems_report(&problems, false, "trial.kernel", false, "unknown_kernel", "there is no kernel 'mpl'", "try mlp");
    problems_report(&problems, false, "trial.options.epochs", true, "bad_option", "no epochs", NULL);
    problems_report(&problems, false, "trial.options.opt.lr.1", false, "bad_option", "no b", NULL);
    problems_report(&problems, true, "trial.workdir", false, "odd", "no directory", NULL);
    problems_report(&problems, false, "metric", false, "odd", "no metric", NULL);
    assert_int_equal(problems.errors, 4);
    assert_shown(&problems,
                 "x.yaml: error: no metric\n"
                 "x.yaml:2:11: error: there is no kernel 'mpl'\n    2 |   kernel: mpl\n      |           ^^^ try mlp\n"
                 "x.yaml:3:13: error: no epochs\n    3 |   options: {epochs: 5, opt.lr: [a, b]}\n"
                 "      |             ^^^^^^\n"
                 "x.yaml:3:36: error: no b\n    3 |   options: {epochs: 5, opt.lr: [a, b]}\n"
                 "      |                                    ^\n"
                 "x.yaml:1:1: warning: no directory\n    1 | trial:\n      | ^^^^^\n");
}

static void others_report_in_the_override_that_says_it(void **state)
{
    (void)state;
    struct problems problems;
    const char *text = "version: 1\ntrial: {kernel: mlp}\nmetric: {name: a, goal: minimize}\nparameters: {x: [1, 2]}\n";
    const char *const overrides[] = {"trial.kernel=mpl"};
    spec_destroy(spec_read_text(text, strlen(text), "x.yaml", "/", overrides, 1, &problems));
    problems_report(&problems, false, "trial.kernel", false, "unknown_kernel", "there is no kernel 'mpl'", NULL);
    problems_report(&problems, false, "metric.name", false, "odd", "no metric 'a'", NULL);
    assert_shown(&problems, "x.yaml:3:16: error: no metric 'a'\n    3 | metric: {name: a, goal: minimize}\n"
                            "      |                ^\n"
                            "--set trial.kernel=mpl: error: there is no kernel 'mpl'\n      | trial.kernel=mpl\n"
                            "      |              ^^^\n");
}

static void every_code_has_a_name_of_its_own_and_a_meaning(void **state)
{
    (void)state;
    for (enum problem_code a = 0; a < PROBLEM_CODES_COUNT; a++) {
        assert_true(*problem_kinds[a].meaning);
        for (enum problem_code b = 0; b < a; b++)
            assert_string_not_equal(problem_kinds[a].name, problem_kinds[b].name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_problem_shows_its_line_a_caret_and_the_hint),
        cmocka_unit_test(a_long_hint_has_a_line_of_its_own),
        cmocka_unit_test(a_problem_of_the_whole_file_has_no_line),
        cmocka_unit_test(a_problem_of_an_override_names_the_option),
        cmocka_unit_test(nothing_that_is_shown_commands_a_terminal_or_hides),
        cmocka_unit_test(errors_come_before_warnings_and_both_by_place),
        cmocka_unit_test(what_was_found_twice_is_said_once),
        cmocka_unit_test(of_very_many_the_first_are_shown_and_the_rest_is_counted),
        cmocka_unit_test(of_a_long_line_the_part_around_the_place_is_shown),
        cmocka_unit_test(tabs_wide_messages_and_wrong_bytes_keep_their_columns),
        cmocka_unit_test(a_place_beyond_the_text_shows_no_line),
        cmocka_unit_test(an_enormous_sentence_is_cut_between_characters),
        cmocka_unit_test(the_last_line_counts_errors_and_warnings),
        cmocka_unit_test(programs_get_every_field),
        cmocka_unit_test(others_report_at_a_key_or_its_value),
        cmocka_unit_test(others_report_in_the_override_that_says_it),
        cmocka_unit_test(every_code_has_a_name_of_its_own_and_a_meaning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
