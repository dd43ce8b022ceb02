/* The screen search: which parameters matter, one of them against the metric, what is best of several objectives, early
 * stopping, and what the strategy does. Tab leads from one to the next. */
#include "cli/screen/search.h"
#include "cli/json.h"

#include <stdio.h>
#include <string.h>

enum { HEAD = 2 };

static const struct search_tab {
    const char *title;
    void (*draw)(struct model *model, struct canvas *canvas, struct area area);
    const char *rows; /* the member that has a row for each one may choose among; NULL: none */
} tabs[] = {
    {"Importance", search_importance, "importance"},
    {"Parameter", search_scatter, NULL},
    {"Front", search_front, "front"},
    {"Early stopping", search_rungs, "rungs"},
    {"Strategy", search_strategy, "sentences"},
};

enum { TABS = sizeof tabs / sizeof *tabs };

static const struct search_tab *tab_of(const struct view *view)
{
    return &tabs[view->tab % TABS];
}

json_t *search_get(const struct model *model, const char *member)
{
    return model_get(model, SECTION_SEARCH, member);
}

json_t *search_params(const struct model *model)
{
    const json_t *importance = search_get(model, "importance");
    json_t *list = json_object_get(importance, "parameters");
    bool explained = json_integer_value(json_object_get(importance, "trials")) > 0;
    return explained && json_array_size(list) ? list : search_get(model, "parameters");
}

static void want_search(const struct view *view, struct area area, struct wants *wants)
{
    (void)area;
    wants->sections |= 1u << SECTION_SEARCH;
    snprintf(wants->parameter, sizeof wants->parameter, "%s", view->parameter);
}

static uint64_t count_rows(const struct model *model)
{
    const char *member = tab_of(&model->view)->rows;
    if (!member)
        return 0;
    return json_array_size(strcmp(member, "importance") == 0 ? search_params(model) : search_get(model, member));
}

static void draw_tabs(const struct model *model, struct canvas *canvas, struct area area)
{
    unsigned at = 0;
    for (unsigned i = 0; i < TABS; i++) {
        bool here = i == model->view.tab % TABS;
        char text[40];
        snprintf(text, sizeof text, area.columns < 60 ? "%.6s" : " %s ", tabs[i].title);
        unsigned width = canvas_text(canvas, area, 0, at, here ? TINT_STRONG : TINT_QUIET, text);
        if (here && width)
            canvas_reverse(canvas, (struct area){area.row, area.column + at, area.rows, width}, 0);
        at += width + 1;
    }
    canvas_text(canvas, area, 0, at + 1, TINT_QUIET, "Tab");
}

static void draw_search(struct model *model, struct canvas *canvas, struct area area)
{
    struct area below = {area.row + HEAD, area.column, area.rows - HEAD, area.columns};
    draw_tabs(model, canvas, area);
    if (!model->sections[SECTION_SEARCH].value)
        section_absent(model, SECTION_SEARCH, canvas, below);
    else
        tab_of(&model->view)->draw(model, canvas, below);
}

/* --- keys --- */

static void choose_param(struct view *view, const json_t *param)
{
    snprintf(view->parameter, sizeof view->parameter, "%s", json_text(param, "name"));
}

/* The parameter before or behind the one that is drawn, in the order of importance; behind the last the first. */
static void move_param(struct model *model, bool right)
{
    size_t index, count = json_array_size(search_params(model)), at = 0;
    json_t *param;
    const char *drawn =
        *model->view.parameter ? model->view.parameter : json_string_value(search_get(model, "parameter"));
    json_array_foreach(search_params(model), index, param)
    {
        if (drawn && strcmp(json_text(param, "name"), drawn) == 0)
            at = index;
    }
    if (count)
        choose_param(&model->view, json_array_get(search_params(model), (at + (right ? 1 : count - 1)) % count));
}

/* The trial that the chosen row is about; 0: none. */
static uint64_t trial_of(const struct model *model)
{
    size_t chosen = (size_t)model->view.places[SCREEN_SEARCH].chosen;
    const json_t *front = json_array_get(json_array_get(search_get(model, "front"), chosen), 0),
                 *best = json_object_get(json_array_get(search_get(model, "rungs"), chosen), "best_trial");
    const char *rows = tab_of(&model->view)->rows;
    const json_t *trial = rows && strcmp(rows, "front") == 0 ? front : rows && strcmp(rows, "rungs") == 0 ? best : NULL;
    return json_integer_value(trial) > 0 ? (uint64_t)json_integer_value(trial) : 0;
}

static bool press_search(struct model *model, enum screen_key key)
{
    struct view *view = &model->view;
    struct list_place *place = &view->places[SCREEN_SEARCH];
    if (key == PRESS_NEXT && view->tab % TABS + 1 < TABS) {
        view->tab = view->tab % TABS + 1;
        *place = (struct list_place){0};
    } else if (key == PRESS_LEFT || key == PRESS_RIGHT) {
        move_param(model, key == PRESS_RIGHT);
        view->tab = 1;
    } else if (key == PRESS_ENTER && view->tab % TABS == 0) {
        choose_param(view, json_array_get(search_params(model), (size_t)place->chosen));
        view->tab = 1;
    } else if (key == PRESS_ENTER && trial_of(model)) {
        view_open_trial(view, trial_of(model));
    } else {
        view->tab = key == PRESS_NEXT ? 0 : view->tab;
        return false;
    }
    return true;
}

const struct screen_kind screen_search = {
    .title = "Search",
    .help = "Which parameters matter, one of them against the metric ([ and ] choose it), what is best of several "
            "objectives, where early stopping looked, and what the strategy does. Tab leads from one to the next.",
    .want = want_search,
    .rows = count_rows,
    .draw = draw_search,
    .press = press_search,
    .trial = trial_of};
