/* Pictures; see picture.h. */
#include "cli/plot/picture.h"

#include "common/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void picture_init(struct picture *picture)
{
    *picture = (struct picture){.columns = 1, .numbers = json_null()};
}

static void fini_scale(struct scale *scale)
{
    for (size_t i = 0; i < scale->name_count; i++)
        free(scale->names[i]);
    free(scale->names);
    free(scale->label);
}

static void destroy_panel(struct panel *panel)
{
    for (size_t i = 0; i < panel->mark_count; i++)
        free(panel->marks[i].text);
    fini_scale(&panel->x);
    fini_scale(&panel->y);
    free(panel->marks);
    free(panel->points);
    free(panel->title);
    free(panel);
}

void picture_fini(struct picture *picture)
{
    for (size_t i = 0; i < picture->panel_count; i++)
        destroy_panel(picture->panels[i]);
    for (size_t i = 0; i < picture->legend_count; i++)
        free(picture->legends[i].text);
    free(picture->panels);
    free(picture->legends);
    free(picture->title);
    free(picture->sentence);
    free(picture->note);
    json_decref(picture->numbers);
    *picture = (struct picture){0};
}

#define SET_TEXT(member)                                                                                               \
    va_list args;                                                                                                      \
    va_start(args, format);                                                                                            \
    free(picture->member);                                                                                             \
    picture->member = mem_vformat(format, args);                                                                       \
    va_end(args)

void picture_title(struct picture *picture, const char *format, ...)
{
    SET_TEXT(title);
}

void picture_say(struct picture *picture, const char *format, ...)
{
    SET_TEXT(sentence);
}

void picture_note(struct picture *picture, const char *format, ...)
{
    SET_TEXT(note);
}

void picture_note_more(struct picture *picture, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *more = mem_vformat(format, args), *before = picture->note;
    va_end(args);
    picture->note = before ? mem_format("%s %s", before, more) : mem_text(more);
    free(before);
    free(more);
}

void picture_legend(struct picture *picture, enum ink ink, enum mark_kind kind, const char *text)
{
    MEM_GROW(picture->legends, picture->legend_capacity, picture->legend_count + 1);
    picture->legends[picture->legend_count++] = (struct legend){.ink = ink, .kind = kind, .text = mem_text(text)};
}

void picture_legend_ring(struct picture *picture, enum ink ink, const char *text)
{
    picture_legend(picture, ink, MARK_DOT, text);
    picture->legends[picture->legend_count - 1].hollow = true;
}

struct panel *picture_panel(struct picture *picture, const char *title)
{
    struct panel *panel = MEM_NEW(struct panel);
    panel->title = mem_text(title);
    panel->x.axis = panel->y.axis = (struct axis){0, 1, AXIS_LINEAR};
    MEM_GROW(picture->panels, picture->panel_capacity, picture->panel_count + 1);
    picture->panels[picture->panel_count++] = panel;
    return panel;
}

struct panel *picture_panel_above(struct picture *picture)
{
    struct panel *panel = picture_panel(picture, NULL);
    memmove(picture->panels + 1, picture->panels, (picture->panel_count - 1) * sizeof *picture->panels);
    picture->panels[0] = panel;
    return panel;
}

void scale_set(struct scale *scale, struct axis axis, const char *label)
{
    scale->axis = axis;
    free(scale->label);
    scale->label = mem_text(label);
}

size_t scale_ticks(const struct scale *scale, size_t most, struct tick *out)
{
    return (scale->whole ? axis_whole_ticks : axis_ticks)(&scale->axis, most, out);
}

void scale_name(struct scale *scale, const char *name)
{
    scale->names = mem_resize(scale->names, scale->name_count + 1, sizeof *scale->names);
    scale->names[scale->name_count++] = mem_text(name);
    scale->axis = (struct axis){0, (double)scale->name_count, AXIS_LINEAR};
}

double scale_place(const struct scale *scale, double value, bool upwards)
{
    double place = axis_place(&scale->axis, value);
    return upwards && scale->name_count ? 1 - place : place;
}

static struct mark *add_mark(struct panel *panel, enum mark_kind kind, enum ink ink, float width)
{
    MEM_GROW(panel->marks, panel->mark_capacity, panel->mark_count + 1);
    struct mark *mark = &panel->marks[panel->mark_count++];
    *mark = (struct mark){.kind = kind, .ink = ink, .width = width, .opacity = 1, .first = panel->point_count};
    return mark;
}

void panel_to(struct panel *panel, double x, double y)
{
    MEM_GROW(panel->points, panel->point_capacity, panel->point_count + 1);
    panel->points[panel->point_count++] = (struct point){x, y};
    panel->marks[panel->mark_count - 1].count++;
}

struct mark *panel_line(struct panel *panel, enum ink ink)
{
    return add_mark(panel, MARK_LINE, ink, 1.5f);
}

struct mark *panel_rule(struct panel *panel, enum ink ink, double x0, double y0, double x1, double y1)
{
    struct mark *mark = add_mark(panel, MARK_LINE, ink, 1);
    panel_to(panel, x0, y0);
    panel_to(panel, x1, y1);
    return mark;
}

struct mark *panel_dot(struct panel *panel, enum ink ink, double x, double y)
{
    struct mark *mark = add_mark(panel, MARK_DOT, ink, 2.5f);
    panel_to(panel, x, y);
    return mark;
}

struct mark *panel_box(struct panel *panel, enum ink ink, double x0, double y0, double x1, double y1)
{
    struct mark *mark = add_mark(panel, MARK_BOX, ink, 1);
    panel_to(panel, x0, y0);
    panel_to(panel, x1, y1);
    return mark;
}

struct mark *panel_text(struct panel *panel, enum ink ink, double x, double y, const char *text)
{
    struct mark *mark = add_mark(panel, MARK_TEXT, ink, 0);
    mark->text = mem_text(text);
    panel_to(panel, x, y);
    return mark;
}

static const struct {
    const char *class;
    uint32_t light, dark;
} inks[] = {
#define INK(id, class, light, dark, tint, sign) {class, light, dark},
#include "cli/plot/ink_list.h"
#undef INK
};

const char *ink_class(enum ink ink)
{
    return inks[ink].class;
}

uint32_t ink_colour(enum ink ink, bool dark)
{
    return dark ? inks[ink].dark : inks[ink].light;
}
