/* From a result to evidence; see evidence.h. */
#include "scheduler/store/evidence.h"

/* Phases are known all together: one that does not occur took no time. */
static void take_phases(const struct event_run *run, struct verdict_evidence *out)
{
    if (!run->profile)
        return;
    for (int i = 0; i < PHASES_COUNT; i++)
        out->phases[i] = run->profile[i].seconds;
    out->named = 0;
    for (uint32_t i = 0; i < run->named_count; i++)
        if (run->named[i].seconds > out->named)
            out->named = run->named[i].seconds;
}

struct verdict_evidence evidence_of_run(const struct event_run *run)
{
    struct verdict_evidence evidence = verdict_nothing();
    take_phases(run, &evidence);
    if (run->cpu_seconds > 0) /* of a process that ended before it could be looked at nothing is known */
        evidence.cpu_seconds = run->cpu_seconds;
    return evidence;
}
