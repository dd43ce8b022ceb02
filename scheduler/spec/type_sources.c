/* The key `start_from`: earlier experiments to learn from; see key.h. An item is a name, a run directory or a store, or
 * a map that also says which of its trials. */
#include "scheduler/spec/emit.h"
#include "scheduler/spec/expand.h"
#include "scheduler/spec/type.h"
#include "common/mem.h"

#include <stdlib.h>
#include <string.h>

static void refuse_item(struct reading *reading, const struct node *node)
{
    problem_say(reading->problems, PROBLEM_WRONG_TYPE, node->mark,
                "write [digits, runs/other], or [{experiment: digits, trials: best 20}]",
                "'start_from' lists experiments, not %s", node_show(node).text);
}

/* Names stay as they are; paths start from `base:`. */
static char *read_experiment(struct reading *reading, const struct node *node)
{
    size_t length = strlen(node->text);
    bool is_path = strchr(node->text, '/') || (length > 3 && strcmp(node->text + length - 3, ".db") == 0);
    return is_path ? expand_path(reading, node, reading->spec->base) : mem_text(node->text);
}

/* "all", or "best 20". */
static bool read_trials(const struct node *node, uint64_t *best)
{
    char *end;
    *best = 0;
    if (!node_is(node, SCALAR_TEXT) || strcmp(node->text, "all") == 0)
        return node_is(node, SCALAR_TEXT);
    if (strncmp(node->text, "best ", 5) != 0)
        return false;
    *best = strtoull(node->text + 5, &end, 10);
    return node->text[5] >= '1' && node->text[5] <= '9' && !*end;
}

static void read_map(struct reading *reading, const struct node *map, struct spec_source *out)
{
    for (uint32_t i = 0; i < map->count; i++) {
        const struct entry *entry = &map->entries[i];
        bool is_experiment = strcmp(entry->key, "experiment") == 0, is_trials = strcmp(entry->key, "trials") == 0;
        if (is_experiment && node_is(entry->node, SCALAR_TEXT) && *entry->node->text)
            out->experiment = read_experiment(reading, entry->node);
        else if (is_experiment)
            refuse_item(reading, entry->node);
        else if (!is_trials)
            problem_say(reading->problems, PROBLEM_UNKNOWN_KEY, entry->mark, "there are: experiment, trials",
                        "unknown key '%s' in 'start_from'", entry->key);
        else if (!read_trials(entry->node, &out->best))
            problem_say(reading->problems, PROBLEM_BAD_VALUE, entry->node->mark, "write trials: best 20",
                        "'trials' takes all, or best and a number");
    }
    if (!node_find(map, "experiment"))
        problem_say(reading->problems, PROBLEM_MISSING_KEY, map->mark, "write {experiment: digits, trials: best 20}",
                    "'experiment' is missing");
}

static void sources_read(struct reading *reading, const struct key *key, const struct node *node, void *owner)
{
    struct spec *spec = owner;
    (void)key;
    spec->sources = MEM_ARRAY(struct spec_source, node->count);
    for (uint32_t i = 0; i < node->count; i++) {
        const struct node *item = node->entries[i].node;
        struct spec_source *source = &spec->sources[spec->source_count++];
        if (item->kind == NODE_MAP)
            read_map(reading, item, source);
        else if (node_is(item, SCALAR_TEXT) && *item->text)
            source->experiment = read_experiment(reading, item);
        else
            refuse_item(reading, item);
    }
}

static bool sources_write(const struct key *key, const void *owner, struct buf *out)
{
    (void)key;
    const struct spec *spec = owner;
    for (uint32_t i = 0; i < spec->source_count; i++) {
        const struct spec_source *source = &spec->sources[i];
        buf_text(out, i ? ", {experiment: " : "[{experiment: ");
        if (*source->experiment == '/')
            expand_write_path(out, source->experiment);
        else
            emit_text(out, source->experiment);
        if (source->best)
            buf_format(out, ", trials: best %llu}", (unsigned long long)source->best);
        else
            buf_text(out, ", trials: all}");
    }
    buf_text(out, spec->source_count ? "]" : "");
    return spec->source_count;
}

static void sources_fini(const struct key *key, void *owner)
{
    (void)key;
    struct spec *spec = owner;
    for (uint32_t i = 0; i < spec->source_count; i++)
        free(spec->sources[i].experiment);
    free(spec->sources);
}

const struct key_type type_sources = {
    "a list of experiments",
    TAKES_LIST,
    sources_read,
    sources_write,
    .schema = "{'type': 'array', 'items': {'anyOf': [{'type': 'string', 'minLength': 1}, {'type': 'object',"
              " 'additionalProperties': false, 'required': ['experiment'], 'properties': {'experiment':"
              " {'type': 'string', 'minLength': 1}, 'trials': {'type': 'string', 'pattern':"
              " '^(all|best [1-9][0-9]*)$'}}}]}}",
    .fini = sources_fini};
