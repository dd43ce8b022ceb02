/* The keys and what the screen shows, over the screen; see frame.h. */
#include "cli/screen/frame.h"
#include "cli/screen/glyph.h"

#include <stdio.h>
#include <string.h>

/* Words of a text in lines of at most the area's width; the row behind the last. */
static unsigned draw_lines(struct canvas *canvas, struct area area, unsigned row, const char *text)
{
    while (*text && row < area.rows) {
        unsigned width = 0;
        const char *end = text, *space = NULL;
        while (*end && width < area.columns) {
            struct glyph glyph = glyph_read(end);
            space = *end == ' ' ? end : space;
            width += glyph.columns;
            end += glyph.length;
        }
        if (*end && space)
            end = space;
        char line[512];
        snprintf(line, sizeof line, "%.*s", (int)(end - text), text);
        canvas_text(canvas, area, row++, 0, TINT_NONE, line);
        text = end + strspn(end, " ");
    }
    return row;
}

/* Whether a key has a meaning on this screen that one may use. */
static bool is_here(const struct key_row *row, enum key key, const struct view *view)
{
    char spelling[16];
    snprintf(spelling, sizeof spelling, "%.*s", (int)strcspn(row->spellings, " "), row->spellings);
    return key_of(spelling, view->screen) == key && !(row->changes && view->read_only);
}

void help_draw(const struct model *model, struct canvas *canvas, struct area area)
{
    enum { NAMES = 16, COLUMN = 58 };
    const struct screen_kind *kind = screen_kind(model->view.screen);
    unsigned row = draw_lines(canvas, area, 0, kind->help) + 1, first = row;
    unsigned column = 0, columns = area.columns / COLUMN ? area.columns / COLUMN : 1, width = area.columns / columns;
    for (enum key key = PRESS_NONE + 1; key < PRESS_COUNT && column < columns; key++) {
        const struct key_row *known = key_row(key);
        if (!is_here(known, key, &model->view))
            continue;
        struct area part = {area.row, area.column + column * width, area.rows, width - (columns > 1)};
        canvas_text(canvas, part, row, 0, TINT_STRONG, known->spellings);
        canvas_text(canvas, part, row, NAMES, TINT_NONE, known->help);
        if (++row >= area.rows) {
            row = first;
            column++;
        }
    }
}
