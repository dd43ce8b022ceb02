/* gannet ask: the next trials, for people who own the loop. */
#include "cli/command.h"
#include "cli/format.h"
#include "cli/json.h"
#include "cli/session/ask_tell_loop.h"

#include <unistd.h>

/* "5 --lr=0.001 --width=64": a number and arguments, for shells. */
static void show_proposals(struct console *console, const json_t *trials)
{
    struct buf text = {0};
    size_t index;
    const json_t *trial;
    json_array_foreach((json_t *)trials, index, trial)
    {
        json_add(json_object_get(trial, "trial"), &text);
        buf_text(&text, " ");
        format_args(json_object_get(trial, "params"), &text);
        buf_text(&text, "\n");
    }
    console_print(console, &text);
}

/* Asks; what could be had is shown, and only nothing at all is a failure. */
static int ask_trials(struct console *console, const struct args *args, struct ask_tell *ask_tell)
{
    struct err err = {0};
    int status = STATUS_OK;
    json_t *trials = json_array(), *trial;
    for (uint64_t left = args_count(args, "count", 1); left && (trial = ask_tell_loop_ask(ask_tell, &status, &err));
         left--)
        json_array_append_new(trials, trial);
    if (json_array_size(trials))
        status = ask_tell_commit(ask_tell, &err) ? STATUS_FAILED : STATUS_OK;
    if (status)
        console_fail(console, status, &err);
    else if (args_has(args, "json"))
        console_json(console, json_incref(args_has(args, "count") ? trials : json_array_get(trials, 0)));
    else
        show_proposals(console, trials);
    json_decref(trials);
    return status;
}

static int run_ask(struct console *console, const struct args *args)
{
    struct ask_tell *ask_tell;
    int status = ask_tell_loop_open(console, args, ASK_TELL_ASKS, &ask_tell);
    if (status)
        return status;
    status = args_has(args, "serve") ? ask_tell_loop_serve(console, ask_tell, STDIN_FILENO)
                                     : ask_trials(console, args, ask_tell);
    ask_tell_close(ask_tell);
    return status;
}

static const struct argument arguments[] = {
    {"EXP|FILE", "the experiment, or its file: then it is made when it is not there; default: the last one", false},
    {0}};

static const struct option options[] = {
    OPTION_N("N trials instead of one"),
    OPTION_DIR("the run directory of a file's experiment (default: runs/NAME)"),
    OPTION_SET("a key of the experiment file, when the experiment is made; it can't be changed later"),
    OPTION_VALUE("wait", COUNT, "SECONDS", "how long to wait for other loops (default: 10)"),
    {.name = "serve", .help = "answer lines of JSON on standard input until it ends\n(docs/ask-tell.md)"},
    OPTION_JSON("{\"trial\": 5, \"params\": {...}}; with -n an array"),
    {0}};

const struct command cmd_ask = {
    .name = "ask",
    .group = GROUP_RUN,
    .summary = "Proposes a trial to a loop of your own",
    .text = "For programs that run trials themselves: ask for a trial, run it, and say by `gannet tell` what came of\n"
            "it. No coordinator and no worker is needed; any number of loops may take turns. The trials are recorded\n"
            "like any others: status, trials, best and replay show them.\n"
            "\n"
            "Prints the trial's number and its parameters as arguments of a program. The exit status is 5 when there\n"
            "is nothing more to try.",
    .arguments = arguments,
    .options = options,
    .examples = "gannet ask my.yaml                        # 1 --lr=0.001 --width=64\n"
                "gannet tell my 1 --value 0.25\n"
                "gannet ask my.yaml --serve < requests     # {\"ask\": 1} and so on, a line each",
    .run = run_ask};
