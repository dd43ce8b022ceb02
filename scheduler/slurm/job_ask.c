/* What the batch process asks Slurm: how long the job has, and, when a signal comes, what it means; see job_parts.h.
 *
 * In the usual course it is asked at the start, every ten minutes, since administrators extend limits and trials that
 * would not fit wait for that, and shortly before the end. A controller that does not answer costs knowledge only:
 * without the end, Slurm's warning has to do. */
#include "scheduler/slurm/job_parts.h"

#include "common/clock.h"
#include "common/log.h"
#include "common/mem.h"
#include "common/units.h"
#include "scheduler/slurm/agent.h"
#include "scheduler/slurm/refresh.h"

#include <math.h>
#include <signal.h>

static const double start_patience = 5;  /* seconds; so long a start waits for the controller at most */
static const double usual_patience = 15; /* a controller that is being started again answers within its timeout of 10 */
static const double end_patience = 1;    /* after SIGTERM, until SIGKILL, there are KillWait seconds, 30 by default */
static const double ask_before = 30;     /* before the warning: is the end still the same? */
static const double ask_pause = 10;      /* between two questions at least */
static const double ask_most = 600;      /* and at most */
static const double retry_pause = 60;    /* after one that was not answered */
static const double no_limit = 300 * 86400.; /* a job without a limit ends in a year, says Slurm */
static const double signal_early = 90;       /* Slurm's warning comes up to 60 s early, rounded to 30 s */

/* --- answers --- */

/* What is taken into the record of submissions. */
struct job_news {
    uint32_t id;
    const struct slurm_jobs *jobs;
};

static void note_job(void *context, struct slurm_record *record)
{
    const struct job_news *news = context;
    bool known = false;
    for (uint32_t i = 0; i < record->count; i++)
        known |= record->items[i].id == news->id;
    if (!known) /* submitted by hand */
        slurm_record_add(record, news->id, SLURM_ROLE_EXPERIMENT);
    slurm_record_update(record, news->jobs, false, clock_wall());
}

/* Our job in an answer, which is written down for commands; false when it is not there. */
static bool take_job(const struct job *job, const json_t *answer, struct slurm_job *out)
{
    struct job_news news = {.id = job->allocation.id};
    struct slurm_jobs jobs = {0};
    struct err err;
    bool found = false;
    if (!answer || slurm_jobs_read(answer, &jobs, NULL))
        return false;
    for (uint32_t i = 0; i < jobs.count && !found; i++)
        if ((found = jobs.items[i].id == news.id))
            *out = jobs.items[i];
    news.jobs = &jobs;
    if (found && slurm_record_change(job->setup->dir, note_job, &news, &err))
        log_warning("%s", err.text);
    slurm_jobs_fini(&jobs);
    return found;
}

static void ask_about_job(struct job *job, double patience, slurm_answered *answered)
{
    slurm_client_ask(job->client, slurm_ask_job(job->allocation.id), patience, answered, job);
}

/* --- the end --- */

static void ask_again(void *context)
{
    struct job *job = context;
    job->next_question = NULL;
    job_ask_end(job);
}

static void ask_in(struct job *job, double seconds)
{
    loop_remove(job->next_question);
    job->next_question = loop_timer(job->loop, seconds, ask_again, job);
}

/* Asks again now and then and shortly before the warning, unless that is now. */
static void plan_question(struct job *job)
{
    double left = job->ends - clock_wall() - job->spec->slurm.signal_before_end;
    if (job->ends > 0 && left > ask_pause)
        ask_in(job, fmin(fmax(left - ask_before, ask_pause), ask_most));
}

/* A job that was submitted by hand may be too short for the usual warning; gannet submit has seen to that already. */
static void settle_warning(struct job *job, const struct slurm_job *seen)
{
    double whole = seen->ends - seen->started, *warning = &job->spec->slurm.signal_before_end;
    if (seen->ends > 0 && seen->started > 0 && *warning > whole / 2)
        *warning = whole / 4;
}

static void learn_end(struct job *job, const struct slurm_job *seen)
{
    char time[40];
    bool unlimited = seen->started > 0 && seen->ends - seen->started > no_limit;
    double ends = unlimited && !(job->ends > 0) ? 0 : seen->ends; /* a limit that is lifted is news */
    bool changed = ends != job->ends;
    job->ends = ends;
    if (changed) {
        settle_warning(job, seen);
        log_info("the job's time is up at %s", units_show_time(job->ends, time, sizeof time));
        if (job->supervisor)
            supervisor_deadline(job->supervisor, job->ends);
    }
    plan_question(job);
}

static void on_end_known(void *context, const json_t *answer, int number, const char *error)
{
    (void)number;
    struct job *job = context;
    struct slurm_job seen;
    if (take_job(job, answer, &seen)) {
        learn_end(job, &seen);
        if (!job->begun)
            job->cores = mem_text(json_string_value(json_object_get(answer, "cores")));
    } else {
        log_warning("Slurm does not say when the job ends: %s", error ? error : "it does not know the job");
        ask_in(job, retry_pause);
    }
    job_begin(job);
}

void job_ask_end(struct job *job)
{
    ask_about_job(job, job->begun ? usual_patience : start_patience, on_end_known);
}

/* --- the warning --- */

/* Slurm's own warning is early by up to a minute and a half. The coordinator has a clock and uses that time; but a
 * warning that Slurm's clock does not explain comes from a person or for another reason, and counts at once. */
static bool is_only_early(const struct job *job)
{
    double left = job->ends - clock_wall() - job->spec->slurm.signal_before_end;
    return job->ends > 0 && left > 0 && left < signal_early;
}

static void on_warning_explained(void *context, const json_t *answer, int number, const char *error)
{
    (void)number;
    (void)error;
    struct job *job = context;
    struct slurm_job seen;
    if (take_job(job, answer, &seen))
        learn_end(job, &seen);
    if (answer && is_only_early(job)) {
        log_info("Slurm's warning has come; there is still some time");
    } else if (job->supervisor) {
        log_info("Slurm's warning has come");
        supervisor_signal(job->supervisor, SIGUSR1);
    }
}

void job_warned(struct job *job)
{
    ask_about_job(job, end_patience, on_warning_explained);
}

/* --- SIGTERM --- */

/* What the coordinator is told, by the state that Slurm gives a job that it ends. */
static int signal_for(const struct job *job)
{
    if (job->requeued)
        return SIGUSR2;
    switch (job->state) {
    case SLURM_TIMEOUT:
        return SIGUSR1;
    case SLURM_CANCELLED:
    case SLURM_RUNNING: /* somebody signals this process alone */
        return SIGINT;
    default:
        return SIGUSR2;
    }
}

static void on_end_explained(void *context, const json_t *answer, int number, const char *error)
{
    (void)number;
    struct job *job = context;
    struct slurm_job seen = {.state = SLURM_PREEMPTED};
    if (!take_job(job, answer, &seen))
        log_warning("Slurm does not say why it ends the job: %s", error ? error : "it does not know the job");
    job->state = seen.state == SLURM_RUNNING ? seen.final_state : seen.state;
    job->requeued = seen.requeued || seen.state == SLURM_PENDING;
    log_info("the job is ended by Slurm: %s%s", slurm_state_name(job->state), job->requeued ? ", and comes back" : "");
    if (job->supervisor)
        supervisor_signal(job->supervisor, signal_for(job));
    else
        loop_stop(job->loop);
}

void job_terminated(struct job *job)
{
    if (job->ended_by_slurm)
        return; /* at a time limit it comes twice */
    job->ended_by_slurm = true;
    ask_about_job(job, end_patience, on_end_explained);
}
