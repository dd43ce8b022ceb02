/* Which of very many dots are drawn, and which points of a very long line: those at the edges always. */
#ifndef GANNET_CLI_PLOT_THIN_H
#define GANNET_CLI_PLOT_THIN_H

#include "cli/plot/picture.h"

/* Says of each of `count` places in pixels whether it is drawn: at most about `most`. Of those that fall together the
 * one farthest from the middle of all is; the outermost of all are. Places that are no numbers are not. */
void thin_dots(const struct point *places, size_t count, size_t most, bool *drawn);

/* Leaves of a line of pixels the first, the lowest, the highest and the last point of so many pixels across, in place.
 * Returns how many are left. */
size_t thin_line(struct point *points, size_t count, double across);

#endif
