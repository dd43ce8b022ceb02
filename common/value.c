/* Values of an experiment; see value.h. */
#include "common/value.h"
#include "common/json.h"
#include "common/mem.h"
#include "common/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool owns_text(const struct value *value)
{
    return value->kind == VALUE_TEXT || value->kind == VALUE_LIST;
}

void value_fini(struct value *value)
{
    if (owns_text(value))
        free(value->text);
    *value = (struct value){0};
}

struct value value_copy(const struct value *value)
{
    struct value copy = *value;
    if (owns_text(value))
        copy.text = mem_text(value->text);
    return copy;
}

struct value value_of_int(int64_t integer)
{
    return (struct value){.kind = VALUE_INT, .integer = integer};
}

struct value value_of_real(double real)
{
    return (struct value){.kind = VALUE_REAL, .real = real};
}

struct value value_of_bool(bool truth)
{
    return (struct value){.kind = VALUE_BOOL, .truth = truth};
}

struct value value_of_text(const char *text)
{
    return (struct value){.kind = VALUE_TEXT, .text = mem_text(text)};
}

/* Exact, also where doubles no longer tell neighbouring integers apart. */
static bool int_is_real(int64_t integer, double real)
{
    return real >= -0x1p63 && real < 0x1p63 && real == floor(real) && (int64_t)real == integer;
}

bool value_equal(const struct value *a, const struct value *b)
{
    if (a->kind == VALUE_INT && b->kind == VALUE_REAL)
        return int_is_real(a->integer, b->real);
    if (a->kind == VALUE_REAL && b->kind == VALUE_INT)
        return int_is_real(b->integer, a->real);
    if (a->kind != b->kind)
        return false;
    switch (a->kind) {
    case VALUE_NONE:
    case VALUE_NULL:
        return true;
    case VALUE_BOOL:
        return a->truth == b->truth;
    case VALUE_INT:
        return a->integer == b->integer;
    case VALUE_REAL:
        return a->real == b->real || (isnan(a->real) && isnan(b->real));
    case VALUE_TEXT:
    case VALUE_LIST:
        return strcmp(a->text, b->text) == 0;
    }
    return false;
}

bool value_number(const struct value *value, double *number)
{
    if (value->kind == VALUE_INT)
        *number = (double)value->integer;
    else if (value->kind == VALUE_REAL)
        *number = value->real;
    return value->kind == VALUE_INT || value->kind == VALUE_REAL;
}

/* Whether nothing in it is written another way in JSON. */
static bool is_plain(const char *text)
{
    for (; *text; text++)
        if (*text < ' ' || *text > '~' || *text == '"' || *text == '\\')
            return false;
    return true;
}

static void add_json_text(const char *text, struct buf *out)
{
    if (is_plain(text)) {
        buf_add(out, "\"", 1);
        buf_text(out, text);
        buf_add(out, "\"", 1);
        return;
    }
    json_t *json = json_of_text(text);
    char *quoted = json_dumps(json, JSON_ENCODE_ANY);
    buf_text(out, quoted ? quoted : "null");
    free(quoted);
    json_decref(json);
}

void value_json(const struct value *value, struct buf *out)
{
    if (value->kind == VALUE_TEXT)
        add_json_text(value->text, out);
    else if (value->kind == VALUE_REAL && !isfinite(value->real))
        buf_text(out, isnan(value->real) ? "\"nan\"" : value->real > 0 ? "\"inf\"" : "\"-inf\"");
    else
        value_show(value, out);
}

void value_show(const struct value *value, struct buf *out)
{
    char number[32];
    switch (value->kind) {
    case VALUE_NONE:
    case VALUE_NULL:
        buf_text(out, "null");
        break;
    case VALUE_BOOL:
        buf_text(out, value->truth ? "true" : "false");
        break;
    case VALUE_INT:
        buf_format(out, "%lld", (long long)value->integer);
        break;
    case VALUE_REAL:
        buf_text(out, units_show_real(value->real, number, sizeof number));
        break;
    case VALUE_TEXT:
    case VALUE_LIST:
        buf_text(out, value->text);
        break;
    }
}

json_t *value_to_json(const struct value *value)
{
    switch (value->kind) {
    case VALUE_BOOL:
        return json_boolean(value->truth);
    case VALUE_INT:
        return json_integer(value->integer);
    case VALUE_REAL:
        return json_of_real(value->real);
    case VALUE_TEXT:
        return json_of_text(value->text);
    case VALUE_LIST:
        return json_loads(value->text, 0, NULL);
    case VALUE_NONE:
    case VALUE_NULL:
        break;
    }
    return json_null();
}

static int write_list(const json_t *list, struct buf *out, struct err *err)
{
    const json_t *item;
    size_t index;
    struct value value;
    buf_text(out, "[");
    json_array_foreach(list, index, item)
    {
        if (value_from_json(item, &value, err))
            return -1;
        buf_text(out, index ? ", " : "");
        value_json(&value, out);
        value_fini(&value);
    }
    buf_text(out, "]");
    return 0;
}

static int take_list(const json_t *list, struct value *out, struct err *err)
{
    struct buf text = {0};
    int result = write_list(list, &text, err);
    if (result == 0)
        *out = (struct value){.kind = VALUE_LIST, .text = mem_text(buf_str(&text))};
    buf_fini(&text);
    return result;
}

int value_from_json(const json_t *json, struct value *out, struct err *err)
{
    *out = (struct value){.kind = VALUE_NULL};
    if (json_is_integer(json))
        *out = value_of_int(json_integer_value(json));
    else if (json_is_real(json))
        *out = value_of_real(json_real_value(json));
    else if (json_is_boolean(json))
        *out = value_of_bool(json_is_true(json));
    else if (json_is_string(json) && strlen(json_string_value(json)) == json_string_length(json))
        *out = value_of_text(json_string_value(json));
    else if (json_is_array(json))
        return take_list(json, out, err);
    else if (!json_is_null(json))
        return err_set(err, "%s is no value; give a number, a text, true, false, null or a list",
                       json_is_object(json)   ? "an object"
                       : json_is_string(json) ? "a text with a zero byte"
                                              : "nothing");
    return 0;
}
