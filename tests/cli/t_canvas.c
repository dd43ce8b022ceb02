/* Frames: cells, and what texts become in them. */
#include "cli/screen/canvas.h"
#include "cli/screen/glyph.h"
#include "tests/claims.h"

#include <string.h>

static const struct look ascii = {0}, unicode = {.unicode = true}, coloured = {.unicode = true, .colour = true};

static void shows(const struct canvas *canvas, const char *expected)
{
    struct buf out = {0};
    canvas_write(canvas, &out);
    assert_string_equal(buf_str(&out), expected);
    buf_fini(&out);
}

/* One text in one row of so many columns. */
static void becomes(const struct look *look, unsigned columns, const char *text, const char *expected)
{
    struct canvas canvas;
    canvas_init(&canvas, 1, columns, look);
    canvas_text(&canvas, canvas_area(&canvas), 0, 0, TINT_NONE, text);
    shows(&canvas, expected);
    canvas_fini(&canvas);
}

static void a_text_that_is_too_long_is_cut_where_it_can_be_seen(void **state)
{
    (void)state;
    becomes(&unicode, 8, "12345678", "12345678\n");
    becomes(&unicode, 8, "123456789", "1234567…\n");
    becomes(&ascii, 8, "123456789", "1234567~\n");
    becomes(&unicode, 1, "12", "…\n");
}

static void a_hostile_text_moves_nothing(void **state)
{
    (void)state;
    becomes(&unicode, 20, "a\033[31mb\r\nc\007", "a?[31mb??c?\n");
    becomes(&unicode, 20,
            "\xc2\x9b"
            "31m",
            "?31m\n"); /* a control character of eight bits */
    becomes(&unicode, 20,
            "a\xe2\x80\xae"
            "b",
            "a\\u202eb\n"); /* one that turns the direction of what follows */
    becomes(&ascii, 20, "a\xe2\x80\x8b\xf3\xa0\x81\x81", "a\\u200b\\U000e0041\n"); /* and those that nobody sees */
    becomes(&unicode, 5, "a\xe2\x80\xae", "a…\n");
    becomes(&unicode, 20, "\xff\xfe z", "\xef\xbf\xbd\xef\xbf\xbd z\n"); /* no UTF-8 */
    becomes(&ascii, 20, "\xff z", "? z\n");
    becomes(&unicode, 20, "\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\n"); /* half of a pair of UTF-16 */
}

static void a_place_of_ascii_gets_no_other_character(void **state)
{
    (void)state;
    becomes(&ascii, 20, "größe 表", "gr??e ?\n");
    becomes(&unicode, 20, "größe 表", "größe 表\n");
}

static void a_wide_character_has_two_columns_and_is_never_halved(void **state)
{
    (void)state;
    assert_int_equal(glyph_width("表a"), 3);
    becomes(&unicode, 5, "表表表", "表表…\n");
    becomes(&unicode, 4, "表表表", "表…\n");
    struct canvas canvas;
    canvas_init(&canvas, 1, 6, &unicode);
    canvas_text(&canvas, canvas_area(&canvas), 0, 0, TINT_NONE, "表表");
    canvas_text(&canvas, canvas_area(&canvas), 0, 1, TINT_NONE, "x");
    shows(&canvas, " x表\n");
    canvas_fini(&canvas);
}

static void what_combines_joins_the_character_before_it(void **state)
{
    (void)state;
    assert_int_equal(glyph_width("e\xcc\x81x"), 2);
    becomes(&unicode, 4, "e\xcc\x81x", "e\xcc\x81x\n");
    becomes(&unicode, 4, "\xcc\x81x", "x\n");
    char many[400] = "e";
    for (int i = 0; i < 100; i++)
        strcat(many, "\xcc\x81");
    struct canvas canvas;
    canvas_init(&canvas, 1, 4, &unicode);
    canvas_text(&canvas, canvas_area(&canvas), 0, 0, TINT_NONE, many);
    assert_true(strlen(canvas.cells[0].text) < sizeof canvas.cells[0].text);
    canvas_fini(&canvas);
}

static void what_lies_outside_is_left_out(void **state)
{
    (void)state;
    struct canvas canvas;
    canvas_init(&canvas, 2, 4, &unicode);
    struct area beyond = {.row = 1, .column = 3, .rows = 9, .columns = 9};
    canvas_text(&canvas, beyond, 0, 0, TINT_NONE, "表表");
    canvas_text(&canvas, beyond, 5, 0, TINT_NONE, "never");
    canvas_text(&canvas, canvas_area(&canvas), 9, 0, TINT_NONE, "never");
    canvas_right(&canvas, canvas_area(&canvas), 0, 9, 3, TINT_NONE, "never");
    canvas_choose(&canvas, canvas_area(&canvas), 7);
    canvas_bar(&canvas, canvas_area(&canvas), 0, 2, 10, 1, TINT_NONE);
    canvas_rule(&canvas, (struct area){0}, 0, "never");
    shows(&canvas, "  █…\n   ?\n");
    canvas_fini(&canvas);
}

static void numbers_stand_right(void **state)
{
    (void)state;
    struct canvas canvas;
    canvas_init(&canvas, 2, 8, &unicode);
    canvas_right(&canvas, canvas_area(&canvas), 0, 0, 6, TINT_NONE, "12");
    canvas_right(&canvas, canvas_area(&canvas), 1, 0, 6, TINT_NONE, "12345678");
    shows(&canvas, "    12\n12345…\n");
    canvas_fini(&canvas);
}

static void texts_are_broken_between_words(void **state)
{
    (void)state;
    struct canvas canvas;
    canvas_init(&canvas, 3, 10, &unicode);
    assert_int_equal(canvas_wrap(&canvas, canvas_area(&canvas), 0, 0, TINT_NONE, "a search that goes on and on"), 3);
    shows(&canvas, "a search\nthat goes\non and on\n");
    canvas_fini(&canvas);
    canvas_init(&canvas, 2, 10, &unicode);
    assert_int_equal(canvas_wrap(&canvas, canvas_area(&canvas), 0, 0, TINT_NONE, "verylongword that goes on"), 2);
    shows(&canvas, "verylongwo\nrd that g…\n");
    canvas_fini(&canvas);
}

static void colours_are_written_only_where_there_are_any(void **state)
{
    (void)state;
    struct canvas canvas;
    canvas_init(&canvas, 1, 4, &coloured);
    canvas_text(&canvas, canvas_area(&canvas), 0, 0, TINT_GOOD, "ab");
    canvas_choose(&canvas, canvas_area(&canvas), 0);
    shows(&canvas, "\033[7m\033[32mab\033[0m\033[0m\033[7m  \033[0m\n");
    canvas.look = unicode;
    shows(&canvas, "ab\n");
    canvas_fini(&canvas);
}

int main(void)
{
    const struct CMUnitTest claims[] = {
        cmocka_unit_test(a_text_that_is_too_long_is_cut_where_it_can_be_seen),
        cmocka_unit_test(a_hostile_text_moves_nothing),
        cmocka_unit_test(a_place_of_ascii_gets_no_other_character),
        cmocka_unit_test(a_wide_character_has_two_columns_and_is_never_halved),
        cmocka_unit_test(what_combines_joins_the_character_before_it),
        cmocka_unit_test(what_lies_outside_is_left_out),
        cmocka_unit_test(numbers_stand_right),
        cmocka_unit_test(texts_are_broken_between_words),
        cmocka_unit_test(colours_are_written_only_where_there_are_any),
    };
    return cmocka_run_group_tests(claims, NULL, NULL);
}
