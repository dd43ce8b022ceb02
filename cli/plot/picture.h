/* A picture: marks in the axes of panels, in the units of the data. What makes one (plot.h) knows no pixels; what draws
 * it (layout.h for SVG and PNG, terminal.h) knows no trials. */
#ifndef GANNET_CLI_PLOT_PICTURE_H
#define GANNET_CLI_PLOT_PICTURE_H

#include "cli/plot/axis.h"

#include <jansson.h>
#include <stdint.h>

enum ink {
#define INK(id, class, light, dark, tint, sign) INK_##id,
#include "cli/plot/ink_list.h"
#undef INK
    INKS_COUNT
};
enum { INK_SERIES = 8 }; /* from INK_SERIES_1 on, for several experiments or phases */

enum mark_kind {
    MARK_LINE, /* through its points */
    MARK_DOT,  /* at its point */
    MARK_BOX,  /* between its two points */
    MARK_TEXT  /* at its point */
};

/* Which part of a text stands at its place. */
enum text_anchor { ANCHOR_START, ANCHOR_MIDDLE, ANCHOR_END };

struct mark {
    enum mark_kind kind;
    enum ink ink;
    enum text_anchor anchor;
    float width;         /* of a line; of a dot its radius; in pixels */
    float opacity;       /* 0..1 */
    float room;          /* of a text: how wide it may be, along x; 0: as wide as it is */
    bool dashed, hollow; /* a dot or box: its outline alone */
    bool stays;          /* a dot: is drawn even where there are too many; a text: stays readable on other marks */
    uint64_t trial;      /* that it stands for; 0: none */
    char *text;          /* of MARK_TEXT; of others what is said when one points at it; NULL: nothing */
    size_t first, count; /* its points in the panel */
};

struct point {
    double x, y;
};

/* An axis with what stands beside it. */
struct scale {
    struct axis axis;
    char *label;  /* may be NULL */
    char **names; /* name_count > 0: no numbers but these, the i-th from i to i + 1; of y from the top */
    size_t name_count;
    bool bare;  /* nothing is written along it */
    bool whole; /* ticks are whole numbers */
};

struct legend {
    enum ink ink;
    enum mark_kind kind;
    bool hollow; /* of dots: rings */
    char *text;
};

struct panel {
    char *title; /* may be NULL */
    struct scale x, y;
    double height; /* pixels in SVG; 0: as usual */
    struct mark *marks;
    size_t mark_count, mark_capacity;
    struct point *points;
    size_t point_count, point_capacity;
};

struct picture {
    char *title, *sentence; /* what it shows, and what is to be seen */
    char *note;             /* what is left out, or to be known; NULL: nothing */
    struct panel **panels;
    size_t panel_count, panel_capacity;
    unsigned columns; /* panels beside each other, at most */
    struct legend *legends;
    size_t legend_count, legend_capacity;
    json_t *numbers; /* for programs: what is drawn, before anything was left out; owned */
};

void picture_init(struct picture *picture);
void picture_fini(struct picture *picture);

/* Sets the texts as by printf. */
void picture_title(struct picture *picture, const char *format, ...) __attribute__((format(printf, 2, 3)));
void picture_say(struct picture *picture, const char *format, ...) __attribute__((format(printf, 2, 3)));
void picture_note(struct picture *picture, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Adds a sentence to the note. */
void picture_note_more(struct picture *picture, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A line of the legend. */
void picture_legend(struct picture *picture, enum ink ink, enum mark_kind kind, const char *text);
void picture_legend_ring(struct picture *picture, enum ink ink, const char *text);

/* A further panel, the picture's own. Its axes are for the caller to set. */
struct panel *picture_panel(struct picture *picture, const char *title);

/* The same before all others. */
struct panel *picture_panel_above(struct picture *picture);

/* Sets what a scale is; `label` may be NULL. */
void scale_set(struct scale *scale, struct axis axis, const char *label);

/* The ticks of its axis; see axis_ticks. */
size_t scale_ticks(const struct scale *scale, size_t most, struct tick *out);

/* Adds a name to a scale of names, and widens its axis. */
void scale_name(struct scale *scale, const char *name);

/* Adds a mark, with the usual width; what is returned may be changed until the next one is added. A line begins without
 * points. */
struct mark *panel_line(struct panel *panel, enum ink ink);
void panel_to(struct panel *panel, double x, double y);
struct mark *panel_rule(struct panel *panel, enum ink ink, double x0, double y0, double x1, double y1);
struct mark *panel_dot(struct panel *panel, enum ink ink, double x, double y);
struct mark *panel_box(struct panel *panel, enum ink ink, double x0, double y0, double x1, double y1);
struct mark *panel_text(struct panel *panel, enum ink ink, double x, double y, const char *text);

/* Where a value lies on a scale, 0..1; of names from the top when it is that of y. */
double scale_place(const struct scale *scale, double value, bool upwards);

/* What an ink is. */
const char *ink_class(enum ink ink);
uint32_t ink_colour(enum ink ink, bool dark); /* 0xrrggbb */

#endif
