/* Tables; see table.h. */
#include "cli/table.h"
#include "cli/format.h"
#include "common/mem.h"

#include <stdlib.h>

enum {
    GAP = 2,   /* columns between two columns */
    NARROW = 8 /* a text column is not made narrower than this before columns are left out */
};

struct cell {
    enum tint tint;
    char *text;
};

struct column {
    char *title;
    bool number;
};

struct table {
    struct column *columns;
    size_t column_count, column_room;
    struct cell *cells; /* row by row */
    size_t cell_count, cell_room;
};

struct table *table_create(void)
{
    return MEM_NEW(struct table);
}

void table_destroy(struct table *table)
{
    if (!table)
        return;
    for (size_t i = 0; i < table->column_count; i++)
        free(table->columns[i].title);
    for (size_t i = 0; i < table->cell_count; i++)
        free(table->cells[i].text);
    free(table->columns);
    free(table->cells);
    free(table);
}

static char *safe_copy(const char *text)
{
    struct buf copy = {0};
    format_safe(text, &copy);
    return buf_take(&copy);
}

void table_column(struct table *table, const char *title, bool number)
{
    MEM_GROW(table->columns, table->column_room, table->column_count + 1);
    table->columns[table->column_count++] = (struct column){.title = safe_copy(title), .number = number};
}

void table_cell(struct table *table, enum tint tint, const char *text)
{
    MEM_GROW(table->cells, table->cell_room, table->cell_count + 1);
    table->cells[table->cell_count++] = (struct cell){.tint = tint, .text = safe_copy(text)};
}

/* --- how wide the columns are --- */

static size_t widest(const struct table *table, size_t column)
{
    size_t width = format_width(table->columns[column].title);
    for (size_t i = column; i < table->cell_count; i += table->column_count) {
        size_t cell = format_width(table->cells[i].text);
        width = cell > width ? cell : width;
    }
    return width;
}

static size_t total(const size_t *widths, size_t count)
{
    size_t sum = count ? (count - 1) * GAP : 0;
    for (size_t i = 0; i < count; i++)
        sum += widths[i];
    return sum;
}

/* The text column that takes most and may be narrowed, or `count`. */
static size_t fattest(const struct table *table, const size_t *widths, size_t count)
{
    size_t found = count;
    for (size_t i = 0; i < count; i++)
        if (!table->columns[i].number && widths[i] > NARROW && (found == count || widths[i] > widths[found]))
            found = i;
    return found;
}

/* Narrows text columns, then leaves out columns from the right, until the rest fits; how many stay. */
static size_t fit(const struct table *table, size_t *widths, size_t limit)
{
    size_t count = table->column_count;
    while (limit && count > 1 && total(widths, count) > limit) {
        size_t column = fattest(table, widths, count);
        if (column < count)
            widths[column]--;
        else
            count--;
    }
    return count;
}

/* --- drawing --- */

static void pad(size_t columns, struct buf *out)
{
    for (size_t i = 0; i < columns; i++)
        buf_text(out, " ");
}

static void draw_cell(const struct look *look, const struct column *column, size_t width, bool last, enum tint tint,
                      const char *text, struct buf *out)
{
    struct buf cut = {0};
    format_cut(look, text, width, &cut);
    size_t space = width - format_width(buf_str(&cut));
    if (column->number)
        pad(space, out);
    look_add(look, tint, buf_str(&cut), out);
    if (!column->number && !last)
        pad(space, out);
    buf_text(out, last ? "\n" : "  ");
    buf_fini(&cut);
}

void table_draw(const struct table *table, const struct look *look, struct buf *out)
{
    if (!table->column_count)
        return;
    size_t *widths = MEM_ARRAY(size_t, table->column_count);
    for (size_t i = 0; i < table->column_count; i++)
        widths[i] = widest(table, i);
    size_t count = fit(table, widths, look->width);
    for (size_t i = 0; i < count; i++)
        draw_cell(look, &table->columns[i], widths[i], i + 1 == count, TINT_QUIET, table->columns[i].title, out);
    for (size_t row = 0; row + table->column_count <= table->cell_count; row += table->column_count)
        for (size_t i = 0; i < count; i++) {
            const struct cell *cell = &table->cells[row + i];
            draw_cell(look, &table->columns[i], widths[i], i + 1 == count, cell->tint, cell->text, out);
        }
    if (count < table->column_count)
        buf_format(out, "(%zu more columns in a wider window)\n", table->column_count - count);
    free(widths);
}
