/* A table of texts in aligned columns. On a terminal it fits the width: long texts are cut, then columns left out from
 * the right (and said so). Off a terminal nothing is cut. */
#ifndef GANNET_CLI_TABLE_H
#define GANNET_CLI_TABLE_H

#include "cli/console.h"

struct table;

struct table *table_create(void);
void table_destroy(struct table *table); /* NULL is fine */

/* Adds a column; `number` puts its texts to the right. All columns come before the first row. */
void table_column(struct table *table, const char *title, bool number);

/* Adds the next cell, row by row from the left. The text is copied and made safe for terminals. */
void table_cell(struct table *table, enum tint tint, const char *text);

/* Draws it: the titles, then the rows. */
void table_draw(const struct table *table, const struct look *look, struct buf *out);

#endif
