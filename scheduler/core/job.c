/* What becomes known of jobs: it is written down, and says how the runs of a silent worker ended. A worker that speaks
 * is believed more than what is said of its job. */
#include "scheduler/core/job.h"
#include "scheduler/core/core_parts.h"
#include "scheduler/core/outbox.h"
#include "scheduler/core/vacancy.h"
#include "scheduler/core/workers.h"

#include <math.h>

static bool is_of(const struct worker *worker, uint32_t job, uint32_t element)
{
    return worker->job.job == job && worker->job.element == element;
}

void job_note(struct core *core, const struct job_facts *facts)
{
    enum ending ending;
    outbox_event(core, &(struct event){.kind = EVENT_JOB, .job = *facts});
    bool ended = job_has_ended(facts->state, &ending);
    struct list_link *all = ended ? workers_of_job(core, (struct node_job){facts->job, facts->element}) : NULL;
    for (struct list_link *link = all ? all->after : NULL; link != all; link = link->after) {
        struct worker *worker = LIST_ITEM(link, struct worker, same_job);
        core->counters.looks++;
        if (is_of(worker, facts->job, facts->element)) {
            worker->job_ended = true;
            worker->loss = ending;
        }
    }
}

static void set_end(struct core *core, struct worker *worker, double until)
{
    bool same = !(worker->until < until) && !(until < worker->until);
    worker->until = until;
    core->worker_ends = true;
    core->worker_span = fmax(core->worker_span, until - core->now);
    workers_fitness(core, worker);
    for (uint32_t i = 0; i < worker->slot_count && !same; i++)
        vacancy_refresh(core, worker->slots[i]);
}

void job_set_end(struct core *core, struct node_job job, double until)
{
    struct list_link *all = workers_of_job(core, job);
    for (struct list_link *link = all ? all->after : NULL; link != all; link = link->after) {
        struct worker *worker = LIST_ITEM(link, struct worker, same_job);
        core->counters.looks++;
        if (is_of(worker, job.job, job.element))
            set_end(core, worker, until);
    }
}
