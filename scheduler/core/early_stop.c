/* Early stopping looks at samples: what the objectives came to at each step is kept with the trial, shown to the judge
 * step by step, and its decision written down.
 *
 *     go on      nothing
 *     stop       STOP_RUN; the trial ends as stopped early with what it came to, however its run ends
 *     pause      the run was told beforehand to pause at this step: its result follows (pause.c)
 *
 * At a rung the strategy is told how the trial stands, once that is on disk, as one more in the order of tells. */
#include "scheduler/core/early_stop.h"
#include "common/mem.h"
#include "scheduler/core/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool early_stop_is_kept(const struct core *core)
{
    return core->config.early_stop || core->config.can_continue;
}

static struct memory_seen *seen_of(struct core *core, struct trial *trial)
{
    if (!trial->seen)
        trial->seen = MEM_ARRAY(struct memory_seen, core->config.metrics.count);
    return trial->seen;
}

void early_stop_forget(struct trial *trial)
{
    free(trial->seen);
    trial->seen = NULL;
}

void early_stop_add(struct memory_seen *seen, int64_t step, double last, double min, double max)
{
    if (!seen->any || step >= seen->step) {
        seen->last = last;
        seen->step = step;
    }
    seen->min = seen->any ? fmin(seen->min, min) : min;
    seen->max = seen->any ? fmax(seen->max, max) : max;
    seen->any = true;
}

bool early_stop_values(const struct core *core, const struct trial *trial, double *values)
{
    const struct metrics *metrics = &core->config.metrics;
    bool whole = trial->seen != NULL;
    for (uint32_t i = 0; i < metrics->count; i++) {
        const struct memory_seen *seen = trial->seen ? &trial->seen[i] : NULL;
        bool any = seen && seen->any;
        values[i] = any ? metric_value(&metrics->items[i], seen->last, seen->min, seen->max) : NAN;
        whole &= !metrics->items[i].objective || isfinite(values[i]);
    }
    return whole;
}

uint64_t early_stop_step(const struct trial *trial)
{
    return trial->seen && trial->seen[0].any && trial->seen[0].step > 0 ? (uint64_t)trial->seen[0].step : 0;
}

uint64_t early_stop_known(const struct core *core, const struct trial *trial)
{
    int64_t known = INT64_MAX;
    for (uint32_t i = 0; trial->seen && i < core->config.metrics.count; i++)
        if (core->config.metrics.items[i].objective && (!trial->seen[i].any || trial->seen[i].step < known))
            known = trial->seen[i].any ? trial->seen[i].step : 0;
    return trial->seen && known > 0 ? (uint64_t)known : 0;
}

/* The metric of that name; -1: none that trials are judged by. */
static int find_metric(const struct core *core, const char *name)
{
    for (uint32_t i = 0; i < core->config.metrics.count; i++)
        if (strcmp(core->config.metrics.items[i].name, name) == 0)
            return (int)i;
    return -1;
}

/* Whether all objectives are known at this step. */
static bool is_complete(const struct core *core, const struct trial *trial, int64_t step)
{
    for (uint32_t i = 0; i < core->config.metrics.count; i++)
        if (core->config.metrics.items[i].objective && (!trial->seen[i].any || trial->seen[i].step != step))
            return false;
    return true;
}

/* Writes the decision down, and what follows from it at once. */
static void carry_out(struct core *core, struct trial *trial, uint32_t attempt, const double *values, double seconds,
                      uint64_t step, const struct early_stop_decision *decision)
{
    struct event_decided decided = {.step = step,
                                    .advance = step - trial->decided,
                                    .max_steps = core->config.early_stop->max_steps(core->config.early_stop->context),
                                    .decision = decision->action,
                                    .values = values,
                                    .values_count = core->config.metrics.count,
                                    .seconds = seconds,
                                    .detail = decision->why,
                                    .told = decision->rung ? ++core->tells : 0};
    const struct event *event = outbox_event(
        core, &(struct event){.kind = EVENT_DECIDED, .trial = trial->number, .attempt = attempt, .decided = decided});
    if (decision->rung)
        outbox_settle_rung(core, event);
    core->steps += decided.advance;
    core->stepped += !trial->decided;
    trial->decided = step;
    trial->held = decision->action == EARLY_STOP_PAUSE;
    if (decision->action != EARLY_STOP_STOP)
        return;
    free(trial->stop);
    trial->stop = mem_text(decision->why);
    if (trial->lease)
        lease_stop(core, trial->lease, ENDING_STOPPED_EARLY);
}

static void show(struct core *core, struct trial *trial, uint32_t attempt, uint64_t step, double seconds)
{
    const struct early_stop *early_stop = core->config.early_stop;
    const struct metrics *metrics = &core->config.metrics;
    if (!early_stop || step <= trial->decided || trial->stop || trial->held)
        return;
    struct early_stop_decision decision;
    for (uint32_t i = 0; i < metrics->count; i++)
        core->values[i] = trial->seen[i].any && trial->seen[i].step == (int64_t)step ? trial->seen[i].last : NAN;
    early_stop->sample(early_stop->context, trial->number, step, core->values, &decision);
    carry_out(core, trial, attempt, core->values, seconds, step, &decision);
}

void early_stop_begin(struct trial *trial, uint64_t resumed)
{
    if (!trial->begun && !resumed)
        early_stop_forget(trial);
    trial->begun = true;
}

void early_stop_at(struct core *core, struct trial *trial, uint32_t attempt, const struct event_sampled *sampled)
{
    for (uint32_t i = 0; i < sampled->samples_count && early_stop_is_kept(core); i++) {
        const struct msg_sample *sample = &sampled->samples[i];
        int metric = find_metric(core, sample->metric);
        if (metric < 0)
            continue;
        double finite = isfinite(sample->value) ? sample->value : NAN;
        early_stop_add(&seen_of(core, trial)[metric], sample->step, sample->value, finite, finite);
        if (core->config.metrics.items[metric].objective && sample->step > 0 && is_complete(core, trial, sample->step))
            show(core, trial, attempt, (uint64_t)sample->step, trial->spent + sample->time);
    }
}
