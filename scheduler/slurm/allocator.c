/* Which worker jobs an experiment has: what is known, and what happens to it; see allocator.h. */
#include "scheduler/slurm/allocator.h"
#include "common/mem.h"
#include "common/units.h"
#include "scheduler/slurm/slurm_agent.h"
#include "scheduler/slurm/allocator_plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct allocator {
    struct allocator_plan plan;
    bool updated;                   /* there was a view; nothing is asked before */
    bool asking;                    /* a question is under way */
    struct allocator_order order;   /* the question that is under way */
    char unsure_why[256];           /* why it is not known whether a submission was taken */
    uint32_t unsure_count;          /* of how many elements that submission was */
    double rest_until;              /* a question was not answered: none before then */
    uint32_t starts;                /* jobs in a row that ended before their worker joined */
    char failed[256], stopped[512]; /* why the last submission failed; why nothing is submitted any more */
    uint32_t stopped_job, stopped_element;
};

void allocator_config_defaults(struct allocator_config *config, double pace)
{
    static const double minutes[ALLOCATOR_TRIES] = {0, 1, 15, 30, 60};
    *config = (struct allocator_config){
        .workers = 1, .per_job = 1, .backlog = 1, .look = 10 * pace, .look_most = 60 * pace, .join = 300 * pace};
    for (int i = 0; i < ALLOCATOR_TRIES; i++)
        config->waits[i] = 60 * minutes[i] * pace;
}

struct allocator *allocator_create(const struct allocator_config *config, double now)
{
    struct allocator *self = MEM_NEW(struct allocator);
    self->plan.config = *config;
    self->plan.per_worker = 1;
    self->plan.looked = self->plan.jobs.changed = self->plan.failed_at = self->rest_until = now;
    return self;
}

void allocator_destroy(struct allocator *self)
{
    if (!self)
        return;
    allocator_jobs_fini(&self->plan.jobs);
    free(self);
}

/* --- giving up --- */

static void stop_submitting(struct allocator *self, const struct allocator_job *item, const char *why)
{
    if (self->plan.stopped)
        return;
    snprintf(self->stopped, sizeof self->stopped, "%s", why);
    self->plan.stopped = true;
    self->stopped_job = item ? item->id : 0;
    self->stopped_element = item ? item->element : SLURM_UNSET;
}

static void count_failure(struct allocator *self, double now, const char *why)
{
    char text[400];
    self->plan.failures++;
    self->plan.failed_at = now;
    snprintf(self->failed, sizeof self->failed, "%s", why);
    snprintf(text, sizeof text, "%d submissions in a row failed; the last one: %s", ALLOCATOR_TRIES, why);
    if (self->plan.failures >= ALLOCATOR_TRIES)
        stop_submitting(self, NULL, text);
}

static const char *name_of(const struct allocator_job *item, char *out, size_t size)
{
    if (item->element == SLURM_UNSET)
        snprintf(out, size, "%u", item->id);
    else
        snprintf(out, size, "%u_%u", item->id, item->element);
    return out;
}

/* Counts a job whose worker did nothing, for this reason. */
static void count_start(struct allocator *self, const struct allocator_job *item, const char *how)
{
    char text[400], name[32];
    self->starts++;
    snprintf(text, sizeof text, "%d worker jobs in a row ended before their worker did anything; the last one, %s, %s",
             ALLOCATOR_STARTS, name_of(item, name, sizeof name), how);
    if (self->starts >= ALLOCATOR_STARTS)
        stop_submitting(self, item, text);
}

/* How a job ended, if that speaks against starting another: what Slurm does to a job is nobody's fault. NULL: it does
 * not. */
static const char *fault_of(const struct slurm_job *job, char *out, size_t size)
{
    static const char *const words[SLURM_STATES] = {[SLURM_CANCELLED] = "was cancelled",
                                                    [SLURM_TIMEOUT] = "reached its time limit",
                                                    [SLURM_OUT_OF_MEMORY] = "ran out of memory",
                                                    [SLURM_VANISHED] = "is not known to the controller any more"};
    if (job->state == SLURM_PREEMPTED || job->state == SLURM_NODE_FAILED)
        return NULL;
    if (words[job->state])
        snprintf(out, size, "%s", words[job->state]);
    else if (job->exit_signal)
        snprintf(out, size, "was ended by signal %d", job->exit_signal);
    else
        snprintf(out, size, "ended with status %d", job->exit_status);
    return out;
}

/* --- what happens --- */

/* What a view says of one job. */
static void take_worker(struct allocator *self, double now, struct allocator_job *item,
                        const struct allocator_worker *worker)
{
    if (worker && item->state != ALLOCATOR_JOB_WORKS) {
        allocator_jobs_move(&self->plan.jobs, now, item, ALLOCATOR_JOB_WORKS);
        item->joined = true;
    } else if (!worker && item->state == ALLOCATOR_JOB_WORKS) {
        allocator_jobs_move(&self->plan.jobs, now, item, ALLOCATOR_JOB_RUNS);
        self->plan.looked = now; /* its job needs a moment to end */
    }
    if (worker && worker->slots)
        self->plan.per_worker = worker->slots * self->plan.config.per_job;
    item->described |= worker && worker->described;
    item->worked |= worker && item->busy;
    if (item->worked && worker)
        self->starts = 0;
}

/* Of several workers of one job the first one counts, but for whether there is something to run. */
void allocator_update(struct allocator *self, double now, const struct allocator_view *view)
{
    self->updated = true;
    self->plan.wanted = view->wanted;
    self->plan.slots = view->slots;
    for (uint32_t i = 0; i < view->worker_count; i++) {
        struct allocator_job *item =
            allocator_jobs_find(&self->plan.jobs, view->workers[i].job, view->workers[i].element);
        if (item && !item->worker)
            item->worker = &view->workers[i];
        if (item)
            item->busy |= view->workers[i].busy;
    }
    for (size_t i = 0; i < self->plan.jobs.count; i++) {
        struct allocator_job *item = &self->plan.jobs.items[i];
        self->plan.jobs.visits++;
        take_worker(self, now, item, item->worker);
        item->worker = NULL;
        item->busy = false;
    }
}

void allocator_adopt(struct allocator *self, double now, uint32_t id, uint32_t count)
{
    allocator_jobs_add_all(&self->plan.jobs, now, id, count);
    self->plan.looked = now - self->plan.config.look; /* Slurm is asked about it as soon as can be */
}

void allocator_end(struct allocator *self, double now)
{
    if (!self->plan.ended)
        self->plan.jobs.changed = now;
    self->plan.ended = true;
}

/* --- answers --- */

void allocator_submitted(struct allocator *self, double now, uint32_t id)
{
    allocator_jobs_add_all(&self->plan.jobs, now, id, self->order.count);
    self->asking = false;
    self->plan.failures = 0;
    *self->failed = '\0';
    self->plan.looked = now;
}

void allocator_refused(struct allocator *self, double now, const char *why)
{
    self->asking = false;
    if (self->order.count && !self->plan.config.array)
        self->plan.single = true; /* a site may have no arrays, or a limit of their sizes */
    else
        count_failure(self, now, why);
}

void allocator_unsure(struct allocator *self, double now, const char *why)
{
    self->asking = false;
    self->plan.unsure = true;
    self->unsure_count = self->order.count;
    self->rest_until = now + self->plan.config.look;
    snprintf(self->unsure_why, sizeof self->unsure_why, "%s", why);
}

/* Those of an array that wait together come as one job without an element. */
static bool is_rest(const struct slurm_job *job)
{
    return job->array && job->element == SLURM_UNSET;
}

/* A living job as Slurm sees it. A connected worker is not put in question by that. */
static void take_state(struct allocator *self, double now, struct allocator_job *item, const struct slurm_job *job)
{
    item->listed = true;
    item->described |= job->ends > 0 && job->state == SLURM_RUNNING;
    if (item->state != ALLOCATOR_JOB_WORKS)
        allocator_jobs_move(&self->plan.jobs, now, item,
                            job->state == SLURM_PENDING ? ALLOCATOR_JOB_WAITS : ALLOCATOR_JOB_RUNS);
}

static void take_job(struct allocator *self, double now, const struct slurm_job *job)
{
    uint32_t id = job->array ? job->array : job->id;
    struct allocator_job *item = allocator_jobs_find(&self->plan.jobs, id, job->array ? job->element : SLURM_UNSET);
    if (slurm_state_is_end(job->state) || is_rest(job))
        return;
    if (!item)
        item = allocator_jobs_add(&self->plan.jobs, now, id, job->array ? job->element : SLURM_UNSET);
    take_state(self, now, item, job);
}

/* After all others: what is not listed by itself waits with the rest. */
static void take_rest(struct allocator *self, double now, const struct slurm_job *job)
{
    if (!is_rest(job) || job->state != SLURM_PENDING)
        return;
    bool known = false;
    for (size_t i = 0; i < self->plan.jobs.count; i++, self->plan.jobs.visits++)
        known |= self->plan.jobs.items[i].id == job->array;
    if (!known)
        allocator_jobs_add_all(&self->plan.jobs, now, job->array,
                               self->unsure_count ? self->unsure_count : self->plan.config.workers);
    for (size_t i = 0; i < self->plan.jobs.count; i++, self->plan.jobs.visits++)
        if (self->plan.jobs.items[i].id == job->array && !self->plan.jobs.items[i].listed &&
            self->plan.jobs.items[i].state == ALLOCATOR_JOB_WAITS)
            self->plan.jobs.items[i].listed = true;
}

/* A submission whose answer was lost: what is here that was not before? */
static void settle_unsure(struct allocator *self, double now, bool adopted)
{
    if (!self->plan.unsure)
        return;
    self->plan.unsure = false;
    if (adopted)
        self->plan.failures = 0;
    else
        count_failure(self, now, self->unsure_why);
    self->unsure_count = 0;
}

void allocator_found(struct allocator *self, double now, const struct slurm_jobs *jobs)
{
    size_t before = self->plan.jobs.count;
    for (size_t i = 0; i < self->plan.jobs.count; i++)
        self->plan.jobs.items[i].listed = false;
    for (uint32_t i = 0; i < jobs->count; i++)
        take_job(self, now, &jobs->items[i]);
    for (uint32_t i = 0; i < jobs->count; i++)
        take_rest(self, now, &jobs->items[i]);
    settle_unsure(self, now, self->plan.jobs.count > before);
    for (size_t i = self->plan.jobs.count; i-- > 0;) {
        struct allocator_job *item = &self->plan.jobs.items[i];
        if (item->listed || item->state == ALLOCATOR_JOB_WORKS)
            continue;
        if (item->cancelled && !item->joined)
            allocator_jobs_drop(&self->plan.jobs, now, item);
        else
            allocator_jobs_move(&self->plan.jobs, now, item, ALLOCATOR_JOB_GONE);
    }
    self->asking = false;
    self->plan.looked = now;
}

/* One that was gone: it lives after all, or has ended, which is held against it if it did not come to run anything. A
 * worker that left because it had nothing to run is no good either while trials wait: they don't fit into its time. */
static void take_end(struct allocator *self, double now, struct allocator_job *item, const struct slurm_job *job)
{
    static const struct slurm_job vanished = {.state = SLURM_VANISHED};
    char how[64];
    if (job && !slurm_state_is_end(job->state)) {
        take_state(self, now, item, job);
        return;
    }
    const char *fault = fault_of(job ? job : &vanished, how, sizeof how);
    if (fault && !item->worked && !item->cancelled)
        count_start(self, item, item->joined ? "found no trial that would end in its time" : fault);
    allocator_jobs_drop(&self->plan.jobs, now, item);
}

void allocator_inspected(struct allocator *self, double now, const struct slurm_jobs *jobs)
{
    self->asking = false;
    for (uint32_t i = jobs->count; i-- > 0;) {
        const struct slurm_job *job = &jobs->items[i];
        struct allocator_job *item = allocator_jobs_find(&self->plan.jobs, job->array ? job->array : job->id,
                                                         job->array ? job->element : SLURM_UNSET);
        if (item)
            item->record = job;
    }
    for (size_t i = self->plan.jobs.count; i-- > 0;) {
        struct allocator_job *item = &self->plan.jobs.items[i];
        const struct slurm_job *record = item->record;
        self->plan.jobs.visits++;
        item->record = NULL;
        if (item->id != self->order.id)
            continue;
        item->described = true; /* if it is not now, it will not be by asking again */
        if (item->state == ALLOCATOR_JOB_GONE)
            take_end(self, now, item, record);
    }
}

/* What a job was taken back for: one that ran without a worker did not come to have one. */
void allocator_cancelled(struct allocator *self, double now)
{
    char how[64], time[32];
    self->asking = false;
    snprintf(how, sizeof how, "ran without it for %s", units_show_duration(self->plan.config.join, time, sizeof time));
    for (size_t i = 0; i < self->plan.jobs.count; i++) {
        struct allocator_job *item = &self->plan.jobs.items[i];
        if (!item->asked)
            continue;
        if (item->state == ALLOCATOR_JOB_RUNS && !item->joined && !self->plan.ended)
            count_start(self, item, how);
        item->asked = false;
        item->cancelled = true;
    }
    self->plan.looked = now;
}

void allocator_unanswered(struct allocator *self, double now)
{
    self->asking = false;
    self->rest_until = now + self->plan.config.look;
    for (size_t i = 0; i < self->plan.jobs.count; i++)
        self->plan.jobs.items[i].asked = false;
}

/* --- what comes out --- */

bool allocator_next(struct allocator *self, double now, struct allocator_order *out)
{
    if (self->asking || !self->updated || now < self->rest_until || !allocator_plan_make(&self->plan, now, out))
        return false;
    self->order = *out;
    return self->asking = true;
}

double allocator_wake(const struct allocator *self, double now)
{
    double due = allocator_plan_due(&self->plan);
    return self->asking || !self->updated || due == INFINITY ? INFINITY : fmax(now, fmax(due, self->rest_until));
}

void allocator_get_state(const struct allocator *self, struct allocator_state *out)
{
    const struct allocator_jobs *jobs = &self->plan.jobs;
    *out = (struct allocator_state){
        .waiting = (uint32_t)jobs->states[ALLOCATOR_JOB_WAITS],
        .running = (uint32_t)jobs->states[ALLOCATOR_JOB_RUNS],
        .working = (uint32_t)jobs->states[ALLOCATOR_JOB_WORKS],
        .stopped = self->plan.stopped ? self->stopped : NULL,
        .stopped_job = self->stopped_job,
        .stopped_element = self->stopped_element,
        .hopeless = self->plan.stopped && jobs->count == 0,
        .failures = self->plan.failures,
        .failed = self->failed,
        .next = fmax(allocator_plan_submit_due(&self->plan), self->plan.failed_at),
        .visits = jobs->visits,
    };
}
