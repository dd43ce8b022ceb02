/* The table of keys holds together, and so does the table of other tools' names. */
#include "common/mem.h"
#include "scheduler/spec/foreign.h"
#include "scheduler/spec/key.h"
#include "scheduler/spec/unknown.h"
#include "tests/claims.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static void every_row_has_a_path_of_its_own_a_type_and_a_help_text(void **state)
{
    (void)state;
    for (size_t i = 0; i < key_count; i++) {
        const struct key *key = &key_table[i];
        assert_ptr_equal(key_of_path(key->path), key);
        assert_true(key->type && *key->type->words);
        assert_true(key->flags & KEY_LATER ||
                    (key->type->takes && key->type->read && !key->type->schema == !!key->type->make_schema));
        assert_true(isupper((unsigned char)key->help[0]) && key->help[strlen(key->help) - 1] != '.');
    }
}

/* Rows of one section follow each other: their order is that of spec_write and the documentation. */
static void rows_of_a_section_follow_their_section(void **state)
{
    (void)state;
    for (size_t i = 0; i < key_count; i++) {
        char *section = mem_text_n(key_table[i].path, key_section_length(&key_table[i]));
        const struct key *above = &key_table[i ? i - 1 : 0];
        bool follows = strncmp(above->path, section, strcspn(section, ".")) == 0;
        assert_true(!*section || follows);
        assert_ptr_equal(key_find(section, key_name(&key_table[i])), &key_table[i]);
        free(section);
    }
}

static void a_row_that_comes_later_says_why_and_a_required_one_has_no_default(void **state)
{
    (void)state;
    for (size_t i = 0; i < key_count; i++) {
        const struct key *key = &key_table[i];
        assert_false(key->flags & KEY_LATER && !key->later);
        assert_false(key->flags & KEY_REQUIRED && key->default_value);
        assert_false(key->default_value && key->default_words);
    }
}

/* A name of another tool must not hide one of ours, and must lead to a key that exists. */
static void names_of_other_tools_lead_to_keys(void **state)
{
    (void)state;
    for (size_t i = 0; i < foreign_key_count; i++) {
        const struct foreign *row = &foreign_keys[i];
        assert_true(!row->here != !row->advice);
        assert_true(!row->here || key_of_path(row->here));
        assert_null(strcmp(row->section, "*") == 0 ? NULL : key_find(row->section, row->name));
    }
}

static void a_foreign_name_is_found_in_any_spelling_but_the_exact_one_first(void **state)
{
    (void)state;
    assert_string_equal(foreign_find("", "searchSpace")->tool, "NNI");
    assert_string_equal(foreign_find("", "search_space")->tool, "Azure ML");
    assert_string_equal(foreign_find("limits", "MAX_TRIAL_COUNT")->here, "limits.max_trials");
    assert_null(foreign_find("parameters.*", "n_trials"));
    assert_null(foreign_find("", "lower"));
}

static void what_was_meant_is_found_by_tool_spelling_section_and_distance(void **state)
{
    (void)state;
    static const struct {
        const char *section, *name, *meant;
    } rows[] = {{"", "n_trials", "limits.max_trials"},
                {"limits", "maxTrials", "limits.max_trials"},
                {"limits", "max_trails", "limits.max_trials"},
                {"", "max_failures", "limits.max_failures"},
                {"resources", "seed", "seed"},
                {"", "limits.time", "limits.time"},
                {"parameters.*", "lgo", "parameters.*.log"},
                {"trial", "chekpoint", "trial.checkpoint"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct key *key = unknown_meant(rows[i].section, 0, rows[i].name);
        assert_non_null(key);
        assert_string_equal(key->path, rows[i].meant);
    }
    assert_null(unknown_meant("", 0, "frobnicate"));
}

static void names_are_the_same_but_for_case_and_joints(void **state)
{
    (void)state;
    assert_true(foreign_same_name("max_trials", "maxTrials"));
    assert_true(foreign_same_name("max-trials", "MAX_TRIALS"));
    assert_true(foreign_same_name("_type", "type"));
    assert_false(foreign_same_name("max_trial", "maxTrials"));
    assert_false(foreign_same_name("", "a"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_has_a_path_of_its_own_a_type_and_a_help_text),
        cmocka_unit_test(rows_of_a_section_follow_their_section),
        cmocka_unit_test(a_row_that_comes_later_says_why_and_a_required_one_has_no_default),
        cmocka_unit_test(names_of_other_tools_lead_to_keys),
        cmocka_unit_test(a_foreign_name_is_found_in_any_spelling_but_the_exact_one_first),
        cmocka_unit_test(what_was_meant_is_found_by_tool_spelling_section_and_distance),
        cmocka_unit_test(names_are_the_same_but_for_case_and_joints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
