/* The time of the job: how long trials are expected to run, and how long they may. Nothing is started that would not
 * end in time; how the session ends is end.c's. */
#include "scheduler/core/walltime.h"
#include "scheduler/core/core_parts.h"
#include "scheduler/core/gang.h"
#include "scheduler/core/lease.h"
#include "scheduler/core/snapshot.h"
#include "scheduler/core/trial.h"
#include "scheduler/core/workers.h"

#include <math.h>

/* What has not ended so long before the deadline is given up: a commit and its messages take some milliseconds, on a
 * busy filesystem a second. Of a short warning it is at most that part. */
#define LAST_SECONDS 2.0
#define LAST_PART    0.25

/* A trial that a job's end cut short is expected to run so many times as long as it did. */
#define BEYOND_CUT 1.25

bool walltime_matters(const struct core *core)
{
    return !core->config.can_continue && (isfinite(core->deadline) || core->worker_ends);
}

uint64_t walltime_version(const struct core *core)
{
    return walltime_matters(core) ? 2 + forecast_version(core->forecast) : 1;
}

double walltime_predict(struct core *core, struct trial *trial)
{
    if (walltime_matters(core) && trial->need_version == walltime_version(core))
        return trial->need;
    if (!trial->configuration) {
        core->counters.readings++;
        trial->configuration = configuration_read(trial->params);
    }
    core->counters.predictions++;
    return fmax(forecast_seconds(core->forecast, trial->configuration), trial->cut > 0 ? BEYOND_CUT * trial->cut : -1);
}

/* --- what is left: seconds in which a trial that is started now has to end --- */

double walltime_left(const struct core *core)
{
    return core->deadline - core->config.warn - core->now;
}

/* Of a job that nothing is known of yet it is what others had at their best: it was asked for in the same way. */
double walltime_span(const struct core *core)
{
    return core->worker_span > 0 ? core->worker_span - core->config.warn : INFINITY;
}

double walltime_left_for(const struct core *core, const struct worker *worker)
{
    bool guessed = worker->job.job && isinf(worker->until);
    return guessed ? walltime_span(core) : worker->until - core->config.warn - core->now;
}

bool walltime_has_time(const struct core *core, const struct worker *worker)
{
    const struct fitqueue_item *least = fitqueue_smallest(&core->queue);
    return !least || least->size <= walltime_left_for(core, worker);
}

double walltime_size_for(const struct core *core, double need)
{
    return -(need + core->config.warn + core->now);
}

bool walltime_suffices(const struct core *core)
{
    return fmax(forecast_seconds(core->forecast, NULL), 0) <= walltime_left(core);
}

bool walltime_is_near(const struct core *core)
{
    return core->now >= core->deadline - core->config.warn;
}

bool walltime_is_near_for(const struct core *core, const struct worker *worker)
{
    return core->now >= worker->until - core->config.warn;
}

bool walltime_may_end(struct core *core, const struct worker *worker, const struct lease *lease)
{
    double end = lease->since + walltime_predict(core, lease_trial(core, lease));
    return !core->config.can_continue && core->now < worker->until - core->config.grace && end < worker->until;
}

/* --- what does not fit --- */

/* The most that any worker has, or one that comes would have. No worker has more than the span: that is the most that
 * one had when its end became known. */
static double most_left(const struct core *core)
{
    uint32_t nodes = gang_nodes(core);
    bool endless = nodes > 1 && core->endless ? gather_count_endless(core) >= nodes : core->endless > 0;
    return endless ? INFINITY : walltime_span(core);
}

static uint64_t count_above(const struct core *core, double capacity)
{
    return fitqueue_count_above(&core->queue, capacity) + fitqueue_count_above(&core->suspects.queue, capacity) +
           fitqueue_count_above(&core->large.queue, capacity);
}

uint64_t walltime_exceeding(const struct core *core)
{
    return isinf(core->deadline) ? 0 : count_above(core, walltime_left(core));
}

uint64_t walltime_exceeding_whole(const struct core *core)
{
    return isinf(core->deadline) ? 0 : count_above(core, core->job_span - core->config.warn);
}

uint64_t walltime_outlasting(const struct core *core)
{
    double most = most_left(core);
    return isinf(most) ? 0 : count_above(core, most);
}

void walltime_snapshot(const struct core *core, double now, struct snapshot *out)
{
    out->has_deadline = isfinite(core->deadline);
    if (!out->has_deadline)
        return;
    out->deadline = core->deadline - now;
    out->warn = core->config.warn;
    out->exceeds_walltime = walltime_exceeding(core);
    if (!out->exceeds_walltime)
        return;
    const struct fitqueue_item *largest = fitqueue_largest(&core->queue);
    if (!largest || largest->size <= walltime_left(core))
        largest = fitqueue_largest(&core->suspects.queue);
    if (!largest || largest->size <= walltime_left(core))
        largest = fitqueue_largest(&core->large.queue);
    out->exceeding_trial = LIST_ITEM(largest, const struct trial, queue)->number;
    out->exceeding_seconds = largest->size;
}

/* --- the end of runs --- */

enum ending walltime_ending(const struct core *core)
{
    return core->leaving ? core->leave_with : ENDING_CANCELLED;
}

enum ending walltime_cause(const struct core *core, const struct worker *worker, enum ending ending)
{
    if (core->leaving && (ending == ENDING_PREEMPTED || ending == ENDING_WALLTIME || ending == ENDING_LOST))
        return core->leave_with;
    bool near = walltime_is_near(core) || walltime_is_near_for(core, worker);
    return near && ending == ENDING_PREEMPTED ? ENDING_WALLTIME : ending;
}

double walltime_give_up(const struct core *core)
{
    return core->deadline - fmin(LAST_SECONDS, LAST_PART * core->config.warn);
}

double walltime_stop_seconds(const struct core *core)
{
    double left = walltime_give_up(core) - core->now;
    return isinf(left) ? 0 : fmax(left, 0.1);
}

bool walltime_went_on(struct core *core, struct trial *trial, uint64_t resumed)
{
    if (resumed <= trial->resumed)
        return false;
    trial->resumed = resumed;
    core->progressed = true;
    return true;
}

void walltime_learn(struct core *core, const struct trial *trial, double seconds)
{
    if (isfinite(core->deadline) || core->worker_ends)
        forecast_learn(core->forecast, trial->params, seconds);
}

void walltime_cut(struct trial *trial, double seconds)
{
    trial->cut = fmax(trial->cut, seconds);
    trial->need_version = 0;
}
