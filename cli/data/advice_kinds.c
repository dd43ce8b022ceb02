/* Reading what tells the kinds apart; see advice_kinds.h. The file may be an older gannet's, with keys that this one
 * does not have: what is looked for is looked for where it has always stood, and nothing else is checked. */
#include "cli/data/advice_kinds.h"

#include "scheduler/spec/load.h"
#include "scheduler/verdict/advice.h"

#include <string.h>

static const char *text_of(const struct node *node)
{
    return node && node->kind == NODE_SCALAR ? node->text : NULL;
}

/* `data: "generate:shapes"`, or `data: {generate: shapes}`. */
static bool makes_data(const struct node *options)
{
    static const char made[] = "generate:";
    const struct node *data = node_find(options, "data");
    const char *text = text_of(data);
    return node_find(data, "generate") || (text && strncmp(text, made, strlen(made)) == 0);
}

static bool augments(const struct node *map)
{
    for (uint32_t i = 0; map && map->kind == NODE_MAP && i < map->count; i++)
        if (advice_augments(map->entries[i].key))
            return true;
    return false;
}

static unsigned kinds_of(const struct node *root)
{
    const struct node *trial = node_find(root, "trial"), *options = node_find(trial, "options"),
                      *parameters = node_find(root, "parameters");
    return advice_whom(&(struct advice_facts){.kernel = text_of(node_find(trial, "kernel")),
                                              .makes_data = makes_data(options),
                                              .augments = augments(options) || augments(parameters),
                                              .has_threads = node_find(parameters, "threads")});
}

unsigned advice_kinds(const char *spec)
{
    struct problems problems = {0};
    struct tree tree = {0};
    bool read = load_tree(spec, strlen(spec), (struct load_source){0}, &tree, &problems);
    unsigned kinds = kinds_of(read ? tree.root : NULL);
    tree_fini(&tree);
    problems_fini(&problems);
    return kinds;
}
