/* Where a command writes. Results go to `out`, messages for a person to `err`. */
#ifndef GANNET_CLI_CONSOLE_H
#define GANNET_CLI_CONSOLE_H

#include "cli/look.h"
#include "common/err.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

struct console {
    FILE *out, *err;
    struct look out_look, err_look;
    char *programs; /* what a person types before the names of our programs, for the shell: "build/bin/"; "": nothing */
};

/* A console of two streams, showing what each can; `called` is the command's argv[0]. */
void console_open(struct console *console, const char *called, FILE *out, FILE *err);

/* Looks again, with what --color (NULL: not given) and --plain say. */
void console_set(struct console *console, const char *when, bool plain);

/* Looks again how wide the terminals are; they may have changed. */
void console_measure(struct console *console);

/* Writes a buffer to a stream and empties it. */
void console_write(FILE *stream, struct buf *text);

/* Writes a whole result, and frees the buffer. */
void console_print(struct console *console, struct buf *text);

/* The one line at the bottom of a terminal that is painted again and again, while other lines stay above it. */
struct live_line {
    FILE *stream;
    bool painted; /* the line is there now */
};

/* Paints the line; it must fit the terminal. */
void console_paint(struct live_line *live, const char *line);

/* Takes the line away, so that something else can be written. */
void console_unpaint(struct live_line *live);

/* One sentence for a person: "gannet: the sentence", to err. Returns `status`. */
int console_fail(struct console *console, int status, const struct err *err);

/* Tells the person a sentence that may quote names of files and what others sent: control characters become '?'. */
void console_tell(struct console *console, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* console_fail with the sentence put together here. */
int console_refuse(struct console *console, int status, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Writes one JSON value for programs: an array has a line an element, an object a line a member, and numbers are
 * written as short as they read back. Takes over the reference. */
void console_json(struct console *console, json_t *json);

/* The end: a status, and a sentence when not everything written has arrived ("can't write the output: No space left on
 * device"). */
int console_close(struct console *console);

#endif
