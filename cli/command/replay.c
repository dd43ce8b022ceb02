/* gannet replay: makes every proposal anew and compares it with the recorded one. */
#include "cli/command.h"
#include "cli/format.h"
#include "cli/json.h"
#include "scheduler/session/replay.h"

#include <string.h>

static void say_comparison(struct console *console, const json_t *found)
{
    struct buf text = {0};
    size_t index;
    const json_t *trial;
    buf_text(&text, "proposals  ");
    format_scalar(json_object_get(found, "proposals"), &text);
    buf_text(&text, "\nthe same   ");
    format_scalar(json_object_get(found, "same"), &text);
    if (strcmp(json_string_value(json_object_get(found, "comparison")), "exact") != 0) {
        buf_text(&text, "\nclose      ");
        format_scalar(json_object_get(found, "close"), &text);
    }
    buf_format(&text, "\n%s\n", json_string_value(json_object_get(found, "note")));
    json_array_foreach(json_object_get(found, "different"), index, trial)
    {
        buf_text(&text, "trial ");
        format_scalar(json_object_get(trial, "trial"), &text);
        buf_text(&text, " was ");
        json_add(json_object_get(trial, "recorded"), &text);
        buf_text(&text, ", is now ");
        json_add(json_object_get(trial, "replayed"), &text);
        buf_text(&text, "\n");
    }
    console_print(console, &text);
}

static int run_replay(struct console *console, const struct args *args)
{
    struct rundir dir;
    struct err err;
    json_t *found = NULL;
    if (rundir_find(args_rest(args, 0), &dir, &err))
        return console_fail(console, STATUS_NOT_FOUND, &err);
    int result = replay_check(&dir, &found, &err);
    rundir_fini(&dir);
    if (result < 0)
        return console_fail(console, STATUS_FAILED, &err);
    if (args_has(args, "json"))
        console_json(console, json_incref(found));
    else
        say_comparison(console, found);
    json_decref(found);
    return result ? STATUS_FAILED : STATUS_OK;
}

static const struct option options[] = {OPTION_JSON("an object: proposals, same, close, different, ..."), {0}};

const struct command cmd_replay = {
    .name = "replay",
    .group = GROUP_LOOK,
    .summary = "Makes every proposal anew from the record, and compares",
    .text = "A proposal depends on the seed, the strategy and the order in which results came in, all of\n"
            "which are recorded. Status 0: every proposal is the same again; 1: some differ. On another kind\n"
            "of processor than the recorded one, which rounds differently, each parameter may differ by a\n"
            "thousandth of its range, and the output says so.",
    .arguments = argument_experiment,
    .options = options,
    .run = run_replay};
