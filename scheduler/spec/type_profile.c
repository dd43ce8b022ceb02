/* The types of profile.operations and profile.steps: which operations of a kernel are timed, or which of a program on
 * GPUs are told, and when. */
#include "scheduler/spec/emit.h"
#include "scheduler/spec/spec.h"
#include "scheduler/spec/type.h"
#include "common/operations.h"
#include "common/suggest.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- operations --- */

/* Says of a name that is none of an operation what is near it, or what there is. */
static void refuse_name(struct reading *reading, const struct node *node)
{
    const char *names[OPERATIONS_COUNT];
    size_t count = 0;
    struct buf hint = {0};
    for (int i = 0; i < OPERATIONS_COUNT; i++)
        if (i != OPERATION_step)
            names[count++] = operation_name((enum operation)i);
    const char *near = suggest_nearest(node->text, names, count);
    buf_text(&hint, near ? "did you mean " : "a name may have a *, as in conv*; there are: ");
    if (near)
        buf_format(&hint, "'%s'?", near);
    else
        suggest_list(&hint, names, count);
    problem_say(reading->problems, PROBLEM_BAD_VALUE, node->mark, buf_str(&hint), "no operation is called '%s'",
                node->text);
    buf_fini(&hint);
}

/* Kernels on GPUs have any names. */
static bool is_programs(const struct reading *reading)
{
    return node_entry(node_find(reading->root, "trial"), "command");
}

static void take_name(struct reading *reading, const struct key *key, const struct node *node, json_t *list)
{
    if (node->kind != NODE_SCALAR || node_is(node, SCALAR_NULL))
        key_refuse(reading, key, node);
    else if (!operations_like(node->text) && !is_programs(reading))
        refuse_name(reading, node);
    else
        json_array_append_new(list, json_string(node->text));
}

static void operations_read(struct reading *reading, const struct key *key, const struct node *node, void *owner)
{
    json_t *list = json_array();
    if (node->kind == NODE_LIST)
        for (uint32_t i = 0; i < node->count; i++)
            take_name(reading, key, node->entries[i].node, list);
    else if (!node_is(node, SCALAR_BOOL))
        take_name(reading, key, node, list);
    else if (strcmp(node->text, "true") == 0)
        json_array_append_new(list, json_string("*"));
    if (json_array_size(list))
        type_set_object(key, owner, list);
    else
        json_decref(list);
}

static bool operations_write(const struct key *key, const void *owner, struct buf *out)
{
    const json_t *list = *KEY_AT_CONST(owner, key->offset, json_t *);
    if (list)
        emit_json(out, list);
    return list;
}

static json_t *operations_schema(const struct key *key)
{
    (void)key;
    return json_pack("{s:[{s:[s, s]}, {s:s, s:{s:s}}]}", "anyOf", "type", "boolean", "string", "type", "array", "items",
                     "type", "string");
}

const struct key_type type_operations = {"true, false, a name or a list of names",
                                         TAKES_SWITCH | TAKES_TEXT | TAKES_LIST,
                                         operations_read,
                                         operations_write,
                                         .make_schema = operations_schema,
                                         .fini = type_fini_object};

/* --- steps --- */

/* "10-20", or one number: from 1. */
static bool read_range(const char *text, struct spec_steps *out)
{
    static const uint64_t most = UINT64_C(1) << 53;
    char *end;
    if (*text < '0' || *text > '9')
        return false;
    out->first = out->last = strtoull(text, &end, 10);
    if (*end == '-' && end[1] >= '0' && end[1] <= '9')
        out->last = strtoull(end + 1, &end, 10);
    return !*end && out->first >= 1 && out->first <= out->last && out->last <= most;
}

static void steps_read(struct reading *reading, const struct key *key, const struct node *node, void *owner)
{
    struct spec_steps steps;
    if (node->kind == NODE_SCALAR && read_range(node->text, &steps))
        *KEY_AT(owner, key->offset, struct spec_steps) = steps;
    else
        problem_say(reading->problems, PROBLEM_BAD_VALUE, node->mark,
                    "write 10-20: from the tenth step to the twentieth", "%s takes the steps that are timed, not %s",
                    key_show(reading, key).text, node_show(node).text);
}

static bool steps_write(const struct key *key, const void *owner, struct buf *out)
{
    const struct spec_steps *steps = KEY_AT_CONST(owner, key->offset, struct spec_steps);
    if (steps->first)
        buf_format(out, "%" PRIu64 "-%" PRIu64, steps->first, steps->last);
    return steps->first;
}

static json_t *steps_schema(const struct key *key)
{
    (void)key;
    return json_pack("{s:[{s:s, s:i}, {s:s, s:s}]}", "anyOf", "type", "integer", "minimum", 1, "type", "string",
                     "pattern", "^[0-9]+-[0-9]+$");
}

const struct key_type type_steps = {"a number, or two: 10-20", TAKES_NUMBER | TAKES_TEXT, steps_read, steps_write,
                                    .make_schema = steps_schema};
