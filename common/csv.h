/* CSV files (RFC 4180: commas, double quotes), row by row. csv.c is the only file that knows libcsv. */
#ifndef GANNET_COMMON_CSV_H
#define GANNET_COMMON_CSV_H

#include "common/err.h"

#include <stddef.h>

enum {
    CSV_MOST_COLUMNS = 100000,
    CSV_LONGEST_CELL = 1 << 16 /* bytes */
};

/* One row: the line it starts on, from 1, and its cells, valid during the call. The first row is the header. -1 with a
 * sentence ends the reading. */
typedef int csv_row(void *context, size_t line, char *const *cells, size_t count, struct err *err);

/* Reads a whole regular file; empty lines are skipped. -1 with a sentence that names file and line: the file can't be
 * read, is no well-formed CSV, is empty, a row has another number of cells than the header, or `row` returned -1. */
int csv_read(const char *path, csv_row *row, void *context, struct err *err);

/* A cell without the ' in front that format_csv gives what a spreadsheet would take for a formula: "'=1+1". */
const char *csv_plain(const char *cell);

#endif
