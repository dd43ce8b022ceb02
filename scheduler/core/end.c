/* When the experiment ends: limits are reached, nothing is left to do, or the time of the job is up.
 *
 *     ............ trials that would end by then ...........|..... stop, save, commit .....|
 *     start                                          deadline - warn                    deadline
 *
 * From deadline - warn on (or when the job says so itself) nothing is started, and what runs is stopped: it saves a
 * checkpoint, goes back to waiting, and the next session goes on with it; nothing ends but the session. A run that
 * can't save one and is expected to end before the deadline goes on until `grace` before it. What has not ended shortly
 * before the deadline is given up, so that this is on disk when the job is killed.
 *
 * When nothing runs, and nothing that waits would end in time, the session ends at once: the next job has more time.
 * Sessions that got nothing done, several in a row, are not repeated for ever. */
#include "scheduler/core/end.h"
#include "common/units.h"
#include "scheduler/core/act.h"
#include "scheduler/core/core_parts.h"
#include "scheduler/core/lease.h"
#include "scheduler/core/limits.h"
#include "scheduler/core/outbox.h"
#include "scheduler/core/proposals.h"
#include "scheduler/core/queue.h"
#include "scheduler/core/suspect.h"
#include "scheduler/core/trial.h"
#include "scheduler/core/walltime.h"

#include <math.h>
#include <stdio.h>

/* A forced end does not wait for a worker longer than this beyond its grace. */
#define PATIENCE_SECONDS 10.0

enum { IDLE_SESSIONS = 3 };

/* --- the session ends for a later one --- */

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

void end_tick(struct core *core)
{
    if (core->state == EXPERIMENT_DRAINING && core->leaving && !core->forced)
        stop_runs(core, core->now < last_moment(core));
}

static void stop_left_runs(struct core *core)
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

void end_session(struct core *core, enum reason reason)
{
    char sentence[160] = "";
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
    }
    limits_end(core, reason, sentence, false); /* when a person drained it, it stays as it is, but ends in time */
    stop_runs(core, core->leave_with == ENDING_WALLTIME);
}

/* --- after every input --- */

static bool is_idle(const struct core *core)
{
    if (!core->fit || core->leases.count || core->asked || core->reopening || !queue_is_renewed(core))
        return false;
    uint64_t exceeds_walltime = walltime_exceeding(core);
    return exceeds_walltime && exceeds_walltime == core->live[TRIAL_WAITING] && !proposals_missing(core);
}

/* Says of the first that waits that a job of so many seconds is too short for it. */
static void describe_overlong(struct core *core, const char *job, double span, char *why, size_t size)
{
    char needed[32], given[32];
    struct trial *trial = queue_head(core);
    snprintf(why, size,
             "trial %llu is expected to run %s, and %s has %s, %.0f s of it for leaving; "
             "give the jobs more time (slurm.time), or let trials save checkpoints",
             (unsigned long long)trial->number,
             units_show_duration(ceil(walltime_predict(core, trial)), needed, sizeof needed), job,
             units_show_duration(ceil(span), given, sizeof given), core->config.warn);
}

/* Nothing is left but what another job like this one would have no time for either. */
static bool is_too_long(struct core *core, char *why, size_t size)
{
    if (!is_idle(core) || core->live[TRIAL_WAITING] != walltime_exceeding_whole(core))
        return false;
    describe_overlong(core, "the job", core->job_span, why, size);
    return true;
}

static bool is_hopeless(struct core *core, char *why, size_t size)
{
    if (core->worker_span <= 0 || core->leases.count || core->asked || core->reopening || !queue_head(core) ||
        !queue_is_renewed(core) || core->live[TRIAL_WAITING] != walltime_outlasting(core) || proposals_missing(core))
        return false;
    describe_overlong(core, "the job of a worker", core->worker_span, why, size);
    return true;
}

/* Trials that must not begin any more don't keep the experiment from ending. */
static bool all_done(const struct core *core)
{
    uint64_t idle = limits_full(core) ? core->live[TRIAL_WAITING] : 0;
    return core->trials.count == idle && !core->asked && !core->reopening;
}

static void check_running(struct core *core)
{
    enum reason reached = tally_reached(&core->tally, &core->streak, &core->config, limits_held(core));
    bool all_proposed = tally_all_asked(&core->tally, &core->config, core->next_trial);
    char why[320];
    if (reached == REASON_SAME_FAILURES)
        limits_end(core, reached, streak_describe(&core->streak, why, sizeof why), false);
    else if (reached != REASON_NONE)
        limits_end(core, reached, "", true);
    else if (is_too_long(core, why, sizeof why))
        limits_end(core, REASON_NO_PROGRESS, why, false);
    else if (walltime_is_near(core) || is_idle(core))
        end_session(core, REASON_WALLTIME);
    else if (is_hopeless(core, why, sizeof why) || suspect_is_machine(core, why, sizeof why))
        limits_end(core, REASON_NO_WORKERS, why, false);
    else if (all_done(core) && (core->no_more || all_proposed))
        limits_end(core, all_proposed ? REASON_MAX_TRIALS : REASON_NO_MORE, "", false);
}

/* Lets go of runs whose workers don't answer. */
static void give_up(struct core *core)
{
    struct map_entry entry;
    enum ending ending = core->leaving ? core->leave_with : ENDING_LOST;
    for (size_t at = 0; map_next(&core->leases, &at, &entry); at--) { /* another one may have moved there */
        core->counters.looks++;
        lease_lose(core, entry.value, ending, "its worker did not end it in time");
    }
}

/* Whether something still has to happen before the end can be written. */
static bool is_busy(const struct core *core)
{
    if (core->leases.count)
        return true;
    return act_cancels_waiting(core) && (core->trials.count || core->reopening);
}

/* A person interrupted it while its last trials ran, and they ran to their end: nothing is left to go on with. */
static void note_completion(struct core *core)
{
    bool interrupted = core->reason == REASON_INTERRUPTED && !core->forced;
    bool left = core->live[TRIAL_WAITING] || core->live[TRIAL_PAUSED] || core->asked || core->reopening;
    if (interrupted && !left && tally_all_asked(&core->tally, &core->config, core->next_trial))
        core->reason = REASON_MAX_TRIALS;
}

static void check_draining(struct core *core)
{
    if (walltime_is_near(core))
        end_session(core, REASON_WALLTIME);
    stop_left_runs(core);
    double patience_ends = core->forced_since + core->config.grace + PATIENCE_SECONDS;
    if (core->forced && core->leases.count && core->now > fmin(patience_ends, walltime_give_up(core)))
        give_up(core);
    if (!core->end_event && !is_busy(core)) {
        note_completion(core);
        core->state = EXPERIMENT_ENDED;
        limits_write(core, "");
        core->end_event = core->events;
    }
}

void end_check(struct core *core)
{
    if (core->state == EXPERIMENT_RUNNING)
        check_running(core);
    if (core->state == EXPERIMENT_DRAINING)
        check_draining(core);
    if (core->state == EXPERIMENT_ENDED && !core->over && core->committed >= core->end_event && act_is_done(core)) {
        core->over = true;
        outbox_ended(core);
    }
    /* The time held is written down now and then, so that a crash forgets little of it. */
    enum { HELD_EVERY = 10 };
    if (core->state == EXPERIMENT_RUNNING && core->config.time > 0 &&
        core->now - core->held_written > (double)HELD_EVERY)
        limits_write(core, "");
}
