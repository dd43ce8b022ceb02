/* JSON for the command line; see json.h. jansson writes reals with 17 digits ("0.10000000000000001"); people and diffs
 * deserve the short form that reads back the same, so writing is done here. */
#include "cli/json.h"
#include "common/json.h"
#include "common/units.h"
#include "common/utf8.h"

#include <string.h>

/* What terminals obey or don't show, as JSON spells it: beyond U+FFFF as two halves. */
static void add_escaped(uint32_t code, struct buf *out)
{
    if (code > 0xffff)
        buf_format(out, "\\u%04x\\u%04x", (unsigned)(0xd800 + ((code - 0x10000) >> 10)),
                   (unsigned)(0xdc00 + ((code - 0x10000) & 0x3ff)));
    else
        buf_format(out, "\\u%04x", (unsigned)code);
}

static void add_text(const char *text, size_t length, struct buf *out)
{
    buf_text(out, "\"");
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        uint32_t code = 0;
        size_t bytes = c < 0x80 ? 1 : utf8_read(text + i, &code);
        if (c == '"' || c == '\\')
            buf_format(out, "\\%c", c);
        else if (c == '\n')
            buf_text(out, "\\n");
        else if (c < 0x20 || c == 0x7f)
            buf_format(out, "\\u%04x", c);
        else if (c >= 0x80 && (utf8_is_control(code) || utf8_is_hidden(code)))
            add_escaped(code, out);
        else
            buf_add(out, &text[i], bytes ? bytes : 1);
        i += bytes ? bytes - 1 : 0;
    }
    buf_text(out, "\"");
}

static void add_real(double number, struct buf *out)
{
    char text[32];
    units_show_real(number, text, sizeof text);
    buf_text(out, text);
}

/* Members are separated by a comma, at the top level by a new line too where `lines` is set. */
static void add_value(const json_t *json, bool lines, struct buf *out)
{
    const char *separator = lines ? ",\n " : ", ";
    size_t count = 0, index;
    const char *key;
    json_t *value;
    switch (json_typeof(json)) {
    case JSON_OBJECT:
        buf_text(out, "{");
        json_object_foreach((json_t *)json, key, value)
        {
            buf_text(out, count++ ? separator : "");
            add_text(key, strlen(key), out);
            buf_text(out, ": ");
            add_value(value, false, out);
        }
        buf_text(out, "}");
        break;
    case JSON_ARRAY:
        buf_text(out, "[");
        json_array_foreach((json_t *)json, index, value)
        {
            buf_text(out, index ? separator : "");
            add_value(value, false, out);
        }
        buf_text(out, "]");
        break;
    case JSON_STRING:
        add_text(json_string_value(json), json_string_length(json), out);
        break;
    case JSON_INTEGER:
        buf_format(out, "%" JSON_INTEGER_FORMAT, json_integer_value(json));
        break;
    case JSON_REAL:
        add_real(json_real_value(json), out);
        break;
    case JSON_TRUE:
    case JSON_FALSE:
    case JSON_NULL:
        buf_text(out, json_is_true(json) ? "true" : json_is_false(json) ? "false" : "null");
        break;
    }
}

void json_add(const json_t *json, struct buf *out)
{
    add_value(json, false, out);
}

void json_add_lines(const json_t *json, struct buf *out)
{
    add_value(json, true, out);
    buf_text(out, "\n");
}

bool json_number(const json_t *object, const char *member, double *number)
{
    return json_to_real(json_object_get(object, member), number);
}

const char *json_text(const json_t *object, const char *member)
{
    const char *text = json_string_value(json_object_get(object, member));
    return text ? text : "";
}

json_t *json_named(const json_t *list, const char *name)
{
    size_t index;
    json_t *row;
    json_array_foreach(list, index, row) if (strcmp(json_text(row, "name"), name) == 0) return row;
    return NULL;
}

void json_add_once(json_t *list, const char *text)
{
    size_t index;
    const json_t *one;
    json_array_foreach(list, index, one)
    {
        if (strcmp(json_string_value(one), text) == 0)
            return;
    }
    json_array_append_new(list, json_of_text(text));
}
