/* gannet strategies: the strategies that can search, or one of them or of a plug-in with its options. */
#include "cli/commands.h"
#include "cli/format.h"
#include "cli/view/method.h"
#include "cli/view/table.h"
#include "search/plugin.h"
#include "search/registry.h"

#include <string.h>

/* --- for programs --- */

static json_t *strategy_json(const struct gannet_strategy *strategy)
{
    return json_pack("{s:s, s:s, s:b, s:i, s:o}", "name", strategy->name, "summary", strategy->summary, "uses_history",
                     strategy->uses_history, "abi", (int)strategy->abi, "options",
                     method_options_json(strategy->options));
}

static json_t *all_json(void)
{
    json_t *list = json_array();
    for (const struct gannet_strategy *const *at = registry_builtin; *at; at++)
        json_array_append_new(list, strategy_json(*at));
    return list;
}

/* --- for people --- */

static void list(const struct look *look, struct buf *out)
{
    struct text_table *table = table_create();
    table_column(table, "strategy", false);
    table_column(table, "what it does", false);
    for (const struct gannet_strategy *const *at = registry_builtin; *at; at++) {
        table_cell(table, TINT_STRONG, (*at)->name);
        table_cell(table, TINT_NONE, (*at)->summary);
    }
    table_draw(table, look, out);
    table_destroy(table);
    buf_text(out,
             "\n`gannet strategies NAME` lists a strategy's options. A strategy of your own: plugins/README.md.\n");
}

static void explain(const struct gannet_strategy *strategy, const struct look *look, struct buf *out)
{
    look_add(look, TINT_STRONG, strategy->name, out);
    buf_format(out, ": %s\n\n", strategy->summary);
    if (!strategy->options || !strategy->options->name) {
        buf_text(out, "It has no options.\n");
        return;
    }
    method_options_draw("strategy.options", strategy->options, look, out);
}

/* --- the command --- */

static int unknown(struct console *console, const char *name)
{
    size_t count = 0;
    const char *names[64];
    struct err err;
    while (registry_builtin[count] && count < sizeof names / sizeof *names) {
        names[count] = registry_builtin[count]->name;
        count++;
    }
    format_unknown("there is no strategy", name, names, count, "strategies", &err);
    return console_fail(console, STATUS_NOT_FOUND, &err);
}

/* Shows one strategy, or with NULL the list. */
static int show(struct console *console, const struct args *args, const struct gannet_strategy *strategy)
{
    if (args_has(args, "json")) {
        console_json(console, strategy ? strategy_json(strategy) : all_json());
        return STATUS_OK;
    }
    struct buf text = {0};
    if (strategy)
        explain(strategy, &console->out_look, &text);
    else
        list(&console->out_look, &text);
    console_print(console, &text);
    return STATUS_OK;
}

static int show_plugin(struct console *console, const struct args *args, const char *path)
{
    struct err err;
    struct plugin *plugin = plugin_open(path, &err);
    int status = plugin ? show(console, args, plugin_strategy(plugin)) : console_fail(console, STATUS_FAILED, &err);
    plugin_close(plugin);
    return status;
}

static int run(struct console *console, const struct args *args)
{
    const char *name = args_rest(args, 0);
    const struct gannet_strategy *strategy = name ? registry_find(name) : NULL;
    if (name && strchr(name, '/'))
        return show_plugin(console, args, name);
    return name && !strategy ? unknown(console, name) : show(console, args, strategy);
}

static const struct argument arguments[] = {
    {"STRATEGY", "the one to explain; with a slash in it the file of a plug-in", false}, {0}};
static const struct option options[] = {OPTION_JSON("an array of objects; with STRATEGY one of them"), {0}};

const struct command cmd_strategies = {.name = "strategies",
                                       .group = GROUP_ASK,
                                       .summary = "Lists the search strategies, or explains one",
                                       .arguments = arguments,
                                       .options = options,
                                       .examples = "gannet strategies grid\ngannet strategies ./mine.so",
                                       .run = run};
