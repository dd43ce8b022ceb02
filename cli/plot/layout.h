/* Where everything of a picture stands on a canvas: panels beside and below each other, axes with their labels, the
 * legend. Marks are thinned to what the pixels can show: what is drawn of an experiment has a largest size, however
 * many trials it has. */
#ifndef GANNET_CLI_PLOT_LAYOUT_H
#define GANNET_CLI_PLOT_LAYOUT_H

#include "cli/plot/picture.h"

enum {
    PICTURE_WIDTH = 760,
    PANEL_HEIGHT = 260,     /* of the inside of one that is alone in its row, */
    PANEL_HEIGHT_LOW = 150, /* and of others */
    MOST_DOTS = 1500,       /* in a panel, but for those that stay */
    MOST_POINTS = 20000     /* of all lines in a panel */
};

/* --- what pictures are drawn on, in pixels from the upper left corner: the contract with the formats --- */

/* How something is drawn, and what is known of it. */
struct brush {
    enum ink ink;
    double width;   /* of lines */
    double opacity; /* 0..1 */
    bool dashed;
    bool filled;      /* boxes and dots; else their outlines */
    uint64_t trial;   /* that it stands for; 0: none */
    const char *says; /* what is said when one points at it; NULL: nothing */
};

/* LETTERS_OVER are small ones that stay readable on marks. */
enum letters { LETTERS_SMALL, LETTERS_STRONG, LETTERS_OVER };

struct plot_canvas {
    void *context; /* the format's own */
    /* Each is called by the layout in the order of drawing; texts are any bytes. A line has two points or more. */
    void (*line)(void *context, const struct brush *brush, const struct point *points, size_t count);
    void (*box)(void *context, const struct brush *brush, double x, double y, double width, double height);
    void (*dot)(void *context, const struct brush *brush, double x, double y, double radius);
    void (*text)(void *context, enum ink ink, enum letters letters, enum text_anchor anchor, bool turned, double x,
                 double y, const char *text);
    /* What follows lies in a panel, whose inner rectangle this is; NULL: the panel ends. Optional. */
    void (*panel)(void *context, const struct panel *panel, double x, double y, double width, double height);
};

/* How wide letters are, about: texts are placed by it. A name of few letters may have more wide ones than most texts
 * ("out_of_memory" takes 86 pixels), and what goes beyond the picture's edge is not seen. */
enum { SMALL_LETTER = 6, NAME_LETTER = 7, STRONG_LETTER = 8, LETTER_HEIGHT = 11 };

/* --- the layout --- */

/* How high the picture will be. */
double layout_height(const struct picture *picture);

/* At most so many letters of a text, cut in its middle: what tells names apart may be at their ends. free() it. */
char *layout_cut(const char *text, size_t most);

void layout_draw(const struct picture *picture, const struct plot_canvas *canvas);

#endif
