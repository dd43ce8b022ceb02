/* What is to be asked next, and when: each question has a function that says when it is due and one that makes it. See
 * allocator.h. */
#include "scheduler/slurm/allocator.h"
#include "scheduler/slurm/allocator_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double at_once = -INFINITY, never = INFINITY;

/* Whether the slots there are do for all trials. */
static bool is_covered(const struct allocator *self)
{
    return self->slots >= self->wanted;
}

/* --- taking back --- */

/* Those that wait and are not needed; those that run without a worker for too long. */
static double cancel_due_for(const struct allocator *self, const struct allocator_job *item)
{
    if (item->cancelled || (item->state != ALLOCATOR_JOB_WAITS && item->state != ALLOCATOR_JOB_RUNS))
        return never;
    if (self->ended || (item->state == ALLOCATOR_JOB_WAITS && is_covered(self)))
        return at_once;
    return item->state == ALLOCATOR_JOB_RUNS ? item->since + self->config.join : never;
}

static double cancel_due(const struct allocator *self)
{
    double due = never;
    for (size_t i = 0; i < self->count; i++)
        due = fmin(due, cancel_due_for(self, &self->items[i]));
    return due;
}

/* Whether all of this array (or the single job) that is still known is to be taken back, or was. */
static bool all_due(const struct allocator *self, double now, uint32_t id)
{
    for (size_t i = 0; i < self->count; i++) {
        const struct allocator_job *item = &self->items[i];
        if (item->id == id && !item->cancelled && cancel_due_for(self, item) > now)
            return false;
    }
    return true;
}

/* Names an element in Slurm's notation, "12_[3,5"; false when there is no room for it. */
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

/* All that are due of one array; what there is no room for comes with the next question. */
static void make_cancel(struct allocator *self, double now, struct allocator_order *out)
{
    bool whole = false;
    for (size_t i = 0; i < self->count; i++) {
        struct allocator_job *item = &self->items[i];
        if (cancel_due_for(self, item) > now || (out->id && item->id != out->id))
            continue;
        whole = out->id ? whole : all_due(self, now, item->id);
        out->id = item->id;
        item->asked = whole || name_element(out, item);
    }
    if (whole)
        snprintf(out->which, sizeof out->which, "%u", out->id);
    else
        strcat(out->which, "]");
}

/* --- asking about the queue --- */

static bool has_unconnected_jobs(const struct allocator *self)
{
    return self->states[ALLOCATOR_JOB_WAITS] || self->states[ALLOCATOR_JOB_RUNS];
}

/* The longer nothing has changed, the more rarely Slurm is asked. */
static double find_due(const struct allocator *self)
{
    if (self->unsure)
        return at_once;
    double pause = fmax(self->config.look, fmin(self->config.look_most, (self->looked - self->changed) / 10));
    return has_unconnected_jobs(self) && !self->ended ? self->looked + pause : never;
}

static void make_find(struct allocator *self, double now, struct allocator_order *out)
{
    (void)self, (void)now, (void)out;
}

static double end_due(const struct allocator *self)
{
    return self->states[ALLOCATOR_JOB_GONE] && !self->ended ? at_once : never;
}

static void make_end(struct allocator *self, double now, struct allocator_order *out)
{
    (void)now;
    for (size_t i = 0; i < self->count && !out->id; i++)
        if (self->items[i].state == ALLOCATOR_JOB_GONE)
            out->id = self->items[i].id;
}

/* The id of a job whose worker is there and of which nothing more is known; 0: none. */
static uint32_t find_strange(const struct allocator *self)
{
    for (size_t i = 0; i < self->count; i++)
        if (self->items[i].state == ALLOCATOR_JOB_WORKS && !self->items[i].described)
            return self->items[i].id;
    return 0;
}

static double description_due(const struct allocator *self)
{
    return find_strange(self) && !self->ended ? at_once : never;
}

static void make_description(struct allocator *self, double now, struct allocator_order *out)
{
    (void)now;
    out->id = find_strange(self);
}

/* --- submitting --- */

/* Whether the slots there are, and those that are on their way, leave trials without one. */
static bool is_short(const struct allocator *self)
{
    uint64_t coming = 0;
    for (size_t i = 0; i < self->count; i++)
        coming += !self->items[i].cancelled && self->items[i].state <= ALLOCATOR_JOB_RUNS;
    return self->slots + coming * self->per_worker < self->wanted;
}

static bool has_room(const struct allocator *self)
{
    size_t waiting = self->states[ALLOCATOR_JOB_WAITS];
    return self->config.array ? self->count == 0 : self->count < self->config.workers && waiting < self->config.backlog;
}

static double submit_due(const struct allocator *self)
{
    if (*self->stopped || self->ended || self->unsure || !is_short(self) || !has_room(self))
        return never;
    return self->failed_at + self->config.waits[self->failures];
}

static void make_submit(struct allocator *self, double now, struct allocator_order *out)
{
    (void)now;
    if (!self->config.array)
        return;
    double many = ceil((double)(self->wanted - self->slots) / self->per_worker);
    out->count = many < self->config.workers ? (uint32_t)many : self->config.workers;
}

/* --- the next one --- */

/* In the order of their importance: what is not needed blocks others in the queue, and what became of the last jobs
 * decides whether there are further ones. */
static const struct {
    enum allocator_question question;
    double (*due)(const struct allocator *self);
    void (*make)(struct allocator *self, double now, struct allocator_order *out);
} questions[] = {{ALLOCATOR_CANCEL, cancel_due, make_cancel},
                 {ALLOCATOR_FIND, find_due, make_find},
                 {ALLOCATOR_INSPECT, end_due, make_end},
                 {ALLOCATOR_SUBMIT, submit_due, make_submit},
                 {ALLOCATOR_INSPECT, description_due, make_description}};

enum { QUESTIONS = sizeof questions / sizeof *questions };

bool allocator_next(struct allocator *self, double now, struct allocator_order *out)
{
    if (self->asking || !self->updated || now < self->rest_until)
        return false;
    for (int i = 0; i < QUESTIONS; i++)
        if (questions[i].due(self) <= now) {
            *out = (struct allocator_order){.question = questions[i].question};
            questions[i].make(self, now, out);
            self->order = *out;
            self->asking = true;
            return true;
        }
    return false;
}

double allocator_wake(const struct allocator *self, double now)
{
    double due = never;
    for (int i = 0; i < QUESTIONS; i++)
        due = fmin(due, questions[i].due(self));
    return self->asking || !self->updated || due == never ? never : fmax(now, fmax(due, self->rest_until));
}

void allocator_get_state(const struct allocator *self, struct allocator_state *out)
{
    double due = submit_due(self);
    *out = (struct allocator_state){
        .waiting = (uint32_t)self->states[ALLOCATOR_JOB_WAITS],
        .running = (uint32_t)self->states[ALLOCATOR_JOB_RUNS],
        .working = (uint32_t)self->states[ALLOCATOR_JOB_WORKS],
        .stopped = *self->stopped ? self->stopped : NULL,
        .stopped_job = self->stopped_job,
        .stopped_element = self->stopped_element,
        .hopeless = *self->stopped && self->count == 0,
        .failures = self->failures,
        .failed = self->failed,
        .next = fmax(due, self->failed_at),
    };
}
