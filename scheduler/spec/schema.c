/* The JSON Schema (draft-07) of experiment files, made from the table of keys; see spec.h. Keys that come later are
 * left out, so an editor does not offer them. Every property has a description and, where there is one, a default:
 * editors show them. */
#include "scheduler/spec/type.h"
#include "common/mem.h"
#include "search/registry.h"

#include <math.h>
#include <stdlib.h>

static json_t *json_of_default_value(const char *default_value)
{
    struct scalar scalar = scalar_resolve(default_value);
    switch (scalar.kind) {
    case SCALAR_BOOL:
        return json_boolean(scalar.truth);
    case SCALAR_INT:
        return json_integer(scalar.integer);
    case SCALAR_REAL:
        return json_real(scalar.real);
    default:
        return json_string(default_value);
    }
}

json_t *key_schema(const struct key *key)
{
    if (key->type->make_schema)
        return key->type->make_schema(key);
    char *text = mem_text(key->type->schema);
    for (char *at = text; *at; at++)
        *at = *at == '\'' ? '"' : *at;
    json_t *schema = json_loads(text, 0, NULL);
    free(text);
    return schema;
}

json_t *key_schema_of_words(const char *const *words)
{
    json_t *list = json_array();
    for (; *words; words++)
        json_array_append_new(list, json_string(*words));
    return json_pack("{s:o}", "enum", list);
}

static json_t *describe_key(const struct key *key)
{
    json_t *schema = key_schema(key);
    json_object_set_new(schema, "description", json_string(key->help));
    if (key->default_value)
        json_object_set_new(schema, "default", json_of_default_value(key->default_value));
    return schema;
}

json_t *key_schema_of_section(const char *section, unsigned forms)
{
    json_t *properties = json_object(), *required = json_array();
    for (const struct key *key = NULL; (key = key_next(section, key));) {
        if (key->flags & KEY_LATER || (forms && !(key->flags & forms)))
            continue;
        json_object_set_new(properties, key_name(key), describe_key(key));
        if (key->flags & KEY_REQUIRED)
            json_array_append_new(required, json_string(key_name(key)));
    }
    json_t *schema =
        json_pack("{s:s, s:b, s:o}", "type", "object", "additionalProperties", 0, "properties", properties);
    if (json_array_size(required))
        json_object_set_new(schema, "required", required);
    else
        json_decref(required);
    return schema;
}

/* --- strategies --- */

static json_t *schema_of_option(const struct gannet_option *option)
{
    static const char *const types[] = {
        [GANNET_NUMBER] = "number", [GANNET_INTEGER] = "integer", [GANNET_SWITCH] = "boolean"};
    json_t *schema = option->type == GANNET_WORD ? key_schema_of_words(option->words)
                                                 : json_pack("{s:s}", "type", types[option->type]);
    bool is_number = option->type == GANNET_NUMBER || option->type == GANNET_INTEGER;
    if (is_number && isfinite(option->min))
        json_object_set_new(schema, "minimum", json_real(option->min));
    if (is_number && isfinite(option->max))
        json_object_set_new(schema, "maximum", json_real(option->max));
    json_object_set_new(schema, "description", json_string(option->help));
    if (option->default_value)
        json_object_set_new(schema, "default", json_of_default_value(option->default_value));
    return schema;
}

/* "if the name is X, the options are X's" */
static json_t *schema_of_strategy(const struct gannet_strategy *strategy)
{
    json_t *properties = json_object();
    for (const struct gannet_option *option = strategy->options; option && option->name; option++)
        json_object_set_new(properties, option->name, schema_of_option(option));
    return json_pack("{s:{s:[s], s:{s:{s:s}}, s:{s:[s]}}, s:{s:{s:{s:s, s:b, s:o}}}}", "if", "required", "name",
                     "properties", "name", "const", strategy->name, "not", "required", "plugin", "then", "properties",
                     "options", "type", "object", "additionalProperties", 0, "properties", properties);
}

/* Adds the built-in strategies to the schema of `strategy`: their names without a plug-in, and their options. */
static void add_strategies(json_t *strategy)
{
    json_t *names = json_array(), *rules = json_array();
    for (size_t i = 0; registry_builtin[i]; i++) {
        json_array_append_new(names, json_string(registry_builtin[i]->name));
        json_array_append_new(rules, schema_of_strategy(registry_builtin[i]));
    }
    json_t *forms = json_object_get(strategy, "anyOf");
    json_object_set(json_array_get(forms, 0), "enum", names);
    json_array_append_new(rules, json_pack("{s:{s:[s], s:{s:[s]}}, s:{s:{s:{s:o}}}}", "if", "required", "name", "not",
                                           "required", "plugin", "then", "properties", "name", "enum", names));
    json_object_set_new(json_array_get(forms, 1), "allOf", rules);
}

json_t *spec_schema(void)
{
    json_t *schema = key_schema_of_section("", 0), *properties = json_object_get(schema, "properties");
    json_object_set_new(schema, "$schema", json_string("http://json-schema.org/draft-07/schema#"));
    json_object_set_new(schema, "title", json_string("gannet experiment"));
    add_strategies(json_object_get(properties, "strategy"));
    json_object_set_new(json_object_get(properties, "trial"), "oneOf",
                        json_pack("[{s:[s], s:{s:[s]}}, {s:[s], s:{s:[{s:[s]}, {s:[s]}]}}]", "required", "kernel",
                                  "not", "required", "command", "required", "command", "not", "anyOf", "required",
                                  "kernel", "required", "options"));
    json_object_set_new(json_object_get(properties, "resources"), "not",
                        json_pack("{s:s, s:[{s:[s, s]}, {s:[s, s]}, {s:[s, s]}]}", "type", "object", "anyOf",
                                  "required", "cpus", "sockets", "required", "cpus", "trials_per_socket", "required",
                                  "sockets", "trials_per_socket"));
    return schema;
}
