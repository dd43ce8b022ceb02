/* Where everything of a picture stands on a canvas: panels beside and below each other, axes with their labels, the
 * legend. Marks are thinned to what the pixels can show: what is drawn of an experiment has a largest size, however
 * many trials it has. */
#ifndef GANNET_CLI_PLOT_LAYOUT_H
#define GANNET_CLI_PLOT_LAYOUT_H

#include "cli/plot/plot_canvas.h"

enum {
    PICTURE_WIDTH = 760,
    PANEL_HEIGHT = 260,     /* of the inside of one that is alone in its row, */
    PANEL_HEIGHT_LOW = 150, /* and of others */
    MOST_DOTS = 1500,       /* in a panel, but for those that stay */
    MOST_POINTS = 20000     /* of all lines in a panel */
};

/* How high the picture will be. */
double layout_height(const struct picture *picture);

/* At most so many letters of a text, cut in its middle: what tells names apart may be at their ends. free() it. */
char *layout_cut(const char *text, size_t most);

void layout_draw(const struct picture *picture, const struct plot_canvas *canvas);

#endif
