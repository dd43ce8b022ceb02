/* The jobs of a submitted experiment; see job_queue.h. */
#include "cli/view/job_queue.h"
#include "cli/status.h"
#include "common/clock.h"
#include "scheduler/slurm/client.h"

#include <stdio.h>
#include <string.h>

static const double patience = 120; /* seconds for one answer; see cli/session/submission.c */

int queue_read(const struct rundir *dir, struct queue *out, struct err *err)
{
    struct slurm_record record;
    *out = (struct queue){.dir = dir};
    if (slurm_record_read(dir, &record, err))
        return STATUS_FAILED;
    out->submitted = record.count > 0;
    json_t *answer = out->submitted ? slurm_ask_now(slurm_ask_find(record.comment), patience, NULL, err) : NULL;
    slurm_record_fini(&record);
    bool failed = out->submitted && (!answer || slurm_jobs_read(answer, &out->jobs, err));
    json_decref(answer);
    return failed ? STATUS_SCHEDULER : STATUS_OK;
}

void queue_fini(struct queue *queue)
{
    slurm_jobs_fini(&queue->jobs);
    *queue = (struct queue){0};
}

static bool has_state(const struct queue *queue, enum slurm_state state)
{
    for (uint32_t i = 0; i < queue->jobs.count; i++)
        if (queue->jobs.items[i].state == state)
            return true;
    return false;
}

bool queue_runs(const struct queue *queue)
{
    return has_state(queue, SLURM_RUNNING);
}

bool queue_waits(const struct queue *queue)
{
    return has_state(queue, SLURM_PENDING);
}

/* Whether a person holds it back. */
static bool is_held(const struct slurm_job *job)
{
    return strncmp(job->reason, "JobHeld", 7) == 0;
}

/* The number that stands for the job; for all elements of an array the same. */
static uint32_t whole(const struct slurm_job *job)
{
    return job->array ? job->array : job->id;
}

/* What is done to each job. */
struct deed {
    bool all;               /* to all of them, */
    enum slurm_state state; /* else to those in this state */
    bool holds, hold;       /* it holds or releases, those that are not so already */
    int number;             /* else it sends this signal; 0: cancels */
};

static bool is_meant(const struct deed *deed, const struct slurm_job *job)
{
    if (deed->holds && is_held(job) == deed->hold)
        return false;
    return deed->all || job->state == deed->state;
}

/* Whether another element of the same array that is meant stands before it in the list. */
static bool is_repeated(const struct queue *queue, const struct deed *deed, uint32_t at)
{
    for (uint32_t i = 0; i < at; i++)
        if (whole(&queue->jobs.items[i]) == whole(&queue->jobs.items[at]) && is_meant(deed, &queue->jobs.items[i]))
            return true;
    return false;
}

/* 0, or -1 with a sentence. */
static int do_one(const struct deed *deed, uint32_t id, struct err *err)
{
    char which[16];
    snprintf(which, sizeof which, "%u", id);
    json_t *question = deed->holds ? slurm_ask_hold(id, deed->hold) : slurm_ask_cancel(which, deed->number);
    json_t *answer = slurm_ask_now(question, patience, NULL, err);
    json_decref(answer);
    return answer ? 0 : err_prefix(err, "job %s", which);
}

/* What has become of a job that waited. */
static void mark(const struct deed *deed, struct slurm_job *job)
{
    if (job->state != SLURM_PENDING)
        return;
    if (deed->holds)
        snprintf(job->reason, sizeof job->reason, deed->hold ? "JobHeldUser" : "None");
    else if (!deed->number)
        *job = (struct slurm_job){.id = job->id,
                                  .array = job->array,
                                  .element = job->element,
                                  .restarts = job->restarts,
                                  .state = SLURM_CANCELLED,
                                  .submitted = job->submitted,
                                  .ends = clock_wall()};
}

static void see(void *context, struct slurm_record *record)
{
    slurm_record_update(record, context, false, clock_wall());
}

/* Who looks within the next seconds reads it there. That it was done stands, also when it can't be written down. */
static void write_down(struct queue *queue, const struct deed *deed)
{
    for (uint32_t i = 0; i < queue->jobs.count; i++)
        if (is_meant(deed, &queue->jobs.items[i]))
            mark(deed, &queue->jobs.items[i]);
    (void)slurm_record_change(queue->dir, see, &queue->jobs, NULL);
}

static int do_all(struct queue *queue, const struct deed *deed, struct err *err)
{
    int count = 0;
    for (uint32_t i = 0; i < queue->jobs.count; i++) {
        const struct slurm_job *job = &queue->jobs.items[i];
        if (!is_meant(deed, job) || is_repeated(queue, deed, i))
            continue;
        if (do_one(deed, whole(job), err))
            return -1;
        count++;
    }
    write_down(queue, deed);
    return count;
}

int queue_cancel(struct queue *queue, enum slurm_state state, struct err *err)
{
    return do_all(queue, &(struct deed){.all = state == SLURM_STATES, .state = state}, err);
}

int queue_hold(struct queue *queue, bool hold, struct err *err)
{
    return do_all(queue, &(struct deed){.state = SLURM_PENDING, .holds = true, .hold = hold}, err);
}

int queue_signal(struct queue *queue, int number, struct err *err)
{
    return do_all(queue, &(struct deed){.state = SLURM_RUNNING, .number = number}, err);
}

static void set_paused(void *context, struct slurm_record *record)
{
    record->paused = *(const bool *)context;
}

int queue_set_paused(const struct rundir *dir, bool paused, struct err *err)
{
    return slurm_record_change(dir, set_paused, &paused, err);
}
