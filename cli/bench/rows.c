/* Rows of results as CSV; see rows.h. */
#include "cli/bench/rows.h"
#include "cli/format.h"
#include "common/mem.h"
#include "common/units.h"
#include "common/csv.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void rows_fini(struct bench_rows *rows)
{
    for (size_t i = 0; i < rows->text_count; i++)
        free(rows->texts[i]);
    free(rows->texts);
    free(rows->items);
    *rows = (struct bench_rows){0};
}

/* The list's own copy of a text. The latest first: rows come search by search. */
static const char *keep_text_bench(struct bench_rows *rows, const char *text)
{
    for (size_t i = rows->text_count; i > 0; i--)
        if (strcmp(rows->texts[i - 1], text) == 0)
            return rows->texts[i - 1];
    MEM_GROW(rows->texts, rows->text_capacity, rows->text_count + 1);
    return rows->texts[rows->text_count++] = mem_text(text);
}

void rows_add(struct bench_rows *rows, const struct bench_row *row)
{
    MEM_GROW(rows->items, rows->capacity, rows->count + 1);
    struct bench_row *copy = &rows->items[rows->count++];
    *copy = *row;
    copy->table = keep_text_bench(rows, row->table);
    copy->strategy = keep_text_bench(rows, row->strategy);
}

/* --- writing --- */

static void write_TEXT(const char *text, struct buf *out)
{
    format_csv(text, out);
}

static void write_COUNT(uint64_t count, struct buf *out)
{
    buf_format(out, "%" PRIu64, count);
}

static void write_REAL(double number, struct buf *out)
{
    char text[32];
    buf_text(out, units_show_real(number, text, sizeof text));
}

/* Milliseconds vary from run to run: four digits say all. */
static void write_TIME(double number, struct buf *out)
{
    buf_format(out, isnan(number) ? "nan" : "%.4g", number);
}

void rows_write(const struct bench_rows *rows, struct buf *out)
{
    const char *comma = "";
#define X(member, type) buf_format(out, "%s%s", comma, #member), comma = ",";
    ROW_COLUMNS(X)
#undef X
    for (size_t i = 0; i < rows->count; i++) {
        comma = "\n";
#define X(member, type) buf_text(out, comma), write_##type(rows->items[i].member, out), comma = ",";
        ROW_COLUMNS(X)
#undef X
    }
    buf_text(out, "\n");
}

/* --- reading --- */

enum row_column {
#define X(member, type) COLUMN_##member,
    ROW_COLUMNS(X)
#undef X
        COLUMNS
};

static const char *const names[COLUMNS] = {
#define X(member, type) [COLUMN_##member] = #member,
    ROW_COLUMNS(X)
#undef X
};

struct row_reading {
    struct bench_rows *rows;
    const char *path;
    bool headed;
    size_t place[COLUMNS]; /* of each column in the file */
};

static bool read_TEXT(const char *cell, const char **text)
{
    *text = csv_plain(cell);
    return *cell != '\0';
}

static bool read_COUNT(const char *cell, uint64_t *count)
{
    int64_t number;
    if (!units_integer(cell, &number) || number < 0)
        return false;
    *count = (uint64_t)number;
    return true;
}

static bool read_REAL(const char *cell, double *number)
{
    *number = NAN;
    return !*cell || units_number(cell, number);
}

static bool read_TIME(const char *cell, double *number)
{
    return read_REAL(cell, number);
}

static int read_header(struct row_reading *reading, char *const *cells, size_t count, struct err *err)
{
    for (size_t column = 0; column < COLUMNS; column++) {
        size_t at = 0;
        while (at < count && strcmp(cells[at], names[column]) != 0)
            at++;
        if (at == count)
            return err_set(err, "%s:1: there is no column '%s'; `gannet bench --csv` writes such files", reading->path,
                           names[column]);
        reading->place[column] = at;
    }
    reading->headed = true;
    return 0;
}

static int read_row(void *context, size_t line, char *const *cells, size_t count, struct err *err)
{
    struct row_reading *reading = context;
    struct bench_row row;
    if (!reading->headed)
        return read_header(reading, cells, count, err);
#define X(member, type)                                                                                                \
    if (!read_##type(cells[reading->place[COLUMN_##member]], &row.member))                                             \
        return err_set(err, "%s:%zu: '%.40s' can't be a '%s'", reading->path, line,                                    \
                       cells[reading->place[COLUMN_##member]], #member);
    ROW_COLUMNS(X)
#undef X
    rows_add(reading->rows, &row);
    return 0;
}

int rows_read(struct bench_rows *rows, const char *path, struct err *err)
{
    struct row_reading reading = {.rows = rows, .path = path};
    return csv_read(path, read_row, &reading, err);
}
