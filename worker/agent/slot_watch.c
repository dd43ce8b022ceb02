/* What is looked at while a run goes on, every tick: its time, its memory, and how long others wait behind it. */
#include "common/units.h"
#include "worker/program/process_tree.h"
#include "worker/agent/slot_claim.h"
#include "worker/agent/slot_parts.h"
#include "worker/program/program.h"
#include "worker/program/trainer.h"

#include <math.h>
#include <stdio.h>

#define RETURN_SECONDS 0.25
#define RETURN_AGAIN   1.0 /* before leases that came all the same go back once more */
#define MEMORY_SECONDS 1.0

static void check_time(struct agent_slot *slot, double now)
{
    const struct task *task = &slot->host->task;
    struct run *run = slot->front;
    double allowed = run->time_limit > 0 ? run->time_limit : task->trial_time;
    char limit[32], detail[100];
    if (run->state == RUN_STOPPING && now >= run->stop_at && slot->trainer) {
        trainer_end(slot->trainer);
        run->stop_at = INFINITY; /* once is enough */
    } else if (run->state != RUN_STOPPING && allowed > 0 && now - run->begun > allowed) {
        snprintf(detail, sizeof detail, "it ran longer than %s, %s", units_show_duration(allowed, limit, sizeof limit),
                 allowed > task->trial_time ? "which this attempt was given" : "its limits.trial_time");
        slot_stop(slot, run, ENDING_TIMED_OUT, detail, task->grace);
    }
}

static uint64_t memory_of(const struct agent_slot *slot, bool exactly)
{
    if (slot->program)
        return program_memory(slot->program, exactly);
    return slot->trainer ? process_tree_memory(trainer_pid(slot->trainer), exactly) : 0;
}

/* What the front run may use; it may have been given more than the slot has. */
static uint64_t memory_limit(const struct agent_slot *slot)
{
    uint64_t usual = slot->place->memory;
    return usual && slot->front->memory_limit > usual ? slot->front->memory_limit : usual;
}

/* The kernel's own measure first; only when that is too much, the exact one, where pages that a program shares with its
 * children count once. */
static void check_memory(struct agent_slot *slot, double now)
{
    uint64_t limit = memory_limit(slot);
    char used_size[32], limit_size[32], detail[200];
    if (!limit || now - slot->memory_checked < MEMORY_SECONDS)
        return;
    slot->memory_checked = now;
    uint64_t used = memory_of(slot, false);
    if (used > limit)
        used = memory_of(slot, true);
    if (used <= limit)
        return;
    snprintf(detail, sizeof detail, "it used %s of memory, more than the %s %s",
             units_show_size(used, used_size, sizeof used_size), units_show_size(limit, limit_size, sizeof limit_size),
             limit > slot->place->memory ? "that this attempt was given" : "of resources.memory");
    slot_stop(slot, slot->front, ENDING_OUT_OF_MEMORY, detail, 0);
}

/* Once a run is told to end, what was said of its standstill stays: what its processes do then, or that they are gone,
 * is no news that should reach the coordinator before the run's end, whose sentence names who was waited for. */
static void look_for_standstill(struct agent_slot *slot, double now)
{
    if (slot->front->state != RUN_RUNNING)
        return;
    slot_stall_tick(slot, now);
    slot_stopped_tick(slot, now);
}

static void check_queue(struct agent_slot *slot, double now)
{
    bool is_long = now - slot->front->begun > RETURN_SECONDS && now - slot->returned > RETURN_AGAIN;
    if (list_is_empty(&slot->queue) || !is_long)
        return;
    slot->returned = now;
    slot_return_queue(slot);
}

void slot_tick(struct agent_slot *slot, double now)
{
    if (slot->gone && slot->gone->gpus_since > 0 && slot_gpus_have_said(slot, slot->gone->gpus_since))
        slot_settle(slot);
    if (slot->gone)
        return;
    slot_gpus_tick(slot, now);
    if (slot->waits && now >= slot->paused_until)
        slot_try_again(slot);
    slot_claim_tick(slot, now);
    slot_server_tick(slot, now);
    if (slot->program)
        program_look(slot->program);
    if (slot->front)
        check_time(slot, now);
    if (slot->front)
        slot_end_finish(slot, now);
    if (slot->front)
        check_memory(slot, now);
    if (slot->front)
        slot_look_at_node(slot, now);
    if (slot->front)
        look_for_standstill(slot, now);
    if (slot->front)
        check_queue(slot, now);
    slot_act(slot);
}
