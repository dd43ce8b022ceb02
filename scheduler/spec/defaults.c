/* Layers below an experiment file; see spec_defaults.h. */
#include "scheduler/spec/defaults.h"
#include "scheduler/spec/key.h"
#include "scheduler/spec/load.h"
#include "scheduler/spec/text.h"
#include "common/mem.h"

#include <stdlib.h>
#include <string.h>

struct spec_layer {
    char *source;
    bool of_file;
    struct tree tree;
};

/* --- adding --- */

/* Two ways to ask for the same. */
static const char *const alternatives[][2] = {{"gres", "gpus_per_node"}, {"mem", "mem_per_cpu"}};
enum { ALTERNATIVES = sizeof alternatives / sizeof *alternatives };

/* Whether the same is asked for in another way by what is stronger. */
static bool has_alternative(const struct node *map, const char *key)
{
    for (size_t i = 0; i < ALTERNATIVES; i++)
        for (size_t j = 0; j < 2; j++)
            if (strcmp(key, alternatives[i][j]) == 0 && node_entry(map, alternatives[i][1 - j]))
                return true;
    return false;
}

/* Keys about one search would be wrong for the next. */
static const struct {
    const char *key, *why;
} refused[] = {
    {"shape", "it is about one search"},
    {"nodes", "it is about one search"},
    {"workers", "it is about one search"},
    {"dependency", "it is about one search"},
    {"begin", "it is about one search"},
    {"hold", "it is about one search"},
    {"comment", "it is about one search"},
    {"time_min", "it is about one search"},
    {"coordinator", "it is about one search"},
    {"components", "it is about one search"},
    {"sbatch_args", "options win over the keys of every experiment file"},
};

static void refuse_keys(const struct node *slurm, struct problems *problems)
{
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        const struct entry *entry = node_entry(slurm, refused[i].key);
        if (entry)
            problem_say(problems, PROBLEM_CONFLICT, entry->mark, "write it in the experiment file",
                        "'slurm.%s' can't stand in a site file: %s", refused[i].key, refused[i].why);
    }
}

static void refuse_alternatives(const struct node *slurm, struct problems *problems)
{
    for (size_t i = 0; i < ALTERNATIVES; i++) {
        const struct entry *entry = node_entry(slurm, alternatives[i][1]);
        if (entry && node_entry(slurm, alternatives[i][0]))
            problem_say(problems, PROBLEM_CONFLICT, entry->mark, "write one of them", "'slurm' has both '%s' and '%s'",
                        alternatives[i][0], alternatives[i][1]);
    }
}

/* Reads the keys for what is wrong with them alone. */
static void check_keys(const struct entry *section, struct problems *problems)
{
    struct spec *scratch = MEM_NEW(struct spec);
    struct reading reading = {.problems = problems, .spec = scratch, .place = section->mark, .base = "/"};
    key_read(&reading, key_of_path(section->key), section->node, scratch);
    spec_destroy(scratch);
}

/* The sections that a layer may have. */
static const char *const sections[] = {"slurm", "network", "notify"};
enum { SECTIONS = sizeof sections / sizeof *sections };

static bool is_section(const char *name)
{
    for (size_t i = 0; i < SECTIONS; i++)
        if (strcmp(name, sections[i]) == 0)
            return true;
    return false;
}

static void check_layer(const struct spec_layer *layer, struct problems *problems)
{
    const struct node *root = layer->tree.root;
    if (!root || node_is(root, SCALAR_NULL))
        return; /* an empty file says nothing */
    if (root->kind != NODE_MAP) {
        problem_say(problems, PROBLEM_WRONG_TYPE, root->mark, "write slurm:, network: or notify:, and keys below it",
                    "a site file is a map of keys, not %s", node_show(root).text);
        return;
    }
    for (uint32_t i = 0; i < root->count; i++) {
        const struct entry *entry = &root->entries[i];
        if (!is_section(entry->key))
            problem_say(problems, PROBLEM_UNKNOWN_KEY, entry->mark, "all else is for experiment files",
                        "a site file has the keys 'slurm', 'network' and 'notify', not '%s'", entry->key);
        else
            check_keys(entry, problems);
    }
    refuse_alternatives(node_find(root, "slurm"), problems);
    if (layer->of_file)
        refuse_keys(node_find(root, "slurm"), problems);
}

static void free_layer(struct spec_layer *layer)
{
    tree_fini(&layer->tree);
    free(layer->source);
    free(layer);
}

bool spec_defaults_add(struct spec_defaults *defaults, const char *source, bool of_file, const char *text,
                       size_t length, struct problems *problems)
{
    size_t skipped = text_order_mark(text, length);
    struct spec_layer *layer = MEM_NEW(struct spec_layer);
    layer->source = mem_text(source);
    layer->of_file = of_file;
    *problems = (struct problems){.file = mem_text(source), .text = mem_text_n(text + skipped, length - skipped)};
    if (text_check(problems->text, length - skipped, NULL, problems) &&
        load_tree(problems->text, length - skipped, (struct load_source){0}, &layer->tree, problems))
        check_layer(layer, problems);
    problems_sort(problems);
    if (problems->errors) {
        free_layer(layer);
        return false;
    }
    MEM_GROW(defaults->items, defaults->capacity, defaults->count + 1);
    defaults->items[defaults->count++] = layer;
    return true;
}

void spec_defaults_fini(struct spec_defaults *defaults)
{
    for (size_t i = 0; i < defaults->count; i++)
        free_layer(defaults->items[i]);
    free(defaults->items);
    *defaults = (struct spec_defaults){0};
}

/* --- applying --- */

static void add_origin(struct spec *spec, const struct spec_layer *layer, const char *section,
                       const struct entry *entry)
{
    size_t capacity = spec->origin_count;
    MEM_GROW(spec->origins, capacity, spec->origin_count + 1);
    struct spec_origin *origin = &spec->origins[spec->origin_count++];
    origin->key = mem_format("%s.%s", section, entry->key);
    origin->source = layer->of_file ? mem_format("%s:%u", layer->source, entry->mark.line) : mem_text(layer->source);
}

/* Items of a list, or a text that stands for a list of one. */
static uint32_t copy_items(const struct node *node, struct entry *out)
{
    if (node->kind == NODE_LIST && node->count)
        memcpy(out, node->entries, node->count * sizeof *out);
    else if (node->kind != NODE_LIST)
        *out = (struct entry){.mark = node->mark, .node = (struct node *)node};
    return node->kind == NODE_LIST ? node->count : 1;
}

/* The weaker options first: of two, the later one counts. */
static struct node *join_lists(struct tree *tree, const struct node *weak, const struct node *strong)
{
    struct node *list = arena_zero(&tree->memory, 1, sizeof *list);
    *list = (struct node){.kind = NODE_LIST, .mark = strong->mark, .weight = weak->weight + strong->weight};
    list->entries = arena_zero(&tree->memory, weak->count + strong->count + 2, sizeof *list->entries);
    list->count = copy_items(weak, list->entries);
    list->count += copy_items(strong, list->entries + list->count);
    return list;
}

/* The entry without its place, which is in another file. */
static struct entry placeless(struct tree *tree, const struct entry *entry)
{
    struct node *node = arena_copy(&tree->memory, entry->node, sizeof *node);
    node->mark = (struct source_mark){0};
    return (struct entry){.key = entry->key, .node = node};
}

static void apply_layer(struct tree *tree, const struct spec_layer *layer, const char *section, struct node *map,
                        struct spec *spec)
{
    const struct node *given = node_find(layer->tree.root, section);
    for (uint32_t i = 0; given && given->kind == NODE_MAP && i < given->count; i++) {
        const struct entry *entry = &given->entries[i];
        struct entry *there = (struct entry *)node_entry(map, entry->key);
        bool joins = there && strcmp(entry->key, "sbatch_args") == 0;
        if ((there && !joins) || has_alternative(map, entry->key))
            continue;
        if (joins)
            there->node = join_lists(tree, entry->node, there->node);
        else
            map->entries[map->count++] = placeless(tree, entry);
        add_origin(spec, layer, section, entry);
    }
}

static uint32_t count_keys(const struct spec_defaults *defaults, const char *section)
{
    uint32_t count = 0;
    for (size_t i = 0; i < defaults->count; i++) {
        const struct node *given = node_find(defaults->items[i]->tree.root, section);
        count += given && given->kind == NODE_MAP ? given->count : 0;
    }
    return count;
}

/* The root with a map of its own as that section, with room for so many keys more: nodes may be shared. NULL: it is
 * something else, which its reader will report. */
static struct node *own_section(struct tree *tree, const char *section, uint32_t more)
{
    const struct node *old = node_find(tree->root, section);
    bool is_map = old && old->kind == NODE_MAP;
    if (old && !is_map && !node_is(old, SCALAR_NULL))
        return NULL;
    struct node *root = arena_copy(&tree->memory, tree->root, sizeof *root);
    struct node *map = arena_zero(&tree->memory, 1, sizeof *map);
    *map = (struct node){.kind = NODE_MAP, .mark = old ? old->mark : (struct source_mark){0}, .weight = 1};
    map->count = is_map ? old->count : 0;
    map->entries = arena_zero(&tree->memory, map->count + more, sizeof *map->entries);
    if (map->count)
        memcpy(map->entries, old->entries, map->count * sizeof *map->entries);
    root->entries = arena_zero(&tree->memory, root->count + 1, sizeof *root->entries);
    if (root->count)
        memcpy(root->entries, tree->root->entries, root->count * sizeof *root->entries);
    struct entry *entry = (struct entry *)node_entry(root, section);
    if (!entry)
        entry = &root->entries[root->count++];
    *entry = (struct entry){.key = section, .mark = entry->mark, .node = map};
    tree->root = root;
    return map;
}

static void apply_section(struct tree *tree, const struct spec_defaults *defaults, const char *section,
                          struct spec *spec)
{
    uint32_t more = count_keys(defaults, section);
    struct node *map = more ? own_section(tree, section, more) : NULL;
    for (size_t i = 0; map && i < defaults->count; i++)
        apply_layer(tree, defaults->items[i], section, map, spec);
}

void defaults_apply(struct tree *tree, const struct spec_defaults *defaults, struct spec *spec)
{
    for (size_t i = 0; defaults && tree->root->kind == NODE_MAP && i < SECTIONS; i++)
        if (!defaults->only || strcmp(defaults->only, sections[i]) == 0)
            apply_section(tree, defaults, sections[i], spec);
}

void defaults_free_origins(struct spec *spec)
{
    for (uint32_t i = 0; i < spec->origin_count; i++) {
        free(spec->origins[i].key);
        free(spec->origins[i].source);
    }
    free(spec->origins);
}
