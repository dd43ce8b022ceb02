/* Where a command writes; see console.h. */
#include "cli/console.h"
#include "cli/format.h"
#include "cli/json.h"
#include "cli/status.h"
#include "common/mem.h"

#include <errno.h>
#include <langinfo.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static unsigned terminal_columns(int fd)
{
    struct winsize size;
    return ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

static struct look look_of(FILE *stream, const char *when, bool plain)
{
    const char *accessible = getenv("GANNET_ACCESSIBLE");
    int fd = fileno(stream);
    return look_decide(&(struct look_facts){.terminal = isatty(fd) == 1,
                                            .columns = terminal_columns(fd),
                                            .wanted = getenv("COLUMNS"),
                                            .when = when,
                                            .plain = plain || (accessible && *accessible),
                                            .utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0,
                                            .no_color = getenv("NO_COLOR"),
                                            .force = getenv("CLICOLOR_FORCE"),
                                            .term = getenv("TERM")});
}

void console_open(struct console *console, const char *called, FILE *out, FILE *err)
{
    const char *slash = called ? strrchr(called, '/') : NULL;
    *console = (struct console){.out = out, .err = err};
    char *directory = slash ? mem_text_n(called, (size_t)(slash + 1 - called)) : NULL;
    struct buf programs = {0};
    if (directory)
        format_shell(directory, &programs);
    console->programs = buf_take(&programs);
    free(directory);
    console_set(console, NULL, false);
}

void console_set(struct console *console, const char *when, bool plain)
{
    console->out_look = look_of(console->out, when, plain);
    console->err_look = look_of(console->err, when, plain);
}

void console_measure(struct console *console)
{
    unsigned out = terminal_columns(fileno(console->out)), err = terminal_columns(fileno(console->err));
    if (console->out_look.width && out)
        console->out_look.width = out;
    if (console->err_look.width && err)
        console->err_look.width = err;
}

void console_write(FILE *stream, struct buf *text)
{
    fwrite(buf_str(text), 1, text->length, stream);
    buf_clear(text);
}

void console_print(struct console *console, struct buf *text)
{
    console_write(console->out, text);
    buf_fini(text);
}

void console_paint(struct live_line *live, const char *line)
{
    fprintf(live->stream, "\r%s\033[K", line);
    fflush(live->stream);
    live->painted = true;
}

void console_unpaint(struct live_line *live)
{
    if (live->painted)
        fputs("\r\033[K", live->stream);
    fflush(live->stream);
    live->painted = false;
}

/* Sentences quote what they are about: names of files and parameters, what others sent. */
static void write_sentence(struct console *console, const char *before, const char *format, va_list arguments)
{
    char *sentence = mem_vformat(format, arguments);
    struct buf text = {0};
    fflush(console->out);
    buf_text(&text, before);
    format_safe_lines(sentence, strlen(sentence), &text);
    buf_text(&text, "\n");
    console_write(console->err, &text);
    buf_fini(&text);
    free(sentence);
}

void console_tell(struct console *console, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    write_sentence(console, "", format, arguments);
    va_end(arguments);
}

int console_refuse(struct console *console, int status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    write_sentence(console, "gannet: ", format, arguments);
    va_end(arguments);
    return status;
}

int console_fail(struct console *console, int status, const struct err *err)
{
    return console_refuse(console, status, "%s", err->text);
}

void console_json(struct console *console, json_t *json)
{
    struct buf text = {0};
    json_add_lines(json, &text);
    console_print(console, &text);
    json_decref(json);
}

int console_close(struct console *console)
{
    free(console->programs);
    bool broken = fflush(console->out) != 0 || ferror(console->out);
    if (broken && errno != EPIPE)
        fprintf(console->err, "gannet: can't write the output: %s\n", strerror(errno));
    return broken ? STATUS_FAILED : STATUS_OK;
}
