/* gannet status: the state of an experiment, once or again and again. */
#include "cli/command.h"
#include "cli/data/sample.h"
#include "cli/data/verdict_words.h"
#include "cli/screen/show.h"
#include "cli/session/attention.h"
#include "cli/view/attention.h"
#include "cli/view/progress.h"
#include "cli/json.h"
#include "common/clock.h"
#include "common/path.h"
#include "scheduler/rundir/pass.h"

#include <libgen.h>
#include <time.h>
#include <unistd.h>

/* What is watched. */
struct watched_experiment {
    const char *what; /* as the person named it */
    struct pace pace;
    unsigned drawn; /* lines on the terminal that the next picture replaces */
    bool lives;     /* when it was last looked at */
};

static unsigned count_lines(const char *text)
{
    unsigned lines = 0;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

/* Redraws on a terminal; elsewhere adds a line when there is news. */
static void draw_again(struct console *console, struct watched_experiment *watched, const struct overview *overview)
{
    struct buf text = {0};
    console_measure(console);
    if (console->out_look.live) {
        if (watched->drawn)
            fprintf(console->out, "\033[%uA\033[J", watched->drawn);
        overview_draw(overview, &console->out_look, &text);
        watched->drawn = count_lines(buf_str(&text));
    } else {
        struct run_progress progress = progress_of(json_text(overview->experiment, "name"),
                                                   json_text(overview->experiment, "metric"), &overview->snapshot);
        if (pace_due(&watched->pace, &progress, clock_monotonic()))
            progress_plain(&progress, clock_wall(), &text);
    }
    console_write(console->out, &text);
    fflush(console->out);
    buf_fini(&text);
}

/* With what bounded its runs; NULL with a sentence. */
static json_t *status_json(struct source *source, const struct overview *overview, struct err *err)
{
    json_t *sample = sample_choose(source, SAMPLE_TRIALS, err),
           *verdicts = sample_read(source, "verdicts", sample, err), *json = NULL;
    if (verdicts) {
        json = overview_json(overview);
        json_object_set_new(json, "verdicts", verdict_words_all(overview->experiment, verdicts));
        json_object_set_new(json, "sample", sample_json(sample));
    }
    json_decref(sample);
    json_decref(verdicts);
    return json;
}

/* One line of a stream. */
static void write_line(struct console *console, const struct overview *overview)
{
    struct buf text = {0};
    json_t *json = overview_json(overview);
    json_add(json, &text);
    buf_text(&text, "\n");
    console_write(console->out, &text);
    fflush(console->out);
    json_decref(json);
    buf_fini(&text);
}

/* `what`: how the person called it, or NULL. */
static int draw_once(struct console *console, const struct args *args, const char *what, struct source *source,
                     const struct seen *seen)
{
    struct buf text = {0};
    if (args_has(args, "json")) {
        struct err err;
        json_t *json = status_json(source, &seen->overview, &err);
        return json ? console_json(console, json), STATUS_OK : console_fail(console, STATUS_FAILED, &err);
    }
    overview_draw(&seen->overview, &console->out_look, &text);
    struct attention_memory *memory = attention_remember();
    json_t *attention = attention_read(memory, source, seen, NULL);
    struct attention_subject subject = {what ? what : path_base(source_dir(source)->path), console->programs};
    attention_write(attention, &subject, &console->out_look, &text);
    json_decref(attention);
    attention_forget(memory);
    console_print(console, &text);
    return STATUS_OK;
}

/* Looks at it once and shows it. */
static int show_status(struct console *console, const struct args *args, struct watched_experiment *watched)
{
    struct source *source;
    struct seen seen;
    struct err err, unreached;
    int status = source_open(watched->what, &source, &err);
    if (status)
        return console_fail(console, status, &err);
    status = seen_fetch(console, source, &seen, &unreached, &err);
    if (*unreached.text) {
        console_fail(console, STATUS_UNREACHABLE, &unreached);
        fprintf(console->err, "gannet: this is what its store says:\n");
    }
    if (status)
        console_fail(console, status, &err);
    else if (args_has(args, "jsonl"))
        write_line(console, &seen.overview);
    else if (args_has(args, "watch"))
        draw_again(console, watched, &seen.overview);
    else
        status = draw_once(console, args, watched->what, source, &seen);
    if (!status && *unreached.text)
        status = STATUS_UNREACHABLE;
    watched->lives = (source_lives(source) || source_is_hidden(source)) && !status;
    seen_fini(&seen);
    source_close(source);
    return status;
}

/* Whether the screen is meant: on a terminal, by a person who reads it, unless something else is asked for. Whoever is
 * not in front there would be stopped when it takes the terminal; one that is nobody's own stops nobody. */
static bool wants_screen(const struct console *console, const struct args *args)
{
    pid_t front = tcgetpgrp(STDIN_FILENO);
    bool stops = front >= 0 && front != getpgrp();
    return console->out_look.live && isatty(STDIN_FILENO) && !stops && !args_has(args, "json") &&
           !args_has(args, "jsonl") && !args_has(args, "watch") && !args_has(args, "once");
}

/* The first of several. */
static void keep_first(void *context, const struct rundir *dir)
{
    struct rundir *first = context;
    if (!first->path)
        rundir_name(dir->path, first);
}

/* The experiment that is meant: without a name the one used last, here or anywhere. */
static int find_experiment(const char *name, struct rundir *out, bool *several, struct err *err)
{
    struct rundir latest = {0};
    size_t count = name ? 0 : rundir_each_registered(1, keep_first, &latest);
    int failed = rundir_find(name, out, err);
    if (failed && latest.path) {
        *out = latest;
        latest = (struct rundir){0};
        failed = 0;
    }
    *several = count > 1;
    rundir_fini(&latest);
    return failed;
}

/* The screen; false: this terminal has none. */
static bool show_screen(struct console *console, const struct args *args, int *status)
{
    struct rundir dir;
    struct err err = {""};
    int number = 0;
    bool several;
    *status = STATUS_NOT_FOUND;
    if (find_experiment(args_rest(args, 0), &dir, &several, &err))
        return console_fail(console, STATUS_NOT_FOUND, &err), true;
    struct show_setup setup = {.dir = &dir,
                               .name = basename(dir.path),
                               .programs = console->programs,
                               .look = console->out_look,
                               .read_only = args_has(args, "read-only") || pass_is(&dir),
                               .several = several};
    int end = show_experiment(&setup, &number, &err);
    rundir_fini(&dir);
    if (end == SHOW_NO_SCREEN)
        console_tell(console, "%s, so this is text; TERM=xterm gannet status shows the screen on most", err.text);
    *status = end < 0 ? console_fail(console, STATUS_FAILED, &err) : number ? 128 + number : STATUS_OK;
    return end != SHOW_NO_SCREEN;
}

static int run_status(struct console *console, const struct args *args)
{
    static const struct timespec second = {.tv_sec = 1};
    struct watched_experiment watched = {.what = args_rest(args, 0)};
    int status;
    if (wants_screen(console, args) && show_screen(console, args, &status))
        return status;
    status = show_status(console, args, &watched);
    while ((args_has(args, "watch") || args_has(args, "jsonl")) && watched.lives) {
        nanosleep(&second, NULL);
        status = show_status(console, args, &watched);
    }
    return status;
}

static const struct option options[] = {
    {.name = "watch",
     .short_name = 'w',
     .help = "show it again every second until it ends; off a terminal a line\nat each new best and once a minute"},
    {.name = "once", .help = "show it as text and end, on a terminal, too"},
    {.name = "read-only", .help = "the screen changes nothing: its keys in capital letters are away"},
    OPTION_JSON("an object of the schema gannet.status/1 (docs/json.md)"),
    {.name = "jsonl", .help = "such an object a line, every second until it ends"},
    {0}};

const struct command cmd_status = {
    .name = "status",
    .group = GROUP_LOOK,
    .summary = "Shows how an experiment stands, and why nothing runs if nothing runs",
    .text = "On a terminal it is a screen (docs/status.md): keys go from the overview to trials, the log and more,\n"
            "? shows them, q leaves. Without EXP it lists your experiments first, wherever they are, when there\n"
            "are several. Elsewhere, and with --once, --plain or GANNET_ACCESSIBLE, it is text.\n"
            "\n"
            "A living experiment is asked through its coordinator, a dead one is read from its store.",
    .arguments = argument_experiment,
    .options = options,
    .examples = "gannet status\ngannet status digits --watch\ngannet status digits --json | jq .best",
    .run = run_status};
