/* A tree of counters; see counters.h. */
#include "common/counters.h"
#include "common/json.h"
#include "common/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void counters_fini(struct counters *tree)
{
    free(tree->nodes);
    *tree = (struct counters){0};
}

void counters_add(struct counters *tree, const struct counters_node *node)
{
    MEM_GROW(tree->nodes, tree->capacity, tree->count + 1);
    tree->nodes[tree->count++] = *node;
}

static void refresh_nodes(const struct counters *tree)
{
    for (size_t i = 0; i < tree->count; i++)
        if (tree->nodes[i].refresh)
            tree->nodes[i].refresh(tree->nodes[i].context);
}

static json_t *encode_number(const struct counter *row, const void *values)
{
    const char *at = (const char *)values + row->offset;
    return row->type == COUNTER_U64 ? json_of_u64(*(const uint64_t *)(const void *)at)
                                    : json_of_real(*(const double *)(const void *)at);
}

/* The object of that path, made where it is not there. */
static json_t *object_at(json_t *json, const char *path)
{
    char name[64];
    while (*path) {
        size_t length = strcspn(path, ".");
        snprintf(name, sizeof name, "%.*s", (int)length, path);
        json_t *within = json_object_get(json, name);
        if (!within)
            json_object_set_new(json, name, within = json_object());
        json = within;
        path += length + (path[length] == '.');
    }
    return json;
}

json_t *counters_encode(const struct counters *tree)
{
    json_t *json = json_object();
    refresh_nodes(tree);
    for (size_t i = 0; i < tree->count; i++) {
        const struct counters_node *node = &tree->nodes[i];
        json_t *object = object_at(json, node->path);
        for (size_t k = 0; k < node->count; k++)
            json_object_set_new(object, node->rows[k].name, encode_number(&node->rows[k], node->values));
    }
    return json;
}

static void print_number(const struct counter *row, const void *values, bool first, struct buf *line)
{
    json_t *number = encode_number(row, values);
    if (json_number_value(number) != 0)
        buf_format(line, "%s %s %.6g", first ? ":" : ",", row->name, json_number_value(number));
    json_decref(number);
}

void counters_print(const struct counters *tree, void (*visit)(const char *line))
{
    refresh_nodes(tree);
    for (size_t i = 0; i < tree->count; i++) {
        const struct counters_node *node = &tree->nodes[i];
        struct buf line = {0};
        buf_text(&line, node->path);
        size_t empty = line.length;
        for (size_t k = 0; k < node->count; k++)
            print_number(&node->rows[k], node->values, line.length == empty, &line);
        if (line.length > empty)
            visit(buf_str(&line));
        buf_fini(&line);
    }
}
