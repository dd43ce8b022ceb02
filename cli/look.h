/* What the place can show that a text is written to: texts in colours where it can show them, and small drawings made
 * of characters, with block characters where it can show those, else in ASCII. */
#ifndef GANNET_CLI_LOOK_H
#define GANNET_CLI_LOOK_H

#include "common/buf.h"

#include <stdbool.h>
#include <stddef.h>

/* What a place can show. */
struct look {
    bool colour;     /* escape sequences for colours */
    bool unicode;    /* characters beyond ASCII */
    bool live;       /* lines may be redrawn: a terminal that moves its cursor */
    unsigned width;  /* columns; 0: not limited, as in files and pipes */
    unsigned wanted; /* columns by the variable COLUMNS; 0: it says nothing */
};

/* What a look is decided from; tests make these facts up. */
struct look_facts {
    bool terminal;
    unsigned columns;     /* of the terminal; 0: not known */
    const char *wanted;   /* the variable COLUMNS; NULL: not set */
    const char *when;     /* --color: auto, always, never; NULL: auto */
    bool plain;           /* --plain or GANNET_ACCESSIBLE */
    bool utf8;            /* the locale's characters */
    const char *no_color; /* the variable NO_COLOR; NULL: not set */
    const char *force;    /* the variable CLICOLOR_FORCE; NULL: not set */
    const char *term;     /* the variable TERM; NULL: not set */
};

/* --color goes before NO_COLOR, that before CLICOLOR_FORCE, that before what the terminal is. */
struct look look_decide(const struct look_facts *facts);

/* Columns for what is drawn to some width even where none is given: that of the terminal, else what COLUMNS says, else
 * `usual`. */
unsigned look_columns(const struct look *look, unsigned usual);

/* What a stretch of text means; how that is shown is decided in one place. */
enum tint { TINT_NONE, TINT_STRONG, TINT_QUIET, TINT_GOOD, TINT_BAD, TINT_BUSY, TINT_WARN };

/* Adds text in a tint, or just the text where there is no colour. */
void look_add(const struct look *look, enum tint tint, const char *text, struct buf *out);

/* Adds an empty line and a heading. */
void look_heading(const struct look *look, const char *heading, struct buf *out);

/* Adds a bar of `width` columns of which the share (0..1, others are clamped, NaN is 0) is filled: "#####.....". */
void chart_bar(const struct look *look, double share, size_t width, struct buf *out);

/* Adds a line of `width` columns for `count` numbers from left to right, lowest to highest: more numbers than columns
 * are averaged, NaN and infinite ones leave a gap. */
void chart_line(const struct look *look, const double *numbers, size_t count, size_t width, struct buf *out);

#endif
