/* When the experiment ends.
 *
 *     running --limits_end--> draining --(no lease left, all on disk)--> ended
 *
 * Draining starts nothing new; forced, it also ends what runs. What becomes of the trials: those that have a value keep
 * it; a run that was cut short by a limit is stopped_early when it has a value, else cancelled; those that never began
 * are cancelled when a limit of the experiment was reached, and keep waiting when a person interrupted or stopped it,
 * so that --resume takes them up. They also keep waiting when --resume set limits.max_trials to fewer than had been
 * proposed before. When a job's time is up (walltime.c) nothing ends but the session. */
#include "scheduler/core/parts.h"

#include <math.h>

/* A forced end does not wait for a worker longer than this beyond its grace. */
#define PATIENCE_SECONDS 10.0

double limits_held(const struct core *core)
{
    return core->held_before + core->now - core->started;
}

bool limits_cancel_waiting(const struct core *core)
{
    return core->state != EXPERIMENT_RUNNING &&
           (core->reason == REASON_TARGET || core->reason == REASON_TIME || core->reason == REASON_FAILURES);
}

static void write_state(struct core *core, const char *detail)
{
    struct event_experiment now = {core->state, core->reason, detail, limits_held(core)};
    outbox_event(core, &(struct event){.kind = EVENT_EXPERIMENT, .experiment = now});
    core->held_written = core->now;
}

/* Acts on every waiting or paused trial, now that waiting means something else. */
static void act_on_waiting(struct core *core)
{
    if (!limits_cancel_waiting(core))
        return;
    struct map_entry entry;
    for (size_t at = 0; map_next(&core->trials, &at, &entry);) {
        struct trial *trial = entry.value;
        if (trial->state == TRIAL_WAITING || trial->state == TRIAL_PAUSED)
            trial_act(core, trial);
    }
}

static void stop_leases(struct core *core, enum ending ending)
{
    struct map_entry entry;
    for (size_t at = 0; map_next(&core->leases, &at, &entry);) {
        struct lease *lease = entry.value;
        if (lease->sent && lease_trial(core, lease))
            lease_stop(core, lease, ending);
    }
}

/* Whether workers are to wait for the session that goes on, and not to leave. */
static bool workers_wait(const struct core *core)
{
    return core->config.workers_stay && (core->reason == REASON_WALLTIME || core->reason == REASON_PREEMPTED);
}

void limits_drain(struct core *core, struct worker *worker)
{
    bool now = core->forced && core->reason != REASON_TIME && !core->leaving; /* else each run is told how to end */
    if (core->state != EXPERIMENT_RUNNING && !workers_wait(core))
        dispatch_drain(core, worker, now);
}

static void drain_workers(struct core *core)
{
    struct map_entry entry;
    for (size_t at = 0; map_next(&core->workers, &at, &entry);) {
        struct worker *worker = entry.value;
        limits_drain(core, worker);
        for (uint32_t i = 0; i < worker->slot_count; i++)
            fitqueue_remove(&worker->slots[i]->vacancy);
    }
}

void limits_end(struct core *core, enum reason reason, const char *detail, bool force)
{
    bool goes_further = core->state == EXPERIMENT_DRAINING && force && !core->forced;
    if (core->state != EXPERIMENT_RUNNING && !goes_further)
        return;
    core->state = EXPERIMENT_DRAINING;
    core->reason = reason;
    write_state(core, detail);
    if (force) {
        core->forced = true;
        core->forced_since = core->now;
        if (reason == REASON_TIME)
            stop_leases(core, ENDING_STOPPED_EARLY);
    }
    drain_workers(core);
    act_on_waiting(core);
}

bool limits_full(const struct core *core)
{
    uint64_t begun = trial_states_ended(core->tally.ended) + core->live[TRIAL_RUNNING] + core->live[TRIAL_PAUSED];
    return core->config.max_trials && begun >= core->config.max_trials;
}

/* Trials that must not begin any more don't keep the experiment from ending. */
static bool all_done(const struct core *core)
{
    uint64_t idle = limits_full(core) ? core->live[TRIAL_WAITING] : 0;
    return core->trials.count == idle && !core->asked;
}

static void check_running(struct core *core)
{
    enum reason reached = tally_reached(&core->tally, &core->config, limits_held(core));
    bool all_proposed = tally_all_asked(&core->config, core->next_trial);
    char why[320];
    if (reached != REASON_NONE)
        limits_end(core, reached, "", true);
    else if (walltime_is_near(core) || walltime_is_idle(core))
        walltime_leave(core, REASON_WALLTIME, "");
    else if (walltime_is_hopeless(core, why, sizeof why))
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
    return limits_cancel_waiting(core) && core->trials.count;
}

static void check_draining(struct core *core)
{
    if (walltime_is_near(core))
        walltime_leave(core, REASON_WALLTIME, "");
    walltime_check(core);
    double patience_ends = core->forced_since + core->config.grace + PATIENCE_SECONDS;
    if (core->forced && core->leases.count && core->now > fmin(patience_ends, walltime_give_up(core)))
        give_up(core);
    if (!core->end_event && !is_busy(core)) {
        core->state = EXPERIMENT_ENDED;
        write_state(core, "");
        core->end_event = core->events;
    }
}

void limits_check(struct core *core)
{
    if (core->state == EXPERIMENT_RUNNING)
        check_running(core);
    if (core->state == EXPERIMENT_DRAINING)
        check_draining(core);
    if (core->state == EXPERIMENT_ENDED && !core->over && core->committed >= core->end_event) {
        core->over = true;
        outbox_ended(core);
    }
    /* The time held is written down now and then, so that a crash forgets little of it. */
    enum { HELD_EVERY = 10 };
    if (core->state == EXPERIMENT_RUNNING && core->config.time > 0 &&
        core->now - core->held_written > (double)HELD_EVERY)
        write_state(core, "");
}

void core_drain(struct core *core, double now, enum reason reason)
{
    core->now = now;
    limits_end(core, reason, "", false);
    core_settle(core);
}

void core_no_workers(struct core *core, double now, const char *why)
{
    core->now = now;
    limits_end(core, REASON_NO_WORKERS, why, false);
    core_settle(core);
}

void core_stop(struct core *core, double now, enum reason reason)
{
    core->now = now;
    limits_end(core, reason, "", true);
    core_settle(core);
}
