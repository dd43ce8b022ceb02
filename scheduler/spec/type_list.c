/* Types that hold several texts, or any JSON: tags, commands, environments, options; see key.h. */
#include "scheduler/spec/type.h"
#include "scheduler/spec/emit.h"
#include "common/mem.h"

#include <ctype.h>
#include <stdlib.h>

/* --- lists of texts --- */

void type_fini_texts(const struct key *key, void *owner)
{
    char **texts = *KEY_AT(owner, key->offset, char **);
    for (uint32_t i = 0; i < *KEY_AT(owner, key->also, uint32_t); i++)
        free(texts[i]);
    free(texts);
}

static void store_texts(const struct key *key, void *owner, char **texts, uint32_t count)
{
    type_fini_texts(key, owner);
    *KEY_AT(owner, key->offset, char **) = texts;
    *KEY_AT(owner, key->also, uint32_t) = count;
}

/* Whether an item of a list counts as a text: texts, and for commands numbers and switches as they are written. */
static bool item_is_text(const struct node *item, bool as_written)
{
    return as_written ? item->kind == NODE_SCALAR && !node_is(item, SCALAR_NULL) : node_is(item, SCALAR_TEXT);
}

static void refuse_item(struct reading *reading, const struct key *key, const struct node *item)
{
    struct problem *problem = problem_add(reading->problems, PROBLEM_WRONG_TYPE, item->mark, "%s holds texts, not %s",
                                          key_show(reading, key).text, node_show(item).text);
    if (item->kind == NODE_SCALAR && *item->text)
        problem_hint(problem, "write \"%s\" in quotes", item->text);
}

static void read_items(struct reading *reading, const struct key *key, const struct node *list, bool as_written,
                       void *owner)
{
    char **texts = MEM_ARRAY(char *, list->count);
    uint32_t count = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        const struct node *item = list->entries[i].node;
        if (item_is_text(item, as_written))
            texts[count++] = mem_text(item->text);
        else
            refuse_item(reading, key, item);
    }
    store_texts(key, owner, texts, count);
}

static void texts_read(struct reading *reading, const struct key *key, const struct node *node, void *owner)
{
    read_items(reading, key, node, false, owner);
}

static bool texts_write(const struct key *key, const void *owner, struct buf *out)
{
    char **texts = *KEY_AT_CONST(owner, key->offset, char **);
    uint32_t count = *KEY_AT_CONST(owner, key->also, uint32_t);
    if (!count)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        buf_text(out, i ? ", " : "[");
        emit_text(out, texts[i]);
    }
    buf_text(out, "]");
    return true;
}

const struct key_type type_texts = {"a list of texts",      TAKES_LIST, texts_read, texts_write, .schema = TEXTS_SCHEMA,
                                    .fini = type_fini_texts};

/* --- commands --- */

static void command_read(struct reading *reading, const struct key *key, const struct node *node, void *owner)
{
    bool is_text = node_is(node, SCALAR_TEXT);
    if (is_text ? !*node->text : !node->count) {
        problem_add(reading->problems, PROBLEM_BAD_VALUE, node->mark, "%s is empty", key_show(reading, key).text);
    } else if (is_text) {
        char **texts = MEM_ARRAY(char *, 3);
        texts[0] = mem_text("/bin/sh");
        texts[1] = mem_text("-c");
        texts[2] = mem_text(node->text);
        store_texts(key, owner, texts, 3);
    } else {
        read_items(reading, key, node, true, owner);
    }
}

#define WRITTEN "{'type': ['string', 'number', 'boolean']}"

const struct key_type type_command = {"a list of the program and its arguments, or a text for the shell",
                                      TAKES_LIST | TAKES_TEXT,
                                      command_read,
                                      texts_write,
                                      .schema = "{'anyOf': [{'type': 'string', 'minLength': 1}, {'type': "
                                                "'array', 'minItems': 1, 'items': " WRITTEN "}]}",
                                      .fini = type_fini_texts};

/* --- environments --- */

static bool is_variable(const char *name)
{
    if (!isalpha((unsigned char)*name) && *name != '_')
        return false;
    for (; *name; name++)
        if (!isalnum((unsigned char)*name) && *name != '_')
            return false;
    return true;
}

static void strategy_settings_read(struct reading *reading, const struct key *key, const struct node *node, void *owner)
{
    struct setting *settings = MEM_ARRAY(struct setting, node->count);
    uint32_t count = 0;
    for (uint32_t i = 0; i < node->count; i++) {
        const struct entry *entry = &node->entries[i];
        if (!is_variable(entry->key))
            problem_say(reading->problems, PROBLEM_BAD_NAME, entry->mark,
                        "it has letters, digits and '_' and doesn't begin with a digit",
                        "'%s' can't be the name of an environment variable", entry->key);
        else if (!item_is_text(entry->node, true))
            refuse_item(reading, key, entry->node);
        else
            settings[count++] = (struct setting){mem_text(entry->key), mem_text(entry->node->text)};
    }
    *KEY_AT(owner, key->offset, struct setting *) = settings;
    *KEY_AT(owner, key->also, uint32_t) = count;
}

static bool settings_write(const struct key *key, const void *owner, struct buf *out)
{
    const struct setting *settings = *KEY_AT_CONST(owner, key->offset, struct setting *);
    uint32_t count = *KEY_AT_CONST(owner, key->also, uint32_t);
    if (!count)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        buf_text(out, i ? ", " : "{");
        emit_text(out, settings[i].name);
        buf_text(out, ": ");
        emit_text(out, settings[i].text);
    }
    buf_text(out, "}");
    return true;
}

static void settings_fini(const struct key *key, void *owner)
{
    struct setting *settings = *KEY_AT(owner, key->offset, struct setting *);
    for (uint32_t i = 0; i < *KEY_AT(owner, key->also, uint32_t); i++) {
        free(settings[i].name);
        free(settings[i].text);
    }
    free(settings);
}

const struct key_type type_settings = {"a map of names to texts",
                                       TAKES_MAP,
                                       strategy_settings_read,
                                       settings_write,
                                       .schema = "{'type': 'object', 'propertyNames': {'pattern': "
                                                 "'^[A-Za-z_][A-Za-z0-9_]*$'}, 'additionalProperties': " WRITTEN "}",
                                       .fini = settings_fini};

/* --- any JSON object --- */

void type_set_object(const struct key *key, void *owner, json_t *object)
{
    json_t **at = KEY_AT(owner, key->offset, json_t *);
    json_decref(*at);
    *at = object;
}

json_t *type_json_of_map(struct reading *reading, const struct node *map)
{
    struct err err;
    const struct node *culprit;
    json_t *object = node_json(map, &culprit, &err);
    if (!object)
        problem_add(reading->problems, PROBLEM_BAD_VALUE, culprit->mark, "%s", err.text);
    return object;
}

static void object_read(struct reading *reading, const struct key *key, const struct node *node, void *owner)
{
    json_t *object = type_json_of_map(reading, node);
    if (object)
        type_set_object(key, owner, object);
}

static bool object_write(const struct key *key, const void *owner, struct buf *out)
{
    const json_t *object = *KEY_AT_CONST(owner, key->offset, json_t *);
    if (object)
        emit_json(out, object);
    return object;
}

void type_fini_object(const struct key *key, void *owner)
{
    json_decref(*KEY_AT(owner, key->offset, json_t *));
}

const struct key_type type_object = {
    "a map", TAKES_MAP, object_read, object_write, .schema = "{'type': 'object'}", .fini = type_fini_object};
