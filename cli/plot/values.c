/* Values of trials in pictures; see values.h. */
#include "cli/plot/values.h"

#include "cli/format.h"
#include "cli/json.h"
#include "common/mem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct axis values_axis(const struct plot_subject *subjects, size_t count, size_t *beyond)
{
    size_t all = 0, at = 0;
    for (size_t i = 0; i < count; i++)
        all += subjects[i].data.count;
    double *values = MEM_ARRAY(double, all + 1);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < subjects[i].data.count; j++) {
            const struct trial_point *point = &subjects[i].data.trials[j];
            values[at++] = trial_data_counts(point) ? point->value : NAN;
        }
    bool maximize = subjects[0].data.metric_count && subjects[0].data.metrics[0].maximize;
    struct axis axis = axis_of_values(values, all, maximize, beyond);
    free(values);
    return axis;
}

struct axis values_param_axis(const struct trial_param *param, size_t count)
{
    double low = param->min, high = param->max;
    for (size_t i = 0; i < count; i++)
        if (isfinite(param->values[i])) {
            low = fmin(low, param->values[i]);
            high = fmax(high, param->values[i]);
        }
    return axis_of(low, high, param->log ? AXIS_LOG : AXIS_LINEAR);
}

void values_param_scale(const struct trial_param *param, size_t count, struct scale *scale, const char *label)
{
    scale->whole = param->whole;
    for (size_t i = 0; i < param->level_count; i++)
        scale_name(scale, param->levels[i]);
    if (param->level_count)
        scale_set(scale, scale->axis, label);
    else
        scale_set(scale, axis_widen(values_param_axis(param, count), 0.03), label);
}

/* A number from 0 to 1 that looks like chance and is the same each time. */
static double scatter(uint64_t trial, size_t param)
{
    uint64_t mixed = (trial + 1 + ((uint64_t)param + 1) * 0x632be59bd9b4e019u) * 0x9e3779b97f4a7c15u;
    return (double)((mixed ^ mixed >> 31) * 0xbf58476d1ce4e5b9u >> 40) / 16777216;
}

double values_param_place(const struct trial_data *data, size_t param, size_t trial)
{
    double value = data->params[param].values[trial];
    return data->params[param].level_count ? value + 0.2 + 0.6 * scatter(data->trials[trial].trial, param) : value;
}

struct ranking {
    const struct trial_data *data;
    double sign;
};

static int compare_ranks(const void *a, const void *b, void *context)
{
    const struct ranking *ranking = context;
    const struct trial_point *one = &ranking->data->trials[*(const uint32_t *)a];
    const struct trial_point *other = &ranking->data->trials[*(const uint32_t *)b];
    if (one->feasible != other->feasible)
        return one->feasible ? -1 : 1;
    if (one->value != other->value)
        return ranking->sign * one->value < ranking->sign * other->value ? -1 : 1;
    return (one->trial > other->trial) - (one->trial < other->trial);
}

uint32_t *values_ranks(const struct trial_data *data, size_t *count)
{
    uint32_t *ranks = MEM_ARRAY(uint32_t, data->count + 1), *order = MEM_ARRAY(uint32_t, data->count + 1);
    struct ranking ranking = {data, data->metric_count && data->metrics[0].maximize ? -1 : 1};
    *count = 0;
    for (size_t i = 0; i < data->count; i++) {
        ranks[i] = UINT32_MAX;
        if (trial_data_counts(&data->trials[i]))
            order[(*count)++] = (uint32_t)i;
    }
    qsort_r(order, *count, sizeof *order, compare_ranks, &ranking);
    for (size_t i = 0; i < *count; i++)
        ranks[order[i]] = (uint32_t)i;
    free(order);
    return ranks;
}

char *values_trial_text(const struct trial_data *data, size_t trial)
{
    const struct trial_point *point = &data->trials[trial];
    char number[32];
    if (isnan(point->value))
        return mem_format("trial %llu (%s)", (unsigned long long)point->trial, trial_state_name(point->state));
    return mem_format("trial %llu: %s %s (%s)", (unsigned long long)point->trial,
                      data->metric_count ? data->metrics[0].name : "value",
                      format_number(point->value, number, sizeof number), trial_state_name(point->state));
}

size_t values_params(const struct plot_subject *subject, size_t most, size_t *out)
{
    const struct trial_data *data = &subject->data;
    const json_t *list = json_object_get(subject->importance, "parameters");
    size_t count = 0;
    for (size_t i = 0; i < json_array_size(list) && count < most; i++)
        for (size_t j = 0; j < data->param_count; j++)
            if (strcmp(json_text(json_array_get(list, i), "name"), data->params[j].name) == 0)
                out[count++] = j;
    for (size_t j = 0; j < data->param_count && count < most && !json_array_size(list); j++)
        if (!data->params[j].constant)
            out[count++] = j;
    return count;
}

const char *values_count(size_t count, const char *noun, char out[VALUES_COUNT])
{
    snprintf(out, VALUES_COUNT, "%zu %s%s", count, noun, count == 1 ? "" : "s");
    return out;
}

static bool is_same_line(const struct panel *panel, const struct mark *one, const struct mark *other)
{
    return one->kind == MARK_LINE && other->kind == MARK_LINE && one->count == other->count &&
           memcmp(&panel->points[one->first], &panel->points[other->first], one->count * sizeof *panel->points) == 0;
}

void values_widen_same(struct panel *panel)
{
    for (size_t i = 0; i < panel->mark_count; i++)
        for (size_t j = i + 1; j < panel->mark_count; j++)
            if (is_same_line(panel, &panel->marks[i], &panel->marks[j]))
                panel->marks[i].width += 3;
}

size_t values_failed(const struct trial_data *data)
{
    size_t failed = 0;
    for (size_t i = 0; i < data->count; i++)
        failed += data->trials[i].state == TRIAL_FAILED && !data->trials[i].ignored;
    return failed;
}

void values_note_beyond(size_t beyond, struct picture *out)
{
    if (beyond)
        picture_note_more(out, "%zu far worse %s not on the axis.", beyond, beyond == 1 ? "value is" : "values are");
}

void values_note_same(const struct trial_data *data, struct picture *out)
{
    double low = INFINITY, high = -INFINITY;
    size_t count = 0;
    for (size_t i = 0; i < data->count; i++)
        if (trial_data_counts(&data->trials[i])) {
            low = fmin(low, data->trials[i].value);
            high = fmax(high, data->trials[i].value);
            count++;
        }
    if (count > 1 && low == high)
        picture_note_more(out, "All of them came to the same value: which of them stand out says nothing.");
}

void values_note_failed(const struct plot_subject *subjects, size_t count, struct picture *out)
{
    size_t failed = 0;
    for (size_t i = 0; i < count; i++)
        failed += values_failed(&subjects[i].data);
    if (failed == 1)
        picture_note_more(out, "1 trial that failed has no value and is left out.");
    else if (failed)
        picture_note_more(out, "%zu trials that failed have no value and are left out.", failed);
}

int values_none(const struct trial_data *data, struct err *err)
{
    for (size_t i = 0; i < data->count; i++)
        if (trial_data_counts(&data->trials[i]))
            return err_set(err, "no trial of %s has a value within the limits yet, so there is nothing to draw",
                           data->name);
    return err_set(err, "no trial of %s has a value yet, so there is nothing to draw", data->name);
}

const char *values_param_text(const struct trial_param *param, double value, char *out, size_t size)
{
    if (isnan(value))
        return "-";
    if (param->level_count)
        return param->levels[(size_t)value];
    axis_label(value, out, size);
    return out;
}
