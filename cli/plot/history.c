/* The history of a search: what each trial came to, and the best so far, over trials, time or core-hours. Of several
 * searches their bests alone. */
#include "cli/plot/values.h"

#include "cli/format.h"
#include "common/buf.h"
#include "common/mem.h"
#include "common/json.h"
#include "common/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static const struct {
    const char *name, *label;
    size_t offset;
    enum axis_scale scale;
} axes[] = {
#define X(id, name, member, scale, label) {name, label, offsetof(struct progress_place, member), scale},
    PROGRESS_AXES(X)
#undef X
};

/* Core-seconds are shown as hours. */
static double passed(const struct plot_question *question, const struct progress_place *place)
{
    double value = trial_data_passed(place, axes[question->along].offset);
    return question->along == PROGRESS_CORES ? value / 3600 : value;
}

/* The best so far as a staircase, up to now. */
static void add_best(const struct plot_question *question, const struct trial_data *data, enum ink ink,
                     struct panel *panel)
{
    struct mark *line = panel_line(panel, ink);
    line->width = 2;
    for (size_t i = 0; i < data->best_count; i++) {
        double x = passed(question, &data->best[i].place);
        if (i > 0)
            panel_to(panel, x, data->best[i - 1].value);
        panel_to(panel, x, data->best[i].value);
    }
    if (data->best_count)
        panel_to(panel, passed(question, &data->last), data->best[data->best_count - 1].value);
}

static void add_trial(const struct plot_question *question, const struct trial_data *data, size_t at,
                      struct panel *panel, struct panel *failures)
{
    const struct trial_point *point = &data->trials[at];
    double x = passed(question, &point->place);
    if (point->ignored || !isfinite(x))
        return;
    struct mark *dot;
    if (trial_data_counts(point)) {
        bool plain = point->state == TRIAL_COMPLETED && point->feasible;
        dot = panel_dot(panel, plain ? INK_PLAIN : INK_FAINT, x, point->value);
        dot->opacity = plain ? 0.65f : 1;
        dot->hollow = !point->feasible;
        dot->trial = point->trial;
    } else if (point->state == TRIAL_FAILED) {
        dot = panel_dot(failures, INK_BAD, x, 0.5);
        dot->width = 2;
        dot->trial = point->trial;
    }
}

/* Trials that failed have no value, so no place on its axis: they stand in a row of their own above it. */
static struct panel *add_failures(const struct panel *panel, struct picture *out)
{
    enum { ROW = 14 };
    struct panel *failures = picture_panel_above(out);
    scale_set(&failures->x, panel->x.axis, NULL);
    failures->x.bare = true;
    failures->height = ROW;
    scale_name(&failures->y, "failed");
    return failures;
}

static void add_trials(const struct plot_question *question, const struct trial_data *data, struct picture *out,
                       struct panel *panel)
{
    bool stopped = false, failed = values_failed(data) > 0, infeasible = false;
    struct panel *failures = failed ? add_failures(panel, out) : NULL;
    for (size_t i = 0; i < data->count; i++) {
        const struct trial_point *point = &data->trials[i];
        add_trial(question, data, i, panel, failures);
        stopped = stopped || point->state == TRIAL_STOPPED;
        infeasible = infeasible || (trial_data_counts(point) && !point->feasible);
    }
    add_best(question, data, INK_BEST, panel);
    for (size_t i = 0; i < data->best_count; i++) {
        struct mark *dot = panel_dot(panel, INK_BEST, passed(question, &data->best[i].place), data->best[i].value);
        dot->width = 3.5f;
        dot->stays = true;
        dot->trial = data->trials[data->best[i].at].trial;
        dot->text = values_trial_text(data, data->best[i].at);
    }
    picture_legend(out, INK_BEST, MARK_LINE, "best so far");
    picture_legend(out, INK_PLAIN, MARK_DOT, "completed");
    if (stopped)
        picture_legend(out, INK_FAINT, MARK_DOT, "stopped early");
    if (infeasible)
        picture_legend_ring(out, INK_FAINT, "breaks a limit");
    if (failed)
        picture_legend(out, INK_BAD, MARK_DOT, "failed: no value, in a row of their own");
}

/* --- what is to be seen --- */

static void say_one(const struct trial_data *data, struct picture *out)
{
    const struct best_point *best = &data->best[data->best_count - 1];
    char number[32], before[32], took[48], ended[VALUES_COUNT];
    double earlier = trial_data_best_at(data, offsetof(struct progress_place, trials), data->last.trials * 0.75);
    units_show_duration(best->place.seconds, took, sizeof took);
    struct buf end = {0};
    if (isfinite(earlier) && earlier != best->value)
        buf_format(&end, "; after three quarters of the trials it was %s",
                   format_number(earlier, before, sizeof before));
    else if (isfinite(earlier))
        buf_text(&end, "; the last quarter of the trials brought nothing better");
    picture_say(out,
                "The best of %s that ha%s ended, %s %s, is trial %" PRIu64 ", which ended as number %.0f after %s%s.",
                values_count((size_t)data->last.trials, "trial", ended), data->last.trials == 1 ? "s" : "ve",
                data->metrics[0].name, format_number(best->value, number, sizeof number), data->trials[best->at].trial,
                best->place.trials, took, buf_str(&end));
    buf_fini(&end);
}

static void say_several(const struct plot_question *question, struct picture *out)
{
    const struct trial_data *first = NULL;
    for (size_t i = 0; i < question->count; i++) {
        const struct trial_data *data = &question->subjects[i].data;
        if (data->best_count && (!first || trial_data_is_better(data, data->best[data->best_count - 1].value,
                                                                first->best[first->best_count - 1].value)))
            first = data;
    }
    char number[32];
    picture_say(out, "Of %zu searches %s has come to the best value: %s %s.", question->count, first->name,
                first->metrics[0].name, format_number(first->best[first->best_count - 1].value, number, sizeof number));
}

static json_t *numbers_of(const struct plot_question *question, const struct trial_data *data)
{
    json_t *list = json_array();
    for (size_t i = 0; i < data->best_count; i++)
        json_array_append_new(list, json_pack("{s:I, s:o, s:o, s:o, s:o}", "trial",
                                              (json_int_t)data->trials[data->best[i].at].trial, "value",
                                              json_of_real(data->best[i].value), "trials",
                                              json_of_real(data->best[i].place.trials), "seconds",
                                              json_of_real(data->best[i].place.seconds), "core_hours",
                                              json_of_real(data->best[i].place.core_seconds / 3600)));
    return json_pack("{s:o, s:s, s:o, s:o, s:o, s:o}", "name", json_of_text(data->name), "along",
                     axes[question->along].name, "trials", json_of_real(data->last.trials), "seconds",
                     json_of_real(data->last.seconds), "core_hours", json_of_real(data->last.core_seconds / 3600),
                     "best_so_far", list);
}

/* Whether a best was still the best when a tenth of the search had passed, or came later. */
static bool is_late(const struct plot_question *question, const struct trial_data *data, size_t at)
{
    double until = at + 1 < data->best_count ? passed(question, &data->best[at + 1].place) : INFINITY;
    return !(until <= passed(question, &data->last) / 10);
}

/* Of several searches the axis is that of their bests: nothing else is drawn. With what a search begins at, by chance,
 * there would be no room for how they differ later. */
static struct axis value_axis(const struct plot_question *question, size_t *beyond)
{
    if (question->count == 1)
        return values_axis(question->subjects, 1, beyond);
    size_t all = 0, count = 0, off = 0;
    for (size_t i = 0; i < question->count; i++)
        all += question->subjects[i].data.best_count;
    double *values = MEM_ARRAY(double, all + 1);
    for (size_t i = 0; i < question->count; i++)
        for (size_t j = 0; j < question->subjects[i].data.best_count; j++)
            if (is_late(question, &question->subjects[i].data, j))
                values[count++] = question->subjects[i].data.best[j].value;
    struct axis axis = axis_of_values(values, count, question->subjects[0].data.metrics[0].maximize, beyond);
    for (size_t i = 0; i < question->count; i++)
        for (size_t j = 0; j < question->subjects[i].data.best_count; j++) {
            double place = axis_place(&axis, question->subjects[i].data.best[j].value);
            off += !is_late(question, &question->subjects[i].data, j) && (place < 0 || place > 1);
        }
    *beyond += off;
    free(values);
    return axis;
}

static int draw_history(const struct plot_question *question, struct picture *out, struct err *err)
{
    const struct trial_data *one = &question->subjects[0].data;
    size_t beyond, bests = 0;
    double last = 0;
    if (plot_check_comparable(question->subjects, question->count, err))
        return -1;
    json_t *numbers = json_array();
    for (size_t i = 0; i < question->count; i++) {
        bests += question->subjects[i].data.best_count;
        last = fmax(last, passed(question, &question->subjects[i].data.last));
        json_array_append_new(numbers, numbers_of(question, &question->subjects[i].data));
    }
    json_decref(out->numbers);
    out->numbers = numbers;
    if (!bests)
        return values_none(one, err);
    picture_title(out, question->count > 1 ? "Best so far" : "History");
    struct panel *panel = picture_panel(out, NULL);
    scale_set(&panel->x, axis_widen(axis_of(0, last, axes[question->along].scale), 0.01), axes[question->along].label);
    panel->x.whole = question->along == PROGRESS_TRIALS;
    scale_set(&panel->y, value_axis(question, &beyond), one->metrics[0].name);
    for (size_t i = 0; i < question->count && question->count > 1; i++) {
        enum ink ink = (enum ink)(INK_SERIES_1 + i % INK_SERIES);
        add_best(question, &question->subjects[i].data, ink, panel);
        picture_legend(out, ink, MARK_LINE, question->subjects[i].data.name);
    }
    if (question->count == 1)
        add_trials(question, one, out, panel);
    else
        values_widen_same(panel);
    if (question->count == 1)
        say_one(one, out);
    else
        say_several(question, out);
    values_note_beyond(beyond, out);
    return 0;
}

const struct plot_kind plot_history = {
    .name = "history",
    .summary = "what trials came to, and the best so far; of several experiments their bests",
    .compares = true,
    .draw = draw_history};
