/* The best trials and those that run; see overview_parts.h. */
#include "cli/screen/overview_parts.h"
#include "cli/format.h"
#include "cli/json.h"
#include "cli/view/span_class.h"
#include "common/units.h"

#include <stdio.h>
#include <string.h>

/* The columns from the left; parameters have what remains. */
enum { TRIAL = 6, STATE = 2, STEP = 6, VALUE = 11, TIME = 8, NODE = 12, PARAMETER = 11, WITH_NODE = 100 };

struct top_table {
    const struct model *model;
    struct canvas *canvas;
    struct area area;
    unsigned at;
};

static json_t *best_of(const struct model *model)
{
    return model_get(model, SECTION_TOP, "best");
}

static json_t *running_of(const struct model *model)
{
    return model_get(model, SECTION_TOP, "running");
}

/* Whether one of the best stands among those that run, or would if all of these were listed. */
static bool is_running(const struct model *model, const json_t *trial)
{
    json_t *one;
    size_t index;
    bool runs = strcmp(json_text(trial, "state"), "running") == 0;
    json_array_foreach(running_of(model), index, one)
    {
        if (runs || json_equal(json_object_get(one, "trial"), json_object_get(trial, "trial")))
            return true;
    }
    return false;
}

/* Those that run come first: there is a row for a slot of few. NULL: there are fewer rows; *count: how many. */
static json_t *find_row(const struct model *model, uint64_t row, uint64_t *count)
{
    json_t *trial, *found = json_array_get(running_of(model), row);
    size_t index;
    *count = json_array_size(running_of(model));
    json_array_foreach(best_of(model), index, trial)
    {
        if (is_running(model, trial))
            continue;
        found = *count == row ? trial : found;
        ++*count;
    }
    return found;
}

uint64_t top_rows(const struct model *model)
{
    uint64_t count;
    find_row(model, 0, &count);
    return count;
}

static json_t *row_at(const struct model *model, uint64_t row)
{
    uint64_t count;
    return find_row(model, row, &count);
}

uint64_t top_trial(const struct model *model)
{
    json_t *trial = row_at(model, model->view.places[SCREEN_OVERVIEW].chosen);
    json_int_t number = json_integer_value(json_object_get(trial, "trial"));
    return number > 0 ? (uint64_t)number : 0;
}

static void put_right(struct top_table *table, unsigned row, unsigned width, enum tint tint, const char *text)
{
    canvas_right(table->canvas, table->area, row, table->at, width, tint, text);
    table->at += width + 1;
}

static void put_left(struct top_table *table, unsigned row, unsigned width, enum tint tint, const char *text)
{
    struct area cell = table->area;
    cell.columns = table->at + width < cell.columns ? table->at + width : cell.columns;
    canvas_text(table->canvas, cell, row, table->at, tint, text);
    table->at += width + 1;
}

static void draw_heading(struct top_table *table)
{
    const char *metric = json_text(model_get(table->model, SECTION_OVERVIEW, "status"), "metric");
    json_t *name;
    size_t index;
    put_right(table, 0, TRIAL, TINT_STRONG, "trial");
    put_left(table, 0, STATE, TINT_STRONG, "");
    put_right(table, 0, STEP, TINT_STRONG, "step");
    put_right(table, 0, VALUE, TINT_STRONG, metric);
    put_right(table, 0, TIME, TINT_STRONG, "time");
    if (table->area.columns >= WITH_NODE)
        put_left(table, 0, NODE, TINT_STRONG, "node");
    json_array_foreach(model_get(table->model, SECTION_TOP, "names"), index, name)
    {
        if (table->at + PARAMETER <= table->area.columns)
            put_right(table, 0, PARAMETER, TINT_STRONG, json_is_string(name) ? json_string_value(name) : "?");
    }
    canvas_reverse(table->canvas, table->area, 0);
}

/* A letter beside the colour: never colour alone. */
static void put_state(struct top_table *table, unsigned row, const json_t *trial)
{
    const char letter[] = {span_letter_of_state(json_text(trial, "state")), '\0'};
    put_left(table, row, STATE, span_tint(*letter), letter);
}

static void put_scalar(struct top_table *table, unsigned row, unsigned width, enum tint tint, const json_t *value)
{
    struct buf text = {0};
    format_scalar(value, &text);
    put_right(table, row, width, tint, buf_str(&text));
    buf_fini(&text);
}

static void draw_trial(struct top_table *table, unsigned row, const json_t *trial)
{
    bool best = json_equal(json_object_get(trial, "trial"),
                           json_object_get(model_get(table->model, SECTION_OVERVIEW, "status"), "best_trial"));
    char text[32] = "-";
    double seconds;
    json_t *name;
    size_t index;
    table->at = 0;
    put_scalar(table, row, TRIAL, best ? TINT_STRONG : TINT_NONE, json_object_get(trial, "trial"));
    put_state(table, row, trial);
    put_scalar(table, row, STEP, TINT_NONE, json_object_get(trial, "step"));
    put_scalar(table, row, VALUE, best ? TINT_STRONG : TINT_NONE, json_object_get(trial, "value"));
    if (json_number(trial, "seconds", &seconds))
        units_show_duration(seconds, text, sizeof text);
    put_right(table, row, TIME, TINT_NONE, text);
    if (table->area.columns >= WITH_NODE)
        put_left(table, row, NODE, TINT_NONE, json_text(trial, "node"));
    json_array_foreach(model_get(table->model, SECTION_TOP, "names"), index, name)
    {
        json_t *value = json_object_get(json_object_get(trial, "params"), json_string_value(name));
        if (table->at + PARAMETER <= table->area.columns)
            put_scalar(table, row, PARAMETER, TINT_NONE, value);
    }
}

void top_draw(struct model *model, struct canvas *canvas, struct area area)
{
    struct list_place *place = &model->view.places[SCREEN_OVERVIEW];
    struct top_table table = {.model = model, .canvas = canvas, .area = area};
    if (area.rows < 2)
        return;
    if (!model->sections[SECTION_TOP].value) {
        section_absent(model, SECTION_TOP, canvas, area);
        return;
    }
    place_follow(place, top_rows(model), area.rows - 1);
    draw_heading(&table);
    for (unsigned row = 1; row < area.rows; row++) {
        json_t *trial = row_at(model, place->first + row - 1);
        if (!trial)
            break;
        draw_trial(&table, row, trial);
        if (place->first + row - 1 == place->chosen)
            canvas_choose(canvas, area, row);
    }
}
