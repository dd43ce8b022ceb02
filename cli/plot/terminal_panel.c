/* Panels with characters; see terminal_panel.h. */
#include "cli/plot/terminal_panel.h"

#include "cli/format.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROWS = 16,      /* of a panel that is alone, */
    ROWS_HIGH = 22, /* of a high one, */
    ROWS_LOW = 8,   /* of others, */
    ROWS_FLAT = 4,  /* of a flat one */
    NAME = 28,      /* columns of names, at most */
    MOST_ROWS = 60, /* of names */
    LEAST = 7,      /* columns of marks: a third of the least width, less the bar */
    BAR = 3         /* between labels and marks */
};

/* Where the parts of panels stand: in those below each other at the same columns. */
struct panel_columns {
    size_t left, columns, behind; /* of the labels, the marks, and the texts behind them */
};

struct terminal_drawing {
    const struct terminal_plot *plot;
    const struct panel *panel;
    struct dots dots;
    struct buf *texts; /* of each row, what stands behind the dots */
    size_t rows;
    struct tick ticks[16]; /* of y */
    size_t tick_count;
};

/* --- marks --- */

static struct point place_of(const struct terminal_drawing *drawing, size_t point)
{
    const struct panel *panel = drawing->panel;
    return (struct point){scale_place(&panel->x, panel->points[point].x, false),
                          scale_place(&panel->y, panel->points[point].y, true)};
}

static void draw_mark(struct terminal_drawing *drawing, const struct mark *mark)
{
    struct dots *dots = &drawing->dots;
    enum tint tint = ink_tint(mark->ink);
    dots->sign = signs_of(&drawing->plot->signs, mark->kind, mark->ink, mark->hollow);
    for (size_t i = 0; i < mark->count; i++) {
        struct point at = place_of(drawing, mark->first + i), before = i ? place_of(drawing, mark->first + i - 1) : at;
        if (mark->kind == MARK_DOT)
            dots_point(dots, at.x, at.y, tint);
        else if (mark->kind == MARK_LINE && i > 0)
            dots_line(dots, before.x, before.y, at.x, at.y, tint);
        else if (mark->kind == MARK_BOX && i == 1)
            dots_fill(dots, before.x, before.y, at.x, at.y, tint);
    }
    dots->sign = NULL;
}

/* --- texts behind the marks --- */

/* The row in the middle of those that a name has. */
static size_t row_of_name(const struct terminal_drawing *drawing, size_t name)
{
    size_t names = drawing->panel->y.name_count, first = name * drawing->rows / names,
           next = (name + 1) * drawing->rows / names;
    return next > first + 1 ? (first + next - 1) / 2 : first;
}

/* The text of a name stands behind its bar. */
static void keep_text(struct terminal_drawing *drawing, const struct mark *mark)
{
    double name = drawing->panel->points[mark->first].y;
    if (name >= 0 && name < (double)drawing->panel->y.name_count)
        format_safe(mark->text, &drawing->texts[row_of_name(drawing, (size_t)name)]);
}

static bool is_behind(const struct panel *panel, const struct mark *mark)
{
    return mark->kind == MARK_TEXT && mark->count && panel->y.name_count;
}

/* Without colours a curve has its name behind its end: the legend's text for a line that is the only one of its ink. */
static const char *name_of_curve(const struct terminal_plot *plot, const struct panel *panel, const struct mark *mark)
{
    const char *name = NULL;
    size_t curves = 0, named = 0;
    if (mark->kind != MARK_LINE || plot->look->colour || panel->y.bare)
        return NULL;
    for (size_t i = 0; i < panel->mark_count; i++)
        curves += panel->marks[i].kind == MARK_LINE && panel->marks[i].ink == mark->ink;
    for (size_t i = 0; i < plot->picture->legend_count; i++) {
        const struct legend *legend = &plot->picture->legends[i];
        named += legend->kind == MARK_LINE;
        if (legend->kind == MARK_LINE && legend->ink == mark->ink)
            name = legend->text;
    }
    return mark->count && curves == 1 && named > 1 ? name : NULL;
}

/* Curves that end in one row have their names beside each other. */
static void keep_name(struct terminal_drawing *drawing, const struct mark *mark, const char *name)
{
    double last = (double)drawing->rows * DOTS_CELL_HEIGHT - 1;
    double height = place_of(drawing, mark->first + mark->count - 1).y;
    if (isnan(height))
        return;
    struct buf *text = &drawing->texts[(size_t)lround(fmin(fmax((1 - height) * last, 0), last)) / DOTS_CELL_HEIGHT];
    buf_text(text, text->length ? ", " : "");
    format_safe(name, text);
}

static void keep_texts(struct terminal_drawing *drawing)
{
    const struct panel *panel = drawing->panel;
    drawing->texts = MEM_ARRAY(struct buf, drawing->rows);
    for (size_t i = 0; i < panel->mark_count; i++) {
        const struct mark *mark = &panel->marks[i];
        const char *name = name_of_curve(drawing->plot, panel, mark);
        if (is_behind(panel, mark))
            keep_text(drawing, mark);
        else if (name)
            keep_name(drawing, mark, name);
    }
}

static void fini_texts(struct terminal_drawing *drawing)
{
    for (size_t i = 0; i < drawing->rows; i++)
        buf_fini(&drawing->texts[i]);
    free(drawing->texts);
}

/* Columns that texts behind the marks need, with a blank before them. */
static size_t texts_width(const struct terminal_plot *plot, const struct panel *panel, size_t rows)
{
    struct terminal_drawing drawing = {.plot = plot, .panel = panel, .rows = rows};
    size_t width = 0;
    keep_texts(&drawing);
    for (size_t i = 0; i < rows; i++) {
        size_t here = drawing.texts[i].length ? format_width(buf_str(&drawing.texts[i])) + 1 : 0;
        width = here > width ? here : width;
    }
    fini_texts(&drawing);
    return width;
}

/* --- labels --- */

/* Adds a text in just so many columns, cut in its middle where it is longer: ends tell names apart, too. */
static void terminal_name(const struct look *look, const char *text, size_t width, bool right, struct buf *out)
{
    struct buf safe = {0}, shown = {0};
    format_safe(text, &safe);
    format_cut_middle(look, buf_str(&safe), width, &shown);
    size_t columns = format_width(buf_str(&shown));
    for (size_t i = columns; right && i < width; i++)
        buf_text(out, " ");
    buf_text(out, buf_str(&shown));
    for (size_t i = columns; !right && i < width; i++)
        buf_text(out, " ");
    buf_fini(&safe);
    buf_fini(&shown);
}

static size_t names_width(const struct terminal_plot *plot, const struct scale *scale)
{
    size_t width = 0, most = plot->width / 3 < NAME ? plot->width / 3 : NAME;
    for (size_t i = 0; i < scale->name_count && !scale->bare; i++) {
        size_t here = format_width(scale->names[i]);
        width = here > width ? here : width;
    }
    return width < most ? width : most;
}

/* The label that stands beside a row: of numbers those whose places are there. */
static const char *label_at(const struct terminal_drawing *drawing, size_t row)
{
    const struct panel *panel = drawing->panel;
    size_t names = panel->y.bare ? 0 : panel->y.name_count;
    for (size_t i = names * row / drawing->rows; i < names && i <= names * row / drawing->rows + 1; i++)
        if (row_of_name(drawing, i) == row)
            return panel->y.names[i];
    for (size_t i = 0; i < drawing->tick_count; i++) {
        double place = (1 - axis_place(&panel->y.axis, drawing->ticks[i].value)) * (double)drawing->rows;
        if ((size_t)fmin(fmax(place, 0), (double)drawing->rows - 1) == row)
            return drawing->ticks[i].label;
    }
    return "";
}

static void add_indent(const struct panel_columns *place, struct buf *out)
{
    buf_format(out, "%*s", (int)(place->left + BAR), "");
}

static void add_numbers_x(const struct panel *panel, const struct panel_columns *place, struct buf *out)
{
    struct tick ticks[16];
    char *line = MEM_ARRAY(char, place->columns + 1);
    memset(line, ' ', place->columns);
    size_t count = scale_ticks(&panel->x, place->columns / 12 + 2, ticks), end = 0;
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(ticks[i].label);
        if (length > place->columns)
            continue;
        double middle = axis_place(&panel->x.axis, ticks[i].value) * (double)(place->columns - 1);
        size_t at = (size_t)fmin(fmax(0, middle - (double)length / 2 + 0.5), (double)(place->columns - length));
        if (end > 0 && at <= end)
            continue;
        memcpy(line + at, ticks[i].label, length);
        end = at + length;
    }
    line[end] = '\0';
    if (end) {
        add_indent(place, out);
        buf_format(out, "%s\n", line);
    }
    free(line);
}

/* Names along x share the columns; where each would have too few, every second, third, ... has the room of them all. */
static void add_names_x(const struct look *look, const struct panel *panel, const struct panel_columns *place,
                        struct buf *out)
{
    enum { LEAST_NAME = 4 };
    size_t count = panel->x.name_count, every = (LEAST_NAME * count + place->columns - 1) / place->columns, used = 0;
    add_indent(place, out);
    for (size_t i = 0; i < count; i += every) {
        size_t next = i + every < count ? i + every : count, end = next * place->columns / count;
        terminal_name(look, panel->x.names[i], end - used - 1, false, out);
        buf_text(out, " ");
        used = end;
    }
    buf_text(out, "\n");
}

static void add_cut_line(const struct terminal_plot *plot, const char *text, size_t indent, struct buf *out)
{
    struct buf safe = {0};
    format_safe(text, &safe);
    buf_format(out, "%*s", (int)indent, "");
    format_cut(plot->look, buf_str(&safe), plot->width - indent, out);
    buf_text(out, "\n");
    buf_fini(&safe);
}

static void add_axis_x(const struct terminal_plot *plot, const struct panel *panel, const struct panel_columns *place,
                       struct buf *out)
{
    if (panel->x.name_count && !panel->x.bare)
        add_names_x(plot->look, panel, place, out);
    else if (!panel->x.bare)
        add_numbers_x(panel, place, out);
    if (panel->x.label)
        add_cut_line(plot, panel->x.label, place->left + BAR, out);
}

/* --- panels --- */

static bool has_numbers(const struct panel *panel)
{
    return !panel->y.name_count;
}

static size_t rows_of(const struct picture *picture, const struct panel *panel)
{
    enum { ROW_HEIGHT = 26, FLAT = 100, HIGH = 300 }; /* pixels */
    size_t names = panel->y.name_count, numbers = 0;
    for (size_t i = 0; i < picture->panel_count; i++)
        numbers += has_numbers(picture->panels[i]);
    if (names) {
        long each = lround(panel->height / ROW_HEIGHT / (double)names);
        return names > MOST_ROWS ? MOST_ROWS : names * (size_t)(each > 1 ? each : 1);
    }
    return panel->height > 0 && panel->height < FLAT ? ROWS_FLAT
           : numbers > 1                             ? ROWS_LOW
           : panel->height >= HIGH                   ? ROWS_HIGH
                                                     : ROWS;
}

static size_t find_ticks(const struct panel *panel, size_t rows, struct tick ticks[16])
{
    return panel->y.bare || panel->y.name_count ? 0 : scale_ticks(&panel->y, rows / 3 + 2, ticks);
}

/* The labels of y may take a third of all, the texts behind the marks another. */
static struct panel_columns place_in(const struct terminal_plot *plot, const struct panel *panel)
{
    struct tick ticks[16];
    size_t rows = rows_of(plot->picture, panel), count = find_ticks(panel, rows, ticks), most = plot->width / 3;
    struct panel_columns place = {.left = names_width(plot, &panel->y), .behind = texts_width(plot, panel, rows)};
    for (size_t i = 0; i < count; i++)
        place.left = strlen(ticks[i].label) > place.left ? strlen(ticks[i].label) : place.left;
    place.behind = place.behind < most ? place.behind : most;
    return place;
}

/* Panels that are below each other on paper, too, begin and end at the same columns: they may share an axis. */
static struct panel_columns find_place(const struct terminal_plot *plot, const struct panel *panel)
{
    const struct picture *picture = plot->picture;
    struct panel_columns place = place_in(plot, panel);
    for (size_t i = 0; i < picture->panel_count && picture->columns <= 1; i++) {
        struct panel_columns other = place_in(plot, picture->panels[i]);
        place.left = other.left > place.left ? other.left : place.left;
        place.behind = other.behind > place.behind ? other.behind : place.behind;
    }
    size_t beside = place.left + BAR + place.behind;
    place.columns = plot->width > beside + LEAST ? plot->width - beside : LEAST;
    return place;
}

static void add_row(const struct terminal_drawing *drawing, size_t row, const struct panel_columns *place,
                    struct buf *out)
{
    const struct look *look = drawing->plot->look;
    terminal_name(look, label_at(drawing, row), place->left, true, out);
    look_add(look, TINT_QUIET, look->unicode ? " │ " : " | ", out);
    dots_draw_row(&drawing->dots, (uint32_t)row, look, out);
    if (drawing->texts[row].length) {
        struct buf text = {0};
        format_cut(look, buf_str(&drawing->texts[row]), place->behind - 1, &text);
        buf_text(out, " ");
        look_add(look, TINT_QUIET, buf_str(&text), out);
        buf_fini(&text);
    }
    buf_text(out, "\n");
}

static void draw_marks(struct terminal_drawing *drawing)
{
    const struct panel *panel = drawing->panel;
    for (size_t i = 0; i < panel->mark_count; i++)
        draw_mark(drawing, &panel->marks[i]);
}

static void add_panel(const struct terminal_plot *plot, const struct panel *panel, struct buf *out)
{
    struct panel_columns place = find_place(plot, panel);
    struct terminal_drawing drawing = {.plot = plot, .panel = panel, .rows = rows_of(plot->picture, panel)};
    struct buf said = {0};
    drawing.tick_count = find_ticks(panel, drawing.rows, drawing.ticks);
    keep_texts(&drawing);
    dots_init(&drawing.dots, (uint32_t)place.columns, (uint32_t)drawing.rows);
    draw_marks(&drawing);
    if (panel->y.bare)
        terminal_inner_axes(plot, panel, &drawing.dots, &said);
    if (panel->title || panel->y.label)
        add_cut_line(plot, panel->title ? panel->title : panel->y.label, 0, out);
    for (size_t row = 0; row < drawing.rows; row++)
        add_row(&drawing, row, &place, out);
    add_axis_x(plot, panel, &place, out);
    buf_add(out, buf_str(&said), said.length);
    fini_texts(&drawing);
    dots_fini(&drawing.dots);
    buf_fini(&said);
}

void terminal_panels(const struct terminal_plot *plot, struct buf *out)
{
    for (size_t i = 0; i < plot->picture->panel_count; i++)
        add_panel(plot, plot->picture->panels[i], out);
}
