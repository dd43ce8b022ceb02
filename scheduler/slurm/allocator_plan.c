/* What is to be asked next; see allocator_plan.h. */
#include "scheduler/slurm/allocator_plan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double at_once = -INFINITY, never = INFINITY;

/* Whether the slots there are do for all trials. */
static bool is_covered(const struct allocator_plan *plan)
{
    return plan->slots >= plan->wanted;
}

/* --- taking back --- */

/* Those that wait and are not needed; those that run without a worker for too long. */
static double cancel_due_for(const struct allocator_plan *plan, const struct allocator_job *item)
{
    if (item->cancelled || (item->state != ALLOCATOR_JOB_WAITS && item->state != ALLOCATOR_JOB_RUNS))
        return never;
    if (plan->ended || (item->state == ALLOCATOR_JOB_WAITS && is_covered(plan)))
        return at_once;
    return item->state == ALLOCATOR_JOB_RUNS ? item->since + plan->config.join : never;
}

static double cancel_due(const struct allocator_plan *plan)
{
    double due = never;
    for (size_t i = 0; i < plan->jobs.count; i++)
        due = fmin(due, cancel_due_for(plan, &plan->jobs.items[i]));
    return due;
}

/* Whether all of this array (or the single job) that is still known is to be taken back, or was. */
static bool all_due(const struct allocator_plan *plan, double now, uint32_t id)
{
    for (size_t i = 0; i < plan->jobs.count; i++) {
        const struct allocator_job *item = &plan->jobs.items[i];
        if (item->id == id && !item->cancelled && cancel_due_for(plan, item) > now)
            return false;
    }
    return true;
}

/* Names an element in Slurm's notation, "12_[3,5"; false when it does not fit. */
static bool name_element(struct allocator_order *out, const struct allocator_job *item)
{
    size_t length = strlen(out->which), capacity = sizeof out->which - length;
    if (capacity < 32)
        return false;
    if (!length)
        snprintf(out->which, capacity, "%u_[%u", item->id, item->element);
    else
        snprintf(out->which + length, capacity, ",%u", item->element);
    return true;
}

/* All that are due of one array; what does not fit comes with the next question. */
static void make_cancel(struct allocator_plan *plan, double now, struct allocator_order *out)
{
    bool whole = false;
    for (size_t i = 0; i < plan->jobs.count; i++) {
        struct allocator_job *item = &plan->jobs.items[i];
        if (cancel_due_for(plan, item) > now || (out->id && item->id != out->id))
            continue;
        whole = out->id ? whole : all_due(plan, now, item->id);
        out->id = item->id;
        item->asked = whole || name_element(out, item);
    }
    if (whole)
        snprintf(out->which, sizeof out->which, "%u", out->id);
    else
        strcat(out->which, "]");
}

/* --- asking about the queue --- */

static bool has_unconnected_jobs(const struct allocator_plan *plan)
{
    return plan->jobs.states[ALLOCATOR_JOB_WAITS] || plan->jobs.states[ALLOCATOR_JOB_RUNS];
}

/* The longer nothing has changed, the more rarely Slurm is asked. */
static double find_due(const struct allocator_plan *plan)
{
    if (plan->unsure)
        return at_once;
    double pause = fmax(plan->config.look, fmin(plan->config.look_most, (plan->looked - plan->jobs.changed) / 10));
    return has_unconnected_jobs(plan) && !plan->ended ? plan->looked + pause : never;
}

static double end_due(const struct allocator_plan *plan)
{
    return plan->jobs.states[ALLOCATOR_JOB_GONE] && !plan->ended ? at_once : never;
}

static void make_end(struct allocator_plan *plan, double now, struct allocator_order *out)
{
    (void)now;
    for (size_t i = 0; i < plan->jobs.count && !out->id; i++)
        if (plan->jobs.items[i].state == ALLOCATOR_JOB_GONE)
            out->id = plan->jobs.items[i].id;
}

/* The id of a job whose worker is there and of which nothing more is known; 0: none. */
static uint32_t find_strange(const struct allocator_plan *plan)
{
    for (size_t i = 0; i < plan->jobs.count; i++)
        if (plan->jobs.items[i].state == ALLOCATOR_JOB_WORKS && !plan->jobs.items[i].described)
            return plan->jobs.items[i].id;
    return 0;
}

static double description_due(const struct allocator_plan *plan)
{
    return find_strange(plan) && !plan->ended ? at_once : never;
}

static void make_description(struct allocator_plan *plan, double now, struct allocator_order *out)
{
    (void)now;
    out->id = find_strange(plan);
}

/* --- submitting --- */

/* Most workers that come with one submission: on a cluster that is idle the search has twice as many workers after each
 * question, and on one that is not so many wait in the queue at most. */
enum { MOST_AT_ONCE = 16 };

/* How many workers are missing for the trials that have no slot, now or on its way. */
static uint64_t count_short(const struct allocator_plan *plan)
{
    uint64_t coming = 0;
    for (size_t i = 0; i < plan->jobs.count; i++)
        coming += !plan->jobs.items[i].cancelled && plan->jobs.items[i].state <= ALLOCATOR_JOB_RUNS;
    uint64_t slots = plan->slots + coming * plan->per_worker;
    return slots < plan->wanted ? (plan->wanted - slots + plan->per_worker - 1) / plan->per_worker : 0;
}

static uint64_t least_of(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* How many may be submitted now. When none waits, as many as work: then the queue has let the last ones in. */
static uint64_t count_room(const struct allocator_plan *plan)
{
    uint64_t waiting = plan->jobs.states[ALLOCATOR_JOB_WAITS], most = plan->config.backlog;
    uint64_t working = least_of(plan->jobs.states[ALLOCATOR_JOB_WORKS], MOST_AT_ONCE);
    if (!waiting && working > most)
        most = working;
    if (plan->config.array || plan->jobs.count >= plan->config.workers || waiting >= most)
        return plan->config.array && plan->jobs.count == 0;
    return least_of(least_of(most - waiting, plan->config.workers - plan->jobs.count), count_short(plan));
}

double allocator_plan_submit_due(const struct allocator_plan *plan)
{
    if (plan->stopped || plan->ended || plan->unsure || !count_short(plan) || !count_room(plan))
        return never;
    return plan->failed_at + plan->config.waits[plan->failures];
}

static void make_submit(struct allocator_plan *plan, double now, struct allocator_order *out)
{
    (void)now;
    uint64_t room = count_room(plan);
    if (!plan->config.array) {
        bool grows = plan->jobs.states[ALLOCATOR_JOB_WORKS] > 1 && !plan->jobs.states[ALLOCATOR_JOB_WAITS];
        out->count = grows && room > 1 && !plan->single ? (uint32_t)room : 0;
        return;
    }
    double many = ceil((double)(plan->wanted - plan->slots) / plan->per_worker);
    out->count = many < plan->config.workers ? (uint32_t)many : plan->config.workers;
}

/* --- the next one --- */

/* In the order of their importance: what is not needed blocks others in the queue, and what became of the last jobs
 * decides whether there are further ones. */
static const struct {
    enum allocator_question question;
    double (*due)(const struct allocator_plan *plan);
    void (*make)(struct allocator_plan *plan, double now, struct allocator_order *out);
} questions[] = {{ALLOCATOR_CANCEL, cancel_due, make_cancel},
                 {ALLOCATOR_FIND, find_due, NULL},
                 {ALLOCATOR_INSPECT, end_due, make_end},
                 {ALLOCATOR_SUBMIT, allocator_plan_submit_due, make_submit},
                 {ALLOCATOR_INSPECT, description_due, make_description}};

enum { QUESTIONS = sizeof questions / sizeof *questions };

bool allocator_plan_make(struct allocator_plan *plan, double now, struct allocator_order *out)
{
    for (int i = 0; i < QUESTIONS; i++)
        if (questions[i].due(plan) <= now) {
            *out = (struct allocator_order){.question = questions[i].question};
            if (questions[i].make)
                questions[i].make(plan, now, out);
            return true;
        }
    return false;
}

double allocator_plan_due(const struct allocator_plan *plan)
{
    double due = never;
    for (int i = 0; i < QUESTIONS; i++)
        due = fmin(due, questions[i].due(plan));
    return due;
}
