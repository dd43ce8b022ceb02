/* Laying pictures out; see layout.h. */
#include "cli/plot/layout.h"

#include "cli/plot/thin.h"
#include "common/markup.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    GAP = 26,          /* between panels */
    TITLE = 18,        /* height of a panel's title, */
    LEGEND = 22,       /* of a row of the legend, */
    TICKS = 18,        /* of the labels below, */
    LABEL = 16,        /* of what the axis is */
    RIGHT = 10,        /* room for half a label */
    NAMES_WIDTH = 170, /* of the names beside an axis, at most */
    SWATCH = 18,
    LEGEND_LETTERS = (PICTURE_WIDTH - SWATCH - 16) / SMALL_LETTER /* of an entry, at most */
};

/* The inside of a panel, in pixels. */
struct panel_frame {
    double x, y, width, height;
};

/* --- texts --- */

static size_t letters_of(const char *text)
{
    size_t letters = 0, shown;
    for (const char *at = text; at && *at; letters += shown) {
        size_t step = markup_letter(at, &shown);
        at += step ? step : 1;
    }
    return letters;
}

/* Where the letters of a text end that are at most so many. */
static size_t bytes_of(const char *text, size_t most)
{
    size_t at = 0, letters = 0, shown;
    for (size_t step; text[at]; at += step ? step : 1) {
        step = markup_letter(text + at, &shown);
        letters += shown;
        if (letters > most)
            break;
    }
    return at;
}

char *layout_cut(const char *text, size_t most)
{
    size_t letters = letters_of(text);
    if (letters <= most || most < 3)
        return mem_text_n(text, bytes_of(text, most));
    size_t tail = (most - 2) / 3, head = most - 2 - tail;
    return mem_format("%.*s..%s", (int)bytes_of(text, head), text, text + bytes_of(text, letters - tail));
}

static void write_cut(const struct plot_canvas *canvas, enum ink ink, enum text_anchor anchor, double x, double y,
                      const char *text, size_t most)
{
    char *shown = layout_cut(text, most);
    canvas->text(canvas->context, ink, LETTERS_SMALL, anchor, false, x, y, shown);
    free(shown);
}

/* --- sizes --- */

static bool is_alone(const struct picture *picture)
{
    return picture->columns <= 1 || picture->panel_count <= 1;
}

static double column_width(const struct picture *picture)
{
    unsigned columns = is_alone(picture) ? 1 : picture->columns;
    return (PICTURE_WIDTH - (double)GAP * (columns - 1)) / columns;
}

static double inner_height(const struct picture *picture, const struct panel *panel)
{
    return panel->height > 0 ? panel->height : is_alone(picture) ? PANEL_HEIGHT : PANEL_HEIGHT_LOW;
}

static double below(const struct panel *panel)
{
    return (panel->x.bare ? 0 : TICKS) + (panel->x.label ? LABEL : 0) + 6;
}

static double panel_height(const struct picture *picture, const struct panel *panel)
{
    return (panel->title ? TITLE : 4) + inner_height(picture, panel) + below(panel);
}

static size_t ticks_y(const struct picture *picture, const struct panel *panel, struct tick *out)
{
    size_t most = (size_t)fmin(8, fmax(2, inner_height(picture, panel) / 32));
    return panel->y.bare || panel->y.name_count ? 0 : scale_ticks(&panel->y, most, out);
}

/* How wide names beside an axis may be. */
static double names_room(const struct picture *picture)
{
    return fmin(NAMES_WIDTH, column_width(picture) / 3);
}

/* What stands left of a panel by itself. */
static double own_left(const struct picture *picture, const struct panel *panel, const struct tick *ticks, size_t count)
{
    size_t letters = 0;
    for (size_t i = 0; i < panel->y.name_count; i++)
        letters = letters_of(panel->y.names[i]) > letters ? letters_of(panel->y.names[i]) : letters;
    for (size_t i = 0; i < count && !panel->y.name_count; i++)
        letters = strlen(ticks[i].label) > letters ? strlen(ticks[i].label) : letters;
    double width = fmin((double)letters * (panel->y.name_count ? NAME_LETTER : SMALL_LETTER), names_room(picture));
    return (panel->y.bare ? 4 : width + 10) + (panel->y.label ? LABEL : 0);
}

/* Panels below each other begin at the same place. */
static double left_of(const struct picture *picture, const struct panel *panel)
{
    struct tick ticks[16];
    double left = own_left(picture, panel, ticks, ticks_y(picture, panel, ticks));
    for (size_t i = 0; i < picture->panel_count && is_alone(picture); i++)
        left = fmax(left, own_left(picture, picture->panels[i], ticks, ticks_y(picture, picture->panels[i], ticks)));
    return left;
}

/* Of an entry of the legend, cut where it would not fit into a row. */
static double legend_width(const struct legend *legend)
{
    return SWATCH + fmin((double)letters_of(legend->text), LEGEND_LETTERS) * SMALL_LETTER + 16;
}

/* How many rows the legend takes, and where each entry stands: x of entry i, or its row's number. */
static size_t legend_rows(const struct picture *picture)
{
    double x = 0;
    size_t rows = picture->legend_count > 0;
    for (size_t i = 0; i < picture->legend_count; i++) {
        double width = legend_width(&picture->legends[i]);
        if (x > 0 && x + width > PICTURE_WIDTH) {
            rows++;
            x = 0;
        }
        x += width;
    }
    return rows;
}

static double row_height(const struct picture *picture, size_t first)
{
    double height = 0;
    unsigned columns = is_alone(picture) ? 1 : picture->columns;
    for (size_t i = first; i < picture->panel_count && i < first + columns; i++)
        height = fmax(height, panel_height(picture, picture->panels[i]));
    return height + 8;
}

double layout_height(const struct picture *picture)
{
    double height = LEGEND * (double)legend_rows(picture);
    unsigned columns = is_alone(picture) ? 1 : picture->columns;
    for (size_t i = 0; i < picture->panel_count; i += columns)
        height += row_height(picture, i);
    return height;
}

/* --- axes --- */

static void draw_rule(const struct plot_canvas *canvas, enum ink ink, double x0, double y0, double x1, double y1)
{
    struct brush brush = {.ink = ink, .width = 1, .opacity = 1};
    canvas->line(canvas->context, &brush, (struct point[]){{x0, y0}, {x1, y1}}, 2);
}

/* What names stand along x; when they are too long for their room every second, third, ... is left out. */
static void draw_names_x(const struct plot_canvas *canvas, const struct panel *panel, const struct panel_frame *frame)
{
    double room = frame->width / (double)panel->x.name_count;
    size_t most = (size_t)fmax(3, room / SMALL_LETTER - 1), every = (size_t)ceil(3.0 * SMALL_LETTER / room);
    for (size_t i = 0; i < panel->x.name_count; i += every ? every : 1)
        write_cut(canvas, INK_QUIET, ANCHOR_MIDDLE, frame->x + ((double)i + 0.5) * room,
                  frame->y + frame->height + TICKS - 4, panel->x.names[i], most * (every ? every : 1));
}

static void draw_axis_x(const struct plot_canvas *canvas, const struct panel *panel, const struct panel_frame *frame)
{
    struct tick ticks[16];
    double bottom = frame->y + frame->height;
    size_t most = (size_t)fmin(10, fmax(2, frame->width / 56));
    size_t count = panel->x.bare || panel->x.name_count ? 0 : scale_ticks(&panel->x, most, ticks);
    for (size_t i = 0; i < count; i++) {
        double x = frame->x + axis_place(&panel->x.axis, ticks[i].value) * frame->width;
        draw_rule(canvas, INK_GRID, x, frame->y, x, bottom);
        canvas->text(canvas->context, INK_QUIET, LETTERS_SMALL, ANCHOR_MIDDLE, false, x, bottom + TICKS - 4,
                     ticks[i].label);
    }
    if (panel->x.name_count && !panel->x.bare)
        draw_names_x(canvas, panel, frame);
    if (panel->x.label)
        write_cut(canvas, INK_TEXT, ANCHOR_MIDDLE, frame->x + frame->width / 2,
                  bottom + (panel->x.bare ? 0 : TICKS) + LABEL - 4, panel->x.label,
                  (size_t)(frame->width / SMALL_LETTER));
}

static void draw_axis_y(const struct picture *picture, const struct plot_canvas *canvas, const struct panel *panel,
                        const struct panel_frame *frame, double left, const struct tick *ticks, size_t count)
{
    for (size_t i = 0; i < count && !panel->y.name_count; i++) {
        double y = frame->y + (1 - axis_place(&panel->y.axis, ticks[i].value)) * frame->height;
        draw_rule(canvas, INK_GRID, frame->x, y, frame->x + frame->width, y);
        canvas->text(canvas->context, INK_QUIET, LETTERS_SMALL, ANCHOR_END, false, frame->x - 6, y + 4, ticks[i].label);
    }
    double room = frame->height / (double)(panel->y.name_count ? panel->y.name_count : 1);
    for (size_t i = 0; i < panel->y.name_count && !panel->y.bare; i++)
        write_cut(canvas, INK_TEXT, ANCHOR_END, frame->x - 6, frame->y + ((double)i + 0.5) * room + 4,
                  panel->y.names[i], (size_t)(names_room(picture) / NAME_LETTER));
    if (panel->y.label) {
        char *shown = layout_cut(panel->y.label, (size_t)(frame->height / SMALL_LETTER));
        double names = frame->x - left + LETTER_HEIGHT;
        canvas->text(canvas->context, INK_TEXT, LETTERS_SMALL, ANCHOR_MIDDLE, true, names, frame->y + frame->height / 2,
                     shown);
        free(shown);
    }
}

/* --- marks --- */

struct layout_drawing {
    const struct plot_canvas *canvas;
    const struct panel *panel;
    struct panel_frame frame;
    bool *drawn;          /* of each mark: whether it is a dot that is drawn */
    struct point *points; /* room for a line */
    double across;        /* pixels of which lines keep four points */
};

static struct point place_of(const struct layout_drawing *drawing, size_t point)
{
    const struct panel *panel = drawing->panel;
    const struct panel_frame *frame = &drawing->frame;
    double x = scale_place(&panel->x, panel->points[point].x, false);
    double y = scale_place(&panel->y, panel->points[point].y, true);
    return (struct point){frame->x + x * frame->width, frame->y + (1 - y) * frame->height};
}

/* Beyond the frame by what a dot on its edge needs. */
static bool is_seen(const struct layout_drawing *drawing, struct point at)
{
    const struct panel_frame *frame = &drawing->frame;
    return at.x >= frame->x - 1 && at.x <= frame->x + frame->width + 1 && at.y >= frame->y - 1 &&
           at.y <= frame->y + frame->height + 1;
}

static void choose_dots(struct layout_drawing *drawing)
{
    const struct panel *panel = drawing->panel;
    struct point *places = MEM_ARRAY(struct point, panel->mark_count + 1);
    for (size_t i = 0; i < panel->mark_count; i++) {
        const struct mark *mark = &panel->marks[i];
        places[i] = (struct point){NAN, NAN};
        if (mark->kind == MARK_DOT && !mark->stays && is_seen(drawing, place_of(drawing, mark->first)))
            places[i] = place_of(drawing, mark->first);
    }
    thin_dots(places, panel->mark_count, MOST_DOTS, drawing->drawn);
    for (size_t i = 0; i < panel->mark_count; i++)
        if (panel->marks[i].kind == MARK_DOT && panel->marks[i].stays)
            drawing->drawn[i] = is_seen(drawing, place_of(drawing, panel->marks[i].first));
    free(places);
}

/* On which side of the frame a point lies: -1 above, 1 below, 0 within. */
static int side_of(const struct layout_drawing *drawing, struct point at)
{
    return at.y < drawing->frame.y - 0.01 ? -1 : at.y > drawing->frame.y + drawing->frame.height + 0.01;
}

/* Where a point of a line is drawn: at the edge when it lies beyond, and nowhere when its neighbours do, too. */
static struct point line_place(const struct layout_drawing *drawing, const struct mark *mark, size_t i)
{
    struct point nowhere = {NAN, NAN}, at = i < mark->count ? place_of(drawing, mark->first + i) : nowhere;
    int side = side_of(drawing, at);
    bool before = i == 0 || side_of(drawing, place_of(drawing, mark->first + i - 1)) == side;
    bool behind = i + 1 >= mark->count || side_of(drawing, place_of(drawing, mark->first + i + 1)) == side;
    return side && before && behind ? nowhere : at;
}

/* A line ends where a point has no place, and begins again behind it. */
static void draw_line(const struct layout_drawing *drawing, const struct mark *mark, const struct brush *brush)
{
    size_t count = 0;
    for (size_t i = 0; i <= mark->count; i++) {
        struct point at = line_place(drawing, mark, i);
        if (isfinite(at.x) && isfinite(at.y)) {
            const struct panel_frame *frame = &drawing->frame;
            at.x = fmin(fmax(at.x, frame->x), frame->x + frame->width);
            at.y = fmin(fmax(at.y, frame->y), frame->y + frame->height);
            drawing->points[count++] = at;
            continue;
        }
        count = thin_line(drawing->points, count, drawing->across);
        if (count > 1)
            drawing->canvas->line(drawing->canvas->context, brush, drawing->points, count);
        count = 0;
    }
}

static double within(double place, double from, double length)
{
    return fmin(fmax(place, from), from + length);
}

static void draw_box(const struct layout_drawing *drawing, const struct mark *mark, const struct brush *brush)
{
    const struct panel_frame *frame = &drawing->frame;
    struct point one = place_of(drawing, mark->first), other = place_of(drawing, mark->first + 1);
    if (!isfinite(one.x + one.y + other.x + other.y))
        return;
    double left = within(fmin(one.x, other.x), frame->x, frame->width);
    double right = within(fmax(one.x, other.x), frame->x, frame->width);
    double top = within(fmin(one.y, other.y), frame->y, frame->height);
    double bottom = within(fmax(one.y, other.y), frame->y, frame->height);
    drawing->canvas->box(drawing->canvas->context, brush, left, top, fmax(right - left, 0.5), fmax(bottom - top, 0.5));
}

/* How many letters of a text there is room for. */
static size_t letters_in(const struct layout_drawing *drawing, const struct mark *mark)
{
    const struct axis *axis = &drawing->panel->x.axis;
    double width = drawing->frame.width * mark->room / (axis->high - axis->low);
    return mark->room > 0 ? (size_t)fmax(3, width / SMALL_LETTER - 1) : PICTURE_WIDTH / SMALL_LETTER;
}

/* Moved as far as its ends are beyond those of the picture. */
static void draw_text(const struct layout_drawing *drawing, const struct mark *mark, struct point at)
{
    static const double before[] = {[ANCHOR_START] = 0, [ANCHOR_MIDDLE] = 0.5, [ANCHOR_END] = 1};
    char *text = layout_cut(mark->text, letters_in(drawing, mark));
    double width = (double)(letters_of(text) + 1) * SMALL_LETTER, left = width * before[mark->anchor];
    double x = at.x + (mark->anchor == ANCHOR_START ? 5 : 0);
    x = fmax(fmin(x, PICTURE_WIDTH - width + left), left);
    drawing->canvas->text(drawing->canvas->context, mark->ink, mark->stays ? LETTERS_OVER : LETTERS_SMALL, mark->anchor,
                          false, x, at.y + 4, text);
    free(text);
}

static void draw_mark(const struct layout_drawing *drawing, const struct mark *mark, bool drawn)
{
    const struct plot_canvas *canvas = drawing->canvas;
    struct brush brush = {.ink = mark->ink,
                          .width = mark->width,
                          .opacity = mark->opacity,
                          .dashed = mark->dashed,
                          .filled = !mark->hollow,
                          .trial = mark->trial,
                          .says = mark->kind == MARK_TEXT ? NULL : mark->text};
    struct point at = mark->count ? place_of(drawing, mark->first) : (struct point){NAN, NAN};
    if (mark->kind == MARK_LINE)
        draw_line(drawing, mark, &brush);
    else if (mark->kind == MARK_BOX)
        draw_box(drawing, mark, &brush);
    else if (mark->kind == MARK_DOT && drawn)
        canvas->dot(canvas->context, &brush, at.x, at.y, mark->width);
    else if (mark->kind == MARK_TEXT && isfinite(at.x) && isfinite(at.y))
        draw_text(drawing, mark, at);
}

static void draw_marks(struct layout_drawing *drawing)
{
    size_t longest = 1, lines = 0;
    for (size_t i = 0; i < drawing->panel->mark_count; i++) {
        longest = drawing->panel->marks[i].count > longest ? drawing->panel->marks[i].count : longest;
        lines += drawing->panel->marks[i].kind == MARK_LINE;
    }
    bool many = drawing->panel->point_count > MOST_POINTS;
    drawing->across = many ? fmax(1, 4 * drawing->frame.width * (double)lines / MOST_POINTS) : 1;
    drawing->points = MEM_ARRAY(struct point, longest);
    drawing->drawn = MEM_ARRAY(bool, drawing->panel->mark_count + 1);
    choose_dots(drawing);
    for (size_t i = 0; i < drawing->panel->mark_count; i++)
        draw_mark(drawing, &drawing->panel->marks[i], drawing->drawn[i]);
    free(drawing->points);
    free(drawing->drawn);
}

/* --- the whole --- */

static void draw_panel(const struct picture *picture, const struct panel *panel, const struct plot_canvas *canvas,
                       double x, double y)
{
    struct tick ticks[16];
    double height = inner_height(picture, panel);
    size_t count = ticks_y(picture, panel, ticks);
    double left = left_of(picture, panel);
    struct panel_frame frame = {x + left, y + (panel->title ? TITLE : 4), column_width(picture) - left - RIGHT, height};
    if (panel->title) {
        char *title = layout_cut(panel->title, (size_t)((column_width(picture) - left + GAP / 2.0) / STRONG_LETTER));
        canvas->text(canvas->context, INK_TEXT, LETTERS_STRONG, ANCHOR_START, false, frame.x, y + TITLE - 6, title);
        free(title);
    }
    draw_axis_x(canvas, panel, &frame);
    draw_axis_y(picture, canvas, panel, &frame, left, ticks, count);
    draw_rule(canvas, INK_FRAME, frame.x, frame.y + frame.height, frame.x + frame.width, frame.y + frame.height);
    if (canvas->panel)
        canvas->panel(canvas->context, panel, frame.x, frame.y, frame.width, frame.height);
    struct layout_drawing drawing = {.canvas = canvas, .panel = panel, .frame = frame};
    draw_marks(&drawing);
    if (canvas->panel)
        canvas->panel(canvas->context, NULL, 0, 0, 0, 0);
}

static void draw_swatch(const struct plot_canvas *canvas, const struct legend *legend, double x, double y)
{
    struct brush brush = {.ink = legend->ink, .width = 2, .opacity = 1, .filled = !legend->hollow};
    if (legend->kind == MARK_LINE)
        canvas->line(canvas->context, &brush, (struct point[]){{x, y}, {x + 12, y}}, 2);
    else if (legend->kind == MARK_BOX)
        canvas->box(canvas->context, &brush, x + 1, y - 5, 10, 10);
    else
        canvas->dot(canvas->context, &brush, x + 6, y, 3.5);
}

static void draw_legend(const struct picture *picture, const struct plot_canvas *canvas)
{
    double x = 0, y = LEGEND / 2.0;
    for (size_t i = 0; i < picture->legend_count; i++) {
        const struct legend *legend = &picture->legends[i];
        char *text = layout_cut(legend->text, LEGEND_LETTERS);
        double width = legend_width(legend);
        if (x > 0 && x + width > PICTURE_WIDTH) {
            x = 0;
            y += LEGEND;
        }
        draw_swatch(canvas, legend, x, y);
        canvas->text(canvas->context, INK_TEXT, LETTERS_SMALL, ANCHOR_START, false, x + SWATCH, y + 4, text);
        free(text);
        x += width;
    }
}

void layout_draw(const struct picture *picture, const struct plot_canvas *canvas)
{
    unsigned columns = is_alone(picture) ? 1 : picture->columns;
    double y = LEGEND * (double)legend_rows(picture);
    draw_legend(picture, canvas);
    for (size_t i = 0; i < picture->panel_count; i += columns) {
        for (size_t j = i; j < picture->panel_count && j < i + columns; j++)
            draw_panel(picture, picture->panels[j], canvas, (double)(j - i) * (column_width(picture) + GAP), y);
        y += row_height(picture, i);
    }
}
