/* Looking at the tree; see tree.h. It is built in load.c. */
#include "scheduler/spec/tree.h"
#include "scheduler/spec/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void tree_fini(struct tree *tree)
{
    arena_fini(&tree->memory);
    tree->root = NULL;
}

const struct entry *node_entry(const struct node *map, const char *key)
{
    if (map && map->kind == NODE_MAP)
        for (uint32_t i = 0; i < map->count; i++)
            if (strcmp(map->entries[i].key, key) == 0)
                return &map->entries[i];
    return NULL;
}

struct node *node_find(const struct node *map, const char *key)
{
    const struct entry *entry = node_entry(map, key);
    return entry ? entry->node : NULL;
}

bool node_is(const struct node *node, enum scalar_kind kind)
{
    return node && node->kind == NODE_SCALAR && node->scalar.kind == kind;
}

bool node_number(const struct node *node, double *number)
{
    if (node_is(node, SCALAR_INT))
        *number = (double)node->scalar.integer;
    else if (node_is(node, SCALAR_REAL))
        *number = node->scalar.real;
    else
        return false;
    return true;
}

struct node_shown node_show(const struct node *node)
{
    static const char *const scalars[] = {"nothing", "the switch", "the number", "the number", "the text"};
    enum { SHOWN_LETTERS = 30 };
    struct node_shown out;
    if (node->kind != NODE_SCALAR) {
        snprintf(out.text, sizeof out.text, node->kind == NODE_LIST ? "a list" : "a map");
    } else if (node->scalar.kind == SCALAR_NULL) {
        snprintf(out.text, sizeof out.text, "%s", scalars[SCALAR_NULL]);
    } else {
        size_t length = strlen(node->text),
               shown = length <= SHOWN_LETTERS ? length : text_whole(node->text, SHOWN_LETTERS);
        const char *quote = node->scalar.kind == SCALAR_TEXT ? "'" : "";
        snprintf(out.text, sizeof out.text, "%s %s%.*s%s%s", scalars[node->scalar.kind], quote, (int)shown, node->text,
                 shown < length ? "..." : "", quote);
    }
    return out;
}

static int value_of_list(const struct node *list, struct value *out, struct err *err)
{
    const struct node *culprit;
    json_t *json = node_json(list, &culprit, err);
    int result = json ? value_from_json(json, out, err) : -1;
    json_decref(json);
    return result;
}

int node_value(const struct node *node, struct value *out, struct err *err)
{
    if (node->kind == NODE_LIST)
        return value_of_list(node, out, err);
    if (node->kind != NODE_SCALAR)
        return err_set(err, "%s can't be a value; write a number, a text, true, false, null or a list",
                       node_show(node).text);
    switch (node->scalar.kind) {
    case SCALAR_NULL:
        if (!*node->text)
            return err_set(err, "a value is missing; write null if nothing is meant");
        *out = (struct value){.kind = VALUE_NULL};
        return 0;
    case SCALAR_BOOL:
        *out = value_of_bool(node->scalar.truth);
        return 0;
    case SCALAR_INT:
        *out = value_of_int(node->scalar.integer);
        return 0;
    case SCALAR_REAL:
        if (node->scalar.huge)
            return err_set(err, "%s is larger than a whole number can be; write it with a '.' or in quotes",
                           node->text);
        if (!isfinite(node->scalar.real))
            return err_set(err, "%s can't be a value; put it in quotes if the text is meant", node->text);
        *out = value_of_real(node->scalar.real);
        return 0;
    case SCALAR_TEXT:
        *out = value_of_text(node->text);
        return 0;
    }
    return -1;
}

static json_t *json_of_scalar(const struct node *node, struct err *err)
{
    struct value value;
    if (node_value(node, &value, err))
        return NULL;
    json_t *json = value_to_json(&value);
    value_fini(&value);
    return json;
}

json_t *node_json(const struct node *node, const struct node **culprit, struct err *err)
{
    *culprit = node;
    if (node->kind == NODE_SCALAR)
        return json_of_scalar(node, err);
    json_t *json = node->kind == NODE_LIST ? json_array() : json_object();
    for (uint32_t i = 0; i < node->count; i++) {
        json_t *item = node_json(node->entries[i].node, culprit, err);
        if (!item) {
            json_decref(json);
            return NULL;
        }
        if (node->kind == NODE_LIST)
            json_array_append_new(json, item);
        else
            json_object_set_new(json, node->entries[i].key, item);
    }
    return json;
}

struct source_mark node_mark_within(const struct node *node, size_t index, size_t length)
{
    struct source_mark mark = node->mark;
    if (!node->on_one_line)
        return mark;
    size_t whole = strlen(node->text);
    index = index < whole ? index : whole;
    length = length < whole - index ? length : whole - index;
    mark.column += !node->plain + (uint32_t)text_characters(node->text, index);
    mark.end_column = mark.column + (uint32_t)text_characters(node->text + index, length);
    return mark;
}
