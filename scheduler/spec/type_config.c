/* trial.config: a program's own configuration, a map, or the name of a file that has it. It is kept in the frozen
 * experiment, so that all trials start from the same one. */
#include "scheduler/spec/emit.h"
#include "scheduler/spec/expand.h"
#include "scheduler/spec/load.h"
#include "scheduler/spec/type.h"
#include "common/mem.h"
#include "common/path.h"

#include <stdlib.h>
#include <string.h>

static void refuse_file(struct reading *reading, const struct node *node, const char *path, const char *why)
{
    problem_add(reading->problems, PROBLEM_BAD_VALUE, node->mark, "the configuration %s can't be used: %s", path, why);
}

/* The first thing that is wrong in the file. What YAML 1.1 reads otherwise, such as yes and no, is wrong here, too: the
 * program would not find what it had before. */
static void refuse_text(struct reading *reading, const struct node *node, const char *path,
                        const struct problems *problems)
{
    const struct problem *first = problems->count ? &problems->items[0] : NULL;
    char *why = first ? mem_format("line %u: %s", first->line, first->message) : mem_text("it is empty");
    refuse_file(reading, node, path, why);
    free(why);
}

/* The map in a text of YAML, or of JSON, which is YAML too but for tabs; NULL after a problem. */
static json_t *read_map(struct reading *reading, const struct node *node, const char *path, const struct buf *text)
{
    struct tree tree = {0};
    struct problems problems = {.file = mem_text(path)};
    struct err err;
    const struct node *culprit;
    json_t *map = json_loads(buf_str(text), JSON_REJECT_DUPLICATES, NULL);
    bool fine = map || (load_tree(buf_str(text), text->length, (struct load_source){0}, &tree, &problems) &&
                        tree.root && !problems.count);
    if (!fine)
        refuse_text(reading, node, path, &problems);
    else if (!map && !(map = node_json(tree.root, &culprit, &err)))
        refuse_file(reading, node, path, err.text);
    if (map && !json_is_object(map)) {
        refuse_file(reading, node, path, "it is no map");
        json_decref(map);
        map = NULL;
    }
    tree_fini(&tree);
    problems_fini(&problems);
    return map;
}

static json_t *read_file(struct reading *reading, const struct node *node)
{
    struct buf text = {0};
    struct err err;
    char *path = expand_path(reading, node, reading->spec->base);
    json_t *map = NULL;
    if (path && path_read(path, &text, LOAD_BYTES, &err))
        refuse_file(reading, node, path, err.text);
    else if (path)
        map = read_map(reading, node, path, &text);
    buf_fini(&text);
    free(path);
    return map;
}

static void config_read(struct reading *reading, const struct key *key, const struct node *node, void *owner)
{
    json_t *map = node->kind == NODE_MAP ? type_json_of_map(reading, node) : read_file(reading, node);
    if (map)
        type_set_object(key, owner, map);
}

static bool config_write(const struct key *key, const void *owner, struct buf *out)
{
    const json_t *object = *KEY_AT_CONST(owner, key->offset, json_t *);
    if (object)
        emit_json(out, object);
    return object;
}

const struct key_type type_config = {"a file of YAML or JSON, or a map",
                                     TAKES_TEXT | TAKES_MAP,
                                     config_read,
                                     config_write,
                                     .schema = "{'type': ['string', 'object'], 'minLength': 1}",
                                     .fini = type_fini_object};
