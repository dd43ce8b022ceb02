/* The time of the job: what is still started, and how the session ends when the time is up.
 *
 *     ............ trials that would end by then ...........|..... stop, save, commit .....|
 *     start                                          deadline - warn                    deadline
 *
 * From deadline - warn on (or when the job says so itself) nothing is started, and what runs is stopped: it saves a
 * checkpoint, goes back to waiting, and the next session goes on with it. A run that can't save one and is expected to
 * end before the deadline goes on until `grace` before it. What has not ended shortly before the deadline is given up,
 * so that this is on disk when the job is killed.
 *
 * When nothing runs, and nothing that waits would end in time, the session ends at once: the next job has more time.
 * Sessions that got nothing done, several in a row, are not repeated for ever. */
#include "scheduler/core/walltime.h"
#include "common/units.h"
#include "scheduler/core/parts.h"

#include <math.h>
#include <stdio.h>

/* What has not ended so long before the deadline is given up: a commit and its messages take some milliseconds, on a
 * busy filesystem a second. Of a short warning it is at most that part. */
#define LAST_SECONDS 2.0
#define LAST_PART    0.25

/* A trial that a job's end cut short is expected to run so many times as long as it did. */
#define BEYOND_CUT 1.25

enum { IDLE_SESSIONS = 3 };

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

/* --- rooms: seconds in which a trial that is started now has to end --- */

double walltime_room(const struct core *core)
{
    return core->deadline - core->config.warn - core->now;
}

/* Of a job that nothing is known of yet it is what others had at their best: it was asked for in the same way. */
double walltime_span(const struct core *core)
{
    return core->worker_span > 0 ? core->worker_span - core->config.warn : INFINITY;
}

double walltime_room_for(const struct core *core, const struct worker *worker)
{
    bool guessed = worker->job.job && isinf(worker->until);
    return guessed ? walltime_span(core) : worker->until - core->config.warn - core->now;
}

double walltime_size_for(const struct core *core, double need)
{
    return -(need + core->config.warn + core->now);
}

/* The most that any worker has, or one that comes would have. No worker has more than the span: that is the most that
 * one had when its end became known. */
static double most_room(const struct core *core)
{
    return core->endless ? INFINITY : walltime_span(core);
}

/* --- what does not fit --- */

uint64_t walltime_exceeds_walltime(const struct core *core)
{
    return isinf(core->deadline) ? 0 : fitqueue_count_above(&core->queue, walltime_room(core));
}

uint64_t walltime_outlasting(const struct core *core)
{
    double most = most_room(core);
    return isinf(most) ? 0 : fitqueue_count_above(&core->queue, most);
}

bool walltime_is_hopeless(struct core *core, char *why, size_t size)
{
    char needed[32], given[32];
    if (core->worker_span <= 0 || core->leases.count || core->asked || !core->queue.count || !queue_is_renewed(core) ||
        core->live[TRIAL_WAITING] != walltime_outlasting(core) || proposals_missing(core))
        return false;
    struct trial *trial = queue_head(core);
    snprintf(why, size,
             "trial %llu is expected to run %s, and the job of a worker has %s, %.0f s of it for leaving; "
             "give the jobs more time (slurm.time), or let trials save checkpoints",
             (unsigned long long)trial->number,
             units_show_duration(ceil(walltime_predict(core, trial)), needed, sizeof needed),
             units_show_duration(ceil(core->worker_span), given, sizeof given), core->config.warn);
    return true;
}

bool walltime_is_near_for(const struct core *core, const struct worker *worker)
{
    return core->now >= worker->until - core->config.warn;
}

void walltime_relieve(struct core *core, struct worker *worker)
{
    for (uint32_t i = 0; i < worker->slot_count; i++)
        for (struct list_link *link = worker->slots[i]->leases.after, *next; link != &worker->slots[i]->leases;
             link = next) {
            struct lease *lease = LIST_ITEM(link, struct lease, link);
            next = link->after;
            if (lease_trial(core, lease) && !lease->stopping)
                lease_stop(core, lease, ENDING_WALLTIME);
        }
}

bool walltime_has_room(const struct core *core)
{
    return fmax(forecast_seconds(core->forecast, NULL), 0) <= walltime_room(core);
}

bool walltime_is_near(const struct core *core)
{
    return core->now >= core->deadline - core->config.warn;
}

bool walltime_is_idle(const struct core *core)
{
    if (!core->fit || core->leases.count || core->asked || !queue_is_renewed(core))
        return false;
    uint64_t exceeds_walltime = walltime_exceeds_walltime(core);
    return exceeds_walltime && exceeds_walltime == core->live[TRIAL_WAITING] && !proposals_missing(core);
}

enum ending walltime_ending(const struct core *core)
{
    return core->leaving ? core->leave_with : ENDING_CANCELLED;
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

/* From then on no run may go on, whether it is expected to end or not. */
static double last_moment(const struct core *core)
{
    return core->deadline - core->config.grace;
}

/* Whether a run that can't save a checkpoint may go on for now. */
static bool may_end_by_itself(struct core *core, const struct lease *lease)
{
    double end = lease->since + walltime_predict(core, lease_trial(core, lease));
    return !core->config.can_continue && isfinite(core->deadline) && core->now < last_moment(core) &&
           end < core->deadline;
}

/* Stops what runs; some of it may end by itself when there is still `time`. */
static void stop_runs(struct core *core, bool time)
{
    struct map_entry entry;
    bool all = true;
    for (size_t at = 0; map_next(&core->leases, &at, &entry);) {
        struct lease *lease = entry.value;
        core->counters.looks++;
        if (!lease->sent || lease->stopping || !lease_trial(core, lease))
            continue;
        if (time && may_end_by_itself(core, lease))
            all = false;
        else
            lease_stop(core, lease, core->leave_with);
    }
    if (all && !core->forced) {
        core->forced = true;
        core->forced_since = core->now;
    }
}

void walltime_tick(struct core *core)
{
    if (core->state == EXPERIMENT_DRAINING && core->leaving && !core->forced)
        stop_runs(core, core->now < last_moment(core));
}

void walltime_check(struct core *core)
{
    if (core->leaving && !core->forced && (!core->leases.count || core->now >= last_moment(core)))
        stop_runs(core, false);
}

static enum ending ending_for(enum reason reason)
{
    return reason == REASON_WALLTIME    ? ENDING_WALLTIME
           : reason == REASON_PREEMPTED ? ENDING_PREEMPTED
                                        : ENDING_CANCELLED;
}

void walltime_leave(struct core *core, enum reason reason, const char *detail)
{
    char sentence[160];
    bool idle = !core->progressed && core->idle_sessions + 1 >= IDLE_SESSIONS;
    if (core->leaving || core->state == EXPERIMENT_ENDED)
        return;
    core->leaving = true;
    core->leave_with = ending_for(reason);
    if (idle) {
        reason = REASON_NO_PROGRESS;
        snprintf(sentence, sizeof sentence,
                 "in the last %u no trial ended and no checkpoint went further; give the job more time, or let trials "
                 "save checkpoints",
                 core->idle_sessions + 1);
        detail = sentence;
    }
    limits_end(core, reason, detail, false); /* when a person drained it, it stays as it is, but ends in time */
    stop_runs(core, core->leave_with == ENDING_WALLTIME);
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

void walltime_stand(const struct core *core, double now, struct snapshot *out)
{
    out->has_deadline = isfinite(core->deadline);
    if (!out->has_deadline)
        return;
    out->deadline = core->deadline - now;
    out->warn = core->config.warn;
    out->exceeds_walltime = walltime_exceeds_walltime(core);
    if (!out->exceeds_walltime)
        return;
    const struct fitqueue_item *largest = fitqueue_largest(&core->queue);
    out->exceeding_trial = LIST_ITEM(largest, const struct trial, queue)->number;
    out->exceeding_seconds = largest->size;
}

/* --- from outside --- */

void core_deadline(struct core *core, double now, double at)
{
    core->now = now;
    core->deadline = at;
    core_settle(core);
}

void core_walltime(struct core *core, double now)
{
    core_leave(core, now, REASON_WALLTIME);
}

void core_leave(struct core *core, double now, enum reason reason)
{
    core->now = now;
    if (reason == REASON_PAUSED)
        limits_end(core, reason, "", true);
    else
        walltime_leave(core, reason, "");
    core_settle(core);
}

bool core_prospect(struct core *core, double now, uint64_t number, struct prospect *out)
{
    struct trial *trial = trial_find(core, number);
    core->now = now;
    if (!trial || trial->state != TRIAL_WAITING)
        return false;
    double predicted = walltime_predict(core, trial), capacity = walltime_room(core);
    *out = (struct prospect){.predicted = predicted,
                             .left = capacity,
                             .fits = core->config.can_continue || predicted < 0 || predicted <= capacity};
    return true;
}
