/* Types that are sections; see key.h. `metric` is one as a map, or several as a list of maps: each is read by the rows
 * of the section into a spec of its own, and its part taken from there. */
#include "scheduler/spec/type.h"
#include "common/mem.h"

#include <string.h>

/* --- sections --- */

/* `limits:` with nothing behind it (everything below commented out) is an empty section. */
static void section_read(struct reading *reading, const struct key *key, const struct node *node, void *owner)
{
    if (node->kind == NODE_MAP || node_is(node, SCALAR_NULL))
        key_read_map(reading, key->path, 0, node, reading->place, owner);
    else
        key_refuse(reading, key, node);
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

const struct key_type type_section = {.words = "a map of keys", .read = section_read, .make_schema = section_schema};

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

const struct key_type type_strategy = {
    .words = "a name or a map of keys", .read = strategy_read, .make_schema = strategy_schema};

/* The reader of maps refuses keys that come later before their type is asked. */
const struct key_type type_later = {.words = "what a later version says"};

/* --- metric: reading --- */

enum { MOST_METRICS = 64 };

/* Every metric is wanted for something: a direction, or a limit; the first one must have a direction. */
static void check_goal(struct reading *reading, const struct node *map, const struct spec_metric *metric, bool first)
{
    bool limited = node_find(map, "min") || node_find(map, "max");
    if (metric->has_goal || node_find(map, "goal") || (limited && !first))
        return;
    struct problem *problem =
        problem_add(reading->problems, PROBLEM_MISSING_KEY, reading->place, "%s",
                    limited || first ? "'metric.goal' is missing" : "this metric has neither a goal nor a limit");
    problem_hint(problem, first ? "the better direction; write minimize or maximize"
                                : "write goal: minimize or goal: maximize, or a min or max that it is to keep");
}

static void check_limits(struct reading *reading, const struct node *map, const struct spec_metric *metric)
{
    if (metric->has_min && metric->has_max && metric->min > metric->max)
        problem_add(reading->problems, PROBLEM_BAD_RANGE, node_find(map, "min")->mark,
                    "'metric.min' is above 'metric.max': no trial could keep both");
}

/* What only objectives have, and only the first one. */
static void check_further(struct reading *reading, const struct node *map, const struct spec_metric *metric)
{
    const struct entry *target = node_entry(map, "target"), *use = node_entry(map, "use");
    if (target)
        problem_say(reading->problems, PROBLEM_CONFLICT, target->mark,
                    "a value that must be kept is a limit: min or max", "only the first metric can have a target");
    if (metric->use_best && !metric->has_goal)
        problem_say(reading->problems, PROBLEM_CONFLICT, use->mark, "leave 'use' out: its last value counts",
                    "a metric without a goal has no best value");
}

/* Reads one map into a metric. `place` is where to report what is missing. */
static void read_one(struct reading *reading, const struct node *map, struct mark place, bool first,
                     struct spec_metric *out)
{
    struct spec scratch = {0};
    if (map->kind != NODE_MAP && !node_is(map, SCALAR_NULL)) {
        problem_say(reading->problems, PROBLEM_WRONG_TYPE, map->mark, "write {name: val_loss, goal: minimize}",
                    "a metric is a map of keys, not %s", node_show(map).text);
        return;
    }
    key_read_map(reading, "metric", 0, map, place, &scratch);
    reading->place = place;
    *out = scratch.metric;
    check_goal(reading, map, out, first);
    check_limits(reading, map, out);
    if (!first)
        check_further(reading, map, out);
}

static void check_names(struct reading *reading, const struct spec *spec, const struct node *list)
{
    const char *names[MOST_METRICS];
    for (uint32_t i = 0; i < list->count; i++) {
        names[i] = i ? spec->others[i - 1].name : spec->metric.name;
        for (uint32_t k = 0; k < i && names[i]; k++)
            if (names[k] && strcmp(names[i], names[k]) == 0)
                problem_say(reading->problems, PROBLEM_CONFLICT, list->entries[i].node->mark,
                            "a metric may have a goal and limits at once", "the metric '%s' is there twice", names[i]);
    }
}

static void read_list(struct reading *reading, const struct node *list, struct spec *spec)
{
    if (!list->count || list->count > MOST_METRICS) {
        problem_say(reading->problems, PROBLEM_BAD_VALUE, list->mark,
                    "write one or several as [{name: val_loss, goal: minimize}, ...]", "'metric' lists %s",
                    list->count ? "more than 64 metrics" : "no metric");
        return;
    }
    spec->others = MEM_ARRAY(struct spec_metric, list->count);
    spec->other_count = list->count - 1;
    for (uint32_t i = 0; i < list->count; i++) {
        const struct node *map = list->entries[i].node;
        read_one(reading, map, map->mark, !i, i ? &spec->others[i - 1] : &spec->metric);
    }
    check_names(reading, spec, list);
}

static void metric_read(struct reading *reading, const struct key *key, const struct node *node, void *owner)
{
    struct spec *spec = owner;
    if (node->kind == NODE_LIST)
        read_list(reading, node, spec);
    else if (node_is(node, SCALAR_TEXT))
        problem_hint(problem_add(reading->problems, PROBLEM_WRONG_TYPE, node->mark,
                                 "'metric' takes a map of keys: its direction must be said"),
                     "write {name: %s, goal: minimize} or {name: %s, goal: maximize}", node->text, node->text);
    else if (node->kind == NODE_MAP || node_is(node, SCALAR_NULL))
        read_one(reading, node, reading->place, true, &spec->metric);
    else
        key_refuse(reading, key, node);
}

/* --- metric: writing --- */

static void write_one(const struct spec_metric *metric, struct buf *out)
{
    struct spec scratch = {.metric = *metric};
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
    if (!spec->other_count)
        return false;
    buf_text(out, "[");
    write_one(&spec->metric, out);
    for (uint32_t i = 0; i < spec->other_count; i++) {
        buf_text(out, ", ");
        write_one(&spec->others[i], out);
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

const struct key_type type_metric = {
    .words = "a map of keys, or a list of such", metric_read, metric_write, .make_schema = metric_schema};
