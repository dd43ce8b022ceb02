/* Several objectives: each pair of them, with the trials that nothing dominates. */
#include "cli/plot/values.h"

#include "common/json.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_OBJECTIVES = 4 };

static double loss_of(const struct trial_data *data, size_t metric, size_t trial)
{
    double value = data->metrics[metric].values[trial];
    return data->metrics[metric].maximize ? -value : value;
}

/* The trials that may be on a front: feasible, with every objective. */
static size_t find_candidates(const struct trial_data *data, const size_t *objectives, size_t count, uint32_t *out)
{
    size_t found = 0;
    for (size_t i = 0; i < data->count; i++) {
        bool whole = trial_data_may_be_best(&data->trials[i]);
        for (size_t j = 0; j < count; j++)
            whole = whole && isfinite(data->metrics[objectives[j]].values[i]);
        if (whole)
            out[found++] = (uint32_t)i;
    }
    return found;
}

static bool dominates(const struct trial_data *data, const size_t *objectives, size_t count, size_t a, size_t b)
{
    bool better = false;
    for (size_t j = 0; j < count; j++) {
        double one = loss_of(data, objectives[j], a), other = loss_of(data, objectives[j], b);
        if (one > other)
            return false;
        better = better || one < other;
    }
    return better;
}

struct by_objective {
    const struct trial_data *data;
    size_t metric;
};

static int compare_losses(const void *a, const void *b, void *context)
{
    const struct by_objective *by = context;
    double one = loss_of(by->data, by->metric, *(const uint32_t *)a),
           other = loss_of(by->data, by->metric, *(const uint32_t *)b);
    return (one > other) - (one < other);
}

/* Keeps the trials that no other dominates, in the order of the first objective. One that is behind in this order never
 * dominates one before it but where both are equal in it, so each is compared with those kept alone, and they with it.
 */
static size_t keep_front(const struct trial_data *data, const size_t *objectives, size_t count, uint32_t *trials,
                         size_t found)
{
    size_t kept = 0;
    struct by_objective by = {data, objectives[0]};
    qsort_r(trials, found, sizeof *trials, compare_losses, &by);
    for (size_t i = 0; i < found; i++) {
        bool dominated = false;
        size_t left = 0;
        for (size_t j = 0; j < kept && !dominated; j++)
            dominated = dominates(data, objectives, count, trials[j], trials[i]);
        if (dominated)
            continue;
        for (size_t j = 0; j < kept; j++)
            if (!dominates(data, objectives, count, trials[i], trials[j]))
                trials[left++] = trials[j];
        trials[left++] = trials[i];
        kept = left;
    }
    return kept;
}

static struct axis axis_of_metric(const struct trial_data *data, size_t metric)
{
    size_t beyond;
    double *values = MEM_ARRAY(double, data->count + 1);
    for (size_t i = 0; i < data->count; i++)
        values[i] = trial_data_counts(&data->trials[i]) ? data->metrics[metric].values[i] : NAN;
    struct axis axis = axis_of_values(values, data->count, data->metrics[metric].maximize, &beyond);
    free(values);
    return axis;
}

static void add_dots(const struct trial_data *data, size_t x, size_t y, struct panel *panel)
{
    for (size_t i = 0; i < data->count; i++) {
        if (!trial_data_counts(&data->trials[i]))
            continue;
        bool feasible = data->trials[i].feasible;
        struct mark *dot =
            panel_dot(panel, feasible ? INK_PLAIN : INK_FAINT, data->metrics[x].values[i], data->metrics[y].values[i]);
        dot->hollow = !feasible;
        dot->opacity = 0.6f;
        dot->trial = data->trials[i].trial;
    }
}

/* Of two objectives the front is a staircase: what it dominates lies behind the steps. */
static void add_front(const struct trial_data *data, size_t x, size_t y, bool stairs, const uint32_t *front,
                      size_t kept, struct panel *panel)
{
    if (stairs) {
        panel_line(panel, INK_BEST)->width = 1.5f;
        for (size_t i = 0; i < kept; i++) {
            if (i > 0)
                panel_to(panel, data->metrics[x].values[front[i]], data->metrics[y].values[front[i - 1]]);
            panel_to(panel, data->metrics[x].values[front[i]], data->metrics[y].values[front[i]]);
        }
    }
    for (size_t i = 0; i < kept; i++) {
        struct mark *dot =
            panel_dot(panel, INK_BEST, data->metrics[x].values[front[i]], data->metrics[y].values[front[i]]);
        dot->width = 3.5f;
        dot->stays = kept <= 200;
        dot->trial = data->trials[front[i]].trial;
    }
}

static json_t *numbers_of(const struct trial_data *data, const size_t *objectives, size_t count, const uint32_t *front,
                          size_t kept)
{
    json_t *list = json_array();
    for (size_t i = 0; i < kept; i++) {
        json_t *values = json_object();
        for (size_t j = 0; j < count; j++)
            json_object_set_new(values, data->metrics[objectives[j]].name,
                                json_of_real(data->metrics[objectives[j]].values[front[i]]));
        json_array_append_new(
            list, json_pack("{s:I, s:o}", "trial", (json_int_t)data->trials[front[i]].trial, "values", values));
    }
    return json_pack("{s:o}", "front", list);
}

static int draw_front(const struct plot_question *question, struct picture *out, struct err *err)
{
    const struct trial_data *data = &question->subjects[0].data;
    size_t objectives[MOST_OBJECTIVES], count = 0;
    for (size_t i = 0; i < data->metric_count && count < MOST_OBJECTIVES; i++)
        if (data->metrics[i].objective)
            objectives[count++] = i;
    if (count < 2)
        return err_set(err, "%s has one objective: a front needs several", data->name);
    uint32_t *trials = MEM_ARRAY(uint32_t, data->count + 1);
    size_t found = find_candidates(data, objectives, count, trials);
    size_t kept = keep_front(data, objectives, count, trials, found);
    if (!kept) {
        free(trials);
        return values_none(data, err);
    }
    json_decref(out->numbers);
    out->numbers = numbers_of(data, objectives, count, trials, kept);
    picture_title(out, "The front");
    out->columns = count == 2 ? 1 : 3;
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count; j++) {
            struct panel *panel = picture_panel(out, NULL);
            size_t x = objectives[i], y = objectives[j];
            panel->height = count == 2 ? 0 : 180;
            scale_set(&panel->x, axis_of_metric(data, x), data->metrics[x].name);
            scale_set(&panel->y, axis_of_metric(data, y), data->metrics[y].name);
            add_dots(data, x, y, panel);
            add_front(data, x, y, count == 2, trials, kept, panel);
        }
    free(trials);
    picture_legend(out, INK_BEST, MARK_DOT, "nothing is better in one objective and worse in none");
    picture_legend(out, INK_PLAIN, MARK_DOT, "others");
    char all[VALUES_COUNT];
    picture_say(out, "%zu of %s that keep%s the limits %s on the front of %zu objectives.", kept,
                values_count(found, "trial", all), found == 1 ? "s" : "", kept == 1 ? "is" : "are", count);
    values_note_failed(question->subjects, 1, out);
    return 0;
}

const struct plot_kind plot_front = {
    .name = "front", .summary = "several objectives, and the trials that nothing dominates", .draw = draw_front};
