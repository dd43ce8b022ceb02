/* Slices: the value against each parameter, a small panel each, the most important ones first. */
#include "cli/plot/values.h"

#include "common/json.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_PANELS = 12 };

static void add_slice(const struct trial_data *data, size_t param, const struct axis *values, const uint32_t *ranks,
                      size_t ranked, struct picture *out)
{
    struct panel *panel = picture_panel(out, data->params[param].name);
    values_param_scale(&data->params[param], data->count, &panel->x, NULL);
    scale_set(&panel->y, *values, NULL);
    for (int good = 0; good < 2; good++)
        for (size_t i = 0; i < data->count; i++) {
            bool is_good = ranks[i] < (ranked + 9) / 10;
            if (ranks[i] == UINT32_MAX || is_good != good || isnan(data->params[param].values[i]))
                continue;
            struct mark *dot = panel_dot(panel, good ? INK_BEST : INK_PLAIN, values_param_place(data, param, i),
                                         data->trials[i].value);
            dot->width = 2;
            dot->opacity = good ? 0.9f : 0.45f;
            dot->trial = data->trials[i].trial;
            dot->stays = ranks[i] == 0;
        }
}

static json_t *numbers_of(const struct trial_data *data, const size_t *params, size_t count)
{
    json_t *list = json_array();
    char number[64];
    for (size_t j = 0; j < count; j++) {
        const struct trial_param *param = &data->params[params[j]];
        json_t *points = json_array();
        for (size_t i = 0; i < data->count; i++)
            if (trial_data_counts(&data->trials[i]) && !isnan(param->values[i]))
                json_array_append_new(points, json_pack("[I, o, o]", (json_int_t)data->trials[i].trial,
                                                        param->level_count
                                                            ? json_of_text(values_param_text(param, param->values[i],
                                                                                             number, sizeof number))
                                                            : json_of_real(param->values[i]),
                                                        json_of_real(data->trials[i].value)));
        json_array_append_new(list, json_pack("{s:o, s:o}", "parameter", json_of_text(param->name), "points", points));
    }
    return list;
}

static int draw_slices(const struct plot_question *question, struct picture *out, struct err *err)
{
    const struct plot_subject *subject = &question->subjects[0];
    const struct trial_data *data = &subject->data;
    size_t params[MOST_PANELS], count = values_params(subject, MOST_PANELS, params), beyond, ranked;
    json_decref(out->numbers);
    out->numbers = numbers_of(data, params, count);
    if (!data->best_count)
        return values_none(data, err);
    if (!count)
        return err_set(err, "%s has no parameter that varies", data->name);
    picture_title(out, "%s by parameter", data->metrics[0].name);
    out->columns = count < 3 ? (unsigned)count : 3;
    struct axis values = values_axis(subject, 1, &beyond);
    uint32_t *ranks = values_ranks(data, &ranked);
    for (size_t j = 0; j < count; j++)
        add_slice(data, params[j], &values, ranks, ranked, out);
    free(ranks);
    picture_legend(out, INK_BEST, MARK_DOT, "the best tenth");
    picture_legend(out, INK_PLAIN, MARK_DOT, "others");
    char all[VALUES_COUNT];
    picture_say(out, "What %s came to by each parameter, %s; up is %s.", values_count(ranked, "trial", all),
                subject->importance ? "those first that matter most" : "in the order of the experiment file",
                data->metrics[0].maximize ? "better" : "worse");
    values_note_beyond(beyond, out);
    values_note_same(data, out);
    values_note_failed(subject, 1, out);
    return 0;
}

const struct plot_kind plot_slices = {
    .name = "slices", .summary = "the value against each parameter", .needs = PLOT_IMPORTANCE, .draw = draw_slices};
