/* A process of the front run that somebody has stopped (SIGSTOP, or a terminal): nothing is ended for it, and it is
 * said, since a trial that stands still looks like one that computes. It is repeated while it lasts. */
#include "common/log.h"
#include "worker/agent/slot_parts.h"
#include "worker/program/process_tree.h"
#include "worker/program/program.h"
#include "worker/program/trainer.h"

#include <math.h>

#define LOOK_SECONDS  5.0
#define LATE_SECONDS  10.0 /* the worker was stopped itself, and its runs perhaps with it: that counts no more */
#define STILL_SECONDS 15.0 /* before it is said */

/* Of the ranks of a kernel's run more is known (slot_stall.c). */
static pid_t find_stopped(const struct agent_slot *slot)
{
    const struct task *task = &slot->host->task;
    if (slot->program)
        return program_stopped(slot->program);
    return slot->trainer && task->ranks <= 1 && task->nodes <= 1 ? process_tree_stopped(trainer_pid(slot->trainer)) : 0;
}

static bool tell_stopped(const struct agent_slot *slot)
{
    struct talk *talk = slot->host->reporter->talk;
    const struct slot_stopped *stopped = &slot->stopped;
    struct msg msg = {.kind = MSG_STALL,
                      .stall = {.trial = slot->front->trial,
                                .attempt = slot->front->attempt,
                                .still = stopped->said,
                                .process = (uint32_t)stopped->process,
                                .seconds = stopped->seconds,
                                .why = ""}};
    return talk->joined && talk_send(talk, &msg);
}

/* That it stands still is said for the first time, again, or no more: that once, when the coordinator is there. */
static void say_stopped(struct agent_slot *slot)
{
    struct slot_stopped *stopped = &slot->stopped;
    bool said = stopped->said;
    stopped->said = stopped->process && stopped->seconds >= STILL_SECONDS;
    if (stopped->said && !said)
        log_warning("trial %llu: its process %ld has been stopped (SIGSTOP) for %.0f s",
                    (unsigned long long)slot->front->trial, (long)stopped->process, stopped->seconds);
    if (stopped->said || said || stopped->is_owed)
        stopped->is_owed = !tell_stopped(slot);
}

void slot_stopped_tick(struct agent_slot *slot, double now)
{
    struct slot_stopped *stopped = &slot->stopped;
    const struct run *run = slot->front;
    double passed = now - fmax(stopped->looked, run->begun);
    if (passed < LOOK_SECONDS)
        return;
    pid_t found = find_stopped(slot);
    bool lasts = found && found == stopped->process && stopped->looked >= run->begun;
    stopped->said &= stopped->looked >= run->begun;
    stopped->is_owed &= stopped->looked >= run->begun;
    stopped->seconds = lasts ? stopped->seconds + (passed > LATE_SECONDS ? 0 : passed) : 0;
    stopped->process = found;
    stopped->looked = now;
    say_stopped(slot);
}
