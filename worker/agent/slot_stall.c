/* Ranks of a kernel's run that don't get on. What is seen of those of this node is told: whether others wait for them,
 * perhaps on other nodes, the coordinator knows. It is repeated while it lasts, since the coordinator may be another
 * one by then. */
#include "common/clock.h"
#include "common/log.h"
#include "worker/agent/slot_parts.h"
#include "worker/program/rank_watch.h"
#include "worker/program/trainer.h"

#define TELL_SECONDS 5.0

static void tell_stall(struct agent_slot *slot, const struct rank_stall *stall, double now)
{
    struct talk *talk = slot->host->reporter->talk;
    const struct run *run = slot->front;
    struct msg msg = {.kind = MSG_STALL,
                      .stall = {.trial = run->trial,
                                .attempt = run->attempt,
                                .still = stall->still,
                                .waiting = stall->waiting,
                                .rank = run->gang.node * slot->host->task.ranks + stall->rank,
                                .seconds = stall->seconds,
                                .why = stall->still ? rank_stall_cause(stall->state) : ""}};
    slot->stall_owed = !talk->joined || !talk_send(talk, &msg);
    slot->stall_told = slot->stall_owed ? 0 : now;
}

static bool is_news(const struct rank_stall *before, const struct rank_stall *now)
{
    return before->still != now->still || before->waiting != now->waiting || before->rank != now->rank ||
           before->state != now->state;
}

void slot_stall_begin(struct agent_slot *slot)
{
    slot->stall = (struct rank_stall){0};
    slot->stall_told = 0;
    slot->stall_owed = false;
    if (slot->rank_watch)
        rank_watch_begin(slot->rank_watch, clock_monotonic());
}

void slot_stall_forget(struct agent_slot *slot)
{
    rank_watch_destroy(slot->rank_watch);
    slot->rank_watch = NULL;
}

void slot_stall_tick(struct agent_slot *slot, double now)
{
    const struct task *task = &slot->host->task;
    struct rank_stall stall;
    if (!slot->trainer || (task->ranks <= 1 && task->nodes <= 1))
        return;
    if (!slot->rank_watch)
        slot->rank_watch = rank_watch_create(trainer_pid(slot->trainer));
    if (!rank_watch_look(slot->rank_watch, now, &stall))
        return;
    bool news = is_news(&slot->stall, &stall), lasts = stall.still || stall.waiting;
    if (news && stall.still)
        log_warning("trial %llu: rank %u has not moved for %.0f s: %s", (unsigned long long)slot->front->trial,
                    slot->front->gang.node * task->ranks + stall.rank, stall.seconds, rank_stall_cause(stall.state));
    slot->stall = stall;
    if (news || slot->stall_owed || (lasts && now - slot->stall_told >= TELL_SECONDS))
        tell_stall(slot, &stall, now);
}
