/* The trials of an experiment of any size as a table for people. Of more than a thousand the first thousand say how
 * wide the columns are, and all are written as they are read, so that memory is flat. */
#ifndef GANNET_CLI_VIEW_LISTING_H
#define GANNET_CLI_VIEW_LISTING_H

#include "cli/data/source.h"
#include "cli/console.h"

/* Writes the table with the columns of the list (columns_choose; NULL: the usual ones). 0, or the exit status with a
 * sentence. */
int listing_write(struct console *console, struct source *source, const struct trial_query *query, const char *list,
                  struct err *err);

#endif
