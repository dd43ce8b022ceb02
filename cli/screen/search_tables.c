/* Of the screen search the parts that are tables and sentences. */
#include "cli/screen/search.h"
#include "cli/format.h"
#include "cli/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { WIDE = 70 };

/* A table of which one row is chosen: which of them is seen first, in how many rows. */
static struct area begin_table(struct model *model, struct area area, uint64_t count, unsigned below)
{
    struct area rows = {area.row + 1, area.column, area.rows > below + 2 ? area.rows - below - 1 : 1, area.columns};
    place_follow(&model->view.places[SCREEN_SEARCH], count, rows.rows);
    return rows;
}

static void mark_chosen(const struct model *model, struct canvas *canvas, struct area rows, unsigned at)
{
    const struct place *place = &model->view.places[SCREEN_SEARCH];
    if (place->first + at == place->chosen)
        canvas_choose(canvas, rows, at);
}

/* --- importance --- */

/* Where the columns of the table are. */
struct columns {
    unsigned bar, bar_width, share, between, good;
};

static struct columns columns_of(struct area area)
{
    if (area.columns < WIDE)
        return (struct columns){12, 0, 13, 0, 20};
    unsigned bar = area.columns >= 100 ? 24 : 16;
    return (struct columns){20, bar, 20 + bar + 1, 20 + bar + 8, 20 + bar + 22};
}

static void draw_param(struct canvas *canvas, struct area area, unsigned at, const json_t *param, bool explained)
{
    struct columns columns = columns_of(area);
    struct area name = {area.row, area.column, area.rows, columns.bar - 1};
    struct buf good = {0};
    double share = 0, low, high;
    char text[32];
    const json_t *between = json_object_get(param, "combined_between");
    canvas_text(canvas, name, at, 0, TINT_NONE, json_text(param, "name"));
    if (explained && json_number(param, "combined", &share)) {
        canvas_bar(canvas, area, at, columns.bar, columns.bar_width, share, TINT_BUSY);
        snprintf(text, sizeof text, "%.0f %%", 100 * share);
        canvas_right(canvas, area, at, columns.share, 6, TINT_STRONG, text);
        low = 100 * json_number_value(json_array_get(between, 0));
        high = 100 * json_number_value(json_array_get(between, 1));
        if (columns.between)
            canvas_print(canvas, area, at, columns.between, TINT_QUIET, "%.0f to %.0f %%", low, high);
    }
    format_scalar(json_object_get(param, "low"), &good);
    if (!json_equal(json_object_get(param, "low"), json_object_get(param, "high"))) {
        buf_text(&good, " to ");
        format_scalar(json_object_get(param, "high"), &good);
    }
    canvas_text(canvas, area, at, columns.good, explained ? TINT_NONE : TINT_QUIET, buf_str(&good));
    buf_fini(&good);
}

void search_importance(struct model *model, struct canvas *canvas, struct area area)
{
    json_t *importance = search_get(model, "importance"), *params = search_params(model);
    const struct place *place = &model->view.places[SCREEN_SEARCH];
    struct columns columns = columns_of(area);
    bool explained = json_is_object(importance);
    struct area rows = begin_table(model, area, json_array_size(params), 4),
                foot = {rows.row + rows.rows, area.column, area.rows - rows.rows - 1, area.columns};
    canvas_text(canvas, area, 0, 0, TINT_NONE, "parameter");
    canvas_right(canvas, area, 0, columns.share, 6, TINT_NONE, "share");
    if (columns.between)
        canvas_text(canvas, area, 0, columns.between, TINT_NONE, "between");
    canvas_text(canvas, area, 0, columns.good, TINT_NONE, explained ? "good values" : "range");
    canvas_reverse(canvas, area, 0);
    for (unsigned i = 0; i < rows.rows && place->first + i < json_array_size(params); i++) {
        draw_param(canvas, rows, i, json_array_get(params, (size_t)place->first + i), explained);
        mark_chosen(model, canvas, rows, i);
    }
    const json_t *chosen = json_array_get(params, (size_t)place->chosen);
    unsigned used = 1;
    if (explained)
        used += canvas_wrap(canvas, foot, used, 0, TINT_NONE, json_text(chosen, "sentence"));
    if (explained && *json_text(importance, "caution"))
        canvas_wrap(canvas, foot, used, 0, TINT_WARN, json_text(importance, "caution"));
    else if (!explained)
        canvas_wrap(canvas, foot, used, 0, TINT_QUIET,
                    json_is_true(search_get(model, "explaining"))
                        ? "what matters is being worked out; below are the ranges of the parameters"
                        : "what matters is not known yet: too few trials have ended");
}

/* --- early stopping --- */

static void draw_number(struct canvas *canvas, struct area area, unsigned at, unsigned column, const json_t *number)
{
    char text[32];
    snprintf(text, sizeof text, "%" JSON_INTEGER_FORMAT, json_integer_value(number));
    canvas_right(canvas, area, at, column, 8, TINT_NONE, text);
}

static void draw_rung(struct canvas *canvas, struct area area, unsigned at, const json_t *rung)
{
    static const char *const members[] = {"step", "looks", "went_on", "stopped", "paused"};
    double best;
    char text[32];
    for (unsigned i = 0; i < sizeof members / sizeof *members; i++)
        draw_number(canvas, area, at, 8 * i, json_object_get(rung, members[i]));
    if (json_number(rung, "best", &best))
        canvas_print(canvas, area, at, 42, TINT_GOOD, "%s (trial %" JSON_INTEGER_FORMAT ")",
                     format_number(best, text, sizeof text), json_integer_value(json_object_get(rung, "best_trial")));
}

void search_rungs(struct model *model, struct canvas *canvas, struct area area)
{
    static const char *const titles[] = {"step", "looks", "went on", "stopped", "waiting"};
    json_t *rungs = search_get(model, "rungs");
    const struct place *place = &model->view.places[SCREEN_SEARCH];
    if (!json_array_size(rungs)) {
        canvas_wrap(canvas, area, 0, 0, TINT_QUIET,
                    "early stopping has looked at no trial: there is none (early_stop), or none has come so far");
        return;
    }
    struct area rows = begin_table(model, area, json_array_size(rungs), 4),
                foot = {rows.row + rows.rows, area.column, area.rows - rows.rows - 1, area.columns};
    for (unsigned i = 0; i < sizeof titles / sizeof *titles; i++)
        canvas_right(canvas, area, 0, 8 * i, 8, TINT_NONE, titles[i]);
    canvas_text(canvas, area, 0, 42, TINT_NONE, "best there");
    canvas_reverse(canvas, area, 0);
    for (unsigned i = 0; i < rows.rows && place->first + i < json_array_size(rungs); i++) {
        draw_rung(canvas, rows, i, json_array_get(rungs, (size_t)place->first + i));
        mark_chosen(model, canvas, rows, i);
    }
    const char *why = json_text(json_array_get(rungs, (size_t)place->chosen), "why");
    canvas_rule(canvas, foot, 0, "decided there last");
    canvas_wrap(canvas, foot, 1, 0, TINT_NONE, *why ? why : "no reason is recorded: all went on");
}

/* --- the strategy --- */

/* The chosen sentence is the first: where there is no room for all, one goes down. */
void search_strategy(struct model *model, struct canvas *canvas, struct area area)
{
    const json_t *sentences = search_get(model, "sentences");
    struct place *place = &model->view.places[SCREEN_SEARCH];
    unsigned row = 0;
    place_follow(place, json_array_size(sentences), 1);
    for (size_t i = (size_t)place->chosen; i < json_array_size(sentences) && row < area.rows; i++) {
        const char *text = json_string_value(json_array_get(sentences, i));
        row += canvas_wrap(canvas, area, row, 0, TINT_NONE, text ? text : "");
    }
}
