/* Finds out which of a supervisor's workers have fallen silent though their processes live: stopped by a signal, or
 * hung. The coordinator is asked, whom workers speak to. */
#ifndef GANNET_SCHEDULER_SUPERVISOR_SILENCE_H
#define GANNET_SCHEDULER_SUPERVISOR_SILENCE_H

#include "common/loop.h"
#include "scheduler/supervisor/notifier.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct silence;

struct silence_setup {
    struct loop *loop;
    struct notifier *notifier; /* lives as long */
    uint32_t workers;
    bool from_start; /* one that was never heard counts as silent from its start on; else it may still be on its way */
    double every;    /* seconds between two looks at a worker; 0: 5 */
    double most;     /* seconds of silence; 0: 90 */
    /* What the coordinator knows the worker by, the arguments of its question `silent`; NULL: it does not run. */
    json_t *(*sign)(void *context, uint32_t worker);
    /* It has been silent for so many seconds. Called once, until it is forgotten. */
    void (*silent)(void *context, uint32_t worker, double seconds);
    void *context;
};

struct silence *silence_watch(const struct silence_setup *setup); /* without workers: NULL */
void silence_end(struct silence *silence);                        /* NULL is fine */

/* The worker's process has ended: the next one has a silence of its own. NULL is fine. */
void silence_forget(struct silence *silence, uint32_t worker);

#endif
