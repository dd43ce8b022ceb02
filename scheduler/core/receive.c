/* Messages from workers; docs/design.md draws the conversation.
 *
 * What may arrive: anything, from anybody, at any time, twice, late or never. A message is believed only as far as it
 * fits what the core knows: a worker speaks through the peer that said its HELLO, and can touch only leases that it was
 * given. What does not fit is counted as refused. Who says what makes no sense, or goes round in circles, is set aside
 * (conduct.h). */
#include "scheduler/core/receive.h"
#include "scheduler/core/conduct.h"
#include "scheduler/core/core_parts.h"
#include "scheduler/core/dispatch.h"
#include "scheduler/core/lease.h"
#include "scheduler/core/reconcile.h"
#include "scheduler/core/result.h"
#include "scheduler/core/samples.h"
#include "scheduler/core/standstill.h"
#include "scheduler/core/workers.h"

static void take_returned(struct core *core, struct worker *worker, const struct msg_returned *returned)
{
    /* The last one first: each goes to the front of the queue, and they shall keep their order there. */
    for (uint32_t i = returned->runs_count; i-- > 0;) {
        struct lease *lease = lease_find(core, worker->id, returned->runs[i].trial, returned->runs[i].attempt);
        if (!lease || !lease->sent)
            continue;
        conduct_returned(worker, lease);
        lease->slot->gave_back = lease->slot->leases.after != &lease->link;
        lease_return(core, lease);
    }
    conduct_judge(core, worker);
}

static void take_results(struct core *core, struct worker *worker, const struct msg_results *results)
{
    for (uint32_t i = 0; i < results->results_count; i++) {
        conduct_result(core, worker, &results->results[i]);
        result_take(core, worker, &results->results[i]);
    }
    conduct_judge(core, worker);
}

static void take_from_worker(struct core *core, struct worker *worker, const struct msg *msg)
{
    worker->heard = core->now;
    if (worker->aside) {
        core->refused++;
        return;
    }
    if (!worker->fit)
        workers_fitness(core, worker);
    switch (msg->kind) {
    case MSG_OFFER:
        reconcile_offer(core, worker, &msg->offer);
        break;
    case MSG_RETURNED:
        take_returned(core, worker, &msg->returned);
        break;
    case MSG_SAMPLES:
        samples_take(core, worker, &msg->samples);
        break;
    case MSG_RESULTS:
        take_results(core, worker, &msg->results);
        break;
    case MSG_HEARTBEAT:
        reconcile_heartbeat(core, worker, &msg->heartbeat);
        break;
    case MSG_PORT:
        workers_note_port(core, worker, &msg->port);
        break;
    case MSG_WAITS:
        workers_note_wait(core, worker, &msg->waits);
        break;
    case MSG_STALL:
        standstill_note(core, worker, &msg->stall);
        break;
    case MSG_GOODBYE:
        workers_goodbye(core, worker, &msg->goodbye);
        break;
    default:
        core->refused++;
    }
}

void receive_message(struct core *core, uint64_t peer, const struct msg *msg)
{
    if (!conduct_allows(core, peer, msg))
        return;
    struct worker *worker = map_get(&core->peers, peer);
    if (msg->kind == MSG_HELLO)
        workers_hello(core, peer, &msg->hello);
    else if (worker)
        take_from_worker(core, worker, msg);
    else if (msg->kind != MSG_GOODBYE)
        dispatch_who(core, peer);
}
