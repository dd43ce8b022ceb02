/* Characters that can't be seen: which they are, and what people and programs get of them. */
#include "cli/format.h"
#include "cli/json.h"
#include "common/csv.h"
#include "common/markup.h"
#include "common/utf8.h"
#include "tests/claims.h"

#include <string.h>

#define TURNED  "\xe2\x80\xae"     /* U+202E */
#define NO_ROOM "\xe2\x80\x8b"     /* U+200B */
#define MARK    "\xef\xbb\xbf"     /* U+FEFF */
#define TAG     "\xf3\xa0\x81\x81" /* U+E0041 */
#define JOINER  "\xe2\x80\x8d"     /* U+200D */
#define EMOJI   "\xef\xb8\x8f"     /* U+FE0F */

typedef void add_text(const char *text, struct buf *out);

static void becomes(add_text *add, const char *text, const char *expected)
{
    struct buf out = {0};
    add(text, &out);
    assert_string_equal(buf_str(&out), expected);
    buf_fini(&out);
}

static void lines(const char *text, struct buf *out)
{
    format_safe_lines(text, strlen(text), out);
}

static void json(const char *text, struct buf *out)
{
    json_t *value = json_string(text);
    json_add(value, out);
    json_decref(value);
}

static void people_see_what_hides(void **state)
{
    (void)state;
    add_text *const ways[] = {format_safe, lines, markup_text};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        becomes(ways[i], "a" TURNED "b" NO_ROOM MARK TAG, "a\\u202eb\\u200b\\ufeff\\U000e0041");
        becomes(ways[i], "\xe2\x81\xa6\xe2\x81\xa9\xc2\xad\xe2\x80\xa8", "\\u2066\\u2069\\u00ad\\u2028");
    }
}

static void what_writing_needs_stays(void **state)
{
    (void)state;
    add_text *const ways[] = {format_safe, lines, markup_text, format_csv};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        becomes(ways[i], "ä表" JOINER "x" EMOJI "é\xcc\x81", "ä表" JOINER "x" EMOJI "é\xcc\x81");
}

static void what_is_no_character_is_one_mark_a_byte(void **state)
{
    (void)state;
    uint32_t code;
    assert_int_equal(utf8_read("\xed\xa0\x80", &code), 0);     /* half of a pair of UTF-16 */
    assert_int_equal(utf8_read("\xe0\x80\x80", &code), 0);     /* longer than needed */
    assert_int_equal(utf8_read("\xf4\x90\x80\x80", &code), 0); /* beyond the last one */
    assert_int_equal(utf8_read("\xe2\x80", &code), 0);         /* cut */
    becomes(format_safe, "\xe2\x80", "??");
    becomes(markup_text, "\xef\xbf\xbe", "???");
}

static void programs_get_what_it_is(void **state)
{
    (void)state;
    becomes(format_csv, "a" TURNED TAG, "a" TURNED TAG);
    becomes(json, "a" TURNED TAG, "\"a\\u202e\\udb40\\udc41\"");
    json_t *back = json_loads("\"a\\u202e\\udb40\\udc41\"", JSON_DECODE_ANY, NULL);
    assert_string_equal(json_string_value(back), "a" TURNED TAG);
    json_decref(back);
    becomes(format_shell, "a" TURNED, "$'a\\342\\200\\256'");
}

static void a_spreadsheet_gets_no_formula(void **state)
{
    (void)state;
    static const char *const texts[][2] = {{"=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"},
                                           {"=1+1,2", "\"'=1+1,2\""},
                                           {"@SUM(1)", "'@SUM(1)"},
                                           {"+1 and", "'+1 and"},
                                           {"-x", "'-x"},
                                           {"'=x", "''=x"},
                                           {"-1.5e-3", "-1.5e-3"},
                                           {"-inf", "-inf"},
                                           {"'quoted'", "'quoted'"},
                                           {"a=b", "a=b"},
                                           {"", ""}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        becomes(format_csv, texts[i][0], texts[i][1]);
}

static void what_was_guarded_reads_as_it_was(void **state)
{
    (void)state;
    assert_string_equal(csv_plain("'=x"), "=x");
    assert_string_equal(csv_plain("''=x"), "'=x");
    assert_string_equal(csv_plain("'quoted'"), "'quoted'");
    assert_string_equal(csv_plain("-1"), "-1");
    assert_string_equal(csv_plain(""), "");
    assert_string_equal(csv_plain("'"), "'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(people_see_what_hides),
        cmocka_unit_test(what_writing_needs_stays),
        cmocka_unit_test(what_is_no_character_is_one_mark_a_byte),
        cmocka_unit_test(programs_get_what_it_is),
        cmocka_unit_test(a_spreadsheet_gets_no_formula),
        cmocka_unit_test(what_was_guarded_reads_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
