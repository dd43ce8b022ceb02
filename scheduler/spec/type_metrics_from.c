/* The type of trial.metrics_from: where a program's metrics are, and what its lines look like. */
#include "scheduler/spec/emit.h"
#include "scheduler/spec/type.h"
#include "common/line_pattern.h"

#include <string.h>

static const char *const usual[] = {"stdout", NULL};

/* What is wrong with one member; true: nothing. */
static bool check_member(struct reading *reading, const struct entry *entry)
{
    struct err err;
    struct line_pattern pattern;
    bool is_file = strcmp(entry->key, "file") == 0, is_pattern = strcmp(entry->key, "pattern") == 0;
    if (!is_file && !is_pattern)
        problem_say(reading->problems, PROBLEM_UNKNOWN_KEY, entry->mark, "it takes file and pattern",
                    "'trial.metrics_from' has no key '%s'", entry->key);
    else if (entry->node->kind != NODE_SCALAR || node_is(entry->node, SCALAR_NULL))
        problem_add(reading->problems, PROBLEM_WRONG_TYPE, entry->node->mark,
                    "'trial.metrics_from.%s' takes a text, not %s", entry->key, node_show(entry->node).text);
    else if ((is_file ? line_pattern_check_file(entry->node->text, &err)
                      : line_pattern_read(entry->node->text, &pattern, &err)) != 0)
        problem_add(reading->problems, PROBLEM_BAD_VALUE, entry->node->mark,
                    "'trial.metrics_from.%s' can't be used: %s", entry->key, err.text);
    else
        return true;
    return false;
}

static void read_places(struct reading *reading, const struct key *key, const struct node *map, void *owner)
{
    json_t *object = json_object();
    bool good = true;
    for (uint32_t i = 0; i < map->count; i++) {
        bool fits = check_member(reading, &map->entries[i]);
        good &= fits;
        if (fits)
            json_object_set_new(object, map->entries[i].key, json_string(map->entries[i].node->text));
    }
    if (good && json_object_size(object))
        type_set_object(key, owner, object);
    else
        json_decref(object);
}

static void metrics_from_read(struct reading *reading, const struct key *key, const struct node *node, void *owner)
{
    if (node->kind == NODE_MAP)
        read_places(reading, key, node, owner);
    else if (strcmp(node->text, usual[0]) == 0)
        type_set_object(key, owner, NULL);
    else
        problem_say(reading->problems, PROBLEM_BAD_VALUE, node->mark,
                    "write \"stdout\", {file: metrics.jsonl} or {pattern: \"loss is {value}\"}",
                    "%s takes \"stdout\" or a map of file and pattern, not %s", key_show(reading, key).text,
                    node_show(node).text);
}

static bool metrics_from_write(const struct key *key, const void *owner, struct buf *out)
{
    const json_t *object = *KEY_AT_CONST(owner, key->offset, json_t *);
    if (object)
        emit_json(out, object);
    return object;
}

static json_t *metrics_from_schema(const struct key *key)
{
    (void)key;
    static const char *const text[] = {"string", "number"};
    json_t *map = json_pack("{s:s, s:b, s:{s:{s:[s, s]}, s:{s:[s, s]}}}", "type", "object", "additionalProperties", 0,
                            "properties", "file", "type", text[0], text[1], "pattern", "type", text[0], text[1]);
    return json_pack("{s:[o, o]}", "anyOf", key_schema_of_words(usual), map);
}

const struct key_type type_metrics_from = {
    "\"stdout\", or a map of file and pattern", TAKES_TEXT | TAKES_MAP,  metrics_from_read, metrics_from_write,
    .make_schema = metrics_from_schema,         .fini = type_fini_object};
