/* Which parameters, metrics and phases occur in trials, for tables whose columns have to be known before the first row.
 */
#ifndef GANNET_CLI_DATA_TRIAL_NAMES_H
#define GANNET_CLI_DATA_TRIAL_NAMES_H

#include "cli/data/source.h"

/* A list of one trial that has everything that occurs in any of them, as columns.h takes it; empty when there are no
 * trials. They are read one by one. NULL with a sentence. */
json_t *trial_names(struct source *source, const struct trial_query *query, struct err *err);

/* Adds to `all`, such a trial, what another one has beyond it. */
void trial_names_add(json_t *all, const json_t *trial);

/* The same for other walks over trials: a visitor whose context is the trial so far, an empty object at first; and the
 * list of it, which takes over the reference. NULL when the walk failed. */
int trial_names_visit(void *all, json_t *trial, struct err *err);
json_t *trial_names_list(json_t *all, int failed);

#endif
