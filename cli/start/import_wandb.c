/* W&B: the YAML of a sweep. Its results are on its server; an export of them is read by `gannet import csv`. */
#include "cli/json.h"
#include "cli/start/imported.h"
#include "common/mem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum wandb_shape { RANGE, NORMAL };

/* A distribution of W&B. */
static const struct wandb_distribution {
    const char *name;
    enum wandb_shape shape;
    bool integer, log;
    int exponents; /* its ends are exponents of e: 1; -1: of 1/e */
    bool rounded;  /* to multiples of q */
} rows[] = {
    {"uniform", RANGE, false, false, 0, false},
    {"int_uniform", RANGE, true, false, 0, false},
    {"q_uniform", RANGE, false, false, 0, true},
    {"log_uniform", RANGE, false, true, 1, false},
    {"log_uniform_values", RANGE, false, true, 0, false},
    {"q_log_uniform", RANGE, false, true, 1, true},
    {"q_log_uniform_values", RANGE, false, true, 0, true},
    {"inv_log_uniform", RANGE, false, true, -1, false},
    {"inv_log_uniform_values", RANGE, false, true, 0, false},
    {"normal", NORMAL, false, false, 0, false},
    {"q_normal", NORMAL, false, false, 0, true},
    {"log_normal", NORMAL, false, true, 0, false},
    {"q_log_normal", NORMAL, false, true, 0, true},
};

static double number_or(const json_t *object, const char *member, double otherwise)
{
    double number;
    return json_number(object, member, &number) ? number : otherwise;
}

/* e to an exponent that was rounded when it was written down: six digits of it are meant. */
static double power_of(double exponent)
{
    char text[32];
    snprintf(text, sizeof text, "%.6g", exp(exponent));
    return strtod(text, NULL);
}

/* A logarithm rounded to 1 is one of whole numbers; to anything else gannet does not round it. */
static json_t *range_of(struct imported *out, const char *name, const json_t *parameter,
                        const struct wandb_distribution *row, const char **why)
{
    struct import_range range = {.min = number_or(parameter, "min", NAN),
                                 .max = number_or(parameter, "max", NAN),
                                 .step = row->rounded ? number_or(parameter, "q", 1) : 0,
                                 .integer = row->integer,
                                 .log = row->log};
    double min = range.min;
    if (row->exponents) {
        range.min = power_of(row->exponents > 0 ? min : -range.max);
        range.max = power_of(row->exponents > 0 ? range.max : -min);
    }
    bool whole = range.min == floor(range.min) && range.max == floor(range.max);
    if (range.step == 1 && row->log)
        range = (struct import_range){
            .min = fmax(1, round(range.min)), .max = round(range.max), .integer = true, .log = true};
    else if (range.step > 0 && row->log)
        sketch_leave(&out->sketch, "%s: q: %g, because a logarithmic range has no steps here; round in the program",
                     name, range.step);
    else if (range.step > 0 && whole && range.step == floor(range.step))
        range.integer = true;
    return import_range_keys(&range, why);
}

static json_t *normal_of(struct imported *out, const char *name, const json_t *parameter,
                         const struct wandb_distribution *row, const char **why)
{
    if (row->rounded)
        sketch_leave(&out->sketch, "%s: q: %g, because a normal distribution has no steps here; round in the program",
                     name, number_or(parameter, "q", 1));
    return import_normal_keys(number_or(parameter, "mu", 0), number_or(parameter, "sigma", 1), row->log, why);
}

/* Without a distribution the keys say which. */
static const char *usual_distribution(const json_t *parameter)
{
    bool whole =
        json_is_integer(json_object_get(parameter, "min")) && json_is_integer(json_object_get(parameter, "max"));
    return json_object_get(parameter, "mu") ? "normal" : whole ? "int_uniform" : "uniform";
}

static void add_parameter(struct imported *out, const char *name, const json_t *parameter);

/* Parameters in parameters have the names of both. */
static void add_nested(struct imported *out, const char *outer, const json_t *parameters)
{
    const char *name;
    json_t *parameter;
    sketch_leave(&out->sketch, "%s: its parameters have its name in front here: %s.NAME; W&B nests them", outer, outer);
    json_object_foreach((json_t *)parameters, name, parameter)
    {
        char *whole = mem_format("%s.%s", outer, name);
        if (strlen(whole) < 256)
            add_parameter(out, whole, parameter);
        free(whole);
    }
}

static void add_distribution(struct imported *out, const char *name, const json_t *parameter)
{
    const char *distribution = json_text(parameter, "distribution"), *why = "its distribution is not known here";
    json_t *keys = NULL;
    if (!*distribution)
        distribution = usual_distribution(parameter);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].name, distribution) == 0)
            keys = (rows[i].shape == NORMAL ? normal_of : range_of)(out, name, parameter, &rows[i], &why);
    import_add(out, name, keys, why);
}

static void add_parameter(struct imported *out, const char *name, const json_t *parameter)
{
    const char *why = "";
    const json_t *values = json_object_get(parameter, "values"), *value = json_object_get(parameter, "value");
    if (json_object_get(parameter, "parameters")) {
        add_nested(out, name, json_object_get(parameter, "parameters"));
    } else if (values) {
        json_t *keys = import_choice_keys(values, json_object_get(parameter, "probabilities"), &why);
        import_add(out, name, keys, why);
    } else if (value || !json_is_object(parameter)) {
        json_t *one = json_pack("[O]", value ? value : parameter);
        json_t *keys = import_choice_keys(one, NULL, &why);
        import_add(out, name, keys, why);
        json_decref(one);
    } else {
        add_distribution(out, name, parameter);
    }
}

/* --- the command --- */

/* A word of W&B's command in ours; NULL: it has none, and is left out. */
static const char *word_of(const char *word, const char *program)
{
    static const char *const same[][2] = {{"${env}", NULL}, {"${interpreter}", "python3"}, {"${args}", "${args}"}};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        if (strcmp(word, same[i][0]) == 0)
            return same[i][1];
    return strcmp(word, "${program}") == 0 ? program : word;
}

static void add_command(struct imported *out, const json_t *sweep)
{
    const char *program = json_text(sweep, "program");
    const json_t *words = json_object_get(sweep, "command"), *word;
    json_t *command = json_array();
    size_t index;
    json_array_foreach(words, index, word)
    {
        const char *text = json_string_value(word) ? word_of(json_string_value(word), program) : NULL;
        bool foreign = text && strncmp(text, "${", 2) == 0 && strcmp(text, "${args}") != 0;
        if (foreign)
            sketch_leave(&out->sketch,
                         "command: %s, which gannet does not fill in; docs/experiment.md has what it does", text);
        else if (text && *text)
            json_array_append_new(command, json_string(text));
    }
    if (!json_array_size(command) && *program)
        json_object_set_new(out->sketch.trial, "command", json_pack("[s, s, s]", "python3", program, "${args}"));
    else if (json_array_size(command))
        json_object_set(out->sketch.trial, "command", command);
    else
        import_no_command(out);
    json_decref(command);
    sketch_say(&out->sketch, SKETCH_TRIAL,
               "The program gets --NAME=VALUE as from W&B's agent; wandb.config stays empty.");
}

/* --- the whole --- */

/* What the sweep has besides: each is taken over, or left with a sentence. */
static void take_rest(struct imported *out, const json_t *sweep)
{
    static const char *const taken[] = {"program", "command", "metric",      "parameters",
                                        "name",    "run_cap", "description", "method"};
    const char *method = json_text(sweep, "method"), *key;
    json_t *value;
    json_int_t cap = json_integer_value(json_object_get(sweep, "run_cap"));
    if (strcmp(method, "random") == 0 || strcmp(method, "grid") == 0)
        json_object_set_new(out->sketch.more, "strategy", json_string(method));
    else if (*method)
        sketch_leave(&out->sketch, "method: %s; gannet's own strategy, auto, takes its place", method);
    json_object_set_new(out->sketch.more, "limits", json_pack("{s:I}", "max_trials", cap > 0 ? cap : 100));
    if (cap <= 0)
        sketch_say(&out->sketch, SKETCH_MORE, "The sweep has no run_cap; this many trials are a guess.");
    json_object_foreach((json_t *)sweep, key, value)
    {
        bool known = false;
        for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
            known |= strcmp(taken[i], key) == 0;
        if (strcmp(key, "early_terminate") == 0)
            sketch_leave(&out->sketch,
                         "early_terminate; `early_stop: asha` is the nearest, when the program prints steps");
        else if (!known)
            sketch_leave(&out->sketch, "%s: it has no meaning here", key);
    }
}

static int read_wandb(const struct import_options *options, struct imported *out, struct err *err)
{
    json_t *sweep = import_document(options->file, err), *parameter;
    const json_t *parameters = json_object_get(sweep, "parameters"), *metric = json_object_get(sweep, "metric");
    const char *name = json_text(sweep, "name");
    if (sweep && !json_object_size(parameters)) {
        json_decref(sweep);
        return err_set(err, "%s has no 'parameters'; is it the YAML file of a sweep?", options->file);
    }
    if (!sweep)
        return -1;
    sketch_init(&out->sketch, *name ? name : options->file, options->made_by);
    add_command(out, sweep);
    import_metric(out, json_text(metric, "name"), strcmp(json_text(metric, "goal"), "maximize") == 0);
    sketch_say(&out->sketch, SKETCH_METRIC, "wandb.log() alone is not read: print what it logs, too.");
    if (json_object_get(metric, "target"))
        sketch_leave(&out->sketch, "metric.target; gannet has it, too: metric: {target: ...}");
    json_object_foreach((json_t *)parameters, name, parameter) add_parameter(out, name, parameter);
    take_rest(out, sweep);
    json_decref(sweep);
    return 0;
}

const struct importer import_wandb = {.name = "wandb", .what = "the YAML file of a W&B sweep", .read = read_wandb};
