/* UTF-8, characters and lines; see text.h. */
#include "scheduler/spec/text.h"

#include <string.h>

/* How the first byte of a character looks, and the smallest character that needs so many bytes. */
struct lead {
    unsigned char mask, pattern;
    int32_t least;
};

static const struct lead leads[] = {
    {0x80, 0x00, 0}, {0xE0, 0xC0, 0x80}, {0xF0, 0xE0, 0x800}, {0xF8, 0xF0, 0x10000}}; /* of 1, 2, 3, 4 bytes */

int32_t text_character(const char *text, size_t length, size_t *size)
{
    unsigned char first = (unsigned char)*text;
    *size = 1;
    for (size_t more = 0; more < 4; more++) {
        if ((first & leads[more].mask) != leads[more].pattern || more >= length)
            continue;
        int32_t character = first & ~leads[more].mask;
        for (size_t i = 1; i <= more; i++) {
            if (((unsigned char)text[i] & 0xC0) != 0x80)
                return -1;
            character = character << 6 | (text[i] & 0x3F);
        }
        if (character < leads[more].least || character > 0x10FFFF || (character >= 0xD800 && character <= 0xDFFF))
            return -1;
        *size = more + 1;
        return character;
    }
    return -1;
}

bool text_plain(int32_t c)
{
    return c == '\t' || c == '\n' || c == '\r' || (c >= 0x20 && c <= 0x7E) || c == 0x85 || (c >= 0xA0 && c <= 0xD7FF) ||
           (c >= 0xE000 && c <= 0xFFFD && c != 0xFEFF) || (c >= 0x10000 && c <= 0x10FFFF);
}

size_t text_characters(const char *text, size_t length)
{
    size_t count = 0, size;
    for (size_t at = 0; at < length; at += size, count++)
        text_character(text + at, length - at, &size);
    return count;
}

size_t text_whole(const char *text, size_t length)
{
    size_t start = length;
    while (start > 0 && length - start < 3 && ((unsigned char)text[start] & 0xC0) == 0x80)
        start--;
    return start;
}

static bool has_utf16_mark(const char *text, size_t length)
{
    return length >= 2 && (memcmp(text, "\xFF\xFE", 2) == 0 || memcmp(text, "\xFE\xFF", 2) == 0);
}

size_t text_order_mark(const char *text, size_t length)
{
    return length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
}

/* The first character that YAML can't hold as it is; `length` when there is none. */
static size_t first_wrong(const char *text, size_t length, int32_t *character)
{
    size_t size, at = 0;
    for (; at < length; at += size) {
        *character = text_character(text + at, length - at, &size);
        if (!text_plain(*character))
            break;
    }
    return at;
}

bool text_check(const char *text, size_t length, const char *option, struct problems *problems)
{
    int32_t character = 0;
    size_t at = first_wrong(text, length, &character);
    if (at == length)
        return true;
    struct source_mark mark = text_mark(text, at);
    mark.option = option;
    if (option)
        mark.line = 0;
    if (has_utf16_mark(text, length))
        problem_say(problems, PROBLEM_BAD_TEXT, mark, "save it as UTF-8", "the file is UTF-16");
    else if (character < 0)
        problem_say(problems, PROBLEM_BAD_TEXT, mark, "save the file as UTF-8", "the byte 0x%02X is not UTF-8 here",
                    (unsigned)(unsigned char)text[at]);
    else if (!character)
        problem_say(problems, PROBLEM_BAD_TEXT, mark, "remove it", "a zero byte can't stand here");
    else
        problem_hint(problem_add(problems, PROBLEM_BAD_TEXT, mark, "the control character U+%04X can't stand here",
                                 (unsigned)character),
                     "remove it, or write \"\\u%04X\" in double quotes", (unsigned)character);
    return false;
}

bool text_ends_line(const char *text)
{
    return *text == '\n' || (*text == '\r' && text[1] != '\n');
}

struct source_mark text_mark(const char *text, size_t offset)
{
    struct source_mark mark = {.line = 1};
    size_t start = 0;
    for (size_t i = 0; i < offset; i++)
        if (text_ends_line(text + i)) {
            mark.line++;
            start = i + 1;
        }
    mark.column = (uint32_t)text_characters(text + start, offset - start) + 1;
    mark.end_column = mark.column + 1;
    return mark;
}

const char *text_line(const char *text, uint32_t line, size_t *length)
{
    for (; line > 1; line--, text++) {
        while (*text && !text_ends_line(text))
            text++;
        if (!*text)
            return NULL;
    }
    *length = strcspn(text, "\r\n");
    return text;
}
