/* What explains a search; see importance.h. */
#include "cli/data/importance.h"

#include "cli/json.h"
#include "common/json.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- reading --- */

/* Trials on their way into a history. */
struct intake {
    const struct space *space;
    const struct metric *metric;
    struct history *history;
    double *unit; /* D */
};

/* A trial's value of a metric that the experiment does not judge by, the last sample: NaN when there is none. */
static double value_of(const json_t *trial, const char *metric)
{
    double value = NAN;
    json_number(json_object_get(trial, "metrics"), metric, &value);
    return value;
}

/* Ended trials that count say something: with a value, or that they failed. */
static int take_trial(void *context, json_t *trial, struct err *err)
{
    (void)err;
    struct intake *intake = context;
    const char *state = json_text(trial, "state");
    bool failed = strcmp(state, "failed") == 0;
    double value = value_of(trial, intake->metric->name);
    if (json_is_true(json_object_get(trial, "ignored")))
        return 0;
    if (!failed && (!isfinite(value) || (strcmp(state, "completed") != 0 && strcmp(state, "stopped") != 0)))
        return 0;
    double violation = json_is_false(json_object_get(trial, "feasible"));
    struct gannet_outcome_of_trial told = {
        .trial = (uint64_t)json_integer_value(json_object_get(trial, "trial")),
        .unit = intake->unit,
        .outcome = failed ? GANNET_FAILED : GANNET_FINISHED,
        .loss = failed ? NAN : metric_loss(intake->metric, value),
        .violation = &violation,
        .energy = NAN,
    };
    told.losses = &told.loss;
    struct buf params = {0};
    json_add(json_object_get(trial, "params"), &params);
    if (space_point_of_json(intake->space, buf_str(&params), intake->unit, NULL) == 0)
        history_tell(intake->history, &told);
    buf_fini(&params);
    return 0;
}

struct history *importance_history(const struct gannet_problem *problem, const struct metric *metric, uint32_t place,
                                   const struct learned *learned)
{
    struct history *history = history_create(problem, 0);
    for (size_t at = 0; at < learned->count; at++) {
        const struct learned_trial *trial = &learned->trials[at];
        double value = learned->values[at * learned->metrics + place], violation = !trial->feasible;
        if (!trial->failed && !(trial->has_value && isfinite(value)))
            continue;
        struct gannet_outcome_of_trial told = {.trial = trial->trial,
                                               .unit = learned->units + at * learned->dimension,
                                               .outcome = trial->failed ? GANNET_FAILED : GANNET_FINISHED,
                                               .loss = trial->failed ? NAN : metric_loss(metric, value),
                                               .violation = &violation,
                                               .energy = NAN};
        told.losses = &told.loss;
        history_tell(history, &told);
    }
    return history;
}

/* One of the experiment's own metrics, by its place: as the screen does. */
static int read_own(struct importance *out, struct source *source, const struct spec *spec, uint32_t place,
                    struct history **history, struct err *err)
{
    struct learned learned;
    int failed;
    learned_init(&learned, spec);
    do
        failed = learned_update(&learned, source, spec, err);
    while (!failed && learned.more);
    if (!failed)
        *history = importance_history(&out->problem, out->metric, place, &learned);
    out->every = learned.every;
    learned_fini(&learned);
    return failed;
}

/* Any other one: the last sample that each trial has of it. */
static int read_other(struct importance *out, struct source *source, const struct spec *spec, struct history **history,
                      struct err *err)
{
    struct intake intake = {.space = spec->space,
                            .metric = out->metric,
                            .history = history_create(&out->problem, 0),
                            .unit = MEM_ARRAY(double, space_dimension(spec->space))};
    struct trial_query query = {0};
    int failed = source_each_trial(source, &query, take_trial, &intake, err);
    free(intake.unit);
    *history = intake.history;
    return failed;
}

int importance_read(struct importance *out, struct source *source, const struct spec *spec, const struct metric *metric,
                    struct err *err)
{
    struct metrics metrics = spec_metrics(spec);
    struct history *history = NULL;
    uint32_t place = 0;
    *out = (struct importance){.metric = metric, .host = space_host(spec->space), .every = 1};
    out->problem = (struct gannet_problem){.space = space_public(spec->space), .objectives = 1, .limits = 1};
    while (place < metrics.count && strcmp(metrics.items[place].name, metric->name) != 0)
        place++;
    int failed = place < metrics.count ? read_own(out, source, spec, place, &history, err)
                                       : read_other(out, source, spec, &history, err);
    if (!failed)
        explain(&out->problem, out->host, history, &out->explanation);
    history_destroy(history);
    return failed;
}

void importance_fini(struct importance *importance)
{
    explain_fini(&importance->explanation);
}

const struct gannet_param *importance_param(const struct importance *importance, const struct explained *explained)
{
    return &importance->problem.space->params[explained->index];
}

/* --- for programs --- */

static json_t *natural_json(const struct gannet_param *param, double natural)
{
    if (isnan(natural))
        return json_null();
    return param->choices ? json_of_text(param->choices[(uint64_t)natural]) : json_of_real(natural);
}

static json_t *param_json(const struct importance *importance, uint32_t place)
{
    const struct explained *explained = &importance->explanation.params[place];
    const struct gannet_param *param = importance_param(importance, explained);
    struct buf sentence = {0};
    explain_sentence(&importance->explanation, &importance->problem, place, &sentence);
    const struct variation_share *alone = &explained->alone, *together = &explained->together;
    json_t *json =
        json_pack("{s:o, s:f, s:[f, f], s:f, s:[f, f], s:f, s:b, s:f, s:i, s:o, s:o, s:o, s:o}", "name",
                  json_of_text(param->name), "combined", together->expected, "combined_between", together->low,
                  together->high, "alone", alone->expected, "alone_between", alone->low, alone->high, "above",
                  explained->above, "sure", explain_is_sure(&importance->explanation, place), "among_good",
                  explained->among_good, "active", (int)explained->active, "low", natural_json(param, explained->low),
                  "high", natural_json(param, explained->high), "share",
                  isnan(explained->share) ? json_null() : json_real(explained->share), "sentence",
                  json_of_text(buf_str(&sentence)));
    buf_fini(&sentence);
    return json;
}

json_t *importance_json(const struct importance *importance)
{
    const struct explanation *explanation = &importance->explanation;
    struct buf caution = {0};
    json_t *params = json_array();
    for (uint32_t i = 0; i < explanation->count; i++)
        json_array_append_new(params, param_json(importance, i));
    explain_caution(explanation, &caution);
    json_t *json = json_pack(
        "{s:o, s:s, s:i, s:i, s:I, s:i, s:o, s:o}", "metric", json_of_text(importance->metric->name), "goal",
        importance->metric->maximize ? "maximize" : "minimize", "trials", (int)explanation->finished, "failed",
        (int)explanation->failed, "every", (json_int_t)importance->every, "best", (int)explanation->best, "caution",
        caution.length ? json_of_text(buf_str(&caution)) : json_null(), "parameters", params);
    buf_fini(&caution);
    return json;
}
