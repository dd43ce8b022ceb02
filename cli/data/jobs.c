/* An experiment's jobs at Slurm; see jobs.h. */
#include "cli/data/jobs.h"
#include "cli/status.h"
#include "common/clock.h"
#include "scheduler/slurm/slurm_agent.h"
#include "scheduler/slurm/client.h"

#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool jobs_exist(const struct slurm_record *record)
{
    return record->count || record->unsure > 0;
}

bool jobs_is_open(const struct slurm_submission *one)
{
    return !slurm_state_is_end(one->seen.state);
}

const struct slurm_submission *jobs_main(const struct slurm_record *record, bool of_workers)
{
    const struct slurm_submission *best = NULL;
    for (uint32_t i = 0; i < record->count; i++) {
        const struct slurm_submission *one = &record->items[i];
        if ((one->role == SLURM_ROLE_WORKER) == of_workers && (!best || jobs_is_open(one) || !jobs_is_open(best)))
            best = one;
    }
    return best;
}

/* A coordinator that lives says that its job runs, whatever was seen of the queue before it did. */
static void see_coordinator(struct slurm_record *record)
{
    struct slurm_submission *job = (struct slurm_submission *)jobs_main(record, false);
    if (job && job->seen.state == SLURM_PENDING)
        job->seen.state = SLURM_RUNNING;
}

void jobs_read(const struct rundir *dir, bool lives, struct slurm_record *out, struct err *err)
{
    *err->text = '\0';
    if (slurm_record_read(dir, out, err))
        return;
    if (lives)
        see_coordinator(out);
    if (lives || !jobs_exist(out) || slurm_refresh(dir, err))
        return;
    slurm_record_fini(out);
    (void)slurm_record_read(dir, out, err);
}

bool jobs_bring_more(const struct slurm_record *record)
{
    for (uint32_t i = 0; i < record->count; i++)
        if (record->items[i].role != SLURM_ROLE_WORKER && jobs_is_open(&record->items[i]))
            return true;
    return false;
}

bool jobs_wait(const struct slurm_record *record)
{
    const struct slurm_submission *job = jobs_main(record, false);
    return job && job->seen.state == SLURM_PENDING;
}

bool jobs_is_cancelled(const struct slurm_submission *job)
{
    return job && job->seen.state == SLURM_CANCELLED;
}

const char *jobs_state(const struct slurm_record *record)
{
    const struct slurm_submission *job = jobs_main(record, false);
    if (record->paused && !jobs_is_cancelled(job))
        return "paused";
    if (!job || !jobs_is_open(job))
        return NULL;
    if (slurm_job_is_ending(&job->seen))
        return "ending";
    return job->seen.state == SLURM_PENDING ? "pending" : "starting";
}

static const double patience = 120; /* seconds for one answer; see cli/session/submission.c */

static void settle_jobs(void *context, struct slurm_record *record)
{
    const struct slurm_jobs *jobs = context;
    for (uint32_t i = 0; i < jobs->count; i++)
        slurm_record_settle(record, &jobs->items[i]);
}

int job_queue_read(const struct rundir *dir, struct job_queue *out, struct err *err)
{
    struct slurm_record record;
    *out = (struct job_queue){.dir = dir};
    if (slurm_record_read(dir, &record, err))
        return STATUS_FAILED;
    out->submitted = jobs_exist(&record);
    json_t *answer = out->submitted ? slurm_ask_now(slurm_ask_find(record.comment), patience, NULL, err) : NULL;
    bool failed = out->submitted && (!answer || slurm_jobs_read(answer, &out->jobs, err));
    if (record.unsure > 0 && out->jobs.count)
        (void)slurm_record_change(dir, settle_jobs, &out->jobs, NULL);
    slurm_record_fini(&record);
    json_decref(answer);
    return failed ? STATUS_SCHEDULER : STATUS_OK;
}

void job_queue_fini(struct job_queue *queue)
{
    slurm_jobs_fini(&queue->jobs);
    *queue = (struct job_queue){0};
}

static bool has_state(const struct job_queue *queue, enum slurm_state state)
{
    for (uint32_t i = 0; i < queue->jobs.count; i++)
        if (queue->jobs.items[i].state == state && !slurm_job_is_ending(&queue->jobs.items[i]))
            return true;
    return false;
}

bool job_queue_runs(const struct job_queue *queue)
{
    return has_state(queue, SLURM_RUNNING);
}

bool job_queue_waits(const struct job_queue *queue)
{
    return has_state(queue, SLURM_PENDING);
}

/* Whether a person holds it back. */
static bool is_held(const struct slurm_job *job)
{
    return strncmp(job->reason, "JobHeld", 7) == 0;
}

/* The number of the job as a whole; for all elements of an array the same. */
static uint32_t whole_job(const struct slurm_job *job)
{
    return job->array ? job->array : job->id;
}

/* A change to jobs of the queue. */
struct queue_change {
    bool all;               /* it is meant for all jobs, whatever their state */
    enum slurm_state state; /* it is meant for jobs in this state */
    bool holds, hold;       /* it holds jobs (hold) or releases them, those that are not held or released already */
    int number;             /* without `holds`: the signal that it sends; 0: it cancels */
};

static bool is_meant(const struct queue_change *change, const struct slurm_job *job)
{
    if (change->holds && is_held(job) == change->hold)
        return false;
    return change->all || job->state == change->state;
}

/* Whether another element of the same array that is meant comes before it in the list. */
static bool is_repeated(const struct job_queue *queue, const struct queue_change *change, uint32_t at)
{
    for (uint32_t i = 0; i < at; i++)
        if (whole_job(&queue->jobs.items[i]) == whole_job(&queue->jobs.items[at]) &&
            is_meant(change, &queue->jobs.items[i]))
            return true;
    return false;
}

/* 0, or -1 with a sentence. */
static int do_one(const struct queue_change *change, uint32_t id, struct err *err)
{
    char which[16];
    snprintf(which, sizeof which, "%u", id);
    json_t *question = change->holds ? slurm_ask_hold(id, change->hold) : slurm_ask_cancel(which, change->number);
    json_t *answer = slurm_ask_now(question, patience, NULL, err);
    json_decref(answer);
    return answer ? 0 : err_prefix(err, "job %s", which);
}

/* Slurm forgets who had it end a job. */
static void sign_end(struct slurm_job *job)
{
    const struct passwd *user = getpwuid(geteuid());
    char node[65] = "?";
    gethostname(node, sizeof node - 1);
    if (user)
        snprintf(job->by, sizeof job->by, "by gannet, for %.20s on %.20s", user->pw_name, node);
    else
        snprintf(job->by, sizeof job->by, "by gannet, for user %u on %.20s", (unsigned)geteuid(), node);
}

static void mark_cancelled(struct slurm_job *job)
{
    job->state = job->final_state = SLURM_CANCELLED;
    job->started = 0;
    job->ends = clock_wall();
    *job->reason = *job->nodes = *job->batch_node = '\0';
}

/* What has become of a job that waited. */
static void mark_job(const struct queue_change *change, struct slurm_job *job)
{
    if (!change->holds && !change->number)
        sign_end(job);
    if (job->state != SLURM_PENDING)
        return;
    if (change->holds)
        snprintf(job->reason, sizeof job->reason, change->hold ? "JobHeldUser" : "None");
    else if (!change->number)
        mark_cancelled(job);
}

static bool is_of(const struct slurm_jobs *jobs, uint32_t id)
{
    for (uint32_t i = 0; i < jobs->count; i++)
        if (whole_job(&jobs->items[i]) == id)
            return true;
    return false;
}

/* What has become of those that ran shows in a moment: whoever looks next asks. */
static void record_jobs(void *context, struct slurm_record *record)
{
    const struct slurm_jobs *jobs = context;
    slurm_record_update(record, jobs, false, clock_wall());
    for (uint32_t i = 0; i < record->count; i++)
        if (jobs_is_open(&record->items[i]) && record->items[i].seen.state != SLURM_PENDING &&
            is_of(jobs, record->items[i].id))
            record->asked = record->items[i].looked = 0;
}

/* Commands within the next seconds read it in the record. The change is made, also when it can't be recorded. */
static void record_change(struct job_queue *queue, const struct queue_change *change)
{
    for (uint32_t i = 0; i < queue->jobs.count; i++)
        if (is_meant(change, &queue->jobs.items[i]))
            mark_job(change, &queue->jobs.items[i]);
    (void)slurm_record_change(queue->dir, record_jobs, &queue->jobs, NULL);
}

static int do_all(struct job_queue *queue, const struct queue_change *change, struct err *err)
{
    int count = 0;
    for (uint32_t i = 0; i < queue->jobs.count; i++) {
        const struct slurm_job *job = &queue->jobs.items[i];
        if (!is_meant(change, job) || is_repeated(queue, change, i))
            continue;
        if (do_one(change, whole_job(job), err))
            return -1;
        count++;
    }
    record_change(queue, change);
    return count;
}

static int cancel_jobs(struct job_queue *queue, struct err *err)
{
    return do_all(queue, &(struct queue_change){.all = true}, err);
}

int job_queue_hold(struct job_queue *queue, bool hold, struct err *err)
{
    return do_all(queue, &(struct queue_change){.state = SLURM_PENDING, .holds = true, .hold = hold}, err);
}

int job_queue_signal(struct job_queue *queue, int number, struct err *err)
{
    return do_all(queue, &(struct queue_change){.state = SLURM_RUNNING, .number = number}, err);
}

static void set_paused(void *context, struct slurm_record *record)
{
    record->paused = *(const bool *)context;
}

int job_queue_set_paused(const struct rundir *dir, bool paused, struct err *err)
{
    return slurm_record_change(dir, set_paused, &paused, err);
}

bool jobs_may_come(const struct rundir *dir)
{
    struct slurm_record record;
    bool may = slurm_record_read(dir, &record, NULL) == 0 && record.unsure > 0;
    slurm_record_fini(&record);
    return may;
}

int job_queue_end(const struct rundir *dir, int *count, struct err *err)
{
    struct job_queue queue;
    *count = 0;
    if (jobs_may_come(dir) && job_queue_set_paused(dir, true, err))
        return STATUS_FAILED;
    int status = job_queue_read(dir, &queue, err);
    if (!status && queue.submitted)
        *count = job_queue_set_paused(dir, true, err) ? -1 : cancel_jobs(&queue, err);
    job_queue_fini(&queue);
    return *count < 0 ? STATUS_SCHEDULER : status;
}
