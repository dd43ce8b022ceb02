/* One place to run. Leases queue up behind the run in front, which has the slot's process: a warm trainer, or a program
 * of its own.
 *
 *     take --> queue --(front is free)--> front: begin --> trainer ready? start --> ... --> end --> next
 *
 * The queue is only worth keeping while runs are short. When the one in front has lasted a quarter of a second, what
 * waits behind it goes back to the coordinator, which may find it another slot. */
#include "worker/agent/slot_claim.h"
#include "worker/agent/slot_parts.h"
#include "common/clock.h"
#include "common/mem.h"
#include "worker/hardware/pin.h"
#include "worker/program/program.h"
#include "worker/program/trainer.h"

#include <math.h>
#include <stdlib.h>

/* --- the queue --- */

/* Nothing is in front, and a run could begin. */
static bool is_free(const struct agent_slot *slot, double now)
{
    if (slot->front || now < slot->paused_until || slot->host->stage == AGENT_OVER ||
        slot->host->calls->is_blocked(slot->host->context, slot))
        return false;
    return (!slot->trainer || !trainer_is_ending(slot->trainer)) && (!slot->server || !server_is_ending(slot->server));
}

void slot_return_queue(struct agent_slot *slot)
{
    struct list_link *link;
    slot_recall(slot);
    while ((link = list_first(&slot->queue)))
        reporter_return(slot->host->reporter, LIST_ITEM(link, struct run, link));
}

static void begin_front(struct agent_slot *slot, struct run *run)
{
    double wall, now = clock_both(&wall);
    slot->front = run;
    list_remove(&run->link);
    run_begin(run, now, wall);
    slot_note_node(slot);
    if (slot->host->task.kernel)
        slot_begin_kernel(slot);
    else
        slot_begin_program(slot);
}

void slot_act(struct agent_slot *slot)
{
    struct list_link *link;
    double now = clock_monotonic();
    if (slot->recalls)
        return;
    while (is_free(slot, now) && (link = list_first(&slot->queue)) && slot_claim(slot))
        begin_front(slot, LIST_ITEM(link, struct run, link));
    if (slot->waits)
        slot_return_queue(slot);
    if (slot->front && slot->trainer)
        slot_feed(slot);
}

void slot_take(struct agent_slot *slot, struct run *run)
{
    if (slot->waits) { /* it was under way when that was told */
        reporter_return(slot->host->reporter, run);
        return;
    }
    list_append(&slot->queue, &run->link);
    slot_act(slot);
}

/* --- stopping --- */

/* The trainer is not ready yet, so the front run has not begun: it goes back, unless it is why this takes too long or
 * too much. Then the trainer goes, too. */
static void stop_starting(struct agent_slot *slot, double grace)
{
    struct run *run = slot->front;
    bool at_fault = run->stop_ending == ENDING_TIMED_OUT || run->stop_ending == ENDING_OUT_OF_MEMORY;
    if (at_fault || grace <= 0)
        trainer_end(slot->trainer);
    if (at_fault) {
        slot_end_front(slot, (enum ending)run->stop_ending, "", "");
    } else {
        slot->front = NULL;
        reporter_return(slot->host->reporter, run);
    }
    slot_act(slot);
}

/* Takes what the process of the front run has said by now, and its end. A worker that is late may have both before it,
 * and what has ended by itself is ended by nobody else. Nothing begins meanwhile. */
static void hear_front(struct agent_slot *slot)
{
    slot->recalls = true;
    if (slot->program)
        program_hear(slot->program);
    else if (slot->front && slot->trainer && slot->front->state != RUN_STARTING)
        trainer_listen(slot->trainer);
    slot->recalls = false;
}

/* What runs, so that it is known how the run stands: it may have begun, have ended, and even be gone (NULL). */
static struct run *look_again(struct agent_slot *slot, const struct run *run)
{
    uint64_t trial = run->trial;
    uint32_t attempt = run->attempt;
    slot_recall(slot);
    hear_front(slot);
    return reporter_find(slot->host->reporter, trial, attempt);
}

void slot_stop(struct agent_slot *slot, struct run *run, enum ending ending, const char *detail, double grace)
{
    double stop_at = clock_monotonic() + grace;
    run = look_again(slot, run);
    enum run_state before = run ? run->state : RUN_ENDED;
    if (before == RUN_QUEUED)
        reporter_return(slot->host->reporter, run);
    if (before == RUN_QUEUED || before == RUN_ENDED) {
        slot_act(slot);
        return;
    }
    bool has_its_end = before == RUN_RUNNING &&
                       (slot_is_over(slot) || slot_let_finish(slot, ending, grace) || slot_let_fail(slot, grace));
    if (has_its_end)
        return;
    run_stop(run, ending, detail);
    run->stop_at = before == RUN_STOPPING ? fmin(run->stop_at, stop_at) : stop_at;
    if (slot->gone && slot->front == run)
        return; /* it ends in a moment */
    if (before == RUN_STARTING)
        stop_starting(slot, grace);
    else if (before == RUN_RUNNING || grace <= 0)
        (slot->program ? slot_stop_program : slot_stop_kernel)(slot, grace);
}

void slot_stop_front(struct agent_slot *slot, enum ending ending, const char *detail, double grace)
{
    if (slot->front)
        slot_stop(slot, slot->front, ending, detail, grace);
}

double slot_leave(struct agent_slot *slot, const char *why)
{
    static const double longest = 20; /* less than the 30 that Slurm waits before it kills */
    const struct task *task = &slot->host->task;
    slot_return_queue(slot);
    slot_settle(slot);
    double grace = task->checkpoint ? fmin(task->grace, longest) : slot->program ? 0.5 : 0;
    slot_stop_front(slot, slot->host->leave_with, why, grace);
    return grace;
}

/* --- life --- */

struct agent_slot *slot_create(struct slot_host *host, uint32_t index, const struct slot_place *place)
{
    struct agent_slot *slot = MEM_NEW(struct agent_slot);
    slot->host = host;
    slot->index = index;
    slot->place = place;
    slot->act = slot_act;
    slot->pin = pin_create(&host->topology, place, (const char *const *)host->marks.items);
    list_init(&slot->queue);
    claims_name_slot(&host->topology, place, &slot->names);
    frequency_init(&slot->frequency, place->cores.items, place->cores.count);
    return slot;
}

void slot_destroy(struct agent_slot *slot)
{
    slot_return_queue(slot);
    trainer_destroy(slot->trainer);
    program_destroy(slot->program);
    server_destroy(slot->server);
    slot->trainer = NULL;
    slot->program = NULL;
    slot->server = NULL;
    if (slot->front) {
        run_stop(slot->front, ENDING_LOST, "its worker ended it");
        slot_end_front(slot, ENDING_LOST, "", "");
    }
    crew_drop(slot->crew);
    slot_unclaim(slot);
    slot_forget_gone(slot->gone);
    slot_stall_forget(slot);
    texts_fini(&slot->names);
    free(slot->lacks);
    free(slot->secret);
    pin_destroy(slot->pin);
    slot_place_fini(&slot->own);
    free(slot);
}

bool slot_has_process(const struct agent_slot *slot, pid_t pid)
{
    return (slot->trainer && trainer_pid(slot->trainer) == pid) || (slot->program && program_has(slot->program, pid)) ||
           (slot->server && server_pid(slot->server) == pid);
}
