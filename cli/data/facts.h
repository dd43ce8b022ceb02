/* Trials that a filter keeps, of very many: what it looks at is read of all, and the whole of those alone that it
 * keeps.
 */
#ifndef GANNET_CLI_DATA_FACTS_H
#define GANNET_CLI_DATA_FACTS_H

#include "cli/data/filter.h"

/* As source_each_trial, for the trials that the filter keeps, and those that have not ended, of which more is known
 * than what is recorded: the visitor asks it of those once more. The limit of the query is not looked at. */
int facts_each_trial(struct source *source, const struct trial_query *query, const struct filter *filter,
                     reader_visit *visit, void *context, struct err *err);

#endif
