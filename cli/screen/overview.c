/* The screen overview: is it going well, what is best, what is stuck, when will it end. */
#include "cli/screen/screen.h"
#include "cli/format.h"
#include "cli/json.h"
#include "common/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { LABEL = 9 };

/* Where the next line goes. */
struct page {
    const struct model *model;
    struct canvas *canvas;
    struct area area;
    unsigned row;
    json_t *status;
};

static void add_label(struct page *page, const char *label)
{
    canvas_text(page->canvas, page->area, page->row, 0, TINT_QUIET, label);
}

static uint64_t count_of(const json_t *object, const char *name)
{
    json_int_t count = json_integer_value(json_object_get(object, name));
    return count > 0 ? (uint64_t)count : 0;
}

/* Trials that need nothing more, without those that were added. */
static uint64_t ended_of(const json_t *status)
{
    json_t *trials = json_object_get(status, "trials");
    uint64_t ended = count_of(trials, "completed") + count_of(trials, "stopped") + count_of(trials, "failed"),
             added = count_of(status, "added");
    return ended > added ? ended - added : 0;
}

static void draw_trials(struct page *page)
{
    static const struct {
        const char *state;
        enum tint tint;
    } states[] = {{"running", TINT_BUSY}, {"waiting", TINT_NONE},   {"paused", TINT_WARN}, {"completed", TINT_GOOD},
                  {"stopped", TINT_WARN}, {"cancelled", TINT_WARN}, {"failed", TINT_BAD}};
    json_t *trials = json_object_get(page->status, "trials");
    uint64_t ended = ended_of(page->status), most = count_of(page->status, "max_trials");
    add_label(page, "Trials");
    unsigned at = LABEL + canvas_print(page->canvas, page->area, page->row, LABEL, TINT_STRONG, "%" PRIu64, ended);
    if (most) {
        at += canvas_print(page->canvas, page->area, page->row, at, TINT_STRONG, "/%" PRIu64, most) + 2;
        unsigned width = page->area.columns > 100 ? 30 : 12;
        canvas_bar(page->canvas, page->area, page->row, at, width, (double)ended / (double)most, TINT_GOOD);
        at += width;
    }
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        if (count_of(trials, states[i].state))
            at += 2 + canvas_print(page->canvas, page->area, page->row, at + 2, states[i].tint, "%" PRIu64 " %s",
                                   count_of(trials, states[i].state), states[i].state);
    page->row++;
}

static void draw_best(struct page *page)
{
    char number[32];
    double best;
    if (!json_number(page->status, "best", &best))
        return;
    add_label(page, "Best");
    canvas_print(page->canvas, page->area, page->row++, LABEL, TINT_STRONG, "%s %s (trial %" PRIu64 ")",
                 json_text(page->status, "metric"), format_number(best, number, sizeof number),
                 count_of(page->status, "best_trial"));
}

static void draw_slots(struct page *page)
{
    double rate;
    uint64_t slots = count_of(page->status, "slots"), busy = count_of(page->status, "busy");
    if (!json_is_true(json_object_get(page->status, "lives")))
        return;
    add_label(page, "Slots");
    unsigned at = LABEL;
    canvas_bar(page->canvas, page->area, page->row, at, 12, slots ? (double)busy / (double)slots : 0, TINT_BUSY);
    at += 14;
    at += canvas_print(page->canvas, page->area, page->row, at, TINT_NONE, "%" PRIu64 " of %" PRIu64 " busy", busy,
                       slots);
    if (json_number(page->status, "rate", &rate) && rate > 0)
        canvas_print(page->canvas, page->area, page->row, at, TINT_NONE, "  %.3g trials/s", rate);
    page->row++;
}

static void draw_explanation(struct page *page)
{
    const char *why = json_text(page->model->sections[SECTION_OVERVIEW].value, "explanation");
    if (!*why)
        return;
    add_label(page, "Note");
    canvas_text(page->canvas, page->area, page->row++, LABEL, TINT_WARN, why);
}

static void want(const struct view *view, struct area area, struct wants *wants)
{
    (void)view;
    (void)area;
    wants->sections |= 1u << SECTION_OVERVIEW;
}

static void draw(struct model *model, struct canvas *canvas, struct area area)
{
    struct page page = {
        .model = model, .canvas = canvas, .area = area, .status = model_get(model, SECTION_OVERVIEW, "status")};
    if (!page.status) {
        section_absent(model, SECTION_OVERVIEW, canvas, area);
        return;
    }
    draw_trials(&page);
    draw_best(&page);
    draw_slots(&page);
    draw_explanation(&page);
}

const struct screen_kind screen_overview = {
    .title = "Overview", .help = "How the search stands, and what it needs.", .want = want, .draw = draw};
