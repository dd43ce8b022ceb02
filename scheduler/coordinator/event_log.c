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

static void event_log_experiment(const struct event *event)
{
    const char *detail = event->detail ? event->detail : "";
    if (event->state == EXPERIMENT_RUNNING && event->reason == REASON_NONE)
        return; /* said by the coordinator when it starts; repeated to write down the time held */
    log_info("the experiment is %s: %s%s%s", experiment_state_name(event->state), reason_sentence(event->reason),
             *detail ? ": " : "", detail);
}

void event_log_event(struct narrator *narrator, const struct event *event)
{
    unsigned long long trial = event->trial, worker = event->worker;
    switch (event->kind) {
    case EVENT_WORKER:
        log_info("worker %016llx: process %u on %s, gannet %s, %s", worker, event->hello.pid, event->hello.node,
                 event->hello.version, event->hello.machine);
        break;
    case EVENT_SLOTS:
        log_info("worker %016llx offers %u slots", worker, event->slots_count);
        break;
    case EVENT_WORKER_GONE:
        log_warning("worker %016llx is gone: %s", worker, event->detail);
        break;
    case EVENT_RETRIED:
        event_log(narrator, "trial %llu waits again: %s", trial,
                  event->ending == ENDING_CANCELLED ? "it was interrupted" : ending_sentence(event->ending));
        break;
    case EVENT_LATE:
        event_log(narrator, "trial %llu: a result of attempt %u came too late and is not counted", trial,
                  event->attempt);
        break;
    case EVENT_EXPERIMENT:
        event_log_experiment(event);
        break;
    case EVENT_JOB:
        if (event->job.state)
            log_info("job %u is %s%s%s", event->job.job, event->job.state, event->job.nodes ? " on " : "",
                     event->job.nodes ? event->job.nodes : "");
        break;
    case EVENT_PROPOSED:
    case EVENT_LEASED:
    case EVENT_RETURNED:
    case EVENT_SAMPLED:
    case EVENT_RUN_ENDED:
    case EVENT_TRIAL_ENDED:
    case EVENT_DECIDED:
    case EVENT_PAUSED:
    case EVENT_RESUMED:
    case EVENT_KINDS:
        break;
    }
}
