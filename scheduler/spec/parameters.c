/* Parameters, constraints and the space they make; see parameters.h. */
#include "scheduler/spec/parameters.h"
#include "common/hash.h"
#include "common/map.h"
#include "common/mem.h"
#include "common/trial_command.h"
#include "scheduler/spec/emit.h"
#include "scheduler/spec/type.h"

#include <stdlib.h>
#include <string.h>

void parameters_fini(struct parameters *parameters)
{
    for (uint32_t i = 0; i < parameters->count; i++) {
        param_fini(&parameters->drafts[i].param);
        free(parameters->drafts[i].arg);
    }
    free(parameters->drafts);
    *parameters = (struct parameters){0};
}

void parameters_read(struct reading *reading, struct parameters *parameters)
{
    const struct node *map = node_find(reading->root, "parameters");
    *parameters = (struct parameters){0};
    if (!map || map->kind != NODE_MAP || map->count > SPACE_MOST_PARAMS)
        return; /* type_parameters has reported it */
    parameters->drafts = MEM_ARRAY(struct draft, map->count);
    for (; parameters->count < map->count; parameters->count++)
        draft_read(reading, &map->entries[parameters->count], &parameters->drafts[parameters->count]);
    for (uint32_t i = 0; i < parameters->count; i++)
        draft_read_conditions(reading, parameters, &parameters->drafts[i]);
}

/* What is underlined when a constraint can't be read: the word that it stopped at, or one character. */
#define WORD_LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_."

static void add_constraint(struct reading *reading, struct space *space, const struct node *text)
{
    struct err err;
    size_t column = 0;
    if (!node_is(text, SCALAR_TEXT) || space_constrain(space, text->text, &column, &err) == 0)
        return;
    size_t word = column <= strlen(text->text) ? strspn(text->text + column, WORD_LETTERS) : 0;
    problem_add(reading->problems, PROBLEM_BAD_CONSTRAINT, node_mark_within(text, column, word ? word : 1), "%s",
                err.text);
}

static bool all_valid(const struct parameters *parameters)
{
    for (uint32_t i = 0; i < parameters->count; i++)
        if (!parameters->drafts[i].valid)
            return false;
    return parameters->count > 0;
}

/* The parameter takes true and false, and nothing else. */
static bool is_switch(const struct param *param)
{
    bool discrete = param->kind == PARAM_CHOICE || param->kind == PARAM_CONSTANT;
    for (uint32_t i = 0; discrete && i < param->count; i++)
        if (param->values[i].kind != VALUE_BOOL)
            return false;
    return discrete;
}

/* Keeps how a parameter becomes an argument. */
static void take_arg(struct reading *reading, const struct draft *draft)
{
    struct spec_trial *trial = &reading->spec->trial;
    if (!draft->arg)
        return;
    if (trial_arg_is_switch(draft->arg) && !is_switch(&draft->param)) {
        problem_say(reading->problems, PROBLEM_BAD_VALUE, node_find(draft->node, "arg")->mark,
                    "write values: [true, false], or another arg", "'%s' is not true or false, so it can't be %s",
                    draft->name, draft->arg);
        return;
    }
    if (!trial->args)
        trial->args = json_object();
    json_object_set_new(trial->args, draft->name, json_string(draft->arg));
}

void parameters_make_space(struct reading *reading, struct parameters *parameters)
{
    struct err err;
    uint32_t culprit;
    const struct node *constraints = node_find(reading->root, "constraints");
    for (uint32_t i = 0; i < parameters->count; i++)
        if (parameters->drafts[i].valid)
            take_arg(reading, &parameters->drafts[i]);
    if (!all_valid(parameters) || draft_find_circle(reading, parameters))
        return;
    struct space *space = reading->spec->space = space_create();
    for (uint32_t i = 0; i < parameters->count; i++)
        space_add(space, &parameters->drafts[i].param);
    for (uint32_t i = 0; constraints && constraints->kind == NODE_LIST && i < constraints->count; i++)
        add_constraint(reading, space, constraints->entries[i].node);
    if (space_finish(space, &culprit, &err))
        problem_add(reading->problems, PROBLEM_BAD_PARAMETER, parameters->drafts[culprit].mark, "%s", err.text);
    else if (!space_dimension(space))
        problem_say(reading->problems, PROBLEM_BAD_PARAMETER, node_entry(reading->root, "parameters")->mark,
                    "write for example lr: {min: 1e-5, max: 1e-1, log: true}",
                    "all parameters are constants: there is nothing to search");
}

/* --- the types of the three keys: their shape; the rest comes when all keys were read --- */

static void shape_read(struct reading *reading, const struct key *key, const struct node *node, void *owner)
{
    (void)owner;
    (void)key;
    if (!node->count)
        problem_say(reading->problems, PROBLEM_MISSING_KEY, reading->place,
                    "write for example lr: {min: 1e-5, max: 1e-1, log: true}", "there is no parameter to search");
    else if (node->count > SPACE_MOST_PARAMS)
        problem_add(reading->problems, PROBLEM_TOO_MUCH, reading->place, "there are more than %d parameters",
                    SPACE_MOST_PARAMS);
}

static json_t *schema_of_form(unsigned form, const char *first, const char *second)
{
    json_t *schema = key_schema_of_section("parameters.*", form), *required = json_pack("[s]", first);
    if (second)
        json_array_append_new(required, json_string(second));
    json_object_set_new(schema, "required", required);
    return schema;
}

static json_t *parameters_schema(const struct key *key)
{
    (void)key;
    const struct key *value = key_of_path("parameters.*.value"), *values = key_of_path("parameters.*.values");
    json_t *scalar = key_schema(value); /* a list alone is a choice */
    json_object_set_new(scalar, "type", json_pack("[s, s, s, s]", "number", "string", "boolean", "null"));
    json_t *forms =
        json_pack("[o, o, o, o, o, o]", scalar, key_schema(values), schema_of_form(KEY_IN_RANGE, "min", "max"),
                  schema_of_form(KEY_IN_CHOICE, "values", NULL), schema_of_form(KEY_IN_NORMAL, "mean", "stddev"),
                  schema_of_form(KEY_IN_CONSTANT, "value", NULL));
    return json_pack("{s:s, s:i, s:i, s:{s:s}, s:{s:o}}", "type", "object", "minProperties", 1, "maxProperties",
                     SPACE_MOST_PARAMS, "propertyNames", "pattern", "^[A-Za-z_][A-Za-z0-9_.-]*$",
                     "additionalProperties", "anyOf", forms);
}

const struct key_type type_parameters = {"a map of parameters", TAKES_MAP, shape_read,
                                         .make_schema = parameters_schema};

void parameters_check_list(struct reading *reading, const struct key *key, const struct node *node, enum node_kind kind,
                           const char *example)
{
    for (uint32_t i = 0; i < node->count; i++) {
        const struct node *item = node->entries[i].node;
        if (item->kind != kind || (kind == NODE_SCALAR && !node_is(item, SCALAR_TEXT)))
            problem_hint(problem_add(reading->problems, PROBLEM_WRONG_TYPE, item->mark, "%s holds %s, not %s",
                                     key_show(reading, key).text, kind == NODE_MAP ? "maps" : "texts",
                                     node_show(item).text),
                         "write %s", example);
    }
}

static void constraints_read(struct reading *reading, const struct key *key, const struct node *node, void *owner)
{
    (void)owner;
    parameters_check_list(reading, key, node, NODE_SCALAR, "\"width * layers <= 4096\"");
}

static bool constraints_write(const struct key *key, const void *owner, struct buf *out)
{
    (void)key;
    const struct space *space = ((const struct spec *)owner)->space;
    uint32_t count = space_constraint_count(space);
    for (uint32_t i = 0; i < count; i++) {
        buf_text(out, i ? ", " : "[");
        emit_text(out, space_constraint(space, i));
    }
    buf_text(out, count ? "]" : "");
    return count;
}

const struct key_type type_constraints = {"a list of texts such as \"width * layers <= 4096\"", TAKES_LIST,
                                          constraints_read, constraints_write, .schema = TEXTS_SCHEMA};

static bool same_variable(const struct draft *a, const struct draft *b)
{
    char *first = trial_command_variable_name(a->name), *second = trial_command_variable_name(b->name);
    bool same = strcmp(first, second) == 0;
    free(first);
    free(second);
    return same;
}

/* `seen` has the drafts before this one by the hash of their variable. */
static void check_variable(struct reading *reading, struct map *seen, struct draft *draft)
{
    char *name = trial_command_variable_name(draft->name);
    struct draft *before = map_put(seen, hash_text(name), draft);
    if (before && same_variable(before, draft))
        problem_hint(problem_add(reading->problems, PROBLEM_BAD_NAME, draft->mark,
                                 "the parameters '%s' and '%s' are both %s in the environment of the command",
                                 before->name, draft->name, name),
                     "give one of them another name");
    free(name);
}

void parameters_check_variables(struct reading *reading, const struct parameters *parameters)
{
    struct map seen = {0};
    const struct node *trial = node_find(reading->root, "trial");
    if (trial && node_entry(trial, "command"))
        for (uint32_t i = 0; i < parameters->count; i++)
            if (parameters->drafts[i].name)
                check_variable(reading, &seen, &parameters->drafts[i]);
    map_fini(&seen);
}
