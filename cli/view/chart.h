/* Small drawings made of characters, with block characters where the place can show them, else in ASCII. */
#ifndef GANNET_CLI_VIEW_CHART_H
#define GANNET_CLI_VIEW_CHART_H

#include "cli/console.h"

#include <stddef.h>

/* Adds a bar of `width` columns of which the share (0..1, others are clamped, NaN is 0) is filled: "#####.....". */
void chart_bar(const struct look *look, double share, size_t width, struct buf *out);

/* Adds a line of `width` columns for `count` numbers from left to right, lowest to highest: more numbers than columns
 * are averaged, NaN and infinite ones leave a gap. */
void chart_line(const struct look *look, const double *numbers, size_t count, size_t width, struct buf *out);

#endif
