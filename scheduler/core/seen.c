/* The values that metrics had so far; see seen.h. */
#include "scheduler/core/seen.h"
#include "scheduler/core/core_parts.h"
#include "scheduler/core/trial.h"

#include <math.h>
#include <stdlib.h>

bool seen_is_kept(const struct core *core)
{
    return core->config.early_stop || core->config.can_continue;
}

void seen_forget(struct trial *trial)
{
    free(trial->seen);
    trial->seen = NULL;
}

void seen_add(struct memory_seen *seen, int64_t step, double last, double min, double max)
{
    if (!seen->any || step >= seen->step) {
        seen->last = last;
        seen->step = step;
    }
    seen->min = seen->any ? fmin(seen->min, min) : min;
    seen->max = seen->any ? fmax(seen->max, max) : max;
    seen->any = true;
}

void seen_add_value(struct memory_seen *seen, int64_t step, double value)
{
    double finite = isfinite(value) ? value : NAN; /* fmin and fmax pass NaN over */
    seen_add(seen, step, value, finite, finite);
}

/* Counts older values in with those that came later. */
static void merge(struct memory_seen *later, const struct memory_seen *older)
{
    struct memory_seen both = *older;
    if (later->any)
        seen_add(&both, later->step, later->last, later->min, later->max);
    *later = both;
}

static bool came_to(const struct memory_seen *seen, uint32_t count, uint64_t step)
{
    bool came = false;
    for (uint32_t i = 0; i < count; i++)
        came |= seen[i].any && seen[i].step >= (int64_t)step;
    return came;
}

void seen_begin(struct memory_seen *seen, uint32_t count, uint64_t resumed)
{
    static const struct memory_seen nothing;
    if (resumed && came_to(seen, count, resumed))
        return;
    for (uint32_t i = 0; i < count; i++) {
        struct memory_seen *before = &seen[count + i];
        merge(&seen[i], before);
        *before = resumed ? nothing : seen[i];
        seen[i] = resumed ? seen[i] : nothing;
    }
}

bool seen_values(const struct metrics *metrics, const struct memory_seen *seen, double *values)
{
    bool whole = seen != NULL;
    for (uint32_t i = 0; i < metrics->count; i++) {
        bool any = seen && seen[i].any;
        values[i] = any ? metric_value(&metrics->items[i], seen[i].last, seen[i].min, seen[i].max) : NAN;
        whole &= !metrics->items[i].objective || isfinite(values[i]);
    }
    return whole;
}

uint64_t seen_step(const struct trial *trial)
{
    return trial->seen && trial->seen[0].any && trial->seen[0].step > 0 ? (uint64_t)trial->seen[0].step : 0;
}

uint64_t seen_known(const struct core *core, const struct trial *trial)
{
    int64_t known = INT64_MAX;
    for (uint32_t i = 0; trial->seen && i < core->config.metrics.count; i++)
        if (core->config.metrics.items[i].objective && (!trial->seen[i].any || trial->seen[i].step < known))
            known = trial->seen[i].any ? trial->seen[i].step : 0;
    return trial->seen && known > 0 ? (uint64_t)known : 0;
}
