/* Learning curves: the best trial and others, those that were stopped quiet, and the steps at which early stopping
 * compared them. */
#include "cli/plot/values.h"

#include "cli/format.h"
#include "common/json.h"
#include "common/mem.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static struct axis value_axis(const struct plot_subject *subject, size_t *beyond)
{
    const struct trial_curves *curves = &subject->curves;
    double *values = MEM_ARRAY(double, curves->point_count + 1);
    for (size_t i = 0; i < curves->point_count; i++)
        values[i] = curves->points[i].value;
    struct axis axis = axis_of_values(values, curves->point_count, subject->data.metrics[0].maximize, beyond);
    free(values);
    return axis;
}

static struct axis step_axis(const struct trial_curves *curves)
{
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < curves->point_count; i++) {
        low = fmin(low, curves->points[i].step);
        high = fmax(high, curves->points[i].step);
    }
    return axis_widen(axis_of(low, high, AXIS_LINEAR), 0.01);
}

static void add_curve(const struct plot_subject *subject, const struct trial_curve *curve, enum ink ink, float width,
                      struct panel *panel)
{
    int64_t trial = trial_data_find(&subject->data, curve->trial);
    struct mark *line = panel_line(panel, ink);
    line->width = width;
    line->trial = curve->trial;
    line->opacity = ink == INK_PLAIN ? 0.6f : 1;
    line->text = trial >= 0 ? values_trial_text(&subject->data, (size_t)trial) : NULL;
    for (size_t i = 0; i < curve->count; i++)
        panel_to(panel, subject->curves.points[curve->first + i].step, subject->curves.points[curve->first + i].value);
    if (curve->count == 1) {
        const struct curve_point *point = &subject->curves.points[curve->first];
        struct mark *dot = panel_dot(panel, ink, point->step, point->value);
        dot->width = 1.5f;
        dot->trial = curve->trial;
    }
}

static enum ink ink_of(const struct trial_curve *curve)
{
    return curve->state == TRIAL_COMPLETED ? INK_PLAIN
           : curve->state == TRIAL_FAILED  ? INK_BAD
           : curve->state == TRIAL_RUNNING ? INK_GOOD
                                           : INK_FAINT;
}

/* Quiet ones first, so that others lie above them; the best above all. */
static void add_curves(const struct plot_subject *subject, uint64_t best, struct panel *panel)
{
    static const enum ink order[] = {INK_FAINT, INK_BAD, INK_PLAIN, INK_GOOD};
    const struct trial_curves *curves = &subject->curves;
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        for (size_t j = 0; j < curves->count; j++)
            if (ink_of(&curves->curves[j]) == order[i] && curves->curves[j].trial != best)
                add_curve(subject, &curves->curves[j], order[i], 1, panel);
    for (size_t j = 0; j < curves->count; j++)
        if (curves->curves[j].trial == best)
            add_curve(subject, &curves->curves[j], INK_BEST, 2.5f, panel);
}

/* What early stopping compared with there, or, of a store that does not say it, the worst that went on. */
static double edge_of(const struct cut_off *cut)
{
    return isfinite(cut->value) ? cut->value : cut->worst_that_went_on;
}

static void add_cuts(const struct trial_curves *curves, struct panel *panel)
{
    for (size_t i = 0; i < curves->cut_count; i++) {
        const struct cut_off *cut = &curves->cuts[i];
        char value[32];
        struct mark *rule = panel_rule(panel, INK_WARN, cut->step, panel->y.axis.low, cut->step, panel->y.axis.high);
        rule->dashed = true;
        rule->text = isfinite(cut->value)
                         ? mem_format("step %g: of these trials %u went on and %u ended or wait here; the last, trial "
                                      "%" PRIu64 ", was compared with %s",
                                      cut->step, cut->went_on, cut->ended, cut->trial,
                                      format_number(cut->value, value, sizeof value))
                         : mem_format("step %g: of these trials %u went on and %u ended or wait here", cut->step,
                                      cut->went_on, cut->ended);
        double half = (panel->x.axis.high - panel->x.axis.low) / 60;
        if (isfinite(edge_of(cut))) {
            struct mark *edge =
                panel_rule(panel, INK_WARN, cut->step - half, edge_of(cut), cut->step + half, edge_of(cut));
            edge->width = 2.5f;
        }
    }
}

/* Of what there is. */
static void add_legend(const struct trial_curves *curves, uint64_t best, struct picture *out)
{
    static const struct {
        enum ink ink;
        const char *text;
    } rows[] = {
        {INK_PLAIN, "completed"}, {INK_FAINT, "stopped early or waiting"}, {INK_BAD, "failed"}, {INK_GOOD, "runs"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t j = 0; j < curves->count; j++)
            if (ink_of(&curves->curves[j]) == rows[i].ink && curves->curves[j].trial != best) {
                picture_legend(out, rows[i].ink, MARK_LINE, rows[i].text);
                break;
            }
}

static const char *legend_of_cuts(const struct trial_curves *curves)
{
    for (size_t i = 0; i < curves->cut_count; i++)
        if (isfinite(curves->cuts[i].value))
            return "compared here; the bar: the last cut-off";
    return "compared here; the bar: the worst that went on";
}

static json_t *numbers_of(const struct plot_subject *subject)
{
    json_t *list = json_array(), *cuts = json_array();
    for (size_t i = 0; i < subject->curves.count; i++) {
        const struct trial_curve *curve = &subject->curves.curves[i];
        json_t *steps = json_array(), *values = json_array();
        for (size_t j = 0; j < curve->count; j++) {
            json_array_append_new(steps, json_of_real(subject->curves.points[curve->first + j].step));
            json_array_append_new(values, json_of_real(subject->curves.points[curve->first + j].value));
        }
        json_array_append_new(list, json_pack("{s:I, s:s, s:o, s:o}", "trial", (json_int_t)curve->trial, "state",
                                              trial_state_name(curve->state), "steps", steps, "values", values));
    }
    for (size_t i = 0; i < subject->curves.cut_count; i++) {
        const struct cut_off *cut = &subject->curves.cuts[i];
        json_array_append_new(
            cuts, json_pack("{s:o, s:i, s:i, s:o, s:o}", "step", json_of_real(cut->step), "went_on", (int)cut->went_on,
                            "ended", (int)cut->ended, "worst_that_went_on",
                            isfinite(cut->worst_that_went_on) ? json_real(cut->worst_that_went_on) : json_null(),
                            "cut_off", isfinite(cut->value) ? json_real(cut->value) : json_null()));
    }
    return json_pack("{s:o, s:o}", "curves", list, "cut_offs", cuts);
}

static void describe_curves(const struct plot_subject *subject, struct picture *out)
{
    const struct trial_data *data = &subject->data;
    size_t stopped = 0;
    for (size_t i = 0; i < data->count; i++)
        stopped += data->trials[i].state == TRIAL_STOPPED;
    char number[32], best[80] = "", all[VALUES_COUNT], early[60] = "";
    if (data->best_count)
        snprintf(best, sizeof best, "; the best, trial %" PRIu64 ", came to %s",
                 data->trials[data->best[data->best_count - 1].at].trial,
                 format_number(data->best[data->best_count - 1].value, number, sizeof number));
    if (stopped)
        snprintf(early, sizeof early, " %zu %s stopped early.", stopped, stopped == 1 ? "was" : "were");
    picture_say(out, "%s by step, of %zu of %s%s%s.%s", data->metrics[0].name, subject->curves.count,
                values_count(data->count, "trial", all),
                subject->curves.count < data->count ? ": the best ones and others, evenly" : "", best, early);
}

static int draw_curves(const struct plot_question *question, struct picture *out, struct err *err)
{
    const struct plot_subject *subject = &question->subjects[0];
    const struct trial_data *data = &subject->data;
    uint64_t best = data->best_count ? data->trials[data->best[data->best_count - 1].at].trial : 0;
    size_t beyond;
    json_decref(out->numbers);
    out->numbers = numbers_of(subject);
    if (subject->curves.point_count <= subject->curves.count)
        return err_set(err, "the trials of %s report a value at one step at most: there are no learning curves",
                       data->name);
    picture_title(out, "Learning curves");
    struct panel *panel = picture_panel(out, NULL);
    scale_set(&panel->x, step_axis(&subject->curves), "step");
    scale_set(&panel->y, value_axis(subject, &beyond), data->metrics[0].name);
    add_curves(subject, best, panel);
    add_cuts(&subject->curves, panel);
    if (best)
        picture_legend(out, INK_BEST, MARK_LINE, "the best trial");
    add_legend(&subject->curves, best, out);
    if (subject->curves.cut_count)
        picture_legend(out, INK_WARN, MARK_LINE, legend_of_cuts(&subject->curves));
    describe_curves(subject, out);
    return 0;
}

const struct plot_kind plot_curves = {.name = "curves",
                                      .summary = "learning curves, and where early stopping cut them off",
                                      .needs = PLOT_CURVES,
                                      .draw = draw_curves};
