/* Experiment files, broken ones and good ones: what is said about them, and what they come to. */
#include "common/mem.h"
#include "scheduler/spec/problem.h"
#include "scheduler/spec/spec_compare.h"
#include "tests/claims.h"
#include "tests/spec_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char bad[] = "tests/scheduler/spec_cases/bad", good[] = "tests/scheduler/spec_cases/good";

/* What a walk over the cases found. */
struct walk {
    size_t cases, wrong;
    bool codes[PROBLEM_CODES_COUNT];
};

static void note_codes(const struct problems *problems, struct walk *walk)
{
    for (size_t i = 0; i < problems->count; i++)
        for (enum problem_code code = 0; code < PROBLEM_CODES_COUNT; code++)
            walk->codes[code] |= strcmp(problems->items[i].code, problem_kinds[code].name) == 0;
}

/* --- broken files --- */

static void refuse(const struct spec_case *one, void *context)
{
    struct walk *walk = context;
    struct problems problems;
    struct buf shown = {0};
    struct spec *spec = spec_case_read(one, &problems);
    spec_case_show(&problems, &shown);
    walk->cases++;
    walk->wrong += spec || !problems.errors || !spec_case_expect(one, "expected", buf_str(&shown));
    if (spec)
        print_error("%s: was not refused\n", one->name);
    buf_fini(&shown);
    problems_fini(&problems);
    spec_destroy(spec);
}

static void broken_files_are_refused_with_these_words(void **state)
{
    (void)state;
    struct walk walk = {0};
    spec_case_each(bad, refuse, &walk);
    assert_true(walk.cases >= 100);
    assert_int_equal(walk.wrong, 0);
}

/* What a command makes of the parameters is looked at when the file is fine otherwise. */
static void note_codes_of_use(const char *command, struct walk *walk)
{
    struct problems problems;
    char *text = mem_format("version: 1\ntrial: {command: %s}\nmetric: {name: m, goal: minimize}\n"
                            "parameters: {a: [1, 2], b: [1, 2]}\n",
                            command);
    spec_destroy(spec_read_text(text, strlen(text), "x.yaml", "/base", NULL, 0, &problems));
    problems_check_use(&problems, false);
    note_codes(&problems, walk);
    problems_fini(&problems);
    free(text);
}

static void note_codes_of_case(const struct spec_case *one, void *context)
{
    struct problems problems;
    spec_destroy(spec_case_read(one, &problems));
    note_codes(&problems, context);
    problems_fini(&problems);
}

static void every_code_is_produced_by_a_case(void **state)
{
    (void)state;
    struct walk walk = {0};
    struct problems problems;
    spec_case_each(bad, note_codes_of_case, &walk);
    spec_case_each(good, note_codes_of_case, &walk);
    note_codes_of_use("[x]", &walk);
    note_codes_of_use("[x, \"{a}\"]", &walk);
    note_codes_of_use("[x, \"${params.a}\"]", &walk);
    note_codes_of_use("'x \"${args}\"'", &walk);
    assert_null(spec_read("no/such/file.yaml", NULL, 0, &problems));
    note_codes(&problems, &walk);
    problems_fini(&problems);
    for (enum problem_code code = 0; code < PROBLEM_CODES_COUNT; code++) {
        if (!walk.codes[code])
            print_error("no case produces '%s'\n", problem_kinds[code].name);
        assert_true(walk.codes[code]);
    }
}

/* As JSON every problem has a place, a code and a sentence, and texts that are UTF-8. */
static void look_at_json(const struct spec_case *one, void *context)
{
    struct walk *walk = context;
    struct problems problems;
    spec_destroy(spec_case_read(one, &problems));
    json_t *list = problems_json(&problems), *item;
    size_t i;
    walk->cases++;
    assert_int_equal(json_array_size(list), problems.count);
    json_array_foreach(list, i, item)
    {
        bool fine = json_is_string(json_object_get(item, "code")) && json_is_string(json_object_get(item, "message")) &&
                    json_is_integer(json_object_get(item, "line")) && json_is_string(json_object_get(item, "severity"));
        if (!fine)
            print_error("%s: problem %zu is not whole\n", one->name, i);
        walk->wrong += !fine;
    }
    char *text = json_dumps(list, 0);
    assert_non_null(text);
    free(text);
    json_decref(list);
    problems_fini(&problems);
}

static void problems_as_json_are_whole(void **state)
{
    (void)state;
    struct walk walk = {0};
    spec_case_each(bad, look_at_json, &walk);
    assert_true(walk.cases >= 100);
    assert_int_equal(walk.wrong, 0);
}

/* --- good files --- */

/* What was written reads back as the same, wherever the file lies. */
static bool reads_back(const struct spec *spec, const char *text)
{
    struct problems problems;
    struct spec_changes changes = {0};
    struct buf again = {0};
    struct spec *back = spec_read_text(text, strlen(text), "experiment.yaml", "/elsewhere", NULL, 0, &problems);
    problems_show(&problems, &again);
    if (!back)
        print_error("%s", buf_str(&again));
    bool same = back;
    buf_clear(&again);
    if (back) {
        spec_write(back, &again);
        spec_difference(spec, back, &changes);
        same = same && strcmp(buf_str(&again), text) == 0 && changes.count == 0;
    }
    buf_fini(&again);
    spec_changes_fini(&changes);
    problems_fini(&problems);
    spec_destroy(back);
    return same;
}

static void accept(const struct spec_case *one, void *context)
{
    struct walk *walk = context;
    struct problems problems;
    struct buf shown = {0}, written = {0};
    struct spec *spec = spec_case_read(one, &problems);
    spec_case_show(&problems, &shown);
    if (spec)
        spec_write(spec, &written);
    bool shown_right = spec_case_expect(one, "expected", buf_str(&shown));
    bool resolved_right = spec_case_expect(one, "resolved", buf_str(&written));
    bool fine = spec && shown_right && resolved_right && reads_back(spec, buf_str(&written));
    if (!fine)
        print_error("%s is not read as expected\n", one->name);
    walk->cases++;
    walk->wrong += !fine;
    buf_fini(&shown);
    buf_fini(&written);
    problems_fini(&problems);
    spec_destroy(spec);
}

static void good_files_come_to_what_is_expected_and_read_back(void **state)
{
    (void)state;
    struct walk walk = {0};
    spec_case_each(good, accept, &walk);
    assert_true(walk.cases >= 30);
    assert_int_equal(walk.wrong, 0);
}

int main(void)
{
    setenv("HOME", "/home/ada", 1);
    unsetenv("GANNET_TEST_NOT_SET");
    setenv("USER_OF_TEST", "ada", 1);
    setenv("GANNET_TEST_SET", "/data/${x}", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(broken_files_are_refused_with_these_words),
        cmocka_unit_test(every_code_is_produced_by_a_case),
        cmocka_unit_test(problems_as_json_are_whole),
        cmocka_unit_test(good_files_come_to_what_is_expected_and_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
