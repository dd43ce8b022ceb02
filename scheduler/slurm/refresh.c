/* Asking Slurm about the queue; see refresh.h. */
#include "scheduler/slurm/refresh.h"
#include "common/clock.h"
#include "common/mem.h"
#include "scheduler/slurm/slurm_agent.h"
#include "scheduler/slurm/client.h"

#include <stdlib.h>
#include <string.h>

/* Between two questions of people's commands, and how long one waits for the answer: a controller that is away takes
 * Slurm's own MessageTimeout, 10 s as a rule, twice. */
static const double pause_seconds = 10, patience_seconds = 25;

int slurm_jobs_read(const json_t *answer, struct slurm_jobs *out, struct err *err)
{
    const json_t *list = json_object_get(answer, "jobs");
    *out = (struct slurm_jobs){0};
    if (!json_is_array(list))
        return err_set(err, "the answer holds no list of jobs");
    out->items = MEM_ARRAY(struct slurm_job, json_array_size(list) + 1);
    for (size_t i = 0; i < json_array_size(list); i++)
        if (slurm_job_read(json_array_get(list, i), &out->items[out->count++])) {
            slurm_jobs_fini(out);
            return err_set(err, "job %zu of the answer can't be read", i + 1);
        }
    return 0;
}

void slurm_jobs_fini(struct slurm_jobs *jobs)
{
    free(jobs->items);
    *jobs = (struct slurm_jobs){0};
}

/* --- into the record --- */

/* How much an element's state says of its array. */
static int importance_of(const struct slurm_job *job)
{
    if (slurm_state_is_end(job->state))
        return 0;
    return job->state == SLURM_PENDING ? 1 : 2;
}

/* What the news does not say is as it was; of a job that waited its start was only expected. */
static void take_news(struct slurm_job *seen, const struct slurm_job *news)
{
    struct slurm_job before = *seen;
    *seen = *news;
    if (!*seen->nodes && seen->state != SLURM_PENDING)
        memcpy(seen->nodes, before.nodes, sizeof seen->nodes);
    if (!(seen->started > 0) && seen->state != SLURM_PENDING && before.state != SLURM_PENDING)
        seen->started = before.started;
    if (!(seen->submitted > 0))
        seen->submitted = before.submitted;
    if (!*seen->by)
        memcpy(seen->by, before.by, sizeof seen->by);
}

/* It has ended, nobody knows how; what was known of its end was when its time would be up. */
static void mark_vanished(struct slurm_job *seen)
{
    seen->state = SLURM_VANISHED;
    seen->ends = 0;
}

/* Whether the job had run, and is put back into the queue or has begun again. Of workers nobody asks. */
static bool is_requeued(const struct slurm_submission *one, const struct slurm_job *news)
{
    bool ran = one->seen.state == SLURM_RUNNING || one->seen.state == SLURM_SUSPENDED;
    return one->role != SLURM_ROLE_WORKER && ran && !slurm_state_is_end(news->state) &&
           (news->requeued || news->restarts > one->seen.restarts);
}

/* That run of the job has ended, and the next one is another row. */
static struct slurm_submission *begin_again(struct slurm_record *record, struct slurm_submission *one,
                                            const struct slurm_job *news, double now)
{
    one->seen.state = one->seen.final_state =
        news->requeued && slurm_state_is_end(news->final_state) ? news->final_state : SLURM_REQUEUED;
    one->seen.ends = one->looked = now;
    return slurm_record_add(record, one->id, one->role);
}

static void update_submission(struct slurm_record *record, struct slurm_submission *one, const struct slurm_jobs *jobs,
                              bool whole, double now)
{
    const struct slurm_job *best = NULL;
    for (uint32_t i = 0; i < jobs->count; i++) {
        const struct slurm_job *job = &jobs->items[i];
        bool its = (job->array ? job->array : job->id) == one->id;
        if (its && (!best || importance_of(job) > importance_of(best)))
            best = job;
    }
    if (best && is_requeued(one, best))
        one = begin_again(record, one, best, now);
    if (best)
        take_news(&one->seen, best);
    else if (whole && !slurm_state_is_end(one->seen.state))
        mark_vanished(&one->seen);
    if (best || whole)
        one->looked = now;
}

void slurm_record_update(struct slurm_record *record, const struct slurm_jobs *jobs, bool whole, double now)
{
    uint32_t count = record->count;
    for (uint32_t i = 0; i < count; i++)
        if (!slurm_state_is_end(record->items[i].seen.state) || record->items[i].seen.state == SLURM_VANISHED)
            update_submission(record, &record->items[i], jobs, whole, now);
}

/* --- for commands --- */

/* The only submission that has not ended, as far as is known; NULL: none, or there are several. */
static const struct slurm_submission *only_open(const struct slurm_record *record, uint32_t *count)
{
    const struct slurm_submission *only = NULL;
    *count = 0;
    for (uint32_t i = 0; i < record->count; i++)
        if (!slurm_state_is_end(record->items[i].seen.state)) {
            only = &record->items[i];
            ++*count;
        }
    return *count == 1 ? only : NULL;
}

bool slurm_refresh_is_due(const struct slurm_record *record, double now)
{
    double last = record->asked;
    uint32_t open;
    only_open(record, &open);
    for (uint32_t i = 0; i < record->count; i++)
        if (record->items[i].looked > last)
            last = record->items[i].looked;
    return (open || record->unsure > 0) && (now - last >= pause_seconds || now < last);
}

/* A question under way: first the right to ask is taken, then the answer is written down. */
struct refresh {
    json_t *question; /* NULL: it is not due */
    struct slurm_jobs jobs;
    bool whole;
};

/* Of one job it is asked how it stands, or ended; of several one question tells only which have not ended. */
static void claim_question(void *context, struct slurm_record *record)
{
    struct refresh *refresh = context;
    double now = clock_wall();
    uint32_t open;
    const struct slurm_submission *only = only_open(record, &open);
    if (!slurm_refresh_is_due(record, now))
        return;
    record->asked = now;
    if (record->unsure > 0)
        only = NULL;
    refresh->whole = !only;
    refresh->question = only ? slurm_ask_job(only->id) : slurm_ask_find(record->comment);
}

static void write_down(void *context, struct slurm_record *record)
{
    struct refresh *refresh = context;
    for (uint32_t i = 0; i < refresh->jobs.count; i++)
        slurm_record_settle(record, &refresh->jobs.items[i]);
    slurm_record_update(record, &refresh->jobs, refresh->whole, clock_wall());
}

int slurm_refresh(const struct rundir *dir, struct err *err)
{
    struct refresh refresh = {0};
    if (slurm_record_change(dir, claim_question, &refresh, err))
        return -1;
    if (!refresh.question)
        return 0;
    json_t *answer = slurm_ask_now(refresh.question, patience_seconds, NULL, err);
    int failed = !answer || slurm_jobs_read(answer, &refresh.jobs, err);
    if (!failed)
        failed = slurm_record_change(dir, write_down, &refresh, err);
    slurm_jobs_fini(&refresh.jobs);
    json_decref(answer);
    return failed ? -1 : 0;
}
