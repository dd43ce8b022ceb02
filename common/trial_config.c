/* A program's configuration; see trial_config.h. */
#include "common/trial_config.h"
#include "common/mem.h"
#include "common/value.h"

#include <stdlib.h>
#include <string.h>

/* --- finding a place --- */

/* The item of a list that a part of a name counts; the list's length when it counts none. */
static size_t item_of(const json_t *list, const char *part)
{
    char *end;
    unsigned long index = strtoul(part, &end, 10);
    bool counts = *part >= '0' && *part <= '9' && !*end && index < json_array_size(list);
    return counts ? (size_t)index : json_array_size(list);
}

static json_t *part_of(const json_t *at, const char *part)
{
    return json_is_array(at) ? json_array_get(at, item_of(at, part)) : json_object_get(at, part);
}

bool trial_config_has(const json_t *config, const char *name)
{
    const char *dot = strchr(name, '.');
    if (part_of(config, name))
        return true;
    if (!dot)
        return false;
    char *part = mem_text_n(name, (size_t)(dot - name));
    const json_t *inner = part_of(config, part);
    free(part);
    return inner && trial_config_has(inner, dot + 1);
}

/* --- putting values there --- */

static int set_part(json_t *at, const char *part, json_t *value, const char *whole, struct err *err)
{
    if (json_is_array(at) && item_of(at, part) < json_array_size(at))
        return json_array_set(at, item_of(at, part), value);
    if (json_is_array(at))
        return err_set(err, "'%s' has no place in the configuration: its list has no item '%s'", whole, part);
    if (json_is_object(at))
        return json_object_set(at, part, value);
    return err_set(err, "'%s' has no place in the configuration: what is above '%s' is a value, no map", whole, part);
}

/* The part of that name, made when a map does not have it; NULL with a sentence. */
static json_t *enter_part(json_t *at, const char *part, const char *whole, struct err *err)
{
    json_t *inner = part_of(at, part);
    if (inner && !json_is_null(inner))
        return inner;
    json_t *made = json_object();
    int failed = set_part(at, part, made, whole, err);
    json_decref(made);
    return failed ? NULL : made;
}

static int set_value(json_t *at, const char *name, json_t *value, const char *whole, struct err *err)
{
    const char *dot = strchr(name, '.');
    if (!dot || (json_is_object(at) && json_object_get(at, name)))
        return set_part(at, name, value, whole, err);
    char *part = mem_text_n(name, (size_t)(dot - name));
    json_t *inner = enter_part(at, part, whole, err);
    free(part);
    return inner ? set_value(inner, dot + 1, value, whole, err) : -1;
}

json_t *trial_config_make(const json_t *config, const json_t *params, struct err *err)
{
    json_t *made = config ? json_deep_copy(config) : json_object(), *value;
    const char *name;
    json_object_foreach((json_t *)params, name, value)
    {
        if (set_value(made, name, value, name, err)) {
            json_decref(made);
            return NULL;
        }
    }
    return made;
}

/* --- writing --- */

/* As short as reads back the same, and with a point: "1.0e-05". */
static void write_real(const json_t *json, struct buf *out)
{
    struct value value = {0};
    struct buf text = {0};
    if (value_from_json(json, &value, NULL) == 0)
        value_show(&value, &text);
    value_fini(&value);
    const char *number = buf_str(&text);
    size_t mantissa = strcspn(number, "eE");
    buf_add(out, number, mantissa);
    if (!memchr(number, '.', mantissa))
        buf_text(out, ".0");
    buf_text(out, number + mantissa);
    buf_fini(&text);
}

static void write_text(const char *text, struct buf *out)
{
    json_t *json = json_string(text);
    char *quoted = json_dumps(json, JSON_ENCODE_ANY);
    buf_text(out, quoted);
    free(quoted);
    json_decref(json);
}

static void write_any(const json_t *json, int depth, struct buf *out);

static void write_list(const json_t *list, int depth, struct buf *out)
{
    size_t index;
    json_t *item;
    buf_text(out, "[");
    json_array_foreach(list, index, item)
    {
        buf_text(out, index ? ", " : "");
        write_any(item, depth, out);
    }
    buf_text(out, "]");
}

/* A line for each part. */
static void write_map(const json_t *map, int depth, struct buf *out)
{
    const char *key;
    json_t *item;
    size_t count = 0;
    buf_text(out, "{");
    json_object_foreach((json_t *)map, key, item)
    {
        buf_format(out, "%s\n%*s", count++ ? "," : "", 2 * depth + 2, "");
        write_text(key, out);
        buf_text(out, ": ");
        write_any(item, depth + 1, out);
    }
    if (count)
        buf_format(out, "\n%*s", 2 * depth, "");
    buf_text(out, "}");
}

static void write_any(const json_t *json, int depth, struct buf *out)
{
    if (json_is_object(json))
        write_map(json, depth, out);
    else if (json_is_array(json))
        write_list(json, depth, out);
    else if (json_is_real(json))
        write_real(json, out);
    else if (json_is_string(json))
        write_text(json_string_value(json), out);
    else if (json_is_integer(json))
        buf_format(out, "%" JSON_INTEGER_FORMAT, json_integer_value(json));
    else
        buf_text(out, json_is_true(json) ? "true" : json_is_false(json) ? "false" : "null");
}

void trial_config_write(const json_t *config, struct buf *out)
{
    write_any(config, 0, out);
}
