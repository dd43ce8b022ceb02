/* The core as a whole: made, driven, destroyed. Every input does its own, and then what every input does: acts on what
 * is on disk, places trials, looks whether it is time to end, asks for proposals, sends what has gathered. */
#include "scheduler/core/core.h"
#include "common/mem.h"
#include "scheduler/core/act.h"
#include "scheduler/core/change.h"
#include "scheduler/core/core_parts.h"
#include "scheduler/core/dispatch.h"
#include "scheduler/core/node_fault.h"
#include "scheduler/core/node_health.h"
#include "scheduler/core/end.h"
#include "scheduler/core/gang.h"
#include "scheduler/core/grow.h"
#include "scheduler/core/job.h"
#include "scheduler/core/lease.h"
#include "scheduler/core/limits.h"
#include "scheduler/core/outbox.h"
#include "scheduler/core/pause.h"
#include "scheduler/core/place.h"
#include "scheduler/core/proposals.h"
#include "scheduler/core/queue.h"
#include "scheduler/core/receive.h"
#include "scheduler/core/restart.h"
#include "scheduler/core/stall.h"
#include "scheduler/core/suspect.h"
#include "scheduler/core/trial.h"
#include "scheduler/core/walltime.h"
#include "scheduler/core/watch.h"
#include "scheduler/core/workers.h"

#include <math.h>
#include <stdlib.h>

/* How often core_tick looks after workers and limits; the finest of them (heartbeats) are seconds. */
#define TICK_SECONDS 0.5

void core_config_defaults(struct core_config *config)
{
    *config = (struct core_config){
        .grace = 60,
        .retries = 1,
        .requeues = 5,
        .most_guilty = 5,
        .ready_limit = 4096,
        .heartbeat = 2,
        .suspect = 10,
        .lost = 60,
        .warn = 60,
        .restart_patience = 30,
    };
}

/* Predictions that one input renews, 0.3 to 1 us each by the number of parameters: at most twice 16 us of a message, 4
 * ms of a tick. */
enum { RENEWED_BY_INPUT = 16, RENEWED_BY_TICK = 4096 };

static void finish_input(struct core *core)
{
    core->counters.inputs++;
    act_on_committed(core);
    pause_move(core);
    queue_renew_some(core, RENEWED_BY_INPUT);
    node_fault_check(core);
    place_all(core);
    end_check(core);
    proposals_ask(core);
    dispatch_flush(core);
    core->backlog = outbox_is_full(core) || core->unwatched;
}

struct core *core_create(const struct core_config *config, const struct memory *memory, double now)
{
    struct core *core = MEM_NEW(struct core);
    core->config = *config;
    core->values = MEM_ARRAY(double, config->metrics.count);
    core->now = core->started = core->held_written = core->ticked = now;
    core->rate_second = (int64_t)now;
    core->run_seconds = -1;
    core->deadline = INFINITY;
    core->forecast = forecast_create();
    ring_init(&core->outputs, sizeof(struct output));
    ring_init(&core->due_acts, sizeof(struct due_act));
    ring_init(&core->due_acks, sizeof(struct due_ack));
    fitqueue_init(&core->queue, &core->counters.visits);
    suspect_init(core);
    node_health_init(core);
    large_init(core);
    list_init(&core->predicted);
    list_init(&core->delayed);
    vacancy_init(core);
    gather_init(core);
    list_init(&core->watched);
    list_init(&core->batched);
    outbox_event(core, &(struct event){.kind = EVENT_EXPERIMENT, .experiment = {.held = memory->held}});
    restart_recall(core, memory);
    finish_input(core);
    return core;
}

void core_destroy(struct core *core)
{
    if (!core)
        return;
    struct map_entry entry;
    for (size_t at = 0; map_next(&core->leases, &at, &entry);) {
        gang_forget(entry.value);
        pool_give(&core->spare_leases, entry.value);
    }
    for (size_t at = 0; map_next(&core->trials, &at, &entry);)
        trial_free(core, entry.value);
    for (size_t at = 0; map_next(&core->workers, &at, &entry); at--) /* another one may have moved there */
        workers_free(core, entry.value);
    pool_fini(&core->spare_trials);
    pool_fini(&core->spare_leases);
    map_fini(&core->leases);
    map_fini(&core->trials);
    map_fini(&core->workers);
    map_fini(&core->jobs);
    map_fini(&core->peers);
    outbox_fini(core);
    conduct_fini(&core->conduct);
    suspect_fini(core);
    node_health_fini(core);
    gather_fini(core);
    forecast_destroy(core->forecast);
    free(core->values);
    free(core);
}

/* --- from workers, and about them --- */

void core_message(struct core *core, double now, uint64_t peer, const struct msg *msg)
{
    core->now = now;
    receive_message(core, peer, msg);
    finish_input(core);
}

void core_peer_gone(struct core *core, double now, uint64_t peer)
{
    core->now = now;
    workers_disconnect(core, peer);
    finish_input(core);
}

void core_worker_dead(struct core *core, double now, uint64_t id, enum ending ending, const char *why)
{
    core->now = now;
    struct worker *worker = workers_find(core, id);
    if (worker)
        workers_lose(core, worker, ending, why);
    finish_input(core);
}

uint32_t core_workers_dead(struct core *core, double now, const struct worker_sign *sign, enum ending ending,
                           const char *why)
{
    core->now = now;
    uint32_t count = workers_lose_all(core, sign, ending, why);
    finish_input(core);
    return count;
}

void core_job(struct core *core, double now, const struct job_facts *facts)
{
    core->now = now;
    job_note(core, facts);
    finish_input(core);
}

void core_job_ends(struct core *core, double now, struct node_job job, double when)
{
    core->now = now;
    if (isnan(when))
        return;
    job_set_end(core, job, when - core->config.wall_offset);
    finish_input(core);
}

/* --- from the strategy --- */

void core_proposal(struct core *core, double now, uint64_t trial, const struct event_proposed *proposed)
{
    core->now = now;
    if (proposals_take(core, trial, proposed))
        finish_input(core);
}

void core_no_more(struct core *core, double now)
{
    core->now = now;
    core->unanswered = core->asked;
    core->asked = 0; /* what was asked behind it is not answered any more */
    core->no_more = true;
    finish_input(core);
}

static void end_experiment(struct core *core, double now, enum reason reason, const char *why, bool force)
{
    core->now = now;
    limits_end(core, reason, why, force);
    finish_input(core);
}

void core_broken(struct core *core, double now, const char *why)
{
    core->asked -= core->asked > 0;
    end_experiment(core, now, REASON_BROKEN, why, false);
}

/* --- from the disk, and from the clock --- */

void core_committed(struct core *core, double now, uint64_t number)
{
    core->now = now;
    if (number > core->committed && number <= core->events)
        core->committed = number;
    finish_input(core);
}

/* One that comes because of a backlog only goes on with it. */
void core_tick(struct core *core, double now)
{
    bool due = !core->backlog || now >= core->ticked + TICK_SECONDS;
    core->now = now;
    if (due) {
        core->ticked = now;
        core->unwatched = core->workers.count;
    }
    watch_tick(core);
    if (due) {
        end_tick(core);
        suspect_tick(core);
        large_tick(core);
        stall_tick(core);
        node_health_tick(core);
        queue_renew_some(core, RENEWED_BY_TICK);
    }
    finish_input(core);
}

void core_late(struct core *core, double now, double seconds)
{
    core->now = now;
    watch_excuse(core, seconds);
}

void core_deadline(struct core *core, double now, double at)
{
    core->now = now;
    if (isnan(at))
        return;
    core->deadline = at;
    core->job_span = at - core->started;
    finish_input(core);
}

/* --- from a person, and from who leads the session --- */

void core_drain(struct core *core, double now, enum reason reason)
{
    end_experiment(core, now, reason, "", false);
}

void core_stop(struct core *core, double now, enum reason reason)
{
    end_experiment(core, now, reason, "", true);
}

void core_no_workers(struct core *core, double now, const char *why)
{
    end_experiment(core, now, REASON_NO_WORKERS, why, false);
}

void core_leave(struct core *core, double now, enum reason reason)
{
    if (reason == REASON_PAUSED) {
        core_stop(core, now, reason);
        return;
    }
    core->now = now;
    end_session(core, reason);
    finish_input(core);
}

/* A waiting trial ends at once; a running one is told to stop and ends with its result. */
int core_cancel_trial(struct core *core, double now, uint64_t number, struct err *err)
{
    core->now = now;
    struct trial *trial = trial_find(core, number);
    if (!trial || trial_state_is_end(trial->state)) {
        return number && number < core->next_trial
                   ? err_set(err, "trial %llu has ended already", (unsigned long long)number)
                   : err_set(err, "there is no trial %llu yet", (unsigned long long)number);
    }
    trial->cancel = true;
    if (trial->state == TRIAL_RUNNING) {
        lease_stop(core, trial->lease, ENDING_CANCELLED);
    } else {
        queue_remove(trial); /* though what put it there is not on disk yet: then it ends */
        act_on_trial(core, trial);
    }
    finish_input(core);
    return 0;
}

int core_ignore(struct core *core, double now, const struct core_ended *trials, size_t count, bool ignored, bool *looks,
                struct err *err)
{
    core->now = now;
    if (change_refuse(core, false, err))
        return -1;
    *looks = change_ignore(core, trials, count, ignored);
    finish_input(core);
    return 0;
}

void core_best(struct core *core, double now, bool has_best, uint64_t trial, double value)
{
    core->now = now;
    if (has_best)
        tally_offer(&core->tally, core->config.metrics.items[0].maximize, trial, value);
    finish_input(core);
}

int core_reopen(struct core *core, double now, const uint64_t *trials, size_t count, struct err *err)
{
    core->now = now;
    if (change_refuse(core, true, err))
        return -1;
    change_reopen(core, trials, count);
    finish_input(core);
    return 0;
}

void core_take_up(struct core *core, double now, const struct memory_trial *trial)
{
    core->now = now;
    core->reopening -= core->reopening > 0;
    /* Its end may still have to be told. */
    while (trial_find(core, trial->trial) && !act_is_done(core)) {
        core->work = 0;
        act_on_committed(core);
    }
    if (!trial_find(core, trial->trial))
        restart_take_up(core, trial);
    finish_input(core);
}

int core_add(struct core *core, double now, const struct event_added *trials, size_t count, uint64_t *first,
             struct err *err)
{
    core->now = now;
    if (change_refuse(core, false, err))
        return -1;
    *first = core->next_trial;
    for (size_t i = 0; i < count; i++)
        change_add(core, &trials[i]);
    finish_input(core);
    return 0;
}

/* --- questions --- */

uint64_t core_events(const struct core *core)
{
    return core->events;
}

bool core_prospect(struct core *core, double now, uint64_t number, struct prospect *out)
{
    struct trial *trial = trial_find(core, number);
    core->now = now;
    if (!trial || trial->state != TRIAL_WAITING)
        return false;
    double predicted = walltime_predict(core, trial), capacity = walltime_left(core);
    *out = (struct prospect){.predicted = predicted,
                             .left = capacity,
                             .fits = core->config.can_continue || predicted < 0 || predicted <= capacity,
                             .losses = trial->losses,
                             .alone = suspect_is(trial),
                             .memory = large_is(core, trial) ? grow_memory(core, trial) : 0};
    return true;
}

const struct core_counters *core_counters(const struct core *core)
{
    return &core->counters;
}

uint64_t core_ended(const struct core *core)
{
    return trial_states_ended(core->tally.ended);
}

bool core_is_deserted(const struct core *core)
{
    return core->fit == 0;
}

double core_wake(const struct core *core)
{
    return core->over ? INFINITY : core->backlog ? core->now : core->ticked + TICK_SECONDS;
}
