/* The trials of an experiment of any size, for other programs or as a table for people: written as they are read, so
 * that memory is flat. */
#ifndef GANNET_CLI_SESSION_TRIAL_LIST_H
#define GANNET_CLI_SESSION_TRIAL_LIST_H

#include "cli/console.h"
#include "cli/data/source.h"
#include "cli/view/columns.h"

/* Writes them as a JSON array, a line a trial. -1 with a sentence; what was read before has been written then. */
int trial_list_json(struct console *console, struct source *source, const struct trial_query *query, struct err *err);

/* Finds out which parameters, metrics and phases occur in them: a list of one trial that has all of these, for
 * columns.h; empty when there are no trials. NULL with a sentence. */
json_t *trial_list_names(struct source *source, const struct trial_query *query, struct err *err);

/* Writes them as CSV. -1 with a sentence. */
int trial_list_csv(struct console *console, struct source *source, const struct trial_query *query,
                   const struct trial_columns *columns, struct err *err);

/* Writes a table for people, whose first thousand trials say how wide the columns are, with the columns of the list
 * (columns_choose; NULL: the usual ones). 0, or the exit status with a sentence. */
int trial_list_table(struct console *console, struct source *source, const struct trial_query *query, const char *list,
                     struct err *err);

#endif
