/* The batch process; see job.h.
 *
 *     start      asks Slurm when the job ends, then starts coordinator and workers (supervise.h)
 *     running    SIGUSR1, Slurm's warning, and SIGTERM, its end, are passed on to the coordinator as what they mean:
 *
 *                    SIGUSR1   the time is up: trials save what they have and wait
 *                    SIGUSR2   the job is taken away and comes back: the same, for another reason
 *                    SIGINT    a person ends it
 *
 *     end        when the search has not come to its own end: puts the job back into the queue
 *
 * Slurm sends SIGTERM to every process of the job at once. Workers leave by themselves then; the coordinator waits for
 * word from here (gannet coordinator --led).
 *
 * When the job ends is asked at the start, every ten minutes, since administrators extend limits and trials that would
 * not fit wait for that, and shortly before the end. A controller that does not answer costs knowledge only: without
 * the end, Slurm's warning has to do. */
#include "scheduler/slurm/job/job.h"

#include "common/clock.h"
#include "common/log.h"
#include "common/mem.h"
#include "common/units.h"
#include "scheduler/coordinator/endpoint.h"
#include "scheduler/slurm/slurm_agent.h"
#include "scheduler/slurm/allocation.h"
#include "scheduler/slurm/client.h"
#include "scheduler/slurm/refresh.h"
#include "scheduler/slurm/job/step.h"
#include "scheduler/supervisor/supervise.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>

static const double start_patience = 5;  /* seconds; so long a start waits for the controller at most */
static const double usual_patience = 15; /* a controller that is being started again answers within its timeout of 10 */
static const double end_patience = 1;    /* after SIGTERM, until SIGKILL, there are KillWait seconds, 30 by default */
static const double ask_before = 30;     /* before the warning: is the end still the same? */
static const double ask_pause = 10;      /* between two questions at least */
static const double ask_most = 600;      /* and at most */
static const double retry_pause = 60;    /* after one that was not answered */
static const double no_limit = 300 * 86400.; /* a job without a limit ends in a year, says Slurm */
static const double signal_early = 90;       /* Slurm's warning comes up to 60 s early, rounded to 30 s */

struct job {
    const struct slurm_job_setup *setup;
    struct allocation allocation;
    struct spec *spec;
    struct loop *loop;
    struct slurm_client *client;
    struct supervisor *supervisor;    /* NULL: not started yet */
    struct loop_watch *next_question; /* when Slurm is asked again how long there is; NULL: it is not */
    bool begun;                       /* the supervisor was started, or could not be */
    char *cores, *gpus;               /* that the job has on each node, as in struct slurm_jobs; NULL: not known */
    double ends;                      /* when the job's time is up, seconds since 1970; 0: not known */
    bool ended_by_slurm;              /* it takes the job away */
    enum slurm_state state;           /* as what the job counts that Slurm ends */
    bool requeued;                    /* Slurm puts the job that it ends back into the queue by itself */
    int status;                       /* of the session */
    struct err why;
};

/* --- starting --- */

static void on_session_ended(void *context, int status, const char *why)
{
    struct job *job = context;
    job->status = status;
    if (status)
        err_write(&job->why, "%s", why);
    loop_stop(job->loop);
}

/* What the coordinator is told of the job. */
static void add_options(const struct job *job, struct texts *out)
{
    texts_add(out, mem_text("--led"));
    texts_add(out, mem_format("--warn=%.0f", job->spec->slurm.signal_before_end));
    if (job->ends > 0)
        texts_add(out, mem_format("--until=%.0f", job->ends));
    if (job->setup->no_workers)
        texts_add(out, mem_text("--allocate"));
    else
        texts_add(out, mem_format("--nodes=%zu", job->allocation.nodes.count));
}

static int start_all(struct job *job, struct err *err)
{
    struct texts options = {0};
    struct job_steps steps = {0};
    struct supervise_setup setup = {.dir = job->setup->dir,
                                    .only_others = job->setup->no_workers,
                                    .alone = !job->setup->no_workers,
                                    .listen = ENDPOINT_ANYWHERE};
    static const char *const requeued[] = {"--requeued", NULL};
    add_options(job, &options);
    setup.options = (const char *const *)options.items;
    if (job->allocation.restarts)
        setup.once = requeued;
    if (!job->setup->no_workers) {
        steps_make(&job->allocation, job->spec->slurm.workers_per_node, &(struct step_known){job->cores, job->gpus},
                   job->setup->dir, &steps);
        setup.commands = steps.workers;
        setup.workers = steps.count;
    }
    job->supervisor = supervisor_start(job->loop, &setup, on_session_ended, job, err);
    steps_fini(&steps);
    texts_fini(&options);
    return job->supervisor ? 0 : -1;
}

static void begin_job(struct job *job)
{
    if (job->begun)
        return;
    job->begun = true;
    if (start_all(job, &job->why)) {
        job->status = 1;
        loop_stop(job->loop);
    }
}

/* --- answers --- */

/* What is taken into the record of submissions. */
struct job_news {
    uint32_t id;
    const struct slurm_jobs *jobs;
};

static void note_job(void *context, struct slurm_record *record)
{
    const struct job_news *news = context;
    enum slurm_role role = SLURM_ROLE_EXPERIMENT; /* when it was submitted by hand */
    for (uint32_t i = 0; i < record->count; i++)
        if (record->items[i].id == news->id)
            role = record->items[i].role;
    for (uint32_t i = 0; i < news->jobs->count; i++)
        slurm_record_settle(record, &news->jobs->items[i]);
    slurm_record_add(record, news->id, role); /* also one that came back after its record was closed */
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

static void ask_for_end(void *context);

static void ask_in(struct job *job, double seconds)
{
    loop_remove(job->next_question);
    job->next_question = loop_timer(job->loop, seconds, ask_for_end, job);
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
        if (!job->begun) {
            job->cores = mem_text(json_string_value(json_object_get(answer, "cores")));
            job->gpus = mem_text(json_string_value(json_object_get(answer, "gpus")));
        }
    } else {
        log_warning("Slurm does not say when the job ends: %s", error ? error : "it does not know the job");
        ask_in(job, retry_pause);
    }
    begin_job(job);
}

/* Asks when the job ends; the start, or what has changed, follows. */
static void ask_for_end(void *context)
{
    struct job *job = context;
    job->next_question = NULL;
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

static void on_warning(void *context)
{
    struct job *job = context;
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
    job->requeued = seen.requeued || seen.state == SLURM_PENDING;
    job->state = seen.state == SLURM_RUNNING || seen.requeued ? seen.final_state : seen.state;
    log_info("the job is ended by Slurm: %s%s", slurm_state_name(job->state), job->requeued ? ", and comes back" : "");
    if (job->supervisor)
        supervisor_signal(job->supervisor, signal_for(job));
    else
        loop_stop(job->loop);
}

static void on_end(void *context)
{
    struct job *job = context;
    if (job->ended_by_slurm)
        return; /* at a time limit it comes twice */
    job->ended_by_slurm = true;
    ask_about_job(job, end_patience, on_end_explained);
}

static void on_interrupt(void *context)
{
    struct job *job = context;
    if (job->supervisor)
        supervisor_signal(job->supervisor, SIGINT);
}

/* --- the whole --- */

static int prepare_job(struct job *job, struct err *err)
{
    if (allocation_read(getenv, &job->allocation, err))
        return -1;
    if (!job->allocation.id || !job->allocation.nodes.count)
        return err_set(err, "this is inside no job of Slurm: `gannet job` is what a batch script ends in. Submit with "
                            "`gannet submit`, or run here with `gannet run`");
    job->spec = rundir_spec(job->setup->dir, err);
    return job->spec ? endpoint_check(&job->spec->network, ENDPOINT_ANYWHERE, err) : -1;
}

/* A job that was asked for while Slurm did not answer may come when nobody wants it any more. */
static int check_wanted(const struct job *job, enum reason *reason, struct err *err)
{
    struct slurm_record record;
    if (slurm_record_read(job->setup->dir, &record, err))
        return -1;
    bool unwanted = record.paused && record.unsure > 0;
    for (uint32_t i = 0; i < record.count; i++)
        unwanted = unwanted && record.items[i].id != job->allocation.id;
    slurm_record_fini(&record);
    *reason = unwanted ? REASON_STOPPED : REASON_NONE;
    return unwanted ? err_set(err, "the experiment was ended before it was known that Slurm had taken this job: "
                                   "`gannet resume` goes on with it")
                    : 0;
}

static int run_session(struct job *job, struct err *err)
{
    signal(SIGPIPE, SIG_IGN);
    step_clean_environment();
    job->loop = loop_create();
    loop_signal(job->loop, SIGUSR1, on_warning, job);
    loop_signal(job->loop, SIGTERM, on_end, job);
    loop_signal(job->loop, SIGINT, on_interrupt, job);
    loop_signal(job->loop, SIGHUP, on_interrupt, job);
    job->client = slurm_client_create(job->loop, NULL);
    log_info("job %u on %zu node%s%s", job->allocation.id, job->allocation.nodes.count,
             job->allocation.nodes.count == 1 ? "" : "s", job->allocation.restarts ? ", in the queue before" : "");
    ask_for_end(job);
    int failed = loop_run(job->loop, err);
    if (!failed && job->status)
        failed = err_set(err, "%s", job->why.text);
    loop_remove(job->next_question);
    supervisor_destroy(job->supervisor);
    slurm_client_destroy(job->client);
    loop_destroy(job->loop);
    return failed;
}

/* Whether the search is to go on in another job. */
static bool is_to_go_on(const struct job *job, enum reason reason)
{
    if (job->ended_by_slurm && (job->requeued || job->state == SLURM_CANCELLED))
        return false; /* Slurm itself has seen to it, or a person wants no more */
    return reason == REASON_WALLTIME || reason == REASON_PREEMPTED;
}

static int finish_session(struct job *job, enum reason *reason, struct err *err)
{
    enum experiment_state state;
    if (!rundir_reason(job->setup->dir, &state, reason))
        return err_set(err, "%s can't be read, so it is not known how the session ended", job->setup->dir->store);
    log_info("the session has ended: %s", reason_sentence(*reason));
    return is_to_go_on(job, *reason) ? slurm_job_next(job->setup, job->allocation.id, job->spec, NULL, err) : 0;
}

static void free_job(struct job *job)
{
    spec_destroy(job->spec);
    allocation_fini(&job->allocation);
    free(job->cores);
    free(job->gpus);
}

int slurm_job_run(const struct slurm_job_setup *setup, enum reason *reason, struct err *err)
{
    struct job job = {.setup = setup};
    *reason = REASON_NONE;
    int unfit = prepare_job(&job, err);
    int failed =
        unfit || check_wanted(&job, reason, err) || run_session(&job, err) || finish_session(&job, reason, err);
    free_job(&job);
    return !failed ? 0 : unfit ? SLURM_JOB_UNFIT : -1;
}
