/* The screen experiments: all of a person's, one of which is opened. */
#include "cli/screen/screen.h"
#include "cli/format.h"
#include "cli/json.h"
#include "common/units.h"

#include <stdio.h>
#include <string.h>

/* What is shown: where a column begins, and from how many columns of the window on there is room for it. */
enum {
    NAME = 0,
    NAME_WIDTH = 20,
    STATE = 21,
    STATE_WIDTH = 13,
    TRIALS = 35,
    TRIALS_WIDTH = 12,
    FAILED = 48,
    FAILED_WIDTH = 6,
    BEST = 55,
    BEST_WIDTH = 11,
    CHANGED = 67,
    CHANGED_WIDTH = 8,
    METRIC = 76,
    METRIC_WIDTH = 18,
    PLACE = 96
};

static json_t *list_of(const struct model *model)
{
    return model_get(model, SECTION_EXPERIMENTS, "experiments");
}

static uint64_t count_experiments(const struct model *model)
{
    return json_array_size(list_of(model));
}

static const json_t *chosen_of(const struct model *model)
{
    return json_array_get(list_of(model), model->view.places[SCREEN_EXPERIMENTS].chosen);
}

static void want_experiments(const struct view *view, struct area area, struct wants *wants)
{
    (void)view;
    (void)area;
    wants->sections |= 1u << SECTION_EXPERIMENTS;
}

/* A text in a column of its own width. */
static void put_left(struct canvas *canvas, struct area area, unsigned row, unsigned column, unsigned width,
                     enum tint tint, const char *text)
{
    struct area cell = area;
    cell.columns = column + width < area.columns ? column + width : area.columns;
    if (column < area.columns)
        canvas_text(canvas, cell, row, column, tint, text);
}

static void put_right(struct canvas *canvas, struct area area, unsigned row, unsigned column, unsigned width,
                      enum tint tint, const char *text)
{
    if (column + width <= area.columns)
        canvas_right(canvas, area, row, column, width, tint, text);
}

static void draw_heading(struct canvas *canvas, struct area area)
{
    put_left(canvas, area, 0, NAME, NAME_WIDTH, TINT_STRONG, "experiment");
    put_left(canvas, area, 0, STATE, STATE_WIDTH, TINT_STRONG, "state");
    put_right(canvas, area, 0, TRIALS, TRIALS_WIDTH, TINT_STRONG, "trials");
    put_right(canvas, area, 0, FAILED, FAILED_WIDTH, TINT_STRONG, "failed");
    put_right(canvas, area, 0, BEST, BEST_WIDTH, TINT_STRONG, "best");
    put_right(canvas, area, 0, CHANGED, CHANGED_WIDTH, TINT_STRONG, "ago");
    put_left(canvas, area, 0, METRIC, METRIC_WIDTH, TINT_STRONG, "metric");
    put_left(canvas, area, 0, PLACE, area.columns, TINT_STRONG, "where");
    canvas_reverse(canvas, area, 0);
}

static enum tint tint_of(const json_t *one)
{
    const char *state = json_text(one, "state");
    if (json_is_true(json_object_get(one, "lives")))
        return TINT_BUSY;
    return strcmp(state, "interrupted") == 0 ? TINT_BAD : strcmp(state, "ended") == 0 ? TINT_GOOD : TINT_WARN;
}

static void draw_counts(const json_t *one, struct canvas *canvas, struct area area, unsigned row)
{
    char text[48];
    json_int_t ended = json_integer_value(json_object_get(one, "ended")),
               total = json_integer_value(json_object_get(one, "total")),
               failed = json_integer_value(json_object_get(one, "failed"));
    snprintf(text, sizeof text, total ? "%" JSON_INTEGER_FORMAT "/%" JSON_INTEGER_FORMAT : "%" JSON_INTEGER_FORMAT,
             ended, total);
    put_right(canvas, area, row, TRIALS, TRIALS_WIDTH, TINT_NONE, text);
    snprintf(text, sizeof text, "%" JSON_INTEGER_FORMAT, failed);
    put_right(canvas, area, row, FAILED, FAILED_WIDTH, failed ? TINT_BAD : TINT_NONE, text);
}

static void draw_one(const struct model *model, const json_t *one, struct canvas *canvas, struct area area,
                     unsigned row)
{
    char text[48];
    double changed;
    struct buf best = {0};
    put_left(canvas, area, row, NAME, NAME_WIDTH, TINT_STRONG, json_text(one, "name"));
    if (*json_text(one, "trouble")) {
        canvas_text(canvas, area, row, STATE, TINT_WARN, json_text(one, "trouble"));
        return;
    }
    const char *standing = json_text(one, "standing"); /* a model of an earlier version has none */
    put_left(canvas, area, row, STATE, STATE_WIDTH, tint_of(one), *standing ? standing : json_text(one, "state"));
    draw_counts(one, canvas, area, row);
    format_scalar(json_object_get(one, "best"), &best);
    put_right(canvas, area, row, BEST, BEST_WIDTH, TINT_NONE, buf_str(&best));
    if (json_number(one, "changed", &changed) && changed > 0)
        put_right(canvas, area, row, CHANGED, CHANGED_WIDTH, TINT_QUIET,
                  units_show_duration(model->now > changed ? model->now - changed : 0, text, sizeof text));
    put_left(canvas, area, row, METRIC, METRIC_WIDTH, TINT_NONE, json_text(one, "metric"));
    put_left(canvas, area, row, PLACE, area.columns, TINT_QUIET, json_text(one, "directory"));
    buf_fini(&best);
}

/* Whatever there is no room for of the chosen one. */
static void draw_chosen(const struct model *model, struct canvas *canvas, struct area area)
{
    const json_t *one = chosen_of(model);
    canvas_text(canvas, area, area.rows - 1, 0, TINT_QUIET, json_text(one, "directory"));
}

static void draw_experiments(struct model *model, struct canvas *canvas, struct area area)
{
    struct list_place *place = &model->view.places[SCREEN_EXPERIMENTS];
    uint64_t count = count_experiments(model);
    if (!model->sections[SECTION_EXPERIMENTS].value) {
        section_absent(model, SECTION_EXPERIMENTS, canvas, area);
        return;
    }
    draw_heading(canvas, area);
    place_follow(place, count, area.rows - 2);
    for (unsigned i = 0; i < place->shown && place->first + i < count; i++) {
        draw_one(model, json_array_get(list_of(model), place->first + i), canvas, area, i + 1);
        if (place->first + i == place->chosen)
            canvas_choose(canvas, area, i + 1);
    }
    if (count)
        draw_chosen(model, canvas, area);
    else
        canvas_text(canvas, area, 1, 0, TINT_QUIET, "none is remembered; gannet run FILE makes one");
}

static void open_chosen(struct model *model)
{
    const char *directory = json_text(chosen_of(model), "directory");
    if (strlen(directory) < sizeof model->view.experiment)
        snprintf(model->view.experiment, sizeof model->view.experiment, "%s", directory);
}

/* Downwards from the chosen one, and then from the first. */
static void choose_found_experiment(struct model *model, const char *text)
{
    struct list_place *place = &model->view.places[SCREEN_EXPERIMENTS];
    uint64_t count = count_experiments(model);
    for (uint64_t i = 1; i <= count && *text; i++) {
        uint64_t at = (place->chosen + i) % count;
        if (strcasestr(json_text(json_array_get(list_of(model), at), "directory"), text)) {
            place->chosen = at;
            return;
        }
    }
    view_note(&model->view, "no experiment has '%s' in its name or place", text);
}

static void answer_experiments(struct model *model, enum prompt prompt, const char *text)
{
    (void)prompt;
    choose_found_experiment(model, text);
}

static bool press_experiments(struct model *model, enum screen_key key)
{
    if (key == PRESS_ENTER)
        open_chosen(model);
    else if (key == PRESS_AGAIN)
        choose_found_experiment(model, model->view.search);
    else
        return false;
    return true;
}

static void copy_experiments(const struct model *model, struct buf *out)
{
    buf_text(out, "status ");
    format_shell(json_text(chosen_of(model), "directory"), out);
}

const struct screen_kind screen_experiments = {
    .title = "Experiments",
    .help = "All experiments that you ran or submitted from this machine's state directory, wherever their run "
            "directories are, the one used last first. Enter opens one, Esc leads back to this list.",
    .want = want_experiments,
    .rows = count_experiments,
    .draw = draw_experiments,
    .press = press_experiments,
    .answer = answer_experiments,
    .copy = copy_experiments,
    .page = true};
