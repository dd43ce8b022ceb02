/* Following a running experiment; see watch_experiment.h.
 *
 * The supervisor's loop carries everything. A timer fetches the coordinator's standing a few times a second and draws
 * it; between two fetches nothing is done but reacting to signals and children. What the person wants (drain, stop) is
 * asked of the coordinator as soon as one answers: it may not have started yet, or be starting again. */
#include "cli/session/watch_experiment.h"
#include "cli/format.h"
#include "cli/view/overview.h"
#include "common/clock.h"
#include "common/loop.h"

#include <inttypes.h>
#include <signal.h>

/* What the person wants, each more than the one before. */
enum want { WANT_ALL, WANT_DRAIN, WANT_STOP, WANT_KILL };

struct experiment_watch {
    const struct watch_setup *setup;
    struct console *console;
    struct loop *loop;
    struct supervisor *supervisor;
    struct source *source; /* NULL while no coordinator answers */
    struct loop_watch *timer;
    enum want wanted, asked, said;
    bool trouble; /* said already */
    bool waits;   /* the coordinator waited for room at the last look */
    struct live_line live;
    struct pace pace;
    uint64_t best_shown; /* trial whose line stays above the painted one */
    int status;          /* of the end */
    struct err why;
};

/* --- drawing --- */

/* Why nothing runs, when a worker says what it lacks; else NULL. */
static const char *lack_of(const struct snapshot *snapshot)
{
    for (uint32_t i = 0; i < snapshot->worker_count && !snapshot->trials[TRIAL_RUNNING]; i++)
        if (snapshot->workers[i].waiting)
            return snapshot->workers[i].why;
    return NULL;
}

/* Whether not even one trial can begin, since it takes more nodes than there are workers on. */
static bool lacks_nodes(const struct snapshot *snapshot)
{
    return snapshot->state == EXPERIMENT_RUNNING && !snapshot->trials[TRIAL_RUNNING] && snapshot->nodes_here &&
           snapshot->nodes_here < snapshot->nodes;
}

/* What the person should know now instead of the numbers; NULL: nothing. */
static const char *note_of(const struct experiment_watch *watch, const struct experiment_standing *standing,
                           struct buf *text)
{
    uint64_t running = standing->snapshot.trials[TRIAL_RUNNING];
    const char *lack = lack_of(&standing->snapshot);
    if (standing->trouble) {
        format_safe(standing->trouble, text);
    } else if (watch->wanted == WANT_DRAIN) {
        buf_text(text, "finishing ");
        format_count(running, "running trial", text);
        buf_text(text, "; Ctrl-C again to stop them");
    } else if (watch->wanted == WANT_STOP) {
        buf_text(text, "stopping ");
        format_count(running, "running trial", text);
        buf_text(text, "; Ctrl-C again to kill everything");
    } else if (lack) {
        buf_text(text, "waiting: ");
        format_safe(lack, text);
    } else if (lacks_nodes(&standing->snapshot)) {
        overview_explain_nodes(&standing->snapshot, watch->setup->supervise->dir->path, text);
    }
    return text->length ? buf_str(text) : NULL;
}

/* Off a terminal a note is a line of its own, when it is news. */
static void say_note(struct experiment_watch *watch, const char *note, bool trouble)
{
    if (note && (watch->wanted != watch->said || trouble != watch->trouble))
        fprintf(watch->console->err, "gannet: %s\n", note);
    watch->said = watch->wanted;
    watch->trouble = trouble;
}

static void draw_standing(struct experiment_watch *watch, const struct experiment_standing *standing)
{
    struct buf line = {0}, note = {0};
    struct run_progress progress = progress_of(watch->setup->name, watch->setup->metric, &standing->snapshot);
    progress.note = note_of(watch, standing, &note);
    console_measure(watch->console);
    if (watch->console->err_look.live) {
        watch_show_best(watch->console, &watch->live, watch->source, &progress, &watch->best_shown);
        progress_line(&progress, &watch->console->err_look, &line);
        console_paint(&watch->live, buf_str(&line));
    } else {
        say_note(watch, progress.note,
                 standing->trouble || lack_of(&standing->snapshot) || lacks_nodes(&standing->snapshot));
        if (pace_due(&watch->pace, &progress, clock_monotonic()))
            progress_plain(&progress, clock_wall(), &line);
        console_write(watch->console->err, &line);
        fflush(watch->console->err);
    }
    buf_fini(&line);
    buf_fini(&note);
}

/* --- asking --- */

/* The coordinator's reader and client, once one lives. */
static struct source *source_of(struct experiment_watch *watch)
{
    static const double patience = 1; /* seconds; longer would make Ctrl-C feel dead */
    struct source *source = NULL;
    if (watch->source || source_open_dir(watch->setup->supervise->dir, &source, NULL))
        return watch->source;
    if (source_lives(source)) {
        source_set_patience(source, patience);
        watch->source = source;
    } else {
        source_close(source);
    }
    return watch->source;
}

/* The end as it is on disk, for logs: a last line that says how many there are. */
static void draw_last(struct experiment_watch *watch)
{
    struct source *source = NULL;
    struct experiment_standing standing = {0};
    struct buf line = {0};
    if (source_open_dir(watch->setup->supervise->dir, &source, NULL) == 0 &&
        source_recorded(source, &standing, NULL) == 0) {
        struct run_progress progress = progress_of(watch->setup->name, watch->setup->metric, &standing.snapshot);
        progress_plain(&progress, clock_wall(), &line);
        console_write(watch->console->err, &line);
    }
    buf_fini(&line);
    standing_fini(&standing);
    source_close(source);
}

static void lose_source(struct experiment_watch *watch)
{
    source_close(watch->source);
    watch->source = NULL;
    watch->asked = WANT_ALL; /* a coordinator that starts again does not know what the one before was asked */
}

static int ask_wanted(struct experiment_watch *watch)
{
    const char *what = watch->wanted == WANT_DRAIN ? "drain" : "stop";
    if (watch->asked >= watch->wanted)
        return 0;
    watch->asked = watch->wanted;
    return source_ask(watch->source, what, json_pack("{s:s}", "why", "interrupted"), NULL, NULL);
}

/* A coordinator that waits for room answers nobody yet, but hears a signal. */
static void look_at_waiting(struct experiment_watch *watch)
{
    bool waits = !watch->source && rundir_is_waiting(watch->setup->supervise->dir);
    if (waits && watch->wanted > WANT_ALL)
        supervisor_signal(watch->supervisor, SIGTERM);
    if (waits && !watch->waits && !watch->setup->quiet) {
        console_unpaint(&watch->live);
        fprintf(watch->console->err, "gannet: %s\n", progress_no_room);
    }
    watch->waits = waits;
}

static void look_again(void *context)
{
    static const double starting = 0.05, drawing = 0.25; /* seconds */
    struct experiment_watch *watch = context;
    struct experiment_standing standing = {0};
    struct source *source = source_of(watch);
    if (source && (ask_wanted(watch) || source_standing(source, &standing, NULL) || !source_lives(source)))
        lose_source(watch);
    else if (source && !watch->setup->quiet)
        draw_standing(watch, &standing);
    standing_fini(&standing);
    look_at_waiting(watch);
    watch->timer = loop_timer(watch->loop, watch->source ? drawing : starting, look_again, watch);
}

/* --- what comes from outside --- */

static void interrupt_run(struct experiment_watch *watch, enum want at_least)
{
    watch->wanted = watch->wanted + 1 > at_least ? watch->wanted + 1 : at_least;
    if (watch->wanted >= WANT_KILL) {
        watch->wanted = WANT_KILL;
        supervisor_kill(watch->supervisor);
    } else {
        loop_move(watch->timer, 0);
    }
}

static void on_interrupt(void *context)
{
    interrupt_run(context, WANT_DRAIN);
}

/* The terminal is gone, or somebody ends us: there may not be time for running trials to finish. */
static void on_terminate(void *context)
{
    interrupt_run(context, WANT_STOP);
}

static void on_end(void *context, int status, const char *why)
{
    struct experiment_watch *watch = context;
    watch->status = status;
    if (status)
        err_write(&watch->why, "%s", why);
    loop_stop(watch->loop);
}

/* --- the whole --- */

static int run_loop(struct experiment_watch *watch, struct err *err)
{
    loop_signal(watch->loop, SIGINT, on_interrupt, watch);
    loop_signal(watch->loop, SIGTERM, on_terminate, watch);
    loop_signal(watch->loop, SIGHUP, on_terminate, watch);
    watch->supervisor = supervisor_start(watch->loop, watch->setup->supervise, on_end, watch, err);
    if (!watch->supervisor)
        return -1;
    watch->timer = loop_timer(watch->loop, 0, look_again, watch);
    if (loop_run(watch->loop, err))
        return -1;
    if (watch->wanted == WANT_KILL)
        return 1;
    if (watch->status)
        err_write(err, "%s", watch->why.text);
    return watch->status == SUPERVISE_REFUSED ? WATCH_REFUSED : -(watch->status != 0);
}

int watch_experiment(struct console *console, const struct watch_setup *setup, struct err *err)
{
    struct experiment_watch watch = {.setup = setup, .console = console, .live = {.stream = console->err}};
    signal(SIGPIPE, SIG_IGN); /* who reads our output may go; the search goes on */
    watch.loop = loop_create();
    int result = run_loop(&watch, err);
    console_unpaint(&watch.live);
    if (!setup->quiet && !console->err_look.live && watch.supervisor)
        draw_last(&watch);
    source_close(watch.source);
    supervisor_destroy(watch.supervisor);
    loop_destroy(watch.loop);
    return result;
}

void watch_show_best(struct console *console, struct live_line *live, struct source *source,
                     const struct run_progress *progress, uint64_t *shown)
{
    const struct look *look = &console->err_look;
    struct trial_query query = {.trial = progress->best_trial};
    struct buf text = {0}, params = {0};
    char number[32];
    if (!progress->has_best || progress->best_trial == *shown)
        return;
    *shown = progress->best_trial;
    json_t *trials = source_trials(source, &query, NULL);
    format_params(json_object_get(json_array_get(trials, 0), "params"), " ", &params);
    buf_format(&text, "trial %" PRIu64 "  ", progress->best_trial);
    format_safe(progress->metric, &text);
    buf_format(&text, " %s  ", format_number(progress->best, number, sizeof number));
    size_t used = format_width(buf_str(&text));
    format_cut(look, buf_str(&params), look->width > used ? look->width - used : 0, &text);
    console_unpaint(live);
    fprintf(console->err, "%s\n", buf_str(&text));
    json_decref(trials);
    buf_fini(&text);
    buf_fini(&params);
}
