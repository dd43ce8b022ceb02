/* Trials as CSV (RFC 4180): a line of names, then a line a trial. */
#ifndef GANNET_CLI_CSV_H
#define GANNET_CLI_CSV_H

#include "cli/columns.h"

/* Adds the trials; numbers are exact, what is missing is empty, lists are ranges ("0-3"). */
void csv_trials(const json_t *trials, const struct columns *columns, struct buf *out);

#endif
