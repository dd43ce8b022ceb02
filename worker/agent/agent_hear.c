/* What an agent does about what the coordinator says; see agent.c. */
#include "worker/agent/agent_parts.h"

#include "common/clock.h"
#include "common/endings.h"
#include "common/log.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- the task --- */

static bool same_resources(const struct task *a, const struct task *b)
{
    return a->cpus == b->cpus && a->sockets == b->sockets && a->gpus == b->gpus && a->memory == b->memory &&
           a->per_socket == b->per_socket && a->gpu_slots == b->gpu_slots && a->gpu_memory == b->gpu_memory &&
           a->fuse == b->fuse && a->bind == b->bind;
}

/* Takes over a task: makes the slots of the first one, or of one that gives trials other resources. -1 with a sentence
 * when this machine can't run it. */
static int adopt_task(struct agent *agent, const char *task_text, struct err *err)
{
    struct task task;
    if (agent->host.task_text && strcmp(agent->host.task_text, task_text) == 0)
        return 0;
    if (task_read(task_text, &task, err))
        return -1;
    if (agent->host.task_text && !same_resources(&task, &agent->host.task))
        slot_set_retire(&agent->slots); /* a restarted coordinator with other resources */
    free(agent->host.task_text);
    task_fini(&agent->host.task);
    agent->host.task_text = mem_text(task_text);
    agent->host.task = task;
    agent->host.found = 0;
    for (uint32_t i = 0; i < agent->slots.count; i++)
        slot_renew(agent->slots.all[i]);
    return agent->slots.places.count ? 0 : slot_set_make(&agent->slots, err);
}

/* --- what the coordinator says --- */

/* Leases that may wait, a slot: at 20 us a trial they last the 20 ms that new ones need to come when results don't
 * gather. */
enum { CREDIT = 1024 };

static void send_offer(struct agent *agent)
{
    struct msg msg = {.kind = MSG_OFFER, .offer = {.credit = CREDIT}};
    slot_set_list(&agent->slots, connector_endpoint(agent->talk.connector), &msg);
    reporter_list_runs(&agent->reporter, &msg);
    agent->talk.joined = talk_send(&agent->talk, &msg);
    msg_fini(&msg);
    slot_set_tell_waits(&agent->slots);
    reporter_repeat(&agent->reporter);
}

static void take_welcome(struct agent *agent, const struct msg_welcome *welcome)
{
    struct err err;
    if (adopt_task(agent, welcome->task, &err)) {
        log_error("%s", err.text);
        agent_end(agent, AGENT_FAILED, err.text);
        return;
    }
    send_offer(agent);
}

static void take_lease(struct agent *agent, const struct msg_lease *lease)
{
    bool can = agent->host.stage == AGENT_WORKING && agent->talk.welcomed && !agent->draining &&
               lease->slot < agent->slots.places.count;
    if (reporter_find(&agent->reporter, lease->trial, lease->attempt))
        return;
    struct run *run = can ? reporter_add(&agent->reporter, lease) : NULL;
    if (run && agent->due > clock_monotonic() + AGENT_TICK_BUSY) /* leases that come one by one don't put it off */
        agent_tick_in(agent, AGENT_TICK_BUSY);
    if (run)
        slot_take(agent->slots.all[lease->slot], run);
    else
        reporter_refuse(&agent->reporter, lease->trial, lease->attempt);
}

static void take_leases(struct agent *agent, const struct msg_leases *leases)
{
    agent->host.deadline = leases->deadline;
    for (uint32_t i = 0; i < leases->leases_count; i++)
        take_lease(agent, &leases->leases[i]);
}

static void take_stop(struct agent *agent, const struct msg_stop_run *stop)
{
    struct run *run = reporter_find(&agent->reporter, stop->trial, stop->attempt);
    enum ending ending = stop->ending < ENDINGS_COUNT ? (enum ending)stop->ending : ENDING_CANCELLED;
    if (ending != ENDING_STOPPED_EARLY && ending_retry(ending) != RETRY_LATER)
        ending = ENDING_CANCELLED;
    agent->host.time_is_up |= ending == ENDING_WALLTIME;
    double grace = stop->seconds > 0 ? fmin(stop->seconds, agent->host.task.grace) : agent->host.task.grace;
    if (run && run->state != RUN_ENDED)
        slot_stop(slot_set_find(&agent->slots, run), run, ending, "", grace);
}

static void take_drain(struct agent *agent, const struct msg_drain *drain)
{
    if (!agent->draining)
        log_info("the experiment ends: %s", drain->why);
    agent->draining = true;
    for (uint32_t i = 0; i < agent->slots.count; i++) {
        slot_return_queue(agent->slots.all[i]);
        if (drain->now)
            slot_stop_front(agent->slots.all[i], ENDING_CANCELLED, "", agent->host.task.grace);
    }
}

void agent_take_msg(void *context, const struct msg *msg)
{
    struct agent *agent = context;
    switch (msg->kind) {
    case MSG_WELCOME:
        take_welcome(agent, &msg->welcome);
        break;
    case MSG_LEASES:
        take_leases(agent, &msg->leases);
        break;
    case MSG_ACKS:
        reporter_acks(&agent->reporter, &msg->acks);
        break;
    case MSG_STOP_RUN:
        take_stop(agent, &msg->stop_run);
        break;
    case MSG_DRAIN:
        take_drain(agent, &msg->drain);
        break;
    case MSG_REFUSED:
        log_error("the coordinator refuses this worker: %s", msg->refused.why);
        agent_end(agent, EXIT_REFUSED, "");
        break;
    case MSG_HEARD:
        break;
    default:
        log_warning("the coordinator sent %s, which is not for a worker", msg_kind_name(msg->kind));
    }
}
