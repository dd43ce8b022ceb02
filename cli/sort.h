/* Trials in the order of a column. */
#ifndef GANNET_CLI_SORT_H
#define GANNET_CLI_SORT_H

#include "cli/columns.h"

#include <stdbool.h>
#include <stdint.h>

/* A new array of the same trials: numbers by size, then texts by letters (both the other way round when `reverse`),
 * then those without a value; equal ones by number. At most `limit`; 0: all. */
json_t *sort_trials(const json_t *trials, const struct column *column, bool reverse, uint64_t limit);

#endif
