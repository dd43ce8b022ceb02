/* Problems that others find: where a dotted key stands in the file; see problems_report in spec.h. */
#include "scheduler/spec/load.h"
#include "scheduler/spec/read.h"
#include "common/mem.h"

#include <stdlib.h>
#include <string.h>

/* The entry whose key begins the rest of a dotted key at a dot or is all of it; the longest, or NULL. */
static const struct entry *entry_towards(const struct node *node, const char *rest)
{
    const struct entry *found = NULL;
    for (uint32_t i = 0; node->kind == NODE_MAP && i < node->count; i++) {
        const struct entry *entry = &node->entries[i];
        size_t length = strlen(entry->key);
        bool begins = strncmp(entry->key, rest, length) == 0 && (!rest[length] || rest[length] == '.');
        if (begins && (!found || length > strlen(found->key)))
            found = entry;
    }
    return found;
}

/* A number of a dotted key ("trial.command.2") names an item of a list, from 0. */
static const struct entry *item_towards(const struct node *node, const char *rest, size_t *length)
{
    char *end;
    unsigned long index = strtoul(rest, &end, 10);
    *length = (size_t)(end - rest);
    bool is_item = node->kind == NODE_LIST && end > rest && (!*end || *end == '.') && index < node->count;
    return is_item ? &node->entries[index] : NULL;
}

static struct mark find_place(const struct node *node, const char *key, bool at_key)
{
    struct mark mark = {0};
    const char *rest = key;
    while (node && *rest) {
        size_t length = 0;
        const struct entry *entry =
            node->kind == NODE_MAP ? entry_towards(node, rest) : item_towards(node, rest, &length);
        if (!entry)
            break;
        rest += node->kind == NODE_MAP ? strlen(entry->key) : length;
        rest += *rest == '.';
        node = entry->node;
        mark = !*rest && !at_key ? node->mark : entry->mark;
    }
    return mark;
}

void problems_report(struct problems *problems, bool warning, const char *key, bool at_key, const char *code,
                     const char *message, const char *hint)
{
    struct tree tree = {0};
    struct problems ignored = {0}; /* they were reported when the file was read */
    struct mark mark = {0};
    if (problems->text && load_tree(problems->text, strlen(problems->text), (struct load_source){0}, &tree, &ignored)) {
        for (size_t i = 0; i < problems->option_count; i++)
            override_apply(&tree, problems->options[i], &ignored);
        mark = find_place(tree.root, key, at_key);
    }
    struct problem *problem = problem_add(problems, PROBLEM_BAD_VALUE, mark, "%s", message);
    tree_fini(&tree);
    problems_fini(&ignored);
    problem->warning = warning;
    problems->errors -= warning;
    free(problem->code);
    problem->code = mem_text(code);
    if (hint)
        problem_hint(problem, "%s", hint);
}
