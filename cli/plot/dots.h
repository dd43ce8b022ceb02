/* A grid of dots drawn with characters: curves and clouds of points in a terminal. A cell of unicode has 2 x 4 dots
 * (braille); a cell of ASCII is the character that is most like its dots. Places are in units: (0, 0) is the lower left
 * corner, (1, 1) the upper right one. Pure: it knows neither a console nor a file. */
#ifndef GANNET_CLI_PLOT_DOTS_H
#define GANNET_CLI_PLOT_DOTS_H

#include "cli/look.h"
#include "common/buf.h"

#include <stdbool.h>
#include <stdint.h>

enum { DOTS_CELL_WIDTH = 2, DOTS_CELL_HEIGHT = 4 };

/* The longest text of a cell, with its zero; and the letters that share cells, from A on. */
enum { DOTS_CELL_BYTES = 5, DOTS_LETTERS = 8 };

struct dots {
    uint32_t columns, rows; /* cells */
    uint8_t *points;        /* of each cell, by row from the top: its dots, as the bits of a braille character */
    uint8_t *tints;         /* of each cell: an enum tint; the last one drawn there */
    uint8_t *letters;       /* of each cell: which of the letters were drawn there, a bit each */
    char (*signs)[DOTS_CELL_BYTES]; /* of each cell: the character that stands there instead of its dots; "": none */
    const char *sign; /* what is drawn from now on appears as this character in each cell that it touches, not as dots;
                       * NULL: as dots. The caller's */
};

/* An empty grid. Each of columns and rows is at least 1. */
void dots_init(struct dots *dots, uint32_t columns, uint32_t rows);
void dots_fini(struct dots *dots);

/* Sets the dot at a place; one beyond the edges, or one that is no number, is left out. */
void dots_point(struct dots *dots, double x, double y, enum tint tint);

/* A straight line between two places; what lies beyond the edges is cut off. Nothing of a line with an end that is no
 * number. */
void dots_line(struct dots *dots, double x0, double y0, double x1, double y1, enum tint tint);

/* All dots of a rectangle, its edges included. */
void dots_fill(struct dots *dots, double x0, double y0, double x1, double y1, enum tint tint);

/* Writes characters into the cells from this one on; a cell holds one, and what is beyond the last column is left out.
 */
void dots_letters(struct dots *dots, uint32_t column, uint32_t row, const char *text, enum tint tint);

/* The cell in a column and a row (from the top): a blank where no dot is set. Letters that were drawn
 * in the same cells take turns from column to column, so that none hides another. */
void dots_cell(const struct dots *dots, uint32_t column, uint32_t row, bool unicode, char out[DOTS_CELL_BYTES]);
enum tint dots_tint(const struct dots *dots, uint32_t column, uint32_t row);

/* Adds the cells of a row as text, without tints: one character a cell. */
void dots_row(const struct dots *dots, uint32_t row, bool unicode, struct buf *out);

/* The same as a place can show it, with tints. */
void dots_draw_row(const struct dots *dots, uint32_t row, const struct look *look, struct buf *out);

#endif
