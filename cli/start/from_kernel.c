/* A kernel's experiment file; see from_kernel.h. */
#include "cli/start/from_kernel.h"
#include "cli/json.h"
#include "cli/start/ranges.h"
#include "cli/start/param_args.h"
#include "common/mem.h"
#include "common/row_type.h"

#include <stdlib.h>
#include <string.h>

static const char *example_text(const json_t *kernel, const char *key)
{
    return json_text(json_object_get(kernel, "example"), key);
}

json_t *from_kernel_options(const json_t *kernel, struct err *err)
{
    json_t *options = json_array();
    const char *words = example_text(kernel, "parameters");
    if (*words && param_args_take_line(words, options, err) == 0)
        return options;
    if (!*words)
        err_write(err, "the kernel %s has no example; `gannet kernels %s` lists its options", json_text(kernel, "name"),
                  json_text(kernel, "name"));
    json_decref(options);
    return NULL;
}

struct metric_guess from_kernel_metric(const json_t *kernel)
{
    struct metric_guess metric = {0};
    struct err err;
    param_args_metric(example_text(kernel, "metric"), &metric, &err);
    return metric;
}

/* "data=generate:shapes scaling=unit" as the keys of trial.options. */
static json_t *options_json(const char *words)
{
    json_t *options = json_object();
    char *copy = mem_text(words), *rest = copy, *word;
    while ((word = strsep(&rest, " "))) {
        char *value = strchr(word, '=');
        if (!value)
            continue;
        *value++ = '\0';
        json_object_set_new(options, word, param_args_value(value));
    }
    free(copy);
    return options;
}

/* The row of a parameter. */
static const json_t *find_row(const json_t *rows, const char *name)
{
    size_t index;
    const json_t *row;
    json_array_foreach(rows, index, row) if (row_type_covers(json_text(row, "name"), name)) return row;
    return NULL;
}

/* The kernel's default of a parameter, so that the first trial can take it. */
static void add_default(json_t *keys, const json_t *row)
{
    const char *text = json_text(row, "default");
    json_t *option = json_object();
    if (*text)
        json_object_set_new(option, "default", param_args_value(text));
    ranges_add_default(keys, option);
    json_decref(option);
}

static void take_option(const json_t *kernel, const json_t *option, struct sketch *sketch)
{
    const char *name = json_text(option, "name");
    const json_t *row = find_row(json_object_get(kernel, "params"), name);
    json_t *keys = json_object_get(option, "keys");
    if (!keys) /* left out as the person said */
        return;
    add_default(keys, row);
    sketch_add(sketch, name, json_incref(keys), json_text(row, "help"));
}

static void say_data(const json_t *kernel, struct sketch *sketch)
{
    sketch_say(sketch, SKETCH_TRIAL, "%s", example_text(kernel, "data"));
    sketch_say(sketch, SKETCH_TRIAL, "`gannet kernels %s` lists all options and parameters.",
               json_text(kernel, "name"));
}

int from_kernel(const json_t *kernel, const json_t *options, const struct metric_guess *metric, struct sketch *sketch,
                struct err *err)
{
    size_t index;
    const json_t *option;
    json_object_set_new(sketch->trial, "kernel", json_string(json_text(kernel, "name")));
    json_object_set_new(sketch->trial, "options", options_json(example_text(kernel, "options")));
    say_data(kernel, sketch);
    json_array_append_new(sketch->metric, json_pack("{s:s, s:s}", "name", metric->name, "goal",
                                                    metric->maximize ? "maximize" : "minimize"));
    json_array_foreach(options, index, option) take_option(kernel, option, sketch);
    if (!json_array_size(sketch->parameters))
        return err_set(err, "nothing is left to search; --param lr=1e-4..1e-1:log adds a parameter");
    json_object_set_new(sketch->more, "limits", json_pack("{s:i}", "max_trials", 50));
    return 0;
}
