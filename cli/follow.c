/* Following a submitted experiment; see follow.h.
 *
 * A coordinator that lives is asked how it stands, as gannet status does. As long as none lives the controller is asked
 * now and then whether there is still a job that will bring one: the search goes on over several jobs, and between two
 * of them nothing runs. When it has reached one of its own limits, or there is no such job any more, it has ended. */
#include "cli/follow.h"
#include "cli/live.h"
#include "cli/outcome.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/source.h"
#include "cli/status.h"
#include "common/clock.h"
#include "common/loop.h"
#include "common/mem.h"
#include "common/units.h"
#include "scheduler/slurm/agent.h"
#include "scheduler/slurm/client.h"
#include "scheduler/slurm/record.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Seconds. The controller is there for thousands of people: one question in 10 s is what gannet allows itself. */
static const double looking = 0.5, asking = 10, patience = 60;

struct follow {
    struct console *console;
    const struct rundir *dir;
    const char *name;
    struct loop *loop;
    struct loop_watch *timer;
    struct slurm_client *client;
    struct live live;
    struct pace pace;
    double asked;         /* when the controller was asked last; 0: never */
    bool waits, answered; /* an answer is on its way; one has come since the last coordinator lived */
    bool has_job;         /* the last answer: there is a job that has not ended */
    struct buf said;      /* the last line off a terminal */
    bool interrupted, ended;
};

/* --- drawing --- */

static void draw_line(struct follow *follow, const char *line)
{
    if (follow->console->err_look.live) {
        live_paint(&follow->live, line);
    } else if (!follow->said.length || strcmp(buf_str(&follow->said), line) != 0) {
        fprintf(follow->console->err, "%s\n", line);
        buf_fini(&follow->said);
        buf_text(&follow->said, line);
    }
}

static void draw_progress(struct follow *follow, const struct snapshot *snapshot, const char *trouble)
{
    struct buf line = {0};
    struct progress progress = progress_of(follow->name, "best", snapshot);
    progress.note = trouble;
    console_measure(follow->console);
    if (follow->console->err_look.live) {
        progress_line(&progress, &follow->console->err_look, &line);
        live_paint(&follow->live, buf_str(&line));
    } else if (pace_due(&follow->pace, &progress, clock_monotonic())) {
        progress_plain(&progress, clock_wall(), &line);
        console_write(follow->console->err, &line);
    }
    buf_fini(&line);
}

/* "job 12 pending: Priority, expected 14:05" */
static void draw_job(struct follow *follow, const struct slurm_job *job)
{
    struct buf line = {0};
    buf_format(&line, "job %u %s", job->id, slurm_state_name(job->state));
    if (job->state == SLURM_PENDING && *job->reason)
        buf_format(&line, ": %s", job->reason);
    if (job->state == SLURM_PENDING && job->ends > 0) {
        char clock[32];
        time_t then = (time_t)job->ends;
        struct tm day;
        bool today = job->ends - clock_wall() < 86400;
        strftime(clock, sizeof clock, today ? "%H:%M" : "%Y-%m-%d %H:%M", localtime_r(&then, &day));
        buf_format(&line, ", expected %s", clock);
    }
    draw_line(follow, buf_str(&line));
    buf_fini(&line);
}

/* --- the controller --- */

/* The job that brings the next coordinator: workers alone don't count. */
static bool brings_coordinator(const struct slurm_record *record, const struct slurm_job *job)
{
    for (uint32_t i = 0; i < record->count; i++)
        if (record->items[i].role == SLURM_ROLE_WORKER &&
            (record->items[i].id == job->id || (job->array && record->items[i].id == job->array)))
            return false;
    return true;
}

static void take_jobs(struct follow *follow, const json_t *jobs)
{
    struct slurm_record record;
    size_t i;
    json_t *item;
    follow->has_job = false;
    if (slurm_record_read(follow->dir, &record, NULL))
        return;
    json_array_foreach(jobs, i, item)
    {
        struct slurm_job job;
        if (slurm_job_read(item, &job) || !brings_coordinator(&record, &job))
            continue;
        follow->has_job = true;
        draw_job(follow, &job);
    }
    slurm_record_fini(&record);
}

static void on_answer(void *context, const json_t *answer, int number, const char *error)
{
    struct follow *follow = context;
    (void)number;
    follow->waits = false;
    follow->asked = clock_monotonic();
    if (answer) {
        follow->answered = true;
        take_jobs(follow, json_object_get(answer, "jobs"));
    } else {
        draw_line(follow, error);
    }
    loop_move(follow->timer, 0);
}

static void ask(struct follow *follow)
{
    struct slurm_record record;
    if (follow->waits || (follow->asked > 0 && clock_monotonic() < follow->asked + asking) ||
        slurm_record_read(follow->dir, &record, NULL))
        return;
    follow->waits = true;
    slurm_client_ask(follow->client, slurm_ask_find(record.comment), patience, on_answer, follow);
    slurm_record_fini(&record);
}

/* --- looking --- */

static void look_at(struct follow *follow, struct source *source)
{
    struct standing standing = {0};
    if (source_lives(source) && source_standing(source, &standing, NULL) == STATUS_OK) {
        follow->answered = false;
        draw_progress(follow, &standing.snapshot, standing.trouble);
    } else if (source_recorded(source, &standing, NULL) == 0 && !source_lives(source)) {
        follow->ended = outcome_is_final(&standing.snapshot) || (follow->answered && !follow->has_job);
        if (!follow->ended)
            ask(follow);
    }
    standing_fini(&standing);
}

static void look(void *context)
{
    struct follow *follow = context;
    struct source *source = NULL;
    if (source_open_dir(follow->dir, &source, NULL) == STATUS_OK)
        look_at(follow, source);
    source_close(source);
    if (follow->ended)
        loop_stop(follow->loop);
    follow->timer = loop_timer(follow->loop, looking, look, follow);
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
    live_clear(&follow->live);
    if (failed)
        return console_fail(console, STATUS_FAILED, err);
    if (!follow->interrupted)
        return report_end(console, follow->dir, false, false);
    fprintf(console->err, "gannet: the job goes on; see it with %sgannet status %s, end it with %sgannet cancel %s\n",
            console->programs, follow->name, console->programs, follow->name);
    return STATUS_INTERRUPTED;
}

int follow_submitted(struct console *console, const struct rundir *dir, const char *name)
{
    struct follow follow = {.console = console, .dir = dir, .name = name, .live = {.stream = console->err}};
    struct err err;
    follow.loop = loop_create();
    follow.client = slurm_client_create(follow.loop, NULL);
    loop_signal(follow.loop, SIGINT, on_interrupt, &follow);
    loop_signal(follow.loop, SIGTERM, on_interrupt, &follow);
    loop_signal(follow.loop, SIGHUP, on_interrupt, &follow);
    follow.timer = loop_timer(follow.loop, 0, look, &follow);
    int failed = loop_run(follow.loop, &err);
    slurm_client_destroy(follow.client);
    loop_destroy(follow.loop);
    int status = close_down(&follow, failed, &err);
    buf_fini(&follow.said);
    return status;
}
