/* Katib: the YAML of an Experiment. Its trials are in a cluster's database; only the space and the command are here. */
#include "cli/json.h"
#include "cli/start/imported.h"
#include "common/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- parameters --- */

/* Katib writes numbers as texts: "0.01". */
static double number_of(const json_t *space, const char *member, double otherwise)
{
    double number;
    const json_t *json = json_object_get(space, member);
    if (json_is_number(json))
        return json_number_value(json);
    return json_is_string(json) && units_number(json_string_value(json), &number) ? number : otherwise;
}

static json_t *value_of(const json_t *item)
{
    int64_t integer;
    double number;
    const char *text = json_string_value(item);
    if (text && units_integer(text, &integer))
        return json_integer(integer);
    if (text && units_number(text, &number) && isfinite(number))
        return json_real(number);
    return json_incref((json_t *)item);
}

static json_t *list_keys(const json_t *list, bool numbers, const char **why)
{
    json_t *values = json_array();
    size_t index;
    const json_t *item;
    json_array_foreach(list, index, item)
        json_array_append_new(values, numbers ? value_of(item) : json_incref((json_t *)item));
    json_t *keys = import_choice_keys(values, NULL, why);
    if (keys && numbers && json_object_get(keys, "values"))
        json_object_set_new(keys, "ordered", json_true());
    json_decref(values);
    return keys;
}

static void add_parameter(struct imported *out, const json_t *parameter)
{
    const char *type = json_text(parameter, "parameterType"), *name = json_text(parameter, "name"), *why = "";
    const json_t *space = json_object_get(parameter, "feasibleSpace");
    const char *distribution = json_text(space, "distribution");
    struct import_range range = {.min = number_of(space, "min", NAN),
                                 .max = number_of(space, "max", NAN),
                                 .step = number_of(space, "step", 0),
                                 .integer = strcmp(type, "int") == 0,
                                 .log = strcmp(distribution, "logUniform") == 0};
    if (strcmp(distribution, "normal") == 0 || strcmp(distribution, "logNormal") == 0)
        sketch_leave(&out->sketch, "%s: distribution: %s; its range is taken evenly", name, distribution);
    json_t *keys = json_object_get(space, "list")
                       ? list_keys(json_object_get(space, "list"), strcmp(type, "discrete") == 0, &why)
                       : import_range_keys(&range, &why);
    import_add(out, name, keys, why);
}

/* --- the command --- */

/* The parameter that a trial's parameter stands for. */
static const char *reference_of(const json_t *template, const char *name, size_t length)
{
    size_t index;
    const json_t *one;
    json_array_foreach(json_object_get(template, "trialParameters"), index, one)
    {
        const char *called = json_text(one, "name");
        if (strlen(called) == length && strncmp(called, name, length) == 0)
            return json_text(one, "reference");
    }
    return NULL;
}

/* "--lr=${trialParameters.learningRate}" as "--lr=${params.lr}". */
static void add_word(struct imported *out, const json_t *template, const char *word, json_t *command)
{
    static const char mark[] = "${trialParameters.";
    struct buf text = {0};
    while (*word) {
        const char *name = word + strlen(mark),
                   *end = strncmp(word, mark, strlen(mark)) == 0 ? strchr(name, '}') : NULL;
        const char *reference = end ? reference_of(template, name, (size_t)(end - name)) : NULL;
        if (reference) {
            char *fit = sketch_parameter_name(reference);
            buf_format(&text, "${params.%s}", fit);
            free(fit);
            word = end + 1;
            continue;
        }
        if (end)
            sketch_leave(&out->sketch, "command: %.*s, which stands for no parameter", (int)(end - word + 1), word);
        buf_format(&text, strncmp(word, "${", 2) == 0 ? "$%c" : "%c", *word);
        word++;
    }
    json_array_append_new(command, json_string(buf_str(&text)));
    buf_fini(&text);
}

/* The first container below a node: Job, PyTorchJob and others have it in different places. */
static const json_t *find_container(const json_t *node, int depth)
{
    enum { DEEPEST = 20 };
    const json_t *found = json_array_get(json_object_get(node, "containers"), 0);
    const char *key;
    json_t *inner;
    if (found || depth > DEEPEST)
        return found;
    json_object_foreach((json_t *)node, key, inner) if (!found) found = find_container(inner, depth + 1);
    return found;
}

static void add_command(struct imported *out, const json_t *template)
{
    const json_t *container = find_container(json_object_get(template, "trialSpec"), 0), *word;
    json_t *command = json_array();
    size_t index;
    json_array_foreach(json_object_get(container, "command"), index, word)
        add_word(out, template, json_string_value(word) ? json_string_value(word) : "", command);
    json_array_foreach(json_object_get(container, "args"), index, word)
        add_word(out, template, json_string_value(word) ? json_string_value(word) : "", command);
    if (json_array_size(command))
        json_object_set(out->sketch.trial, "command", command);
    else
        import_no_command(out);
    json_decref(command);
    if (*json_text(container, "image"))
        sketch_leave(&out->sketch, "image %s: what is in it must be on the nodes, or the command must start it",
                     json_text(container, "image"));
}

/* --- the whole --- */

static void take_limits(struct imported *out, const json_t *spec)
{
    static const char *const same[][2] = {{"maxTrialCount", "max_trials"},
                                          {"parallelTrialCount", "max_concurrent"},
                                          {"maxFailedTrialCount", "max_failures"}};
    json_t *limits = json_object();
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        const json_t *number = json_object_get(spec, same[i][0]);
        if (json_is_integer(number) && json_integer_value(number) > 0)
            json_object_set(limits, same[i][1], (json_t *)number);
    }
    json_object_set_new(out->sketch.more, "limits", limits);
    const char *algorithm = json_text(json_object_get(spec, "algorithm"), "algorithmName");
    if (strcmp(algorithm, "random") == 0 || strcmp(algorithm, "grid") == 0 || strcmp(algorithm, "sobol") == 0 ||
        strcmp(algorithm, "tpe") == 0 || strcmp(algorithm, "cmaes") == 0)
        json_object_set_new(out->sketch.more, "strategy", json_string(algorithm));
    else if (*algorithm)
        sketch_leave(&out->sketch, "algorithm: %s; gannet's own strategy, auto, takes its place", algorithm);
    if (json_object_get(spec, "earlyStopping"))
        sketch_leave(&out->sketch, "earlyStopping; `early_stop: median` is the nearest, when the program prints steps");
}

static void take_metric(struct imported *out, const json_t *objective)
{
    size_t index;
    const json_t *more;
    import_metric(out, json_text(objective, "objectiveMetricName"),
                  strcmp(json_text(objective, "type"), "maximize") == 0);
    json_t *goal = json_object_get(objective, "goal");
    if (json_is_number(goal) && isfinite(json_number_value(goal)))
        json_object_set(json_array_get(out->sketch.metric, 0), "target", goal);
    json_array_foreach(json_object_get(objective, "additionalMetricNames"), index, more) if (json_is_string(more))
        sketch_leave(&out->sketch,
                     "the metric %s: what the program prints as %s=0.5 is recorded without being named here",
                     json_string_value(more), json_string_value(more));
}

static int read_katib(const struct import_options *options, struct imported *out, struct err *err)
{
    json_t *experiment = import_document(options->file, err);
    const json_t *spec = json_object_get(experiment, "spec"), *parameters = json_object_get(spec, "parameters"), *one;
    const char *name = json_text(json_object_get(experiment, "metadata"), "name");
    size_t index;
    if (experiment && !json_array_size(parameters)) {
        json_decref(experiment);
        return err_set(err, "%s has no 'spec.parameters'; is it an Experiment of Katib?", options->file);
    }
    if (!experiment)
        return -1;
    sketch_init(&out->sketch, *name ? name : options->file, options->made_by);
    add_command(out, json_object_get(spec, "trialTemplate"));
    take_metric(out, json_object_get(spec, "objective"));
    json_array_foreach(parameters, index, one) add_parameter(out, one);
    take_limits(out, spec);
    json_decref(experiment);
    return 0;
}

const struct importer import_katib = {
    .name = "katib", .what = "the YAML file of a Katib Experiment", .read = read_katib};
