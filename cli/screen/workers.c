/* The screen workers: node -> part of its memory -> slot as a tree, with what runs in each slot, or why nothing does.
 */
#include "cli/screen/screen.h"
#include "cli/format.h"
#include "cli/json.h"
#include "common/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    HEAD = 2,   /* rows above the tree */
    DETAIL = 4, /* rows below it about the chosen one, where there is room */
    ROOMY = 18, /* rows from which on there is */
    WIDE = 100  /* columns from which on all is shown */
};

/* Seconds that a clock may be off, and that a worker may be silent, before it is said. */
static const double odd_clock = 10, odd_silence = 15;

/* --- the rows that have come --- */

static json_t *value_of(const struct model *model)
{
    return model->sections[SECTION_WORKERS].value;
}

static json_t *row_at(const struct model *model, uint64_t row)
{
    uint64_t first = (uint64_t)json_integer_value(json_object_get(value_of(model), "first"));
    return row < first ? NULL : json_array_get(json_object_get(value_of(model), "rows"), (size_t)(row - first));
}

static json_int_t count_of(const json_t *object, const char *name)
{
    return json_integer_value(json_object_get(object, name));
}

static uint64_t count_rows(const struct model *model)
{
    return (uint64_t)count_of(value_of(model), "total");
}

static bool is_row(const json_t *row, const char *kind)
{
    return strcmp(json_text(row, "row"), kind) == 0;
}

/* Beside the page that is seen the one before it and the one behind it. */
static void want_workers(const struct view *view, struct area area, struct wants *wants)
{
    uint64_t first = view->places[SCREEN_WORKERS].first;
    first -= first % area.rows;
    wants->sections |= 1u << SECTION_WORKERS | 1u << SECTION_OVERVIEW;
    wants->workers.first = first > area.rows ? first - area.rows : 0;
    wants->workers.count = 3 * area.rows;
    snprintf(wants->workers.unfolded, sizeof wants->workers.unfolded, "%s", view->unfolded);
}

/* --- one row --- */

/* What is odd about a worker, the most pressing first; false: nothing. */
static bool describe_node(const struct model *model, const json_t *row, struct buf *out)
{
    double ahead = 0, heard = 0;
    char text[32];
    const char *of_us = json_text(model_get(model, SECTION_OVERVIEW, "status"), "gannet");
    if (!json_is_null(json_object_get(row, "gone")))
        buf_format(out, "gone: %s", *json_text(row, "gone_why") ? json_text(row, "gone_why") : "no reason is known");
    else if (*json_text(row, "aside"))
        buf_format(out, "set aside: %s", json_text(row, "aside"));
    else if (json_is_true(json_object_get(row, "suspect")))
        buf_text(out, "suspect: it gets no trial until it has shown that it works");
    else if (json_number(row, "heard", &heard) && heard >= odd_silence)
        buf_format(out, "silent for %s", units_show_duration(heard, text, sizeof text));
    else if (count_of(row, "waiting"))
        buf_format(out, "%" JSON_INTEGER_FORMAT " of its slots wait: %s", count_of(row, "waiting"),
                   json_text(row, "why"));
    else if (json_number(row, "ahead", &ahead) && fabs(ahead) >= odd_clock)
        buf_format(out, "its clock is %s %s", units_show_duration(fabs(ahead), text, sizeof text),
                   ahead > 0 ? "ahead" : "behind");
    else if (*of_us && *json_text(row, "version") && strcmp(of_us, json_text(row, "version")) != 0)
        buf_format(out, "it is gannet %s, the coordinator %s", json_text(row, "version"), of_us);
    return out->length > 0;
}

static enum tint tint_of_node(const json_t *row)
{
    if (!json_is_null(json_object_get(row, "gone")))
        return TINT_QUIET;
    return *json_text(row, "aside") ? TINT_BAD : TINT_WARN;
}

/* Where the columns of a row are. */
struct worker_columns {
    unsigned name, trial, time, step, value, last;
};

static struct worker_columns layout_of(struct area area)
{
    if (area.columns < 60)
        return (struct worker_columns){13, 20, 27, 32, 40, 41};
    unsigned name = area.columns >= WIDE ? 34 : 26;
    return (struct worker_columns){name, name + 8, name + 17, name + 24, name + 35, name + 37};
}

static void draw_node(const struct model *model, struct canvas *canvas, struct area area, unsigned at,
                      const json_t *row)
{
    struct worker_columns layout = layout_of(area);
    struct area name = {area.row, area.column, area.rows, layout.name};
    struct buf odd = {0};
    char text[32];
    double left, heard;
    bool gone = !json_is_null(json_object_get(row, "gone")), open = json_is_true(json_object_get(row, "open"));
    const char *mark = canvas->look.unicode ? open ? "▾" : "▸" : open ? "v" : ">";
    canvas_text(canvas, name, at, 0, TINT_QUIET, mark);
    unsigned end = 2 + canvas_text(canvas, name, at, 2, gone ? TINT_QUIET : TINT_STRONG, json_text(row, "node"));
    if (count_of(row, "part"))
        canvas_print(canvas, name, at, end, TINT_STRONG, ":%" JSON_INTEGER_FORMAT, count_of(row, "part"));
    unsigned column = layout.name + 1;
    column +=
        canvas_print(canvas, area, at, column, TINT_NONE, "%" JSON_INTEGER_FORMAT "/%" JSON_INTEGER_FORMAT " busy",
                     count_of(row, "busy"), count_of(row, "slots")) +
        2;
    if (count_of(row, "failed"))
        column += canvas_print(canvas, area, at, column, TINT_BAD, "%" JSON_INTEGER_FORMAT " failed",
                               count_of(row, "failed")) +
                  2;
    if (describe_node(model, row, &odd))
        column += canvas_text(canvas, area, at, column, tint_of_node(row), buf_str(&odd)) + 2;
    if (!gone && json_number(row, "left", &left))
        column += canvas_print(canvas, area, at, column, TINT_NONE, "%s left",
                               units_show_duration(fmax(left, 0), text, sizeof text)) +
                  2;
    if (!gone && json_number(row, "heard", &heard))
        canvas_print(canvas, area, at, column, TINT_QUIET, "heard %s ago",
                     units_show_duration(fmax(heard, 0), text, sizeof text));
    buf_fini(&odd);
}

/* "cores 0-3 GPU 1". */
static void describe_place(const json_t *row, struct buf *out)
{
    if (*json_text(row, "cpus"))
        buf_format(out, "cores %s", json_text(row, "cpus"));
    if (*json_text(row, "gpus"))
        buf_format(out, "%sGPU %s", out->length ? " " : "", json_text(row, "gpus"));
}

/* "trial 118 completed 3m02s ago, 3.9 cores, 1.2 GiB". */
static bool describe_last(const struct model *model, const json_t *row, struct buf *out)
{
    const json_t *last = json_object_get(row, "last");
    double ended, cores, memory, gpu;
    char text[32];
    if (!json_is_object(last))
        return false;
    buf_format(out, "trial %" JSON_INTEGER_FORMAT " %s", count_of(last, "trial"), json_text(last, "reason"));
    if (json_number(last, "ended", &ended))
        buf_format(out, " %s ago", units_show_duration(fmax(model->now - ended, 0), text, sizeof text));
    if (json_number(last, "cores", &cores))
        buf_format(out, ", %.1f cores", cores);
    if (json_number(last, "memory", &memory) && memory > 0)
        buf_format(out, ", %s", units_show_size((uint64_t)memory, text, sizeof text));
    if (json_number(last, "gpu", &gpu))
        buf_format(out, ", GPU %.0f %%", 100 * gpu);
    return true;
}

/* Why a slot has no trial. */
static const char *say_idle(const struct model *model, const json_t *row)
{
    const char *own = json_text(row, "why");
    return *own ? own : json_text(value_of(model), "idle");
}

static void draw_run(const struct model *model, struct canvas *canvas, struct area area, unsigned at, const json_t *row)
{
    struct worker_columns layout = layout_of(area);
    double since, value;
    char text[32];
    snprintf(text, sizeof text, "%" JSON_INTEGER_FORMAT, count_of(row, "trial"));
    canvas_right(canvas, area, at, layout.name, layout.trial - layout.name, TINT_BUSY, text);
    if (json_number(row, "since", &since))
        canvas_right(canvas, area, at, layout.trial, layout.time - layout.trial, TINT_NONE,
                     units_show_duration(fmax(model->now - since, 0), text, sizeof text));
    if (json_is_integer(json_object_get(row, "step"))) {
        snprintf(text, sizeof text, "%" JSON_INTEGER_FORMAT, count_of(row, "step"));
        canvas_right(canvas, area, at, layout.time, layout.step - layout.time, TINT_NONE, text);
    }
    if (json_number(row, "value", &value))
        canvas_right(canvas, area, at, layout.step, layout.value - layout.step, TINT_NONE,
                     format_number(value, text, sizeof text));
    if (count_of(row, "attempt") > 1)
        canvas_print(canvas, area, at, layout.last, TINT_WARN, "attempt %" JSON_INTEGER_FORMAT,
                     count_of(row, "attempt"));
}

static void draw_slot(const struct model *model, struct canvas *canvas, struct area area, unsigned at,
                      const json_t *row)
{
    struct worker_columns layout = layout_of(area);
    struct area name = {area.row, area.column, area.rows, layout.name};
    struct buf text = {0};
    bool lives = json_is_true(json_object_get(value_of(model), "lives"));
    describe_place(row, &text);
    unsigned end = 4 + canvas_print(canvas, name, at, 4, TINT_NONE, "%" JSON_INTEGER_FORMAT, count_of(row, "slot"));
    canvas_text(canvas, name, at, end + 1, TINT_QUIET, buf_str(&text));
    buf_clear(&text);
    if (json_is_integer(json_object_get(row, "trial")) && lives) {
        draw_run(model, canvas, area, at, row);
    } else if (lives && *say_idle(model, row)) {
        canvas_print(canvas, area, at, layout.name + 1, TINT_WARN, "idle: %s", say_idle(model, row));
    } else if (describe_last(model, row, &text)) {
        canvas_print(canvas, area, at, layout.name + 1, TINT_QUIET, "last %s", buf_str(&text));
    } else {
        canvas_text(canvas, area, at, layout.name + 1, TINT_QUIET, "nothing ran here");
    }
    buf_fini(&text);
}

static void draw_row(const struct model *model, struct canvas *canvas, struct area area, unsigned at, const json_t *row)
{
    if (is_row(row, "node"))
        draw_node(model, canvas, area, at, row);
    else if (is_row(row, "numa"))
        canvas_print(canvas, area, at, 2, TINT_QUIET, "memory %s, %" JSON_INTEGER_FORMAT " slots",
                     *json_text(row, "numa") ? json_text(row, "numa") : "of any part", count_of(row, "slots"));
    else if (row)
        draw_slot(model, canvas, area, at, row);
    else
        canvas_text(canvas, area, at, 0, TINT_QUIET, "...");
}

/* --- the chosen one --- */

static void detail_node(const struct model *model, const json_t *row, struct buf *out)
{
    char text[32];
    double ahead;
    if (describe_node(model, row, out))
        buf_text(out, "; ");
    if (*json_text(row, "machine"))
        buf_format(out, "%s; ", json_text(row, "machine"));
    format_count((uint64_t)count_of(row, "cores"), "core", out);
    buf_text(out, ", ");
    format_count((uint64_t)count_of(row, "gpus"), "GPU", out);
    if (count_of(row, "memory") > 0)
        buf_format(out, ", %s", units_show_size((uint64_t)count_of(row, "memory"), text, sizeof text));
    buf_format(out, "; gannet %s, process %" JSON_INTEGER_FORMAT, json_text(row, "version"), count_of(row, "pid"));
    if (*json_text(row, "job"))
        buf_format(out, ", job %s", json_text(row, "job"));
    if (json_number(row, "ahead", &ahead))
        buf_format(out, "; its clock is %.3g s off", ahead);
    if (*json_text(row, "trouble"))
        buf_format(out, "; last failure: %s", json_text(row, "trouble"));
}

static void detail_slot(const struct model *model, const json_t *row, struct buf *out)
{
    char text[32];
    double limit;
    buf_format(out, "slot %" JSON_INTEGER_FORMAT ": ", count_of(row, "slot"));
    describe_place(row, out);
    if (json_number(row, "memory", &limit) && limit > 0)
        buf_format(out, ", up to %s", units_show_size((uint64_t)limit, text, sizeof text));
    if (json_is_integer(json_object_get(row, "trial")))
        buf_format(out, "; trial %" JSON_INTEGER_FORMAT ", attempt %" JSON_INTEGER_FORMAT, count_of(row, "trial"),
                   count_of(row, "attempt"));
    else if (*say_idle(model, row))
        buf_format(out, "; idle: %s", say_idle(model, row));
    if (count_of(row, "ahead") > 0)
        buf_format(out, "; %" JSON_INTEGER_FORMAT " more trials wait behind it", count_of(row, "ahead"));
    buf_text(out, "; before: ");
    if (!describe_last(model, row, out))
        buf_text(out, "nothing that ended lately");
}

static void draw_detail(const struct model *model, struct canvas *canvas, struct area area, const json_t *row)
{
    struct buf text = {0};
    canvas_rule(canvas, area, 0, is_row(row, "node") ? json_text(row, "node") : "");
    if (is_row(row, "node"))
        detail_node(model, row, &text);
    else if (is_row(row, "slot"))
        detail_slot(model, row, &text);
    canvas_wrap(canvas, area, 1, 0, TINT_NONE, buf_str(&text));
    buf_fini(&text);
}

/* --- the whole --- */

static void draw_head(const struct model *model, struct canvas *canvas, struct area area)
{
    struct worker_columns layout = layout_of(area);
    const json_t *value = value_of(model);
    json_int_t gone = count_of(value, "gone");
    struct buf workers = {0};
    format_count((uint64_t)(count_of(value, "workers") - gone), "worker", &workers);
    unsigned at = canvas_text(canvas, area, 0, 0, TINT_STRONG, buf_str(&workers));
    buf_fini(&workers);
    if (gone)
        at += canvas_print(canvas, area, 0, at, TINT_QUIET, ", %" JSON_INTEGER_FORMAT " gone", gone);
    json_t *status = model_get(model, SECTION_OVERVIEW, "status");
    bool lives = json_is_true(json_object_get(value, "lives"));
    if (lives) {
        json_int_t idle = count_of(value, "slots_here") - count_of(value, "busy");
        at += 2 + canvas_print(canvas, area, 0, at + 2, TINT_NONE,
                               "%" JSON_INTEGER_FORMAT " of %" JSON_INTEGER_FORMAT " slots busy",
                               count_of(value, "busy"), count_of(value, "slots_here"));
        if (idle > 0 && *json_text(value, "idle"))
            canvas_print(canvas, area, 0, at, TINT_WARN, ", %" JSON_INTEGER_FORMAT " idle: %s", idle,
                         json_text(value, "idle"));
    } else {
        canvas_text(canvas, area, 0, at + 2, TINT_QUIET, "no coordinator runs: as the store has it");
    }
    canvas_text(canvas, area, 1, 0, TINT_NONE, "node, slot");
    canvas_right(canvas, area, 1, layout.name, layout.trial - layout.name, TINT_NONE, "trial");
    canvas_right(canvas, area, 1, layout.trial, layout.time - layout.trial, TINT_NONE, "for");
    canvas_right(canvas, area, 1, layout.time, layout.step - layout.time, TINT_NONE, "step");
    canvas_right(canvas, area, 1, layout.step + 1, layout.value - layout.step - 1, TINT_NONE,
                 status ? json_text(status, "metric") : "");
    canvas_reverse(canvas, area, 1);
}

static void draw_workers(struct model *model, struct canvas *canvas, struct area area)
{
    struct list_place *place = &model->view.places[SCREEN_WORKERS];
    if (!value_of(model)) {
        section_absent(model, SECTION_WORKERS, canvas, area);
        return;
    }
    unsigned below = area.rows >= ROOMY ? DETAIL : 0;
    struct area tree = {area.row + HEAD, area.column, area.rows - HEAD - below, area.columns},
                detail = {area.row + area.rows - below, area.column, below, area.columns};
    place_follow(place, count_rows(model), tree.rows);
    draw_head(model, canvas, area);
    for (unsigned i = 0; i < tree.rows && place->first + i < count_rows(model); i++) {
        draw_row(model, canvas, tree, i, row_at(model, place->first + i));
        if (place->first + i == place->chosen)
            canvas_choose(canvas, tree, i);
    }
    if (below && row_at(model, place->chosen))
        draw_detail(model, canvas, detail, row_at(model, place->chosen));
}

/* --- keys --- */

/* Takes a number out of a list "3 17", or adds it; of a full list the first ones go. */
static void toggle_number(char list[WANTS_TEXT], json_int_t number)
{
    struct buf kept = {0};
    char *at = list, *end;
    bool found = false;
    for (; *at; at = end) {
        json_int_t one = strtoll(at, &end, 10);
        if (end == at)
            break;
        if (one != number)
            buf_format(&kept, "%s%" JSON_INTEGER_FORMAT, kept.length ? " " : "", one);
        found = found || one == number;
    }
    if (!found)
        buf_format(&kept, "%s%" JSON_INTEGER_FORMAT, kept.length ? " " : "", number);
    const char *from = buf_str(&kept);
    while (strlen(from) >= WANTS_TEXT && strchr(from, ' '))
        from = strchr(from, ' ') + 1;
    snprintf(list, WANTS_TEXT, "%s", from);
    buf_fini(&kept);
}

/* The trial that runs in a slot, or ended last there; 0: none is known. */
static uint64_t trial_of(const json_t *row)
{
    json_int_t runs = count_of(row, "trial"), last = count_of(json_object_get(row, "last"), "trial");
    return runs > 0 ? (uint64_t)runs : last > 0 ? (uint64_t)last : 0;
}

static uint64_t trial_here(const struct model *model)
{
    return trial_of(row_at(model, model->view.places[SCREEN_WORKERS].chosen));
}

static bool press_workers(struct model *model, enum screen_key key)
{
    const json_t *row = row_at(model, model->view.places[SCREEN_WORKERS].chosen);
    if (key != PRESS_ENTER && key != PRESS_FOLD)
        return false;
    if (row && (is_row(row, "node") || key == PRESS_FOLD))
        toggle_number(model->view.unfolded, count_of(row, "worker"));
    else if (trial_of(row))
        view_open_trial(&model->view, trial_of(row));
    return true;
}

const struct screen_kind screen_workers = {
    .title = "Workers",
    .help = "Nodes, and below each its slots: what runs there and for how long, or why nothing does. Enter unfolds a "
            "node and folds it; on a slot it opens the trial that runs there, or ended there last.",
    .want = want_workers,
    .rows = count_rows,
    .draw = draw_workers,
    .press = press_workers,
    .trial = trial_here};
