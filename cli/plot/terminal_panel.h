/* The panels of a picture with characters, below each other: marks as dots and signs, labels beside and below them. For
 * terminal.c. */
#ifndef GANNET_CLI_PLOT_TERMINAL_PANEL_H
#define GANNET_CLI_PLOT_TERMINAL_PANEL_H

#include "cli/plot/dots.h"
#include "cli/plot/picture.h"
#include "cli/plot/sign.h"

/* A picture on its way to a terminal. */
struct terminal_plot {
    const struct picture *picture;
    const struct look *look;
    struct signs signs;
    size_t width; /* columns of all */
};

/* Adds all panels; no line is wider than the plot. */
void terminal_panels(const struct terminal_plot *plot, struct buf *out);

/* Of a panel whose axes stand within it (parallel coordinates): writes their names and labels over the marks, as far as
 * there is room. Then `out` gets lines that say what there was no room for. */
void terminal_inner_axes(const struct terminal_plot *plot, const struct panel *panel, struct dots *dots,
                         struct buf *out);

#endif
