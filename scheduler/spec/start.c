/* Start points: `start: [{lr: 0.01}, {lr: 0.1, optimizer: adam}]`; see parameters.h. */
#include "scheduler/spec/parameters.h"
#include "scheduler/spec/emit.h"
#include "scheduler/spec/type.h"
#include "common/mem.h"

#include <stdlib.h>

static void start_read(struct reading *reading, const struct key *key, const struct node *node, void *owner)
{
    (void)owner;
    parameters_check_list(reading, key, node, NODE_MAP, "{parameter: value}");
}

static bool start_write(const struct key *key, const void *owner, struct buf *out)
{
    (void)key;
    const struct spec *spec = owner;
    for (uint32_t i = 0; i < spec->start_count; i++) {
        json_t *point = json_loads(spec->start[i], 0, NULL);
        buf_text(out, i ? ", " : "[");
        emit_json(out, point);
        json_decref(point);
    }
    buf_text(out, spec->start_count ? "]" : "");
    return spec->start_count;
}

const struct key_type type_start = {"a list of maps of parameters to values",
                                    TAKES_LIST,
                                    start_read,
                                    start_write,
                                    .schema = "{'type': 'array', 'items': {'type': 'object'}}",
                                    .fini = type_fini_texts};

/* Adds "name": value to the JSON of a point. */
static void add_setting(struct reading *reading, const struct parameters *parameters, const struct entry *entry,
                        struct buf *json)
{
    struct value value;
    const struct draft *draft = draft_find(parameters, entry->key);
    if (!draft)
        draft_unknown(reading, PROBLEM_BAD_START, entry->mark, entry->key, parameters);
    else if (draft->valid && draft_fit(reading, PROBLEM_BAD_START, &draft->param, entry->node, &value)) {
        buf_format(json, "%s\"%s\": ", json->length > 1 ? ", " : "", entry->key);
        value_json(&value, json);
        value_fini(&value);
    }
}

void parameters_read_start(struct reading *reading, const struct parameters *parameters)
{
    const struct node *list = node_find(reading->root, "start");
    if (!list || list->kind != NODE_LIST)
        return;
    struct spec *spec = reading->spec;
    spec->start = MEM_ARRAY(char *, list->count);
    for (uint32_t i = 0; i < list->count; i++) {
        const struct node *point = list->entries[i].node;
        struct buf json = {0};
        buf_text(&json, "{");
        for (uint32_t k = 0; point->kind == NODE_MAP && k < point->count; k++)
            add_setting(reading, parameters, &point->entries[k], &json);
        buf_text(&json, "}");
        spec->start[spec->start_count++] = buf_take(&json);
    }
}

/* Whether every active parameter of a point has a value that is known: given, or a default. */
static bool is_determined(const struct space *space, const json_t *point, const double *unit)
{
    bool determined = true;
    struct value *config = MEM_ARRAY(struct value, space_count(space));
    space_config(space, unit, config);
    for (uint32_t i = 0; i < space_count(space); i++) {
        const struct param *param = space_param(space, i);
        bool known = json_object_get(point, param->name) || param->default_value.kind != VALUE_NONE;
        determined &= known || config[i].kind == VALUE_NONE || param->kind == PARAM_CONSTANT;
        value_fini(&config[i]);
    }
    free(config);
    return determined;
}

static void check_point(struct reading *reading, const char *text, struct source_mark mark)
{
    struct err err;
    const struct space *space = reading->spec->space;
    double *unit = MEM_ARRAY(double, space_dimension(space));
    json_t *point = json_loads(text, 0, NULL);
    int64_t broken = -1;
    if (space_point_of_json(space, text, unit, &err))
        problem_add(reading->problems, PROBLEM_BAD_START, mark, "%s", err.text);
    else if (is_determined(space, point, unit))
        broken = space_violated(space, unit);
    if (broken >= 0)
        problem_hint(problem_add(reading->problems, PROBLEM_BAD_START, mark, "this start point breaks a constraint"),
                     "%s must hold", space_constraint(space, (uint32_t)broken));
    json_decref(point);
    free(unit);
}

void parameters_check_start(struct reading *reading)
{
    const struct node *list = node_find(reading->root, "start");
    for (uint32_t i = 0; i < reading->spec->start_count; i++)
        check_point(reading, reading->spec->start[i], list->entries[i].node->mark);
}
