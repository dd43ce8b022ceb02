/* The screen timeline: a row a slot, time across, attempts as bars; above them how much of the slots was in use, below
 * them where the time went. */
#include "cli/screen/screen.h"
#include "cli/view/span_class.h"
#include "cli/json.h"
#include "common/json.h"
#include "common/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum {
    HEAD = 2,    /* rows above the slots: which time that is, use */
    BELOW = 4,   /* rows below them: the axis, where the time went in two, the chosen slot */
    LABEL = 9,   /* columns between two labels of the axis, at least */
    SHORTEST = 1 /* seconds that can be seen at once, at least */
};

static json_t *value_of(const struct model *model)
{
    return model->sections[SECTION_TIMELINE].value;
}

/* Columns of the slots' names. */
static unsigned name_width(struct area area)
{
    return area.columns >= 100 ? 20 : area.columns >= 60 ? 14 : 9;
}

static uint64_t count_rows(const struct model *model)
{
    json_int_t total = json_integer_value(json_object_get(value_of(model), "total"));
    return total > 0 ? (uint64_t)total : 0;
}

static void want_timeline(const struct view *view, struct area area, struct wants *wants)
{
    uint64_t first = view->places[SCREEN_TIMELINE].first;
    first -= first % area.rows;
    wants->sections |= 1u << SECTION_TIMELINE;
    wants->timeline.from = view->from;
    wants->timeline.to = view->to;
    wants->timeline.first = first;
    wants->timeline.count = 2 * area.rows;
    wants->timeline.columns = area.columns - name_width(area);
}

/* --- times --- */

/* Which time a picture is of. */
struct timeline_reach {
    double from, to, now, begin;
};

static bool find_reach(const struct model *model, struct timeline_reach *out)
{
    const json_t *value = value_of(model);
    return json_number(value, "from", &out->from) && json_number(value, "to", &out->to) &&
           json_number(value, "now", &out->now) && json_number(value, "begin", &out->begin) && out->from < out->to;
}

/* A time as the length of the picture asks for. */
static const char *show_time(double seconds, double length, char out[24])
{
    time_t whole = (time_t)fmin(fmax(seconds, 0), 2.5e11);
    struct tm parts;
    const char *format = length < 600 ? "%H:%M:%S" : length < 86400 ? "%H:%M" : "%d %b %Hh";
    if (!localtime_r(&whole, &parts) || !strftime(out, 24, format, &parts))
        snprintf(out, 24, "?");
    return out;
}

/* A round number of seconds, at least this one. */
static double round_step(double least)
{
    static const double steps[] = {1,    2,    5,    10,    15,    30,    60,    120,    300,    600,    900,
                                   1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800, 2592000};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (steps[i] >= least)
            return steps[i];
    return least;
}

static void draw_axis(const struct timeline_reach *reach, struct canvas *canvas, struct area area, unsigned row)
{
    double length = reach->to - reach->from, step = round_step(length * LABEL / area.columns);
    char text[24];
    for (double at = ceil(reach->from / step) * step; at < reach->to; at += step) {
        unsigned column = (unsigned)((at - reach->from) / length * area.columns);
        show_time(at, length, text);
        if (column + strlen(text) + 1 < area.columns)
            canvas_print(canvas, area, row, column, TINT_QUIET, "%s%s", canvas->look.unicode ? "╵" : "'", text);
    }
}

/* --- slots --- */

/* An attempt that takes some columns: its letter, its trial's number where there is room, and a line to its end. */
static void draw_span(const struct timeline_reach *reach, struct canvas *canvas, struct area area, unsigned row,
                      const json_t *span)
{
    double from = json_number_value(json_array_get(span, 3)), to = reach->now, scale = area.columns;
    const char *letter = json_string_value(json_array_get(span, 2));
    char number[24];
    (void)json_to_real(json_array_get(span, 4), &to);
    scale /= reach->to - reach->from;
    double left = fmax((from - reach->from) * scale, 0), right = fmin((to - reach->from) * scale, area.columns);
    if (!letter || !(right - left >= 2))
        return;
    unsigned first = (unsigned)(left + 0.5), end = (unsigned)(right + 0.5);
    struct area bar = {area.row, area.column, area.rows, end};
    for (unsigned i = first; i < end; i++)
        canvas_text(canvas, bar, row, i, span_tint(*letter), canvas->look.unicode ? "━" : "-");
    canvas_text(canvas, bar, row, first, span_tint(*letter), letter);
    int width = snprintf(number, sizeof number, "%" JSON_INTEGER_FORMAT, json_integer_value(json_array_get(span, 0)));
    if (end > first + 1 + (unsigned)width)
        canvas_text(canvas, bar, row, first + 1, span_tint(*letter), number);
}

static void draw_slot(const struct timeline_reach *reach, struct canvas *canvas, struct area area, unsigned row,
                      const json_t *slot)
{
    unsigned names = name_width(area);
    struct area name = {area.row, area.column, area.rows, names - 1},
                bars = {area.row, area.column + names, area.rows, area.columns - names};
    const char *cells = json_text(slot, "cells");
    char number[32];
    size_t index;
    json_t *span;
    json_int_t part = json_integer_value(json_object_get(slot, "part"));
    int width = snprintf(number, sizeof number, part ? ":%lld.%lld" : "%.0lld.%lld", (long long)part,
                         (long long)json_integer_value(json_object_get(slot, "slot")));
    name.columns = names - 1 > (unsigned)width ? names - 1 - (unsigned)width : 1;
    unsigned at = canvas_text(canvas, name, row, 0, TINT_NONE, json_text(slot, "node"));
    name.columns = names - 1;
    canvas_text(canvas, name, row, at, TINT_STRONG, number);
    for (unsigned i = 0; cells[i] && i < bars.columns; i++)
        if (cells[i] != ' ')
            canvas_print(canvas, bars, row, i, span_tint(cells[i]), "%c", cells[i]);
    json_array_foreach(json_object_get(slot, "spans"), index, span) draw_span(reach, canvas, bars, row, span);
}

/* The wanted slots, as far as they have come. */
static json_t *slot_at(const struct model *model, uint64_t row)
{
    uint64_t first = (uint64_t)json_integer_value(json_object_get(value_of(model), "first"));
    return row < first ? NULL : json_array_get(json_object_get(value_of(model), "rows"), (size_t)(row - first));
}

/* --- use, and what was lost --- */

static void draw_use(const struct model *model, struct canvas *canvas, struct area area, unsigned row)
{
    static const char *const blocks[] = {"_", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}, *const marks[] = {"_", ".", ":",
                                                                                                         "-", "=", "+",
                                                                                                         "*", "#", "@"};
    size_t index;
    json_t *share;
    unsigned names = name_width(area);
    struct area strip = {area.row, area.column + names, area.rows, area.columns - names};
    canvas_text(canvas, area, row, 0, TINT_QUIET, "in use");
    json_array_foreach(json_object_get(value_of(model), "utilisation"), index, share)
    {
        double number = json_number_value(share);
        int level = (int)(fmin(fmax(number, 0), 1) * 8 + 0.5);
        if (json_is_real(share))
            canvas_text(canvas, strip, row, (unsigned)index, level < 4 ? TINT_WARN : TINT_GOOD,
                        canvas->look.unicode ? blocks[level] : marks[level]);
    }
}

/* "idle 6 %" where it is anything. */
static void add_part(const json_t *lost, const char *member, const char *name, double of, struct buf *out)
{
    double seconds;
    char text[32];
    if (!json_number(lost, member, &seconds) || !(seconds > 0) || !(of > 0))
        return;
    buf_format(out, ", %s %.*f %% (%s)", name, seconds / of < 0.0995 ? 1 : 0, 100 * seconds / of,
               units_show_duration(seconds, text, sizeof text));
}

static void describe_lost(const struct model *model, struct buf *out)
{
    static const struct {
        const char *member, *name;
    } parts[] = {{"idle", "idle"},           {"launch", "launch"},
                 {"stage", "opening data"},  {"failed", "in failed attempts"},
                 {"cut", "lost or cut off"}, {"stopped", "in trials stopped early"}};
    const json_t *lost = json_object_get(value_of(model), "lost");
    double available = 0, busy = 0, queue;
    char text[32];
    if (!json_number(lost, "available", &available) || !(available > 0) || !json_number(lost, "busy", &busy)) {
        buf_text(out, "there was no slot in this time");
        return;
    }
    buf_format(out, "Of %s of slots %.0f %% in use", units_show_duration(available, text, sizeof text),
               100 * fmin(busy / available, 1));
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        add_part(lost, parts[i].member, parts[i].name, available, out);
    if (json_number(lost, "queue", &queue) && queue > 0)
        buf_format(out, "; a trial waited %s for a slot on average", units_show_duration(queue, text, sizeof text));
}

/* --- the chosen slot --- */

static void describe_slot(const struct timeline_reach *reach, const json_t *slot, struct buf *out)
{
    const json_t *span = json_object_get(slot, "last");
    const char *letter = json_string_value(json_array_get(span, 2));
    double from = json_number_value(json_array_get(span, 3)), to = reach->now;
    char text[32], at[24];
    buf_format(out, "%s slot %" JSON_INTEGER_FORMAT ": ", json_text(slot, "node"),
               json_integer_value(json_object_get(slot, "slot")));
    if (!span || !letter) {
        buf_text(out, "nothing is seen of it here");
        return;
    }
    bool ended = json_to_real(json_array_get(span, 4), &to);
    buf_format(out, "trial %" JSON_INTEGER_FORMAT, json_integer_value(json_array_get(span, 0)));
    if (json_integer_value(json_array_get(span, 1)) > 1)
        buf_format(out, " (attempt %" JSON_INTEGER_FORMAT ")", json_integer_value(json_array_get(span, 1)));
    buf_format(out, " %s, from %s, %s", span_words(*letter), show_time(from, 0, at),
               units_show_duration(fmax(to - from, 0), text, sizeof text));
    if (ended && reach->to >= reach->now && to < reach->now)
        buf_format(out, "; idle since, for %s", units_show_duration(reach->now - to, text, sizeof text));
}

/* --- the whole --- */

/* What the letters mean, in as many words as there is room for. */
static const char *choose_legend(unsigned columns)
{
    static const char *const legends[] = {
        "R running C completed S stopped early F failed L lost P paused . idle, small: mostly",
        "R runs C done S stopped F failed L lost P paused", "R run C done S stop F fail L lost", "C done F fail"};
    for (size_t i = 0; i < sizeof legends / sizeof *legends; i++)
        if (strlen(legends[i]) <= columns)
            return legends[i];
    return "";
}

static void draw_head(const struct model *model, const struct timeline_reach *reach, struct canvas *canvas,
                      struct area area)
{
    char from[24], to[24], text[32];
    double since, length = reach->to - reach->from;
    bool follows = reach->to >= reach->now, lives = json_is_true(json_object_get(value_of(model), "lives"));
    show_time(reach->from, length, from);
    show_time(reach->to, length, to);
    unsigned at = canvas_print(canvas, area, 0, 0, TINT_STRONG, "%s to %s", from,
                               !follows ? to
                               : lives  ? "now"
                                        : "the end");
    at += 2 + canvas_text(canvas, area, 0, at + 2, TINT_NONE, units_show_duration(length, text, sizeof text));
    at += 2 + canvas_print(canvas, area, 0, at + 2, TINT_NONE, "%" PRIu64 " slots", count_rows(model));
    if (json_number(value_of(model), "since", &since))
        canvas_print(canvas, area, 0, at + 2, TINT_WARN, "reading: what ended since %s is here",
                     show_time(since, length, from));
    else
        canvas_text(canvas, area, 0, at + 2, TINT_QUIET,
                    choose_legend(area.columns > at + 2 ? area.columns - at - 2 : 0));
}

static void draw_timeline(struct model *model, struct canvas *canvas, struct area area)
{
    struct list_place *place = &model->view.places[SCREEN_TIMELINE];
    struct timeline_reach reach;
    struct buf text = {0};
    if (!find_reach(model, &reach)) {
        section_absent(model, SECTION_TIMELINE, canvas, area);
        return;
    }
    unsigned names = name_width(area), below = BELOW;
    struct area slots = {area.row + HEAD, area.column, area.rows - HEAD - below, area.columns},
                axis = {area.row, area.column + names, area.rows, area.columns - names},
                foot = {area.row + area.rows - below + 1, area.column, 2, area.columns};
    place_follow(place, count_rows(model), slots.rows);
    draw_head(model, &reach, canvas, area);
    draw_use(model, canvas, area, 1);
    for (unsigned i = 0; i < slots.rows && place->first + i < count_rows(model); i++) {
        const json_t *slot = slot_at(model, place->first + i);
        if (slot)
            draw_slot(&reach, canvas, slots, i, slot);
        else
            canvas_text(canvas, slots, i, 0, TINT_QUIET, "...");
        if (place->first + i == place->chosen)
            canvas_choose(canvas, (struct area){slots.row, slots.column, slots.rows, names - 1}, i);
    }
    draw_axis(&reach, canvas, axis, area.rows - below);
    describe_lost(model, &text);
    canvas_wrap(canvas, foot, 0, 0, TINT_NONE, buf_str(&text));
    buf_clear(&text);
    if (slot_at(model, place->chosen)) {
        describe_slot(&reach, slot_at(model, place->chosen), &text);
        canvas_text(canvas, area, area.rows - 1, 0, TINT_NONE, buf_str(&text));
    }
    buf_fini(&text);
}

/* --- keys --- */

/* Shows so many seconds that end at a time; up to now when that is not before it, and all when that is all. */
static void look_at(struct view *view, const struct timeline_reach *reach, double to, double length)
{
    bool follows = to >= reach->now;
    length = fmax(length, SHORTEST);
    if (length >= reach->now - reach->begin && follows)
        view->from = view->to = 0;
    else if (follows) {
        view->from = -length;
        view->to = 0;
    } else {
        view->to = fmax(to, reach->begin + length / 2);
        view->from = view->to - length;
    }
}

/* The trial that the chosen slot had last, of what is seen; 0: none. */
static uint64_t trial_of(const struct model *model)
{
    const json_t *slot = slot_at(model, model->view.places[SCREEN_TIMELINE].chosen);
    json_int_t trial = json_integer_value(json_array_get(json_object_get(slot, "last"), 0));
    return trial > 0 ? (uint64_t)trial : 0;
}

static bool press_timeline(struct model *model, enum screen_key key)
{
    struct timeline_reach reach;
    if (key == PRESS_ENTER && trial_of(model))
        view_open_trial(&model->view, trial_of(model));
    if (key == PRESS_ENTER)
        return true;
    if (key != PRESS_LEFT && key != PRESS_RIGHT && key != PRESS_ZOOM_IN && key != PRESS_ZOOM_OUT)
        return false;
    if (!find_reach(model, &reach))
        return true;
    double length = reach.to - reach.from, middle = (reach.from + reach.to) / 2;
    bool follows = reach.to >= reach.now;
    if (key == PRESS_LEFT || key == PRESS_RIGHT)
        look_at(&model->view, &reach, reach.to + (key == PRESS_LEFT ? -length / 2 : length / 2), length);
    else if (key == PRESS_ZOOM_IN)
        look_at(&model->view, &reach, follows ? reach.to : middle + length / 4, length / 2);
    else
        look_at(&model->view, &reach, follows ? reach.to : middle + length, 2 * length);
    return true;
}

const struct screen_kind screen_timeline = {
    .title = "Timeline",
    .help = "What each slot did when: a letter where an attempt begins, its trial's number, and a line to its end. R "
            "runs, C completed, S stopped early, F failed, L was lost or cut off, P paused, X cancelled; a dot: idle; "
            "small letters: mostly idle. Enter opens the last trial of a slot. Above them the share of the slots in "
            "use, below them where the time went.",
    .want = want_timeline,
    .rows = count_rows,
    .draw = draw_timeline,
    .press = press_timeline,
    .trial = trial_of};
