/* A flame graph: a drawing of stacks in one SVG file that a browser shows without a network. A row is a depth, the
 * process at the bottom; the width of a frame is its share of the samples. A click goes into a frame, a click below it
 * back out; Ctrl-F searches for names; a title tells each frame's numbers. */
#ifndef GANNET_CLI_FLAME_SVG_H
#define GANNET_CLI_FLAME_SVG_H

#include "cli/flame/stacks.h"

/* Adds it. `title` and `note` stand above and below the drawing; whatever they and the names say, they are text. */
void svg_draw(const struct stacks *stacks, const char *title, const char *note, struct buf *out);

#endif
