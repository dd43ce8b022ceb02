/* Names of what events speak of, and their memory; see event.h. */
#include "scheduler/core/event.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* Name and sentence of each reason. */
static const char *const reasons[][2] = {
#define X(id, name, sentence) {name, sentence},
    REASONS(X)
#undef X
};

static const char *const states[] = {"running", "draining", "ended"};
_Static_assert(sizeof states / sizeof *states == EXPERIMENT_ENDED + 1, "a name for each state");

bool reason_goes_on(enum reason reason)
{
    return reason == REASON_INTERRUPTED || reason == REASON_WALLTIME || reason == REASON_PREEMPTED ||
           reason == REASON_PAUSED || reason == REASON_NO_PROGRESS || reason == REASON_NO_WORKERS ||
           reason == REASON_SAME_FAILURES;
}

/* What the end of a job means for runs that are lost with it. */
static const struct {
    const char *state;
    enum ending ending;
} job_ends[] = {
    {"completed", ENDING_LOST},     {"failed", ENDING_LOST},         {"cancelled", ENDING_PREEMPTED},
    {"timeout", ENDING_WALLTIME},   {"preempted", ENDING_PREEMPTED}, {"node_failed", ENDING_NODE_FAILED},
    {"out_of_memory", ENDING_LOST}, {"vanished", ENDING_LOST},
};

bool job_has_ended(const char *state, enum ending *ending)
{
    *ending = ENDING_LOST;
    for (size_t i = 0; state && i < sizeof job_ends / sizeof *job_ends; i++)
        if (strcmp(state, job_ends[i].state) == 0) {
            *ending = job_ends[i].ending;
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

const char *reason_name(enum reason reason)
{
    assert(reason < REASONS_COUNT);
    return reasons[reason][0];
}

const char *reason_sentence(enum reason reason)
{
    assert(reason < REASONS_COUNT);
    return reasons[reason][1];
}

int reason_named(const char *name)
{
    for (int i = 0; i < REASONS_COUNT; i++)
        if (strcmp(name, reasons[i][0]) == 0)
            return i;
    return -1;
}

const char *experiment_state_name(enum experiment_state state)
{
    assert(state <= EXPERIMENT_ENDED);
    return states[state];
}

int experiment_state_named(const char *name)
{
    for (int i = 0; i <= EXPERIMENT_ENDED; i++)
        if (strcmp(name, states[i]) == 0)
            return i;
    return -1;
}

/* --- memory --- */

static const char *keep_text(struct arena *memory, const char *text)
{
    return text && *text ? arena_text(memory, text) : "";
}

static void *keep_list(struct arena *memory, const void *list, size_t count, size_t size)
{
    return count ? arena_copy(memory, list, count * size) : NULL;
}

static const struct msg_sample *keep_samples(struct arena *memory, const struct msg_sample *list, uint32_t count)
{
    struct msg_sample *copy = keep_list(memory, list, count, sizeof *list);
    for (uint32_t i = 0; i < count; i++)
        copy[i].metric = keep_text(memory, copy[i].metric);
    return copy;
}

static const struct msg_slot *keep_slots(struct arena *memory, const struct msg_slot *list, uint32_t count)
{
    struct msg_slot *copy = keep_list(memory, list, count, sizeof *list);
    for (uint32_t i = 0; i < count; i++) {
        copy[i].cpus = keep_text(memory, copy[i].cpus);
        copy[i].numa = keep_text(memory, copy[i].numa);
        copy[i].gpus = keep_text(memory, copy[i].gpus);
    }
    return copy;
}

static const struct msg_named *keep_named(struct arena *memory, const struct msg_named *list, uint32_t count)
{
    struct msg_named *copy = keep_list(memory, list, count, sizeof *list);
    for (uint32_t i = 0; i < count; i++)
        copy[i].name = keep_text(memory, copy[i].name);
    return copy;
}

static const struct msg_gpu_sum *keep_gpu(struct arena *memory, const struct msg_gpu_sum *list, uint32_t count)
{
    struct msg_gpu_sum *copy = keep_list(memory, list, count, sizeof *list);
    for (uint32_t i = 0; i < count; i++)
        copy[i].name = keep_text(memory, copy[i].name);
    return copy;
}

static void keep_msg_hello(struct msg_hello *hello, struct arena *memory)
{
    hello->node = keep_text(memory, hello->node);
    hello->version = keep_text(memory, hello->version);
    hello->machine = keep_text(memory, hello->machine);
    hello->uncounted = keep_text(memory, hello->uncounted);
}

#define KEEP_U32(at)
#define KEEP_U64(at)
#define KEEP_F64(at)
#define KEEP_BOOL(at)
#define KEEP_ENDING(at)
#define KEEP_ACTION(at)
#define KEEP_STATE(at)
#define KEEP_REASON(at)
#define KEEP_TEXT(at)             at = keep_text(memory, at);
#define KEEP_MAYBE(at)            at = at ? keep_text(memory, at) : NULL;
#define KEEP_PROFILE(at)          at = keep_list(memory, at, at ? PHASES_COUNT : 0, sizeof *at);
#define KEEP_COUNTERS(at)         at = keep_list(memory, at, at != NULL, sizeof *at);
#define KEEP_SAMPLE(at, count)    at = keep_samples(memory, at, count);
#define KEEP_SLOT(at, count)      at = keep_slots(memory, at, count);
#define KEEP_OPERATION(at, count) at = keep_list(memory, at, count, sizeof *at);
#define KEEP_GPU_SUM(at, count)   at = keep_gpu(memory, at, count);
#define KEEP_NAMED(at, count)     at = keep_named(memory, at, count);
#define KEEP_REAL(at, count)      at = keep_list(memory, at, count, sizeof *at);

/* keep_event_proposed, ... */
#define PAYLOAD(type, member)                                                                                          \
    static void keep_##type(struct type *payload, struct arena *memory)                                                \
    {                                                                                                                  \
        (void)payload;                                                                                                 \
        (void)memory;
#define FIELD(owner, type, name, help) KEEP_##type(payload->name)
#define LIST(owner, type, name, help)  KEEP_##type(payload->name, payload->name##_count)
#define PART(owner, other, name)       keep_##other(&payload->name, memory);
#define BORROWED(type, member)
#define END(type) }
#include "scheduler/core/event_list.h"

void event_keep_in(struct event *event, struct arena *memory)
{
    event->memory = (struct arena){0};
    switch (event->kind) {
#define X(KIND, name, payload, member, said, help)                                                                     \
    case EVENT_##KIND:                                                                                                 \
        keep_##payload(&event->member, memory);                                                                        \
        break;
        EVENTS(X)
#undef X
    case EVENT_KINDS:
        assert(false && "no event");
    }
}

void event_keep(struct event *event)
{
    struct arena memory = {0};
    event_keep_in(event, &memory);
    event->memory = memory;
}

uint64_t event_add_steps(uint64_t steps, uint64_t advance)
{
    return advance < INT64_MAX && steps < INT64_MAX - advance ? steps + advance : INT64_MAX;
}

void event_fini(struct event *event)
{
    arena_fini(&event->memory);
}

void event_set_values(struct event_end *end, const struct metrics *metrics, const double *values)
{
    end->has_value = true;
    end->value = values[0];
    end->infeasible = !metrics_feasible(metrics, values);
    if (metrics->count > 1 || metrics_limits(metrics)) {
        end->values = values;
        end->values_count = metrics->count;
    }
}
