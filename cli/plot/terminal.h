/* Pictures drawn with characters: dots in cells within axes, for a terminal or a file of text. */
#ifndef GANNET_CLI_PLOT_TERMINAL_H
#define GANNET_CLI_PLOT_TERMINAL_H

#include "cli/look.h"
#include "cli/plot/picture.h"

/* Adds the whole picture with its title and sentence, at most as wide as the place (or 100 columns where that has no
 * width). Texts are made safe. */
void terminal_picture(const struct picture *picture, const struct look *look, struct buf *out);

#endif
