/* Where a command writes, and what that place can show. Results go to `out`, messages for a person to `err`. */
#ifndef GANNET_CLI_CONSOLE_H
#define GANNET_CLI_CONSOLE_H

#include "common/buf.h"
#include "common/err.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* What a place can show. */
struct look {
    bool colour;    /* escape sequences for colours */
    bool unicode;   /* characters beyond ASCII */
    bool live;      /* lines may be redrawn: a terminal that moves its cursor */
    unsigned width; /* columns; 0: not limited, as in files and pipes */
};

/* What look is decided from; tests make them up. */
struct look_facts {
    bool terminal;
    unsigned columns;     /* of the terminal; 0: not known */
    const char *when;     /* --color: auto, always, never; NULL: auto */
    bool plain;           /* --plain or GANNET_ACCESSIBLE */
    bool utf8;            /* the locale's characters */
    const char *no_color; /* the variables NO_COLOR, */
    const char *force;    /* CLICOLOR_FORCE */
    const char *term;     /* and TERM; NULL: not set */
};

/* --color goes before NO_COLOR, that before CLICOLOR_FORCE, that before what the terminal is. */
struct look look_decide(const struct look_facts *facts);

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

/* What a stretch of text means; how that is shown is decided in one place. */
enum tint { TINT_NONE, TINT_STRONG, TINT_QUIET, TINT_GOOD, TINT_BAD, TINT_BUSY, TINT_WARN };

/* Adds text in a tint, or just the text where there is no colour. */
void look_add(const struct look *look, enum tint tint, const char *text, struct buf *out);

/* Adds an empty line and a heading. */
void look_heading(const struct look *look, const char *heading, struct buf *out);

/* Writes a buffer to a stream and empties it. */
void console_write(FILE *stream, struct buf *text);

/* One sentence for a person: "gannet: the sentence", to err. Returns `status`. */
int console_fail(struct console *console, int status, const struct err *err);

/* Writes one JSON value for programs: an array has a line an element, an object a line a member, and numbers are
 * written as short as they read back. Takes over the reference. */
void console_json(struct console *console, json_t *json);

/* The end: a status, and a sentence when not everything written has arrived ("can't write the output: No space left on
 * device"). */
int console_close(struct console *console);

#endif
