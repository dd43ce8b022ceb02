/* Types that are sections; see key.h. `metric` is one as a map, or several as a list of maps: each is read by the rows
 * of the section into a spec of its own, and its part taken from there. */
#include "scheduler/spec/type.h"
#include "common/mem.h"

#include <string.h>

/* --- sections --- */

/* `limits:` with nothing behind it (everything below commented out) is an empty section. */
static void section_read(struct reading *reading, const struct key *key, const struct node *node, void *owner)
{
    key_read_map(reading, key->path, 0, node, reading->place, owner);
    if (key->also != KEY_NOWHERE)
        *KEY_AT(owner, key->also, bool) = true;
}

static json_t *section_schema(const struct key *key)
{
    json_t *schema = key_schema_of_section(key->path, 0);
    if (!(key->flags & KEY_REQUIRED))
        json_object_set_new(schema, "type", json_pack("[s, s]", "object", "null"));
    return schema;
}

const struct key_type type_section = {"a map of keys", TAKES_MAP | TAKES_NULL, section_read,
                                      .make_schema = section_schema};

/* --- strategy --- */

static void strategy_read(struct reading *reading, const struct key *key, const struct node *node, void *owner)
{
    if (!node_is(node, SCALAR_TEXT)) {
        section_read(reading, key, node, owner);
        return;
    }
    struct entry entry = {.key = "name", .mark = node->mark, .node = (struct node *)node};
    struct node map = {.kind = NODE_MAP, .mark = node->mark, .entries = &entry, .count = 1};
    section_read(reading, key, &map, owner);
}

static json_t *strategy_schema(const struct key *key)
{
    return json_pack("{s:[{s:s}, o]}", "anyOf", "type", "string", key_schema_of_section(key->path, 0));
}

const struct key_type type_strategy = {"a name or a map of keys", TAKES_TEXT | TAKES_MAP | TAKES_NULL, strategy_read,
                                       .make_schema = strategy_schema};

/* The reader of maps refuses keys that come later before their type is asked. */
const struct key_type type_later = {.words = "what a later version says"};

/* --- metric: reading --- */

enum { MOST_METRICS = 64 };

/* Every metric is wanted for something: a direction, or a limit; the first one must have a direction. */
static void check_goal(struct reading *reading, const struct node *map, const struct metric *metric, bool first)
{
    bool limited = node_find(map, "min") || node_find(map, "max");
    if (metric->objective || node_find(map, "goal") || (limited && !first))
        return;
    struct problem *problem =
        problem_add(reading->problems, PROBLEM_MISSING_KEY, reading->place, "%s",
                    limited || first ? "'metric.goal' is missing" : "this metric has neither a goal nor a limit");
    problem_hint(problem, first ? "the better direction; write minimize or maximize"
                                : "write goal: minimize or goal: maximize, or a min or max that it is to keep");
}

static void check_limits(struct reading *reading, const struct node *map, const struct metric *metric)
{
    if (metric->has_min && metric->has_max && metric->min > metric->max)
        problem_add(reading->problems, PROBLEM_BAD_RANGE, node_find(map, "min")->mark,
                    "'metric.min' is above 'metric.max': no trial could keep both");
}

/* What only objectives have, and only the first one. */
static void check_further(struct reading *reading, const struct node *map, const struct metric *metric)
{
    const struct entry *target = node_entry(map, "target"), *use = node_entry(map, "use");
    if (target)
        problem_say(reading->problems, PROBLEM_CONFLICT, target->mark,
                    "a value that must be kept is a limit: min or max", "only the first metric can have a target");
    if (metric->use_best && !metric->objective)
        problem_say(reading->problems, PROBLEM_CONFLICT, use->mark, "leave 'use' out: its last value counts",
                    "a metric without a goal has no best value");
}

/* Reads the metric of one map; its mark is where to report what is missing. */
static void read_one(struct reading *reading, const struct entry *entry, struct spec *spec, struct metric *out)
{
    struct spec scratch = {0};
    const struct node *map = entry->node;
    bool first = out == spec->metrics;
    if (map->kind != NODE_MAP && !node_is(map, SCALAR_NULL)) {
        problem_say(reading->problems, PROBLEM_WRONG_TYPE, map->mark, "write {name: val_loss, goal: minimize}",
                    "a metric is a map of keys, not %s", node_show(map).text);
        return;
    }
    key_read_map(reading, "metric", 0, map, entry->mark, &scratch);
    reading->place = entry->mark;
    *out = scratch.metric;
    check_goal(reading, map, out, first);
    check_limits(reading, map, out);
    if (!first) {
        check_further(reading, map, out);
        return;
    }
    spec->metric = *out;
    spec->has_target = scratch.has_target;
    spec->target = scratch.target;
}

static void read_all(struct reading *reading, const struct entry *entries, uint32_t count, struct spec *spec)
{
    spec->metrics = MEM_ARRAY(struct metric, count);
    spec->metric_count = count;
    for (uint32_t i = 0; i < count; i++)
        read_one(reading, &entries[i], spec, &spec->metrics[i]);
}

static void check_names(struct reading *reading, const struct spec *spec, const struct node *list)
{
    for (uint32_t i = 0; i < spec->metric_count; i++)
        for (uint32_t k = 0; k < i && spec->metrics[i].name; k++)
            if (spec->metrics[k].name && strcmp(spec->metrics[i].name, spec->metrics[k].name) == 0)
                problem_say(reading->problems, PROBLEM_CONFLICT, list->entries[i].node->mark,
                            "a metric may have a goal and limits at once", "the metric '%s' is there twice",
                            spec->metrics[i].name);
}

static void metric_read(struct reading *reading, const struct key *key, const struct node *node, void *owner)
{
    (void)key;
    struct spec *spec = owner;
    if (node->kind == NODE_LIST && node->count && node->count <= MOST_METRICS) {
        read_all(reading, node->entries, node->count, spec);
        check_names(reading, spec, node);
    } else if (node->kind == NODE_LIST) {
        problem_say(reading->problems, PROBLEM_BAD_VALUE, node->mark,
                    "write one or several as [{name: val_loss, goal: minimize}, ...]", "'metric' lists %s",
                    node->count ? "more than 64 metrics" : "no metric");
    } else if (node_is(node, SCALAR_TEXT)) {
        problem_hint(problem_add(reading->problems, PROBLEM_WRONG_TYPE, node->mark,
                                 "'metric' takes a map of keys: its direction must be said"),
                     "write {name: %s, goal: minimize} or {name: %s, goal: maximize}", node->text, node->text);
    } else {
        read_all(reading, &(struct entry){.mark = reading->place, .node = (struct node *)node}, 1, spec);
    }
}

/* --- metric: writing --- */

static void write_one(const struct spec *spec, uint32_t index, struct buf *out)
{
    struct spec scratch = {
        .metric = spec->metrics[index], .has_target = !index && spec->has_target, .target = spec->target};
    const char *separator = "{";
    for (const struct key *key = NULL; (key = key_next("metric", key));) {
        struct buf value = {0};
        if (key->type->write(key, &scratch, &value)) {
            buf_format(out, "%s%s: %s", separator, key_name(key), buf_str(&value));
            separator = ", ";
        }
        buf_fini(&value);
    }
    buf_text(out, "}");
}

/* One metric is written as a section, key by key. */
static bool metric_write(const struct key *key, const void *owner, struct buf *out)
{
    (void)key;
    const struct spec *spec = owner;
    if (spec->metric_count < 2)
        return false;
    for (uint32_t i = 0; i < spec->metric_count; i++) {
        buf_text(out, i ? ", " : "[");
        write_one(spec, i, out);
    }
    buf_text(out, "]");
    return true;
}

static json_t *metric_schema(const struct key *key)
{
    json_t *one = key_schema_of_section(key->path, 0), *further = json_deep_copy(one);
    json_array_append_new(json_object_get(one, "required"), json_string("goal"));
    json_object_set_new(
        further, "anyOf",
        json_pack("[{s:[s]}, {s:[s]}, {s:[s]}]", "required", "goal", "required", "min", "required", "max"));
    return json_pack("{s:[{s:s, s:i, s:o}, o]}", "anyOf", "type", "array", "minItems", 1, "items", further, one);
}

const struct key_type type_metric = {"a map of keys, or a list of such",
                                     TAKES_TEXT | TAKES_LIST | TAKES_MAP | TAKES_NULL, metric_read, metric_write,
                                     .make_schema = metric_schema};
