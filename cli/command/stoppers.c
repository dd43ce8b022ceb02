/* gannet stoppers: the kinds of early stopping, or one of them with its options. */
#include "cli/commands.h"
#include "cli/format.h"
#include "cli/view/method.h"
#include "cli/view/table.h"
#include "search/stop/stopper.h"

/* --- for programs --- */

static json_t *stopper_json(const struct stopper_info *info)
{
    return json_pack("{s:s, s:s, s:b, s:o}", "name", info->name, "summary", info->summary, "pauses", info->pauses,
                     "options", method_options_json(info->options));
}

static json_t *all_json(void)
{
    json_t *list = json_array();
    for (size_t i = 0; stopper_info(i); i++)
        json_array_append_new(list, stopper_json(stopper_info(i)));
    return list;
}

/* --- for people --- */

static void list(const struct look *look, struct buf *out)
{
    struct text_table *table = table_create();
    table_column(table, "early_stop", false);
    table_column(table, "what it does", false);
    for (size_t i = 0; stopper_info(i); i++) {
        table_cell(table, TINT_STRONG, stopper_info(i)->name);
        table_cell(table, TINT_NONE, stopper_info(i)->summary);
    }
    table_draw(table, look, out);
    table_destroy(table);
    buf_text(out, "\n`gannet stoppers NAME` lists the options; write early_stop: {name: NAME, OPTION: VALUE}.\n");
}

static void explain(const struct stopper_info *info, const struct look *look, struct buf *out)
{
    look_add(look, TINT_STRONG, info->name, out);
    buf_format(out, ": %s\n", info->summary);
    if (info->pauses)
        buf_text(out, "Trials that can be continued from checkpoints pause; others stop.\n");
    buf_text(out, "\n");
    method_options_draw("early_stop", info->options, look, out);
}

/* --- the command --- */

static int unknown(struct console *console, const char *name)
{
    enum { MOST = 16 };
    const char *names[MOST];
    size_t count = 0;
    struct err err;
    for (; count < MOST && stopper_info(count); count++)
        names[count] = stopper_info(count)->name;
    format_unknown("there is no early stopping", name, names, count, "stoppers", &err);
    return console_fail(console, STATUS_NOT_FOUND, &err);
}

static int run(struct console *console, const struct args *args)
{
    const char *name = args_rest(args, 0);
    const struct stopper_info *info = name ? stopper_find(name) : NULL;
    struct buf text = {0};
    if (name && !info)
        return unknown(console, name);
    if (args_has(args, "json")) {
        console_json(console, info ? stopper_json(info) : all_json());
        return STATUS_OK;
    }
    if (info)
        explain(info, &console->out_look, &text);
    else
        list(&console->out_look, &text);
    console_print(console, &text);
    return STATUS_OK;
}

static const struct argument arguments[] = {{"STOPPER", "the one to explain", false}, {0}};
static const struct option options[] = {OPTION_JSON("an array of objects; with STOPPER one of them"), {0}};

const struct command cmd_stoppers = {.name = "stoppers",
                                     .group = GROUP_ASK,
                                     .summary = "Lists the kinds of early stopping, or explains one",
                                     .arguments = arguments,
                                     .options = options,
                                     .examples = "gannet stoppers asha",
                                     .run = run};
