/* Reading CSV files with libcsv; see csv.h. The file is fed line by line, so that errors can name the line. */
#include "common/csv.h"

#include "common/buf.h"
#include "common/mem.h"

#include <csv.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LONGEST_ROW = 16 << 20 /* bytes */ };

struct csv_reader {
    const char *path;
    csv_row *row;
    void *context;
    struct err *err;
    bool failed; /* err is set: the rest of the file is not looked at */

    size_t line;    /* the one being read, from 1 */
    size_t begun;   /* the line that the row in hand began on; 0: none has */
    size_t columns; /* of the header; 0: no row yet */

    struct buf text; /* the cells of the row in hand, each with a '\0' behind it */
    size_t *offsets; /* where in it each begins */
    char **cells;    /* the same as pointers, when the row is whole */
    size_t count;    /* cells in hand */
    size_t offsets_capacity, cell_capacity;
};

#define fail(reader, ...)                                                                                              \
    do {                                                                                                               \
        if (!(reader)->failed)                                                                                         \
            err_write((reader)->err, __VA_ARGS__);                                                                     \
        (reader)->failed = true;                                                                                       \
    } while (0)

static void take_cell(void *bytes, size_t length, void *context)
{
    struct csv_reader *reader = context;
    if (reader->failed)
        return;
    if (reader->count == CSV_MOST_COLUMNS || reader->text.length + length > LONGEST_ROW) {
        fail(reader, "%s:%zu: the row is too long; at most %d cells and %d MiB are read", reader->path, reader->begun,
             CSV_MOST_COLUMNS, LONGEST_ROW >> 20);
        return;
    }
    if (memchr(bytes, '\0', length)) {
        fail(reader, "%s:%zu: holds a zero byte; is it a text file?", reader->path, reader->line);
        return;
    }
    MEM_GROW(reader->offsets, reader->offsets_capacity, reader->count + 1);
    reader->offsets[reader->count++] = reader->text.length;
    buf_add(&reader->text, bytes, length);
    buf_add(&reader->text, "", 1);
}

static void take_row(int terminator, void *context)
{
    (void)terminator;
    struct csv_reader *reader = context;
    if (reader->failed)
        return;
    if (!reader->columns)
        reader->columns = reader->count;
    if (reader->count != reader->columns) {
        fail(reader, "%s:%zu: has %zu cells where the header has %zu", reader->path, reader->begun, reader->count,
             reader->columns);
        return;
    }
    MEM_GROW(reader->cells, reader->cell_capacity, reader->count);
    for (size_t i = 0; i < reader->count; i++)
        reader->cells[i] = reader->text.data + reader->offsets[i];
    reader->failed = reader->row(reader->context, reader->begun, reader->cells, reader->count, reader->err) != 0;
    buf_clear(&reader->text);
    reader->count = reader->begun = 0;
}

static bool is_blank(const char *piece, size_t length)
{
    while (length && strchr(" \t\r\n", *piece))
        piece++, length--;
    return !length;
}

/* Feeds a piece that holds at most one line's end, the last byte. */
static void feed_line(struct csv_reader *reader, struct csv_parser *parser, const char *piece, size_t length)
{
    if (!reader->begun && !is_blank(piece, length))
        reader->begun = reader->line;
    if (csv_parse(parser, piece, length, take_cell, take_row, reader) != length)
        fail(reader, "%s:%zu: %s; a quote within quotes must be doubled", reader->path, reader->line,
             csv_strerror(csv_error(parser)));
    else if (csv_get_buffer_size(parser) > 2 * CSV_LONGEST_CELL)
        fail(reader, "%s:%zu: a cell is longer than %d bytes; is a closing quote missing?", reader->path, reader->line,
             CSV_LONGEST_CELL);
    reader->line += piece[length - 1] == '\n';
}

static void feed_parser(struct csv_reader *reader, struct csv_parser *parser, const char *bytes, size_t length)
{
    while (length && !reader->failed) {
        const char *end = memchr(bytes, '\n', length);
        size_t piece = end ? (size_t)(end - bytes) + 1 : length;
        feed_line(reader, parser, bytes, piece);
        bytes += piece;
        length -= piece;
    }
}

static void read_file(struct csv_reader *reader, struct csv_parser *parser, FILE *file)
{
    static const char mark[] = "\xef\xbb\xbf"; /* some editors begin UTF-8 files with it */
    char bytes[CSV_LONGEST_CELL];
    size_t length = fread(bytes, 1, sizeof bytes, file);
    size_t skip = length >= 3 && memcmp(bytes, mark, 3) == 0 ? 3 : 0;
    feed_parser(reader, parser, bytes + skip, length - skip);
    while (!reader->failed && (length = fread(bytes, 1, sizeof bytes, file)) > 0)
        feed_parser(reader, parser, bytes, length);
    if (ferror(file))
        fail(reader, "can't read %s to its end: %s", reader->path, strerror(errno));
    if (!reader->failed && csv_fini(parser, take_cell, take_row, reader))
        fail(reader, "%s: ends within quotes; a closing quote is missing", reader->path);
    if (!reader->columns)
        fail(reader, "%s: is empty; the first line must name the columns", reader->path);
}

static FILE *open_file(const char *path, struct err *err)
{
    struct stat about;
    FILE *file = NULL;
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode)) /* opening a pipe would wait for its other end */
        err_write(err, "%s is no regular file", path);
    else if (!(file = fopen(path, "re")))
        err_write_errno(err, "can't open %s", path);
    return file;
}

int csv_read(const char *path, csv_row *row, void *context, struct err *err)
{
    FILE *file = open_file(path, err);
    if (!file)
        return -1;
    struct csv_reader reader = {.path = path, .row = row, .context = context, .err = err, .line = 1};
    struct csv_parser parser;
    csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI);
    csv_set_blk_size(&parser, 4096);
    read_file(&reader, &parser, file);
    csv_free(&parser);
    fclose(file);
    buf_fini(&reader.text);
    free(reader.offsets);
    free(reader.cells);
    return reader.failed ? -1 : 0;
}

const char *csv_plain(const char *cell)
{
    const char *inner = cell + strspn(cell, "'");
    return inner > cell && *inner && strchr("=+-@\t", *inner) ? cell + 1 : cell;
}
