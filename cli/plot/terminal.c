/* Pictures with characters; see terminal.h. */
#include "cli/plot/terminal.h"

#include "cli/format.h"
#include "cli/plot/dots.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    USUAL_WIDTH = 100,
    LEAST_WIDTH = 30,
    ROWS = 16,     /* of a panel that is alone */
    ROWS_LOW = 8,  /* of others */
    NAME = 28,     /* columns of names, at most */
    MOST_ROWS = 60 /* of names */
};

static enum tint tint_of(enum ink ink)
{
    static const enum tint tints[] = {
#define INK(id, class, light, dark, tint) tint,
#include "cli/plot/ink_list.h"
#undef INK
    };
    return tints[ink];
}

/* --- marks --- */

struct drawing {
    const struct panel *panel;
    struct dots *dots;
    struct buf *texts; /* of each row, what stands behind the dots; NULL: none */
};

static struct point place_of(const struct drawing *drawing, size_t point)
{
    const struct panel *panel = drawing->panel;
    return (struct point){scale_place(&panel->x, panel->points[point].x, false),
                          scale_place(&panel->y, panel->points[point].y, true)};
}

static void draw_mark(const struct drawing *drawing, const struct mark *mark)
{
    enum tint tint = tint_of(mark->ink);
    for (size_t i = 0; i < mark->count; i++) {
        struct point at = place_of(drawing, mark->first + i), before = i ? place_of(drawing, mark->first + i - 1) : at;
        if (mark->kind == MARK_DOT)
            dots_point(drawing->dots, at.x, at.y, tint);
        else if (mark->kind == MARK_LINE && i > 0)
            dots_line(drawing->dots, before.x, before.y, at.x, at.y, tint);
        else if (mark->kind == MARK_BOX && i == 1)
            dots_fill(drawing->dots, before.x, before.y, at.x, at.y, tint);
    }
}

/* The text of a row of names stands behind its bar. */
static void keep_text(const struct drawing *drawing, const struct mark *mark)
{
    double row = drawing->panel->points[mark->first].y;
    if (mark->kind == MARK_TEXT && drawing->panel->y.name_count && row >= 0 && row < (double)drawing->dots->rows)
        format_safe(mark->text, &drawing->texts[(size_t)row]);
}

/* Without colours a curve has its name behind its end: the legend's text for a line that is the only one of its ink. */
static const char *name_of_curve(const struct picture *picture, const struct panel *panel, const struct mark *mark)
{
    const char *name = NULL;
    size_t curves = 0, named = 0;
    for (size_t i = 0; i < panel->mark_count; i++)
        curves += panel->marks[i].kind == MARK_LINE && panel->marks[i].ink == mark->ink;
    for (size_t i = 0; i < picture->legend_count; i++) {
        const struct legend *legend = &picture->legends[i];
        named += legend->kind == MARK_LINE;
        if (legend->kind == MARK_LINE && legend->ink == mark->ink)
            name = legend->text;
    }
    return mark->kind == MARK_LINE && mark->count && curves == 1 && named > 1 ? name : NULL;
}

static void keep_names(const struct picture *picture, const struct drawing *drawing)
{
    for (size_t i = 0; i < drawing->panel->mark_count; i++) {
        const struct mark *mark = &drawing->panel->marks[i];
        const char *name = name_of_curve(picture, drawing->panel, mark);
        double rows = (double)drawing->dots->rows,
               row = name ? place_of(drawing, mark->first + mark->count - 1).y : NAN;
        if (isnan(row))
            continue;
        struct buf *text = &drawing->texts[(size_t)fmin(fmax((1 - row) * rows, 0), rows - 1)];
        buf_text(text, text->length ? ", " : "");
        format_safe(name, text);
    }
}

/* --- axes --- */

static size_t names_width(const struct scale *scale)
{
    size_t width = 0;
    for (size_t i = 0; i < scale->name_count; i++) {
        size_t here = format_width(scale->names[i]);
        width = here > width ? here : width;
    }
    return width < NAME ? width : NAME;
}

static void add_padded(const struct look *look, const char *text, size_t width, bool right, struct buf *out)
{
    struct buf safe = {0}, shown = {0};
    format_safe(text, &safe);
    format_cut(look, buf_str(&safe), width, &shown);
    size_t columns = format_width(buf_str(&shown));
    for (size_t i = columns; right && i < width; i++)
        buf_text(out, " ");
    buf_text(out, buf_str(&shown));
    for (size_t i = columns; !right && i < width; i++)
        buf_text(out, " ");
    buf_fini(&safe);
    buf_fini(&shown);
}

/* The label that stands beside each row: of numbers those whose places are there. */
static const char *label_at(const struct panel *panel, const struct tick *ticks, size_t count, size_t row, size_t rows)
{
    if (panel->y.name_count)
        return row < panel->y.name_count ? panel->y.names[row] : "";
    for (size_t i = 0; i < count; i++) {
        double place = (1 - axis_place(&panel->y.axis, ticks[i].value)) * (double)rows;
        if ((size_t)fmin(fmax(place, 0), (double)rows - 1) == row)
            return ticks[i].label;
    }
    return "";
}

static void draw_labels_x(const struct panel *panel, size_t left, size_t columns, struct buf *out)
{
    struct tick ticks[16];
    char *line = MEM_ARRAY(char, columns + 32);
    memset(line, ' ', columns + 31);
    size_t count = panel->x.bare || panel->x.name_count ? 0 : scale_ticks(&panel->x, columns / 12 + 2, ticks), end = 0;
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(ticks[i].label);
        double middle = axis_place(&panel->x.axis, ticks[i].value) * (double)(columns - 1) - (double)length / 2 + 0.5;
        size_t at = (size_t)fmax(0, middle);
        if (at + length > columns + 8 || (i > 0 && at <= end))
            continue;
        memcpy(line + at, ticks[i].label, length);
        end = at + length;
    }
    line[end] = '\0';
    if (end)
        buf_format(out, "%*s%s\n", (int)left + 3, "", line);
    free(line);
}

/* Names along x share the columns. */
static void draw_names_x(const struct look *look, const struct panel *panel, size_t left, size_t columns,
                         struct buf *out)
{
    size_t room = panel->x.name_count ? columns / panel->x.name_count : 0;
    if (room < 2 || panel->x.bare)
        return;
    buf_format(out, "%*s", (int)left + 3, "");
    for (size_t i = 0; i < panel->x.name_count; i++) {
        add_padded(look, panel->x.names[i], room - 1, false, out);
        buf_text(out, " ");
    }
    buf_text(out, "\n");
}

/* --- panels --- */

static void draw_row(const struct drawing *drawing, size_t row, const char *label, size_t left, const struct look *look,
                     struct buf *out)
{
    add_padded(look, label, left, true, out);
    look_add(look, TINT_QUIET, look->unicode ? " │ " : " | ", out);
    dots_draw_row(drawing->dots, (uint32_t)row, look, out);
    if (drawing->texts && drawing->texts[row].length) {
        buf_text(out, " ");
        look_add(look, TINT_QUIET, buf_str(&drawing->texts[row]), out);
    }
    buf_text(out, "\n");
}

static size_t rows_of(const struct picture *picture, const struct panel *panel)
{
    if (panel->y.name_count)
        return panel->y.name_count < MOST_ROWS ? panel->y.name_count : MOST_ROWS;
    if (panel->height > 0 && panel->height < 100)
        return 4;
    return picture->panel_count > 1 ? ROWS_LOW : ROWS;
}

/* Columns that texts behind the dots need. */
static size_t texts_width(const struct picture *picture, const struct panel *panel, bool names)
{
    size_t width = 0;
    for (size_t i = 0; i < panel->mark_count && names; i++) {
        const char *name = name_of_curve(picture, panel, &panel->marks[i]);
        size_t here = name ? format_width(name) + 1 : 0;
        width = here > width ? here : width;
    }
    for (size_t i = 0; i < panel->mark_count; i++)
        if (panel->marks[i].kind == MARK_TEXT && panel->y.name_count) {
            size_t here = format_width(panel->marks[i].text) + 1;
            width = here > width ? here : width;
        }
    return width;
}

static void draw_grid(struct drawing *drawing, const struct tick *ticks, size_t count, size_t left,
                      const struct look *look, struct buf *out)
{
    for (size_t i = 0; i < drawing->panel->mark_count; i++) {
        draw_mark(drawing, &drawing->panel->marks[i]);
        if (drawing->texts && drawing->panel->marks[i].count)
            keep_text(drawing, &drawing->panel->marks[i]);
    }
    for (size_t row = 0; row < drawing->dots->rows; row++)
        draw_row(drawing, row, label_at(drawing->panel, ticks, count, row, drawing->dots->rows), left, look, out);
}

static void draw_panel(const struct picture *picture, const struct panel *panel, const struct look *look, size_t width,
                       struct buf *out)
{
    struct tick ticks[16];
    size_t rows = rows_of(picture, panel), behind = texts_width(picture, panel, !look->colour),
           left = names_width(&panel->y);
    size_t count = panel->y.bare || panel->y.name_count ? 0 : scale_ticks(&panel->y, rows / 3 + 2, ticks);
    for (size_t i = 0; i < count; i++)
        left = strlen(ticks[i].label) > left ? strlen(ticks[i].label) : left;
    size_t columns = width > left + 3 + behind + 12 ? width - left - 3 - behind : 12;
    struct dots dots;
    dots_init(&dots, (uint32_t)columns, (uint32_t)rows);
    struct drawing drawing = {.panel = panel, .dots = &dots, .texts = behind ? MEM_ARRAY(struct buf, rows) : NULL};
    if (behind && !look->colour)
        keep_names(picture, &drawing);
    if (panel->title || panel->y.label) {
        format_safe(panel->title ? panel->title : panel->y.label, out);
        buf_text(out, "\n");
    }
    draw_grid(&drawing, ticks, count, left, look, out);
    draw_labels_x(panel, left, columns, out);
    draw_names_x(look, panel, left, columns, out);
    if (panel->x.label) {
        buf_format(out, "%*s", (int)left + 3, "");
        format_safe(panel->x.label, out);
        buf_text(out, "\n");
    }
    for (size_t i = 0; i < rows && drawing.texts; i++)
        buf_fini(&drawing.texts[i]);
    free(drawing.texts);
    dots_fini(&dots);
}

/* --- the whole --- */

static void draw_legend(const struct picture *picture, const struct look *look, struct buf *out)
{
    for (size_t i = 0; i < picture->legend_count; i++) {
        struct buf text = {0};
        buf_text(out, i ? "   " : "");
        look_add(look, tint_of(picture->legends[i].ink), look->unicode ? "● " : "* ", out);
        format_safe(picture->legends[i].text, &text);
        buf_text(out, buf_str(&text));
        buf_fini(&text);
    }
    /* Without colours it would say nothing. */
    buf_text(out, picture->legend_count ? "\n" : "");
}

static void add_sentence(const char *text, struct buf *out)
{
    if (!text)
        return;
    format_safe(text, out);
    buf_text(out, "\n");
}

void terminal_picture(const struct picture *picture, const struct look *look, struct buf *out)
{
    size_t width = look->width ? look->width : USUAL_WIDTH;
    struct buf title = {0};
    format_safe(picture->title, &title);
    look_add(look, TINT_STRONG, buf_str(&title), out);
    buf_text(out, "\n");
    buf_fini(&title);
    for (size_t i = 0; i < picture->panel_count; i++)
        draw_panel(picture, picture->panels[i], look, width < LEAST_WIDTH ? LEAST_WIDTH : width, out);
    if (look->colour)
        draw_legend(picture, look, out);
    add_sentence(picture->sentence, out);
    add_sentence(picture->note, out);
}
