/* YAML on one line; see emit.h. */
#include "scheduler/spec/emit.h"
#include "scheduler/spec/scalar.h"
#include "scheduler/spec/text.h"
#include "common/units.h"
#include "common/utf8.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Only characters, digits and marks that mean nothing in YAML, and nothing that any YAML takes for a number, a date, a
 * switch or null. */
static bool needs_no_quotes(const char *text)
{
    static const char marks[] = "_-./+@ ";
    size_t length = strlen(text);
    if (!isalpha((unsigned char)text[0]) && text[0] != '_' && text[0] != '/')
        return false;
    if (text[length - 1] == ' ' || (length == 1 && strchr("yYnN", *text)))
        return false;
    for (const char *at = text; *at; at++)
        if (!isalnum((unsigned char)*at) && !strchr(marks, *at))
            return false;
    return scalar_resolve(text).kind == SCALAR_TEXT && !scalar_was_switch(text);
}

/* Line ends, what can't be seen, what libyaml does not take as it is, and the two characters that mean something in
 * double quotes. */
static void add_escaped(struct buf *out, const char *at, size_t size, int32_t character)
{
    if (character == '"' || character == '\\')
        buf_format(out, "\\%c", (int)character);
    else if (character == '\n')
        buf_text(out, "\\n");
    else if (text_plain(character) && !utf8_is_control((uint32_t)character) && !utf8_is_hidden((uint32_t)character))
        buf_add(out, at, size);
    else if (character <= 0xFF)
        buf_format(out, "\\x%02X", (unsigned)character & 0xFF);
    else
        buf_format(out, character <= 0xFFFF ? "\\u%04X" : "\\U%08X", (unsigned)character);
}

void emit_text(struct buf *out, const char *text)
{
    if (*text && needs_no_quotes(text)) {
        buf_text(out, text);
        return;
    }
    size_t length = strlen(text), size;
    buf_text(out, "\"");
    for (size_t at = 0; at < length; at += size) {
        int32_t character = text_character(text + at, length - at, &size);
        add_escaped(out, text + at, size, character);
    }
    buf_text(out, "\"");
}

void emit_number(struct buf *out, double number)
{
    char text[32];
    buf_text(out, units_show_real(number, text, sizeof text));
}

void emit_decimal(struct buf *out, double number, int decimals)
{
    char text[64];
    size_t length = (size_t)snprintf(text, sizeof text, "%.*f", decimals, number);
    while (length > 1 && text[length - 1] == '0' && strchr(text, '.'))
        text[--length] = '\0';
    if (text[length - 1] == '.')
        text[--length] = '\0';
    buf_text(out, text);
}

static void emit_array(struct buf *out, const json_t *array)
{
    buf_text(out, "[");
    for (size_t i = 0; i < json_array_size(array); i++) {
        buf_text(out, i ? ", " : "");
        emit_json(out, json_array_get(array, i));
    }
    buf_text(out, "]");
}

static void emit_object(struct buf *out, const json_t *object)
{
    const char *key, *between = "";
    json_t *item;
    buf_text(out, "{");
    json_object_foreach((json_t *)object, key, item)
    {
        buf_text(out, between);
        emit_text(out, key);
        buf_text(out, ": ");
        emit_json(out, item);
        between = ", ";
    }
    buf_text(out, "}");
}

void emit_json(struct buf *out, const json_t *json)
{
    switch (json_typeof(json)) {
    case JSON_OBJECT:
        emit_object(out, json);
        break;
    case JSON_ARRAY:
        emit_array(out, json);
        break;
    case JSON_STRING:
        emit_text(out, json_string_value(json));
        break;
    case JSON_INTEGER:
        buf_format(out, "%lld", (long long)json_integer_value(json));
        break;
    case JSON_REAL:
        emit_number(out, json_real_value(json));
        break;
    case JSON_TRUE:
    case JSON_FALSE:
        buf_text(out, json_is_true(json) ? "true" : "false");
        break;
    case JSON_NULL:
        buf_text(out, "null");
        break;
    }
}
