/* See row_type.h. */
#include "common/row_type.h"

#include <math.h>
#include <string.h>

size_t row_type_next(const char **at, const char **word)
{
    if (!**at)
        return 0;
    *word = *at;
    size_t length = strcspn(*at, "|");
    *at += length + ((*at)[length] == '|');
    return length;
}

static bool is_word(const char *word, size_t length, const char *text)
{
    return strlen(text) == length && strncmp(word, text, length) == 0;
}

/* A whole number that fits, written 64 or 64.0. */
static bool is_integer(const json_t *value)
{
    double number = json_number_value(value);
    return json_is_integer(value) || (json_is_real(value) && number == floor(number) && fabs(number) < 0x1p53);
}

static bool choice_takes(const char *word, size_t length, const json_t *value)
{
    if (is_word(word, length, "text") || is_word(word, length, "path"))
        return json_is_string(value);
    if (is_word(word, length, "integer"))
        return is_integer(value);
    if (is_word(word, length, "number"))
        return json_is_number(value);
    if (is_word(word, length, "switch"))
        return json_is_boolean(value);
    if (is_word(word, length, "list"))
        return json_is_array(value);
    if (is_word(word, length, "map"))
        return json_is_object(value);
    return json_is_string(value) && is_word(word, length, json_string_value(value));
}

bool row_type_takes(struct row_type type, const json_t *value)
{
    double number = json_number_value(value);
    if (json_is_number(value) && type.min < type.max && !(number >= type.min && number <= type.max))
        return false;
    const char *word;
    for (size_t length; (length = row_type_next(&type.alternatives, &word));)
        if (choice_takes(word, length, value))
            return true;
    return false;
}

void row_type_describe(struct row_type type, struct buf *out)
{
    const char *at = type.alternatives, *word;
    for (size_t length, n = 0; (length = row_type_next(&at, &word)); n++)
        buf_format(out, "%s%.*s", !n ? "" : *at ? ", " : " or ", (int)length, word);
    if (type.min < type.max)
        buf_format(out, " from %g to %g", type.min, type.max);
}

bool row_type_covers(const char *row, const char *name)
{
    size_t length = strlen(row);
    if (length && row[length - 1] == '*')
        return strncmp(row, name, length - 1) == 0;
    return strcmp(row, name) == 0;
}
