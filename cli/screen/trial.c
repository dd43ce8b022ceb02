/* A trial's own page: parts, of which one is shown, that scroll. */
#include "cli/screen/trial_parts.h"
#include "cli/screen/glyph.h"
#include "cli/json.h"
#include "cli/view/columns.h"
#include "common/mem.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Lines above those that scroll; of a part at most; and the row that stands for its end, whatever comes. */
enum { ABOVE = 2, LINES_MOST = 600 };
static const uint64_t the_end = UINT64_MAX / 2;

static const struct trial_part {
    const char *title;
    void (*draw)(struct trial_sheet *sheet);
    bool from_end; /* what came last is what one wants to see */
} parts[] = {
    {"Summary", trial_draw_summary, false},   {"Curve", trial_draw_curve, false},  {"Time", trial_draw_time, false},
    {"Attempts", trial_draw_attempts, false}, {"Output", trial_draw_output, true}, {"Files", trial_draw_files, false},
};
enum { PARTS = sizeof parts / sizeof *parts };

/* --- a sheet --- */

/* How many bytes fit into a row: behind a space, if there is one in its second half. All is shown as it is. */
static size_t fit_row(const char *text, unsigned columns)
{
    size_t length = 0, space = 0;
    unsigned width = 0;
    while (text[length]) {
        struct glyph glyph = glyph_read(text + length);
        if (length && width + glyph.columns > columns)
            return space ? space : length;
        width += glyph.columns;
        length += glyph.length;
        if (glyph.code == ' ' && width > columns / 2)
            space = length;
    }
    return length;
}

void sheet_line(struct trial_sheet *sheet, enum tint tint, const char *text)
{
    do {
        size_t length = fit_row(text, sheet->area.columns);
        char *part = mem_text_n(text, length);
        canvas_text(sheet->canvas, sheet->area, sheet->row, 0, tint, part);
        free(part);
        sheet->row += sheet->row < LINES_MOST;
        text += length;
    } while (*text);
}

void sheet_print(struct trial_sheet *sheet, enum tint tint, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    sheet_line(sheet, tint, text);
}

void sheet_heading(struct trial_sheet *sheet, const char *text)
{
    if (sheet->row)
        sheet->row += sheet->row < LINES_MOST;
    sheet_line(sheet, TINT_STRONG, text);
}

void sheet_text(struct trial_sheet *sheet, enum tint tint, const char *text)
{
    while (*text) {
        size_t length = strcspn(text, "\n");
        char *line = mem_text_n(text, length);
        sheet_line(sheet, tint, line);
        free(line);
        text += length + (text[length] == '\n');
    }
}

/* --- the page --- */

/* "Trial 12  failed  [Summary] Curve Time ...". */
static void draw_head(const struct trial_sheet *sheet, struct canvas *canvas, struct area area)
{
    const char *state = json_text(sheet->trial, "state");
    char text[64];
    unsigned at = canvas_print(canvas, area, 0, 0, TINT_STRONG, "Trial %" PRIu64, sheet->model->view.trial);
    at += 2 + canvas_text(canvas, area, 0, at + 2, tint_of_state(state), state);
    canvas_rule(canvas, area, 1, "");
    if (area.columns < 60)
        at = area.columns; /* the one that is shown, alone, in the rule */
    for (unsigned i = 0; i < PARTS; i++) {
        bool here = i == sheet->model->view.tab % PARTS;
        snprintf(text, sizeof text, here ? "[%s]" : " %s ", parts[i].title);
        if (at < area.columns)
            at += canvas_text(canvas, area, 0, at + 1, here ? TINT_STRONG : TINT_NONE, text);
        else if (here)
            canvas_print(canvas, area, 1, 1, TINT_STRONG, " %s (%u of %d, Tab) ", parts[i].title, i + 1, PARTS);
    }
    canvas_text(canvas, area, 0, at + 2, TINT_QUIET, "Tab");
}

/* Copies the lines from `first` on. */
static void copy_lines(const struct canvas *from, uint64_t first, struct canvas *to, struct area area)
{
    for (unsigned row = 0; row < area.rows && first + row < from->rows; row++)
        for (unsigned column = 0; column < area.columns && column < from->columns; column++)
            to->cells[(size_t)(area.row + row) * to->columns + area.column + column] =
                from->cells[(size_t)(first + row) * from->columns + column];
}

static void draw_part(struct trial_sheet *sheet, struct model *model, struct canvas *canvas, struct area area)
{
    struct list_place *place = &model->view.places[SCREEN_TRIAL];
    struct canvas lines;
    canvas_init(&lines, LINES_MOST, area.columns, &canvas->look);
    sheet->canvas = &lines;
    sheet->area = canvas_area(&lines);
    sheet->row = 0;
    parts[model->view.tab % PARTS].draw(sheet);
    uint64_t most = sheet->row > area.rows ? sheet->row - area.rows : 0;
    place->shown = area.rows;
    place->first = place->chosen < most ? place->chosen : most;
    if (place->chosen != the_end)
        place->chosen = place->first;
    copy_lines(&lines, place->first, canvas, area);
    canvas->cursor_row = area.row;
    canvas->cursor_column = area.column;
    canvas_fini(&lines);
}

static void draw_trial(struct model *model, struct canvas *canvas, struct area area)
{
    const struct section_value *section = &model->sections[SECTION_TRIAL];
    struct trial_sheet sheet = {.model = model,
                                .section = section->value,
                                .trial = json_object_get(section->value, "trial"),
                                .best = json_object_get(section->value, "best")};
    bool other = !section->value || section->wants.trial != model->view.trial;
    if (other && section->value) {
        canvas_print(canvas, area, 0, 0, TINT_QUIET, "reading trial %" PRIu64 " ...", model->view.trial);
    } else if (other) {
        section_absent(model, SECTION_TRIAL, canvas, area);
    } else {
        draw_head(&sheet, canvas, area);
        area.row += ABOVE;
        area.rows -= ABOVE;
        draw_part(&sheet, model, canvas, area);
    }
}

static void want_trial(const struct view *view, struct area area, struct wants *wants)
{
    (void)area;
    wants->sections |= 1u << SECTION_TRIAL;
    wants->trial = view->trial;
}

/* Lines that one may scroll by; drawing knows how many there are. */
static uint64_t count_lines(const struct model *model)
{
    (void)model;
    return LINES_MOST;
}

static void show_part(struct view *view, unsigned part)
{
    view->tab = part % PARTS;
    view->places[SCREEN_TRIAL].chosen = parts[view->tab].from_end ? the_end : 0;
}

static bool press_trial(struct model *model, enum screen_key key)
{
    uint64_t best = (uint64_t)json_integer_value(json_object_get(model_get(model, SECTION_TRIAL, "best"), "trial"));
    switch (key) {
    case PRESS_ENTER:
    case PRESS_NEXT:
        show_part(&model->view, model->view.tab + 1);
        return true;
    case PRESS_BEST:
        model->view.trial = best ? best : model->view.trial;
        return true;
    default:
        return false;
    }
}

static uint64_t trial_of(const struct model *model)
{
    return model->view.trial;
}

const struct screen_kind screen_trial = {
    .title = "Trial",
    .help =
        "One trial: its parameters beside the best's, its learning curve, where its time went, its attempts and how "
        "they ended, the end of what it wrote, its files, and the command that repeats it. Tab goes from part to "
        "part.",
    .want = want_trial,
    .rows = count_lines,
    .draw = draw_trial,
    .press = press_trial,
    .trial = trial_of,
    .page = true};
