/* `--set dotted.key=value`: a value in YAML, put into the tree of the file before anything is checked. A null removes
 * the key. Parameters' names may hold dots themselves: the longest name that is there wins.
 *
 * Problems that others find are put to their place in the file by dotted keys, too (problems_report in spec.h).
 *
 * Nodes may be shared (aliases), so every map on the way to the key is copied, not changed. */
#include "scheduler/spec/read.h"
#include "scheduler/spec/load.h"
#include "scheduler/spec/text.h"
#include "common/mem.h"

#include <stdlib.h>
#include <string.h>

enum { DEEPEST_KEY = 32 }; /* parts of a dotted key; with a value of LOAD_DEPTH levels still shallow */

/* One override at work. */
struct override {
    const char *text;   /* "limits.max_trials=3" */
    const char *equals; /* its '=' */
    struct node *value; /* NULL: remove the key */
    struct arena *memory;
    struct problems *problems;
};

/* The mark of a part of the dotted key. */
static struct source_mark mark_of(const struct override *override, const char *part, size_t length)
{
    size_t before = text_characters(override->text, (size_t)(part - override->text));
    return (struct source_mark){.column = (uint32_t)before + 1,
                                .end_column = (uint32_t)(before + text_characters(part, length)) + 1,
                                .option = override->text};
}

static struct problem *refuse_override(const struct override *override, const char *part, size_t length,
                                       const char *sentence)
{
    return problem_add(override->problems, PROBLEM_BAD_OVERRIDE, mark_of(override, part, length), "%s", sentence);
}

/* --- which key --- */

static size_t first_part(const char *rest, const char *end)
{
    const char *dot = memchr(rest, '.', (size_t)(end - rest));
    return (size_t)((dot ? dot : end) - rest);
}

static size_t last_part(const char *rest, const char *end)
{
    const char *at = end;
    while (at > rest && at[-1] != '.')
        at--;
    return (size_t)(end - at);
}

/* The entry whose key is the rest of a dotted key, or begins it before a dot; the longest; NULL when there is none. */
static const struct entry *entry_towards(const struct node *node, const char *rest, const char *end)
{
    const struct entry *found = NULL;
    for (uint32_t i = 0; node->kind == NODE_MAP && i < node->count; i++) {
        const struct entry *entry = &node->entries[i];
        size_t length = strlen(entry->key);
        bool begins = length <= (size_t)(end - rest) && strncmp(entry->key, rest, length) == 0;
        if (begins && (rest + length == end || rest[length] == '.') && (!found || length > strlen(found->key)))
            found = entry;
    }
    return found;
}

/* A new parameter takes all that is left for its name, but for a last part that is a key of parameters:
 * "opt.lr.min". */
static size_t new_parameter(const char *rest, const char *end)
{
    size_t last = last_part(rest, end), whole = (size_t)(end - rest);
    char *name = mem_text_n(end - last, last);
    bool is_key = last < whole && key_find("parameters.*", name);
    free(name);
    return is_key ? whole - last - 1 : whole;
}

static size_t next_part(const struct override *override, const struct node *map, const char *rest)
{
    const struct entry *known = entry_towards(map, rest, override->equals);
    bool in_parameters = strncmp(override->text, "parameters.", 11) == 0 && rest == override->text + 11;
    if (known)
        return strlen(known->key);
    return in_parameters ? new_parameter(rest, override->equals) : first_part(rest, override->equals);
}

/* --- changing the tree --- */

/* A copy of a map (NULL: an empty one) with space for one entry more. */
static struct node *copy_map(const struct override *override, const struct node *map, struct source_mark mark)
{
    struct node *copy = arena_zero(override->memory, 1, sizeof *copy);
    if (map)
        *copy = *map;
    else
        *copy = (struct node){.kind = NODE_MAP, .mark = mark, .weight = 1};
    copy->entries = arena_zero(override->memory, copy->count + 1, sizeof *copy->entries);
    for (uint32_t i = 0; i < copy->count; i++)
        copy->entries[i] = map->entries[i];
    return copy;
}

/* The long form of a node that stands where a map could: `strategy: grid`, `lr: 0.1`, `batch: [32, 64]`, or nothing.
 * NULL when there is none. */
static struct node *as_map(const struct override *override, const char *rest, struct node *node)
{
    bool is_strategy = rest == override->text + 9 && strncmp(override->text, "strategy.", 9) == 0;
    bool is_parameter = strncmp(override->text, "parameters.", 11) == 0 && rest > override->text + 11;
    if (!node || node->kind == NODE_MAP || node_is(node, SCALAR_NULL))
        return copy_map(override, node && node->kind == NODE_MAP ? node : NULL,
                        node ? node->mark : (struct source_mark){0});
    if (!is_parameter && !(is_strategy && node->kind == NODE_SCALAR))
        return NULL;
    struct node *map = copy_map(override, NULL, node->mark);
    const char *key = is_strategy ? "name" : node->kind == NODE_LIST ? "values" : "value";
    map->entries[map->count++] = (struct entry){.key = key, .mark = node->mark, .node = node};
    return copy_map(override, map, node->mark);
}

static void remove_entry(struct node *map, struct entry *entry)
{
    size_t behind = (size_t)(map->entries + map->count - (entry + 1));
    memmove(entry, entry + 1, behind * sizeof *entry);
    map->count--;
}

static struct node *tree_with(const struct override *override, struct node *node, const char *rest);

/* Of several metrics the first one is meant: it alone has a target. */
static bool is_of_first_metric(const struct override *override, const struct node *node, const char *rest)
{
    return node && node->kind == NODE_LIST && node->count && node->entries[0].node->kind == NODE_MAP &&
           rest == override->text + 7 && strncmp(override->text, "metric.", 7) == 0;
}

/* The list with the rest of the dotted key set in its first item. NULL after a problem. */
static struct node *list_with(const struct override *override, const struct node *list, const char *rest)
{
    struct node *copy = copy_map(override, list, list->mark);
    copy->entries[0].node = tree_with(override, list->entries[0].node, rest);
    return copy->entries[0].node ? copy : NULL;
}

/* The tree below `node` (NULL: nothing is there) with the rest of the dotted key set. NULL after a problem. */
static struct node *tree_with(const struct override *override, struct node *node, const char *rest)
{
    size_t length = (size_t)(override->equals - rest);
    if (is_of_first_metric(override, node, rest))
        return list_with(override, node, rest);
    struct node *map = as_map(override, rest, node);
    if (!map) {
        refuse_override(override, rest, length, "what is above this key holds no keys");
        return NULL;
    }
    length = next_part(override, map, rest);
    char *key = arena_copy(override->memory, rest, length + 1);
    key[length] = '\0';
    struct entry *entry = (struct entry *)node_entry(map, key);
    bool last = rest + length == override->equals;
    struct node *value = last ? override->value : tree_with(override, entry ? entry->node : NULL, rest + length + 1);
    if (last && !value && entry)
        remove_entry(map, entry);
    else if (last && !value)
        refuse_override(override, rest, length, "there is no such key to remove");
    if (!value)
        return last ? map : NULL;
    if (!entry)
        entry = &map->entries[map->count++];
    *entry = (struct entry){.key = key, .mark = mark_of(override, rest, length), .node = value};
    return map;
}

/* --- reading the override --- */

static bool read_key(struct override *override)
{
    const char *text = override->text;
    override->equals = strchr(text, '=');
    size_t length = override->equals ? (size_t)(override->equals - text) : strlen(text), parts = 1;
    bool hollow = !length || text[0] == '.' || text[length - 1] == '.';
    for (size_t i = 1; i < length; i++) {
        parts += text[i] == '.';
        hollow |= text[i] == '.' && text[i - 1] == '.';
    }
    if (!override->equals)
        problem_hint(refuse_override(override, text, length, "this has no '='"), "write --set dotted.key=value");
    else if (hollow)
        problem_hint(refuse_override(override, text, length, "a part of the key is empty"),
                     "write --set dotted.key=value");
    else if (parts > DEEPEST_KEY)
        refuse_override(override, text, length, "no key is this deep");
    return override->equals && !hollow && parts <= DEEPEST_KEY;
}

static bool read_value(struct override *override)
{
    struct tree tree = {0};
    const char *value = override->equals + 1;
    struct load_source source = {override->text,
                                 (uint32_t)text_characters(override->text, (size_t)(value - override->text))};
    bool fine = load_tree(value, strlen(value), source, &tree, override->problems);
    override->value = node_is(tree.root, SCALAR_NULL) ? NULL : tree.root;
    arena_merge(override->memory, &tree.memory);
    return fine;
}

void override_apply(struct tree *tree, const char *text, struct problems *problems)
{
    struct override override = {.text = text, .memory = &tree->memory, .problems = problems};
    if (!text_check(text, strlen(text), text, problems) || !read_key(&override) || !read_value(&override))
        return;
    struct node *root = tree_with(&override, tree->root, text);
    if (root)
        tree->root = root;
}

/* --- the place of a dotted key in the file --- */

/* A number of a dotted key ("trial.command.2") names an item of a list, from 0. */
static const struct entry *item_towards(const struct node *node, const char *rest, size_t *length)
{
    char *end;
    unsigned long index = strtoul(rest, &end, 10);
    *length = (size_t)(end - rest);
    bool is_item = node->kind == NODE_LIST && end > rest && (!*end || *end == '.') && index < node->count;
    return is_item ? &node->entries[index] : NULL;
}

static struct source_mark find_place(const struct node *node, const char *key, bool at_key)
{
    struct source_mark mark = {0};
    const char *rest = key;
    while (node && *rest) {
        size_t length = 0;
        const struct entry *entry =
            node->kind == NODE_MAP ? entry_towards(node, rest, rest + strlen(rest)) : item_towards(node, rest, &length);
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
    struct source_mark mark = {0};
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
