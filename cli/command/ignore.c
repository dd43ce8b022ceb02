/* gannet ignore: takes ended trials out of what counts, and puts them back. */
#include "cli/command.h"
#include "cli/format.h"
#include "cli/session/amend_args.h"
#include "scheduler/session/ignore.h"

#include <stdlib.h>

static void tell_changed(struct console *console, size_t changed, size_t count, bool undo)
{
    struct buf text = {0};
    if (!changed) {
        console_tell(console,
                     undo ? "nothing changes: none of them is ignored" : "nothing changes: they are ignored already");
        return;
    }
    format_count(changed, "trial", &text);
    buf_format(&text, " %s%s", changed == 1 ? "is" : "are", undo ? " counted again" : " ignored from now on");
    if (changed < count)
        buf_text(&text, undo ? "; the others counted already" : "; the others were ignored already");
    console_tell(console, "%s", buf_str(&text));
    buf_fini(&text);
}

static int ignore_found(const struct rundir *dir, const uint64_t *trials, size_t count, bool undo, size_t *changed,
                        struct err *err)
{
    json_t *answer;
    json_t *arguments = json_pack("{s:o, s:b}", "trials", amend_args_json(trials, count), "undo", (int)undo);
    int status = amend_args_ask(dir, "ignore", arguments, &answer, err);
    if (!status && !answer)
        return amend_args_status(ignore_trials(dir, trials, count, undo, changed, err));
    *changed = (size_t)json_integer_value(json_object_get(answer, "changed"));
    json_decref(answer);
    return status;
}

static int run_ignore(struct console *console, const struct args *args)
{
    struct err err = {""};
    struct rundir dir;
    size_t count, changed;
    bool undo = args_has(args, "undo");
    uint64_t *trials = amend_args_trials(args, &count, &err);
    if (!trials)
        return console_fail(console, STATUS_USAGE, &err);
    int status = rundir_find(args_rest(args, 0), &dir, &err) ? STATUS_NOT_FOUND : STATUS_OK;
    if (!status) {
        status = ignore_found(&dir, trials, count, undo, &changed, &err);
        rundir_fini(&dir);
    }
    free(trials);
    if (status)
        return console_fail(console, status, &err);
    tell_changed(console, changed, count, undo);
    return STATUS_OK;
}

static const struct argument arguments[] = {
    {"EXP", "the experiment", true}, {"TRIAL...", "numbers of trials that have ended", true}, {0}};

static const struct option options[] = {{.name = "undo", .help = "they count again"}, {0}};

const struct command cmd_ignore = {
    .name = "ignore",
    .group = GROUP_RUN,
    .summary = "Takes trials that have ended out of what counts, or puts them back",
    .text = "For results that are not to be believed: a sensor was broken, a file was the wrong one. The trials stay\n"
            "recorded, and are shown as ignored. They are neither best nor counted, limits.max_trials leaves room for\n"
            "as many others, and when the search goes on its strategy has never been told of them: one that runs\n"
            "makes its strategy anew at once. Their configurations are not proposed again. Early stopping keeps what\n"
            "it compared. A trial that still runs is ended first: `gannet cancel`.",
    .arguments = arguments,
    .options = options,
    .examples = "gannet ignore digits 12 17\n"
                "gannet ignore digits 17 --undo",
    .run = run_ignore};
