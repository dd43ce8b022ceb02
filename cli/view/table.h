/* A table of texts in aligned columns. On a terminal it fits the width: long texts are cut, then columns left out from
 * the right (and said so). Off a terminal nothing is cut. */
#ifndef GANNET_CLI_VIEW_TABLE_H
#define GANNET_CLI_VIEW_TABLE_H

#include "cli/console.h"

struct text_table;

struct text_table *table_create(void);
void table_destroy(struct text_table *table); /* NULL is fine */

/* Adds a column; `number` puts its texts to the right. All columns come before the first row. */
void table_column(struct text_table *table, const char *title, bool number);

/* Several of them: "node|>slots|>busy", each behind a > a number. */
void table_columns(struct text_table *table, const char *titles);

/* Adds the next cell, row by row from the left. The text is copied and made safe for terminals. */
void table_cell(struct text_table *table, enum tint tint, const char *text);

/* The same with a text that is put together. */
void table_print(struct text_table *table, enum tint tint, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Draws it: the titles, then the rows; and frees it. */
void table_finish(struct text_table *table, const struct look *look, struct buf *out);

/* Draws it: the titles, then the rows. */
void table_draw(struct text_table *table, const struct look *look, struct buf *out);

/* The same for a table of any length, in parts: table_begin draws the titles and the rows so far, whose texts say how
 * wide columns are; table_rows those since then, and forgets them; table_end the last line. A later text that is wider
 * is cut on a terminal; a number, and anything elsewhere, moves its row. */
void table_begin(struct text_table *table, const struct look *look, struct buf *out);
void table_rows(struct text_table *table, const struct look *look, struct buf *out);
void table_end(const struct text_table *table, struct buf *out);

#endif
