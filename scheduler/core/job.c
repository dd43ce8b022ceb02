/* What becomes known of jobs: it is written down, and tells how the runs of a silent worker ended. A worker that speaks
 * is believed more than what is said of its job. */
#include "common/mem.h"
#include "common/rng.h"
#include "scheduler/core/parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the end of a job means for runs that are lost with it. */
static const struct {
    const char *state;
    enum ending ending;
} ends[] = {
    {"completed", ENDING_LOST},     {"failed", ENDING_LOST},         {"cancelled", ENDING_PREEMPTED},
    {"timeout", ENDING_WALLTIME},   {"preempted", ENDING_PREEMPTED}, {"node_failed", ENDING_NODE_FAILED},
    {"out_of_memory", ENDING_LOST}, {"vanished", ENDING_LOST},
};

bool job_has_ended(const char *state, enum ending *ending)
{
    *ending = ENDING_LOST;
    for (size_t i = 0; state && i < sizeof ends / sizeof *ends; i++)
        if (strcmp(state, ends[i].state) == 0) {
            *ending = ends[i].ending;
            return true;
        }
    return false;
}

const char *job_name(const struct job_facts *job, char *out, size_t size)
{
    if (job->element == NODE_NO_ELEMENT)
        snprintf(out, size, "%u", job->job);
    else
        snprintf(out, size, "%u_%u", job->job, job->element);
    return out;
}

/* --- the workers of a job --- */

static uint64_t key_of(struct node_job job)
{
    return rng_mix(job.job, job.element);
}

/* The list of the workers of this job; NULL: there is none. */
static struct list_link *find_workers(const struct core *core, struct node_job job)
{
    return map_get(&core->jobs, key_of(job));
}

void job_leave(struct core *core, struct worker *worker)
{
    struct list_link *workers = list_has(&worker->colleagues) ? find_workers(core, worker->job) : NULL;
    list_remove(&worker->colleagues);
    if (workers && list_is_empty(workers))
        free(map_remove(&core->jobs, key_of(worker->job)));
    worker->job = (struct node_job){0, NODE_NO_ELEMENT};
}

void job_enter(struct core *core, struct worker *worker, struct node_job job)
{
    job_leave(core, worker);
    worker->job = job;
    if (!job.job)
        return;
    struct list_link *workers = find_workers(core, job);
    if (!workers) {
        workers = MEM_NEW(struct list_link);
        list_init(workers);
        map_put(&core->jobs, key_of(job), workers);
    }
    list_append(workers, &worker->colleagues);
}

static bool is_of(const struct worker *worker, uint32_t job, uint32_t element)
{
    return worker->job.job == job && worker->job.element == element;
}

void core_job(struct core *core, double now, const struct job_facts *facts)
{
    enum ending ending;
    core->now = now;
    outbox_event(core, &(struct event){.kind = EVENT_JOB, .job = *facts});
    bool ended = job_has_ended(facts->state, &ending);
    struct list_link *all = ended ? find_workers(core, (struct node_job){facts->job, facts->element}) : NULL;
    for (struct list_link *link = all ? all->after : NULL; link != all; link = link->after) {
        struct worker *worker = LIST_ITEM(link, struct worker, colleagues);
        core->counters.looks++;
        if (is_of(worker, facts->job, facts->element)) {
            worker->job_ended = true;
            worker->doomed = ending;
        }
    }
    core_settle(core);
}

static void set_end(struct core *core, struct worker *worker, double until)
{
    bool same = !(worker->until < until) && !(until < worker->until);
    worker->until = until;
    core->worker_ends = true;
    core->worker_span = fmax(core->worker_span, until - core->now);
    workers_fitness(core, worker);
    for (uint32_t i = 0; i < worker->slot_count && !same; i++)
        place_refresh(core, worker->slots[i]);
}

void core_job_ends(struct core *core, double now, struct node_job job, double when)
{
    core->now = now;
    struct list_link *all = find_workers(core, job);
    for (struct list_link *link = all ? all->after : NULL; link != all; link = link->after) {
        struct worker *worker = LIST_ITEM(link, struct worker, colleagues);
        core->counters.looks++;
        if (is_of(worker, job.job, job.element))
            set_end(core, worker, when - core->config.wall_offset);
    }
    core_settle(core);
}
