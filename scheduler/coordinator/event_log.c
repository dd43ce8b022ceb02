/* Events as log lines; see event_log.h. */
#include "scheduler/coordinator/event_log.h"

#include "common/clock.h"
#include "common/log.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

enum { MOST_A_SECOND = 20 };

void event_log_warning(struct event_log *log, const char *format, ...)
{
    char text[1024];
    va_list args;
    double second = floor(clock_monotonic());
    if (second != log->second) {
        if (log->untold)
            log_warning("... and %u lines of this kind more in that second", log->untold);
        *log = (struct event_log){.second = second};
    }
    if (log->told == MOST_A_SECOND) {
        log->untold++;
        return;
    }
    log->told++;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    log_warning("%s", text);
}

/* --- log_worker and so on: one function for each kind that is LOGGED --- */

static void log_worker(struct event_log *log, const struct event *event)
{
    const struct msg_hello *hello = &event->hello;
    (void)log;
    log_info("worker %016llx: process %u on %s, gannet %s, %s", (unsigned long long)event->worker, hello->pid,
             hello->node, hello->version, hello->machine);
}

static void log_slots(struct event_log *log, const struct event *event)
{
    (void)log;
    log_info("worker %016llx offers %u slots", (unsigned long long)event->worker, event->offered.slots_count);
}

static void log_worker_gone(struct event_log *log, const struct event *event)
{
    (void)log;
    log_warning("worker %016llx is gone: %s", (unsigned long long)event->worker, event->gone.detail);
}

static void log_retried(struct event_log *log, const struct event *event)
{
    enum ending ending = event->retried.ending;
    event_log_warning(log, "trial %llu waits again: %s", (unsigned long long)event->trial,
                      ending == ENDING_CANCELLED ? "it was interrupted" : ending_sentence(ending));
}

static void log_late(struct event_log *log, const struct event *event)
{
    event_log_warning(log, "trial %llu: a result of attempt %u came too late and is not counted",
                      (unsigned long long)event->trial, event->attempt);
}

/* That it runs is said by the coordinator when it starts, and repeated to write down the time held. */
static void log_experiment(struct event_log *log, const struct event *event)
{
    const struct event_experiment *now = &event->experiment;
    (void)log;
    if (now->state != EXPERIMENT_RUNNING || now->reason != REASON_NONE)
        log_info("the experiment is %s: %s%s%s", experiment_state_name(now->state), reason_sentence(now->reason),
                 *now->detail ? ": " : "", now->detail);
}

static void log_job(struct event_log *log, const struct event *event)
{
    const struct job_facts *job = &event->job;
    (void)log;
    if (job->state)
        log_info("job %u is %s%s%s", job->job, job->state, job->nodes ? " on " : "", job->nodes ? job->nodes : "");
}

void event_log_event(struct event_log *log, const struct event *event)
{
#define SILENT(name)
#define LOGGED(name) log_##name(log, event);
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
