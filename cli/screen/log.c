/* The screen log: what happened, newest last; it follows what comes while the last row is chosen. */
#include "cli/screen/screen.h"
#include "cli/json.h"
#include "common/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { EVENTS = 1000 };

static json_t *events_of(const struct model *model)
{
    return model_get(model, SECTION_LOG, "events");
}

static uint64_t count_events(const struct model *model)
{
    return json_array_size(events_of(model));
}

static void want_log(const struct view *view, struct area area, struct wants *wants)
{
    (void)view;
    (void)area;
    wants->sections |= 1u << SECTION_LOG;
    wants->events = EVENTS;
}

/* "11-23 14:02:11" in the time of this machine. */
static void show_time(const json_t *event, char *out, size_t size)
{
    double seconds = units_time(json_text(event, "time"));
    time_t whole = isnan(seconds) ? 0 : (time_t)seconds;
    struct tm parts;
    if (!localtime_r(&whole, &parts) || !strftime(out, size, "%m-%d %H:%M:%S", &parts))
        snprintf(out, size, "?");
}

static enum tint tint_of(const char *kind)
{
    if (strcmp(kind, "failed") == 0 || strcmp(kind, "worker_gone") == 0)
        return TINT_BAD;
    if (strcmp(kind, "retried") == 0 || strcmp(kind, "interrupted") == 0 || strcmp(kind, "late") == 0)
        return TINT_WARN;
    return strcmp(kind, "experiment") == 0 ? TINT_STRONG : TINT_NONE;
}

/* "worker_gone  trial 12  n01: it fell silent". */
static char *describe(const json_t *event)
{
    struct buf text = {0};
    const char *node = json_text(event, "node");
    if (json_is_integer(json_object_get(event, "trial")))
        buf_format(&text, "trial %" JSON_INTEGER_FORMAT "  ", json_integer_value(json_object_get(event, "trial")));
    if (*node)
        buf_format(&text, "%s: ", node);
    buf_text(&text, json_text(event, "text"));
    return buf_take(&text);
}

static void draw_event(const json_t *event, struct canvas *canvas, struct area area, unsigned row)
{
    enum { KIND = 15, KIND_WIDTH = 16 };
    const char *kind = json_text(event, "kind");
    char time[32], *text = describe(event);
    bool narrow = area.columns < 60;
    struct area left = area;
    show_time(event, time, sizeof time);
    canvas_text(canvas, area, row, 0, TINT_QUIET, narrow ? time + 6 : time);
    left.columns = KIND + KIND_WIDTH - 1;
    if (!narrow)
        canvas_text(canvas, left, row, KIND, tint_of(kind), kind);
    canvas_text(canvas, area, row, narrow ? 9 : KIND + KIND_WIDTH, narrow ? tint_of(kind) : TINT_NONE, text);
    free(text);
}

static void draw_log(struct model *model, struct canvas *canvas, struct area area)
{
    struct list_place *place = &model->view.places[SCREEN_LOG];
    uint64_t count = count_events(model);
    if (!model->sections[SECTION_LOG].value) {
        section_absent(model, SECTION_LOG, canvas, area);
        return;
    }
    if (model->view.follows)
        place->chosen = count ? count - 1 : 0;
    place_follow(place, count, area.rows);
    for (unsigned row = 0; row < area.rows && place->first + row < count; row++) {
        draw_event(json_array_get(events_of(model), place->first + row), canvas, area, row);
        if (place->first + row == place->chosen)
            canvas_choose(canvas, area, row);
    }
    if (!count)
        canvas_text(canvas, area, 0, 0, TINT_QUIET, "nothing has happened yet that is worth telling");
}

/* Upwards from the chosen event, the newest being the last, and then from the end. */
static void choose_found_event(struct model *model, const char *text)
{
    struct list_place *place = &model->view.places[SCREEN_LOG];
    uint64_t count = count_events(model);
    for (uint64_t i = 1; i <= count && *text; i++) {
        uint64_t at = (place->chosen + count - i) % count;
        json_t *event = json_array_get(events_of(model), at);
        char *line = describe(event);
        bool found = strcasestr(line, text) || strcasestr(json_text(event, "kind"), text);
        free(line);
        if (found) {
            place->chosen = at;
            model->view.follows = false;
            return;
        }
    }
    view_note(&model->view, "'%s' is in none of the last %d events", text, EVENTS);
}

static void answer_log(struct model *model, enum prompt prompt, const char *text)
{
    (void)prompt;
    choose_found_event(model, text);
}

static uint64_t chosen(const struct model *model)
{
    json_t *event = json_array_get(events_of(model), model->view.places[SCREEN_LOG].chosen);
    json_int_t trial = json_integer_value(json_object_get(event, "trial"));
    return trial > 0 ? (uint64_t)trial : 0;
}

static bool press_log(struct model *model, enum screen_key key)
{
    if (key == PRESS_AGAIN)
        choose_found_event(model, model->view.search);
    else if (key == PRESS_FOLLOW)
        model->view.follows = !model->view.follows;
    else if (key == PRESS_ENTER)
        view_open_trial(&model->view, chosen(model));
    else
        return false;
    return true;
}

static void copy_log(const struct model *model, struct buf *out)
{
    buf_text(out, "logs ");
    model_add_handle(model, out);
    buf_text(out, " --events --follow");
}

const struct screen_kind screen_log = {
    .title = "Log",
    .help =
        "What happened that is worth telling, newest last: workers that came and went, attempts that failed and were "
        "repeated, results that came late.",
    .want = want_log,
    .rows = count_events,
    .draw = draw_log,
    .press = press_log,
    .answer = answer_log,
    .trial = chosen,
    .copy = copy_log};
