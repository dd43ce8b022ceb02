/* Spaces for tests; see spaces.h. */
#include "tests/spaces.h"
#include "common/mem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The test can't go on: its own text is wrong. */
static void require(bool fine, const char *what, const char *text)
{
    if (fine)
        return;
    fprintf(stderr, "tests/spaces.c: %s: %s\n", what, text);
    abort();
}

static json_t *load(const char *text)
{
    char *quoted = mem_text(text);
    for (char *c = quoted; *c; c++)
        *c = *c == '\'' ? '"' : *c;
    json_error_t at;
    json_t *json = json_loads(quoted, JSON_DECODE_ANY, &at);
    require(json, at.text, quoted);
    free(quoted);
    return json;
}

/* A list, or one value as a list of one. */
static struct value *read_values(const json_t *json, uint32_t *count)
{
    *count = json_is_array(json) ? (uint32_t)json_array_size(json) : 1;
    struct value *values = MEM_ARRAY(struct value, *count);
    for (uint32_t i = 0; i < *count; i++)
        value_from_json(json_is_array(json) ? json_array_get(json, i) : json, &values[i], NULL);
    return values;
}

static double number(const json_t *object, const char *key, double otherwise)
{
    const json_t *member = json_object_get(object, key);
    return member ? json_number_value(member) : otherwise;
}

static void read_range(const json_t *json, struct param *param)
{
    bool normal = json_object_get(json, "mean");
    const char *type = json_string_value(json_object_get(json, "type"));
    bool whole = json_is_integer(json_object_get(json, "min")) && json_is_integer(json_object_get(json, "max"));
    if (type)
        whole = strcmp(type, "int") == 0;
    param->kind = normal ? PARAM_NORMAL : whole ? PARAM_INT : PARAM_REAL;
    param->min = number(json, "min", -INFINITY);
    param->max = number(json, "max", INFINITY);
    param->step = number(json, "step", 0);
    param->mean = number(json, "mean", 0);
    param->stddev = number(json, "stddev", 0);
    param->log = json_is_true(json_object_get(json, "log"));
}

static void read_choice(const json_t *json, struct param *param)
{
    param->kind = PARAM_CHOICE;
    param->values = read_values(json_is_array(json) ? json : json_object_get(json, "values"), &param->count);
    param->ordered = json_is_true(json_object_get(json, "ordered"));
    const json_t *weights = json_object_get(json, "weights");
    if (!weights)
        return;
    param->weights = MEM_ARRAY(double, param->count);
    for (uint32_t i = 0; i < param->count; i++)
        param->weights[i] = json_number_value(json_array_get(weights, i));
}

/* The place of a key among the members: parents may come later. */
static uint32_t place_of(const json_t *all, const char *name)
{
    uint32_t place = 0;
    const char *key;
    const json_t *member;
    json_object_foreach((json_t *)(uintptr_t)all, key, member)
    {
        if (strcmp(key, name) == 0)
            return place;
        place++;
    }
    require(false, "no such parent", name);
    return 0;
}

static void read_conditions(const json_t *all, const json_t *when, struct param *param)
{
    const char *parent;
    const json_t *values;
    param->conditions = MEM_ARRAY(struct condition, json_object_size(when));
    json_object_foreach((json_t *)(uintptr_t)when, parent, values)
    {
        struct condition *condition = &param->conditions[param->condition_count++];
        condition->parent = place_of(all, parent);
        const json_t *excluded = json_object_get(values, "not");
        const json_t *min = json_object_get(values, "min"), *max = json_object_get(values, "max");
        condition->excluded = excluded != NULL;
        condition->min = min ? json_number_value(min) : -INFINITY;
        condition->max = max ? json_number_value(max) : INFINITY;
        if (excluded || !json_is_object(values))
            condition->values = read_values(excluded ? excluded : values, &condition->count);
    }
}

static void add_param(struct space *space, const json_t *all, const char *name, const json_t *json)
{
    struct param param = {.name = mem_text(name)};
    const json_t *fixed = json_object_get(json, "value");
    if (json_is_array(json) || json_object_get(json, "values")) {
        read_choice(json, &param);
    } else if (json_is_object(json) && !fixed) {
        read_range(json, &param);
    } else {
        param.kind = PARAM_CONSTANT;
        param.values = read_values(fixed ? fixed : json, &param.count);
    }
    if (json_object_get(json, "default"))
        value_from_json(json_object_get(json, "default"), &param.default_value, NULL);
    if (json_object_get(json, "when"))
        read_conditions(all, json_object_get(json, "when"), &param);
    space_add(space, &param);
}

static struct space *build(const char *text)
{
    json_t *all = load(text);
    struct space *space = space_create();
    const char *name;
    const json_t *json;
    json_object_foreach(all, name, json) add_param(space, all, name, json);
    json_decref(all);
    return space;
}

int spaces_try(const char *text, struct space **space, uint32_t *culprit, struct err *err)
{
    *space = build(text);
    return space_finish(*space, culprit, err);
}

struct space *spaces_make_with(const char *text, const char *constraint)
{
    struct space *space = build(text);
    struct err err = {{0}};
    size_t column;
    uint32_t culprit;
    require(!constraint || space_constrain(space, constraint, &column, &err) == 0, err.text, text);
    require(space_finish(space, &culprit, &err) == 0, err.text, text);
    require(space_dimension(space) <= SPACES_MOST, "too many parameters", text);
    return space;
}

struct space *spaces_make(const char *text)
{
    return spaces_make_with(text, NULL);
}

/* --- random ones --- */

static void add_random_real(struct buf *out, struct rng *rng)
{
    double min = rng_normal(rng) * pow(10, (double)rng_below(rng, 12) - 6);
    double range = rng_unit(rng) * pow(10, (double)rng_below(rng, 12) - 6);
    bool log = rng_below(rng, 2);
    min = log ? fabs(min) + 1e-9 : min;
    buf_format(out, "'type': 'float', 'min': %.17g, 'max': %.17g, 'log': %s", min, min + range, log ? "true" : "false");
    if (rng_below(rng, 3) == 0)
        buf_format(out, ", 'step': %.3g", range / (1 + 20 * rng_unit(rng)) + 1e-12);
}

static void add_random_int(struct buf *out, struct rng *rng, unsigned most)
{
    bool log = rng_below(rng, 2);
    long long min = log ? 1 + (long long)rng_below(rng, 100) : (long long)rng_below(rng, 2000) - 1000;
    buf_format(out, "'min': %lld, 'max': %lld, 'log': %s, 'step': %d", min, min + (long long)rng_below(rng, most),
               log ? "true" : "false", (int)rng_below(rng, 4));
}

static void add_random_choice(struct buf *out, struct rng *rng)
{
    static const char *const values[] = {"'a'", "'b'", "1", "2.5", "true", "null", "'it is'"};
    unsigned count = 1 + (unsigned)rng_below(rng, 7);
    buf_text(out, "'values': [");
    for (unsigned i = 0; i < count; i++)
        buf_format(out, i ? ", %s" : "%s", values[i]);
    buf_text(out, "]");
    if (rng_below(rng, 3) == 0) {
        buf_text(out, ", 'weights': [");
        for (unsigned i = 0; i < count; i++)
            buf_format(out, i ? ", %g" : "%g", 0.1 + rng_unit(rng));
        buf_text(out, "]");
    }
}

static void add_random_normal(struct buf *out, struct rng *rng)
{
    double mean = 3 * rng_normal(rng), stddev = pow(10, (double)rng_below(rng, 4) - 2.5);
    bool log = rng_below(rng, 2);
    buf_format(out, "'mean': %.6g, 'stddev': %.6g, 'log': %s", mean, stddev, log ? "true" : "false");
    if (rng_below(rng, 2)) {
        double min = mean - 2 * stddev * rng_unit(rng), max = mean + 2 * stddev * rng_unit(rng);
        buf_format(out, ", 'min': %.17g, 'max': %.17g", log ? exp(min) : min, log ? exp(max) : max);
    }
}

/* On parameters of a kind that conditions are written for: p0, p2, p4, ... are choices of 'a' and more. */
static void add_random_condition(struct buf *out, struct rng *rng, unsigned at)
{
    if (at < 2 || rng_below(rng, 2))
        return;
    unsigned parent = 2 * (unsigned)rng_below(rng, (at + 1) / 2);
    buf_format(out, ", 'when': {'p%u': ['a'%s]", parent, rng_below(rng, 2) ? ", 'b'" : "");
    if (parent >= 2 && rng_below(rng, 3) == 0)
        buf_text(out, ", 'p0': 'a'");
    buf_text(out, "}");
}

static struct space *random_space(struct rng *rng, bool finite)
{
    struct buf text = {0};
    unsigned count = 1 + (unsigned)rng_below(rng, finite ? 5 : 9);
    for (unsigned i = 0; i < count; i++) {
        buf_format(&text, "%s'p%u': {", i ? ", " : "{", i);
        unsigned kind = i % 2 == 0 ? 0 : finite ? 1 : 1 + (unsigned)rng_below(rng, 3);
        if (kind == 0)
            add_random_choice(&text, rng);
        else if (kind == 1)
            add_random_int(&text, rng, finite ? 6 : 100000);
        else if (kind == 2)
            add_random_real(&text, rng);
        else
            add_random_normal(&text, rng);
        add_random_condition(&text, rng, i);
        buf_text(&text, "}");
    }
    buf_text(&text, "}");
    struct space *space = spaces_make(buf_str(&text));
    buf_fini(&text);
    return space;
}

struct space *spaces_random(struct rng *rng)
{
    return random_space(rng, false);
}

struct space *spaces_random_finite(struct rng *rng)
{
    return random_space(rng, true);
}

/* --- points --- */

void spaces_point(const struct space *space, struct rng *rng, double *unit)
{
    for (uint32_t c = 0; c < space_dimension(space); c++)
        unit[c] = rng_unit(rng);
    space_snap(space, unit);
}

const char *spaces_show(const struct space *space, const double *unit)
{
    static char shown[4096];
    struct buf out = {0};
    space_json(space, unit, &out);
    snprintf(shown, sizeof shown, "%s", buf_str(&out));
    buf_fini(&out);
    for (char *c = shown; *c; c++)
        *c = *c == '"' ? '\'' : *c;
    return shown;
}

void spaces_read(const struct space *space, const char *config, double *unit)
{
    json_t *json = load(config);
    char *text = json_dumps(json, 0);
    struct err err = {{0}};
    require(space_point_of_json(space, text, unit, &err) == 0, err.text, config);
    free(text);
    json_decref(json);
}
