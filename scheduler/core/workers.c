/* The workers: which workers there are, and whether they live.
 *
 *     HELLO -> (WELCOME) -> OFFER -> fit: gets leases
 *                                     | silent for `suspect` seconds, or connection gone: gets none until its next word
 *                                     | silent for `lost` seconds, or gone and not back in time: lost, its runs too
 *                                     | GOODBYE: leaves
 *
 * A worker is its random number, not its connection: one that comes back by HELLO under another peer is the same, and
 * says in OFFER which runs it still holds. A worker from before a restart of the coordinator is kept as not connected
 * until it comes back. */
#include "scheduler/core/workers.h"
#include "common/mem.h"
#include "common/rng.h"
#include "scheduler/core/conduct.h"
#include "scheduler/core/core_parts.h"
#include "scheduler/core/dispatch.h"
#include "scheduler/core/node_health.h"
#include "scheduler/core/lease.h"
#include "scheduler/core/outbox.h"
#include "scheduler/core/suspect.h"
#include "scheduler/core/vacancy.h"
#include "scheduler/core/walltime.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct worker *workers_find(const struct core *core, uint64_t id)
{
    return map_get(&core->workers, id);
}

struct worker *workers_add(struct core *core, uint64_t id)
{
    struct worker *worker = MEM_NEW(struct worker);
    worker->id = id;
    worker->node = mem_text("");
    worker->job.element = NODE_NO_ELEMENT;
    worker->loss = ENDING_LOST;
    worker->heard = worker->gone_since = worker->came = core->now;
    worker->until = INFINITY;
    worker->ahead = NAN;
    list_append(&core->watched, &worker->watched);
    map_put(&core->workers, id, worker);
    return worker;
}

struct slot *workers_slot(struct core *core, struct worker *worker, uint32_t index)
{
    if (index >= worker->slot_count) {
        worker->slots = mem_resize(worker->slots, index + 1, sizeof *worker->slots);
        for (uint32_t i = worker->slot_count; i <= index; i++) {
            struct slot *slot = worker->slots[i] = MEM_NEW(struct slot);
            slot->worker = worker;
            slot->index = i;
            list_init(&slot->leases);
        }
        core->slots += index + 1 - worker->slot_count;
        worker->slot_count = index + 1;
    }
    return worker->slots[index];
}

void workers_trim(struct core *core, struct worker *worker, uint32_t slots)
{
    while (worker->slot_count > slots) {
        struct slot *last = worker->slots[--worker->slot_count];
        vacancy_remove(core, last);
        free(last->waits);
        free(last->meeting);
        free(last);
        core->slots--;
    }
}

/* --- by their jobs --- */

static uint64_t key_of_job(struct node_job job)
{
    return rng_mix(job.job, job.element);
}

/* The list of the workers of this job; NULL: there is none. */
struct list_link *workers_of_job(const struct core *core, struct node_job job)
{
    return map_get(&core->jobs, key_of_job(job));
}

static void leave_job(struct core *core, struct worker *worker)
{
    struct list_link *workers = list_has(&worker->same_job) ? workers_of_job(core, worker->job) : NULL;
    list_remove(&worker->same_job);
    if (workers && list_is_empty(workers))
        free(map_remove(&core->jobs, key_of_job(worker->job)));
    worker->job = (struct node_job){0, NODE_NO_ELEMENT};
}

void workers_enter_job(struct core *core, struct worker *worker, struct node_job job)
{
    leave_job(core, worker);
    worker->job = job;
    if (!job.job)
        return;
    struct list_link *workers = workers_of_job(core, job);
    if (!workers) {
        workers = MEM_NEW(struct list_link);
        list_init(workers);
        map_put(&core->jobs, key_of_job(job), workers);
    }
    list_append(workers, &worker->same_job);
}

/* --- their lives --- */

void workers_free(struct core *core, struct worker *worker)
{
    map_remove(&core->workers, worker->id);
    if (worker->peer)
        map_remove(&core->peers, worker->peer);
    list_remove(&worker->watched);
    list_remove(&worker->batched);
    suspect_left(core, worker);
    large_left(core, worker);
    leave_job(core, worker);
    node_health_leave(core, worker);
    core->fit -= worker->fit;
    core->endless -= worker->endless;
    for (uint32_t i = 0; i < worker->slot_count; i++) {
        vacancy_remove(core, worker->slots[i]);
        free(worker->slots[i]->waits);
        free(worker->slots[i]->meeting);
        free(worker->slots[i]);
    }
    core->slots -= worker->slot_count;
    core->conduct.aside -= worker->aside != NULL;
    free(worker->aside);
    free(worker->slots);
    free(worker->leases.leases.leases);
    free(worker->acks.acks.acks);
    free(worker->version);
    free(worker->node);
    free(worker);
}

static void set_fit(struct core *core, struct worker *worker, bool fit)
{
    if (fit == worker->fit)
        return;
    worker->fit = fit;
    if (fit)
        core->fit++;
    else
        core->fit--;
    node_health_fit(core, worker);
    for (uint32_t i = 0; i < worker->slot_count; i++)
        vacancy_refresh(core, worker->slots[i]);
    if (fit)
        suspect_came(core, worker);
}

void workers_fitness(struct core *core, struct worker *worker)
{
    bool endless = worker->peer && !worker->aside && !worker->job.job && isinf(worker->until);
    core->endless -= worker->endless;
    core->endless += worker->endless = endless;
    set_fit(core, worker,
            worker->peer && worker->offered && core->now - worker->heard < core->config.suspect &&
                !walltime_is_near_for(core, worker));
}

static void disconnect_worker(struct core *core, struct worker *worker)
{
    map_remove(&core->peers, worker->peer);
    worker->peer = 0;
    worker->offered = false;
    worker->gone_since = core->now;
    worker->patience = 2 * core->config.heartbeat;
    workers_fitness(core, worker);
}

static void bind_peer(struct core *core, struct worker *worker, uint64_t peer)
{
    struct worker *other = map_get(&core->peers, peer);
    if (other && other != worker)
        disconnect_worker(core, other);
    if (worker->peer && worker->peer != peer)
        map_remove(&core->peers, worker->peer);
    worker->peer = worker->last_peer = peer;
    worker->heard = core->now;
    worker->offered = false;
    map_put(&core->peers, peer, worker);
    workers_fitness(core, worker);
}

void workers_disconnect(struct core *core, uint64_t peer)
{
    struct worker *worker = map_get(&core->peers, peer);
    if (worker)
        disconnect_worker(core, worker);
}

void workers_hello(struct core *core, uint64_t peer, const struct msg_hello *hello)
{
    if (!conduct_greeting(core, peer, hello))
        return;
    struct worker *worker = workers_find(core, hello->worker);
    if (!worker) {
        worker = workers_add(core, hello->worker);
        conduct_arrived(core, worker, hello->node);
    }
    conduct_recall(core, worker, peer);
    free(worker->node);
    worker->node = mem_text(hello->node);
    free(worker->version);
    worker->version = mem_text(hello->version);
    worker->pid = hello->pid;
    worker->part = hello->part;
    worker->memory = hello->memory;
    large_met(core, hello->memory);
    if (!worker->met)
        worker->joined = core->now;
    worker->met = true;
    workers_enter_job(core, worker, (struct node_job){hello->job, hello->element});
    node_health_enter(core, worker);
    bind_peer(core, worker, peer);
    if (!conduct_greeted(core, worker))
        return;
    outbox_event(core, &(struct event){.kind = EVENT_WORKER, .worker = hello->worker, .hello = *hello});
    dispatch_welcome(core, worker);
}

void workers_give_up(struct core *core, struct worker *worker, enum ending ending, const char *why)
{
    core->counters.lost++;
    worker->offered = false;
    ending = walltime_cause(core, worker, ending);
    set_fit(core, worker, false);
    for (uint32_t i = 0; i < worker->slot_count; i++)
        while (worker->slots[i]->lease_count)
            lease_lose(core, LIST_ITEM(worker->slots[i]->leases.after, struct lease, link), ending, why);
    outbox_event(core, &(struct event){.kind = EVENT_WORKER_GONE, .worker = worker->id, .gone = {.detail = why}});
    workers_fitness(core, worker);
}

void workers_lose(struct core *core, struct worker *worker, enum ending ending, const char *why)
{
    if (!worker->aside) /* else it has nothing any more, and that it is gone was written down */
        workers_give_up(core, worker, ending, why);
    conduct_remember(core, worker);
    workers_free(core, worker);
}

bool workers_has_sign(const struct worker *worker, const struct worker_sign *sign)
{
    return (!sign->node || strcmp(worker->node, sign->node) == 0) && (!sign->pid || worker->pid == sign->pid) &&
           (!sign->part || worker->part == sign->part) && (!sign->job.job || worker->job.job == sign->job.job) &&
           (sign->job.element == NODE_NO_ELEMENT || worker->job.element == sign->job.element);
}

/* They are noted first: losing one changes the map, and the walk would miss others. */
uint32_t workers_lose_all(struct core *core, const struct worker_sign *sign, enum ending ending, const char *why)
{
    struct map_entry entry;
    struct worker **dead = MEM_ARRAY(struct worker *, core->workers.count);
    uint32_t count = 0;
    for (size_t at = 0; map_next(&core->workers, &at, &entry);)
        if (workers_has_sign(entry.value, sign))
            dead[count++] = entry.value;
    for (uint32_t i = 0; i < count; i++)
        workers_lose(core, dead[i], ending, why);
    free(dead);
    return count;
}

/* What it was being given when it had nothing to run has not begun. */
static void take_back(struct core *core, struct worker *worker)
{
    for (uint32_t i = 0; i < worker->slot_count; i++)
        while (worker->slots[i]->lease_count)
            lease_return(core, LIST_ITEM(worker->slots[i]->leases.after, struct lease, link));
}

/* What it said instead of an offer: a node without the GPU that a trial wants. */
static void note_no_slots(struct core *core, const struct worker *worker, const char *why)
{
    snprintf(core->no_slots, sizeof core->no_slots, "%.100s: %.250s", worker->node ? worker->node : "a worker", why);
}

void workers_goodbye(struct core *core, struct worker *worker, const struct msg_goodbye *goodbye)
{
    set_fit(core, worker, false);
    if (!worker->offered && *goodbye->why)
        note_no_slots(core, worker, goodbye->why);
    if (goodbye->idle)
        take_back(core, worker);
    workers_lose(core, worker, worker->loss, *goodbye->why ? goodbye->why : "it left");
}

void workers_note_wait(struct core *core, struct worker *worker, const struct msg_waits *waits)
{
    enum { LONGEST = 300 };
    if (!worker->offered || waits->slot >= worker->slot_count) {
        core->refused++;
        return;
    }
    struct slot *slot = worker->slots[waits->slot];
    free(slot->waits);
    slot->waits = *waits->why ? mem_text_n(waits->why, strnlen(waits->why, LONGEST)) : NULL;
    vacancy_refresh(core, slot);
}

void workers_note_port(struct core *core, struct worker *worker, const struct msg_port *port)
{
    if (worker->offered && port->slot < worker->slot_count)
        worker->slots[port->slot]->port = (uint16_t)port->port;
    else
        core->refused++;
}

/* Whether they are to wait for the session that goes on, and not to leave. */
static bool are_to_wait(const struct core *core)
{
    return core->config.workers_stay && (core->reason == REASON_WALLTIME || core->reason == REASON_PREEMPTED);
}

void workers_drain(struct core *core, struct worker *worker)
{
    bool now = core->forced && core->reason != REASON_TIME && !core->leaving; /* else each run is told how to end */
    if (core->state != EXPERIMENT_RUNNING && !are_to_wait(core))
        dispatch_drain(core, worker, now);
}
