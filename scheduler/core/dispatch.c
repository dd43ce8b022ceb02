/* Messages from and to workers; docs/design.md draws the conversation.
 *
 * What may arrive: anything, from anybody, at any time, twice, late or never. A message is believed only as far as it
 * fits what the core knows: a worker speaks through the peer that said its HELLO, and can touch only leases that it was
 * given. What does not fit is counted as refused. Leases and acknowledgements for one worker are gathered over an input
 * and sent together. */
#include "common/mem.h"
#include "common/rng.h"
#include "scheduler/core/parts.h"

#include <math.h>

/* --- in --- */

static void take_returned(struct core *core, struct worker *worker, const struct msg_returned *returned)
{
    /* The last one first: each goes to the front of the queue, and they shall keep their order there. */
    for (uint32_t i = returned->runs_count; i-- > 0;) {
        struct lease *lease = lease_find(core, worker->id, returned->runs[i].trial, returned->runs[i].attempt);
        if (!lease || !lease->sent)
            continue;
        lease->slot->held_up = lease->slot->leases.after != &lease->link;
        lease_return(core, lease);
    }
}

static void take_results(struct core *core, struct worker *worker, const struct msg_results *results)
{
    for (uint32_t i = 0; i < results->results_count; i++)
        result_take(core, worker, &results->results[i]);
}

static void take_from_worker(struct core *core, struct worker *worker, const struct msg *msg)
{
    worker->heard = core->now;
    if (!worker->fit)
        workers_fitness(core, worker);
    switch (msg->kind) {
    case MSG_OFFER:
        offer_take(core, worker, &msg->offer);
        break;
    case MSG_RETURNED:
        take_returned(core, worker, &msg->returned);
        break;
    case MSG_SAMPLES:
        progress_samples(core, worker, &msg->samples);
        break;
    case MSG_RESULTS:
        take_results(core, worker, &msg->results);
        break;
    case MSG_HEARTBEAT:
        heartbeat_take(core, worker, &msg->heartbeat);
        break;
    case MSG_GOODBYE:
        workers_goodbye(core, worker, &msg->goodbye);
        break;
    default:
        core->refused++;
    }
}

void dispatch_message(struct core *core, uint64_t peer, const struct msg *msg)
{
    struct worker *worker = map_get(&core->peers, peer);
    if (msg->kind == MSG_HELLO)
        workers_hello(core, peer, &msg->hello);
    else if (worker)
        take_from_worker(core, worker, msg);
    else if (msg->kind != MSG_GOODBYE)
        dispatch_who(core, peer);
}

/* --- out --- */

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
static void mail_later(struct core *core, struct worker *worker)
{
    if (!list_has(&worker->mail))
        list_append(&core->mail, &worker->mail);
}

void dispatch_lease(struct core *core, struct lease *lease, const struct trial *trial)
{
    struct worker *worker = lease->worker;
    if (!worker->offered)
        return; /* it lost its connection meanwhile: offer_take sends the lease, or the worker is lost */
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
        .known = early_stop_known(core, trial),
        .from = trial->from,
    };
    lease->sent = true;
    lease->sent_at = core->now;
    mail_later(core, worker);
}

void dispatch_ack(struct core *core, struct worker *worker, struct msg_ack ack)
{
    struct msg_acks *acks = &worker->acks.acks;
    MEM_GROW(acks->acks, worker->acks_capacity, acks->acks_count + 1u);
    acks->acks[acks->acks_count++] = ack;
    mail_later(core, worker);
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
    while ((link = list_first(&core->mail))) {
        list_remove(link);
        flush_worker(core, LIST_ITEM(link, struct worker, mail));
    }
}
