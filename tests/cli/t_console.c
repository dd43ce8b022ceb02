/* What a place can show, and how texts and JSON are written. */
#include "cli/format.h"
#include "cli/json.h"
#include "tests/claims.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- the look --- */

static struct look look(struct look_facts facts)
{
    return look_decide(&facts);
}

static void a_terminal_gets_colours_and_a_live_line(void **state)
{
    (void)state;
    struct look seen = look((struct look_facts){.terminal = true, .columns = 100, .term = "xterm", .utf8 = true});
    assert_true(seen.colour && seen.live && seen.unicode);
    assert_int_equal(seen.width, 100);
}

static void a_pipe_gets_plain_unlimited_lines(void **state)
{
    (void)state;
    struct look seen = look((struct look_facts){.term = "xterm", .utf8 = true});
    assert_false(seen.colour || seen.live);
    assert_int_equal(seen.width, 0);
}

static void columns_asked_for_are_those_of_drawings_in_a_pipe(void **state)
{
    (void)state;
    struct look seen = look((struct look_facts){.wanted = "120"});
    assert_int_equal(seen.width, 0); /* tables are not cut */
    assert_int_equal(look_columns(&seen, 100), 120);
    assert_int_equal(look((struct look_facts){.terminal = true, .wanted = "120"}).width, 120);
    assert_int_equal(look((struct look_facts){.terminal = true, .columns = 90, .wanted = "120"}).width, 90);
    static const char *const nothing[] = {"", "0", "-5", "80x", "99999999999999999999", " 80"};
    for (size_t i = 0; i < sizeof nothing / sizeof *nothing; i++) {
        seen = look((struct look_facts){.wanted = nothing[i]});
        assert_int_equal(look_columns(&seen, 100), 100);
    }
}

static void a_dumb_terminal_is_not_animated(void **state)
{
    (void)state;
    struct look seen = look((struct look_facts){.terminal = true, .term = "dumb"});
    assert_false(seen.colour || seen.live);
    assert_int_equal(seen.width, 80);
    assert_false(look((struct look_facts){.terminal = true}).live);
}

static void the_option_goes_before_no_color_and_that_before_force(void **state)
{
    (void)state;
    struct look_facts facts = {.terminal = true, .term = "xterm", .no_color = "1"};
    assert_false(look(facts).colour);
    facts.force = "1";
    assert_false(look(facts).colour);
    facts.when = "always";
    assert_true(look(facts).colour);
    facts = (struct look_facts){.force = "1", .no_color = ""};
    assert_true(look(facts).colour);
    facts.when = "never";
    assert_false(look(facts).colour);
    assert_false(look((struct look_facts){.force = "0"}).colour);
}

static void plain_has_neither_colour_nor_drawing_messages_nor_animation(void **state)
{
    (void)state;
    struct look seen = look((struct look_facts){.terminal = true, .term = "xterm", .utf8 = true, .plain = true});
    assert_false(seen.colour || seen.live || seen.unicode);
}

/* --- texts --- */

static void safe(const char *text, const char *expected)
{
    struct buf out = {0};
    format_safe(text, &out);
    assert_string_equal(buf_str(&out), expected);
    buf_fini(&out);
}

static void lines(const char *text, const char *expected)
{
    struct buf out = {0};
    format_safe_lines(text, strlen(text), &out);
    assert_string_equal(buf_str(&out), expected);
    buf_fini(&out);
}

static void text_of_several_lines_keeps_them(void **state)
{
    (void)state;
    lines("one\ttwo\r\nthree\n", "one\ttwo\nthree\n");
    lines("10 %\r20 %\r\n", "10 %\n20 %\n");
    lines("a\033[2Jb\302\2332Jc\177 größe \377", "a?[2Jb??2Jc? größe ?");
    lines("cut \303", "cut ?");
}

static void a_word_of_the_shell_reads_back_and_moves_no_cursor(void **state)
{
    (void)state;
    struct buf out = {0};
    format_shell("it's", &out);
    buf_text(&out, " ");
    format_shell("two\nlines", &out);
    buf_text(&out, " ");
    format_shell("a\033[2J'\\größe\302\233", &out);
    assert_string_equal(buf_str(&out), "'it'\\''s' 'two\nlines' $'a\\033[2J\\047\\134größe\\302\\233'");
    buf_fini(&out);
}

static void a_field_of_csv_moves_no_cursor(void **state)
{
    (void)state;
    struct buf out = {0};
    format_csv("a\033[2J,\"b\"\nc", &out);
    assert_string_equal(buf_str(&out), "\"a?[2J,\"\"b\"\"\nc\"");
    buf_fini(&out);
}

static void control_messages_and_broken_utf8_are_defused(void **state)
{
    (void)state;
    safe("plain größe 漢 😀", "plain größe 漢 😀");
    safe("a\033]0;title\007b", "a?]0;title?b");
    safe("\x7f\r\n\t", "????");
    safe("\xc2\x9b"
         "31m",
         "??31m"); /* C1's CSI */
    safe("\xc0\xaf", "??");
    safe("\xe6\xbc", "??");
    safe("\xf0\x9f\x98", "???");
    safe("\xff", "?");
}

static void cut(bool unicode, const char *text, size_t width, const char *expected)
{
    struct buf out = {0};
    format_cut(&(struct look){.unicode = unicode}, text, width, &out);
    assert_string_equal(buf_str(&out), expected);
    buf_fini(&out);
}

static void a_cut_text_fits_and_shows_that_it_is_cut(void **state)
{
    (void)state;
    cut(true, "größer", 6, "größer");
    cut(true, "größer", 4, "grö…");
    cut(false, "momentum", 6, "mom...");
    cut(false, "momentum", 3, "mom");
    cut(true, "momentum", 1, "…");
    cut(true, "momentum", 0, "");
    cut(false, "", 0, "");
}

static void a_name_is_cut_in_its_middle(void **state)
{
    (void)state;
    static const struct {
        bool unicode;
        size_t width;
        const char *expected;
    } cases[] = {{true, 20, "a-long-name-of… slot 3"}, {true, 21, "a-long-name-of slot 3"}, {false, 11, "a-long..t 3"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct buf out = {0};
        format_cut_middle(&(struct look){.unicode = cases[i].unicode}, "a-long-name-of slot 3", cases[i].width, &out);
        assert_true(format_width(buf_str(&out)) <= cases[i].width);
        if (i > 0)
            assert_string_equal(buf_str(&out), cases[i].expected);
        assert_has(buf_str(&out), i == 2 ? "t 3" : "slot 3");
        buf_fini(&out);
    }
}

static void wrapped(const char *text, size_t width, const char *expected)
{
    struct buf out = {0};
    format_wrap(text, width, &out);
    assert_string_equal(buf_str(&out), expected);
    buf_fini(&out);
}

static void lines_below_the_first_are_indented(void **state)
{
    (void)state;
    struct buf out = {0};
    format_hang("one two three four", 2, 4, 11, &out);
    assert_string_equal(buf_str(&out), "one two\n    three\n    four\n");
    buf_clear(&out);
    format_hang("one two three four", 2, 4, 0, &out);
    assert_string_equal(buf_str(&out), "one two three four\n");
    buf_fini(&out);
}

static void a_text_is_broken_between_words(void **state)
{
    (void)state;
    wrapped("one two three", 0, "one two three\n");
    wrapped("one two three", 13, "one two three\n");
    wrapped("one two three", 12, "one two\nthree\n");
    wrapped("one two three", 7, "one two\nthree\n");
    wrapped("größer als", 6, "größer\nals\n");
    wrapped("a overlongword b", 5, "a\noverl\nongwo\nrd b\n");
    wrapped("", 5, "\n");
}

static void shell(const char *text, const char *expected)
{
    struct buf out = {0};
    format_shell(text, &out);
    assert_string_equal(buf_str(&out), expected);
    buf_fini(&out);
}

static void shell_words_are_quoted_when_they_must(void **state)
{
    (void)state;
    shell("--lr=0.1", "--lr=0.1");
    shell("a b", "'a b'");
    shell("", "''");
    shell("it's", "'it'\\''s'");
    shell("$(rm)", "'$(rm)'");
    shell("a\nb", "'a\nb'");
    shell("~", "'~'");
}

static void numbers_are_short(void **state)
{
    (void)state;
    char out[32];
    assert_string_equal(format_number(0.1 + 0.2, out, sizeof out), "0.3");
    assert_string_equal(format_number(1e-5, out, sizeof out), "1e-05");
    assert_string_equal(format_number(-NAN, out, sizeof out), "nan");
    assert_string_equal(format_number(-INFINITY, out, sizeof out), "-inf");
}

/* --- JSON --- */

static void written(const char *json, bool lines, const char *expected)
{
    json_t *value = json_loads(json, JSON_DECODE_ANY, NULL);
    assert_non_null(value);
    struct buf out = {0};
    if (lines)
        json_add_lines(value, &out);
    else
        json_add(value, &out);
    assert_string_equal(buf_str(&out), expected);
    buf_fini(&out);
    json_decref(value);
}

static void reals_are_written_as_short_as_they_read_back(void **state)
{
    (void)state;
    written("[0.1, 1e-5, 3, 1.0, -0.25, true, false, null, \"x\"]", false,
            "[0.1, 1e-05, 3, 1.0, -0.25, true, false, null, \"x\"]");
}

static void texts_are_escaped(void **state)
{
    (void)state;
    written("\"a\\\"b\\\\c\\n\\u0001\\u001b ö\"", false, "\"a\\\"b\\\\c\\n\\u0001\\u001b ö\"");
    written("{\"a\\\"b\": {}}", false, "{\"a\\\"b\": {}}");
}

static void the_top_level_has_a_line_an_element(void **state)
{
    (void)state;
    written("[{\"a\": [1, 2]}, {\"b\": {}}]", true, "[{\"a\": [1, 2]},\n {\"b\": {}}]\n");
    written("{\"a\": [1, 2], \"b\": {}}", true, "{\"a\": [1, 2],\n \"b\": {}}\n");
    written("[]", true, "[]\n");
    written("null", true, "null\n");
}

static void params_are_shown_as_pairs_and_as_exact_arguments(void **state)
{
    (void)state;
    json_t *params = json_loads("{\"lr\": 0.12345678, \"opt\": \"a b\", \"n\": 3, \"on\": true}", 0, NULL);
    struct buf out = {0};
    format_params(params, ", ", &out);
    assert_string_equal(buf_str(&out), "lr=0.123457, opt=a b, n=3, on=true");
    buf_clear(&out);
    format_args(params, &out);
    assert_string_equal(buf_str(&out), "--lr=0.12345678 '--opt=a b' --n=3 --on=true");
    buf_fini(&out);
    json_decref(params);
}

static void numbers_are_read_from_texts_too(void **state)
{
    (void)state;
    json_t *object = json_loads("{\"a\": 3, \"b\": \"nan\", \"c\": \"-inf\", \"d\": \"x\", \"e\": null}", 0, NULL);
    double number;
    assert_true(json_number(object, "a", &number) && number == 3);
    assert_true(json_number(object, "b", &number) && isnan(number));
    assert_true(json_number(object, "c", &number) && number == -INFINITY);
    assert_false(json_number(object, "d", &number));
    assert_false(json_number(object, "e", &number));
    assert_false(json_number(object, "f", &number));
    assert_false(json_number(NULL, "f", &number));
    json_decref(object);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_terminal_gets_colours_and_a_live_line),
        cmocka_unit_test(a_pipe_gets_plain_unlimited_lines),
        cmocka_unit_test(columns_asked_for_are_those_of_drawings_in_a_pipe),
        cmocka_unit_test(a_name_is_cut_in_its_middle),
        cmocka_unit_test(a_text_is_broken_between_words),
        cmocka_unit_test(lines_below_the_first_are_indented),
        cmocka_unit_test(a_dumb_terminal_is_not_animated),
        cmocka_unit_test(the_option_goes_before_no_color_and_that_before_force),
        cmocka_unit_test(plain_has_neither_colour_nor_drawing_messages_nor_animation),
        cmocka_unit_test(control_messages_and_broken_utf8_are_defused),
        cmocka_unit_test(text_of_several_lines_keeps_them),
        cmocka_unit_test(a_word_of_the_shell_reads_back_and_moves_no_cursor),
        cmocka_unit_test(a_field_of_csv_moves_no_cursor),
        cmocka_unit_test(a_cut_text_fits_and_shows_that_it_is_cut),
        cmocka_unit_test(shell_words_are_quoted_when_they_must),
        cmocka_unit_test(numbers_are_short),
        cmocka_unit_test(reals_are_written_as_short_as_they_read_back),
        cmocka_unit_test(texts_are_escaped),
        cmocka_unit_test(the_top_level_has_a_line_an_element),
        cmocka_unit_test(params_are_shown_as_pairs_and_as_exact_arguments),
        cmocka_unit_test(numbers_are_read_from_texts_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
