/* gannet stoppers: the kinds of early stopping, or one of them with its options. */
#include "cli/commands.h"
#include "cli/json.h"
#include "cli/view/method.h"
#include "search/stop/stopper.h"

static json_t *stopper_json(const struct stopper_info *info)
{
    return json_pack("{s:s, s:s, s:b, s:o}", "name", info->name, "summary", info->summary, "pauses", info->pauses,
                     "options", method_options_json(info->options));
}

static void explain_stopper(const json_t *stopper, const struct look *look, struct buf *out)
{
    look_add(look, TINT_STRONG, json_text(stopper, "name"), out);
    buf_format(out, ": %s\n", json_text(stopper, "summary"));
    if (json_is_true(json_object_get(stopper, "pauses")))
        buf_text(out, "Trials that can be continued from checkpoints pause; others stop.\n");
    buf_text(out, "\n");
    method_options_draw("early_stop", "values", json_object_get(stopper, "options"), look, out);
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
    int status = method_show(console, &kind, list, args_rest(args, 0), args_has(args, "json"));
    json_decref(list);
    return status;
}

static const struct argument arguments[] = {{"STOPPER", "the one to explain", false}, {0}};
static const struct option options[] = {OPTION_JSON("an array of objects; with STOPPER one of them"), {0}};

const struct command cmd_stoppers = {.name = "stoppers",
                                     .group = GROUP_ASK,
                                     .summary = "Lists the kinds of early stopping, or explains one",
                                     .arguments = arguments,
                                     .options = options,
                                     .examples = "gannet stoppers asha",
                                     .run = run_stoppers};
