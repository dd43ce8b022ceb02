/* Parameters, constraints and the space they make; see parameters.h. */
#include "scheduler/spec/parameters.h"
#include "scheduler/spec/schema.h"
#include "scheduler/spec/type.h"
#include "common/mem.h"

#include <stdlib.h>
#include <string.h>

void parameters_fini(struct parameters *parameters)
{
    for (uint32_t i = 0; i < parameters->count; i++)
        param_fini(&parameters->drafts[i].param);
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
        draft_read_conditions(reading, parameters->drafts, parameters->count, i);
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

void parameters_make_space(struct reading *reading, struct parameters *parameters)
{
    struct err err;
    uint32_t culprit;
    const struct node *constraints = node_find(reading->root, "constraints");
    if (!all_valid(parameters) || draft_find_circle(reading, parameters->drafts, parameters->count))
        return;
    struct space *space = reading->spec->space = space_create();
    for (uint32_t i = 0; i < parameters->count; i++)
        space_add(space, &parameters->drafts[i].param);
    for (uint32_t i = 0; constraints && constraints->kind == NODE_LIST && i < constraints->count; i++)
        add_constraint(reading, space, constraints->entries[i].node);
    if (space_finish(space, &culprit, &err))
        problem_add(reading->problems, PROBLEM_BAD_PARAMETER, parameters->drafts[culprit].mark, "%s", err.text);
    else if (!space_dimension(space))
        problem_hint(problem_add(reading->problems, PROBLEM_BAD_PARAMETER,
                                 node_entry(reading->root, "parameters")->mark,
                                 "all parameters are constants: there is nothing to search"),
                     "write for example lr: {min: 1e-5, max: 1e-1, log: true}");
}

/* --- the types of the three keys: their shape; the rest comes when all keys were read --- */

static void shape_read(struct reading *reading, const struct key *key, const struct node *node, void *owner)
{
    (void)owner;
    if (node->kind != NODE_MAP)
        key_refuse(reading, key, node);
    else if (!node->count)
        problem_hint(
            problem_add(reading->problems, PROBLEM_MISSING_KEY, reading->place, "there is no parameter to search"),
            "write for example lr: {min: 1e-5, max: 1e-1, log: true}");
    else if (node->count > SPACE_MOST_PARAMS)
        problem_add(reading->problems, PROBLEM_TOO_MUCH, reading->place, "there are more than %d parameters",
                    SPACE_MOST_PARAMS);
}

const struct key_type type_parameters = {"a map of parameters", shape_read, NULL, schema_of_parameters};

void parameters_check_list(struct reading *reading, const struct key *key, const struct node *node, enum node_kind kind,
                           const char *example)
{
    char words[KEY_WORDS], what[NODE_WORDS];
    if (node->kind != NODE_LIST)
        key_refuse(reading, key, node);
    for (uint32_t i = 0; node->kind == NODE_LIST && i < node->count; i++) {
        const struct node *item = node->entries[i].node;
        if (item->kind != kind || (kind == NODE_SCALAR && !node_is(item, SCALAR_TEXT)))
            problem_hint(problem_add(reading->problems, PROBLEM_WRONG_TYPE, item->mark, "%s holds %s, not %s",
                                     key_words(reading, key, words, sizeof words), kind == NODE_MAP ? "maps" : "texts",
                                     node_words(item, what, sizeof what)),
                         "write %s", example);
    }
}

static void constraints_read(struct reading *reading, const struct key *key, const struct node *node, void *owner)
{
    (void)owner;
    parameters_check_list(reading, key, node, NODE_SCALAR, "\"width * layers <= 4096\"");
}

static json_t *constraints_schema(const struct key *key)
{
    (void)key;
    return type_schema_of_list("string", 0);
}

const struct key_type type_constraints = {"a list of texts such as \"width * layers <= 4096\"", constraints_read, NULL,
                                          constraints_schema};
