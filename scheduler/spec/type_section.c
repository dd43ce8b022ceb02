/* Types that are sections, and the forms of JSON Schemas that types have in common; see key.h. */
#include "scheduler/spec/type.h"
#include "scheduler/spec/schema.h"

#include <string.h>

/* --- sections --- */

/* `limits:` with nothing behind it (everything below commented out) is an empty section. */
static void section_read(struct reading *reading, const struct key *key, const struct node *node, void *owner)
{
    if (node->kind == NODE_MAP || node_is(node, SCALAR_NULL))
        key_read_map(reading, key->path, 0, node, reading->place, owner);
    else
        key_refuse(reading, key, node);
    if (key->also != KEY_NOWHERE)
        *KEY_AT(owner, key->also, bool) = true;
}

static json_t *section_schema(const struct key *key)
{
    json_t *schema = schema_of_section(key->path, 0);
    if (!(key->flags & KEY_REQUIRED))
        json_object_set_new(schema, "type", json_pack("[s, s]", "object", "null"));
    return schema;
}

const struct key_type type_section = {"a map of keys", section_read, NULL, section_schema};

/* --- strategy --- */

static void strategy_read(struct reading *reading, const struct key *key, const struct node *node, void *owner)
{
    if (!node_is(node, SCALAR_TEXT)) {
        section_read(reading, key, node, owner);
        return;
    }
    struct entry entry = {.key = "name", .mark = node->mark, .node = (struct node *)node};
    struct node map = {.kind = NODE_MAP, .mark = node->mark, .entries = &entry, .count = 1};
    section_read(reading, key, &map, owner);
}

static json_t *strategy_schema(const struct key *key)
{
    return json_pack("{s:[{s:s}, o]}", "anyOf", "type", "string", schema_of_section(key->path, 0));
}

const struct key_type type_strategy = {"a name or a map of keys", strategy_read, NULL, strategy_schema};

/* --- keys that come later --- */

static void later_read(struct reading *reading, const struct key *key, const struct node *node, void *owner)
{
    (void)reading, (void)key, (void)node, (void)owner; /* the reader of maps refuses the key before */
}

static json_t *later_schema(const struct key *key)
{
    (void)key;
    return json_object();
}

const struct key_type type_later = {"what a later version says", later_read, NULL, later_schema};

/* --- what schemas have in common --- */

json_t *type_schema_of(const char *name)
{
    return json_pack("{s:s}", "type", name);
}

static json_t *json_of_words(const char *const *words)
{
    json_t *list = json_array();
    for (; *words; words++)
        json_array_append_new(list, json_string(*words));
    return list;
}

json_t *type_schema_of_any(const char *const *names)
{
    return json_pack("{s:o}", "type", json_of_words(names));
}

json_t *type_schema_of_words(const char *const *words)
{
    return json_pack("{s:o}", "enum", json_of_words(words));
}

json_t *type_schema_of_list(const char *item, unsigned least)
{
    json_t *schema = json_pack("{s:s, s:o}", "type", "array", "items", type_schema_of(item));
    if (least)
        json_object_set_new(schema, "minItems", json_integer(least));
    return schema;
}

json_t *type_schema_of_pattern(const char *pattern)
{
    return json_pack("{s:s, s:s}", "type", "string", "pattern", pattern);
}
