/* Following a submitted experiment; see watch_experiment.h.
 *
 * A living coordinator is asked for its state, as gannet status does. As long as none lives, jobs.h says whether
 * there is still a job that will bring one: the search goes on over several jobs, and between two of them nothing runs.
 * When it has reached one of its own limits, or there is no such job any more, it has ended. */
#include "cli/session/watch_experiment.h"
#include "cli/data/jobs.h"
#include "cli/view/job_list.h"
#include "cli/console.h"
#include "cli/status.h"
#include "cli/view/progress.h"
#include "cli/data/source.h"
#include "common/clock.h"
#include "common/loop.h"
#include "common/mem.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

static const double looking = 0.5; /* seconds */

/* Looks without a coordinator until a run on this machine is taken to have ended: one that dies is started again. */
enum { MOST_LOOKS = 20 };

struct follow {
    struct console *console;
    const struct rundir *dir;
    const char *name;
    struct loop *loop;
    struct live_line live;
    struct pace pace;
    char *said;          /* the last line that is no progress */
    json_t *experiment;  /* as its store has it; NULL: not read yet */
    uint64_t best_shown; /* trial whose line stays above the painted one */
    bool fresh;          /* what the store says of the end is of a session that is followed, not of one before */
    bool interrupted, ended;
    bool submitted; /* to Slurm; else it runs on some machine */
    unsigned gone;  /* looks in a row at which no coordinator lived */
};

/* --- drawing --- */

/* On a terminal it is painted; elsewhere it is written when it is news. */
static void draw_note(struct follow *follow, const char *line)
{
    bool is_news = !follow->said || strcmp(follow->said, line) != 0;
    if (follow->console->err_look.live)
        console_paint(&follow->live, line);
    else if (is_news)
        fprintf(follow->console->err, "gannet: %s\n", line);
    free(follow->said);
    follow->said = mem_text(line);
}

/* What was painted last stays: it says why nothing more comes. */
static void keep_note(struct follow *follow)
{
    if (follow->console->err_look.live && follow->said) {
        console_unpaint(&follow->live);
        fprintf(follow->console->err, "gannet: %s\n", follow->said);
    }
}

/* What the objective is called. */
static const char *metric_of(struct follow *follow, struct source *source)
{
    if (!follow->experiment)
        follow->experiment = source_read(source, "experiment", NULL, NULL);
    const char *metric = json_string_value(json_object_get(follow->experiment, "metric"));
    return metric ? metric : "best";
}

static void draw_progress(struct follow *follow, struct source *source, const struct experiment_standing *standing)
{
    struct buf line = {0};
    struct run_progress progress = progress_of(follow->name, metric_of(follow, source), &standing->snapshot);
    progress.note = standing->trouble;
    console_measure(follow->console);
    if (follow->console->err_look.live) {
        watch_show_best(follow->console, &follow->live, source, &progress, &follow->best_shown);
        progress_line(&progress, &follow->console->err_look, &line);
        console_paint(&follow->live, buf_str(&line));
    } else if (pace_due(&follow->pace, &progress, clock_monotonic())) {
        progress_plain(&progress, clock_wall(), &line);
        console_write(follow->console->err, &line);
        fflush(follow->console->err);
    }
    buf_fini(&line);
}

/* --- looking --- */

/* No coordinator lives: says why, as far as it is known. False: none ever will. */
static bool look_at_jobs(struct follow *follow)
{
    struct slurm_record record;
    struct buf line = {0};
    struct err err;
    jobs_read(follow->dir, false, &record, &err);
    bool future = jobs_bring_more(&record);
    if (*err.text)
        draw_note(follow, err.text);
    else if (job_list_explain(&record, false, clock_wall(), &line))
        draw_note(follow, buf_str(&line));
    if (!future)
        keep_note(follow);
    slurm_record_fini(&record);
    buf_fini(&line);
    return future;
}

/* Whether it has ended. What goes on after its end has been at that end before its new coordinator starts. */
static bool look_at(struct follow *follow, struct source *source)
{
    struct experiment_standing standing = {0};
    bool ended = false;
    if (source_lives(source)) {
        follow->fresh = true;
        follow->gone = 0;
        if (source_standing(source, &standing, NULL) == STATUS_OK)
            draw_progress(follow, source, &standing);
    } else {
        bool final =
            source_recorded(source, &standing, NULL) == 0 &&
            (follow->submitted ? status_is_final(&standing.snapshot) : standing.snapshot.state == EXPERIMENT_ENDED);
        follow->fresh = follow->fresh || !final;
        bool may_go_on = follow->submitted ? look_at_jobs(follow) : ++follow->gone < MOST_LOOKS;
        ended = (final && follow->fresh) || !may_go_on;
    }
    standing_fini(&standing);
    return ended;
}

static void follow_once(void *context)
{
    struct follow *follow = context;
    struct source *source = NULL;
    if (source_open_dir(follow->dir, &source, NULL) == STATUS_OK)
        follow->ended = look_at(follow, source);
    source_close(source);
    if (follow->ended)
        loop_stop(follow->loop);
    else
        loop_timer(follow->loop, looking, follow_once, follow);
}

static void on_interrupt(void *context)
{
    struct follow *follow = context;
    follow->interrupted = true;
    loop_stop(follow->loop);
}

/* --- the whole --- */

static int close_down(struct follow *follow, int failed, const struct err *err)
{
    struct console *console = follow->console;
    console_unpaint(&follow->live);
    free(follow->said);
    json_decref(follow->experiment);
    if (failed)
        return console_fail(console, STATUS_FAILED, err);
    if (!follow->interrupted)
        return report_end(console, follow->dir, false, false);
    fprintf(console->err, "gannet: %s goes on; see it with %sgannet status %s, end it with %sgannet %s %s\n",
            follow->submitted ? "the job" : follow->name, console->programs, follow->name, console->programs,
            follow->submitted ? "cancel" : "stop", follow->name);
    return STATUS_INTERRUPTED;
}

static int follow_to_end(struct follow *follow)
{
    struct err err;
    follow->live.stream = follow->console->err;
    follow->loop = loop_create();
    loop_signal(follow->loop, SIGINT, on_interrupt, follow);
    loop_signal(follow->loop, SIGTERM, on_interrupt, follow);
    loop_signal(follow->loop, SIGHUP, on_interrupt, follow);
    loop_timer(follow->loop, 0, follow_once, follow);
    int failed = loop_run(follow->loop, &err);
    loop_destroy(follow->loop);
    return close_down(follow, failed, &err);
}

int follow_submitted(struct console *console, const struct rundir *dir, const char *name)
{
    return follow_to_end(&(struct follow){.console = console, .dir = dir, .name = name, .submitted = true});
}

int follow_running(struct console *console, const struct rundir *dir, const char *name)
{
    return follow_to_end(
        &(struct follow){.console = console, .dir = dir, .name = name, .submitted = slurm_record_exists(dir)});
}
