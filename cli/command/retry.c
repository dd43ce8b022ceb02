/* gannet retry: has failed trials tried again. */
#include "cli/command.h"
#include "cli/data/target.h"
#include "cli/data/source.h"
#include "cli/format.h"
#include "cli/session/amend_args.h"
#include "scheduler/session/retry.h"

#include <stdlib.h>

/* Whether no coordinator ever ran it: a person's own loop asks and tells. */
static bool is_own_loop(const struct rundir *dir)
{
    struct source *source = NULL;
    json_t *experiment = NULL;
    if (source_open_dir(dir, &source, NULL) == STATUS_OK)
        experiment = source_read(source, "experiment", NULL, NULL);
    bool own = experiment && json_integer_value(json_object_get(experiment, "sessions")) == 0;
    json_decref(experiment);
    source_close(source);
    return own;
}

/* What has them tried: the search itself when it lives. */
static void add_next(const struct rundir *dir, struct buf *text)
{
    char *name = target_handle(dir);
    bool own = is_own_loop(dir);
    buf_text(text, own ? "; in your own loop, then `gannet tell " : " by `gannet run ");
    format_shell(name, text);
    buf_text(text, own ? " TRIAL ...`" : " --resume`");
    free(name);
}

static void tell_changed(struct console *console, size_t changed, const struct rundir *dir, bool lives)
{
    struct buf text = {0};
    format_count(changed, "trial", &text);
    buf_text(&text, " to be tried again");
    if (!changed)
        buf_text(&text, ": none has failed");
    else if (lives)
        buf_text(&text, ": back in the queue");
    else
        add_next(dir, &text);
    console_tell(console, "%s", buf_str(&text));
    buf_fini(&text);
}

static int retry_found(struct console *console, const struct args *args, const uint64_t *trials, size_t count)
{
    struct rundir dir;
    struct err err = {""};
    size_t changed = 0;
    json_t *answer = NULL;
    if (rundir_find(args_rest(args, 0), &dir, &err))
        return console_fail(console, STATUS_NOT_FOUND, &err);
    json_t *arguments = count ? json_pack("{s:o}", "trials", amend_args_json(trials, count)) : json_object();
    int status = amend_args_ask(&dir, "retry", arguments, &answer, &err);
    if (!status && answer)
        changed = (size_t)json_integer_value(json_object_get(answer, "changed"));
    else if (!status)
        status = amend_args_status(retry_trials(&dir, trials, count, &changed, &err));
    if (status)
        console_fail(console, status, &err);
    else
        tell_changed(console, changed, &dir, answer != NULL);
    json_decref(answer);
    rundir_fini(&dir);
    return status;
}

static int run_retry(struct console *console, const struct args *args)
{
    struct err err = {""};
    size_t count;
    uint64_t *trials = amend_args_trials(args, &count, &err);
    if (!trials)
        return console_fail(console, STATUS_USAGE, &err);
    int status = (count > 0) == args_has(args, "failed")
                     ? console_refuse(console, STATUS_USAGE, "say which trials, or --failed for all that have failed")
                     : retry_found(console, args, trials, count);
    free(trials);
    return status;
}

static const struct argument arguments[] = {
    {"EXP", "the experiment", true}, {"TRIAL...", "numbers of trials that have failed", false}, {0}};

static const struct option options[] = {{.name = "failed", .help = "all trials that have failed and are not ignored"},
                                        {0}};

const struct command cmd_retry = {
    .name = "retry",
    .group = GROUP_RUN,
    .summary = "Has failed trials tried again, when what they failed of is mended",
    .text = "They wait with the same parameters for another attempt, with all of trial.retries: at once in a search\n"
            "that runs, else with `gannet run EXP --resume`. They no longer count as failed; their earlier attempts\n"
            "stay recorded. The strategy takes them for trials that have not ended yet. A loop of your own is not\n"
            "asked for them again: try them by hand, and `gannet tell` says what came of them.\n"
            "\n"
            "A search with early stopping, which has compared others with what failed, must not run meanwhile:\n"
            "`gannet stop` ends it.",
    .arguments = arguments,
    .options = options,
    .examples = "gannet retry digits 12 17\n"
                "gannet retry digits --failed",
    .run = run_retry};
