/* Steps in a line, and a line without a terminal's sequences; see printed_line.h. */
#include "worker/program/printed_line.h"
#include "worker/program/printed_value.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

/* --- steps --- */

int64_t printed_bracket(const char **at, const char *end)
{
    enum { DIGITS_MOST = 15 };
    const char *digit = printed_skip_blanks(*at, end);
    if (digit == end || *digit++ != '(')
        return -1;
    const char *first = digit;
    int64_t number = 0;
    for (; digit < end && isdigit((unsigned char)*digit) && digit - first < DIGITS_MOST; digit++)
        number = number * 10 + (*digit - '0');
    if (digit == first || digit == end || *digit != ')')
        return -1;
    *at = digit + 1;
    return number;
}

const char *printed_step(const char *at, const char *end, int64_t *step)
{
    double value;
    bool comma;
    const char *sign = printed_skip_blanks(at, end);
    const char *number = printed_skip_blanks(sign + (sign < end && strchr("=:", *sign) && *sign), end);
    number += number < end && (*number == '[' || *number == '(' || *number == '#');
    number = printed_skip_blanks(number, end);
    if (number == at)
        return NULL;
    const char *behind =
        number < end && isdigit((unsigned char)*number) ? printed_value(number, end, &value, &comma) : NULL;
    if (behind && value < 1e15 && value == floor(value))
        *step = (int64_t)value;
    return behind;
}

/* --- sequences --- */

/* Behind a terminal's sequence: ESC [ parameters character, or ESC and another character. */
static const char *skip_sequence(const char *at, const char *end)
{
    at++;
    if (at < end && *at == '[') {
        at++;
        while (at < end && (isdigit((unsigned char)*at) || strchr(";?", *at)) && *at)
            at++;
    }
    return at + (at < end);
}

void printed_plain(const char *at, const char *end, struct buf *out)
{
    buf_clear(out);
    while (at < end) {
        const char *escape = memchr(at, '\033', (size_t)(end - at));
        const char *behind = escape ? escape : end;
        buf_add(out, at, (size_t)(behind - at));
        at = escape ? skip_sequence(escape, end) : end;
    }
}
