/* Two parameters against each other, each trial by its rank: for the pairs of those that matter most. Nothing is
 * interpolated. */
#include "cli/plot/values.h"

#include "common/json.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_PARAMS = 3 };

/* From the worst to the best, so that the best lie above. */
static const struct {
    double from, to; /* shares of the ranks */
    enum ink ink;
    float width;
    const char *text;
} bands[] = {{0.5, 2, INK_FAINT, 2, "the worse half"},
             {0.1, 0.5, INK_PLAIN, 2.5, "the better half"},
             {-1, 0.1, INK_BEST, 3.5, "the best tenth"}};
enum { BANDS = sizeof bands / sizeof *bands };

static void add_pair(const struct trial_data *data, size_t x, size_t y, const uint32_t *ranks, size_t ranked,
                     struct picture *out)
{
    struct panel *panel = picture_panel(out, NULL);
    values_param_scale(&data->params[x], data->count, &panel->x, data->params[x].name);
    values_param_scale(&data->params[y], data->count, &panel->y, data->params[y].name);
    panel->height = 180;
    for (size_t band = 0; band < BANDS; band++)
        for (size_t i = 0; i < data->count; i++) {
            double share = ranks[i] == UINT32_MAX ? 9 : (ranks[i] + 0.5) / (double)ranked;
            if (share <= bands[band].from || share > bands[band].to)
                continue;
            struct mark *dot =
                panel_dot(panel, bands[band].ink, values_param_place(data, x, i), values_param_place(data, y, i));
            dot->width = bands[band].width;
            dot->opacity = 0.8f;
            dot->trial = data->trials[i].trial;
            dot->stays = ranks[i] == 0;
        }
}

static json_t *numbers_of(const struct trial_data *data, const size_t *params, size_t count, const uint32_t *ranks)
{
    json_t *names = json_array(), *points = json_array();
    char number[64];
    for (size_t j = 0; j < count; j++)
        json_array_append_new(names, json_of_text(data->params[params[j]].name));
    for (size_t i = 0; i < data->count; i++) {
        if (ranks[i] == UINT32_MAX)
            continue;
        json_t *values = json_array();
        for (size_t j = 0; j < count; j++) {
            const struct trial_param *param = &data->params[params[j]];
            json_array_append_new(values,
                                  param->level_count && !isnan(param->values[i])
                                      ? json_of_text(values_param_text(param, param->values[i], number, sizeof number))
                                      : json_of_known(param->values[i]));
        }
        json_array_append_new(points, json_pack("{s:I, s:i, s:o}", "trial", (json_int_t)data->trials[i].trial, "rank",
                                                (int)ranks[i] + 1, "values", values));
    }
    return json_pack("{s:o, s:o}", "parameters", names, "trials", points);
}

static int draw_rank(const struct plot_question *question, struct picture *out, struct err *err)
{
    const struct plot_subject *subject = &question->subjects[0];
    const struct trial_data *data = &subject->data;
    size_t params[MOST_PARAMS], count = values_params(subject, MOST_PARAMS, params), ranked;
    if (!data->best_count)
        return values_none(data, err);
    if (count < 2)
        return err_set(err, "%s has fewer than two parameters that vary: there are no pairs", data->name);
    uint32_t *ranks = values_ranks(data, &ranked);
    json_decref(out->numbers);
    out->numbers = numbers_of(data, params, count, ranks);
    picture_title(out, "Pairs of parameters");
    out->columns = count == 2 ? 1 : 3;
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count; j++)
            add_pair(data, params[i], params[j], ranks, ranked, out);
    free(ranks);
    for (size_t band = BANDS; band > 0; band--)
        picture_legend(out, bands[band - 1].ink, MARK_DOT, bands[band - 1].text);
    picture_say(out, "Trials by their rank in %s, over the pairs of the %zu parameters that matter most%s.",
                data->metrics[0].name, count, subject->importance ? "" : ", as far as is known");
    values_note_same(data, out);
    values_note_failed(subject, 1, out);
    return 0;
}

const struct plot_kind plot_rank = {.name = "rank",
                                    .summary = "pairs of the most important parameters, trials by their rank",
                                    .needs = PLOT_IMPORTANCE,
                                    .draw = draw_rank};
