/* Errors as sentences; see err.h. */
#include "common/err.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Writes a sentence and, unless NULL, a colon and what comes behind it. */
static void write_sentence(struct err *err, const char *tail, const char *format, va_list args)
{
    int length = vsnprintf(err->text, sizeof err->text, format, args);
    if (tail && length >= 0 && length < (int)sizeof err->text)
        length += snprintf(err->text + length, sizeof err->text - (size_t)length, ": %s", tail);
    if (length >= (int)sizeof err->text)
        memcpy(err->text + sizeof err->text - 4, "...", 4);
}

void err_write(struct err *err, const char *format, ...)
{
    if (!err)
        return;
    va_list args;
    va_start(args, format);
    write_sentence(err, NULL, format, args);
    va_end(args);
}

void err_write_errno(struct err *err, const char *format, ...)
{
    if (!err)
        return;
    char reason[128];
    const char *reason_text = strerror_r(errno, reason, sizeof reason);
    va_list args;
    va_start(args, format);
    write_sentence(err, reason_text, format, args);
    va_end(args);
}

void err_write_prefix(struct err *err, const char *format, ...)
{
    if (!err)
        return;
    struct err old = *err;
    va_list args;
    va_start(args, format);
    write_sentence(err, old.text, format, args);
    va_end(args);
}

/* Whether the sentence ends with the words of any of these numbers of errno. */
static bool ends_as(const struct err *err, const int *numbers, size_t count)
{
    size_t length = strlen(err->text);
    for (size_t i = 0; i < count; i++) {
        char buffer[128];
        const char *words = strerror_r(numbers[i], buffer, sizeof buffer);
        size_t tail = strlen(words);
        if (length >= tail && strcmp(err->text + length - tail, words) == 0)
            return true;
    }
    return false;
}

bool err_is_shortage(const struct err *err)
{
    static const int shortages[] = {ENOSPC, EDQUOT, EMFILE, ENFILE, EAGAIN, ENOMEM};
    return ends_as(err, shortages, sizeof shortages / sizeof *shortages);
}

bool err_is_full_disk(const struct err *err)
{
    static const int full[] = {ENOSPC, EDQUOT, EFBIG};
    return ends_as(err, full, sizeof full / sizeof *full);
}
