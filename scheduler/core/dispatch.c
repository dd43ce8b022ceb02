/* Messages to workers; docs/design.md draws the conversation. */
#include "scheduler/core/dispatch.h"
#include "common/mem.h"
#include "common/rng.h"
#include "scheduler/core/core_parts.h"
#include "scheduler/core/grow.h"
#include "scheduler/core/lease.h"
#include "scheduler/core/outbox.h"
#include "scheduler/core/seen.h"
#include "scheduler/core/trial.h"
#include "scheduler/core/walltime.h"
#include "scheduler/core/workers.h"

#include <math.h>

void dispatch_welcome(struct core *core, struct worker *worker)
{
    struct msg msg = {.kind = MSG_WELCOME,
                      .welcome = {.session = core->session,
                                  .task = core->config.task,
                                  .heartbeat = core->config.heartbeat,
                                  .silence = core->config.suspect}};
    outbox_send(core, worker->peer, &msg);
}

void dispatch_refuse(struct core *core, uint64_t peer, const char *why)
{
    struct msg msg = {.kind = MSG_REFUSED, .refused = {.why = why}};
    outbox_send(core, peer, &msg);
}

void dispatch_who(struct core *core, uint64_t peer)
{
    struct msg msg = {.kind = MSG_WHO, .who = {.session = core->session}};
    outbox_send(core, peer, &msg);
}

void dispatch_heard(struct core *core, struct worker *worker, double wall)
{
    struct msg msg = {.kind = MSG_HEARD, .heard = {.wall = wall}};
    if (worker->peer)
        outbox_send(core, worker->peer, &msg);
}

void dispatch_stop(struct core *core, struct worker *worker, uint64_t trial, uint32_t attempt, enum ending ending)
{
    struct msg msg = {
        .kind = MSG_STOP_RUN,
        .stop_run = {.trial = trial, .attempt = attempt, .ending = ending, .seconds = walltime_stop_seconds(core)}};
    if (worker->peer)
        outbox_send(core, worker->peer, &msg);
}

void dispatch_drain(struct core *core, struct worker *worker, bool now)
{
    struct msg msg = {.kind = MSG_DRAIN, .drain = {.now = now, .why = reason_sentence(core->reason)}};
    if (worker->peer)
        outbox_send(core, worker->peer, &msg);
}

/* The worker's batches go out at the end of this input. */
static void batch_later(struct core *core, struct worker *worker)
{
    if (!list_has(&worker->batched))
        list_append(&core->batched, &worker->batched);
}

void dispatch_lease(struct core *core, struct lease *lease, const struct trial *trial)
{
    struct worker *worker = lease->worker;
    if (!worker->offered)
        return; /* it lost its connection meanwhile: its next OFFER has the lease sent, or the worker is lost */
    const struct early_stop *early_stop = core->config.early_stop;
    struct msg_leases *leases = &worker->leases.leases;
    MEM_GROW(leases->leases, worker->leases_capacity, leases->leases_count + 1u);
    leases->leases[leases->leases_count++] = (struct msg_lease){
        .trial = trial->number,
        .attempt = lease->attempt,
        .slot = lease->slot->index,
        .seed = rng_mix(core->config.seed, trial->number),
        .params = trial->params,
        .until = early_stop ? early_stop->until(early_stop->context, trial->number) : 0,
        .reached = trial->reached,
        .known = seen_known(core, trial),
        .from = trial->from,
        .memory = grow_written_memory(core, trial),
        .time = grow_written_time(core, trial),
        .node = lease->gang.node,
        .nodes = lease->gang.nodes,
        .port = trial->lease->gang.port,
        .meeting = trial->lease->gang.meeting,
        .hosts = trial->hosts,
    };
    lease->sent = true;
    lease->sent_at = core->now;
    batch_later(core, worker);
}

void dispatch_ack(struct core *core, struct worker *worker, struct msg_ack ack)
{
    struct msg_acks *acks = &worker->acks.acks;
    MEM_GROW(acks->acks, worker->acks_capacity, acks->acks_count + 1u);
    acks->acks[acks->acks_count++] = ack;
    batch_later(core, worker);
}

static void flush_worker(struct core *core, struct worker *worker)
{
    worker->leases.kind = MSG_LEASES;
    worker->acks.kind = MSG_ACKS;
    worker->leases.leases.deadline = isfinite(core->deadline) ? core->deadline + core->config.wall_offset : 0;
    if (worker->peer && worker->acks.acks.acks_count)
        outbox_send(core, worker->peer, &worker->acks);
    if (worker->peer && worker->leases.leases.leases_count)
        outbox_send(core, worker->peer, &worker->leases);
    worker->acks.acks.acks_count = 0;
    worker->leases.leases.leases_count = 0;
}

void dispatch_flush(struct core *core)
{
    struct list_link *link;
    while ((link = list_first(&core->batched))) {
        list_remove(link);
        flush_worker(core, LIST_ITEM(link, struct worker, batched));
    }
}
