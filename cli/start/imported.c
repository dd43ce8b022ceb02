/* What importers share; see imported.h. */
#include "cli/start/imported.h"
#include "common/json.h"
#include "common/path.h"
#include "common/value.h"
#include "scheduler/spec/load.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void imported_fini(struct imported *imported)
{
    sketch_fini(&imported->sketch);
    json_decref(imported->trials);
    *imported = (struct imported){0};
}

/* --- parameters --- */

static const double largest_whole = 9007199254740992; /* 2^53: whole numbers up to there are exact */

static json_t *number_json(double number, bool integer)
{
    return integer ? json_integer((json_int_t)number) : json_real(number);
}

static const char *check_range(const struct import_range *range)
{
    if (!isfinite(range->min) || !isfinite(range->max) || !isfinite(range->step))
        return "its ends are no numbers";
    if (range->min > range->max)
        return "its least value is above its greatest";
    if (range->log && range->min <= 0)
        return "it has a logarithm, and its least value is not above 0";
    if (range->integer &&
        (fabs(range->min) > largest_whole || fabs(range->max) > largest_whole || range->min != floor(range->min) ||
         range->max != floor(range->max) || range->step != floor(range->step)))
        return "it is of whole numbers, and its ends or its step are not, or too large";
    return NULL;
}

json_t *import_range_keys(const struct import_range *range, const char **why)
{
    *why = check_range(range);
    if (*why)
        return NULL;
    if (range->min == range->max)
        return json_pack("{s:o}", "value", number_json(range->min, range->integer));
    json_t *keys = json_object();
    if (range->integer && range->max - range->min == 1) /* 0 and 1 alone are worth a word */
        json_object_set_new(keys, "type", json_string("int"));
    json_object_set_new(keys, "min", number_json(range->min, range->integer));
    json_object_set_new(keys, "max", number_json(range->max, range->integer));
    if (range->log)
        json_object_set_new(keys, "log", json_true());
    else if (range->step > (range->integer ? 1 : 0) && range->step <= range->max - range->min)
        json_object_set_new(keys, "step", number_json(range->step, range->integer));
    return keys;
}

bool import_is_value(const json_t *json)
{
    struct value value;
    struct err err;
    if (value_from_json(json, &value, &err))
        return false;
    value_fini(&value);
    return true;
}

static bool is_in(const json_t *list, const json_t *value)
{
    size_t index;
    const json_t *other;
    json_array_foreach(list, index, other)
    {
        bool numbers = json_is_number(other) && json_is_number(value);
        if (json_equal((json_t *)other, (json_t *)value) ||
            (numbers && json_number_value(other) == json_number_value(value)))
            return true;
    }
    return false;
}

json_t *import_choice_keys(const json_t *values, const json_t *weights, const char **why)
{
    enum { MOST = 10000 };
    size_t index, count = json_array_size(values);
    const json_t *value;
    json_t *kept = json_array();
    *why = count ? "it has more than ten thousand values" : "it has no values";
    json_array_foreach(values, index, value)
    {
        if (count > MOST || !import_is_value(value)) {
            *why = count > MOST ? *why : "its values are maps, or lists with maps in them";
            json_decref(kept);
            return NULL;
        }
        if (!is_in(kept, value))
            json_array_append(kept, (json_t *)value);
    }
    if (json_array_size(kept) < 2) {
        json_t *keys = count ? json_pack("{s:O}", "value", json_array_get(kept, 0)) : NULL;
        json_decref(kept);
        return keys;
    }
    json_t *keys = json_pack("{s:o}", "values", kept);
    if (json_array_size(weights) == json_array_size(kept))
        json_object_set(keys, "weights", (json_t *)weights);
    return keys;
}

json_t *import_normal_keys(double mean, double stddev, bool log, const char **why)
{
    *why = "a normal distribution needs a mean and a standard deviation above 0";
    if (!isfinite(mean) || !isfinite(stddev) || stddev <= 0)
        return NULL;
    json_t *keys = json_pack("{s:f, s:f}", "mean", mean, "stddev", stddev);
    if (log)
        json_object_set_new(keys, "log", json_true());
    return keys;
}

void import_add(struct imported *out, const char *name, json_t *keys, const char *why)
{
    if (keys)
        sketch_add(&out->sketch, name, keys, NULL);
    else
        sketch_leave(&out->sketch, "%s: %s", name, why);
}

/* --- the rest --- */

json_t *import_document(const char *path, struct err *err)
{
    struct buf text = {0};
    struct problems problems = {0};
    struct tree tree = {0};
    const struct node *culprit = NULL;
    json_t *document = NULL;
    if (path_read(path, &text, LOAD_BYTES, err) == 0) {
        if (!load_tree(buf_str(&text), text.length, (struct load_source){0}, &tree, &problems) || problems.errors)
            err_write(err, "%s:%u: %s", path, problems.count ? problems.items[0].line : 0,
                      problems.count ? problems.items[0].message : "it can't be read");
        else if (tree.root)
            document = node_json(tree.root, &culprit, err);
        else
            err_write(err, "it is empty");
        if (!document && (culprit || !tree.root) && !problems.errors)
            err_write_prefix(err, "%s", path);
    }
    if (document && !json_is_object(document)) {
        json_decref(document);
        document = NULL;
        err_write(err, "%s holds no keys and values", path);
    }
    tree_fini(&tree);
    problems_fini(&problems);
    buf_fini(&text);
    return document;
}

void import_no_command(struct imported *out)
{
    json_object_set_new(out->sketch.trial, "command", json_pack("[s, s, s]", "python3", "TRAIN.py", "${args}"));
    sketch_say(&out->sketch, SKETCH_TRIAL,
               "LOOK HERE: your program in place of TRAIN.py. It gets --NAME=VALUE for each parameter.");
}

void import_metric(struct imported *out, const char *name, bool maximize)
{
    bool named = name && *name;
    json_t *text = json_of_text(named ? name : "value");
    json_array_append_new(out->sketch.metric,
                          json_pack("{s:o, s:s}", "name", text, "goal", maximize ? "maximize" : "minimize"));
    if (!named)
        sketch_say(&out->sketch, SKETCH_METRIC,
                   "LOOK HERE: the file has no name for what is measured; 'value' is one.");
    sketch_say(&out->sketch, SKETCH_METRIC, "The program prints a line %s=0.123 once a trial or more often.",
               named ? name : "value");
}

bool import_numbers(const json_t *array, double *out, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!json_is_number(json_array_get(array, i)))
            return false;
        else
            out[i] = json_number_value(json_array_get(array, i));
    return true;
}
