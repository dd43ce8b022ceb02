/* Log lines; see log.h. The two statics are set once at start-up, before any thread. */
#include "common/log.h"
#include "common/clock.h"
#include "common/units.h"
#include "common/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *log_program;
static enum log_level log_lowest;

static const char *const level_names[] = {"debug", "info", "warning", "error"};

void log_open(const char *program, enum log_level lowest)
{
    log_program = program;
    log_lowest = lowest;
}

int log_level_named(const char *name)
{
    for (int i = 0; i < 4; i++)
        if (strcmp(name, level_names[i]) == 0)
            return i;
    return -1;
}

/* One event stays one line, moves no cursor and hides nothing, whatever it quotes. The text ends in a 0. */
static void blank_controls(char *text)
{
    while (*text) {
        uint32_t code = 0;
        size_t length = utf8_read(text, &code);
        if (length && (utf8_is_control(code) || utf8_is_hidden(code)))
            memset(text, ' ', length);
        text += length ? length : 1;
    }
}

void log_line(enum log_level level, const char *format, ...)
{
    if (!log_program || level < log_lowest)
        return;
    char line[2048], time[40];
    int head = snprintf(line, sizeof line, "%s %-7s %s: ", units_show_time(clock_wall(), time, sizeof time),
                        level_names[level], log_program);
    va_list args;
    va_start(args, format);
    int body = vsnprintf(line + head, sizeof line - (size_t)head - 1, format, args);
    va_end(args);
    size_t length = (size_t)head + (body > 0 ? (size_t)body : 0);
    if (length > sizeof line - 2)
        length = sizeof line - 2;
    line[length] = '\0';
    blank_controls(line + head);
    line[length] = '\n';
    /* One write a line, so that lines of several threads and processes do not mix. Nothing is to be done if it fails.
     */
    ssize_t written = write(STDERR_FILENO, line, length + 1);
    (void)written;
}
