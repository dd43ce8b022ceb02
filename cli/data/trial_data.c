/* Columns of trials; see trial_data.h. */
#include "cli/data/trial_data.h"
#include "cli/json.h"
#include "common/mem.h"
#include "common/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- the experiment --- */

static double limit_of(const json_t *object, const char *member)
{
    double number = NAN;
    json_number(object, member, &number);
    return number;
}

/* A value as people write it. */
static char *text_of(const json_t *value)
{
    if (json_is_string(value))
        return mem_text(json_string_value(value));
    struct buf text = {0};
    json_add(value, &text);
    return buf_take(&text);
}

static void read_param(struct trial_param *param, const json_t *object)
{
    const json_t *levels = json_object_get(object, "values");
    const char *kind = json_text(object, "kind");
    *param = (struct trial_param){.name = mem_text(json_text(object, "name")),
                                  .log = json_is_true(json_object_get(object, "log")),
                                  .whole = strcmp(kind, "int") == 0,
                                  .constant = strcmp(kind, "constant") == 0,
                                  .level_count = json_array_size(levels),
                                  .min = limit_of(object, "min"),
                                  .max = limit_of(object, "max")};
    if (param->level_count)
        param->levels = MEM_ARRAY(char *, param->level_count);
    for (size_t i = 0; i < param->level_count; i++)
        param->levels[i] = text_of(json_array_get(levels, i));
    param->constant = param->constant || param->level_count == 1;
}

static void read_metric(struct trial_metric *metric, const json_t *object)
{
    const char *goal = json_text(object, "goal");
    *metric = (struct trial_metric){.name = mem_text(json_text(object, "name")),
                                    .objective = *goal != '\0',
                                    .maximize = strcmp(goal, "maximize") == 0,
                                    .min = limit_of(object, "min"),
                                    .max = limit_of(object, "max")};
}

void trial_data_init(struct trial_data *data, json_t *experiment)
{
    const json_t *params = json_object_get(experiment, "parameters"), *metrics = json_object_get(experiment, "metrics");
    const char *began = json_text(experiment, "started");
    *data = (struct trial_data){.experiment = experiment,
                                .name = mem_text(json_text(experiment, "name")),
                                .began = *began ? units_time(began) : NAN,
                                .param_count = json_array_size(params),
                                .metric_count = json_array_size(metrics)};
    data->params = MEM_ARRAY(struct trial_param, data->param_count + 1);
    data->metrics = MEM_ARRAY(struct trial_metric, data->metric_count + 1);
    for (size_t i = 0; i < data->param_count; i++)
        read_param(&data->params[i], json_array_get(params, i));
    for (size_t i = 0; i < data->metric_count; i++)
        read_metric(&data->metrics[i], json_array_get(metrics, i));
}

void trial_data_fini(struct trial_data *data)
{
    for (size_t i = 0; i < data->param_count; i++) {
        for (size_t j = 0; j < data->params[i].level_count; j++)
            free(data->params[i].levels[j]);
        free(data->params[i].levels);
        free(data->params[i].values);
        free(data->params[i].name);
    }
    for (size_t i = 0; i < data->metric_count; i++) {
        free(data->metrics[i].values);
        free(data->metrics[i].name);
    }
    for (size_t i = 0; i < data->node_count; i++)
        free(data->nodes[i]);
    free(data->nodes);
    free(data->params);
    free(data->metrics);
    free(data->trials);
    free(data->order);
    free(data->best);
    free(data->name);
    json_decref(data->experiment);
    *data = (struct trial_data){0};
}

/* --- a trial --- */

/* Room for one trial more, in every column. */
static void grow_columns(struct trial_data *data)
{
    if (data->count < data->capacity)
        return;
    data->capacity = data->capacity ? 2 * data->capacity : 64;
    data->trials = mem_resize(data->trials, data->capacity, sizeof *data->trials);
    for (size_t i = 0; i < data->param_count; i++)
        data->params[i].values = mem_resize(data->params[i].values, data->capacity, sizeof(double));
    for (size_t i = 0; i < data->metric_count; i++)
        data->metrics[i].values = mem_resize(data->metrics[i].values, data->capacity, sizeof(double));
}

static double level_of(const struct trial_param *param, const json_t *value)
{
    if (!value)
        return NAN;
    char *text = text_of(value);
    size_t level = 0;
    while (level < param->level_count && strcmp(param->levels[level], text) != 0)
        level++;
    free(text);
    return level < param->level_count ? (double)level : NAN;
}

static double time_of(const json_t *trial, const char *member)
{
    const char *text = json_text(trial, member);
    return *text ? units_time(text) : NAN;
}

/* Few nodes have very many trials, mostly one after the other: the last ones are looked at first. */
static uint32_t node_of(struct trial_data *data, const char *name)
{
    if (!*name)
        return UINT32_MAX;
    for (size_t i = data->node_count; i > 0; i--)
        if (strcmp(data->nodes[i - 1], name) == 0)
            return (uint32_t)(i - 1);
    MEM_GROW(data->nodes, data->node_capacity, data->node_count + 1);
    data->nodes[data->node_count] = mem_text(name);
    return (uint32_t)data->node_count++;
}

static uint32_t cores_of(const json_t *trial)
{
    const char *nodes = json_text(trial, "nodes");
    size_t cores = json_array_size(json_object_get(trial, "cpus")), count = 1;
    for (; *nodes; nodes++)
        count += *nodes == ',';
    return (uint32_t)((cores ? cores : 1) * count);
}

static struct trial_point point_of(struct trial_data *data, const json_t *trial)
{
    const char *reason = json_text(trial, "reason");
    int state = trial_state_named(json_text(trial, "state"));
    const json_t *slot = json_object_get(trial, "slot");
    struct trial_point point = {.trial = (uint64_t)json_integer_value(json_object_get(trial, "trial")),
                                .started = time_of(trial, "started"),
                                .ended = time_of(trial, "ended"),
                                .seconds = limit_of(trial, "seconds"),
                                .value = limit_of(trial, "value"),
                                .place = {NAN, NAN, NAN},
                                .cores = cores_of(trial),
                                .step = (uint32_t)json_integer_value(json_object_get(trial, "step")),
                                .node = node_of(data, json_text(trial, "node")),
                                .slot = json_is_integer(slot) ? (int32_t)json_integer_value(slot) : -1,
                                .state = (uint8_t)(state < 0 ? TRIAL_WAITING : state),
                                .reason = (int8_t)(*reason ? ending_named(reason) : -1),
                                .feasible = !json_is_false(json_object_get(trial, "feasible")),
                                .ignored = json_is_true(json_object_get(trial, "ignored")),
                                .added = json_is_true(json_object_get(trial, "added"))};
    return point;
}

void trial_data_add(struct trial_data *data, const json_t *trial)
{
    grow_columns(data);
    size_t at = data->count++;
    const json_t *params = json_object_get(trial, "params"), *values = json_object_get(trial, "values");
    data->trials[at] = point_of(data, trial);
    for (size_t i = 0; i < data->param_count; i++) {
        struct trial_param *param = &data->params[i];
        param->values[at] = NAN;
        if (param->level_count)
            param->values[at] = level_of(param, json_object_get(params, param->name));
        else
            json_number(params, param->name, &param->values[at]);
    }
    for (size_t i = 0; i < data->metric_count; i++) {
        data->metrics[i].values[at] = NAN;
        json_number(values, data->metrics[i].name, &data->metrics[i].values[at]);
    }
}

/* --- what follows from all --- */

bool trial_data_counts(const struct trial_point *point)
{
    return isfinite(point->value) && !point->ignored &&
           (point->state == TRIAL_COMPLETED || point->state == TRIAL_STOPPED);
}

bool trial_data_may_be_best(const struct trial_point *point)
{
    return trial_data_counts(point) && point->feasible;
}

bool trial_data_is_better(const struct trial_data *data, double a, double b)
{
    bool maximize = data->metric_count > 0 && data->metrics[0].maximize;
    return maximize ? a > b : a < b;
}

static int compare_ends(const void *a, const void *b, void *context)
{
    const struct trial_data *data = context;
    const struct trial_point *one = &data->trials[*(const uint32_t *)a], *other = &data->trials[*(const uint32_t *)b];
    if (one->ended != other->ended)
        return one->ended < other->ended ? -1 : 1;
    return (one->trial > other->trial) - (one->trial < other->trial);
}

static void order_trials(struct trial_data *data)
{
    free(data->order);
    data->order = MEM_ARRAY(uint32_t, data->count + 1);
    data->ended_count = 0;
    for (size_t i = 0; i < data->count; i++) {
        data->trials[i].place = (struct progress_place){NAN, NAN, NAN};
        if (isfinite(data->trials[i].ended) && !data->trials[i].ignored)
            data->order[data->ended_count++] = (uint32_t)i;
    }
    qsort_r(data->order, data->ended_count, sizeof *data->order, compare_ends, data);
}

static void find_best(struct trial_data *data)
{
    double best = NAN;
    size_t capacity = 0;
    free(data->best);
    data->best = NULL;
    data->best_count = 0;
    for (size_t i = 0; i < data->ended_count; i++) {
        const struct trial_point *point = &data->trials[data->order[i]];
        if (!trial_data_may_be_best(point) || (!isnan(best) && !trial_data_is_better(data, point->value, best)))
            continue;
        best = point->value;
        MEM_GROW(data->best, capacity, data->best_count + 1);
        data->best[data->best_count++] =
            (struct best_point){.at = data->order[i], .place = point->place, .value = point->value};
    }
}

void trial_data_finish(struct trial_data *data)
{
    order_trials(data);
    if (isnan(data->began) && data->ended_count)
        data->began = data->trials[data->order[0]].ended;
    struct progress_place place = {0};
    for (size_t i = 0; i < data->ended_count; i++) {
        struct trial_point *point = &data->trials[data->order[i]];
        place.trials++;
        place.seconds = fmax(place.seconds, point->ended - data->began);
        place.core_seconds += isfinite(point->seconds) ? point->seconds * point->cores : 0;
        point->place = place;
    }
    data->last = place;
    find_best(data);
}

double trial_data_passed(const struct progress_place *place, size_t offset)
{
    double value;
    memcpy(&value, (const char *)place + offset, sizeof value);
    return value;
}

double trial_data_best_at(const struct trial_data *data, size_t offset, double passed)
{
    size_t low = 0, high = data->best_count; /* so many came by then */
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (trial_data_passed(&data->best[middle].place, offset) <= passed)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? data->best[low - 1].value : NAN;
}

int64_t trial_data_find(const struct trial_data *data, uint64_t trial)
{
    size_t low = 0, high = data->count; /* they were added by their numbers */
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (data->trials[middle].trial < trial)
            low = middle + 1;
        else
            high = middle;
    }
    return low < data->count && data->trials[low].trial == trial ? (int64_t)low : -1;
}

static int take_trial(void *context, json_t *trial, struct err *err)
{
    (void)err;
    trial_data_add(context, trial);
    return 0;
}

int trial_data_read(struct source *source, struct trial_data *out, struct err *err)
{
    json_t *experiment = source_read(source, "experiment", NULL, err);
    if (!experiment)
        return -1;
    struct trial_query query = {0};
    trial_data_init(out, experiment);
    if (source_each_trial(source, &query, take_trial, out, err)) {
        trial_data_fini(out);
        return -1;
    }
    trial_data_finish(out);
    return 0;
}
