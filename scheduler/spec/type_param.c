/* Types of the keys that a parameter has; see key.h. What they mean together is checked in draft.c, which looks the
 * nodes up again: here only their shape is. */
#include "scheduler/spec/type.h"
#include "scheduler/spec/draft.h"

#include <math.h>

static json_t *any_scalar(void)
{
    return type_schema_of_any((const char *const[]){"number", "string", "boolean", "null", NULL});
}

/* --- numbers --- */

/* Reports a number that is not finite, or not above `least`. */
static void check_number(struct reading *reading, const struct key *key, const struct node *node, double least,
                         const char *hint)
{
    double number;
    char words[KEY_WORDS];
    if (!node_number(node, &number))
        key_refuse(reading, key, node);
    else if (!isfinite(number) || !(number > least))
        problem_hint(problem_add(reading->problems, PROBLEM_BAD_VALUE, node->mark, "%s can't be %s",
                                 key_words(reading, key, words, sizeof words), node->text),
                     "%s", hint);
}

static void literal_read(struct reading *reading, const struct key *key, const struct node *node, void *owner)
{
    (void)owner;
    check_number(reading, key, node, -INFINITY, "bounds are finite");
}

static json_t *literal_schema(const struct key *key)
{
    (void)key;
    return type_schema_of("number");
}

const struct key_type type_literal = {"a number", literal_read, NULL, literal_schema};

static void positive_read(struct reading *reading, const struct key *key, const struct node *node, void *owner)
{
    (void)owner;
    check_number(reading, key, node, 0, "it must be above 0, and finite");
}

static json_t *positive_schema(const struct key *key)
{
    (void)key;
    return json_pack("{s:s, s:i}", "type", "number", "exclusiveMinimum", 0);
}

const struct key_type type_positive = {"a number above 0", positive_read, NULL, positive_schema};

/* --- values --- */

static void scalar_read(struct reading *reading, const struct key *key, const struct node *node, void *owner)
{
    (void)owner;
    struct err err;
    struct value value;
    char words[KEY_WORDS];
    if (node_value(node, &value, &err))
        problem_add(reading->problems, PROBLEM_BAD_VALUE, node->mark, "%s: %s",
                    key_words(reading, key, words, sizeof words), err.text);
    else
        value_fini(&value);
}

static json_t *scalar_schema(const struct key *key)
{
    (void)key;
    return any_scalar();
}

const struct key_type type_scalar = {"a number, a text, true, false or null", scalar_read, NULL, scalar_schema};

static void scalars_read(struct reading *reading, const struct key *key, const struct node *node, void *owner)
{
    char words[KEY_WORDS];
    if (node->kind != NODE_LIST)
        key_refuse(reading, key, node);
    else if (!node->count)
        problem_add(reading->problems, PROBLEM_BAD_VALUE, node->mark, "%s holds no value",
                    key_words(reading, key, words, sizeof words));
    else
        for (uint32_t i = 0; i < node->count; i++)
            scalar_read(reading, key, node->entries[i].node, owner);
}

static json_t *scalars_schema(const struct key *key)
{
    (void)key;
    return json_pack("{s:s, s:i, s:o, s:b}", "type", "array", "minItems", 1, "items", any_scalar(), "uniqueItems", 1);
}

const struct key_type type_scalars = {"a list of values", scalars_read, NULL, scalars_schema};

static void weights_read(struct reading *reading, const struct key *key, const struct node *node, void *owner)
{
    (void)owner;
    double weight;
    char words[KEY_WORDS], what[NODE_WORDS];
    if (node->kind != NODE_LIST) {
        key_refuse(reading, key, node);
        return;
    }
    for (uint32_t i = 0; i < node->count; i++) {
        const struct node *item = node->entries[i].node;
        if (!node_number(item, &weight) || !isfinite(weight) || weight <= 0)
            problem_hint(problem_add(reading->problems, PROBLEM_BAD_CHOICES, item->mark, "%s holds %s",
                                     key_words(reading, key, words, sizeof words), node_words(item, what, sizeof what)),
                         "weights are numbers above 0; a value that isn't wanted is left out");
    }
}

static json_t *weights_schema(const struct key *key)
{
    (void)key;
    return json_pack("{s:s, s:{s:s, s:i}}", "type", "array", "items", "type", "number", "exclusiveMinimum", 0);
}

const struct key_type type_weights = {"a list of numbers", weights_read, NULL, weights_schema};

/* --- conditions --- */

static void when_read(struct reading *reading, const struct key *key, const struct node *node, void *owner)
{
    (void)owner;
    char words[KEY_WORDS];
    if (node->kind != NODE_MAP)
        key_refuse(reading, key, node);
    else if (!node->count)
        problem_hint(problem_add(reading->problems, PROBLEM_BAD_CONDITION, node->mark, "%s holds no condition",
                                 key_words(reading, key, words, sizeof words)),
                     "write when: {parameter: value}");
}

static json_t *when_schema(const struct key *key)
{
    (void)key;
    return json_pack("{s:s, s:i, s:{s:[o, {s:s, s:i, s:o}]}}", "type", "object", "minProperties", 1,
                     "additionalProperties", "anyOf", any_scalar(), "type", "array", "minItems", 1, "items",
                     any_scalar());
}

const struct key_type type_when = {"a map of parameters to the values for which this one is active", when_read, NULL,
                                   when_schema};
