/* The trials of an experiment of any size, for other programs: written as they are read, so that memory is flat. */
#ifndef GANNET_CLI_VIEW_EXPORT_H
#define GANNET_CLI_VIEW_EXPORT_H

#include "cli/view/columns.h"
#include "cli/data/source.h"

/* Writes them as a JSON array, a line a trial. -1 with a sentence; what was read before has been written then. */
int export_json(struct console *console, struct source *source, const struct trial_query *query, struct err *err);

/* Finds out which parameters, metrics and phases occur in them: a list of one trial that has all of these, for
 * columns.h; empty when there are no trials. NULL with a sentence. */
json_t *export_names(struct source *source, const struct trial_query *query, struct err *err);

/* Writes them as CSV. -1 with a sentence. */
int export_csv(struct console *console, struct source *source, const struct trial_query *query,
               const struct columns *columns, struct err *err);

#endif
