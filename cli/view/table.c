/* Tables; see table.h. */
#include "cli/view/table.h"
#include "cli/format.h"
#include "common/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    GAP = 2,   /* columns between two columns */
    NARROW = 8 /* a text column is not made narrower than this before columns are left out */
};

struct text_cell {
    enum tint tint;
    char *text;
};

struct table_head {
    char *title;
    bool number;
};

struct text_table {
    struct table_head *columns;
    size_t column_count, column_capacity;
    struct text_cell *cells; /* row by row */
    size_t cell_count, cell_capacity;
    size_t *widths; /* once it is being drawn */
    size_t shown;   /* columns that fit */
};

struct text_table *table_create(void)
{
    return MEM_NEW(struct text_table);
}

void table_destroy(struct text_table *table)
{
    if (!table)
        return;
    for (size_t i = 0; i < table->column_count; i++)
        free(table->columns[i].title);
    for (size_t i = 0; i < table->cell_count; i++)
        free(table->cells[i].text);
    free(table->columns);
    free(table->cells);
    free(table->widths);
    free(table);
}

static char *safe_copy(const char *text)
{
    struct buf copy = {0};
    format_safe(text, &copy);
    return buf_take(&copy);
}

void table_column(struct text_table *table, const char *title, bool number)
{
    MEM_GROW(table->columns, table->column_capacity, table->column_count + 1);
    table->columns[table->column_count++] = (struct table_head){.title = safe_copy(title), .number = number};
}

void table_cell(struct text_table *table, enum tint tint, const char *text)
{
    MEM_GROW(table->cells, table->cell_capacity, table->cell_count + 1);
    table->cells[table->cell_count++] = (struct text_cell){.tint = tint, .text = safe_copy(text)};
}

void table_columns(struct text_table *table, const char *titles)
{
    while (*titles) {
        size_t right = *titles == '>', length = strcspn(titles, "|");
        char *title = mem_text_n(titles + right, length - right);
        table_column(table, title, right);
        free(title);
        titles += length + (titles[length] == '|');
    }
}

void table_print(struct text_table *table, enum tint tint, const char *format, ...)
{
    char text[64];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    table_cell(table, tint, text);
}

/* --- how wide the columns are --- */

static size_t widest_cell(const struct text_table *table, size_t column)
{
    size_t width = format_width(table->columns[column].title);
    for (size_t i = column; i < table->cell_count; i += table->column_count) {
        size_t cell = format_width(table->cells[i].text);
        width = cell > width ? cell : width;
    }
    return width;
}

static size_t total_width(const size_t *widths, size_t count)
{
    size_t sum = count ? (count - 1) * GAP : 0;
    for (size_t i = 0; i < count; i++)
        sum += widths[i];
    return sum;
}

/* The text column that takes most and may be narrowed, or `count`. */
static size_t widest_column(const struct text_table *table, const size_t *widths, size_t count)
{
    size_t found = count;
    for (size_t i = 0; i < count; i++)
        if (!table->columns[i].number && widths[i] > NARROW && (found == count || widths[i] > widths[found]))
            found = i;
    return found;
}

/* Narrows text columns, then leaves out columns from the right, until the rest fits; how many stay. */
static size_t fit_columns(const struct text_table *table, size_t *widths, size_t limit)
{
    size_t count = table->column_count;
    while (limit && count > 1 && total_width(widths, count) > limit) {
        size_t column = widest_column(table, widths, count);
        if (column < count)
            widths[column]--;
        else
            count--;
    }
    return count;
}

/* --- drawing --- */

static void pad_columns(size_t columns, struct buf *out)
{
    for (size_t i = 0; i < columns; i++)
        buf_text(out, " ");
}

static void draw_cell(const struct text_table *table, const struct look *look, size_t column, enum tint tint,
                      const char *text, struct buf *out)
{
    struct buf cut = {0};
    size_t width = table->widths[column], whole = format_width(text);
    bool number = table->columns[column].number, last = column + 1 == table->shown;
    bool may_cut = look->width && !number; /* half a number is a wrong one */
    format_cut(look, text, may_cut || whole < width ? width : whole, &cut);
    size_t taken = format_width(buf_str(&cut)), space = taken < width ? width - taken : 0;
    if (number)
        pad_columns(space, out);
    look_add(look, tint, buf_str(&cut), out);
    if (!number && !last)
        pad_columns(space, out);
    buf_text(out, last ? "\n" : "  ");
    buf_fini(&cut);
}

void table_begin(struct text_table *table, const struct look *look, struct buf *out)
{
    table->widths = mem_resize(table->widths, table->column_count, sizeof *table->widths);
    for (size_t i = 0; i < table->column_count; i++)
        table->widths[i] = widest_cell(table, i);
    table->shown = fit_columns(table, table->widths, look->width);
    for (size_t i = 0; i < table->shown; i++)
        draw_cell(table, look, i, TINT_QUIET, table->columns[i].title, out);
    table_rows(table, look, out);
}

void table_rows(struct text_table *table, const struct look *look, struct buf *out)
{
    for (size_t i = 0; i < table->cell_count; i++) {
        if (i % table->column_count < table->shown)
            draw_cell(table, look, i % table->column_count, table->cells[i].tint, table->cells[i].text, out);
        free(table->cells[i].text);
    }
    table->cell_count = 0;
}

void table_end(const struct text_table *table, struct buf *out)
{
    if (table->shown < table->column_count)
        buf_format(out, "(%zu more columns in a wider window)\n", table->column_count - table->shown);
}

void table_draw(struct text_table *table, const struct look *look, struct buf *out)
{
    if (!table->column_count)
        return;
    table_begin(table, look, out);
    table_end(table, out);
}

void table_finish(struct text_table *table, const struct look *look, struct buf *out)
{
    table_draw(table, look, out);
    table_destroy(table);
}
