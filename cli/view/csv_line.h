/* Trials as CSV (RFC 4180): a line of names, then a line a trial. */
#ifndef GANNET_CLI_VIEW_CSV_LINE_H
#define GANNET_CLI_VIEW_CSV_LINE_H

#include "cli/view/columns.h"

/* Adds the line of names. */
void csv_names(const struct columns *columns, struct buf *out);

/* Adds the line of a trial; numbers are exact, what is missing is empty, lists are ranges ("0-3"). */
void csv_trial(const json_t *trial, const struct columns *columns, struct buf *out);

#endif
