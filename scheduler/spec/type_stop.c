/* The types of early_stop and trial.checkpoint, which belong together: only trials that can be continued can pause. */
#include "scheduler/spec/emit.h"
#include "scheduler/spec/type.h"
#include "search/stop/stopper.h"

#include <string.h>

/* --- early_stop --- */

static void keep_object(json_t **at, json_t *object)
{
    json_decref(*at);
    *at = object;
}

static void stop_read(struct reading *reading, const struct key *key, const struct node *node, void *owner)
{
    struct err err;
    const struct node *culprit;
    json_t **at = KEY_AT(owner, key->offset, json_t *);
    if (node_is(node, SCALAR_TEXT)) {
        keep_object(at, strcmp(node->text, "none") ? json_pack("{s:s}", "name", node->text) : NULL);
    } else if (node->kind == NODE_MAP) {
        json_t *object = node_json(node, &culprit, &err);
        if (!object)
            problem_add(reading->problems, PROBLEM_BAD_VALUE, culprit->mark, "%s", err.text);
        const char *name = json_string_value(json_object_get(object, "name"));
        if (name && strcmp(name, "none") == 0)
            keep_object(&object, NULL);
        keep_object(at, object);
    } else {
        key_refuse(reading, key, node);
    }
}

static bool stop_write(const struct key *key, const void *owner, struct buf *out)
{
    const json_t *object = *KEY_AT_CONST(owner, key->offset, json_t *);
    if (object)
        emit_json(out, object);
    else
        buf_text(out, "none");
    return true;
}

static json_t *schema_of_names(void)
{
    json_t *list = json_pack("[s]", "none");
    for (size_t i = 0; stopper_info(i); i++)
        json_array_append_new(list, json_string(stopper_info(i)->name));
    return json_pack("{s:o}", "enum", list);
}

static json_t *stop_schema(const struct key *key)
{
    (void)key;
    json_t *map = json_pack("{s:s, s:{s:o}, s:[s]}", "type", "object", "properties", "name", schema_of_names(),
                            "required", "name");
    return json_pack("{s:[o, o]}", "anyOf", schema_of_names(), map);
}

const struct key_type type_early_stop = {"a name or a map of a name and its options", stop_read, stop_write,
                                         stop_schema};

/* --- trial.checkpoint --- */

static const char *const states[] = {[CHECKPOINT_AUTO] = "auto", [CHECKPOINT_NO] = "false", [CHECKPOINT_YES] = "true"};

static void checkpoint_read(struct reading *reading, const struct key *key, const struct node *node, void *owner)
{
    for (int i = 0; node->kind == NODE_SCALAR && i <= CHECKPOINT_YES; i++)
        if (strcmp(node->text, states[i]) == 0 && node_is(node, i ? SCALAR_BOOL : SCALAR_TEXT)) {
            *KEY_AT(owner, key->offset, enum checkpoint) = (enum checkpoint)i;
            return;
        }
    key_refuse(reading, key, node);
}

static bool checkpoint_write(const struct key *key, const void *owner, struct buf *out)
{
    buf_text(out, states[*KEY_AT_CONST(owner, key->offset, enum checkpoint)]);
    return true;
}

static json_t *checkpoint_schema(const struct key *key)
{
    (void)key;
    return json_pack("{s:[s, b, b]}", "enum", "auto", false, true);
}

const struct key_type type_checkpoint = {"true or false", checkpoint_read, checkpoint_write, checkpoint_schema};
