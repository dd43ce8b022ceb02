/* A grid of cells; see canvas.h. */
#include "cli/screen/canvas.h"
#include "cli/screen/glyph.h"
#include "common/mem.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void canvas_init(struct canvas *canvas, unsigned rows, unsigned columns, const struct look *look)
{
    *canvas = (struct canvas){.look = *look, .rows = rows, .columns = columns};
    canvas->cells = MEM_ARRAY(struct cell, (size_t)rows * columns + 1);
    for (size_t i = 0; i < (size_t)rows * columns; i++)
        canvas->cells[i].text[0] = ' ';
}

void canvas_fini(struct canvas *canvas)
{
    free(canvas->cells);
    *canvas = (struct canvas){0};
}

struct area canvas_area(const struct canvas *canvas)
{
    return (struct area){.rows = canvas->rows, .columns = canvas->columns};
}

/* A cell of an area; NULL: it lies outside of it, or of the canvas. */
static struct cell *cell_at(struct canvas *canvas, struct area area, unsigned row, unsigned column)
{
    if (row >= area.rows || column >= area.columns)
        return NULL;
    unsigned y = area.row + row, x = area.column + column;
    return y < canvas->rows && x < canvas->columns ? &canvas->cells[(size_t)y * canvas->columns + x] : NULL;
}

/* --- texts --- */

/* What is shown of a character: itself, or '?' where the place shows ASCII alone. */
static struct glyph shown_glyph(const struct canvas *canvas, const char *text)
{
    struct glyph glyph = glyph_read(text);
    if (!canvas->look.unicode && glyph.code >= 0x80 && glyph.columns && !*glyph.escape) {
        glyph.code = '?';
        glyph.columns = 1;
    }
    return glyph;
}

static void set_cell(struct cell *cell, enum tint tint, const char *text, size_t length)
{
    memset(cell->text, 0, sizeof cell->text);
    memcpy(cell->text, text, length < sizeof cell->text ? length : sizeof cell->text - 1);
    cell->tint = tint;
}

/* Half of a wide character that is written over is no character. */
static void clear_halves(struct canvas *canvas, struct area area, unsigned row, unsigned column)
{
    struct cell *cell = cell_at(canvas, area, row, column),
                *left = column ? cell_at(canvas, area, row, column - 1) : NULL,
                *right = cell_at(canvas, area, row, column + 1);
    if (cell && !*cell->text && left)
        set_cell(left, left->tint, " ", 1);
    if (cell && right && !*right->text)
        set_cell(right, right->tint, " ", 1);
}

static void put_glyph(struct canvas *canvas, struct area area, unsigned row, unsigned column, enum tint tint,
                      const struct glyph *glyph, const char *text)
{
    struct cell *cell = cell_at(canvas, area, row, column);
    if (!cell)
        return;
    clear_halves(canvas, area, row, column);
    bool halved = glyph->columns == 2 && !cell_at(canvas, area, row, column + 1);
    if (glyph->code == '?' || halved)
        set_cell(cell, tint, "?", 1);
    else if (glyph->code == 0xfffd)
        set_cell(cell, tint, "\xef\xbf\xbd", 3);
    else
        set_cell(cell, tint, text, glyph->length);
    if (glyph->columns == 2 && !halved) {
        clear_halves(canvas, area, row, column + 1);
        set_cell(cell + 1, tint, "", 0);
    }
}

static void put_escape(struct canvas *canvas, struct area area, unsigned row, unsigned column, enum tint tint,
                       const struct glyph *glyph)
{
    for (const char *at = glyph->escape; *at; at++, column++) {
        struct glyph letter = {.code = (unsigned char)*at, .length = 1, .columns = 1};
        put_glyph(canvas, area, row, column, tint, &letter, at);
    }
}

/* What combines with the character before it joins it as far as there is room. */
static void join_glyph(struct canvas *canvas, struct area area, unsigned row, unsigned column,
                       const struct glyph *glyph, const char *text)
{
    struct cell *cell = column ? cell_at(canvas, area, row, column - 1) : NULL;
    if (cell && !*cell->text && column > 1)
        cell--;
    size_t used = cell ? strlen(cell->text) : 0;
    if (cell && canvas->look.unicode && used && used + glyph->length < sizeof cell->text)
        memcpy(cell->text + used, text, glyph->length);
}

/* Columns of a text as it is shown. */
static unsigned shown_width(const struct canvas *canvas, const char *text)
{
    unsigned width = 0;
    while (*text) {
        struct glyph glyph = shown_glyph(canvas, text);
        width += glyph.columns;
        text += glyph.length;
    }
    return width;
}

/* Writes at most `room` columns of a text, the last of them "…" when it is longer. */
static unsigned write_cut(struct canvas *canvas, struct area area, unsigned row, unsigned column, unsigned room,
                          enum tint tint, const char *text)
{
    bool cut = shown_width(canvas, text) > room;
    unsigned at = 0, end = cut && room ? room - 1 : room;
    while (*text) {
        struct glyph glyph = shown_glyph(canvas, text);
        if (at + glyph.columns > end)
            break;
        if (*glyph.escape)
            put_escape(canvas, area, row, column + at, tint, &glyph);
        else if (glyph.columns)
            put_glyph(canvas, area, row, column + at, tint, &glyph, text);
        else
            join_glyph(canvas, area, row, column + at, &glyph, text);
        at += glyph.columns;
        text += glyph.length;
    }
    if (cut && room) {
        const char *mark = canvas->look.unicode ? "…" : "~";
        struct glyph glyph = glyph_read(mark);
        put_glyph(canvas, area, row, column + at, tint, &glyph, mark);
        at++;
    }
    return at;
}

unsigned canvas_text(struct canvas *canvas, struct area area, unsigned row, unsigned column, enum tint tint,
                     const char *text)
{
    return column < area.columns ? write_cut(canvas, area, row, column, area.columns - column, tint, text) : 0;
}

unsigned canvas_print(struct canvas *canvas, struct area area, unsigned row, unsigned column, enum tint tint,
                      const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = mem_vformat(format, arguments);
    va_end(arguments);
    unsigned width = canvas_text(canvas, area, row, column, tint, text);
    free(text);
    return width;
}

void canvas_right(struct canvas *canvas, struct area area, unsigned row, unsigned column, unsigned width,
                  enum tint tint, const char *text)
{
    if (column >= area.columns)
        return;
    width = column + width > area.columns ? area.columns - column : width;
    unsigned needed = shown_width(canvas, text), shift = needed < width ? width - needed : 0;
    write_cut(canvas, area, row, column + shift, width - shift, tint, text);
}

size_t canvas_fit(const char *text, unsigned columns)
{
    const char *end = text, *space = NULL;
    unsigned width = 0;
    while (*end) {
        struct glyph glyph = glyph_read(end);
        width += glyph.columns;
        if (width > columns && end > text)
            break;
        space = *end == ' ' ? end : space;
        end += glyph.length;
    }
    if (*end && *end != ' ' && space && space > text)
        end = space;
    return (size_t)(end - text);
}

unsigned canvas_wrap(struct canvas *canvas, struct area area, unsigned row, unsigned column, enum tint tint,
                     const char *text)
{
    unsigned first = row;
    if (column >= area.columns)
        return 0;
    while (*text && row < area.rows) {
        size_t length = canvas_fit(text, area.columns - column);
        char *line = row + 1 < area.rows ? mem_text_n(text, length) : mem_text(text);
        canvas_text(canvas, area, row++, column, tint, line);
        free(line);
        text += length;
        text += strspn(text, " ");
    }
    return row - first;
}

/* --- rows, bars, lines --- */

void canvas_reverse(struct canvas *canvas, struct area area, unsigned row)
{
    for (unsigned column = 0; column < area.columns; column++) {
        struct cell *cell = cell_at(canvas, area, row, column);
        if (cell)
            cell->reversed = true;
    }
}

void canvas_choose(struct canvas *canvas, struct area area, unsigned row)
{
    canvas_reverse(canvas, area, row);
    if (!cell_at(canvas, area, row, 0))
        return;
    canvas->cursor_row = area.row + row;
    canvas->cursor_column = area.column;
}

void canvas_bar(struct canvas *canvas, struct area area, unsigned row, unsigned column, unsigned width, double share,
                enum tint tint)
{
    struct buf bar = {0};
    chart_bar(&canvas->look, share, width, &bar);
    canvas_text(canvas, area, row, column, tint, buf_str(&bar));
    buf_fini(&bar);
}

void canvas_rule(struct canvas *canvas, struct area area, unsigned row, const char *title)
{
    for (unsigned column = 0; column < area.columns; column++)
        canvas_text(canvas, (struct area){area.row, area.column, area.rows, column + 1}, row, column, TINT_QUIET,
                    canvas->look.unicode ? "─" : "-");
    if (*title && area.columns > 6) {
        struct area inner = {area.row, area.column + 2, area.rows, area.columns - 4};
        unsigned width = canvas_text(canvas, inner, row, 1, TINT_STRONG, title);
        canvas_text(canvas, inner, row, 0, TINT_NONE, " ");
        canvas_text(canvas, inner, row, 1 + width, TINT_NONE, " ");
    }
}

/* --- as text --- */

static bool same_look(const struct cell *a, const struct cell *b)
{
    return a->tint == b->tint && a->reversed == b->reversed;
}

static bool is_blank(const struct cell *cell, bool colours)
{
    return strcmp(cell->text, " ") == 0 && !(colours && cell->reversed);
}

/* The cells from `at` to `end` look the same. */
static void add_run(const struct canvas *canvas, const struct cell *cells, unsigned at, unsigned end, struct buf *out)
{
    struct buf text = {0};
    for (unsigned i = at; i < end; i++)
        buf_text(&text, cells[i].text);
    bool reversed = cells[at].reversed && canvas->look.colour;
    if (reversed)
        buf_text(out, "\033[7m");
    look_add(&canvas->look, cells[at].tint, buf_str(&text), out);
    if (reversed)
        buf_text(out, "\033[0m");
    buf_fini(&text);
}

void canvas_write(const struct canvas *canvas, struct buf *out)
{
    for (unsigned row = 0; row < canvas->rows; row++) {
        const struct cell *cells = canvas->cells + (size_t)row * canvas->columns;
        unsigned end = canvas->columns, at = 0, next;
        while (end && is_blank(&cells[end - 1], canvas->look.colour))
            end--;
        for (; at < end; at = next) {
            for (next = at + 1; next < end && same_look(&cells[at], &cells[next]);)
                next++;
            add_run(canvas, cells, at, next, out);
        }
        buf_text(out, "\n");
    }
}
