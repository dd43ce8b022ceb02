/* Small things put into words; see format.h. */
#include "cli/format.h"
#include "cli/json.h"
#include "common/suggest.h"
#include "common/utf8.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *format_number(double number, char *out, size_t size)
{
    if (isnan(number))
        return "nan"; /* printf would show its sign */
    snprintf(out, size, "%.6g", number);
    return out;
}

/* The bytes of the character at `text`, and its code; 0: it is broken, or a control character. */
static size_t safe_length(const char *text, uint32_t *code)
{
    size_t length = utf8_read(text, code);
    return utf8_is_control(*code) ? 0 : length;
}

/* Those of one that can be seen. */
static size_t seen_length(const char *text)
{
    uint32_t code = 0;
    size_t length = safe_length(text, &code);
    return utf8_is_hidden(code) ? 0 : length;
}

void format_safe(const char *text, struct buf *out)
{
    while (*text) {
        uint32_t code = 0;
        size_t length = safe_length(text, &code);
        utf8_add(length ? text : "?", length ? length : 1, length ? code : '?', out);
        text += length ? length : 1;
    }
}

/* `exact`: what can't be seen stays what it is. */
static void add_lines(const char *text, size_t length, bool exact, struct buf *out)
{
    for (const char *end = text + length; text < end; text++) {
        uint32_t code = 0;
        size_t plain = *text == '\n' || *text == '\t' ? 1 : *text ? safe_length(text, &code) : 0;
        if (*text == '\r') {
            buf_text(out, text + 1 < end && text[1] == '\n' ? "" : "\n");
            continue;
        }
        utf8_add(plain ? text : "?", plain ? plain : 1, plain && !exact ? code : '?', out);
        text += plain ? plain - 1 : 0;
    }
}

void format_safe_lines(const char *text, size_t length, struct buf *out)
{
    add_lines(text, length, false, out);
}

size_t format_width(const char *text)
{
    size_t width = 0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

/* The bytes of the first `width` characters. */
static size_t bytes_of(const char *text, size_t width)
{
    size_t at = 0;
    for (; text[at]; at++)
        if (((unsigned char)text[at] & 0xc0) != 0x80 && width-- == 0)
            break;
    return at;
}

const char *format_last_line(const char *text, size_t *length)
{
    size_t end = strlen(text), begin;
    while (end && isspace((unsigned char)text[end - 1]))
        end--;
    for (begin = end; begin && text[begin - 1] != '\n'; begin--)
        ;
    *length = end - begin;
    return text + begin;
}

void format_cut(const struct look *look, const char *text, size_t width, struct buf *out)
{
    const char *mark = look->unicode ? "…" : width > 4 ? "..." : "";
    if (format_width(text) <= width) {
        buf_text(out, text);
        return;
    }
    size_t kept = width > format_width(mark) ? width - format_width(mark) : 0;
    buf_add(out, text, bytes_of(text, kept));
    buf_add(out, mark, bytes_of(mark, width - kept));
}

void format_cut_middle(const struct look *look, const char *text, size_t width, struct buf *out)
{
    const char *mark = look->unicode ? "…" : "..";
    size_t columns = format_width(text), dots = format_width(mark);
    if (columns <= width || width < dots + 3) {
        format_cut(look, text, width, out);
        return;
    }
    size_t tail = (width - dots) / 3;
    buf_add(out, text, bytes_of(text, width - dots - tail));
    buf_text(out, mark);
    buf_text(out, text + bytes_of(text, columns - tail));
}

/* The bytes of a text that stand in a line of `width` columns: up to a blank, or all that there is room for. */
static size_t line_of(const char *text, size_t width)
{
    size_t most = bytes_of(text, width), end = most;
    if (!text[most] || text[most] == ' ')
        return most;
    while (end && text[end - 1] != ' ')
        end--;
    while (end && text[end - 1] == ' ')
        end--;
    return end ? end : most;
}

void format_wrap(const char *text, size_t width, struct buf *out)
{
    format_hang(text, 0, 0, width, out);
}

void format_hang(const char *text, size_t at, size_t indent, size_t width, struct buf *out)
{
    while (width > at && format_width(text) > width - at) {
        size_t length = line_of(text, width - at);
        buf_add(out, text, length);
        buf_format(out, "\n%*s", (int)indent, "");
        text += length + strspn(text + length, " ");
        at = indent;
    }
    buf_format(out, "%s\n", text);
}

void format_ranges(const json_t *list, struct buf *out)
{
    size_t count = json_array_size(list);
    for (size_t first = 0, last; first < count; first = last + 1) {
        json_int_t from = json_integer_value(json_array_get(list, first));
        for (last = first; last + 1 < count; last++)
            if (json_integer_value(json_array_get(list, last + 1)) != from + (json_int_t)(last + 1 - first))
                break;
        buf_format(out, "%s%" JSON_INTEGER_FORMAT, first ? "," : "", from);
        if (last > first)
            buf_format(out, "-%" JSON_INTEGER_FORMAT, from + (json_int_t)(last - first));
    }
    if (!count)
        buf_text(out, "-");
}

static bool has_controls(const char *text)
{
    size_t length = 1;
    for (; *text && length; text += length)
        length = *text == '\n' ? 1 : seen_length(text);
    return *text;
}

static void shell_escaped(const char *text, struct buf *out)
{
    buf_text(out, "$'");
    while (*text) {
        size_t length = *text == '\'' || *text == '\\' ? 0 : seen_length(text);
        if (length)
            buf_add(out, text, length);
        else
            buf_format(out, "\\%03o", (unsigned char)*text);
        text += length ? length : 1;
    }
    buf_text(out, "'");
}

void format_shell(const char *text, struct buf *out)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
    if (*text && text[strspn(text, plain)] == '\0') {
        buf_text(out, text);
        return;
    }
    if (has_controls(text)) {
        shell_escaped(text, out);
        return;
    }
    buf_text(out, "'");
    for (; *text; text++)
        buf_text(out, *text == '\'' ? "'\\''" : (char[]){*text, '\0'});
    buf_text(out, "'");
}

/* Whether a spreadsheet would take it for a formula, also without the ' in front that says that it is none. A number is
 * none. */
static bool is_formula(const char *text)
{
    char *end;
    text += strspn(text, "'");
    if (!*text || !strchr("=+-@\t", *text))
        return false;
    strtod(text, &end);
    return *end != '\0';
}

void format_csv(const char *text, struct buf *out)
{
    struct buf safe = {0};
    add_lines(text, strlen(text), true, &safe);
    const char *at = buf_str(&safe);
    bool quoted = at[strcspn(at, ",\"\r\n")];
    buf_text(out, quoted ? "\"" : "");
    buf_text(out, is_formula(at) ? "'" : "");
    for (; *at; at++)
        buf_text(out, *at == '"' ? "\"\"" : (char[]){*at, '\0'});
    buf_text(out, quoted ? "\"" : "");
    buf_fini(&safe);
}

void format_count(uint64_t count, const char *noun, struct buf *out)
{
    buf_format(out, "%" PRIu64 " %s%s", count, noun, count == 1 ? "" : "s");
}

int format_unknown(const char *what, const char *written, const char *const *names, size_t count, const char *plural,
                   struct err *err)
{
    const char *near = suggest_nearest(written, names, count);
    struct buf text = {0};
    buf_format(&text, "%s '%s'", what, written);
    buf_format(&text, near ? "; did you mean '%s'?" : ".", near);
    buf_format(&text, " The %s: ", plural);
    suggest_list(&text, names, count);
    err_write(err, "%s", buf_str(&text));
    buf_fini(&text);
    return -1;
}

void format_scalar(const json_t *json, struct buf *out)
{
    char number[32];
    if (!json || json_is_null(json))
        buf_text(out, "-");
    else if (json_is_string(json))
        format_safe(json_string_value(json), out);
    else if (json_is_real(json))
        buf_text(out, format_number(json_real_value(json), number, sizeof number));
    else
        json_add(json, out);
}

void format_params(const json_t *params, const char *separator, struct buf *out)
{
    const char *name;
    json_t *value;
    size_t count = 0;
    json_object_foreach((json_t *)params, name, value)
    {
        buf_text(out, count++ ? separator : "");
        format_safe(name, out);
        buf_text(out, "=");
        format_scalar(value, out);
    }
}

void format_values(const json_t *trial, struct buf *out)
{
    const char *name;
    json_t *value;
    json_object_foreach(json_object_get(trial, "values"), name, value)
    {
        buf_text(out, "  ");
        format_safe(name, out);
        buf_text(out, " ");
        format_scalar(value, out);
    }
}

void format_members(const json_t *object, const char *strong, const struct look *look, struct buf *out)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)object, name, value)
    {
        struct buf label = {0}, line = {0};
        format_safe(name, &label);
        buf_format(&line, "  %-14s ", buf_str(&label));
        format_scalar(value, &line);
        look_add(look, strcmp(name, strong) == 0 ? TINT_STRONG : TINT_NONE, buf_str(&line), out);
        buf_text(out, "\n");
        buf_fini(&label);
        buf_fini(&line);
    }
}

void format_args(const json_t *params, struct buf *out)
{
    const char *name;
    json_t *value;
    size_t count = 0;
    json_object_foreach((json_t *)params, name, value)
    {
        struct buf word = {0};
        buf_format(&word, "--%s=", name);
        if (json_is_string(value))
            buf_text(&word, json_string_value(value));
        else
            json_add(value, &word);
        buf_text(out, count++ ? " " : "");
        format_shell(buf_str(&word), out);
        buf_fini(&word);
    }
}
