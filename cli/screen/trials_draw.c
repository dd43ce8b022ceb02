/* The table of the screen trials, drawn; see trials_parts.h. */
#include "cli/screen/trials_parts.h"
#include "cli/screen/glyph.h"
#include "cli/format.h"
#include "cli/json.h"
#include "cli/view/span_class.h"
#include "common/endings.h"
#include "common/json.h"
#include "common/mem.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDEST = 24, GAP = 2, NARROW = 60, WIDE = 100, TREND = 12 };

/* --- cells --- */

/* One column as it is drawn. */
struct drawn_column {
    struct trial_column column;
    const char *title;
    unsigned at, width;
    bool right;
};

struct trials_frame {
    struct model *model;
    struct canvas *canvas;
    struct area area;
    struct list_place *place;
    struct drawn_column columns[TITLES_MOST];
    size_t count, all; /* how many are drawn, and how many there are */
    bool wide;
    uint64_t best;
};

/* "R running": a letter, so that no colour is needed. What a person ignores is a state like any other, and counts no
 * more: "C ignored", or "C-" where there is no room for words. */
static void show_state(const json_t *trial, bool word, struct buf *out)
{
    const char *state = json_text(trial, "state");
    bool ignored = json_is_true(json_object_get(trial, "ignored"));
    if (word)
        buf_format(out, "%c %s", span_letter_of_state(state), ignored ? "ignored" : state);
    else
        buf_format(out, "%c%s", span_letter_of_state(state), ignored ? "-" : "");
}

/* What it came to; of one that failed why. */
static void show_value(const json_t *trial, struct buf *out)
{
    const json_t *value = json_object_get(trial, "value");
    int state = trial_state_named(json_text(trial, "state"));
    bool failed = state == TRIAL_FAILED || state == TRIAL_CANCELLED;
    if (failed && (!value || json_is_null(value)))
        format_safe(json_text(trial, "reason"), out);
    else
        format_scalar(value, out);
}

/* A small curve; a number stands beside it. */
static void show_trend(const json_t *trial, const struct look *look, struct buf *out)
{
    const json_t *trend = json_object_get(trial, "trend"), *value;
    double *numbers = MEM_ARRAY(double, json_array_size(trend) + 1);
    size_t index;
    json_array_foreach((json_t *)trend, index, value)
    {
        numbers[index] = NAN;
        json_to_real(value, &numbers[index]);
    }
    size_t count = json_array_size(trend);
    if (count > 1)
        chart_line(look, numbers, count, count < TREND ? count : TREND, out);
    free(numbers);
}

static void show_cell(const struct trials_frame *page, const struct trial_column *column, const json_t *trial,
                      struct buf *out)
{
    bool member = column->kind == COLUMN_MEMBER;
    if (member && strcmp(column->name, "state") == 0)
        show_state(trial, page->wide, out);
    else if (member && strcmp(column->name, "value") == 0)
        show_value(trial, out);
    else if (member && strcmp(column->name, "trend") == 0)
        show_trend(trial, &page->canvas->look, out);
    else
        column_show(column, trial, out);
}

static enum tint tint_of_cell(const struct trial_column *column, const json_t *trial, uint64_t best)
{
    if (column->kind != COLUMN_MEMBER)
        return TINT_NONE;
    if (strcmp(column->name, "state") == 0)
        return tint_of_state(json_text(trial, "state"));
    bool value = strcmp(column->name, "value") == 0;
    bool is_best = best && (uint64_t)json_integer_value(json_object_get(trial, "trial")) == best;
    if (value && is_best)
        return TINT_GOOD;
    return value && json_is_null(json_object_get(trial, "value")) ? TINT_QUIET : TINT_NONE;
}

/* --- drawing --- */

/* Short: "lr" for "param.lr", the objective's name for "value". */
static void show_title(const struct trials_frame *page, const struct drawn_column *drawn, char *out, size_t size)
{
    const struct view *view = &page->model->view;
    bool value = strcmp(drawn->title, "value") == 0;
    const char *metric = json_text(page->model->sections[SECTION_TRIALS].value, "metric");
    const char *name = value && *metric                       ? metric
                       : strcmp(drawn->title, "seconds") == 0 ? "elapsed"
                       : drawn->column.kind == COLUMN_PARAM   ? drawn->column.name
                                                              : drawn->title;
    bool maximize = strcmp(json_text(page->model->sections[SECTION_TRIALS].value, "goal"), "maximize") == 0;
    bool falls = view->reverse != (value && maximize), ascii = !page->canvas->look.unicode;
    const char *arrow = falls ? ascii ? " v" : "↓" : ascii ? " ^" : "↑";
    snprintf(out, size, "%s%s", name, title_is_order(view, drawn->title) ? arrow : "");
}

static json_t *shown_trial(const struct trials_frame *page, unsigned row)
{
    return trials_row(page->model, page->place->first + row);
}

static void measure_column(const struct trials_frame *page, struct drawn_column *drawn)
{
    char title[128];
    struct buf text = {0};
    bool numbers = true;
    show_title(page, drawn, title, sizeof title);
    drawn->width = glyph_width(title);
    for (unsigned row = 0; row + TRIALS_ABOVE < page->area.rows; row++) {
        json_t *trial = shown_trial(page, row);
        const json_t *value = trial ? column_value(&drawn->column, trial) : NULL;
        if (!trial)
            continue;
        show_cell(page, &drawn->column, trial, &text);
        unsigned width = glyph_width(buf_str(&text));
        drawn->width = width > drawn->width ? width : drawn->width;
        numbers = numbers && (!value || json_is_null(value) || json_is_number(value));
        buf_clear(&text);
    }
    buf_fini(&text);
    drawn->right = numbers;
    drawn->width = drawn->width > WIDEST ? WIDEST : drawn->width;
}

/* Nobody chose the columns: some are there while something runs, or where there is room. */
static bool is_useful(const struct trials_frame *page, const char *title, bool any_runs)
{
    if (strcmp(title, "left") == 0 || strcmp(title, "step") == 0)
        return any_runs;
    return strcmp(title, "trend") != 0 || page->area.columns >= WIDE;
}

/* As many columns as there is room for. */
static void place_columns(struct trials_frame *page, const struct titles *titles, bool any_runs)
{
    unsigned at = 0;
    for (size_t i = 0; i < titles->count; i++) {
        struct drawn_column drawn = {.column = title_column(titles->items[i]), .title = titles->items[i], .at = at};
        if (!*page->model->view.columns && !is_useful(page, drawn.title, any_runs))
            continue;
        page->all++;
        measure_column(page, &drawn);
        if (at + drawn.width > page->area.columns && page->count)
            continue;
        if (page->count + 1 == page->all) {
            page->columns[page->count++] = drawn;
            at += drawn.width + GAP;
        }
    }
}

static bool find_running(const struct model *model)
{
    size_t index;
    const json_t *trial;
    json_array_foreach(model_get(model, SECTION_TRIALS, "rows"), index, trial)
    {
        if (strcmp(json_text(trial, "state"), "running") == 0)
            return true;
    }
    return false;
}

static void draw_head(const struct trials_frame *page)
{
    unsigned row = TRIALS_ABOVE - 1;
    char title[128];
    for (size_t i = 0; i < page->count; i++) {
        const struct drawn_column *drawn = &page->columns[i];
        show_title(page, drawn, title, sizeof title);
        if (drawn->right)
            canvas_right(page->canvas, page->area, row, drawn->at, drawn->width, TINT_STRONG, title);
        else
            canvas_text(page->canvas, page->area, row, drawn->at, TINT_STRONG, title);
    }
    canvas_reverse(page->canvas, page->area, row);
}

static void draw_row(const struct trials_frame *page, unsigned row, const json_t *trial)
{
    struct buf text = {0}, cut = {0};
    for (size_t i = 0; i < page->count; i++) {
        const struct drawn_column *drawn = &page->columns[i];
        struct area cell = page->area;
        enum tint tint = tint_of_cell(&drawn->column, trial, page->best);
        show_cell(page, &drawn->column, trial, &text);
        if (cell.columns > drawn->at + drawn->width)
            cell.columns = drawn->at + drawn->width;
        if (drawn->right)
            canvas_right(page->canvas, cell, row, drawn->at, drawn->width, tint, buf_str(&text));
        else
            canvas_text(page->canvas, cell, row, drawn->at, tint, buf_str(&text));
        buf_clear(&text);
    }
    buf_fini(&text);
    buf_fini(&cut);
}

/* Whether what has come answers another filter or order than what is asked for now. */
static bool is_behind(const struct model *model)
{
    const struct wants *read = &model->sections[SECTION_TRIALS].wants;
    const struct view *view = &model->view;
    return strcmp(read->trials.filter, view->filter) != 0 || strcmp(read->trials.order, view->order) != 0 ||
           read->trials.reverse != view->reverse;
}

/* What is wrong with the filter or the order; "": nothing, as far as is known. */
static const char *find_mistake(const struct model *model)
{
    return is_behind(model) ? "" : json_text(model->sections[SECTION_TRIALS].value, "mistake");
}

/* "1,234" would be a text of its own in each country: numbers stay as they are. */
static void draw_summary(const struct trials_frame *page)
{
    const struct model *model = page->model;
    const json_t *section = model->sections[SECTION_TRIALS].value;
    const char *filter = model->view.filter;
    json_int_t total = json_integer_value(json_object_get(section, "total")),
               looked = json_integer_value(json_object_get(section, "looked_at"));
    unsigned at = 0;
    if (*filter && !*find_mistake(model))
        at = canvas_print(page->canvas, page->area, 0, 0, TINT_STRONG, "%" PRIu64 " of %" JSON_INTEGER_FORMAT,
                          trials_count(model), total);
    else
        at = canvas_print(page->canvas, page->area, 0, 0, TINT_STRONG, "%" JSON_INTEGER_FORMAT " trials", total);
    if (is_behind(model))
        at += canvas_text(page->canvas, page->area, 0, at, TINT_WARN, ", looking ...");
    else if (json_is_true(json_object_get(section, "looking")))
        at += canvas_print(page->canvas, page->area, 0, at, TINT_WARN,
                           ", looked at %" JSON_INTEGER_FORMAT " of %" JSON_INTEGER_FORMAT " so far", looked, total);
    if (page->count < page->all)
        at += canvas_print(page->canvas, page->area, 0, at, TINT_QUIET, ", %zu column%s more (c)",
                           page->all - page->count, page->all - page->count == 1 ? "" : "s");
    if (*filter)
        canvas_print(page->canvas, page->area, 0, at, TINT_NONE, "  filter: %s", filter);
}

/* In place of rows: a mistake stands whole, since its end says what to write instead. */
static void draw_nothing(const struct trials_frame *page)
{
    const struct model *model = page->model;
    if (*find_mistake(model))
        canvas_wrap(page->canvas, page->area, TRIALS_ABOVE, 0, TINT_BAD, find_mistake(model));
    else if (*model->view.filter && !is_behind(model))
        canvas_text(page->canvas, page->area, TRIALS_ABOVE, 0, TINT_QUIET, "none (/ changes the filter)");
}

static void draw_rows(const struct trials_frame *page)
{
    for (unsigned row = 0; row < page->place->shown && page->place->first + row < trials_count(page->model); row++) {
        json_t *trial = shown_trial(page, row);
        if (trial)
            draw_row(page, row + TRIALS_ABOVE, trial);
        else
            canvas_text(page->canvas, page->area, row + TRIALS_ABOVE, 0, TINT_QUIET, "...");
    }
    if (trials_count(page->model))
        canvas_choose(page->canvas, page->area, (unsigned)(page->place->chosen - page->place->first) + TRIALS_ABOVE);
    else
        draw_nothing(page);
}

void trials_draw(struct model *model, struct canvas *canvas, struct area area)
{
    struct titles titles;
    struct trials_frame page = {.model = model, .canvas = canvas, .area = area, .wide = area.columns >= NARROW};
    if (!model->sections[SECTION_TRIALS].value) {
        section_absent(model, SECTION_TRIALS, canvas, area);
        return;
    }
    page.place = &model->view.places[SCREEN_TRIALS];
    page.best =
        (uint64_t)json_integer_value(json_object_get(model_get(model, SECTION_OVERVIEW, "status"), "best_trial"));
    place_follow(page.place, trials_count(model), area.rows - TRIALS_ABOVE);
    titles_find(model, &titles);
    place_columns(&page, &titles, find_running(model));
    draw_head(&page);
    draw_summary(&page);
    draw_rows(&page);
    titles_fini(&titles);
}
