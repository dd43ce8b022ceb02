/* gannet strategies: the strategies that can search, or one of them or of a plug-in with its options. */
#include "cli/commands.h"
#include "cli/json.h"
#include "cli/view/method.h"
#include "search/plugin.h"
#include "search/registry.h"

#include <string.h>

static json_t *strategy_json(const struct gannet_strategy *strategy)
{
    return json_pack("{s:s, s:s, s:b, s:i, s:o}", "name", strategy->name, "summary", strategy->summary, "uses_history",
                     strategy->uses_history, "abi", (int)strategy->abi, "options",
                     method_options_json(strategy->options));
}

static void explain_strategy(const json_t *strategy, const struct look *look, struct buf *out)
{
    const json_t *options = json_object_get(strategy, "options");
    look_add(look, TINT_STRONG, json_text(strategy, "name"), out);
    buf_format(out, ": %s\n\n", json_text(strategy, "summary"));
    if (json_array_size(options))
        method_options_draw("strategy.options", "values", options, look, out);
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
        name = plugin_strategy(plugin)->name;
    if (plugin)
        json_array_append_new(list, strategy_json(plugin_strategy(plugin)));
    for (const struct gannet_strategy *const *at = registry_builtin; *at && !plugin; at++)
        json_array_append_new(list, strategy_json(*at));
    int status = method_show(console, &kind, list, name, args_has(args, "json"));
    json_decref(list);
    plugin_close(plugin);
    return status;
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
                                       .run = run_strategies};
