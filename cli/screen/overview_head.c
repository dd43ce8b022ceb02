/* The lines at the top of the overview; see overview_parts.h. */
#include "cli/screen/overview_parts.h"
#include "cli/format.h"
#include "cli/json.h"
#include "common/mem.h"
#include "common/units.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL = 8, JOBS = 4 };

/* Where the next line goes. */
struct overview_head {
    const struct model *model;
    struct canvas *canvas;
    struct area area;
    unsigned row, at;
    json_t *status;
};

static void add_text(struct overview_head *page, enum tint tint, const char *text)
{
    page->at += canvas_text(page->canvas, page->area, page->row, page->at, tint, text);
}

static void add_words(struct overview_head *page, enum tint tint, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void add_words(struct overview_head *page, enum tint tint, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = mem_vformat(format, arguments);
    va_end(arguments);
    add_text(page, tint, text);
    free(text);
}

static void begin_line(struct overview_head *page, const char *label)
{
    canvas_text(page->canvas, page->area, page->row, 0, TINT_QUIET, label);
    page->at = LABEL;
}

static void end_line(struct overview_head *page)
{
    page->row++;
}

static uint64_t count_of(const json_t *object, const char *name)
{
    json_int_t count = json_integer_value(json_object_get(object, name));
    return count > 0 ? (uint64_t)count : 0;
}

static void add_bar(struct overview_head *page, unsigned width, uint64_t part, uint64_t whole, enum tint tint)
{
    canvas_bar(page->canvas, page->area, page->row, page->at, width, whole ? (double)part / (double)whole : 0, tint);
    page->at += width;
}

/* --- trials --- */

/* Trials that need nothing more, without those that were added. */
static uint64_t ended_of(const json_t *status)
{
    json_t *trials = json_object_get(status, "trials");
    uint64_t ended = count_of(trials, "completed") + count_of(trials, "stopped") + count_of(trials, "failed"),
             added = count_of(status, "added");
    return ended > added ? ended - added : 0;
}

static void draw_trials(struct overview_head *page)
{
    static const struct {
        const char *state, *brief;
        enum tint tint;
    } states[] = {{"running", "run", TINT_BUSY},     {"waiting", "wait", TINT_NONE},
                  {"paused", "paused", TINT_WARN},   {"completed", "done", TINT_GOOD},
                  {"stopped", "stopped", TINT_WARN}, {"cancelled", "cancelled", TINT_WARN},
                  {"failed", "failed", TINT_BAD}};
    json_t *trials = json_object_get(page->status, "trials");
    uint64_t ended = ended_of(page->status), most = count_of(page->status, "max_trials");
    begin_line(page, "Trials");
    add_words(page, TINT_STRONG, "%" PRIu64, ended);
    if (most)
        add_words(page, TINT_STRONG, "/%" PRIu64 " ", most);
    if (most && page->area.columns >= 60)
        add_bar(page, page->area.columns / 6, ended, most, TINT_GOOD);
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        if (count_of(trials, states[i].state)) {
            add_words(page, states[i].tint, "  %" PRIu64 " %s", count_of(trials, states[i].state), states[i].brief);
        }
    if (count_of(page->status, "ignored")) {
        add_words(page, TINT_WARN, "  %" PRIu64 " ignored", count_of(page->status, "ignored"));
    }
    end_line(page);
}

/* --- the best --- */

/* How long ago, of a time as docs/json.md has it; false: not known. */
static bool show_age(const struct overview_head *page, const json_t *time, char *out, size_t size)
{
    double age = json_is_string(time) ? page->model->now - units_time(json_string_value(time)) : -1;
    return age >= 0 && units_show_duration(age, out, size);
}

static void draw_best(struct overview_head *page)
{
    json_t *trial = model_get(page->model, SECTION_OVERVIEW, "best");
    const char *goal = json_string_value(model_get(page->model, SECTION_OVERVIEW, "goal"));
    char number[32];
    double best;
    begin_line(page, "Best");
    if (!json_number(page->status, "best", &best)) {
        add_text(page, TINT_QUIET, "no trial has a value yet");
        end_line(page);
        return;
    }
    add_text(page, TINT_STRONG, format_number(best, number, sizeof number));
    add_words(page, TINT_STRONG, "  trial %" PRIu64, count_of(page->status, "best_trial"));
    if (show_age(page, json_object_get(trial, "ended"), number, sizeof number)) {
        add_words(page, TINT_NONE, ", %s ago", number);
    }
    add_text(page, TINT_NONE, "  ");
    add_text(page, TINT_NONE, json_text(page->status, "metric"));
    add_text(page, TINT_QUIET, ", ");
    add_text(page, TINT_QUIET, goal ? goal : "");
    end_line(page);
}

/* The parameters of the best, and where trials are judged by several metrics these. */
static void draw_best_parameters(struct overview_head *page)
{
    json_t *trial = model_get(page->model, SECTION_OVERVIEW, "best");
    struct buf text = {0};
    if (json_object_size(json_object_get(page->status, "best_values")) > 1)
        format_values(trial, &text);
    if (text.length)
        buf_text(&text, "  ");
    format_params(json_object_get(trial, "params"), "  ", &text);
    const char *line = buf_str(&text) + strspn(buf_str(&text), " ");
    struct area rows = page->area;
    rows.rows = page->row + (page->area.rows >= 20 ? 2 : 1);
    if (*line)
        page->row += canvas_wrap(page->canvas, rows, page->row, LABEL, TINT_NONE, line);
    buf_fini(&text);
}

/* --- slots, time, jobs --- */

static void draw_slots(struct overview_head *page)
{
    uint64_t slots = count_of(page->status, "slots"), busy = count_of(page->status, "busy");
    double rate;
    if (!json_is_true(json_object_get(page->status, "lives")))
        return;
    begin_line(page, "Slots");
    add_bar(page, page->area.columns >= 60 ? page->area.columns / 6 : 8, busy, slots, TINT_BUSY);
    add_words(page, busy < slots ? TINT_WARN : TINT_NONE, "  %" PRIu64 " of %" PRIu64 " busy", busy, slots);
    if (json_number(page->status, "rate", &rate) && rate > 0) {
        add_words(page, TINT_NONE, "  %.3g trials/s", rate);
    }
    json_t *nodes = json_object_get(page->status, "nodes");
    if (json_is_object(nodes)) {
        add_words(page, TINT_NONE, "  a trial takes %" PRIu64 " of %" PRIu64 " nodes", count_of(nodes, "needed"),
                  count_of(nodes, "here"));
    }
    end_line(page);
}

/* When the time of the job is up, and what that keeps waiting. */
static void draw_deadline(struct overview_head *page)
{
    json_t *deadline = json_object_get(page->status, "deadline");
    char time[32];
    double seconds;
    if (!json_number(deadline, "seconds", &seconds))
        return;
    begin_line(page, "Time up");
    add_words(page, seconds < 600 ? TINT_WARN : TINT_NONE, "in %s",
              units_show_duration(seconds > 0 ? seconds : 0, time, sizeof time));
    if (count_of(deadline, "exceeds_walltime")) {
        add_words(page, TINT_WARN, "; %" PRIu64 " waiting trials would not end in time",
                  count_of(deadline, "exceeds_walltime"));
    }
    end_line(page);
}

static void draw_steps(struct overview_head *page)
{
    json_t *steps = json_object_get(page->status, "steps");
    uint64_t taken = count_of(steps, "taken"), most = count_of(steps, "trials") * count_of(steps, "max_steps");
    if (!most)
        return;
    begin_line(page, "Steps");
    add_words(page, TINT_NONE, "%.0f %% of full training: %" PRIu64 " of %" PRIu64 ", early stopping saves the rest",
              100 * (double)taken / (double)most, taken, most);
    end_line(page);
}

/* The heading of the table is left out where one job is all. */
static void draw_jobs(struct overview_head *page)
{
    json_t *jobs = model_get(page->model, SECTION_OVERVIEW, "jobs"), *line;
    size_t index;
    json_array_foreach(jobs, index, line)
    {
        if (index > JOBS || page->row + 1 >= page->area.rows)
            break;
        begin_line(page, index ? "" : "Slurm");
        add_text(page, index ? TINT_NONE : TINT_QUIET, json_string_value(line));
        end_line(page);
    }
}

/* Why nothing runs or it has ended, in a row or two. */
static void draw_why(struct overview_head *page)
{
    const json_t *overview = page->model->sections[SECTION_OVERVIEW].value;
    const char *why = json_text(overview, "explanation"), *reason = json_text(overview, "reason");
    struct area rows = page->area;
    rows.rows = page->row + (page->area.rows >= 20 ? 3 : 1);
    if (*reason) {
        bool paused = strcmp(json_text(overview, "state"), "paused") == 0;
        char *line = mem_format("%s%s", reason, paused && !page->model->view.read_only ? ", or U here" : "");
        begin_line(page, paused ? "Paused" : "Ended");
        page->row += canvas_wrap(page->canvas, rows, page->row, LABEL, TINT_NONE, line);
        free(line);
    }
    if (*why) {
        rows.rows = page->row + (page->area.rows >= 20 ? 3 : 1);
        begin_line(page, "Note");
        page->row += canvas_wrap(page->canvas, rows, page->row, LABEL, TINT_WARN, why);
    }
}

unsigned head_draw(const struct model *model, struct canvas *canvas, struct area area)
{
    struct overview_head page = {
        .model = model, .canvas = canvas, .area = area, .status = model_get(model, SECTION_OVERVIEW, "status")};
    draw_trials(&page);
    draw_best(&page);
    draw_best_parameters(&page);
    draw_slots(&page);
    draw_deadline(&page);
    if (area.rows >= 18)
        draw_steps(&page);
    draw_jobs(&page);
    draw_why(&page);
    return page.row < area.rows ? page.row : area.rows;
}
