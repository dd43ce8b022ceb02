/* The type of trial.persistent: whether a program's process stays from trial to trial, and when it is renewed. */
#include "scheduler/spec/type.h"
#include "scheduler/spec/spec.h"

#include <stddef.h>
#include <string.h>

static const struct key members[] = {
    {"trial.persistent.trials", &type_whole, .offset = offsetof(struct spec, trial.persistent.trials), .min = 1,
     .max = 1e12},
    {"trial.persistent.growth", &type_size, .offset = offsetof(struct spec, trial.persistent.growth), .min = 0x1p20,
     .max = 0x1p53},
};
enum { MEMBERS = sizeof members / sizeof *members };

static void read_member(struct reading *reading, const struct entry *entry, void *owner)
{
    for (size_t i = 0; i < MEMBERS; i++)
        if (strcmp(entry->key, key_name(&members[i])) == 0) {
            key_read(reading, &members[i], entry->node, owner);
            return;
        }
    problem_say(reading->problems, PROBLEM_UNKNOWN_KEY, entry->mark, "it takes trials and growth",
                "'trial.persistent' has no key '%s'", entry->key);
}

static void persistent_read(struct reading *reading, const struct key *key, const struct node *node, void *owner)
{
    struct spec_persistent *persistent = KEY_AT(owner, key->offset, struct spec_persistent);
    if (node->kind != NODE_MAP && !node_is(node, SCALAR_BOOL)) {
        key_refuse(reading, key, node);
        return;
    }
    persistent->on = node->kind == NODE_MAP || strcmp(node->text, "true") == 0;
    for (uint32_t i = 0; node->kind == NODE_MAP && i < node->count; i++)
        read_member(reading, &node->entries[i], owner);
}

/* Nothing of what is off, so that an experiment that was made before there was the key is the same. */
static bool persistent_write(const struct key *key, const void *owner, struct buf *out)
{
    const struct spec_persistent *persistent = KEY_AT_CONST(owner, key->offset, struct spec_persistent);
    size_t given = 0;
    if (!persistent->on)
        return false;
    for (size_t i = 0; i < MEMBERS; i++) {
        struct buf value = {0};
        if (members[i].type->write(&members[i], owner, &value))
            buf_format(out, "%s%s: %s", given++ ? ", " : "{", key_name(&members[i]), buf_str(&value));
        buf_fini(&value);
    }
    buf_text(out, given ? "}" : "true");
    return true;
}

static json_t *persistent_schema(const struct key *key)
{
    (void)key;
    json_t *properties = json_object();
    for (size_t i = 0; i < MEMBERS; i++)
        json_object_set_new(properties, key_name(&members[i]), key_schema(&members[i]));
    json_t *map = json_pack("{s:s, s:b, s:o}", "type", "object", "additionalProperties", 0, "properties", properties);
    return json_pack("{s:[{s:s}, o]}", "anyOf", "type", "boolean", map);
}

const struct key_type type_persistent = {"true, false, or a map of trials and growth", TAKES_SWITCH | TAKES_MAP,
                                         persistent_read, persistent_write, .make_schema = persistent_schema};
