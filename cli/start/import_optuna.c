/* Optuna: a study of its SQLite file or its journal. Its space is what the trials were drawn from: each parameter has a
 * distribution in each trial. A parameter that only some trials have gets a condition where the values of a choice tell
 * which. */
#include "cli/json.h"
#include "cli/start/imported.h"
#include "cli/start/optuna_journal.h"
#include "common/json.h"
#include "common/mem.h"
#include "scheduler/store/optuna.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PARAMETERS = 1000, MOST_COMPARED = 20000 };

/* A parameter, over all trials. */
struct seen_param {
    const char *name;
    const char *why; /* why it can't be taken over; NULL: it can */
    json_t *choices; /* of a choice, its own; else NULL */
    struct import_range range;
    size_t count; /* trials that have it */
    bool varied;  /* its range was not the same in all of them */
};

/* A study being taken over. */
struct optuna_taking {
    struct optuna_study study;
    json_t *parsed; /* the distributions as JSON; null: it is none */
    struct seen_param *params;
    size_t count, capacity;
    size_t ended;  /* trials */
    bool has_more; /* parameters than are taken */
    struct imported *out;
};

/* --- distributions --- */

/* The names that Optuna has had for them. */
static const struct {
    const char *name;
    bool integer, log;
} kinds[] = {{"FloatDistribution", false, false},           {"IntDistribution", true, false},
             {"UniformDistribution", false, false},         {"LogUniformDistribution", false, true},
             {"DiscreteUniformDistribution", false, false}, {"IntUniformDistribution", true, false},
             {"IntLogUniformDistribution", true, true}};

/* What no parameter can take becomes its text. */
static json_t *choices_of(const json_t *list)
{
    json_t *choices = json_array();
    size_t index;
    json_t *choice;
    json_array_foreach(list, index, choice)
    {
        struct buf text = {0};
        bool fits = import_is_value(choice);
        if (!fits)
            json_add(choice, &text);
        json_array_append_new(choices, fits ? json_incref(choice) : json_of_text(buf_str(&text)));
        buf_fini(&text);
    }
    return choices;
}

/* A distribution into a parameter that is empty; why it can't be, else NULL. */
static const char *read_distribution(const json_t *distribution, struct seen_param *param)
{
    const char *name = json_text(distribution, "name");
    const json_t *attributes = json_object_get(distribution, "attributes"),
                 *choices = json_object_get(attributes, "choices");
    if (strcmp(name, "CategoricalDistribution") == 0 && json_array_size(choices)) {
        param->choices = choices_of(choices);
        return NULL;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].name, name) == 0) {
            param->range = (struct import_range){
                .integer = kinds[i].integer, .log = kinds[i].log || json_is_true(json_object_get(attributes, "log"))};
            if (!json_number(attributes, "low", &param->range.min) ||
                !json_number(attributes, "high", &param->range.max))
                return "its distribution has no ends";
            if (!json_number(attributes, "step", &param->range.step))
                json_number(attributes, "q", &param->range.step);
            return NULL;
        }
    return "it has a distribution that is not known here";
}

static void merge_distribution(struct seen_param *param, struct seen_param *other)
{
    struct import_range *a = &param->range, *b = &other->range;
    if (!param->choices != !other->choices || (param->choices && !json_equal(param->choices, other->choices))) {
        param->why = "it was a range in some trials and another choice in others";
        return;
    }
    param->varied |= a->min != b->min || a->max != b->max || a->step != b->step || a->log != b->log;
    a->min = fmin(a->min, b->min);
    a->max = fmax(a->max, b->max);
    a->step = a->step == b->step ? a->step : 0;
    a->log &= b->log;
    a->integer &= b->integer;
}

static struct seen_param *find_param(struct optuna_taking *taking, const char *name)
{
    for (size_t i = 0; i < taking->count; i++)
        if (strcmp(taking->params[i].name, name) == 0)
            return &taking->params[i];
    if (taking->count == MOST_PARAMETERS)
        return NULL;
    MEM_GROW(taking->params, taking->capacity, taking->count + 1);
    taking->params[taking->count] = (struct seen_param){.name = name};
    return &taking->params[taking->count++];
}

/* Whether this distribution was looked at for this parameter already: those of one have the same index mostly. */
static void note_param(struct optuna_taking *taking, const char *name, size_t index, bool *noted)
{
    struct seen_param *param = find_param(taking, name), fresh = {.name = name};
    taking->has_more |= !param;
    if (!param)
        return;
    if (param->count++ && *noted)
        return;
    const char *why = read_distribution(json_array_get(taking->parsed, index), &fresh);
    if (why) {
        param->why = why;
    } else if (param->count == 1) {
        json_decref(param->choices);
        param->choices = json_incref(fresh.choices);
        param->range = fresh.range;
    } else {
        merge_distribution(param, &fresh);
    }
    json_decref(fresh.choices);
    *noted = true;
}

static bool has_ended(const json_t *trial)
{
    const char *state = json_text(trial, "state");
    return strcmp(state, "COMPLETE") == 0 || strcmp(state, "PRUNED") == 0 || strcmp(state, "FAIL") == 0;
}

/* A distribution counts once for each parameter that has it: names and indices are a set, kept as JSON. */
static void note_params(struct optuna_taking *taking)
{
    json_t *noted = json_object();
    size_t at;
    const json_t *trial;
    json_array_foreach(taking->study.trials, at, trial)
    {
        const char *name;
        json_t *pair;
        if (!has_ended(trial))
            continue;
        taking->ended++;
        json_object_foreach(json_object_get(trial, "params"), name, pair)
        {
            json_int_t index = json_integer_value(json_array_get(pair, 1));
            char *key = mem_format("%lld %s", (long long)index, name);
            bool known = json_object_get(noted, key) != NULL;
            note_param(taking, name, (size_t)index, &known);
            json_object_set_new(noted, key, json_true());
            free(key);
        }
    }
    json_decref(noted);
}

/* --- conditions --- */

/* The index of the choice that a trial has; -1: none. */
static json_int_t choice_of(const json_t *trial, const struct seen_param *param)
{
    double index;
    const json_t *pair = json_object_get(json_object_get(trial, "params"), param->name);
    if (!pair || !json_to_real(json_array_get(pair, 0), &index) || !(index >= 0) ||
        index >= (double)json_array_size(param->choices))
        return -1;
    return (json_int_t)index;
}

/* The values of `choice` with which trials have `param`, an array; NULL when a value goes with both. */
static json_t *values_with(const struct optuna_taking *taking, const struct seen_param *param,
                           const struct seen_param *choice)
{
    enum { WITH = 1, WITHOUT = 2 };
    size_t count = json_array_size(choice->choices), at;
    unsigned char *sides = MEM_ARRAY(unsigned char, count + 1);
    const json_t *trial;
    bool apart = true;
    json_array_foreach(taking->study.trials, at, trial)
    {
        json_int_t index = has_ended(trial) ? choice_of(trial, choice) : -1;
        if (index >= 0)
            sides[index] |= json_object_get(json_object_get(trial, "params"), param->name) ? WITH : WITHOUT;
    }
    json_t *values = json_array();
    for (size_t i = 0; i < count; i++) {
        apart &= sides[i] != (WITH | WITHOUT);
        if (sides[i] == WITH)
            json_array_append(values, json_array_get(choice->choices, i));
    }
    free(sides);
    if (apart && json_array_size(values))
        return values;
    json_decref(values);
    return NULL;
}

/* Adds the condition under which trials have the parameter, if a choice that all have tells it. */
static bool add_condition(const struct optuna_taking *taking, const struct seen_param *param, json_t *keys)
{
    for (size_t i = 0; i < taking->count && taking->ended <= MOST_COMPARED; i++) {
        const struct seen_param *choice = &taking->params[i];
        if (choice->why || json_array_size(choice->choices) < 2 || choice->count < taking->ended || choice == param)
            continue;
        json_t *values = values_with(taking, param, choice);
        if (values) {
            char *name = sketch_parameter_name(choice->name);
            json_object_set_new(keys, "when", json_pack("{s:o}", name, values));
            free(name);
            return true;
        }
    }
    return false;
}

static void add_param(struct optuna_taking *taking, struct seen_param *param)
{
    const char *why = param->why;
    json_t *keys = why              ? NULL
                   : param->choices ? import_choice_keys(param->choices, NULL, &why)
                                    : import_range_keys(&param->range, &why);
    struct buf comment = {0};
    if (!keys) {
        sketch_leave(&taking->out->sketch, "%s: %s", param->name, why);
        return;
    }
    if (param->varied)
        buf_text(&comment, "its range was not always the same: this is all of it");
    if (param->count < taking->ended)
        buf_format(&comment, "%s%zu of %zu trials have it%s", comment.length ? "; " : "", param->count, taking->ended,
                   add_condition(taking, param, keys) ? ", by this condition as it seems" : "");
    sketch_add(&taking->out->sketch, param->name, keys, buf_str(&comment));
    buf_fini(&comment);
}

/* --- trials --- */

/* A parameter's value, new; NULL when its number makes no sense. */
static json_t *value_of(const struct seen_param *param, const json_t *trial, const json_t *pair)
{
    double number;
    if (!json_to_real(json_array_get(pair, 0), &number) || !isfinite(number))
        return NULL;
    if (param->choices) {
        json_int_t index = choice_of(trial, param);
        return index < 0 ? NULL : json_incref(json_array_get(param->choices, (size_t)index));
    }
    return param->range.integer && fabs(number) < 1e15 ? json_integer((json_int_t)number) : json_real(number);
}

static json_t *params_of(const struct optuna_taking *taking, const json_t *trial)
{
    json_t *params = json_object();
    for (size_t i = 0; i < taking->count; i++) {
        const struct seen_param *param = &taking->params[i];
        const json_t *pair = json_object_get(json_object_get(trial, "params"), param->name);
        json_t *value = pair && !param->why ? value_of(param, trial, pair) : NULL;
        char *name = value ? sketch_parameter_name(param->name) : NULL;
        if (value)
            json_object_set_new(params, name, value);
        free(name);
    }
    return params;
}

/* The last step that has a number, as Optuna takes it for a pruned trial; NULL: there is none. */
static json_t *last_step(const json_t *trial)
{
    const json_t *steps = json_object_get(trial, "steps");
    for (size_t i = json_array_size(steps); i; i--) {
        double value;
        json_t *json = json_array_get(json_array_get(steps, i - 1), 1);
        if (json_to_real(json, &value) && isfinite(value))
            return json;
    }
    return NULL;
}

static void add_trial(struct optuna_taking *taking, const json_t *trial)
{
    const char *state = json_text(trial, "state"), *ending = "completed";
    json_t *values = json_incref(json_object_get(trial, "values"));
    bool pruned = strcmp(state, "PRUNED") == 0, failed = strcmp(state, "FAIL") == 0;
    if (pruned && last_step(trial)) {
        json_decref(values);
        values = json_pack("[O]", last_step(trial));
    }
    if (pruned)
        ending = json_array_size(values) ? "stopped_early" : "no_value";
    else if (failed)
        ending = "reported";
    json_array_append_new(taking->out->trials,
                          json_pack("{s:o, s:o, s:s, s:s?, s:O, s:O, s:O}", "params", params_of(taking, trial),
                                    "values", values, "ending", ending, "detail",
                                    failed ? "it failed under Optuna" : NULL, "started",
                                    json_object_get(trial, "started"), "seconds", json_object_get(trial, "seconds"),
                                    "steps", json_object_get(trial, "steps")));
}

/* --- the whole --- */

static void add_metrics(struct optuna_taking *taking, const char *wished)
{
    size_t count = json_array_size(taking->study.maximize);
    for (size_t i = 0; i < (count ? count : 1); i++) {
        const char *named = json_string_value(json_array_get(taking->study.metrics, i));
        char *name =
            named || count < 2 ? mem_text(!named && wished && !i ? wished : named) : mem_format("value_%zu", i);
        import_metric(taking->out, name, json_is_true(json_array_get(taking->study.maximize, i)));
        free(name);
    }
}

static void parse_distributions(struct optuna_taking *taking)
{
    size_t index;
    const json_t *text;
    taking->parsed = json_array();
    json_array_foreach(taking->study.distributions, index, text)
    {
        json_t *json = json_loads(json_string_value(text), 0, NULL);
        json_array_append_new(taking->parsed, json ? json : json_null());
    }
}

static void take_study(struct optuna_taking *taking, const struct import_options *options)
{
    struct imported *out = taking->out;
    size_t index;
    const json_t *trial;
    sketch_init(&out->sketch, taking->study.name, options->made_by);
    out->trials = json_array();
    parse_distributions(taking);
    note_params(taking);
    import_no_command(out);
    add_metrics(taking, options->metric);
    for (size_t i = 0; i < taking->count; i++)
        add_param(taking, &taking->params[i]);
    if (taking->has_more)
        sketch_leave(&out->sketch, "parameters beyond the first %d", MOST_PARAMETERS);
    json_array_foreach(taking->study.trials, index, trial) if (has_ended(trial)) add_trial(taking, trial);
    else out->skipped++;
    sketch_leave(&out->sketch,
                 "the sampler and the pruner: Optuna does not keep them. See `strategy` and `early_stop`");
}

static int read_optuna(const struct import_options *options, struct imported *out, struct err *err)
{
    static const char address[] = "sqlite:///";
    struct optuna_taking taking = {.out = out};
    const char *path = options->file + (strncmp(options->file, address, strlen(address)) ? 0 : strlen(address));
    int failed = optuna_journal_is(path) ? optuna_journal_read(path, options->study, &taking.study, err)
                                         : optuna_read(path, options->study, &taking.study, err);
    if (!failed)
        take_study(&taking, options);
    for (size_t i = 0; i < taking.count; i++)
        json_decref(taking.params[i].choices);
    free(taking.params);
    json_decref(taking.parsed);
    optuna_fini(&taking.study);
    return failed;
}

const struct importer import_optuna = {
    .name = "optuna", .what = "Optuna's SQLite file or journal", .read = read_optuna};
