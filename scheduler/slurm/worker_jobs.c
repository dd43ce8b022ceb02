/* What is known of worker jobs, in slurm.json and in the store; see worker_jobs.h. */
#include "scheduler/slurm/worker_jobs.h"
#include "common/clock.h"
#include "common/log.h"
#include "common/map.h"
#include "common/mem.h"
#include "scheduler/slurm/slurm_agent.h"
#include "scheduler/slurm/slurm_record.h"
#include "scheduler/slurm/record_writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A job as the store was last told of it: only what is new goes there. */
struct told_job {
    uint32_t id, element, restarts;
    enum slurm_state state;
    double ends; /* when its time is up; 0: not known */
};

struct worker_jobs {
    struct core *core;
    struct node_job own;        /* the job that this process is in */
    struct slurm_record record; /* as it was read at the start, with our changes */
    struct record_writer *record_writer;
    struct map told; /* of (id, element) -> struct told_job */
};

/* --- slurm.json --- */

/* In memory at once, in the file soon. */
static void change_record(struct worker_jobs *self, struct record_writer_change change)
{
    change.time = clock_wall();
    record_writer_apply(&change, &self->record);
    record_writer_write(self->record_writer, &change);
}

/* --- the store --- */

static const char *role_of(const struct worker_jobs *self, uint32_t id)
{
    for (uint32_t i = 0; i < self->record.count; i++)
        if (self->record.items[i].id == id)
            return slurm_role_name(self->record.items[i].role);
    return id == self->own.job ? "coordinator" : "worker";
}

static struct told_job *find_told(const struct worker_jobs *self, uint32_t id, uint32_t element)
{
    return map_get(&self->told, (uint64_t)id << 32 | element);
}

/* Whether that is news; from now on it is not. An end that is not said is as it was. */
static bool is_news(struct worker_jobs *self, const struct told_job *now)
{
    struct told_job *told = find_told(self, now->id, now->element);
    bool same = told && told->restarts == now->restarts && told->state == now->state;
    if (!told) {
        told = MEM_NEW(struct told_job);
        *told = *now;
        map_put(&self->told, (uint64_t)now->id << 32 | now->element, told);
    }
    double ends = now->ends > 0 ? now->ends : told->ends;
    *told = *now;
    told->ends = ends;
    return !same;
}

static void tell_news(struct worker_jobs *self, const struct slurm_job *job, struct node_job name)
{
    char exit[32];
    struct job_facts facts = {.job = name.job,
                              .element = name.element,
                              .restarts = job->restarts,
                              .role = role_of(self, name.job),
                              .submitted = job->submitted,
                              .started = job->state == SLURM_PENDING ? 0 : job->started,
                              .ended = slurm_state_is_end(job->state) ? job->ends : 0,
                              .state = slurm_state_name(job->state),
                              .reason = *job->reason ? job->reason
                                        : *job->by   ? job->by
                                                     : NULL,
                              .nodes = *job->nodes ? job->nodes : NULL,
                              .exit = slurm_job_exit(job, exit, sizeof exit)};
    core_job(self->core, clock_monotonic(), &facts);
}

/* The array as a whole, whose row has what was asked for: it runs as long as any element does. */
static void tell_whole(struct worker_jobs *self, uint32_t array, enum slurm_state state)
{
    struct job_facts facts = {.job = array,
                              .element = NODE_NO_ELEMENT,
                              .started = state == SLURM_RUNNING ? clock_wall() : 0,
                              .ended = state == SLURM_RUNNING ? 0 : clock_wall(),
                              .state = slurm_state_name(state)};
    if (is_news(self, &(struct told_job){.id = array, .element = SLURM_UNSET, .state = state}))
        core_job(self->core, clock_monotonic(), &facts);
}

/* Those of an array that wait together have nothing to tell yet. */
static void store_job(struct worker_jobs *self, const struct slurm_job *job)
{
    bool runs = job->state == SLURM_RUNNING;
    struct node_job name = {job->array ? job->array : job->id, job->array ? job->element : NODE_NO_ELEMENT};
    if (job->array && job->element == SLURM_UNSET)
        return;
    if (is_news(self, &(struct told_job){name.job, name.element, job->restarts, job->state, runs ? job->ends : 0}))
        tell_news(self, job, name);
    if (job->array && runs)
        tell_whole(self, job->array, SLURM_RUNNING);
    double ends = find_told(self, name.job, name.element)->ends;
    if (runs && ends > 0)
        core_job_ends(self->core, clock_monotonic(), name, ends);
}

/* --- both --- */

/* Also settles the comment of a record that was not there: all jobs are found by it. */
static void copy_record(void *context, struct slurm_record *record)
{
    struct slurm_record *copy = context;
    *record->note = '\0';
    *copy = *record;
    copy->capacity = record->count + 1;
    copy->items = MEM_ARRAY(struct slurm_submission, copy->capacity);
    if (record->count)
        memcpy(copy->items, record->items, record->count * sizeof *record->items);
}

struct worker_jobs *worker_jobs_open(struct loop *loop, const struct rundir *dir, struct core *core,
                                     struct allocator *allocator, struct err *err)
{
    struct worker_jobs *self = MEM_NEW(struct worker_jobs);
    self->core = core;
    self->own = node_job();
    if (slurm_record_change(dir, copy_record, &self->record, err) ||
        !(self->record_writer = record_writer_start(loop, dir, err))) {
        worker_jobs_close(self);
        return NULL;
    }
    for (uint32_t i = 0; i < self->record.count; i++) {
        const struct slurm_submission *one = &self->record.items[i];
        if (one->role == SLURM_ROLE_WORKER && !slurm_state_is_end(one->seen.state))
            allocator_adopt(allocator, clock_monotonic(), one->id, one->array ? one->count : 0);
    }
    return self;
}

void worker_jobs_close(struct worker_jobs *self)
{
    if (!self)
        return;
    record_writer_stop(self->record_writer);
    slurm_record_fini(&self->record);
    struct map_entry entry;
    for (size_t at = 0; map_next(&self->told, &at, &entry);)
        free(entry.value);
    map_fini(&self->told);
    free(self);
}

const char *worker_jobs_comment(const struct worker_jobs *self)
{
    return self->record.comment;
}

void worker_jobs_submitted(struct worker_jobs *self, uint32_t id, uint32_t elements, const json_t *request)
{
    struct job_facts facts = {
        .job = id, .element = NODE_NO_ELEMENT, .role = "worker", .submitted = clock_wall(), .state = "pending"};
    json_t *shown = json_copy((json_t *)request);
    json_object_del(shown, "environment"); /* long, and nobody's business */
    char *text = json_dumps(shown, JSON_COMPACT);
    facts.request = text;
    if (elements)
        log_info("job %u submitted: an array of %u workers", id, elements);
    else
        log_info("job %u submitted: a worker", id);
    change_record(self, (struct record_writer_change){.id = id, .elements = elements});
    is_news(self, &(struct told_job){.id = id, .element = SLURM_UNSET, .state = SLURM_PENDING});
    core_job(self->core, clock_monotonic(), &facts);
    free(text);
    json_decref(shown);
}

void worker_jobs_update(struct worker_jobs *self, const struct slurm_jobs *jobs, bool whole)
{
    change_record(self, (struct record_writer_change){.jobs = jobs, .whole = whole});
    for (uint32_t i = 0; i < jobs->count; i++)
        store_job(self, &jobs->items[i]);
}

/* What a worker says of its job by being there, or by having left in order; *told: what the store has of it, or NULL.
 */
static struct slurm_job job_of_worker(const struct worker_jobs *self, struct node_job job, enum slurm_state state,
                                      const struct told_job **told)
{
    bool element = job.element != NODE_NO_ELEMENT;
    uint32_t number = element ? job.element : SLURM_UNSET;
    *told = find_told(self, job.job, number);
    return (struct slurm_job){.id = job.job,
                              .array = element ? job.job : 0,
                              .element = number,
                              .restarts = *told ? (*told)->restarts : 0,
                              .state = state};
}

void worker_jobs_runs(struct worker_jobs *self, struct node_job job, const char *node)
{
    const struct told_job *told;
    struct slurm_job seen = job_of_worker(self, job, SLURM_RUNNING, &told);
    seen.started = clock_wall();
    snprintf(seen.nodes, sizeof seen.nodes, "%s", node);
    if (!told || told->state != SLURM_RUNNING)
        change_record(self, (struct record_writer_change){.jobs = &(struct slurm_jobs){.items = &seen, .count = 1}});
    store_job(self, &seen);
}

void worker_jobs_left(struct worker_jobs *self, struct node_job job)
{
    const struct told_job *told;
    struct slurm_job seen = job_of_worker(self, job, SLURM_COMPLETED, &told);
    seen.ends = clock_wall();
    worker_jobs_update(self, &(struct slurm_jobs){.items = &seen, .count = 1}, false);
    if (seen.array)
        tell_whole(self, seen.array, SLURM_COMPLETED);
}

void worker_jobs_filter(const struct worker_jobs *self, struct slurm_jobs *jobs)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < jobs->count; i++) {
        const struct slurm_job *job = &jobs->items[i];
        if (strcmp(role_of(self, job->array ? job->array : job->id), "worker") == 0)
            jobs->items[kept++] = *job;
    }
    jobs->count = kept;
}

void worker_jobs_note(struct worker_jobs *self, const char *note)
{
    if (strncmp(self->record.note, note, sizeof self->record.note - 1) != 0)
        change_record(self, (struct record_writer_change){.note = note});
}
