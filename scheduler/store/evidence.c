/* From a result to evidence; see evidence.h. */
#include "scheduler/store/evidence.h"

#include <math.h>

/* As the row has it: whoever reads that comes to the same verdict. */
static double whole_nanoseconds(double seconds)
{
    return seconds > 0 ? round(seconds * 1e9) / 1e9 : seconds;
}

/* A process tells its phases at the end of a run: one that died, or never began, told none, and was not idle. */
static bool is_told(const struct event_run *run)
{
    static const enum phase seen_from_outside[] = {PHASE_QUEUE, PHASE_LAUNCH, PHASE_STAGE, PHASE_IDLE};
    uint64_t told = run->named_count;
    for (int i = 0; i < PHASES_COUNT; i++)
        told += run->profile[i].count;
    for (size_t i = 0; i < sizeof seen_from_outside / sizeof *seen_from_outside; i++)
        told -= run->profile[seen_from_outside[i]].count;
    enum trial_state state = ending_state(run->ending);
    return told || state == TRIAL_COMPLETED || state == TRIAL_STOPPED;
}

/* Phases are known all together: one that does not occur took no time. */
static void take_phases(const struct event_run *run, struct verdict_evidence *out)
{
    if (!run->profile || !is_told(run))
        return;
    for (int i = 0; i < PHASES_COUNT; i++)
        out->phases[i] = whole_nanoseconds(run->profile[i].seconds);
    out->named = 0;
    for (uint32_t i = 0; i < run->named_count; i++)
        out->named = fmax(out->named, whole_nanoseconds(run->named[i].seconds));
}

/* The worker's control group waited for memory, or the whole node: that was this run when some of its memory had been
 * put aside; else at most as long as it took to read again what files it had in memory, a disk's seek for each page. */
static double memory_wait(const struct run_counters *counters)
{
    static const double seek = 0.01;
    const double *values = counters->values;
    double swapped = values[COUNT_SWAPPED], faults = values[COUNT_MAJOR_FAULTS];
    double stall =
        isnan(values[COUNT_GROUP_MEMORY_STALL]) ? values[COUNT_NODE_MEMORY_STALL] : values[COUNT_GROUP_MEMORY_STALL];
    if (swapped > 0)
        return stall;
    return isnan(swapped) || isnan(faults) ? NAN : fmin(stall, seek * faults);
}

/* The node waited for disks: that was this run at most as long as it neither ran nor could, if it had to do with them.
 */
static double disk_wait(const struct event_run *run, const struct verdict_evidence *known)
{
    static const double much = 1 << 20; /* bytes */
    const double *values = run->counters->values;
    double moved = values[COUNT_DISK_READ] + values[COUNT_DISK_WRITTEN];
    double slept = run->seconds - known->cpu_seconds - known->core_wait;
    if (isnan(moved) || isnan(slept))
        return NAN;
    return moved < much || slept < 0 ? 0 : fmin(slept, values[COUNT_NODE_IO_STALL]);
}

/* That of the fastest core of the slot, of a run that worked: cores that have little to do are slowed down to save
 * power, and lose nothing. */
static double clock_of(const struct event_run *run)
{
    const double *values = run->counters->values;
    return run->cpu_seconds >= run->seconds / 2 ? values[COUNT_FREQUENCY] / values[COUNT_FREQUENCY_BASE] : NAN;
}

static void take_counters(const struct event_run *run, struct verdict_evidence *out)
{
    const double *values = run->counters->values;
    out->core_wait = values[COUNT_QUEUE_WAIT];
    out->cores = values[COUNT_CORES];
    out->peak_flops = values[COUNT_FLOPS_LIMIT];
    out->bandwidth = values[COUNT_BYTES_LIMIT];
    out->slowest = values[COUNT_RANK_SLOWEST];
    out->mean = values[COUNT_RANK_MEAN];
    out->quota_stall = values[COUNT_GROUP_THROTTLED];
    out->throttled = fmax(values[COUNT_THROTTLED_HEAT], values[COUNT_GPU_HOT]); /* of one that is unknown the other */
    out->clock = clock_of(run);
    out->memory_wait = memory_wait(run->counters);
    if (!isnan(values[COUNT_NODE_IO_STALL]))
        out->disk_wait = disk_wait(run, out);
}

/* What its operations came to; nothing is known of a program's. */
static void take_operations(const struct event_run *run, struct verdict_evidence *out)
{
    if (!run->operations_count)
        return;
    out->flops = out->bytes = out->calls = 0;
    for (uint32_t i = 0; i < run->operations_count; i++) {
        double flops = round(run->operations[i].flops / 1e3) * 1e3, bytes = round(run->operations[i].bytes / 1e3) * 1e3;
        out->flops += flops;
        out->bytes += bytes;
        if (flops > 0 || bytes > 0)
            out->calls += (double)run->operations[i].calls;
    }
}

struct verdict_evidence evidence_of_run(const struct event_run *run)
{
    struct verdict_evidence evidence = verdict_nothing();
    take_phases(run, &evidence);
    take_operations(run, &evidence);
    if (run->cpu_seconds > 0) /* of a process that ended before it could be looked at nothing is known */
        evidence.cpu_seconds = run->cpu_seconds;
    if (run->counters)
        take_counters(run, &evidence);
    return evidence;
}
