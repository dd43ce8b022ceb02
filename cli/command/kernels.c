/* gannet kernels: the built-in training kernels, or one of them with its options and parameters. */
#include "cli/data/catalog.h"
#include "cli/commands.h"
#include "cli/format.h"
#include "cli/json.h"
#include "cli/view/table.h"
#include "common/mem.h"

#include <stdlib.h>
#include <string.h>

/* What a kernel reports; "*": the file says. */
static const char *metrics_of(const json_t *kernel)
{
    const char *metrics = json_text(kernel, "metrics");
    return strcmp(metrics, "*") == 0 ? "any" : metrics;
}

static void list(const struct look *look, const json_t *catalog, struct buf *out)
{
    struct text_table *table = table_create();
    size_t index;
    const json_t *kernel;
    table_column(table, "kernel", false);
    table_column(table, "what it does", false);
    table_column(table, "metrics", false);
    json_array_foreach(catalog, index, kernel)
    {
        table_cell(table, TINT_STRONG, json_text(kernel, "name"));
        table_cell(table, TINT_NONE, json_text(kernel, "summary"));
        table_cell(table, TINT_NONE, metrics_of(kernel));
    }
    table_draw(table, look, out);
    table_destroy(table);
    buf_text(out, "\n`gannet kernels NAME` lists a kernel's options and parameters.\n");
}

/* A type and its meaning as cells. Many words would make the type's column wider than a screen: they go behind the
 * meaning. */
static void add_type(struct text_table *table, const json_t *row, const char *default_value)
{
    enum { WIDEST = 30 };
    const char *type = json_text(row, "type");
    bool wide = strlen(type) > WIDEST && strchr(type, '|');
    struct buf meaning = {0};
    buf_text(&meaning, json_text(row, "help"));
    if (wide)
        buf_format(&meaning, ": %s", type);
    table_cell(table, TINT_NONE, wide ? "word" : type);
    table_cell(table, TINT_NONE, default_value);
    table_cell(table, TINT_NONE, buf_str(&meaning));
    buf_fini(&meaning);
}

/* Adds the rows of one of a kernel's tables, but those that `other` has too. */
static void add_rows(const char *title, const json_t *rows, const json_t *other, const struct look *look,
                     struct buf *out)
{
    struct text_table *table = table_create();
    size_t index;
    const json_t *row;
    table_column(table, title, false);
    table_column(table, "type", false);
    table_column(table, "default", false);
    table_column(table, "meaning", false);
    json_array_foreach(rows, index, row)
    {
        const json_t *default_value = json_object_get(row, "default");
        if (catalog_find(other, json_text(row, "name")))
            continue;
        struct buf text = {0};
        format_scalar(default_value, &text);
        table_cell(table, TINT_STRONG, json_text(row, "name"));
        add_type(table, row, json_is_null(default_value) ? "must be given" : buf_str(&text));
        buf_fini(&text);
    }
    buf_text(out, "\n");
    table_draw(table, look, out);
    table_destroy(table);
}

static void explain(const struct look *look, const json_t *kernel, struct buf *out)
{
    look_add(look, TINT_STRONG, json_text(kernel, "name"), out);
    buf_format(out, ": %s\nIt reports %s.\n", json_text(kernel, "summary"), metrics_of(kernel));
    const json_t *options = json_object_get(kernel, "options"), *params = json_object_get(kernel, "params");
    add_rows("trial.options", options, params, look, out);
    add_rows("parameters", params, NULL, look, out);
    if (json_array_size(params) && catalog_find(options, json_text(json_array_get(params, 0), "name")))
        buf_text(out, "\nA parameter that is not searched can be fixed in trial.options.\n");
}

static int unknown(struct console *console, const json_t *catalog, const char *name)
{
    size_t count = json_array_size(catalog), index;
    const char **names = MEM_ARRAY(const char *, count + 1);
    const json_t *kernel;
    struct err err;
    json_array_foreach(catalog, index, kernel) names[index] = json_text(kernel, "name");
    format_unknown("there is no kernel", name, names, count, "kernels", &err);
    free(names);
    return console_fail(console, STATUS_NOT_FOUND, &err);
}

static int show(struct console *console, const struct args *args, json_t *catalog)
{
    const char *name = args_rest(args, 0);
    const json_t *kernel = name ? catalog_find(catalog, name) : NULL;
    if (name && !kernel)
        return unknown(console, catalog, name);
    if (args_has(args, "json")) {
        console_json(console, json_incref(kernel ? (json_t *)kernel : catalog));
        return STATUS_OK;
    }
    struct buf text = {0};
    if (kernel)
        explain(&console->out_look, kernel, &text);
    else
        list(&console->out_look, catalog, &text);
    console_print(console, &text);
    return STATUS_OK;
}

static int run(struct console *console, const struct args *args)
{
    struct err err;
    json_t *catalog = catalog_read(&err);
    int status = catalog ? show(console, args, catalog) : console_fail(console, STATUS_FAILED, &err);
    json_decref(catalog);
    return status;
}

static const struct argument arguments[] = {{"KERNEL", "the one to explain", false}, {0}};
static const struct option options[] = {OPTION_JSON("an array of objects; with KERNEL one of them"), {0}};

const struct command cmd_kernels = {.name = "kernels",
                                    .group = GROUP_ASK,
                                    .summary = "Lists the built-in training kernels, or explains one",
                                    .arguments = arguments,
                                    .options = options,
                                    .examples = "gannet kernels mlp",
                                    .run = run};
