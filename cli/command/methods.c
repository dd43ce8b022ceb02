/* gannet kernels, gannet strategies, gannet stoppers: what gannet can choose from as lists, or one of them with its
 * options. Each list is an array of objects as programs read it: name, summary, options (name, type, default, help). */
#include "cli/command.h"
#include "cli/data/sibling.h"
#include "cli/format.h"
#include "cli/json.h"
#include "cli/start/from_kernel.h"
#include "cli/view/table.h"
#include "common/mem.h"
#include "search/plugin.h"
#include "search/registry.h"
#include "search/stop/stopper.h"

#include <stdlib.h>
#include <string.h>

/* --- options --- */

/* Adds what an option may be set to: "number 0 .. 1", "sequential, shuffled". */
static void add_type(const struct gannet_option *option, struct buf *out)
{
    char min[32], max[32];
    size_t count = 0;
    switch (option->type) {
    case GANNET_NUMBER:
    case GANNET_INTEGER:
        buf_format(out, "%s %s .. %s", option->type == GANNET_INTEGER ? "integer" : "number",
                   format_number(option->min, min, sizeof min), format_number(option->max, max, sizeof max));
        break;
    case GANNET_SWITCH:
        buf_text(out, "true, false");
        break;
    case GANNET_WORD:
        for (const char *const *word = option->words; *word; word++)
            buf_format(out, "%s%s", count++ ? ", " : "", *word);
        break;
    }
}

static json_t *option_json(const struct gannet_option *option)
{
    struct buf type = {0};
    add_type(option, &type);
    json_t *json = json_pack("{s:s, s:s, s:s, s:s}", "name", option->name, "type", buf_str(&type), "default",
                             option->default_value, "help", option->help);
    buf_fini(&type);
    return json;
}

/* The options of a strategy or a stopper; of NULL an empty list. */
static json_t *options_json(const struct gannet_option *options)
{
    json_t *list = json_array();
    for (const struct gannet_option *row = options; row && row->name; row++)
        json_array_append_new(list, option_json(row));
    return list;
}

/* A type and its meaning as cells. Many words would make the type's column wider than a screen: they go behind the
 * meaning. */
static void add_meaning(struct text_table *table, const json_t *row, const char *default_value)
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

/* Adds the table of a method's options; `titles` stand above the names and what each may be set to. */
static void draw_options(const char *titles, const json_t *options, const struct look *look, struct buf *out)
{
    struct text_table *table = table_create();
    size_t index;
    const json_t *row;
    table_columns(table, titles);
    table_columns(table, "default|meaning");
    json_array_foreach(options, index, row)
    {
        const json_t *default_value = json_object_get(row, "default");
        struct buf text = {0};
        format_scalar(default_value, &text);
        table_cell(table, TINT_STRONG, json_text(row, "name"));
        add_meaning(table, row, json_is_null(default_value) ? "must be given" : buf_str(&text));
        buf_fini(&text);
    }
    table_finish(table, look, out);
}

/* --- lists --- */

/* One of these lists, in words. */
struct method_kind {
    const char *title;   /* above the names: "strategy" */
    const char *unknown; /* "there is no strategy" */
    const char *plural;  /* "strategies" */
    const char *hint;    /* the sentence below the list */
    bool metrics;        /* the list also has what each reports */
    void (*explain)(const json_t *method, const struct look *look, struct buf *out); /* adds one with its options */
};

/* What a method reports; "any": the experiment file says. */
static const char *metrics_of(const json_t *method)
{
    const char *metrics = json_text(method, "metrics");
    return strcmp(metrics, "*") == 0 ? "any" : metrics;
}

static void draw_list(const struct method_kind *kind, const json_t *list, const struct look *look, struct buf *out)
{
    struct text_table *table = table_create();
    size_t index;
    const json_t *method;
    table_columns(table, kind->title);
    table_columns(table, kind->metrics ? "what it does|metrics" : "what it does");
    json_array_foreach(list, index, method)
    {
        table_cell(table, TINT_STRONG, json_text(method, "name"));
        table_cell(table, TINT_NONE, json_text(method, "summary"));
        if (kind->metrics)
            table_cell(table, TINT_NONE, metrics_of(method));
    }
    table_finish(table, look, out);
    buf_format(out, "\n%s\n", kind->hint);
}

static int unknown_method(struct console *console, const struct method_kind *kind, const json_t *list, const char *name)
{
    const char **names = MEM_ARRAY(const char *, json_array_size(list) + 1);
    size_t index;
    const json_t *method;
    struct err err;
    json_array_foreach(list, index, method) names[index] = json_text(method, "name");
    format_unknown(kind->unknown, name, names, json_array_size(list), kind->plural, &err);
    free(names);
    return console_fail(console, STATUS_NOT_FOUND, &err);
}

/* Shows the list, or the one of the name (NULL: the list), and drops the list. */
static int show_methods(struct console *console, const struct args *args, const struct method_kind *kind, json_t *list,
                        const char *name)
{
    json_t *method = name ? json_named(list, name) : NULL;
    struct buf text = {0};
    int status = STATUS_OK;
    if (name && !method)
        status = unknown_method(console, kind, list, name);
    else if (args_has(args, "json"))
        console_json(console, json_incref(method ? method : list));
    else if (method)
        kind->explain(method, &console->out_look, &text);
    else
        draw_list(kind, list, &console->out_look, &text);
    console_print(console, &text);
    json_decref(list);
    return status;
}

/* "gp: a Gaussian process ..." */
static void add_summary(const json_t *method, const struct look *look, struct buf *out)
{
    look_add(look, TINT_STRONG, json_text(method, "name"), out);
    buf_format(out, ": %s\n", json_text(method, "summary"));
}

/* --- kernels --- */

/* The experiment file that `gannet init --kernel NAME` writes. */
static void add_example(const json_t *kernel, struct buf *out)
{
    struct sketch sketch;
    struct err err;
    const char *name = json_text(kernel, "name");
    struct metric_guess metric = from_kernel_metric(kernel);
    json_t *options = from_kernel_options(kernel, &err);
    char *made_by = mem_format("gannet init --kernel %s", name);
    sketch_init(&sketch, name, made_by);
    if (options && from_kernel(kernel, options, &metric, &sketch, &err) == 0) {
        buf_format(out, "\nTo begin with; `%s` writes it:\n\n", made_by);
        sketch_write(&sketch, out);
    }
    sketch_fini(&sketch);
    json_decref(options);
    free(made_by);
}

static void explain_kernel(const json_t *kernel, const struct look *look, struct buf *out)
{
    const json_t *options = json_object_get(kernel, "options"), *params = json_object_get(kernel, "params"), *row;
    json_t *fixed = json_array(); /* options that can't be searched */
    size_t index;
    json_array_foreach(options, index, row)
    {
        if (!json_named(params, json_text(row, "name")))
            json_array_append(fixed, (json_t *)row);
    }
    add_summary(kernel, look, out);
    buf_format(out, "It reports %s.\n\n", metrics_of(kernel));
    draw_options("trial.options|type", fixed, look, out);
    buf_text(out, "\n");
    draw_options("parameters|type", params, look, out);
    if (json_array_size(params) && json_named(options, json_text(json_array_get(params, 0), "name")))
        buf_text(out, "\nA parameter that is not searched can be fixed in trial.options.\n");
    buf_format(out, "\nMemory: %s.\n", json_text(kernel, "memory"));
    add_example(kernel, out);
    json_decref(fixed);
}

static int run_kernels(struct console *console, const struct args *args)
{
    static const struct method_kind kind = {.title = "kernel",
                                            .unknown = "there is no kernel",
                                            .plural = "kernels",
                                            .hint = "`gannet kernels NAME` lists a kernel's options and parameters.",
                                            .metrics = true,
                                            .explain = explain_kernel};
    struct err err;
    json_t *list = catalog_read(&err);
    return list ? show_methods(console, args, &kind, list, args_rest(args, 0))
                : console_fail(console, STATUS_FAILED, &err);
}

static const struct argument kernel[] = {{"KERNEL", "the one to explain", false}, {0}};
static const struct option kernel_options[] = {OPTION_JSON("an array of objects; with KERNEL one of them"), {0}};

const struct command cmd_kernels = {.name = "kernels",
                                    .group = GROUP_ASK,
                                    .summary = "Lists the built-in training kernels, or explains one",
                                    .arguments = kernel,
                                    .options = kernel_options,
                                    .examples = "gannet kernels mlp",
                                    .run = run_kernels};

/* --- strategies --- */

static json_t *strategy_json(const struct gannet_strategy *strategy)
{
    return json_pack("{s:s, s:s, s:b, s:i, s:o}", "name", strategy->name, "summary", strategy->summary, "uses_history",
                     strategy->uses_history, "abi", (int)strategy->abi, "options", options_json(strategy->options));
}

static void explain_strategy(const json_t *strategy, const struct look *look, struct buf *out)
{
    const json_t *options = json_object_get(strategy, "options");
    add_summary(strategy, look, out);
    buf_text(out, "\n");
    if (json_array_size(options))
        draw_options("strategy.options|values", options, look, out);
    else
        buf_text(out, "It has no options.\n");
}

static int run_strategies(struct console *console, const struct args *args)
{
    static const struct method_kind kind = {
        .title = "strategy",
        .unknown = "there is no strategy",
        .plural = "strategies",
        .hint = "`gannet strategies NAME` lists a strategy's options. A strategy of your own: plugins/README.md.",
        .explain = explain_strategy};
    const char *name = args_rest(args, 0);
    struct err err;
    struct plugin *plugin = name && strchr(name, '/') ? plugin_open(name, &err) : NULL;
    if (name && strchr(name, '/') && !plugin)
        return console_fail(console, STATUS_FAILED, &err);
    json_t *list = json_array();
    if (plugin)
        json_array_append_new(list, strategy_json(plugin_strategy(plugin)));
    for (const struct gannet_strategy *const *at = registry_builtin; *at && !plugin; at++)
        json_array_append_new(list, strategy_json(*at));
    int status = show_methods(console, args, &kind, list, plugin ? plugin_strategy(plugin)->name : name);
    plugin_close(plugin);
    return status;
}

static void add_strategies(struct buf *out)
{
    for (const struct gannet_strategy *const *at = registry_builtin; *at; at++)
        buf_format(out, " %s", (*at)->name);
}

static const struct argument strategy[] = {
    {"STRATEGY", "the one to explain; with a slash in it the file of a plug-in", false}, {0}};
static const struct option strategy_options[] = {OPTION_JSON("an array of objects; with STRATEGY one of them"), {0}};

const struct command cmd_strategies = {.name = "strategies",
                                       .group = GROUP_ASK,
                                       .summary = "Lists the search strategies, or explains one",
                                       .arguments = strategy,
                                       .words = add_strategies,
                                       .options = strategy_options,
                                       .examples = "gannet strategies grid\ngannet strategies ./mine.so",
                                       .run = run_strategies};

/* --- early stopping --- */

static json_t *stopper_json(const struct stopper_info *info)
{
    return json_pack("{s:s, s:s, s:b, s:o}", "name", info->name, "summary", info->summary, "pauses", info->pauses,
                     "options", options_json(info->options));
}

static void explain_stopper(const json_t *stopper, const struct look *look, struct buf *out)
{
    add_summary(stopper, look, out);
    if (json_is_true(json_object_get(stopper, "pauses")))
        buf_text(out, "Trials that can be continued from checkpoints pause; others stop.\n");
    buf_text(out, "\n");
    draw_options("early_stop|values", json_object_get(stopper, "options"), look, out);
}

static int run_stoppers(struct console *console, const struct args *args)
{
    static const struct method_kind kind = {
        .title = "early_stop",
        .unknown = "there is no early stopping",
        .plural = "stoppers",
        .hint = "`gannet stoppers NAME` lists the options; write early_stop: {name: NAME, OPTION: VALUE}.",
        .explain = explain_stopper};
    json_t *list = json_array();
    for (size_t i = 0; stopper_info(i); i++)
        json_array_append_new(list, stopper_json(stopper_info(i)));
    return show_methods(console, args, &kind, list, args_rest(args, 0));
}

static void add_stoppers(struct buf *out)
{
    for (size_t i = 0; stopper_info(i); i++)
        buf_format(out, " %s", stopper_info(i)->name);
}

static const struct argument stopper[] = {{"STOPPER", "the one to explain", false}, {0}};
static const struct option stopper_options[] = {OPTION_JSON("an array of objects; with STOPPER one of them"), {0}};

const struct command cmd_stoppers = {.name = "stoppers",
                                     .group = GROUP_ASK,
                                     .summary = "Lists the kinds of early stopping, or explains one",
                                     .arguments = stopper,
                                     .words = add_stoppers,
                                     .options = stopper_options,
                                     .examples = "gannet stoppers asha",
                                     .run = run_stoppers};
