/* Dots in cells; see dots.h. */
#include "cli/plot/dots.h"

#include "common/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The bits of a braille character (U+2800 and on), by row from the top and column. */
static const uint8_t bits[DOTS_CELL_HEIGHT][DOTS_CELL_WIDTH] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
enum { LEFT = 0x47, RIGHT = 0xb8, UPPER = 0x1b, LOWER = 0xe4, BOTTOM = 0xc0, MIDDLE = 0x36 };

void dots_init(struct dots *dots, uint32_t columns, uint32_t rows)
{
    size_t cells = (size_t)columns * rows;
    *dots = (struct dots){
        .columns = columns, .rows = rows, .points = MEM_ARRAY(uint8_t, cells), .tints = MEM_ARRAY(uint8_t, cells)};
    dots->letters = MEM_ARRAY(uint8_t, cells);
    dots->signs = mem_zero(cells, sizeof *dots->signs);
}

void dots_fini(struct dots *dots)
{
    free(dots->points);
    free(dots->tints);
    free(dots->letters);
    free(dots->signs);
    *dots = (struct dots){0};
}

static double width_of(const struct dots *dots)
{
    return (double)dots->columns * DOTS_CELL_WIDTH - 1;
}

static double height_of(const struct dots *dots)
{
    return (double)dots->rows * DOTS_CELL_HEIGHT - 1;
}

/* What a cell shows that was drawn in; letters stay beside those that were there. */
static void set_sign(struct dots *dots, size_t cell)
{
    const char *sign = dots->sign ? dots->sign : "";
    if (*sign >= 'A' && *sign < 'A' + DOTS_LETTERS) {
        dots->letters[cell] = (uint8_t)(dots->letters[cell] | 1u << (*sign - 'A'));
        return;
    }
    dots->letters[cell] = 0;
    strncpy(dots->signs[cell], sign, DOTS_CELL_BYTES - 1);
}

/* A dot by its place in the grid, which is within it; y from the top. */
static void set(struct dots *dots, uint32_t x, uint32_t y, enum tint tint)
{
    size_t cell = (size_t)(y / DOTS_CELL_HEIGHT) * dots->columns + x / DOTS_CELL_WIDTH;
    dots->points[cell] |= bits[y % DOTS_CELL_HEIGHT][x % DOTS_CELL_WIDTH];
    dots->tints[cell] = (uint8_t)tint;
    set_sign(dots, cell);
}

static bool is_within(double x, double y)
{
    return x >= 0 && x <= 1 && y >= 0 && y <= 1;
}

void dots_point(struct dots *dots, double x, double y, enum tint tint)
{
    if (is_within(x, y))
        set(dots, (uint32_t)lround(x * width_of(dots)), (uint32_t)lround((1 - y) * height_of(dots)), tint);
}

/* Narrows the part [from, to] of a line to where start + part * length lies in 0..1. */
static void clip(double start, double length, double *from, double *to)
{
    double a = -start / length, b = (1 - start) / length;
    if (length == 0)
        *to = start < 0 || start > 1 ? -1 : *to;
    else {
        *from = fmax(*from, fmin(a, b));
        *to = fmin(*to, fmax(a, b));
    }
}

void dots_line(struct dots *dots, double x0, double y0, double x1, double y1, enum tint tint)
{
    double from = 0, to = 1, dx = x1 - x0, dy = y1 - y0;
    if (!isfinite(dx) || !isfinite(dy))
        return;
    clip(x0, dx, &from, &to);
    clip(y0, dy, &from, &to);
    if (from > to)
        return;
    double steps = ceil((to - from) * fmax(fabs(dx) * width_of(dots), fabs(dy) * height_of(dots)) - 1e-6);
    for (double i = 0; i <= steps; i++) {
        double part = steps > 0 ? from + (to - from) * i / steps : from;
        dots_point(dots, fmin(fmax(x0 + part * dx, 0), 1), fmin(fmax(y0 + part * dy, 0), 1), tint);
    }
}

static double within(double place)
{
    return fmin(fmax(place, 0), 1);
}

void dots_fill(struct dots *dots, double x0, double y0, double x1, double y1, enum tint tint)
{
    if (!isfinite(x0 + x1 + y0 + y1) || fmax(x0, x1) < 0 || fmin(x0, x1) > 1 || fmax(y0, y1) < 0 || fmin(y0, y1) > 1)
        return;
    uint32_t left = (uint32_t)lround(within(fmin(x0, x1)) * width_of(dots));
    uint32_t right = (uint32_t)lround(within(fmax(x0, x1)) * width_of(dots));
    uint32_t top = (uint32_t)lround((1 - within(fmax(y0, y1))) * height_of(dots));
    uint32_t bottom = (uint32_t)lround((1 - within(fmin(y0, y1))) * height_of(dots));
    for (uint32_t y = top; y <= bottom; y++)
        for (uint32_t x = left; x <= right; x++)
            set(dots, x, y, tint);
}

void dots_letters(struct dots *dots, uint32_t column, uint32_t row, const char *text, enum tint tint)
{
    for (; *text && column < dots->columns; column++) {
        size_t cell = (size_t)row * dots->columns + column, length = 1;
        while (((unsigned char)text[length] & 0xc0) == 0x80)
            length++;
        dots->letters[cell] = 0;
        memset(dots->signs[cell], 0, DOTS_CELL_BYTES);
        memcpy(dots->signs[cell], text, length < DOTS_CELL_BYTES ? length : DOTS_CELL_BYTES - 1);
        dots->tints[cell] = (uint8_t)tint;
        text += length;
    }
}

/* The letter whose turn it is in this column. */
static char letter_of(unsigned letters, uint32_t column)
{
    unsigned turn = column % (unsigned)__builtin_popcount(letters);
    char letter = 'A';
    for (; !(letters & 1) || turn--; letters >>= 1)
        letter++;
    return letter;
}

/* The character of ASCII that looks most like these dots. */
static char ascii_of(uint8_t points)
{
    int count = __builtin_popcount(points);
    bool one_column = !(points & LEFT) || !(points & RIGHT);
    if (count == 0)
        return ' ';
    if (count >= 7)
        return '#';
    if (count >= 3 && one_column)
        return '|';
    if (!(points & ~BOTTOM) && count == 2)
        return '_';
    if (!(points & ~MIDDLE) && !one_column && count <= 3)
        return '-';
    if (!(points & LOWER))
        return '\'';
    if (!(points & UPPER))
        return '.';
    return count <= 3 ? ':' : '+';
}

void dots_cell(const struct dots *dots, uint32_t column, uint32_t row, bool unicode, char out[DOTS_CELL_BYTES])
{
    size_t cell = (size_t)row * dots->columns + column;
    uint8_t points = dots->points[cell];
    if (dots->letters[cell] || dots->signs[cell][0]) {
        memcpy(out, dots->signs[cell], DOTS_CELL_BYTES);
        if (dots->letters[cell])
            memcpy(out, (char[]){letter_of(dots->letters[cell], column), '\0'}, 2);
        return;
    }
    if (!unicode || points == 0) {
        out[0] = ascii_of(points);
        out[1] = '\0';
        return;
    }
    out[0] = (char)0xe2; /* UTF-8 of U+2800 + points */
    out[1] = (char)(0xa0 | points >> 6);
    out[2] = (char)(0x80 | (points & 0x3f));
    out[3] = '\0';
}

enum tint dots_tint(const struct dots *dots, uint32_t column, uint32_t row)
{
    return (enum tint)dots->tints[(size_t)row * dots->columns + column];
}

void dots_row(const struct dots *dots, uint32_t row, bool unicode, struct buf *out)
{
    char cell[DOTS_CELL_BYTES];
    for (uint32_t column = 0; column < dots->columns; column++) {
        dots_cell(dots, column, row, unicode, cell);
        buf_text(out, cell);
    }
}

void dots_draw_row(const struct dots *dots, uint32_t row, const struct look *look, struct buf *out)
{
    struct buf stretch = {0}; /* of one tint */
    char cell[DOTS_CELL_BYTES];
    for (uint32_t column = 0; column < dots->columns; column++) {
        dots_cell(dots, column, row, look->unicode, cell);
        buf_text(&stretch, cell);
        if (column + 1 == dots->columns || dots_tint(dots, column + 1, row) != dots_tint(dots, column, row)) {
            look_add(look, dots_tint(dots, column, row), buf_str(&stretch), out);
            buf_clear(&stretch);
        }
    }
    buf_fini(&stretch);
}
