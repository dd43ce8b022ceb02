/* From looks at GPUs to the counters of a run; see gpu_watch.h. */
#include "worker/profile/gpu_watch.h"

#include <math.h>

void gpu_run_begin(struct gpu_run *run, double now)
{
    run->begun = now;
    run->memory = NAN;
    for (int i = 0; i < GPU_MOST; i++)
        run->first[i].at = run->last[i].at = 0;
}

void gpu_run_add(struct gpu_run *run, size_t i, const struct gpu_reading *reading)
{
    if (i >= GPU_MOST || reading->at < run->begun || reading->at <= run->last[i].at)
        return;
    if (!(run->first[i].at > 0))
        run->first[i] = *reading;
    run->last[i] = *reading;
    run->memory = fmax(run->memory, reading->memory); /* NaN loses */
}

/* The mean between two looks; NaN: there was nothing to see. */
static double mean_of(const struct gpu_sum *first, const struct gpu_sum *last)
{
    double seconds = last->seconds - first->seconds;
    return seconds > 0 ? (last->sum - first->sum) / seconds : NAN;
}

/* What the driver counted, else what looks at the power say. */
static double power_of(const struct gpu_reading *first, const struct gpu_reading *last)
{
    double counted = (last->energy - first->energy) / (last->at - first->at);
    return counted >= 0 && counted <= GPU_MOST_WATTS ? counted : mean_of(&first->power, &last->power);
}

/* Whether each GPU was looked at twice. */
static bool has_seen(const struct gpu_run *run, size_t count)
{
    for (size_t i = 0; i < count && i < GPU_MOST; i++)
        if (!(run->first[i].at > 0) || !(run->last[i].at > run->first[i].at))
            return false;
    return count > 0 && count <= GPU_MOST;
}

void gpu_run_end(const struct gpu_run *run, size_t count, uint32_t sharers, double seconds, struct run_counters *out)
{
    double use = 0, power = 0, clock = 0, hot = NAN, capped = NAN, most = NAN;
    if (!has_seen(run, count))
        return;
    for (size_t i = 0; i < count; i++) {
        const struct gpu_reading *first = &run->first[i], *last = &run->last[i];
        use += mean_of(&first->use, &last->use) / (double)count;
        power += power_of(first, last);
        clock += mean_of(&first->clock, &last->clock) / (double)count;
        hot = fmax(hot, mean_of(&first->hot, &last->hot));
        capped = fmax(capped, mean_of(&first->capped, &last->capped));
        most = fmax(most, last->clock_most);
    }
    out->values[COUNT_GPU_USE] = use;
    out->values[COUNT_GPU_MEMORY] = run->memory;
    out->values[COUNT_GPU_POWER] = power;
    out->values[COUNT_GPU_CLOCK] = clock;
    out->values[COUNT_GPU_CLOCK_MOST] = most;
    out->values[COUNT_GPU_HOT] = hot * seconds;
    out->values[COUNT_GPU_CAPPED] = capped * seconds;
    out->values[COUNT_ENERGY_GPUS] = power * seconds / (sharers > 1 ? sharers : 1);
}
