/* Characters, lines and marks of an experiment file's text, and YAML texts that come back as they were. */
#include "common/buf.h"
#include "common/rng.h"
#include "scheduler/spec/emit.h"
#include "scheduler/spec/load.h"
#include "scheduler/spec/text.h"
#include "tests/claims.h"

#include <string.h>

static int32_t character(const char *text, size_t *size)
{
    return text_character(text, strlen(text), size);
}

static void characters_of_one_to_four_bytes_are_read(void **state)
{
    (void)state;
    size_t size;
    assert_int_equal(character("a", &size), 'a');
    assert_int_equal(size, 1);
    assert_int_equal(character("\xC3\xA9", &size), 0xE9);
    assert_int_equal(size, 2);
    assert_int_equal(character("\xE2\x82\xAC", &size), 0x20AC);
    assert_int_equal(size, 3);
    assert_int_equal(character("\xF0\x9F\x90\xA6", &size), 0x1F426);
    assert_int_equal(size, 4);
}

static void wrong_bytes_are_no_characters(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "\x80", "\xC3",    "\xC3(", "\xC0\xAF", "\xE0\x80\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xF8\x88\x80\x80",
        "\xFF", "\xE2\x82"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        size_t size;
        assert_int_equal(character(wrong[i], &size), -1);
        assert_int_equal(size, 1);
    }
}

static void a_cut_text_cuts_no_character(void **state)
{
    (void)state;
    const char *text = "a\xE2\x82\xAC z";
    assert_int_equal(text_whole(text, 1), 1);
    assert_int_equal(text_whole(text, 2), 1);
    assert_int_equal(text_whole(text, 3), 1);
    assert_int_equal(text_whole(text, 4), 4);
}

static void marks_count_lines_and_characters_from_one(void **state)
{
    (void)state;
    const char *text = "ab\n\xC3\xA9x\n";
    assert_int_equal(text_mark(text, 0).line, 1);
    assert_int_equal(text_mark(text, 5).line, 2);
    assert_int_equal(text_mark(text, 5).column, 2);
    assert_int_equal(text_mark(text, 7).line, 3);
    size_t length;
    const char *line = text_line(text, 2, &length);
    assert_int_equal(length, 3);
    assert_memory_equal(line, "\xC3\xA9x", 3);
    assert_null(text_line(text, 4, &length));
}

static void a_carriage_return_alone_ends_a_line_and_a_line_separator_none(void **state)
{
    (void)state;
    const char *text = "a\rb\r\nc \xE2\x80\xA8 \xC2\x85x\nd";
    size_t length;
    assert_memory_equal(text_line(text, 2, &length), "b", 1);
    assert_int_equal(length, 1);
    assert_int_equal(text_line(text, 3, &length) - text, 5);
    assert_int_equal(length, 9);
    assert_string_equal(text_line(text, 4, &length), "d");
    assert_int_equal(text_mark(text, 13).line, 3);
    assert_int_equal(text_mark(text, 13).column, 6);
}

static void the_first_wrong_place_is_reported(void **state)
{
    (void)state;
    struct problems problems = {0};
    assert_true(text_check("all\tis\r\nwell \xC3\xA9", 15, NULL, &problems));
    assert_int_equal(problems.count, 0);
    assert_false(text_check("ab\nc\x01\x02", 6, NULL, &problems));
    assert_int_equal(problems.count, 1);
    assert_int_equal(problems.items[0].line, 2);
    assert_int_equal(problems.items[0].column, 2);
    problems_fini(&problems);
}

/* The scalar that a YAML text holds. */
static void read_back(const char *yaml, const char *expected)
{
    struct tree tree = {0};
    struct problems problems = {0};
    assert_true(text_check(yaml, strlen(yaml), NULL, &problems));
    assert_true(load_tree(yaml, strlen(yaml), (struct load_source){0}, &tree, &problems));
    assert_int_equal(problems.count, 0);
    assert_true(node_is(tree.root, SCALAR_TEXT));
    assert_string_equal(tree.root->text, expected);
    tree_fini(&tree);
    problems_fini(&problems);
}

/* Texts of characters that are most likely to be misread. */
static void make_text(struct rng *rng, char *text, size_t most)
{
    static const char *const parts[] = {"a",
                                        "Z",
                                        "0",
                                        "1",
                                        " ",
                                        "\n",
                                        "\t",
                                        "\r",
                                        ":",
                                        "#",
                                        "-",
                                        "?",
                                        "\"",
                                        "'",
                                        "\\",
                                        "{",
                                        "}",
                                        "[",
                                        "]",
                                        ",",
                                        "&",
                                        "*",
                                        "!",
                                        "|",
                                        ">",
                                        "%",
                                        "@",
                                        "`",
                                        "~",
                                        "null",
                                        "true",
                                        "yes",
                                        "1e5",
                                        ": ",
                                        " #",
                                        "\x01",
                                        "\x7F",
                                        "\xC2\x85",
                                        "\xC2\xA0",
                                        "\xE2\x80\xA8",
                                        "\xEF\xBB\xBF",
                                        "\xC3\xA9",
                                        "\xF0\x9F\x90\xA6",
                                        "---",
                                        "..."};
    size_t count = rng_below(rng, 6);
    text[0] = '\0';
    for (size_t i = 0; i < count && strlen(text) + 8 < most; i++)
        strcat(text, parts[rng_below(rng, sizeof parts / sizeof *parts)]);
}

static void a_written_text_reads_back_as_it_was(void **state)
{
    (void)state;
    struct rng rng = rng_make(7, "texts", 0);
    for (int i = 0; i < 20000; i++) {
        char text[128];
        struct buf yaml = {0};
        make_text(&rng, text, sizeof text);
        emit_text(&yaml, text);
        read_back(buf_str(&yaml), text);
        buf_fini(&yaml);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(characters_of_one_to_four_bytes_are_read),
        cmocka_unit_test(wrong_bytes_are_no_characters),
        cmocka_unit_test(a_cut_text_cuts_no_character),
        cmocka_unit_test(marks_count_lines_and_characters_from_one),
        cmocka_unit_test(a_carriage_return_alone_ends_a_line_and_a_line_separator_none),
        cmocka_unit_test(the_first_wrong_place_is_reported),
        cmocka_unit_test(a_written_text_reads_back_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
