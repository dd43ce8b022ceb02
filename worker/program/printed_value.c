/* Reads numbers in text; see printed_value.h. */
#include "worker/program/printed_value.h"

#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
    NUMBER_LONGEST = 64, /* characters of a number that can matter */
    WRAPPED_DEEPEST = 4, /* tensor([[0.5]]) */
    /* A line of 64 KiB could hold thousands of places from which all the rest of it was looked over: */
    GAP_WIDEST = 256,        /* blanks between a name and its value */
    ARGUMENTS_LONGEST = 1024 /* what stands behind the number in tensor(0.5, ...) */
};

bool printed_is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '-' || c == '.' || c == '/' || c == '@';
}

const char *printed_skip_blanks(const char *at, const char *end)
{
    const char *most = end - at > GAP_WIDEST ? at + GAP_WIDEST : end;
    while (at < most && (*at == ' ' || *at == '\t'))
        at++;
    return at;
}

static bool is_digit_at(const char *at, const char *end)
{
    return at < end && isdigit((unsigned char)*at);
}

/* Whether a text is a sign and digits alone. */
static bool is_whole(const char *text, const char *rest)
{
    text += *text == '+' || *text == '-';
    while (text < rest && isdigit((unsigned char)*text))
        text++;
    return text == rest;
}

/* "1.234", whose point stands between thousands where a comma and digits follow it, none of them another number's. */
static bool is_grouped(const char *text, const char *rest, const char *comma, const char *end)
{
    text += *text == '+' || *text == '-';
    size_t whole = strspn(text, "0123456789");
    for (comma++; comma < end && isdigit((unsigned char)*comma); comma++)
        ;
    return whole >= 1 && whole <= 3 && *text != '0' && rest - text == (ptrdiff_t)whole + 4 &&
           !(comma < end && *comma == '.');
}

/* Behind the plain number at `at`, which has to end where a word could not go on. */
static const char *read_number(const char *at, const char *end, double *number, bool *comma)
{
    char text[NUMBER_LONGEST];
    size_t length = 0;
    while (at + length < end && length < sizeof text - 1 && (printed_is_word(at[length]) || at[length] == '+'))
        length++;
    memcpy(text, at, length);
    text[length] = '\0';
    char *rest;
    *number = strtod(text, &rest);
    const char *behind = at + (rest - text);
    if (rest == text || isalnum((unsigned char)*rest) || *rest == '_' ||
        (*rest == '.' && isdigit((unsigned char)rest[1])))
        return NULL;
    if (behind < end && *behind == ':' && is_digit_at(behind + 1, end)) /* a clock's time */
        return NULL;
    if (behind < end && *behind == ',' && is_digit_at(behind + 1, end) &&
        (is_whole(text, rest) || is_grouped(text, rest, behind, end))) {
        *comma = true;
        return NULL;
    }
    return behind;
}

/* Whether a word is what Python's libraries call a number or a tensor of one: its last part counts. */
static bool is_type(const char *word, size_t length)
{
    static const char *const types[] = {"tensor",   "Tensor",   "Parameter", "array",   "Array",  "DeviceArray",
                                        "float16",  "bfloat16", "float32",   "float64", "double", "longdouble",
                                        "float128", "float",    "int8",      "int16",   "int32",  "int64",
                                        "int",      "uint8",    "Decimal"};
    for (size_t i = length; i-- > 0;)
        if (word[i] == '.') {
            word += i + 1;
            length -= i + 1;
            break;
        }
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strlen(types[i]) == length && memcmp(types[i], word, length) == 0)
            return true;
    return false;
}

/* Behind what opens a value at `at`: "[", a quote, "tensor("; NULL: nothing does. *closes: what has to come behind. */
static const char *open_wrapper(const char *at, const char *end, char *closes)
{
    if (at == end)
        return NULL;
    *closes = *at == '[' ? ']' : *at;
    if (*at == '[' || *at == '"' || *at == '\'')
        return at + 1;
    const char *word = at;
    while (at < end && (isalnum((unsigned char)*at) || *at == '_' || *at == '.'))
        at++;
    *closes = ')';
    return at < end && *at == '(' && is_type(word, (size_t)(at - word)) ? at + 1 : NULL;
}

/* Behind the bracket that closes the one before `at`; `at` itself when none does in a reasonable distance. */
static const char *skip_arguments(const char *at, const char *end)
{
    int open = 1;
    for (const char *c = at; c < end && c - at < ARGUMENTS_LONGEST; c++) {
        open += (*c == '(') - (*c == ')');
        if (open == 0)
            return c + 1;
    }
    return at;
}

/* Behind a percent sign that is the end of a word; NULL: there is none at `at`. */
static const char *skip_percent(const char *at, const char *end)
{
    const char *sign = printed_skip_blanks(at, end);
    bool is = sign < end && *sign == '%' && (sign + 1 == end || (!printed_is_word(sign[1]) && sign[1] != '%'));
    return is ? sign + 1 : NULL;
}

/* `percent`: whether its sign counts. */
static const char *read_value(const char *at, const char *end, double *value, bool *comma, bool percent)
{
    char closes[WRAPPED_DEEPEST];
    int depth = 0;
    const char *inner;
    *comma = false;
    while (depth < WRAPPED_DEEPEST && (inner = open_wrapper(at, end, &closes[depth])) != NULL) {
        at = printed_skip_blanks(inner, end);
        depth++;
    }
    at = read_number(at, end, value, comma);
    const char *inside = at && percent && depth ? skip_percent(at, end) : NULL;
    at = inside ? inside : at;
    while (at && depth-- > 0) {
        at = printed_skip_blanks(at, end);
        if (at < end && *at == closes[depth])
            at++;
        else
            at = at < end && *at == ',' && closes[depth] == ')' ? skip_arguments(at, end) : NULL;
    }
    if (at && percent && (inside || skip_percent(at, end)))
        *value /= 100;
    return at;
}

const char *printed_value(const char *at, const char *end, double *value, bool *comma)
{
    return read_value(at, end, value, comma, false);
}

const char *printed_share(const char *at, const char *end, double *value, bool *comma)
{
    return read_value(at, end, value, comma, true);
}
