/* The types of early_stop and trial.checkpoint, which belong together: only trials that can be continued can pause. */
#include "scheduler/spec/emit.h"
#include "scheduler/spec/type.h"
#include "search/stop/stopper.h"

#include <string.h>

/* --- early_stop --- */

static void stop_read(struct reading *reading, const struct key *key, const struct node *node, void *owner)
{
    json_t *object = node->kind == NODE_MAP ? type_json_of_map(reading, node) : json_pack("{s:s}", "name", node->text);
    const char *name = json_string_value(json_object_get(object, "name"));
    bool none = name && strcmp(name, "none") == 0;
    type_set_object(key, owner, none ? NULL : object);
    if (none)
        json_decref(object);
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

const struct key_type type_early_stop = {"a name or a map of a name and its options",
                                         TAKES_TEXT | TAKES_MAP,
                                         stop_read,
                                         stop_write,
                                         .make_schema = stop_schema,
                                         .fini = type_fini_object};

/* --- trial.checkpoint --- */

static const char *const states[] = {[CHECKPOINT_AUTO] = "auto", [CHECKPOINT_NO] = "false", [CHECKPOINT_YES] = "true"};

static void checkpoint_read(struct reading *reading, const struct key *key, const struct node *node, void *owner)
{
    for (int i = 0; node->kind == NODE_SCALAR && i <= CHECKPOINT_YES; i++)
        if (strcmp(node->text, states[i]) == 0 && node_is(node, i ? SCALAR_BOOL : SCALAR_TEXT)) {
            *KEY_AT(owner, key->offset, enum checkpoint_rule) = (enum checkpoint_rule)i;
            return;
        }
    key_refuse(reading, key, node);
}

static bool checkpoint_write(const struct key *key, const void *owner, struct buf *out)
{
    buf_text(out, states[*KEY_AT_CONST(owner, key->offset, enum checkpoint_rule)]);
    return true;
}

const struct key_type type_checkpoint = {"true or false", TAKES_ANY, checkpoint_read, checkpoint_write,
                                         .schema = "{'enum': ['auto', false, true]}"};
