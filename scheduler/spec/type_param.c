/* Types of the keys that only a parameter has; see key.h. What they mean together is checked in draft.c, which looks
 * the nodes up again: here only their shape is. */
#include "scheduler/spec/type.h"

#include <math.h>

#define VALUE_TYPES  "'type': ['number', 'string', 'boolean', 'null', 'array']"
#define ANY_VALUE    "{" VALUE_TYPES ", 'items': {" VALUE_TYPES "}}"
#define SOME_OF_THEM "{'type': 'array', 'minItems': 1, 'items': " ANY_VALUE

/* --- values --- */

static void scalar_read(struct reading *reading, const struct key *key, const struct node *node, void *owner)
{
    (void)owner;
    struct err err;
    struct value value;
    if (node_value(node, &value, &err))
        problem_add(reading->problems, PROBLEM_BAD_VALUE, node->mark, "%s: %s", key_show(reading, key).text, err.text);
    else
        value_fini(&value);
}

const struct key_type type_scalar = {"a number, a text, true, false, null or a list", TAKES_ANY, scalar_read,
                                     .schema = ANY_VALUE};

static void scalars_read(struct reading *reading, const struct key *key, const struct node *node, void *owner)
{
    if (!node->count)
        problem_add(reading->problems, PROBLEM_BAD_VALUE, node->mark, "%s holds no value", key_show(reading, key).text);
    else
        for (uint32_t i = 0; i < node->count; i++)
            scalar_read(reading, key, node->entries[i].node, owner);
}

const struct key_type type_scalars = {"a list of values", TAKES_LIST, scalars_read,
                                      .schema = SOME_OF_THEM ", 'uniqueItems': true}"};

static void weights_read(struct reading *reading, const struct key *key, const struct node *node, void *owner)
{
    (void)owner;
    double weight;
    for (uint32_t i = 0; i < node->count; i++) {
        const struct node *item = node->entries[i].node;
        if (!node_number(item, &weight) || !isfinite(weight) || weight <= 0)
            problem_say(reading->problems, PROBLEM_BAD_CHOICES, item->mark,
                        "weights are numbers above 0; a value that isn't wanted is left out", "%s holds %s",
                        key_show(reading, key).text, node_show(item).text);
    }
}

const struct key_type type_weights = {"a list of numbers", TAKES_LIST, weights_read,
                                      .schema =
                                          "{'type': 'array', 'items': {'type': 'number', 'exclusiveMinimum': 0}}"};

/* --- conditions --- */

static void when_read(struct reading *reading, const struct key *key, const struct node *node, void *owner)
{
    (void)owner;
    if (!node->count)
        problem_say(reading->problems, PROBLEM_BAD_CONDITION, node->mark, "write when: {parameter: value}",
                    "%s holds no condition", key_show(reading, key).text);
}

const struct key_type type_when = {
    "a map of parameters to what they must be for this one to be active", TAKES_MAP, when_read,
    .schema =
        "{'type': 'object', 'minProperties': 1, 'additionalProperties': {'anyOf': [" ANY_VALUE ", " SOME_OF_THEM
        "}, {'type': 'object', 'minProperties': 1, 'additionalProperties': false, 'properties': {'not': {'anyOf': "
        "[" ANY_VALUE ", " SOME_OF_THEM "}]}, 'min': {'type': 'number'}, 'max': {'type': 'number'}}}]}}"};
