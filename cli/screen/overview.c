/* The screen overview: is it going well, what is best, what is stuck, when will it end. */
#include "cli/screen/overview_parts.h"

enum { WIDE = 110, TALL = 17, CURVE_ROWS = 5 };

static void want(const struct view *view, struct area area, struct wants *wants)
{
    (void)view;
    (void)area;
    wants->sections |= 1u << SECTION_OVERVIEW | 1u << SECTION_TOP | 1u << SECTION_ATTENTION | 1u << SECTION_HISTORY;
}

static struct area part(struct area area, unsigned row, unsigned rows, unsigned column, unsigned columns)
{
    return (struct area){.row = area.row + row, .rows = rows, .column = area.column + column, .columns = columns};
}

/* What needs attention stands beside the curve where there is room, else between it and the trials. */
static unsigned draw_middle(const struct model *model, struct canvas *canvas, struct area area, unsigned row)
{
    unsigned left = area.rows - row, columns = area.columns, rows = CURVE_ROWS;
    if (area.rows >= TALL + 20)
        rows = area.rows / 4;
    if (area.rows < TALL || left < CURVE_ROWS + 4)
        return row + attention_draw(model, canvas, part(area, row, left > 6 ? 2 : left > 3 ? 1 : 0, 0, columns));
    if (columns >= WIDE) {
        unsigned half = columns * 6 / 10;
        history_draw(model, canvas, part(area, row, rows, 0, half));
        attention_draw(model, canvas, part(area, row, rows, half + 2, columns - half - 2));
        return row + rows;
    }
    unsigned most = left - rows > 9 ? left - rows - 5 : 2; /* with a few of the trials below it */
    history_draw(model, canvas, part(area, row, rows, 0, columns));
    return row + rows + attention_draw(model, canvas, part(area, row + rows, most, 0, columns));
}

static void draw(struct model *model, struct canvas *canvas, struct area area)
{
    if (!model->sections[SECTION_OVERVIEW].value) {
        section_absent(model, SECTION_OVERVIEW, canvas, area);
        return;
    }
    unsigned row = head_draw(model, canvas, area);
    row = draw_middle(model, canvas, area, row);
    if (row < area.rows)
        top_draw(model, canvas, part(area, row, area.rows - row, 0, area.columns));
}

static bool press(struct model *model, enum screen_key key)
{
    if (key == PRESS_ENTER)
        view_open_trial(&model->view, top_trial(model));
    return key == PRESS_ENTER;
}

const struct screen_kind screen_overview = {
    .title = "Overview",
    .help = "How the search stands: trials by state, the best one, the best value so far over the trials that ended, "
            "slots and jobs, what needs attention, and the best trials with those that run.",
    .want = want,
    .rows = top_rows,
    .draw = draw,
    .press = press,
    .trial = top_trial};
