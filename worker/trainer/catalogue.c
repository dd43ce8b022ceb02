/* Kernels for people and programs; see catalogue.h. */
#include "worker/trainer/catalogue.h"

#include "common/json.h"
#include "common/test_functions.h"
#include "worker/backend/backend.h"
#include "worker/kernels/kernel.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* --- text --- */

/* "number from 0 to 1, default 0.5" */
static void describe_option(const struct kernel_option *row, struct buf *out)
{
    buf_text(out, row->type);
    if (row->min < row->max)
        buf_format(out, " from %g to %g", row->min, row->max);
    if (!row->default_value)
        buf_text(out, ", must be given");
    else if (*row->default_value)
        buf_format(out, ", default %s", row->default_value);
}

static void list_rows(const char *title, const struct kernel_option *rows, struct buf *out)
{
    buf_format(out, "  %s:\n", title);
    for (; rows->name; rows++) {
        buf_format(out, "    %-16s %s\n%21s", rows->name, rows->help, "");
        describe_option(rows, out);
        buf_text(out, "\n");
    }
}

void catalogue_text(struct buf *out)
{
    for (size_t i = 0; kernel_list[i]; i++) {
        const struct kernel *kernel = kernel_list[i];
        buf_format(out, "%s%s: %s\n", i ? "\n" : "", kernel->name, kernel->summary);
        buf_format(out, "  metrics: %s\n", strcmp(kernel->metrics, "*") == 0 ? "as the data says" : kernel->metrics);
        buf_format(out, "  memory: %s\n", kernel->memory);
        if (kernel->save)
            buf_text(out, "  can be continued from checkpoints\n");
        list_rows("options (trial.options)", kernel->options, out);
        list_rows(kernel->fixed ? "parameters (in trial.options they are fixed for all trials)" : "parameters",
                  kernel->params, out);
    }
}

/* --- JSON --- */

static json_t *row_json(const struct kernel_option *row)
{
    json_t *made = json_pack("{s:s, s:s, s:s?, s:s}", "name", row->name, "type", row->type, "default",
                             row->default_value, "help", row->help);
    if (row->min < row->max) {
        json_object_set_new(made, "min", json_real(row->min));
        json_object_set_new(made, "max", json_real(row->max));
    }
    return made;
}

static void add_rows(json_t *list, const struct kernel_option *rows)
{
    for (; rows->name; rows++)
        json_array_append_new(list, row_json(rows));
}

static json_t *example_json(const struct kernel_example *example)
{
    return json_pack("{s:s?, s:s?, s:s?, s:s?}", "options", example->options, "metric", example->metric, "parameters",
                     example->parameters, "data", example->data);
}

static json_t *kernel_json(const struct kernel *kernel)
{
    json_t *options = json_array(), *params = json_array();
    add_rows(options, kernel->options);
    add_rows(params, kernel->params);
    if (kernel->fixed)
        add_rows(options, kernel->params);
    json_t *json =
        json_pack("{s:s, s:s, s:s, s:b, s:o, s:o}", "name", kernel->name, "summary", kernel->summary, "metrics",
                  kernel->metrics, "checkpoint", kernel->save != NULL, "options", options, "params", params);
    json_object_set_new(json, "ranks", json_boolean(kernel->ranks));
    json_object_set_new(json, "fusion", json_boolean(kernel->fusion));
    json_object_set_new(json, "memory", json_string(kernel->memory));
    json_object_set_new(json, "example", example_json(&kernel->example));
    return json;
}

void catalogue_json(struct buf *out)
{
    json_t *list = json_array();
    for (size_t i = 0; kernel_list[i]; i++)
        json_array_append_new(list, kernel_json(kernel_list[i]));
    char *text = json_dumps(list, JSON_INDENT(1) | JSON_REAL_PRECISION(15));
    buf_text(out, text);
    buf_text(out, "\n");
    free(text);
    json_decref(list);
}

/* --- functions --- */

/* "-5..10", or "x1 -5..10, x2 0..15"; several coordinates of the same range as "x4-x6 0..1". */
static void describe_domain(const struct function *function, size_t d, struct buf *out)
{
    for (size_t i = 0, next; i < d; i = next) {
        struct function_range range = function_domain(function, i), other;
        for (next = i + 1; next < d; next++) {
            other = function_domain(function, next);
            if (other.low != range.low || other.high != range.high || other.whole != range.whole)
                break;
        }
        buf_text(out, i ? ", " : "");
        if (function->ranges)
            buf_format(out, next > i + 1 ? "x%zu-x%zu " : "x%zu ", i + 1, next);
        buf_format(out, "%g..%g%s", range.low, range.high, range.whole ? " whole" : "");
    }
}

static void describe_function(const struct function *function, struct buf *out)
{
    enum { MOST = 1000 };
    double x[MOST];
    bool fixed = function->least == function->most;
    size_t d = function->least;
    double minimum = function_minimum(function, d, x);
    buf_format(out, "%-16s %zu%s, ", function->name, d, fixed ? "" : " or more");
    describe_domain(function, d, out);
    buf_format(out, "; least %.10g at (", minimum);
    for (size_t i = 0; i < d; i++)
        buf_format(out, i ? ", %.7g" : "%.7g", x[i]);
    buf_format(out, ")%s; %s\n", fixed ? "" : d == 1 ? " for one" : " for two", function->source);
}

void catalogue_functions(struct buf *out)
{
    buf_text(out, "name             coordinates, their usual domain; the minimum and where; source\n");
    for (const struct function *function = function_list; function->name; function++)
        describe_function(function, out);
}

/* --- backends --- */

void catalogue_backends(struct buf *out)
{
    json_t *list = json_array();
    for (size_t i = 0; backend_list[i]; i++) {
        struct err err = {""};
        struct backend *backend = backend_create(backend_list[i], &err);
        json_array_append_new(list, json_pack("{s:s, s:s, s:b, s:o}", "name", backend_list[i]->name, "summary",
                                              backend_list[i]->summary, "works", backend != NULL, "why",
                                              json_of_text(err.text)));
        backend_destroy(backend);
    }
    char *text = json_dumps(list, JSON_COMPACT);
    buf_format(out, "%s\n", text);
    free(text);
    json_decref(list);
}
