/* gannet status: the state of an experiment, once or again and again. */
#include "cli/command.h"
#include "cli/view/overview.h"
#include "cli/view/progress.h"
#include "cli/data/jobs.h"
#include "cli/json.h"
#include "cli/data/source.h"
#include "common/clock.h"

#include <time.h>

/* What is read to be shown. */
struct seen {
    struct experiment_standing standing;
    struct slurm_record jobs;
};

/* What is watched. */
struct watched {
    const char *what; /* as the person named it */
    struct pace pace;
    unsigned drawn; /* lines on the terminal that the next picture replaces */
    bool lives;     /* when it was last looked at */
};

/* What was submitted for it; that Slurm does not answer keeps nobody from seeing the rest. */
static void add_jobs(struct console *console, struct source *source, struct overview *overview, struct seen *seen)
{
    struct err err;
    jobs_read(source_dir(source), overview->lives, &seen->jobs, &err);
    if (*err.text)
        console_fail(console, 0, &err);
    overview->jobs = seen->jobs.count ? &seen->jobs : NULL;
}

/* Of an experiment whose coordinator does not answer the store still tells what was recorded. */
static int fetch_overview(struct console *console, struct source *source, struct overview *overview, struct seen *seen)
{
    struct experiment_standing *standing = &seen->standing;
    struct err err;
    int status = source_standing(source, standing, &err);
    if (status == STATUS_UNREACHABLE) {
        console_fail(console, status, &err);
        fprintf(console->err, "gannet: this is what its store says:\n");
        if (source_recorded(source, standing, &err))
            return console_fail(console, status, &err);
    } else if (status) {
        return console_fail(console, status, &err);
    }
    overview->experiment = source_experiment(source, &err);
    overview->best = overview->experiment ? source_best(source, &err) : NULL;
    if (!overview->best)
        return console_fail(console, STATUS_FAILED, &err);
    overview->snapshot = standing->snapshot;
    overview->trouble = standing->trouble;
    overview->counters = standing->counters;
    overview->directory = source_dir(source)->path;
    overview->lives = source_lives(source);
    overview->now = clock_wall();
    add_jobs(console, source, overview, seen);
    return status;
}

static unsigned count_lines(const char *text)
{
    unsigned lines = 0;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

/* Redraws on a terminal; elsewhere adds a line when there is news. */
static void draw_again(struct console *console, struct watched *watched, const struct overview *overview)
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

static void draw_once(struct console *console, const struct args *args, const struct overview *overview)
{
    struct buf text = {0};
    if (args_has(args, "json")) {
        console_json(console, overview_json(overview));
        return;
    }
    overview_draw(overview, &console->out_look, &text);
    console_print(console, &text);
}

/* Looks at it once and shows it. */
static int show_status(struct console *console, const struct args *args, struct watched *watched)
{
    struct source *source;
    struct overview overview = {0};
    struct seen seen = {0};
    struct err err;
    int status = source_open(watched->what, &source, &err);
    if (status)
        return console_fail(console, status, &err);
    status = fetch_overview(console, source, &overview, &seen);
    watched->lives = source_lives(source) && !status;
    if (overview.best && args_has(args, "watch"))
        draw_again(console, watched, &overview);
    else if (overview.best)
        draw_once(console, args, &overview);
    json_decref((json_t *)overview.experiment);
    json_decref((json_t *)overview.best);
    standing_fini(&seen.standing);
    slurm_record_fini(&seen.jobs);
    source_close(source);
    return status;
}

static int run_status(struct console *console, const struct args *args)
{
    static const struct timespec second = {.tv_sec = 1};
    struct watched watched = {.what = args_rest(args, 0)};
    int status = show_status(console, args, &watched);
    while (args_has(args, "watch") && watched.lives) {
        nanosleep(&second, NULL);
        status = show_status(console, args, &watched);
    }
    return status;
}

static const struct option options[] = {
    {.name = "watch",
     .short_name = 'w',
     .help = "show it again every second until it ends; off a terminal a line\nat each new best and once a minute"},
    OPTION_JSON("an object of the schema gannet.status/1 (docs/json.md)"),
    {0}};

const struct command cmd_status = {
    .name = "status",
    .group = GROUP_LOOK,
    .summary = "Shows how an experiment stands, and why nothing runs if nothing runs",
    .text = "A living experiment is asked through its coordinator, a dead one is read from its store.",
    .arguments = argument_experiment,
    .options = options,
    .examples = "gannet status\ngannet status digits --watch\ngannet status digits --json | jq .best",
    .run = run_status};
