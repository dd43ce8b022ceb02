/* A timeline: what each slot ran when, and how many were busy. */
#include "cli/plot/values.h"

#include "common/json.h"
#include "common/mem.h"
#include "common/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    MOST_ROWS = 40,
    BINS = 200,        /* of the share of busy slots */
    RESOLUTION = 1500, /* spans nearer to each other than this part of all time are drawn as one; */
    MOST_BOXES = 6000, /* a larger part where there are so many rows */
    MOST_TEXTS = 2000  /* of more spans none is named */
};

static enum ink ink_of(const struct slot_span *span)
{
    if (span->reason < 0)
        return INK_GOOD;
    enum trial_state state = ending_state((enum ending)span->reason);
    return state == TRIAL_COMPLETED                          ? INK_PLAIN
           : state == TRIAL_STOPPED || state == TRIAL_PAUSED ? INK_EARLY
           : state == TRIAL_FAILED                           ? INK_BAD
                                                             : INK_WARN;
}

/* Of more slots than have rows: each n-th one. */
static size_t row_step(const struct slot_spans *spans)
{
    return (spans->slot_count + MOST_ROWS - 1) / MOST_ROWS;
}

/* Spans of a row that are drawn as one. */
struct timeline_stretch {
    double start, end;
    double seconds[INKS_COUNT]; /* of each kind */
    size_t count;
};

static void stretch_add(struct timeline_stretch *stretch, const struct slot_span *span)
{
    stretch->end = fmax(stretch->end, span->started + span->seconds);
    stretch->seconds[ink_of(span)] += span->seconds;
    stretch->count++;
}

/* What took most of it. */
static enum ink stretch_ink(const struct timeline_stretch *stretch)
{
    enum ink most = 0;
    for (enum ink ink = 0; ink < INKS_COUNT; ink++)
        most = stretch->seconds[ink] > stretch->seconds[most] ? ink : most;
    return most;
}

static void add_box(const struct slot_spans *spans, const struct slot_span *span,
                    const struct timeline_stretch *stretch, size_t row, struct panel *panel)
{
    enum ink ink = stretch->count > 1 ? stretch_ink(stretch) : ink_of(span);
    struct mark *box = panel_box(panel, ink, stretch->start - spans->from, (double)row + 0.1,
                                 stretch->end - spans->from, (double)row + 0.9);
    if (stretch->count > 1)
        return;
    box->trial = span->trial;
    char took[40];
    if (spans->count <= MOST_TEXTS)
        box->text = mem_format("trial %" PRIu64 ", attempt %u: %s, %s", span->trial, (unsigned)span->attempt,
                               span->reason < 0 ? "runs" : ending_name((enum ending)span->reason),
                               units_show_duration(span->seconds, took, sizeof took));
}

static void add_rows(const struct slot_spans *spans, struct panel *panel)
{
    size_t step = row_step(spans);
    double least = (spans->to - spans->from) / fmin(RESOLUTION, MOST_BOXES / (double)panel->y.name_count);
    for (size_t i = 0, next; i < spans->count; i = next) {
        const struct slot_span *first = &spans->items[i];
        struct timeline_stretch stretch = {.start = first->started};
        stretch_add(&stretch, first);
        for (next = i + 1; next < spans->count && spans->items[next].slot == first->slot &&
                           spans->items[next].started + spans->items[next].seconds - stretch.start < least;
             next++)
            stretch_add(&stretch, &spans->items[next]);
        if (first->slot % step == 0)
            add_box(spans, first, &stretch, first->slot / step, panel);
    }
}

static void name_rows(const struct slot_spans *spans, struct scale *scale)
{
    for (size_t i = 0; i < spans->slot_count; i += row_step(spans)) {
        char *name = mem_format("%s slot %lld", spans->slots[i].node, (long long)spans->slots[i].slot);
        scale_name(scale, name);
        free(name);
    }
}

/* --- how many were busy --- */

static void add_busy(const struct slot_spans *spans, double *busy)
{
    double width = (spans->to - spans->from) / BINS;
    for (size_t i = 0; i < spans->count && width > 0; i++) {
        double start = (spans->items[i].started - spans->from) / width, end = start + spans->items[i].seconds / width;
        for (size_t bin = (size_t)start; bin < BINS && (double)bin < end; bin++)
            busy[bin] += fmin(end, (double)bin + 1) - fmax(start, (double)bin);
    }
}

static double add_utilisation(const struct slot_spans *spans, struct picture *out)
{
    double busy[BINS] = {0}, sum = 0, width = (spans->to - spans->from) / BINS, there = slot_spans_there(spans);
    struct panel *panel = picture_panel(out, NULL);
    scale_set(&panel->x, axis_of(0, spans->to - spans->from, AXIS_SECONDS), "time since the first attempt");
    scale_set(&panel->y, (struct axis){0, 100, AXIS_LINEAR}, "% busy");
    panel->height = 64;
    add_busy(spans, busy);
    for (size_t i = 0; i < BINS; i++) {
        double share = fmin(100 * busy[i] / (double)spans->slot_count, 100);
        sum += busy[i] * width;
        panel_box(panel, INK_PLAIN, (double)i * width, 0, ((double)i + 1.3) * width, share); /* without gaps */
    }
    return there > 0 ? fmin(100 * sum / there, 100) : 0;
}

static json_t *numbers_of(const struct slot_spans *spans)
{
    json_t *slots = json_array(), *attempts = json_array();
    for (size_t i = 0; i < spans->slot_count; i++)
        json_array_append_new(slots,
                              json_pack("{s:o, s:I, s:o}", "node", json_of_text(spans->slots[i].node), "slot",
                                        (json_int_t)spans->slots[i].slot, "busy", json_of_real(spans->slots[i].busy)));
    for (size_t i = 0; i < spans->count; i++) {
        const struct slot_span *span = &spans->items[i];
        json_array_append_new(
            attempts,
            json_pack("{s:I, s:i, s:I, s:o, s:o, s:o}", "trial", (json_int_t)span->trial, "attempt", (int)span->attempt,
                      "row", (json_int_t)span->slot, "started", json_of_real(span->started - spans->from), "seconds",
                      json_of_real(span->seconds), "reason",
                      span->reason < 0 ? json_null() : json_string(ending_name((enum ending)span->reason))));
    }
    return json_pack("{s:o, s:o, s:o}", "began", json_of_time(spans->from), "slots", slots, "attempts", attempts);
}

static void add_legend(const struct slot_spans *spans, struct picture *out)
{
    static const struct {
        enum ink ink;
        const char *text;
    } rows[] = {{INK_PLAIN, "completed"},
                {INK_EARLY, "stopped early or paused"},
                {INK_BAD, "failed or lost"},
                {INK_WARN, "interrupted, cancelled"},
                {INK_GOOD, "runs"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t j = 0; j < spans->count; j++)
            if (ink_of(&spans->items[j]) == rows[i].ink) {
                picture_legend(out, rows[i].ink, MARK_BOX, rows[i].text);
                break;
            }
}

static int draw_timeline(const struct plot_question *question, struct picture *out, struct err *err)
{
    const struct plot_subject *subject = &question->subjects[0];
    const struct slot_spans *spans = &subject->spans;
    char took[40], attempts[VALUES_COUNT];
    if (!spans->count)
        return err_set(err, "no attempt of %s has begun yet", subject->data.name);
    json_decref(out->numbers);
    out->numbers = numbers_of(spans);
    picture_title(out, "Timeline");
    struct panel *panel = picture_panel(out, NULL);
    scale_set(&panel->x, axis_of(0, spans->to - spans->from, AXIS_SECONDS), NULL);
    panel->x.bare = true;
    name_rows(spans, &panel->y);
    panel->height = fmax(40, (panel->y.name_count > 16 ? 13.0 : 20.0) * (double)panel->y.name_count);
    add_rows(spans, panel);
    double busy = add_utilisation(spans, out);
    add_legend(spans, out);
    picture_say(out, "%zu %s busy for %.0f %% of the time, with %s; from the first to the last it took %s.",
                spans->slot_count, spans->slot_count == 1 ? "slot was" : "slots were", busy,
                values_count(spans->count, "attempt", attempts),
                units_show_duration(spans->to - spans->from, took, sizeof took));
    if (row_step(spans) > 1)
        picture_note(out, "Rows are drawn of %zu of %zu slots.", panel->y.name_count, spans->slot_count);
    return 0;
}

const struct plot_kind plot_timeline = {.name = "timeline",
                                        .summary = "what each slot ran when, and how many were busy",
                                        .needs = PLOT_SPANS,
                                        .draw = draw_timeline};
