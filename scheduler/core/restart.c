/* From memory to a core: what was committed before, put back where it was. Trials that ran are leased still, to workers
 * that have not come back yet; acting on every trial does the rest. */
#include "scheduler/core/restart.h"
#include "common/mem.h"
#include "scheduler/core/act.h"
#include "scheduler/core/core_parts.h"
#include "scheduler/core/lease.h"
#include "scheduler/core/seen.h"
#include "scheduler/core/suspect.h"
#include "scheduler/core/trial.h"
#include "scheduler/core/workers.h"

#include <stdlib.h>
#include <string.h>

static struct worker *absent_worker(struct core *core, uint64_t id)
{
    struct worker *worker = workers_find(core, id);
    if (!worker)
        worker = workers_add(core, id);
    worker->patience = core->config.restart_patience;
    return worker;
}

static void recall_lease(struct core *core, struct trial *trial, const struct memory_trial *from)
{
    struct slot *slot = workers_slot(core, absent_worker(core, from->worker), from->slot);
    trial->lease = lease_add(core, slot, from->trial, from->attempt);
    trial->lease->sent_at = core->now;
    trial->lease->sent = true; /* it may have been: the worker's OFFER will tell */
    gang_recall(core, trial, from);
}

/* How far it had come. */
static void recall_steps(struct core *core, struct trial *trial, const struct memory_trial *from)
{
    trial->from = from->from;
    trial->reached = from->reached;
    trial->ended_attempt = from->ended_attempt;
    trial->spent = from->spent;
    trial->energy = from->energy;
    trial->decided = from->decided;
    trial->held = from->held;
    trial->stop = mem_text(from->stop);
    trial->said = from->running && from->said;
    trial->begun = from->running;
    trial->resumed = from->resumed;
    trial->cut = from->cut;
    trial->returning = trial->state == TRIAL_WAITING && from->reached;
    core->returning += trial->returning;
    size_t bytes = 2 * core->config.metrics.count * sizeof *trial->seen;
    if (from->seen && seen_is_kept(core))
        trial->seen = memcpy(mem_resize(NULL, 1, bytes), from->seen, bytes);
}

static void recall_trial(struct core *core, const struct memory_trial *from)
{
    struct trial *trial = trial_add(core, from->trial, from->params);
    core->live[trial->state]--;
    trial->state = from->running ? TRIAL_RUNNING : from->paused ? TRIAL_PAUSED : TRIAL_WAITING;
    core->live[trial->state]++;
    trial->attempts = from->attempts;
    trial->failures = from->failures;
    trial->memory = from->memory;
    trial->time = from->time;
    trial->stalls = from->stalls;
    trial->highest = from->highest;
    suspect_recall(core, trial, from->losses);
    recall_steps(core, trial, from);
    for (uint32_t i = 0; i < from->run_count; i++)
        trial_give(trial, from->runs[i].attempt, from->runs[i].worker, from->runs[i].node);
    if (from->running)
        recall_lease(core, trial, from);
}

/* Which processes the absent workers are; a worker that is known dead is found by it. */
static void recall_worker(struct core *core, const struct memory_worker *from)
{
    struct worker *worker = workers_find(core, from->worker);
    if (!worker)
        return;
    free(worker->node);
    worker->node = mem_text(from->node);
    worker->pid = from->pid;
    workers_enter_job(core, worker, from->job);
    worker->job_ended = from->job_ended;
    worker->loss = from->job_ended ? from->ending : ENDING_LOST;
}

void restart_recall(struct core *core, const struct memory *memory)
{
    core->session = memory->session + 1;
    core->next_trial = memory->next_trial ? memory->next_trial : 1;
    core->tells = memory->tells;
    core->steps = memory->steps;
    core->stepped = memory->stepped;
    core->tally = memory->tally;
    core->held_before = memory->held;
    core->idle_sessions = memory->idle;
    for (uint32_t i = 0; i < memory->duration_count; i++)
        forecast_learn(core->forecast, memory->durations[i].params, memory->durations[i].seconds);
    for (uint32_t i = 0; i < memory->trial_count; i++)
        recall_trial(core, &memory->trials[i]);
    for (uint32_t i = 0; i < memory->worker_count; i++)
        recall_worker(core, &memory->workers[i]);
    suspect_recall_alone(core);
    for (uint32_t i = 0; i < memory->trial_count; i++) {
        struct trial *trial = trial_find(core, memory->trials[i].trial);
        if (trial)
            act_on_trial(core, trial);
    }
}

void restart_take_up(struct core *core, const struct memory_trial *from)
{
    recall_trial(core, from);
    act_on_trial(core, trial_find(core, from->trial));
}

void memory_fini(struct memory *memory)
{
    arena_fini(&memory->arena);
}
