/* Types that are sections; see key.h. */
#include "scheduler/spec/type.h"

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
    json_t *schema = key_schema_of_section(key->path, 0);
    if (!(key->flags & KEY_REQUIRED))
        json_object_set_new(schema, "type", json_pack("[s, s]", "object", "null"));
    return schema;
}

const struct key_type type_section = {.words = "a map of keys", .read = section_read, .make_schema = section_schema};

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
    return json_pack("{s:[{s:s}, o]}", "anyOf", "type", "string", key_schema_of_section(key->path, 0));
}

const struct key_type type_strategy = {
    .words = "a name or a map of keys", .read = strategy_read, .make_schema = strategy_schema};

/* The reader of maps refuses keys that come later before their type is asked. */
const struct key_type type_later = {.words = "what a later version says"};
