/* The core schema of YAML 1.2 (chapter 10.3.2 of its specification); see scalar.h. */
#include "scheduler/spec/scalar.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool one_of(const char *text, const char *const *words)
{
    for (; *words; words++)
        if (strcmp(text, *words) == 0)
            return true;
    return false;
}

static bool is_null(const char *text)
{
    return one_of(text, (const char *const[]){"", "~", "null", "Null", "NULL", NULL});
}

static bool is_bool(const char *text, bool *truth)
{
    *truth = one_of(text, (const char *const[]){"true", "True", "TRUE", NULL});
    return *truth || one_of(text, (const char *const[]){"false", "False", "FALSE", NULL});
}

static const char *after_sign(const char *text)
{
    return text + (*text == '+' || *text == '-');
}

static bool has_only(const char *text, const char *digits)
{
    return *text && text[strspn(text, digits)] == '\0';
}

/* A whole number of some base, as an int64_t or, when it is larger, as a double. */
static struct scalar whole_of(const char *text, int base)
{
    struct scalar scalar = {.kind = SCALAR_INT};
    errno = 0;
    scalar.integer = strtoll(text, NULL, base);
    if (errno)
        scalar = (struct scalar){.kind = SCALAR_REAL, .huge = true, .real = base == 10 ? strtod(text, NULL) : INFINITY};
    return scalar;
}

static bool is_whole(const char *text, struct scalar *scalar)
{
    if (has_only(after_sign(text), "0123456789"))
        *scalar = whole_of(text, 10);
    else if (strncmp(text, "0o", 2) == 0 && has_only(text + 2, "01234567"))
        *scalar = whole_of(text + 2, 8);
    else if (strncmp(text, "0x", 2) == 0 && has_only(text + 2, "0123456789abcdefABCDEF"))
        *scalar = whole_of(text + 2, 16);
    else
        return false;
    return true;
}

/* [-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )? */
static bool is_decimal(const char *text)
{
    const char *at = after_sign(text);
    size_t before = strspn(at, "0123456789"), behind = 0;
    at += before;
    if (*at == '.') {
        behind = strspn(++at, "0123456789");
        at += behind;
    }
    if (!before && !behind)
        return false;
    return !*at || ((*at == 'e' || *at == 'E') && has_only(after_sign(at + 1), "0123456789"));
}

static bool is_real(const char *text, double *real)
{
    if (one_of(after_sign(text), (const char *const[]){".inf", ".Inf", ".INF", NULL}))
        *real = *text == '-' ? -INFINITY : INFINITY;
    else if (one_of(text, (const char *const[]){".nan", ".NaN", ".NAN", NULL}))
        *real = NAN;
    else if (is_decimal(text))
        *real = strtod(text, NULL);
    else
        return false;
    return true;
}

struct scalar scalar_resolve(const char *text)
{
    struct scalar scalar = {.kind = SCALAR_TEXT};
    if (is_null(text))
        scalar.kind = SCALAR_NULL;
    else if (is_bool(text, &scalar.truth))
        scalar.kind = SCALAR_BOOL;
    else if (!is_whole(text, &scalar) && is_real(text, &scalar.real))
        scalar.kind = SCALAR_REAL;
    return scalar;
}

bool scalar_was_switch(const char *text)
{
    static const char *const words[] = {"yes", "no", "on", "off"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasecmp(text, words[i]) == 0)
            return true;
    return false;
}

bool scalar_was_octal(const char *text)
{
    const char *digits = after_sign(text);
    return digits[0] == '0' && digits[1] && has_only(digits, "01234567");
}
