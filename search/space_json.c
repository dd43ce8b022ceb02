/* Configurations as JSON objects; see space.h. */
#include "search/tables.h"
#include "common/mem.h"
#include "common/suggest.h"

#include <stdlib.h>

/* {"lr": 0.001, "optimizer": "sgd"} */
void space_config_json(const struct space *space, const struct value *config, struct buf *out)
{
    const char *separator = "{";
    for (size_t i = 0; i < space->count; i++) {
        if (config[i].kind == VALUE_NONE)
            continue;
        struct value name = {.kind = VALUE_TEXT, .text = space->entries[i].param.name};
        buf_text(out, separator);
        value_json(&name, out);
        buf_text(out, ": ");
        value_json(&config[i], out);
        separator = ", ";
    }
    buf_text(out, *separator == '{' ? "{}" : "}");
}

void space_json(const struct space *space, const double *unit, struct buf *out)
{
    struct value *config = MEM_ARRAY(struct value, space->count);
    space_config(space, unit, config);
    space_config_json(space, config, out);
    space_config_fini(space, config);
    free(config);
}

static int unknown_name(const struct space *space, const char *name, struct err *err)
{
    const char **names = MEM_ARRAY(const char *, space->count);
    for (size_t i = 0; i < space->count; i++)
        names[i] = space->entries[i].param.name;
    const char *meant = suggest_nearest(name, names, space->count);
    free(names);
    return meant ? err_set(err, "there is no parameter '%s'; did you mean '%s'?", name, meant)
                 : err_set(err, "there is no parameter '%s'", name);
}

static int read_members(const struct space *space, json_t *object, struct value *config, struct err *err)
{
    const char *name;
    json_t *member;
    json_object_foreach(object, name, member)
    {
        int64_t index = space_find(space, name);
        if (index < 0)
            return unknown_name(space, name, err);
        if (value_from_json(member, &config[index], err))
            return err_prefix(err, "'%s'", name);
    }
    return 0;
}

int space_config_of_json(const struct space *space, const char *json, struct value *config, struct err *err)
{
    json_error_t at;
    json_t *object = json_loads(json, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &at);
    int result = object ? 0 : err_set(err, "the configuration is no JSON: %s", at.text);
    if (object && !json_is_object(object))
        result = err_set(err, "the configuration is no JSON object like {\"lr\": 0.1}");
    if (result == 0)
        result = read_members(space, object, config, err);
    json_decref(object);
    return result;
}

void space_config_fini(const struct space *space, struct value *config)
{
    for (size_t i = 0; i < space->count; i++)
        value_fini(&config[i]);
}

int space_point_of_json(const struct space *space, const char *json, double *unit, struct err *err)
{
    struct value *config = MEM_ARRAY(struct value, space->count);
    int result = space_config_of_json(space, json, config, err);
    if (result == 0)
        result = space_point(space, config, NULL, NULL, unit, err);
    space_config_fini(space, config);
    free(config);
    return result;
}
