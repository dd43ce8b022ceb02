/* Made-up experiments; see plot_subject.h. */
#include "tests/plot_subject.h"

#include "common/json.h"
#include "common/rng.h"

#include <math.h>
#include <stdio.h>

enum { SLOTS = 4 };
static const double began = 1.7e9;

static json_t *name_of(const char *name, bool hostile)
{
    char text[200];
    snprintf(text, sizeof text, "%s%s", hostile ? HOSTILE : "", name);
    return json_of_text(text);
}

static json_t *make_experiment(bool hostile)
{
    json_t *lr = json_pack("{s:o, s:s, s:f, s:i, s:b}", "name", name_of("lr", hostile), "kind", "real", "min", 1e-4,
                           "max", 1, "log", 1);
    json_t *optimizer = json_pack("{s:o, s:s, s:[o, o, i]}", "name", name_of("optimizer", hostile), "kind", "choice",
                                  "values", name_of("sgd", hostile), name_of("adam", hostile), 16);
    json_t *depth =
        json_pack("{s:o, s:s, s:i, s:i}", "name", name_of("depth", hostile), "kind", "int", "min", 1, "max", 4);
    json_t *metrics =
        json_pack("[{s:o, s:s, s:n, s:n}, {s:o, s:s, s:n, s:n}]", "name", name_of("loss", hostile), "goal", "minimize",
                  "min", "max", "name", name_of("latency", hostile), "goal", "maximize", "min", "max");
    return json_pack("{s:o, s:o, s:s, s:s, s:s, s:s, s:i, s:s, s:o, s:f, s:o, s:[o, o, o]}", "name",
                     name_of("experiment", hostile), "description", name_of("what for", hostile), "state", "ended",
                     "reason", "max_trials", "strategy", "random", "gannet", "0.1.0", "seed", 42, "spec",
                     "version: 1\nname: \"</pre><script>\"\n", "started", json_of_time(began), "held", 100.0, "metrics",
                     metrics, "parameters", lr, optimizer, depth);
}

static json_t *make_profile(double seconds, bool hostile)
{
    json_t *profile = json_object(), *name = name_of("own phase", hostile);
    json_object_set_new(profile, "forward", json_pack("{s:f}", "seconds", 0.6 * seconds));
    json_object_set_new(profile, "idle", json_pack("{s:f}", "seconds", 0.1 * seconds));
    json_object_set_new(profile, json_string_value(name), json_pack("{s:f}", "seconds", 0.3 * seconds));
    json_decref(name);
    return profile;
}

static json_t *make_trial(size_t number, struct rng *rng, bool hostile, double *started, double *seconds)
{
    double lr = pow(10, -4 * rng_unit(rng)), value = fabs(log10(lr) + 2) + rng_unit(rng) / 3;
    size_t kind = number % 12;
    const char *state = kind == 5 ? "failed" : kind % 3 == 1 ? "stopped" : "completed";
    const char *reason = kind == 5 ? "crashed" : kind % 3 == 1 ? "stopped_early" : "completed";
    *seconds = 1 + rng_unit(rng);
    *started = began + 2.5 * (double)(number / SLOTS);
    json_t *params = json_object(), *values = json_object(), *names[5];
    static const char *const plain[] = {"lr", "optimizer", "depth", "loss", "latency"};
    for (size_t i = 0; i < 5; i++)
        names[i] = name_of(plain[i], hostile);
    json_object_set_new(params, json_string_value(names[0]), json_real(lr));
    json_object_set_new(params, json_string_value(names[1]), number % 2 ? name_of("adam", hostile) : json_integer(16));
    if (number % 3)
        json_object_set_new(params, json_string_value(names[2]), json_integer((json_int_t)(1 + number % 4)));
    json_object_set_new(values, json_string_value(names[3]), json_of_real(value));
    json_object_set_new(values, json_string_value(names[4]), json_of_real(10 * rng_unit(rng)));
    for (size_t i = 0; i < 5; i++)
        json_decref(names[i]);
    return json_pack("{s:I, s:s, s:s, s:o, s:o, s:o, s:o, s:f, s:o, s:o, s:[i, i], s:i, s:o, s:s, s:s, s:i}", "trial",
                     (json_int_t)number, "state", state, "reason", reason, "params", params, "values", values, "value",
                     kind == 5 ? json_null() : json_of_real(value), "started", json_of_time(*started), "seconds",
                     *seconds, "ended", json_of_time(*started + *seconds), "node", name_of("n01", hostile), "cpus", 0,
                     1, "slot", (int)(number % SLOTS), "profile", make_profile(*seconds, hostile), "verdict", "compute",
                     "words", "it computes", "step", 10);
}

static void add_curve(struct plot_subject *subject, const json_t *trial)
{
    const struct trial_metric *metric = &subject->data.metrics[0];
    json_t *shown = json_copy((json_t *)trial), *curve = json_array();
    double value = 1;
    json_to_real(json_object_get(trial, "value"), &value);
    for (int step = 1; step <= 10; step++)
        json_array_append_new(
            curve, json_pack("{s:s, s:i, s:f}", "metric", metric->name, "step", step, "value", value + 1.0 / step));
    json_object_set_new(shown, "curve", curve);
    json_object_set_new(
        shown, "decisions",
        json_pack("[{s:s, s:i, s:f, s:f}]", "decision", "goes_on", "step", 3, "value", value, "cut_off", value + 0.25));
    trial_curves_add(&subject->curves, shown, metric->name, metric->maximize);
    json_decref(shown);
}

static void add_span(struct plot_subject *subject, const json_t *trial, double started, double seconds)
{
    json_t *span = json_pack(
        "{s:O, s:i, s:i, s:O, s:O, s:i, s:O, s:f, s:f, s:f}", "trial", json_object_get(trial, "trial"), "attempt", 1,
        "part", 0, "reason", json_object_get(trial, "reason"), "node", json_object_get(trial, "node"), "worker", 7,
        "slot", json_object_get(trial, "slot"), "started", started, "seconds", seconds, "launch", 0.1);
    slot_spans_add(&subject->spans, span, 2e9);
    json_decref(span);
}

static void add_failure(struct plot_subject *subject, size_t number, bool hostile)
{
    json_array_append_new(subject->failures,
                          json_pack("{s:I, s:s, s:o}", "trial", (json_int_t)number, "reason", "crashed", "line",
                                    name_of(number % 24 == 5 ? "/data is full" : "why", hostile)));
}

static json_t *make_importance(const struct trial_data *data)
{
    json_t *list = json_array();
    for (size_t i = 0; i < data->param_count; i++) {
        char sentence[300];
        snprintf(sentence, sizeof sentence, "%.200s causes half of the variation", data->params[i].name);
        json_array_append_new(list, json_pack("{s:s, s:f, s:[f, f], s:f, s:s}", "name", data->params[i].name,
                                              "combined", 0.5 / (double)(i + 1), "combined_between", 0.1, 0.7, "alone",
                                              0.3 / (double)(i + 1), "sentence", sentence));
    }
    return json_pack("{s:o, s:n}", "parameters", list, "caution");
}

void plot_subject_make(struct plot_subject *subject, size_t trials, bool hostile)
{
    struct rng rng = rng_make(1, "subject", 0);
    *subject = (struct plot_subject){.profiles = json_array(), .failures = json_array()};
    trial_data_init(&subject->data, make_experiment(hostile));
    for (size_t i = 1; i <= trials; i++) {
        double started, seconds;
        json_t *trial = make_trial(i, &rng, hostile, &started, &seconds);
        trial_data_add(&subject->data, trial);
        add_span(subject, trial, started, seconds);
        if (i <= 100)
            add_curve(subject, trial);
        if (i <= 5)
            json_array_append(subject->profiles, trial);
        if (i % 12 == 5)
            add_failure(subject, i, hostile);
        json_decref(trial);
    }
    trial_data_finish(&subject->data);
    slot_spans_finish(&subject->spans);
    trial_curves_finish(&subject->curves);
    subject->importance = trials ? make_importance(&subject->data) : NULL;
}
