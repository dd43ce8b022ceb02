/* From a result to evidence; see evidence.h. */
#include "scheduler/store/evidence.h"

#include <math.h>

/* As the row has it: whoever reads that comes to the same verdict. */
static double whole_nanoseconds(double seconds)
{
    return round(seconds * 1e9) / 1e9;
}

/* Phases are known all together: one that does not occur took no time. */
static void take_phases(const struct event_run *run, struct verdict_evidence *out)
{
    if (!run->profile)
        return;
    for (int i = 0; i < PHASES_COUNT; i++)
        out->phases[i] = whole_nanoseconds(run->profile[i].seconds);
    out->named = 0;
    for (uint32_t i = 0; i < run->named_count; i++)
        out->named = fmax(out->named, whole_nanoseconds(run->named[i].seconds));
}

struct verdict_evidence evidence_of_run(const struct event_run *run)
{
    struct verdict_evidence evidence = verdict_nothing();
    take_phases(run, &evidence);
    if (run->cpu_seconds > 0) /* of a process that ended before it could be looked at nothing is known */
        evidence.cpu_seconds = run->cpu_seconds;
    return evidence;
}
