/* Axes that stand within a panel: parallel coordinates; see terminal_panel.h.
 *
 * Names are the texts whose middle is at their place, labels those that stay readable on marks: so cli/plot/parallel.c
 * makes them. */
#include "cli/plot/terminal_panel.h"

#include "cli/format.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>

enum { APART = 3, APART_NARROW = 6, NARROW = 12 }; /* rows between labels; columns of an axis that is narrow */

/* An axis with what is written at it. */
struct inner_axis {
    double x;
    size_t column, room;           /* where it stands, and columns up to the next one */
    const struct mark *name;       /* its texts: what it is, */
    const struct mark *low, *high; /* and the labels at its ends; NULL: it has none */
    uint64_t rows;                 /* that have a label already, a bit each */
    bool cut;                      /* there was no room for a label */
};

struct inner_axes {
    const struct panel *panel;
    struct dots *dots;
    struct inner_axis *items;
    size_t count;
    bool cut; /* there was no room for something */
};

static struct point place_of(const struct inner_axes *axes, const struct mark *mark)
{
    const struct point *point = &axes->panel->points[mark->first];
    return (struct point){scale_place(&axes->panel->x, point->x, false), scale_place(&axes->panel->y, point->y, true)};
}

static size_t row_of(const struct inner_axes *axes, const struct mark *mark)
{
    double rows = axes->dots->rows, row = (1 - place_of(axes, mark).y) * rows;
    return (size_t)fmin(fmax(row, 0), rows - 1);
}

static void find_axes(struct inner_axes *axes)
{
    axes->items = MEM_ARRAY(struct inner_axis, axes->panel->mark_count + 1);
    for (size_t i = 0; i < axes->panel->mark_count; i++) {
        const struct mark *mark = &axes->panel->marks[i];
        if (mark->kind != MARK_TEXT || mark->anchor != ANCHOR_MIDDLE)
            continue;
        double place = fmin(fmax(place_of(axes, mark).x, 0), 1) * (axes->dots->columns - 1);
        axes->items[axes->count++] =
            (struct inner_axis){.x = axes->panel->points[mark->first].x, .column = (size_t)lround(place), .name = mark};
    }
    for (size_t i = 0; i < axes->count; i++)
        axes->items[i].room =
            (i + 1 < axes->count ? axes->items[i + 1].column : axes->dots->columns) - axes->items[i].column;
}

/* --- labels --- */

static bool is_label(const struct inner_axes *axes, const struct inner_axis *axis, const struct mark *mark)
{
    return mark->kind == MARK_TEXT && mark->stays && axes->panel->points[mark->first].x == axis->x;
}

static void find_ends(const struct inner_axes *axes, struct inner_axis *axis)
{
    for (size_t i = 0; i < axes->panel->mark_count; i++) {
        const struct mark *mark = &axes->panel->marks[i];
        if (!is_label(axes, axis, mark))
            continue;
        double y = place_of(axes, mark).y;
        axis->low = !axis->low || y < place_of(axes, axis->low).y ? mark : axis->low;
        axis->high = !axis->high || y > place_of(axes, axis->high).y ? mark : axis->high;
    }
}

/* Whether no label stands within so many rows. */
static bool is_free(const struct inner_axis *axis, size_t row, size_t apart)
{
    for (size_t near = row < apart ? 0 : row - apart + 1; near < row + apart; near++)
        if (axis->rows >> (near < 63 ? near : 63) & 1)
            return false;
    return true;
}

static void write_label(struct inner_axes *axes, struct inner_axis *axis, const struct mark *mark, size_t apart)
{
    struct buf safe = {0};
    size_t row = row_of(axes, mark);
    format_safe(mark->text, &safe);
    if (format_width(buf_str(&safe)) + 1 > axis->room)
        axis->cut = axes->cut = true;
    else if (row < 63 && is_free(axis, row, apart)) {
        buf_text(&safe, format_width(buf_str(&safe)) + 2 > axis->room ? "" : " ");
        dots_letters(axes->dots, (uint32_t)axis->column + 1, (uint32_t)row, buf_str(&safe), TINT_QUIET);
        axis->rows |= (uint64_t)1 << row;
    }
    buf_fini(&safe);
}

/* Those at the ends first, then what has room between them. */
static void write_labels(struct inner_axes *axes, struct inner_axis *axis)
{
    size_t apart = axis->room < NARROW ? APART_NARROW : APART;
    find_ends(axes, axis);
    if (axis->low)
        write_label(axes, axis, axis->low, 1);
    if (axis->high && axis->high != axis->low)
        write_label(axes, axis, axis->high, 1);
    for (size_t i = 0; i < axes->panel->mark_count; i++)
        if (is_label(axes, axis, &axes->panel->marks[i]))
            write_label(axes, axis, &axes->panel->marks[i], apart);
}

/* --- names --- */

/* A name begins above its axis; that of the last one may begin earlier. `end`: of the one before. */
static size_t write_name(struct inner_axes *axes, const struct look *look, size_t at, size_t end)
{
    const struct inner_axis *axis = &axes->items[at];
    struct buf safe = {0}, shown = {0};
    bool last = at + 1 == axes->count;
    format_safe(axis->name->text, &safe);
    size_t width = format_width(buf_str(&safe)), begin = axis->column, room = axis->room - !last;
    if (last && width > room) {
        begin = axes->dots->columns > width + end ? axes->dots->columns - width : end;
        room = axes->dots->columns - begin;
    }
    axes->cut = axes->cut || width > room;
    format_cut_middle(look, buf_str(&safe), room, &shown);
    dots_letters(axes->dots, (uint32_t)begin, (uint32_t)row_of(axes, axis->name), buf_str(&shown), TINT_STRONG);
    end = begin + format_width(buf_str(&shown)) + 1;
    buf_fini(&safe);
    buf_fini(&shown);
    return end;
}

/* Other texts, as they are: where parameters are inactive. */
static void write_others(struct inner_axes *axes)
{
    for (size_t i = 0; i < axes->panel->mark_count; i++) {
        const struct mark *mark = &axes->panel->marks[i];
        if (mark->kind == MARK_TEXT && !mark->stays && mark->anchor != ANCHOR_MIDDLE)
            dots_letters(axes->dots, (uint32_t)lround(place_of(axes, mark).x * (axes->dots->columns - 1)) + 1,
                         (uint32_t)row_of(axes, mark), mark->text, TINT_QUIET);
    }
}

/* The labels of an axis that has no room for some. */
static void say_labels(const struct inner_axes *axes, const struct inner_axis *axis, struct buf *out)
{
    const char *before = " (from below: ";
    for (size_t i = 0; i < axes->panel->mark_count; i++) {
        const struct mark *mark = &axes->panel->marks[i];
        if (!is_label(axes, axis, mark))
            continue;
        buf_text(out, before);
        format_safe(mark->text, out);
        before = ", ";
    }
    buf_text(out, ")");
}

static void say_axes(const struct inner_axes *axes, size_t width, struct buf *out)
{
    struct buf text = {0};
    buf_text(&text, "The axes: ");
    for (size_t i = 0; i < axes->count; i++) {
        const struct inner_axis *axis = &axes->items[i];
        buf_text(&text, i ? ", " : "");
        format_safe(axis->name->text, &text);
        if (axis->cut)
            say_labels(axes, axis, &text);
    }
    buf_text(&text, ".");
    format_wrap(buf_str(&text), width, out);
    buf_fini(&text);
}

void terminal_inner_axes(const struct terminal_plot *plot, const struct panel *panel, struct dots *dots,
                         struct buf *out)
{
    struct inner_axes axes = {.panel = panel, .dots = dots};
    find_axes(&axes);
    for (size_t i = 0, end = 0; i < axes.count; i++) {
        write_labels(&axes, &axes.items[i]);
        end = write_name(&axes, plot->look, i, end);
    }
    write_others(&axes);
    if (axes.cut)
        say_axes(&axes, plot->width, out);
    free(axes.items);
}
