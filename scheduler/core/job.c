/* What becomes known of jobs: it is written down, and tells how the runs of a silent worker ended. A worker that speaks
 * is believed more than what is said of its job. */
#include "scheduler/core/parts.h"

#include <math.h>
#include <stdio.h>
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

static bool is_of(const struct worker *worker, uint32_t job, uint32_t element)
{
    return worker->job.job == job && worker->job.element == element;
}

void core_job(struct core *core, double now, const struct job_facts *facts)
{
    struct map_entry entry;
    enum ending ending;
    core->now = now;
    outbox_event(core, &(struct event){.kind = EVENT_JOB, .job = *facts});
    bool ended = job_has_ended(facts->state, &ending);
    for (size_t at = 0; ended && map_next(&core->workers, &at, &entry);) {
        struct worker *worker = entry.value;
        if (is_of(worker, facts->job, facts->element)) {
            worker->job_ended = true;
            worker->doomed = ending;
        }
    }
    core_settle(core);
}

void core_job_ends(struct core *core, double now, struct node_job job, double when)
{
    struct map_entry entry;
    core->now = now;
    for (size_t at = 0; map_next(&core->workers, &at, &entry);) {
        struct worker *worker = entry.value;
        if (!is_of(worker, job.job, job.element))
            continue;
        worker->until = when - core->config.wall_offset;
        core->worker_ends = true;
        core->worker_span = fmax(core->worker_span, worker->until - now);
        workers_fitness(core, worker);
    }
    core_settle(core);
}
