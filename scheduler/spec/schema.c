/* The JSON Schema (draft-07) of experiment files, made from the table of keys; see spec.h. Keys that come later are
 * left out, so an editor does not offer them. Every property has a description and, where there is one, a default:
 * editors show them. */
#include "scheduler/spec/schema.h"
#include "scheduler/spec/type.h"
#include "search/registry.h"

#include <math.h>

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

static json_t *schema_of_key(const struct key *key)
{
    json_t *schema = key->type->schema(key);
    json_object_set_new(schema, "description", json_string(key->help));
    if (key->default_value)
        json_object_set_new(schema, "default", json_of_default_value(key->default_value));
    return schema;
}

json_t *schema_of_section(const char *section, unsigned forms)
{
    json_t *properties = json_object(), *required = json_array();
    for (const struct key *key = NULL; (key = key_next(section, key));) {
        if (key->flags & KEY_LATER || (forms && !(key->flags & forms)))
            continue;
        json_object_set_new(properties, key_name(key), schema_of_key(key));
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

/* --- parameters --- */

static json_t *schema_of_form(unsigned form, const char *first, const char *second)
{
    json_t *schema = schema_of_section("parameters.*", form), *required = json_pack("[s]", first);
    if (second)
        json_array_append_new(required, json_string(second));
    json_object_set_new(schema, "required", required);
    return schema;
}

json_t *schema_of_parameters(const struct key *key)
{
    (void)key;
    const struct key *value = key_of_path("parameters.*.value"), *values = key_of_path("parameters.*.values");
    json_t *forms =
        json_pack("[o, o, o, o, o, o]", value->type->schema(value), values->type->schema(values),
                  schema_of_form(KEY_IN_RANGE, "min", "max"), schema_of_form(KEY_IN_CHOICE, "values", NULL),
                  schema_of_form(KEY_IN_NORMAL, "mean", "stddev"), schema_of_form(KEY_IN_CONSTANT, "value", NULL));
    return json_pack("{s:s, s:i, s:i, s:{s:s}, s:{s:o}}", "type", "object", "minProperties", 1, "maxProperties",
                     SPACE_MOST_PARAMS, "propertyNames", "pattern", "^[A-Za-z_][A-Za-z0-9_.-]*$",
                     "additionalProperties", "anyOf", forms);
}

/* --- strategies --- */

static json_t *schema_of_option(const struct gannet_option *option)
{
    json_t *schema = option->type == GANNET_SWITCH ? type_schema_of("boolean")
                     : option->type == GANNET_WORD
                         ? type_schema_of_words(option->words)
                         : type_schema_of(option->type == GANNET_INTEGER ? "integer" : "number");
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
    json_t *schema = schema_of_section("", 0), *properties = json_object_get(schema, "properties");
    json_object_set_new(schema, "$schema", json_string("http://json-schema.org/draft-07/schema#"));
    json_object_set_new(schema, "title", json_string("gannet experiment"));
    add_strategies(json_object_get(properties, "strategy"));
    json_object_set_new(json_object_get(properties, "trial"), "oneOf",
                        json_pack("[{s:[s], s:{s:[s]}}, {s:[s], s:{s:[{s:[s]}, {s:[s]}]}}]", "required", "kernel",
                                  "not", "required", "command", "required", "command", "not", "anyOf", "required",
                                  "kernel", "required", "options"));
    json_object_set_new(json_object_get(properties, "resources"), "not",
                        json_pack("{s:s, s:[s, s]}", "type", "object", "required", "cpus", "sockets"));
    return schema;
}
