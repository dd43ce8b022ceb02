/* Parallel coordinates: a line a trial through its parameters to its value. Of very many trials the best ones and
 * others, evenly. */
#include "cli/plot/values.h"

#include "common/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_AXES = 10, MOST_LINES = 300, BEST_LINES = 30, BOTTOM_TICKS = 4 };

/* Below the axes: where a parameter is inactive. */
static const double inactive = -0.1;

/* What one axis shows. */
struct parallel_axis {
    const struct trial_param *param; /* NULL: the value */
    struct axis axis;
};

static double place_in(const struct parallel_axis *column, const struct trial_data *data, size_t trial)
{
    if (!column->param)
        return fmin(fmax(axis_place(&column->axis, data->trials[trial].value), 0), 1);
    double value = column->param->values[trial];
    if (isnan(value))
        return inactive;
    if (column->param->level_count)
        return column->param->level_count > 1 ? value / (double)(column->param->level_count - 1) : 0.5;
    return fmin(fmax(axis_place(&column->axis, value), 0), 1);
}

/* Which trials have a line: by their rank among those that count. */
static bool is_drawn(uint32_t rank, size_t count)
{
    if (count <= MOST_LINES || rank < BEST_LINES)
        return true;
    size_t others = MOST_LINES - BEST_LINES, behind = count - BEST_LINES, at = rank - BEST_LINES;
    return at * others / behind != (at + 1) * others / behind;
}

static enum ink ink_of(uint32_t rank, size_t count)
{
    return rank < (count + 9) / 10 ? INK_BEST : rank < count / 2 ? INK_PLAIN : INK_FAINT;
}

/* The worse half first, the best tenth above all. */
static void add_lines(const struct trial_data *data, const struct parallel_axis *columns, size_t count,
                      struct panel *panel)
{
    static const enum ink order[] = {INK_FAINT, INK_PLAIN, INK_BEST};
    size_t ranked;
    uint32_t *ranks = values_ranks(data, &ranked);
    for (size_t pass = 0; pass < 3; pass++)
        for (size_t i = 0; i < data->count; i++) {
            if (ranks[i] == UINT32_MAX || !is_drawn(ranks[i], ranked) || ink_of(ranks[i], ranked) != order[pass])
                continue;
            struct mark *line = panel_line(panel, order[pass]);
            line->width = order[pass] == INK_BEST ? 1.4f : 1;
            line->opacity = order[pass] == INK_BEST ? 0.9f : 0.5f;
            line->trial = data->trials[i].trial;
            for (size_t j = 0; j < count; j++)
                panel_to(panel, (double)j, place_in(&columns[j], data, i));
        }
    free(ranks);
}

static void add_label(struct panel *panel, size_t column, double place, const char *label)
{
    struct mark *text = panel_text(panel, INK_QUIET, (double)column, place, label);
    text->stays = true;
    text->room = 0.9f;
}

static void add_axis(const struct parallel_axis *column, size_t at, struct panel *panel)
{
    struct tick ticks[8];
    panel_rule(panel, INK_FRAME, (double)at, 0, (double)at, 1);
    const struct trial_param *param = column->param;
    if (param && param->level_count) {
        size_t every = param->level_count > 12 ? param->level_count / 6 : 1;
        for (size_t i = 0; i < param->level_count; i += every)
            add_label(panel, at, param->level_count > 1 ? (double)i / (double)(param->level_count - 1) : 0.5,
                      param->levels[i]);
        return;
    }
    size_t count = (param && param->whole ? axis_whole_ticks : axis_ticks)(&column->axis, 6, ticks);
    for (size_t i = 0; i < count; i++)
        add_label(panel, at, axis_place(&column->axis, ticks[i].value), ticks[i].label);
}

/* Levels of a parameter that is inactive in some trials lie above a place for these. */
static bool has_inactive(const struct trial_data *data, const struct parallel_axis *columns, size_t count)
{
    for (size_t j = 0; j < count; j++)
        for (size_t i = 0; i < data->count && columns[j].param; i++)
            if (trial_data_counts(&data->trials[i]) && isnan(columns[j].param->values[i]))
                return true;
    return false;
}

static size_t make_columns(const struct plot_subject *subject, struct parallel_axis *columns, size_t *beyond)
{
    size_t params[MOST_AXES], count = values_params(subject, MOST_AXES, params);
    for (size_t i = 0; i < count; i++) {
        columns[i].param = &subject->data.params[params[i]];
        columns[i].axis = values_param_axis(columns[i].param, subject->data.count);
    }
    columns[count].param = NULL;
    columns[count].axis = values_axis(subject, 1, beyond);
    return count + 1;
}

static json_t *numbers_of(const struct trial_data *data, const struct parallel_axis *columns, size_t count)
{
    json_t *names = json_array(), *trials = json_array();
    char number[64];
    for (size_t j = 0; j < count; j++)
        json_array_append_new(names, json_of_text(columns[j].param ? columns[j].param->name : data->metrics[0].name));
    for (size_t i = 0; i < data->count; i++) {
        if (!trial_data_counts(&data->trials[i]))
            continue;
        json_t *row = json_array();
        for (size_t j = 0; j + 1 < count; j++) {
            const struct trial_param *param = columns[j].param;
            double value = param->values[i];
            json_array_append_new(row, param->level_count && !isnan(value)
                                           ? json_of_text(values_param_text(param, value, number, sizeof number))
                                           : json_of_known(value));
        }
        json_array_append_new(row, json_of_real(data->trials[i].value));
        json_array_append_new(trials,
                              json_pack("{s:I, s:o}", "trial", (json_int_t)data->trials[i].trial, "values", row));
    }
    return json_pack("{s:o, s:o}", "axes", names, "trials", trials);
}

/* Where the best tenth lies in the parameter that matters most. */
static void describe_parallel(const struct trial_data *data, const struct parallel_axis *columns, size_t count,
                              struct picture *out)
{
    size_t ranked;
    uint32_t *ranks = values_ranks(data, &ranked);
    double low = INFINITY, high = -INFINITY;
    char from[64], to[64], all[VALUES_COUNT];
    for (size_t i = 0; i < data->count && count > 1; i++)
        if (ranks[i] != UINT32_MAX && ink_of(ranks[i], ranked) == INK_BEST && isfinite(columns[0].param->values[i])) {
            low = fmin(low, columns[0].param->values[i]);
            high = fmax(high, columns[0].param->values[i]);
        }
    free(ranks);
    if (!(low <= high))
        picture_say(out, "A line is a trial: through its parameters to its %s.", data->metrics[0].name);
    else if (columns[0].param->level_count || low == high)
        picture_say(out, "A line is a trial; the best tenth of %s by %s stands out.",
                    values_count(ranked, "trial", all), data->metrics[0].name);
    else
        picture_say(out, "A line is a trial; the best tenth of %s by %s has %s between %s and %s.",
                    values_count(ranked, "trial", all), data->metrics[0].name, columns[0].param->name,
                    values_param_text(columns[0].param, low, from, sizeof from),
                    values_param_text(columns[0].param, high, to, sizeof to));
    if (ranked > MOST_LINES)
        picture_note(out, "Lines are drawn of the best %d of %zu trials and of %d others, evenly by their rank.",
                     BEST_LINES, ranked, MOST_LINES - BEST_LINES);
}

static int draw_parallel(const struct plot_question *question, struct picture *out, struct err *err)
{
    const struct plot_subject *subject = &question->subjects[0];
    const struct trial_data *data = &subject->data;
    struct parallel_axis columns[MOST_AXES + 1];
    size_t beyond, count = make_columns(subject, columns, &beyond);
    json_decref(out->numbers);
    out->numbers = numbers_of(data, columns, count);
    if (!data->best_count)
        return values_none(data, err);
    picture_title(out, "Parallel coordinates");
    struct panel *panel = picture_panel(out, NULL);
    double bottom = has_inactive(data, columns, count) ? inactive - 0.05 : -0.03;
    scale_set(&panel->x, (struct axis){-0.05, (double)count - 1 + 0.35, AXIS_LINEAR}, NULL);
    scale_set(&panel->y, (struct axis){bottom, 1.13, AXIS_LINEAR}, NULL);
    panel->x.bare = panel->y.bare = true;
    panel->height = 320;
    add_lines(data, columns, count, panel);
    for (size_t j = 0; j < count; j++) {
        const char *name = columns[j].param ? columns[j].param->name : data->metrics[0].name;
        add_axis(&columns[j], j, panel);
        struct mark *text = panel_text(panel, INK_TEXT, (double)j, 1.09, name);
        text->anchor = ANCHOR_MIDDLE;
        text->room = 1;
    }
    if (bottom < inactive)
        panel_text(panel, INK_QUIET, 0, inactive, "inactive");
    picture_legend(out, INK_BEST, MARK_LINE, "the best tenth");
    picture_legend(out, INK_PLAIN, MARK_LINE, "the better half");
    picture_legend(out, INK_FAINT, MARK_LINE, "others");
    describe_parallel(data, columns, count, out);
    values_note_beyond(beyond, out);
    values_note_same(data, out);
    values_note_failed(subject, 1, out);
    return 0;
}

const struct plot_kind plot_parallel = {.name = "parallel",
                                        .summary = "parallel coordinates: a line a trial through its parameters",
                                        .needs = PLOT_IMPORTANCE,
                                        .draw = draw_parallel};
