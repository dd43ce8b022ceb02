/* Trials that a person wants to see; see filter.h. */
#include "cli/data/filter.h"
#include "cli/json.h"
#include "cli/status.h"
#include "common/arena.h"
#include "common/endings.h"
#include "common/mem.h"
#include "common/phases.h"
#include "common/units.h"
#include "scheduler/verdict/verdict.h"
#include "search/expression.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_MOST = 2000, SAMPLE = 200 }; /* names of metrics that are known; trials that are looked at for more */

/* Where an operand's value is. */
enum operand_scope { PLACE_MEMBER, PLACE_TIME_OF_DAY, PLACE_COUNT, PLACE_PARAM, PLACE_METRIC, PLACE_PHASE, PLACE_WORD };

struct operand_place {
    enum operand_scope place;
    char *name;
    unsigned kinds; /* of operand_kind */
};

struct filter {
    struct space *space; /* its parameters are the operands */
    struct operand_place *places;
    size_t count, capacity;
    struct expression *expression;
};

/* --- the members --- */

static const char *state_name(uint32_t i)
{
    return i < TRIAL_STATES ? trial_state_name((enum trial_state)i) : NULL;
}

static const char *reason_name_of(uint32_t i)
{
    return i < ENDINGS_COUNT ? ending_name((enum ending)i) : NULL;
}

static const char *verdict_name_of(uint32_t i)
{
    return i < VERDICTS_COUNT ? verdict_name((enum verdict_kind)i) : NULL;
}

static const struct filter_member {
    const char *name;
    enum operand_scope place;
    enum operand_kind kind;
    const char *(*word)(uint32_t i); /* its i-th value, of those that have a list; NULL behind the last */
} members[] = {
    {"trial", PLACE_MEMBER, OPERAND_NUMBER, NULL},
    {"state", PLACE_MEMBER, OPERAND_TEXT, state_name},
    {"reason", PLACE_MEMBER, OPERAND_TEXT, reason_name_of},
    {"attempts", PLACE_MEMBER, OPERAND_NUMBER, NULL},
    {"started", PLACE_TIME_OF_DAY, OPERAND_NUMBER, NULL},
    {"ended", PLACE_TIME_OF_DAY, OPERAND_NUMBER, NULL},
    {"seconds", PLACE_MEMBER, OPERAND_NUMBER, NULL},
    {"node", PLACE_MEMBER, OPERAND_TEXT, NULL},
    {"nodes", PLACE_MEMBER, OPERAND_TEXT, NULL},
    {"slot", PLACE_MEMBER, OPERAND_NUMBER, NULL},
    {"job", PLACE_MEMBER, OPERAND_TEXT, NULL},
    {"cpus", PLACE_COUNT, OPERAND_NUMBER, NULL},
    {"gpus", PLACE_COUNT, OPERAND_NUMBER, NULL},
    {"value", PLACE_MEMBER, OPERAND_NUMBER, NULL},
    {"step", PLACE_MEMBER, OPERAND_NUMBER, NULL},
    {"verdict", PLACE_MEMBER, OPERAND_TEXT, verdict_name_of},
    {"figure", PLACE_MEMBER, OPERAND_NUMBER, NULL},
    {"feasible", PLACE_MEMBER, OPERAND_TRUTH, NULL},
    {"ignored", PLACE_MEMBER, OPERAND_TRUTH, NULL},
    {"added", PLACE_MEMBER, OPERAND_TRUTH, NULL},
};
enum { MEMBERS = sizeof members / sizeof *members };

/* --- the operands that there are --- */

/* Adds one of the name `prefix` + `name`, unless there is one; takes over what the parameter owns. */
static void add_operand(struct filter *filter, const char *prefix, const char *name, enum operand_scope place,
                        unsigned kinds, struct param param)
{
    char *title = mem_format("%s%s", prefix, name);
    if (space_find(filter->space, title) >= 0) {
        free(title);
        param_fini(&param);
        return;
    }
    param.name = title;
    param.optional = place != PLACE_WORD;
    space_add(filter->space, &param);
    MEM_GROW(filter->places, filter->capacity, filter->count + 1);
    filter->places[filter->count++] = (struct operand_place){place, mem_text(name), kinds};
}

/* One that is a number, or true or false. */
static struct param plain_param(enum operand_kind kind)
{
    struct param param = {.kind = PARAM_REAL};
    if (kind == OPERAND_NUMBER)
        return param;
    param.kind = PARAM_CONSTANT;
    param.count = 1;
    param.values = MEM_ARRAY(struct value, 1);
    param.values[0] = kind == OPERAND_TRUTH ? value_of_bool(true) : value_of_text("");
    return param;
}

/* One of these words. */
static struct param word_param(const char *(*word)(uint32_t i))
{
    struct param param = {.kind = PARAM_CHOICE};
    while (word(param.count))
        param.count++;
    param.values = MEM_ARRAY(struct value, param.count);
    for (uint32_t i = 0; i < param.count; i++)
        param.values[i] = value_of_text(word(i));
    return param;
}

static void add_members(struct filter *filter)
{
    for (size_t i = 0; i < MEMBERS; i++)
        add_operand(filter, "", members[i].name, members[i].place, members[i].kind,
                    members[i].word ? word_param(members[i].word) : plain_param(members[i].kind));
}

/* A parameter as the experiment has it: the values of a choice are known. */
static struct param experiment_param(const json_t *json, unsigned *kinds)
{
    const json_t *values = json_object_get(json, "values"), *value = json_object_get(json, "value");
    struct param param = {.kind = values ? PARAM_CHOICE : value ? PARAM_CONSTANT : PARAM_REAL};
    param.count = values ? (uint32_t)json_array_size(values) : value ? 1 : 0;
    param.values = param.count ? MEM_ARRAY(struct value, param.count) : NULL;
    *kinds = param.count ? 0 : OPERAND_NUMBER;
    for (uint32_t i = 0; i < param.count; i++) {
        if (value_from_json(values ? json_array_get(values, i) : value, &param.values[i], NULL))
            param.values[i] = (struct value){.kind = VALUE_NULL};
        *kinds |= operand_of_value(&param.values[i]).kind;
    }
    return param;
}

static void add_params(struct filter *filter, const char *prefix, const json_t *experiment)
{
    size_t index;
    const json_t *json;
    json_array_foreach(json_object_get(experiment, "parameters"), index, json)
    {
        unsigned kinds;
        struct param param = experiment_param(json, &kinds);
        add_operand(filter, prefix, json_text(json, "name"), PLACE_PARAM, kinds, param);
    }
}

/* The members `from` of the trials are operands of that place: numbers, but parameters whatever their value is. */
static void add_of_trials(struct filter *filter, const char *prefix, const json_t *trials, const char *from,
                          enum operand_scope place)
{
    size_t index;
    json_t *trial, *value;
    const char *name;
    json_array_foreach((json_t *)trials, index, trial)
    {
        json_object_foreach(json_object_get(trial, from), name, value)
        {
            bool number = place != PLACE_PARAM || json_is_number(value);
            enum operand_kind kind = number ? OPERAND_NUMBER : json_is_boolean(value) ? OPERAND_TRUTH : OPERAND_TEXT;
            if (filter->count < NAMES_MOST)
                add_operand(filter, prefix, name, place, kind, plain_param(kind));
        }
    }
}

static void add_metrics(struct filter *filter, const char *prefix, const struct filter_names *names)
{
    size_t index;
    const json_t *metric;
    json_array_foreach(json_object_get(names->experiment, "metrics"), index, metric) add_operand(
        filter, prefix, json_text(metric, "name"), PLACE_METRIC, OPERAND_NUMBER, plain_param(OPERAND_NUMBER));
    json_array_foreach((json_t *)names->metrics, index, metric)
    {
        if (json_is_string(metric) && filter->count < NAMES_MOST)
            add_operand(filter, prefix, json_string_value(metric), PLACE_METRIC, OPERAND_NUMBER,
                        plain_param(OPERAND_NUMBER));
    }
    add_of_trials(filter, prefix, names->trials, "metrics", PLACE_METRIC);
}

static void add_phases(struct filter *filter, const char *prefix, const struct filter_names *names)
{
    for (int i = 0; i < PHASES_COUNT; i++)
        add_operand(filter, prefix, phase_name((enum phase)i), PLACE_PHASE, OPERAND_NUMBER,
                    plain_param(OPERAND_NUMBER));
    add_of_trials(filter, prefix, names->trials, "profile", PLACE_PHASE);
}

static void add_words(struct filter *filter, const char *(*word)(uint32_t i))
{
    for (uint32_t i = 0; word(i); i++)
        add_operand(filter, "", word(i), PLACE_WORD, OPERAND_TRUTH, plain_param(OPERAND_TRUTH));
}

/* What has a prefix and what has none; of the latter the first of a name. */
static void add_operands(struct filter *filter, const struct filter_names *names)
{
    add_members(filter);
    for (int prefixed = 1; prefixed >= 0; prefixed--) {
        add_params(filter, prefixed ? "param." : "", names->experiment);
        add_of_trials(filter, prefixed ? "param." : "", names->trials, "params", PLACE_PARAM);
        add_metrics(filter, prefixed ? "metric." : "", names);
        add_phases(filter, prefixed ? "time." : "", names);
    }
    add_words(filter, state_name);
    add_words(filter, reason_name_of);
}

struct filter *filter_parse(const char *text, const struct filter_names *names, size_t *column, struct err *err)
{
    static const struct expression_words words = {
        "column", "a filter must be true or false, like seconds > 60 or state == 'failed'"};
    struct filter *filter = MEM_NEW(struct filter);
    filter->space = space_create();
    add_operands(filter, names);
    filter->expression = expression_parse_as(text, filter->space, &words, column, err);
    if (filter->expression)
        return filter;
    filter_destroy(filter);
    return NULL;
}

void filter_destroy(struct filter *filter)
{
    if (!filter)
        return;
    expression_destroy(filter->expression);
    for (size_t i = 0; i < filter->count; i++)
        free(filter->places[i].name);
    free(filter->places);
    space_destroy(filter->space);
    free(filter);
}

/* --- by an experiment --- */

struct filter *filter_open(struct source *source, const char *text, int *status, struct err *err)
{
    json_t *experiment = source_read(source, "experiment", NULL, err),
           *metrics = experiment ? source_read(source, "metrics", NULL, err) : NULL,
           *trials = metrics ? source_trials(source, &(struct trial_query){.limit = SAMPLE}, err) : NULL;
    struct filter *filter = NULL;
    size_t column = 0;
    struct err fault = {""};
    *status = trials ? STATUS_OK : STATUS_FAILED;
    if (trials)
        filter = filter_parse(text, &(struct filter_names){experiment, metrics, trials}, &column, &fault);
    if (trials && !filter) {
        *status = STATUS_USAGE;
        err_write(err, "character %zu: %s", column + 1, fault.text);
    }
    json_decref(experiment);
    json_decref(metrics);
    json_decref(trials);
    return filter;
}

/* --- evaluating --- */

struct judged_trial {
    const struct filter *filter;
    const json_t *trial;
    struct arena *memory; /* of texts that parameters' lists are written as */
};

static struct operand missing_operand(unsigned kinds)
{
    struct operand operand = {.kind = OPERAND_NULL};
    if (kinds & OPERAND_NUMBER)
        operand.number = NAN;
    else
        operand.text = NULL; /* whose bytes are false, too */
    return operand;
}

static struct operand number_operand(double number)
{
    return (struct operand){.kind = OPERAND_NUMBER, .number = number};
}

/* A list as the text that values of lists are compared by. */
static struct operand list_operand(const json_t *json, struct arena *memory)
{
    struct value value = {0};
    struct operand operand = {.kind = OPERAND_NULL};
    if (value_from_json(json, &value, NULL) == 0) {
        operand = operand_of_value(&value);
        if (operand.kind == OPERAND_TEXT)
            operand.text = arena_text(memory, operand.text);
    }
    value_fini(&value);
    return operand;
}

/* Numbers that are not finite are texts in JSON; a parameter's texts are texts. */
static struct operand operand_of_json(const json_t *json, unsigned kinds, struct arena *memory)
{
    if (json_is_number(json))
        return number_operand(json_number_value(json));
    if (json_is_string(json) && (kinds & OPERAND_TEXT))
        return (struct operand){.kind = OPERAND_TEXT, .text = json_string_value(json)};
    if (json_is_string(json) && (kinds & OPERAND_NUMBER))
        return number_operand(strtod(json_string_value(json), NULL));
    if (json_is_boolean(json))
        return (struct operand){.kind = OPERAND_TRUTH, .truth = json_is_true(json)};
    return json_is_array(json) ? list_operand(json, memory) : (struct operand){.kind = OPERAND_NULL};
}

/* "failed" of a trial whose state or ending that is. */
static struct operand word_operand(const json_t *trial, const char *word)
{
    return (struct operand){.kind = OPERAND_TRUTH,
                            .truth = strcmp(json_text(trial, "state"), word) == 0 ||
                                     strcmp(json_text(trial, "reason"), word) == 0};
}

static struct operand find_operand(const struct operand_place *place, const json_t *trial, struct arena *memory)
{
    const json_t *member = json_object_get(trial, place->name);
    switch (place->place) {
    case PLACE_MEMBER:
        return operand_of_json(member, place->kinds, memory);
    case PLACE_TIME_OF_DAY:
        return number_operand(json_is_string(member) ? units_time(json_string_value(member)) : NAN);
    case PLACE_COUNT:
        return number_operand(json_is_array(member) ? (double)json_array_size(member) : NAN);
    case PLACE_PARAM:
        return operand_of_json(json_object_get(json_object_get(trial, "params"), place->name), place->kinds, memory);
    case PLACE_METRIC:
        return operand_of_json(json_object_get(json_object_get(trial, "metrics"), place->name), place->kinds, memory);
    case PLACE_PHASE:
        member = json_object_get(json_object_get(trial, "profile"), place->name);
        return operand_of_json(json_object_get(member, "seconds"), place->kinds, memory);
    case PLACE_WORD:
        break;
    }
    return word_operand(trial, place->name);
}

/* Of another kind than the name has elsewhere: as if there were none. A time that is not known is NaN. */
static struct operand read_operand(const void *context, uint32_t param)
{
    const struct judged_trial *judged = context;
    const struct operand_place *place = &judged->filter->places[param];
    struct operand operand = find_operand(place, judged->trial, judged->memory);
    bool unknown = (place->place == PLACE_TIME_OF_DAY || place->place == PLACE_COUNT) && isnan(operand.number);
    return (operand.kind & place->kinds) && !unknown ? operand : missing_operand(place->kinds);
}

bool filter_keeps(const struct filter *filter, const json_t *trial)
{
    struct arena memory = {0};
    struct judged_trial judged = {filter, trial, &memory};
    bool keeps = expression_true(filter->expression, read_operand, &judged);
    arena_fini(&memory);
    return keeps;
}

static bool is_one_of(const struct operand_place *place, const char *const *names, size_t count)
{
    if (place->place == PLACE_PARAM)
        return true;
    if (place->place == PLACE_METRIC || place->place == PLACE_PHASE || place->place == PLACE_WORD)
        return false;
    for (size_t i = 0; i < count; i++)
        if (strcmp(place->name, names[i]) == 0)
            return true;
    return false;
}

bool filter_reads_only(const struct filter *filter, const char *const *names, size_t count)
{
    const uint32_t *params;
    size_t reads = expression_reads(filter->expression, &params);
    for (size_t i = 0; i < reads; i++) {
        const struct operand_place *place = &filter->places[params[i]];
        bool is_state = place->place == PLACE_WORD && trial_state_named(place->name) >= 0;
        if (!is_state && !is_one_of(place, names, count))
            return false;
    }
    return true;
}

bool filter_reads_params(const struct filter *filter)
{
    const uint32_t *params;
    size_t reads = expression_reads(filter->expression, &params);
    for (size_t i = 0; i < reads; i++)
        if (filter->places[params[i]].place == PLACE_PARAM)
            return true;
    return false;
}

void filter_list_members(const struct filter *filter, json_t *out)
{
    const uint32_t *params;
    size_t reads = expression_reads(filter->expression, &params);
    for (size_t i = 0; i < reads; i++) {
        const struct operand_place *place = &filter->places[params[i]];
        const char *of_place[] = {
            [PLACE_PARAM] = "params", [PLACE_METRIC] = "metrics", [PLACE_PHASE] = "profile", [PLACE_WORD] = "reason"};
        bool is_member =
            place->place == PLACE_MEMBER || place->place == PLACE_TIME_OF_DAY || place->place == PLACE_COUNT;
        json_add_once(out, is_member ? place->name : of_place[place->place]);
    }
}
