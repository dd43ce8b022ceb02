/* Of the screen search the parts that are tables and sentences. */
#include "cli/screen/search.h"
#include "cli/format.h"
#include "cli/json.h"

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
    const struct list_place *place = &model->view.places[SCREEN_SEARCH];
    if (place->first + at == place->chosen)
        canvas_choose(canvas, rows, at);
}

/* --- importance --- */

/* Where the columns of the table are. */
struct search_columns {
    unsigned bar, bar_width, share, between, good;
};

static struct search_columns columns_of(struct area area)
{
    if (area.columns < WIDE)
        return (struct search_columns){12, 0, 13, 0, 20};
    unsigned bar = area.columns >= 100 ? 24 : 16;
    return (struct search_columns){20, bar, 20 + bar + 1, 20 + bar + 8, 20 + bar + 22};
}

static void draw_param(struct canvas *canvas, struct area area, unsigned at, const json_t *param, bool explained)
{
    struct search_columns columns = columns_of(area);
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

/* How many trials say so: those that `gannet importance` takes, too. */
static void say_sample(const json_t *importance, struct canvas *canvas, struct area foot)
{
    json_int_t trials = json_integer_value(json_object_get(importance, "trials")),
               every = json_integer_value(json_object_get(importance, "every"));
    char part[48] = "";
    if (every > 1)
        snprintf(part, sizeof part, ", one of every %" JSON_INTEGER_FORMAT " that ended", every);
    canvas_print(canvas, foot, 0, 0, TINT_QUIET,
                 "of %" JSON_INTEGER_FORMAT " trials%s; good: the best %" JSON_INTEGER_FORMAT, trials, part,
                 json_integer_value(json_object_get(importance, "best")));
}

void search_importance(struct model *model, struct canvas *canvas, struct area area)
{
    json_t *importance = search_get(model, "importance"), *params = search_params(model);
    const struct list_place *place = &model->view.places[SCREEN_SEARCH];
    struct search_columns columns = columns_of(area);
    bool explained = json_integer_value(json_object_get(importance, "trials")) > 0;
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
    if (explained) {
        say_sample(importance, canvas, foot);
        used += canvas_wrap(canvas, foot, used, 0, TINT_NONE, json_text(chosen, "sentence"));
    }
    if (explained && *json_text(importance, "caution"))
        canvas_wrap(canvas, foot, used, 0, TINT_WARN, json_text(importance, "caution"));
    else if (!explained)
        canvas_wrap(canvas, foot, used, 0, TINT_QUIET,
                    json_is_true(search_get(model, "explaining"))
                        ? "what matters is being worked out; below are the ranges of the parameters"
                    : json_is_object(importance)
                        ? "what matters is not known: no trial has a value yet; below are the ranges of the parameters"
                        : "what matters is not known yet: too few trials have ended");
}

/* --- early stopping --- */

enum { COUNTS = 4, COUNT_WIDTH = 8, BELOW_RUNGS = 5 };

/* Where the columns of the table of rungs are; cut_off: 0 where there is no room for it and the best. */
struct rung_columns {
    unsigned counts, cut_off, best;
    const char *first; /* the title of the first one */
};

static bool have_brackets(const json_t *rungs)
{
    return json_integer_value(json_object_get(json_array_get(rungs, json_array_size(rungs) - 1), "bracket")) > 0;
}

static struct rung_columns rung_columns_of(struct area area, const json_t *rungs)
{
    bool several = have_brackets(rungs), wide = area.columns >= WIDE;
    struct rung_columns columns = {.counts = several && wide ? 13 : 8};
    unsigned end = columns.counts + COUNTS * COUNT_WIDTH;
    columns.first = !several ? "step" : wide ? "bracket:step" : "br:step";
    columns.cut_off = wide ? end + 1 : 0;
    columns.best = end + 13;
    return columns;
}

static void print_rung(const json_t *rung, char *out, size_t size)
{
    json_int_t bracket = json_integer_value(json_object_get(rung, "bracket")),
               step = json_integer_value(json_object_get(rung, "step"));
    if (bracket)
        snprintf(out, size, "%" JSON_INTEGER_FORMAT ":%" JSON_INTEGER_FORMAT, bracket, step);
    else
        snprintf(out, size, "%" JSON_INTEGER_FORMAT, step);
}

static void draw_rung(struct canvas *canvas, struct area area, unsigned at, const struct rung_columns *columns,
                      const json_t *rung)
{
    static const char *const members[COUNTS] = {"reached", "passed", "stopped", "waiting"};
    double cut_off, best;
    char text[48];
    print_rung(rung, text, sizeof text);
    canvas_right(canvas, area, at, 0, columns->counts, TINT_NONE, text);
    for (unsigned i = 0; i < COUNTS; i++) {
        snprintf(text, sizeof text, "%" JSON_INTEGER_FORMAT, json_integer_value(json_object_get(rung, members[i])));
        canvas_right(canvas, area, at, columns->counts + COUNT_WIDTH * i, COUNT_WIDTH, TINT_NONE, text);
    }
    if (columns->cut_off && json_number(rung, "cut_off", &cut_off))
        canvas_right(canvas, area, at, columns->cut_off, 10, TINT_WARN, format_number(cut_off, text, sizeof text));
    else if (columns->cut_off)
        canvas_right(canvas, area, at, columns->cut_off, 10, TINT_QUIET, "-");
    if (columns->cut_off && json_number(rung, "best", &best))
        canvas_print(canvas, area, at, columns->best, TINT_GOOD, "%s (trial %" JSON_INTEGER_FORMAT ")",
                     format_number(best, text, sizeof text), json_integer_value(json_object_get(rung, "best_trial")));
}

static void add_waiting(const json_t *rung, struct buf *out)
{
    const json_t *who = json_object_get(rung, "who"), *trial;
    json_int_t waiting = json_integer_value(json_object_get(rung, "waiting"));
    size_t index;
    if (!waiting)
        return;
    buf_format(out, waiting == 1 ? "; trial" : "; trials");
    json_array_foreach((json_t *)who, index, trial)
        buf_format(out, "%s %" JSON_INTEGER_FORMAT, index ? "," : "", json_integer_value(trial));
    buf_format(out, "%s %s", (size_t)waiting > json_array_size(who) ? " ..." : "", waiting == 1 ? "waits" : "wait");
}

/* What the numbers of a rung say: "of 12 trials at step 3, 4 passed on, 7 were stopped, 1 waits; the cut-off is 0.335
 * now (low is good); trial 9 waits". Where the table is narrow, what it has no room for. */
static void say_rung(const struct model *model, const json_t *rung, bool wide, struct buf *out)
{
    json_int_t reached = json_integer_value(json_object_get(rung, "reached")),
               bracket = json_integer_value(json_object_get(rung, "bracket"));
    double cut_off;
    char text[32];
    if (wide && bracket)
        buf_format(out, "bracket %" JSON_INTEGER_FORMAT ", ", bracket);
    if (wide)
        buf_format(out,
                   "step %" JSON_INTEGER_FORMAT ": %" JSON_INTEGER_FORMAT " trial%s reached it, %" JSON_INTEGER_FORMAT
                   " passed on, %" JSON_INTEGER_FORMAT " stopped there; ",
                   json_integer_value(json_object_get(rung, "step")), reached, reached == 1 ? "" : "s",
                   json_integer_value(json_object_get(rung, "passed")),
                   json_integer_value(json_object_get(rung, "stopped")));
    if (json_number(rung, "cut_off", &cut_off))
        buf_format(out, "the cut-off is %s now (%s is good)", format_number(cut_off, text, sizeof text),
                   search_maximizes(model, 0) ? "high" : "low");
    else
        buf_text(out, "no cut-off is known");
    add_waiting(rung, out);
}

static void draw_rung_foot(const struct model *model, struct canvas *canvas, struct area foot, const json_t *rung)
{
    const char *why = json_text(rung, "why");
    struct buf line = {0};
    say_rung(model, rung, foot.columns >= WIDE, &line);
    canvas_rule(canvas, foot, 0, "");
    unsigned used = 1 + canvas_wrap(canvas, foot, 1, 0, TINT_NONE, buf_str(&line));
    buf_clear(&line);
    buf_format(&line, "last there: %s", *why ? why : "all went on, without a reason");
    canvas_wrap(canvas, foot, used, 0, TINT_QUIET, buf_str(&line));
    buf_fini(&line);
}

void search_rungs(struct model *model, struct canvas *canvas, struct area area)
{
    static const char *const titles[COUNTS] = {"reached", "passed", "stopped", "waiting"};
    json_t *rungs = search_get(model, "rungs");
    const struct list_place *place = &model->view.places[SCREEN_SEARCH];
    if (!json_array_size(rungs)) {
        bool stops = json_is_string(search_get(model, "early_stop"));
        canvas_wrap(canvas, area, 0, 0, TINT_QUIET,
                    stops ? "early stopping has looked at no trial yet: none has come to a step at which it looks"
                          : "there is no early stopping (early_stop): every trial runs to its end");
        return;
    }
    struct rung_columns columns = rung_columns_of(area, rungs);
    struct area rows = begin_table(model, area, json_array_size(rungs), BELOW_RUNGS),
                foot = {rows.row + rows.rows, area.column, area.rows - rows.rows - 1, area.columns};
    canvas_right(canvas, area, 0, 0, columns.counts, TINT_NONE, columns.first);
    for (unsigned i = 0; i < COUNTS; i++)
        canvas_right(canvas, area, 0, columns.counts + COUNT_WIDTH * i, COUNT_WIDTH, TINT_NONE, titles[i]);
    if (columns.cut_off) {
        canvas_right(canvas, area, 0, columns.cut_off, 10, TINT_NONE, "cut-off");
        canvas_text(canvas, area, 0, columns.best, TINT_NONE, "best there");
    }
    canvas_reverse(canvas, area, 0);
    for (unsigned i = 0; i < rows.rows && place->first + i < json_array_size(rungs); i++) {
        draw_rung(canvas, rows, i, &columns, json_array_get(rungs, (size_t)place->first + i));
        mark_chosen(model, canvas, rows, i);
    }
    draw_rung_foot(model, canvas, foot, json_array_get(rungs, (size_t)place->chosen));
}

/* --- the strategy --- */

/* The chosen sentence is the first: where there is no room for all, one goes down. */
void search_strategy(struct model *model, struct canvas *canvas, struct area area)
{
    const json_t *sentences = search_get(model, "sentences");
    struct list_place *place = &model->view.places[SCREEN_SEARCH];
    unsigned row = 0;
    place_follow(place, json_array_size(sentences), 1);
    for (size_t i = (size_t)place->chosen; i < json_array_size(sentences) && row < area.rows; i++) {
        const char *text = json_string_value(json_array_get(sentences, i));
        row += canvas_wrap(canvas, area, row, 0, TINT_NONE, text ? text : "");
    }
}
