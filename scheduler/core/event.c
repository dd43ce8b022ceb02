/* Names of what events speak of; see event.h. */
#include "scheduler/core/event.h"

#include <assert.h>
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
           reason == REASON_PAUSED || reason == REASON_NO_PROGRESS || reason == REASON_NO_WORKERS;
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

void event_fini(struct event *event)
{
    arena_fini(&event->memory);
}

void event_set_values(struct event *event, const struct metrics *metrics, const double *values)
{
    event->has_value = true;
    event->value = values[0];
    event->infeasible = !metrics_feasible(metrics, values);
    if (metrics->count > 1 || metrics_limits(metrics)) {
        event->values = arena_copy(&event->memory, values, metrics->count * sizeof *values);
        event->values_count = metrics->count;
    }
}
