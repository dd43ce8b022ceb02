/* The parts of the page: each adds its own markup. */
#ifndef GANNET_CLI_REPORT_PART_H
#define GANNET_CLI_REPORT_PART_H

#include "cli/report/report.h"

/* The name, how it stands, and the numbers that matter. */
void part_headline(const struct report *report, struct buf *out);

/* The best configuration, and the command that trains it again. */
void part_best(const struct report *report, struct buf *out);

/* The pictures, and into `links` (may be NULL) a link to each of them. */
void part_pictures(const struct report *report, struct buf *links, struct buf *out);

/* The table of trials; and its data for the script, as JSON in an element of its own. */
void part_table(const struct report *report, struct buf *out);
void part_table_data(const struct report *report, struct buf *out);

/* The table of what the failures were; nothing when no trial failed. */
void part_failures(const struct report *report, struct buf *out);

/* Several experiments side by side. */
void part_comparison(const struct report *report, struct buf *out);

/* What is needed to do it again. */
void part_again(const struct report *report, struct buf *out);

/* A row of two cells: a name, and a text of anybody. Nothing when the text is NULL or empty. */
void part_fact(const char *name, const char *text, struct buf *out);

#endif
