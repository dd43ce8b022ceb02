/* NNI: search_space.json, or a config.yml that has the space in it or names its file. */
#include "cli/json.h"
#include "cli/start/imported.h"
#include "common/mem.h"
#include "common/path.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum nni_shape { CHOICE, INTEGERS, RANGE, NORMAL };

static const struct nni_distribution {
    const char *name;
    enum nni_shape shape;
    bool log, rounded; /* to multiples of a third number */
} rows[] = {
    {"choice", CHOICE, false, false},   {"randint", INTEGERS, false, false}, {"uniform", RANGE, false, false},
    {"quniform", RANGE, false, true},   {"loguniform", RANGE, true, false},  {"qloguniform", RANGE, true, true},
    {"normal", NORMAL, false, false},   {"qnormal", NORMAL, false, true},    {"lognormal", NORMAL, true, false},
    {"qlognormal", NORMAL, true, true},
};

static void add_space(struct imported *out, const char *before, const json_t *space, json_t *when, int depth);

static void add_keys(struct imported *out, const char *name, json_t *keys, json_t *when, const char *why)
{
    if (keys && when)
        json_object_set(keys, "when", when);
    import_add(out, name, keys, why);
}

/* A choice between maps, each with a name and parameters of its own, which are there when it is chosen. */
static void add_branches(struct imported *out, const char *name, const json_t *branches, json_t *when, int depth)
{
    json_t *names = json_array();
    size_t index;
    const json_t *branch;
    const char *why;
    char *fit = sketch_parameter_name(name);
    json_array_foreach(branches, index, branch) json_array_append_new(names, json_string(json_text(branch, "_name")));
    add_keys(out, name, import_choice_keys(names, NULL, &why), when, why);
    sketch_leave(&out->sketch, "%s: the parameters within have its name in front: %s.NAME; NNI nests them", name, name);
    json_array_foreach(branches, index, branch)
    {
        json_t *chosen =
            json_array_size(names) > 1 ? json_pack("{s:s}", fit, json_text(branch, "_name")) : json_incref(when);
        add_space(out, name, branch, chosen, depth + 1);
        json_decref(chosen);
    }
    json_decref(names);
    free(fit);
}

static void add_numbers(struct imported *out, const char *name, const struct nni_distribution *row,
                        const double *values, json_t *when)
{
    const char *why;
    struct import_range range = {values[0], values[1], row->rounded ? values[2] : 0, false, row->log};
    bool whole = range.step > 0 && range.step == floor(range.step) && range.min == floor(range.min) &&
                 range.max == floor(range.max);
    if (row->shape == INTEGERS) {
        range.max -= 1; /* NNI leaves the end out */
        range.integer = true;
    } else if (row->rounded && (row->log || row->shape == NORMAL)) {
        sketch_leave(&out->sketch,
                     "%s: rounded to multiples of %g; there are no steps here for that, round in the program", name,
                     values[2]);
        range.step = 0;
    } else
        range.integer = whole;
    add_keys(out, name,
             row->shape == NORMAL ? import_normal_keys(values[0], values[1], row->log, &why)
                                  : import_range_keys(&range, &why),
             when, why);
}

static void add_parameter(struct imported *out, const char *name, const json_t *parameter, json_t *when, int depth)
{
    const json_t *values = json_object_get(parameter, "_value");
    double numbers[3] = {0};
    const char *why = "", *type = json_text(parameter, "_type");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(rows[i].name, type) != 0)
            continue;
        if (rows[i].shape == CHOICE && json_object_get(json_array_get(values, 0), "_name"))
            add_branches(out, name, values, when, depth);
        else if (rows[i].shape == CHOICE)
            add_keys(out, name, import_choice_keys(values, NULL, &why), when, why);
        else if (import_numbers(values, numbers, rows[i].rounded ? 3 : 2))
            add_numbers(out, name, &rows[i], numbers, when);
        else
            sketch_leave(&out->sketch, "%s: its _value is no list of numbers", name);
        return;
    }
    sketch_leave(&out->sketch, "%s: its _type '%s' is not known here", name, type);
}

static void add_space(struct imported *out, const char *before, const json_t *space, json_t *when, int depth)
{
    enum { DEEPEST = 8 };
    const char *name;
    json_t *parameter;
    json_object_foreach((json_t *)space, name, parameter)
    {
        char *whole = before ? mem_format("%s.%s", before, name) : mem_text(name);
        if (strcmp(name, "_name") == 0)
            ;
        else if (!json_is_object(parameter) || depth > DEEPEST)
            sketch_leave(&out->sketch, "%s: it has no _type", whole);
        else
            add_parameter(out, whole, parameter, when, depth);
        free(whole);
    }
}

/* --- the configuration --- */

static void take_limits(struct imported *out, const json_t *config)
{
    static const char *const same[][2] = {{"maxTrialNumber", "max_trials"}, {"trialConcurrency", "max_concurrent"}};
    static const char *const left[] = {"maxExperimentDuration", "maxTrialDuration", "assessor",          "advisor",
                                       "trainingService",       "trialGpuNumber",   "trialCodeDirectory"};
    json_t *limits = json_object();
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        const json_t *number = json_object_get(config, same[i][0]);
        if (json_is_integer(number) && json_integer_value(number) > 0)
            json_object_set(limits, same[i][1], (json_t *)number);
    }
    if (!json_object_size(limits))
        json_object_set_new(limits, "max_trials", json_integer(100));
    json_object_set_new(out->sketch.more, "limits", limits);
    for (size_t i = 0; i < sizeof left / sizeof *left; i++)
        if (json_object_get(config, left[i]))
            sketch_leave(&out->sketch, "%s: see limits, early_stop, resources and slurm in docs/experiment.md",
                         left[i]);
    if (json_object_get(config, "tuner"))
        sketch_leave(&out->sketch, "tuner %s; gannet's own strategy, auto, takes its place",
                     json_text(json_object_get(config, "tuner"), "name"));
}

static void take_command(struct imported *out, const json_t *config)
{
    const char *command = json_text(config, "trialCommand");
    if (*command) {
        json_object_set_new(out->sketch.trial, "command", json_sprintf("%s ${args}", command));
        sketch_say(&out->sketch, SKETCH_TRIAL, "LOOK HERE: it gets --NAME=VALUE for each parameter in place of");
        sketch_say(&out->sketch, SKETCH_TRIAL,
                   "nni.get_next_parameter(), and prints its metric in place of report_final_result().");
    } else {
        import_no_command(out);
    }
}

/* The space of a config: in it, or in the file that it names, beside it. NULL with a sentence. */
static json_t *space_of(const char *file, const json_t *config, struct err *err)
{
    json_t *within = json_object_get(config, "searchSpace");
    const char *named = json_text(config, "searchSpaceFile");
    if (json_is_object(within))
        return json_incref(within);
    if (!*named)
        return json_incref((json_t *)config);
    char *directory = path_directory(file), *path = path_join(directory, named);
    json_t *space = import_document(path, err);
    free(directory);
    free(path);
    return space;
}

static bool is_space(const json_t *space)
{
    const char *name;
    json_t *parameter;
    json_object_foreach((json_t *)space, name, parameter) if (json_object_get(parameter, "_type")) return true;
    return false;
}

static int read_nni(const struct import_options *options, struct imported *out, struct err *err)
{
    json_t *config = import_document(options->file, err), *space = config ? space_of(options->file, config, err) : NULL;
    const char *name = json_text(config, "experimentName");
    const json_t *arguments = json_object_get(json_object_get(config, "tuner"), "classArgs");
    int failed = !space || (!is_space(space) &&
                            err_set(err, "%s has no parameter with a _type; is it NNI's search space?", options->file));
    if (!failed) {
        sketch_init(&out->sketch, *name ? name : options->file, options->made_by);
        take_command(out, config);
        import_metric(out, "default", strcmp(json_text(arguments, "optimize_mode"), "maximize") == 0);
        add_space(out, NULL, space, NULL, 0);
        take_limits(out, config);
    }
    json_decref(space);
    json_decref(config);
    return failed ? -1 : 0;
}

const struct importer import_nni = {.name = "nni", .what = "NNI's search_space.json or config.yml", .read = read_nni};
