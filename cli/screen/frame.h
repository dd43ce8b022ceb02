/* The whole of a frame: the experiment's name and state, the list of screens, the screen itself, the keys or what is
 * typed at the bottom; the help over it. Pure. */
#ifndef GANNET_CLI_SCREEN_FRAME_H
#define GANNET_CLI_SCREEN_FRAME_H

#include "cli/screen/screen.h"

/* What is to be read for a frame of that size. */
void frame_want(const struct view *view, unsigned rows, unsigned columns, struct wants *out);

/* Draws all of it; as a screen's draw it may move places. */
void frame_draw(struct model *model, struct canvas *canvas);

/* Draws the keys, and what the screen shows, instead of it. */
void help_draw(struct model *model, struct canvas *canvas, struct area area);

#endif
