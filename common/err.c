/* Errors as sentences; see err.h. */
#include "common/err.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void mark_cut(struct err *err, int length)
{
    if (length >= (int)sizeof err->text)
        memcpy(err->text + sizeof err->text - 4, "...", 4);
}

void err_write(struct err *err, const char *format, ...)
{
    if (!err)
        return;
    va_list args;
    va_start(args, format);
    mark_cut(err, vsnprintf(err->text, sizeof err->text, format, args));
    va_end(args);
}

void err_write_errno(struct err *err, const char *format, ...)
{
    if (!err)
        return;
    char reason[128];
    const char *words = strerror_r(errno, reason, sizeof reason);
    va_list args;
    va_start(args, format);
    int length = vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    if (length >= 0 && length < (int)sizeof err->text)
        length += snprintf(err->text + length, sizeof err->text - (size_t)length, ": %s", words);
    mark_cut(err, length);
}

void err_write_prefix(struct err *err, const char *format, ...)
{
    if (!err)
        return;
    struct err old = *err;
    va_list args;
    va_start(args, format);
    int length = vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    if (length >= 0 && length < (int)sizeof err->text)
        length += snprintf(err->text + length, sizeof err->text - (size_t)length, ": %s", old.text);
    mark_cut(err, length);
}
