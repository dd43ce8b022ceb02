/* Events as log lines; see event_log.h. */
#include "scheduler/coordinator/event_log.h"

#include "common/clock.h"
#include "common/log.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

enum { MOST_A_SECOND = 20 };

void event_log(struct narrator *narrator, const char *format, ...)
{
    char text[1024];
    va_list args;
    double second = floor(clock_monotonic());
    if (second != narrator->second) {
        if (narrator->untold)
            log_warning("... and %u lines of this kind more in that second", narrator->untold);
        *narrator = (struct narrator){.second = second};
    }
    if (narrator->told == MOST_A_SECOND) {
        narrator->untold++;
        return;
    }
    narrator->told++;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    log_warning("%s", text);
}

/* --- log_worker and so on: one function for each kind that is LOGGED --- */

static void log_worker(struct narrator *narrator, const struct event *event)
{
    const struct msg_hello *hello = &event->hello;
    (void)narrator;
    log_info("worker %016llx: process %u on %s, gannet %s, %s", (unsigned long long)event->worker, hello->pid,
             hello->node, hello->version, hello->machine);
}

static void log_slots(struct narrator *narrator, const struct event *event)
{
    (void)narrator;
    log_info("worker %016llx offers %u slots", (unsigned long long)event->worker, event->offered.slots_count);
}

static void log_worker_gone(struct narrator *narrator, const struct event *event)
{
    (void)narrator;
    log_warning("worker %016llx is gone: %s", (unsigned long long)event->worker, event->gone.detail);
}

static void log_retried(struct narrator *narrator, const struct event *event)
{
    enum ending ending = event->retried.ending;
    event_log(narrator, "trial %llu waits again: %s", (unsigned long long)event->trial,
              ending == ENDING_CANCELLED ? "it was interrupted" : ending_sentence(ending));
}

static void log_late(struct narrator *narrator, const struct event *event)
{
    event_log(narrator, "trial %llu: a result of attempt %u came too late and is not counted",
              (unsigned long long)event->trial, event->attempt);
}

/* That it runs is said by the coordinator when it starts, and repeated to write down the time held. */
static void log_experiment(struct narrator *narrator, const struct event *event)
{
    const struct event_experiment *now = &event->experiment;
    (void)narrator;
    if (now->state != EXPERIMENT_RUNNING || now->reason != REASON_NONE)
        log_info("the experiment is %s: %s%s%s", experiment_state_name(now->state), reason_sentence(now->reason),
                 *now->detail ? ": " : "", now->detail);
}

static void log_job(struct narrator *narrator, const struct event *event)
{
    const struct job_facts *job = &event->job;
    (void)narrator;
    if (job->state)
        log_info("job %u is %s%s%s", job->job, job->state, job->nodes ? " on " : "", job->nodes ? job->nodes : "");
}

void event_log_event(struct narrator *narrator, const struct event *event)
{
#define SILENT(name)
#define LOGGED(name) log_##name(narrator, event);
    switch (event->kind) {
#define X(KIND, name, payload, member, said, help)                                                                     \
    case EVENT_##KIND:                                                                                                 \
        said(name) break;
        EVENTS(X)
#undef X
    case EVENT_KINDS:
        break;
    }
}
