/* A frame: a grid of cells that screens are drawn into. Pure; what shows it on a terminal (terminal.h), as text or as
 * SVG reads the cells. Texts are people's and programs': control characters become '?', what is no UTF-8 U+FFFD, or '?'
 * where the place shows ASCII alone. Whatever lies outside the grid is left out. */
#ifndef GANNET_CLI_SCREEN_CANVAS_H
#define GANNET_CLI_SCREEN_CANVAS_H

#include "cli/look.h"

struct cell {
    char text[8]; /* one character in UTF-8, with what combines with it as far as it fits; "": the right half of a wide
                     one */
    enum tint tint;
    bool reversed; /* the chosen row, headings of tables */
};

/* A rectangle of a canvas. */
struct area {
    unsigned row, column, rows, columns;
};

struct canvas {
    struct look look; /* what the place can show: characters, colours */
    unsigned rows, columns;
    struct cell *cells;                 /* row by row, owned */
    unsigned cursor_row, cursor_column; /* where the terminal's cursor stands: on what is chosen */
};

/* All cells are spaces. */
void canvas_init(struct canvas *canvas, unsigned rows, unsigned columns, const struct look *look);
void canvas_fini(struct canvas *canvas);
struct area canvas_area(const struct canvas *canvas);

/* Writes a text into row `row` of the area from its column `column` on, cut at the area's edge with "…" (or "~"); how
 * many columns it took. */
unsigned canvas_text(struct canvas *canvas, struct area area, unsigned row, unsigned column, enum tint tint,
                     const char *text);
unsigned canvas_print(struct canvas *canvas, struct area area, unsigned row, unsigned column, enum tint tint,
                      const char *format, ...) __attribute__((format(printf, 6, 7)));

/* The same at the right edge of the `width` columns from `column` on: numbers in a table. */
void canvas_right(struct canvas *canvas, struct area area, unsigned row, unsigned column, unsigned width,
                  enum tint tint, const char *text);

/* A text in as many rows as it takes, broken between words, from row `row` and column `column` on, at most to the
 * area's end; how many rows. canvas_fit: the bytes of the first words of a text that fit so many columns, at least one
 * character. */
unsigned canvas_wrap(struct canvas *canvas, struct area area, unsigned row, unsigned column, enum tint tint,
                     const char *text);
size_t canvas_fit(const char *text, unsigned columns);

/* A whole row is the chosen one, or a heading; the cursor goes to the chosen one. */
void canvas_reverse(struct canvas *canvas, struct area area, unsigned row);
void canvas_choose(struct canvas *canvas, struct area area, unsigned row);

/* A bar of `width` columns of which the share (0..1) is filled. */
void canvas_bar(struct canvas *canvas, struct area area, unsigned row, unsigned column, unsigned width, double share,
                enum tint tint);

/* A line across the area, with a title in it; "": none. */
void canvas_rule(struct canvas *canvas, struct area area, unsigned row, const char *title);

/* Adds the frame as lines of text, spaces at their ends left out; with colours when the look has any. */
void canvas_write(const struct canvas *canvas, struct buf *out);

#endif
