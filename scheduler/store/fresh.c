/* Rows of trials as they were written a moment ago; see fresh.h. */
#include "scheduler/store/fresh.h"

#include "common/mem.h"

#include <stdlib.h>
#include <string.h>

static struct fresh_trial *find_trial(const struct fresh *fresh, uint64_t trial)
{
    struct fresh_trial *known = fresh->trials ? &fresh->trials[trial % FRESH_MOST] : NULL;
    return known && trial && known->trial == trial ? known : NULL;
}

static void forget_trial(struct fresh_trial *known)
{
    free(known->params);
    *known = (struct fresh_trial){0};
}

void fresh_proposed(struct fresh *fresh, const struct event *event)
{
    const struct event_proposed *proposed = &event->proposed;
    size_t bytes = strlen(proposed->params) + 1;
    if (!fresh->trials)
        fresh->trials = MEM_ARRAY(struct fresh_trial, FRESH_MOST);
    struct fresh_trial *known = &fresh->trials[event->trial % FRESH_MOST];
    forget_trial(known);
    if (bytes > FRESH_TEXT)
        return;
    *known = (struct fresh_trial){.trial = event->trial,
                                  .params = memcpy(mem_resize(NULL, 1, bytes), proposed->params, bytes),
                                  .fingerprint = proposed->fingerprint,
                                  .told_before = proposed->told_before,
                                  .from = proposed->from,
                                  .from_start = proposed->from_start,
                                  .proposed = event->time};
}

void fresh_leased(struct fresh *fresh, const struct event *event, int64_t worker)
{
    struct fresh_trial *known = find_trial(fresh, event->trial);
    if (known && known->attempt) {
        forget_trial(known);
    } else if (known) {
        known->attempt = event->attempt;
        known->worker = worker;
        known->leased = event->time;
        known->lease = event->lease;
    }
}

void fresh_run_ended(struct fresh *fresh, const struct event *event)
{
    struct fresh_trial *known = find_trial(fresh, event->trial);
    if (known && fresh_to_end_run(fresh, event))
        known->ended = true;
    else if (known)
        forget_trial(known);
}

const struct fresh_trial *fresh_to_end_run(const struct fresh *fresh, const struct event *event)
{
    const struct fresh_trial *known = find_trial(fresh, event->trial);
    return known && known->attempt == event->attempt && !known->ended && !event->run.given_up ? known : NULL;
}

const struct fresh_trial *fresh_to_end(const struct fresh *fresh, const struct event *event)
{
    return find_trial(fresh, event->trial);
}

void fresh_drop(struct fresh *fresh, uint64_t trial)
{
    struct fresh_trial *known = find_trial(fresh, trial);
    if (known)
        forget_trial(known);
}

void fresh_forget(struct fresh *fresh)
{
    for (size_t i = 0; fresh->trials && i < FRESH_MOST; i++)
        free(fresh->trials[i].params);
    free(fresh->trials);
    *fresh = (struct fresh){0};
}
