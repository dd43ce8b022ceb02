/* gannet stop: ends a running experiment. */
#include "cli/commands.h"
#include "cli/format.h"
#include "cli/source.h"

/* What will happen now, for the person who asked. */
static void say(struct console *console, struct source *source, bool now)
{
    struct standing standing;
    struct err err;
    uint64_t running = 0;
    if (source_standing(source, &standing, &err) == 0)
        running = standing.snapshot.trials[TRIAL_RUNNING];
    standing_fini(&standing);
    struct buf text = {0};
    format_count(running, "running trial", &text);
    fprintf(console->err, now ? "%s: %s cancelled, then it ends\n" : "%s: nothing new is started; %s may finish\n",
            source_dir(source)->path, buf_str(&text));
    buf_fini(&text);
}

static int run(struct console *console, const struct args *args)
{
    struct source *source;
    struct err err;
    bool now = args_has(args, "now");
    int status = source_open(args_rest(args, 0), &source, &err);
    if (status)
        return console_fail(console, status, &err);
    if (source_lives(source)) {
        say(console, source, now);
        status = source_ask(source, now ? "stop" : "drain", json_pack("{s:s}", "why", "stopped"), NULL, &err);
    } else {
        err_write(&err, "%s is not running: there is nothing to stop", source_dir(source)->path);
        status = STATUS_UNREACHABLE;
    }
    source_close(source);
    return status ? console_fail(console, status, &err) : STATUS_OK;
}

static const struct argument arguments[] = {{"EXP", "the experiment; default: the last one", false}, {.name = NULL}};
static const struct option options[] = {{.name = "now", .help = "end the running trials too; they count as cancelled"},
                                        {.name = NULL}};

const struct command cmd_stop = {.name = "stop",
                                 .group = GROUP_RUN,
                                 .summary = "Ends a running experiment",
                                 .text =
                                     "Trials that run may finish; nothing new is started. What is recorded stays, and\n"
                                     "`gannet run --resume` goes on from there.",
                                 .arguments = arguments,
                                 .options = options,
                                 .examples = "gannet stop digits\n"
                                             "gannet stop digits --now && gannet wait digits",
                                 .run = run};
