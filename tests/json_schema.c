/* Checking JSON against a schema, keyword by keyword; see json_schema.h. */
#include "tests/json_schema.h"
#include "tests/claims.h"

#include <math.h>
#include <regex.h>
#include <string.h>

/* Where we are: the value, the whole schema that the keyword stands in, the keyword's own value. */
struct check {
    const json_t *json, *schema, *rule;
    struct buf *why;
};

static bool is_type(const json_t *json, const char *name)
{
    if (strcmp(name, "integer") == 0)
        return json_is_number(json) && json_number_value(json) == floor(json_number_value(json));
    return (strcmp(name, "number") == 0 && json_is_number(json)) ||
           (strcmp(name, "string") == 0 && json_is_string(json)) ||
           (strcmp(name, "boolean") == 0 && json_is_boolean(json)) ||
           (strcmp(name, "null") == 0 && json_is_null(json)) || (strcmp(name, "array") == 0 && json_is_array(json)) ||
           (strcmp(name, "object") == 0 && json_is_object(json));
}

static bool check_type(const struct check *check)
{
    size_t i;
    json_t *name;
    if (json_is_string(check->rule))
        return is_type(check->json, json_string_value(check->rule));
    json_array_foreach((json_t *)check->rule, i, name) if (is_type(check->json, json_string_value(name))) return true;
    return false;
}

/* JSON Schema's equality: 1 and 1.0 are the same. */
static bool is_equal(const json_t *a, const json_t *b)
{
    if (json_is_number(a) && json_is_number(b))
        return json_number_value(a) == json_number_value(b);
    return json_equal(a, b);
}

static bool check_const(const struct check *check)
{
    return is_equal(check->json, check->rule);
}

static bool check_enum(const struct check *check)
{
    size_t i;
    json_t *item;
    json_array_foreach((json_t *)check->rule, i, item) if (is_equal(check->json, item)) return true;
    return false;
}

static bool check_minimum(const struct check *check)
{
    return !json_is_number(check->json) || json_number_value(check->json) >= json_number_value(check->rule);
}

static bool check_maximum(const struct check *check)
{
    return !json_is_number(check->json) || json_number_value(check->json) <= json_number_value(check->rule);
}

static bool check_exclusive_minimum(const struct check *check)
{
    return !json_is_number(check->json) || json_number_value(check->json) > json_number_value(check->rule);
}

static bool check_min_length(const struct check *check)
{
    return !json_is_string(check->json) || json_string_length(check->json) >= (size_t)json_integer_value(check->rule);
}

static bool matches(const char *text, const char *pattern)
{
    regex_t regex;
    assert_int_equal(regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB), 0);
    bool found = regexec(&regex, text, 0, NULL, 0) == 0;
    regfree(&regex);
    return found;
}

static bool check_pattern(const struct check *check)
{
    return !json_is_string(check->json) || matches(json_string_value(check->json), json_string_value(check->rule));
}

static bool check_required(const struct check *check)
{
    size_t i;
    json_t *name;
    json_array_foreach((json_t *)check->rule, i,
                       name) if (json_is_object(check->json) &&
                                 !json_object_get(check->json, json_string_value(name))) return false;
    return true;
}

static bool check_properties(const struct check *check)
{
    const char *name;
    json_t *schema;
    json_object_foreach((json_t *)check->rule, name, schema)
    {
        const json_t *value = json_object_get(check->json, name);
        if (value && !json_schema_accepts(schema, value, check->why))
            return false;
    }
    return true;
}

static bool check_additional(const struct check *check)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)check->json, name, value)
    {
        bool listed = json_object_get(json_object_get(check->schema, "properties"), name);
        if (!listed && (json_is_false(check->rule) || !json_schema_accepts(check->rule, value, check->why)))
            return false;
    }
    return true;
}

static bool check_property_names(const struct check *check)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)check->json, name, value)
    {
        json_t *text = json_string(name);
        bool fine = json_schema_accepts(check->rule, text, check->why);
        json_decref(text);
        if (!fine)
            return false;
    }
    return true;
}

static bool check_min_properties(const struct check *check)
{
    return !json_is_object(check->json) || json_object_size(check->json) >= (size_t)json_integer_value(check->rule);
}

static bool check_max_properties(const struct check *check)
{
    return json_object_size(check->json) <= (size_t)json_integer_value(check->rule);
}

static bool check_items(const struct check *check)
{
    size_t i;
    json_t *item;
    json_array_foreach((json_t *)check->json, i,
                       item) if (!json_schema_accepts(check->rule, item, check->why)) return false;
    return true;
}

static bool check_min_items(const struct check *check)
{
    return !json_is_array(check->json) || json_array_size(check->json) >= (size_t)json_integer_value(check->rule);
}

static bool check_unique(const struct check *check)
{
    for (size_t i = 0; i < json_array_size(check->json); i++)
        for (size_t k = 0; k < i; k++)
            if (is_equal(json_array_get(check->json, i), json_array_get(check->json, k)))
                return false;
    return true;
}

/* How many of a list of schemas accept the value; their objections are forgotten. */
static size_t count_accepting(const struct check *check)
{
    size_t i, count = 0;
    json_t *schema;
    struct buf ignored = {0};
    json_array_foreach((json_t *)check->rule, i, schema) count += json_schema_accepts(schema, check->json, &ignored);
    buf_fini(&ignored);
    return count;
}

static bool check_any(const struct check *check)
{
    return count_accepting(check) > 0;
}

static bool check_one(const struct check *check)
{
    return count_accepting(check) == 1;
}

static bool check_all(const struct check *check)
{
    return count_accepting(check) == json_array_size(check->rule);
}

static bool accepts_quietly(const json_t *schema, const json_t *json)
{
    struct buf ignored = {0};
    bool accepted = json_schema_accepts(schema, json, &ignored);
    buf_fini(&ignored);
    return accepted;
}

static bool check_not(const struct check *check)
{
    return !accepts_quietly(check->rule, check->json);
}

/* "if" with the "then" beside it. */
static bool check_if(const struct check *check)
{
    return !accepts_quietly(check->rule, check->json) ||
           accepts_quietly(json_object_get(check->schema, "then"), check->json);
}

static bool no_check(const struct check *check)
{
    (void)check;
    return true;
}

static const struct {
    const char *name;
    bool (*holds)(const struct check *);
} keywords[] = {
    {"type", check_type},
    {"const", check_const},
    {"enum", check_enum},
    {"minimum", check_minimum},
    {"maximum", check_maximum},
    {"exclusiveMinimum", check_exclusive_minimum},
    {"minLength", check_min_length},
    {"pattern", check_pattern},
    {"required", check_required},
    {"properties", check_properties},
    {"additionalProperties", check_additional},
    {"propertyNames", check_property_names},
    {"minProperties", check_min_properties},
    {"maxProperties", check_max_properties},
    {"items", check_items},
    {"minItems", check_min_items},
    {"uniqueItems", check_unique},
    {"anyOf", check_any},
    {"oneOf", check_one},
    {"allOf", check_all},
    {"not", check_not},
    {"if", check_if},
    {"then", no_check},
    {"$schema", no_check},
    {"title", no_check},
    {"description", no_check},
    {"default", no_check},
};

static bool holds(const char *name, const struct check *check)
{
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (strcmp(keywords[i].name, name) == 0)
            return keywords[i].holds(check);
    fail_msg("the schema uses '%s', which this validator doesn't know", name);
    return false;
}

bool json_schema_accepts(const json_t *schema, const json_t *json, struct buf *why)
{
    const char *name;
    json_t *rule;
    json_object_foreach((json_t *)schema, name, rule)
    {
        struct check check = {json, schema, rule, why};
        if (holds(name, &check))
            continue;
        char *text = json_dumps(json, JSON_ENCODE_ANY);
        buf_format(why, "%.200s is against '%s'; ", text, name);
        free(text);
        return false;
    }
    return true;
}
