/* The conversation with the coordinator, the worker's side.
 *
 *     GREETING   looks for the coordinator (connector.c), says HELLO again and again until WELCOME comes
 *     WORKING    after OFFER: takes LEASES, tells samples and results (report.c), HEARTBEAT every so often
 *     LEAVING    begins nothing; when all is told and acknowledged, or time is up, says GOODBYE
 *
 *     WELCOME    brings the task: makes the slots, answers with OFFER: the slots, and the runs held from before
 *     WHO        the coordinator does not know us (it was started again, or gave us up): back to GREETING; what was not
 *                acknowledged is told again after the next OFFER
 *     STOP_RUN   ends a run, or drops a lease; one that we don't have is no error
 *     DRAIN      nothing new: what has not begun goes back; `now`: what runs is ended as cancelled. Then GOODBYE
 *     REFUSED    ends the worker
 *
 * Anything may come twice, late, or never. A lease that is here already is the same lease. When the coordinator is
 * silent for `silence` seconds the worker goes back to GREETING, its runs go on; silent for `give_up` seconds, it ends.
 */
#include "common/clock.h"
#include "common/log.h"
#include "worker/agent/parts.h"

#include <math.h>
#include <unistd.h>

#define HEARTBEAT_LEAST 0.01
#define HELLO_SECONDS   1.0 /* between two HELLOs */
#define LOOK_SECONDS    1.0 /* between two looks for the coordinator, while it is silent */
#define LOOK_EAGERLY    2.0 /* so long a coordinator that never was there is looked for at each tick: both start now */
#define RENEW_SECONDS   5.0 /* of silence, after which the connection itself is made anew */

/* Leases that may wait, a slot: at 40 us a trial, the shortest seen, they last the 20 ms that new ones need to come. */
enum { CREDIT = 512 };

bool talk_send(struct worker *worker, const struct msg *msg)
{
    struct link *link = connector_link(worker->connector);
    if (!link)
        return false;
    struct buf bytes = {0};
    msg_encode(msg, &bytes);
    enum link_result result = link_send(link, 0, bytes.data, bytes.length);
    buf_fini(&bytes);
    return result == LINK_OK || result == LINK_LARGE; /* a message too large would never go: it is logged and dropped */
}

/* --- out --- */

static void greet(struct worker *worker, double now)
{
    struct buf words = {0};
    const struct topology *topology = &worker->topology;
    topology_words(topology, &words);
    struct msg msg = {.kind = MSG_HELLO,
                      .hello = {.worker = worker->id,
                                .node = worker->node,
                                .pid = (uint32_t)getpid(),
                                .job = worker->job.job,
                                .element = worker->job.element,
                                .version = GANNET_VERSION,
                                .machine = buf_str(&words),
                                .cores = topology->core_count,
                                .gpus = topology->gpu_count,
                                .memory = topology->memory}};
    worker->joined = false;
    if (worker->stage == STAGE_WORKING)
        worker->stage = STAGE_GREETING;
    worker->greeted = talk_send(worker, &msg) ? now : 0;
    buf_fini(&words);
}

/* The lists of a slot as texts, which `memory` owns. */
static void describe_slot(const struct worker *worker, const struct slot *slot, struct arena *memory,
                          struct msg_slot *out)
{
    const struct slot_place *place = slot->place;
    struct numbers cpus = {0}, gpus = {0};
    const struct numbers *lists[] = {&cpus, &place->nodes, &gpus};
    const char **texts[] = {&out->cpus, &out->numa, &out->gpus};
    numbers_merge(&cpus, &place->cpus);
    bool any = !place->cpus.count && !worker->topology.cores_unknown; /* not bound: it may run on any of them */
    for (uint32_t i = 0; i < worker->topology.core_count && any; i++)
        numbers_add(&cpus, worker->topology.cores[i].pu);
    slot_gpus(&worker->topology, place, &gpus);
    for (int i = 0; i < 3; i++) {
        struct buf text = {0};
        numbers_show(lists[i], &text);
        *texts[i] = arena_text(memory, buf_str(&text));
        buf_fini(&text);
    }
    out->index = slot->index;
    out->memory = place->memory;
    numbers_fini(&cpus);
    numbers_fini(&gpus);
}

static void list_runs(const struct worker *worker, struct msg *msg)
{
    struct map_entry entry;
    msg->offer.held = arena_zero(&msg->memory, worker->runs.count, sizeof *msg->offer.held);
    for (size_t at = 0; map_next(&worker->runs, &at, &entry);) {
        const struct run *run = entry.value;
        msg->offer.held[msg->offer.held_count++] =
            (struct msg_held){run->trial, run->attempt, run->slot, run->state == RUN_ENDED};
    }
}

static void offer(struct worker *worker)
{
    struct msg msg = {.kind = MSG_OFFER, .offer = {.credit = CREDIT, .slots_count = worker->places.count}};
    msg.offer.slots = arena_zero(&msg.memory, worker->places.count, sizeof *msg.offer.slots);
    for (uint32_t i = 0; i < worker->places.count; i++)
        describe_slot(worker, worker->slots[i], &msg.memory, &msg.offer.slots[i]);
    list_runs(worker, &msg);
    worker->joined = talk_send(worker, &msg);
    msg_fini(&msg);
    report_repeat(worker);
}

static void beat(struct worker *worker, double now)
{
    struct map_entry entry;
    struct msg msg = {.kind = MSG_HEARTBEAT, .heartbeat = {.wall = clock_wall()}};
    msg.heartbeat.held = arena_zero(&msg.memory, worker->runs.count, sizeof *msg.heartbeat.held);
    for (size_t at = 0; map_next(&worker->runs, &at, &entry);) {
        const struct run *run = entry.value;
        msg.heartbeat.held[msg.heartbeat.held_count++] = (struct msg_run_id){run->trial, run->attempt};
    }
    talk_send(worker, &msg);
    worker->beaten = now;
    msg_fini(&msg);
}

/* --- in --- */

static void take_welcome(struct worker *worker, const struct msg_welcome *welcome)
{
    struct err err;
    if (worker->session != welcome->session)
        log_info("joined the coordinator, its start %llu on this run directory", (unsigned long long)welcome->session);
    worker->session = welcome->session;
    if (welcome->heartbeat > 0)
        worker->heartbeat = fmax(welcome->heartbeat, HEARTBEAT_LEAST);
    if (welcome->silence > 0)
        worker->silence = welcome->silence;
    if (worker_adopt(worker, welcome->task, &err)) {
        log_error("%s", err.text);
        worker_over(worker, WORKER_FAILED, err.text);
        return;
    }
    if (worker->stage == STAGE_GREETING)
        worker->stage = STAGE_WORKING;
    offer(worker);
}

static void take_lease(struct worker *worker, const struct msg_lease *lease)
{
    bool can = worker->stage == STAGE_WORKING && !worker->draining && lease->slot < worker->places.count;
    if (worker_find(worker, lease->trial, lease->attempt))
        return;
    struct run *run = can ? worker_add(worker, lease) : NULL;
    if (run)
        slot_take(worker->slots[lease->slot], run);
    else
        report_give_back(worker, lease->trial, lease->attempt);
}

static void take_leases(struct worker *worker, const struct msg_leases *leases)
{
    worker->deadline = leases->deadline;
    for (uint32_t i = 0; i < leases->leases_count; i++)
        take_lease(worker, &leases->leases[i]);
}

static void take_stop(struct worker *worker, const struct msg_stop_run *stop)
{
    struct run *run = worker_find(worker, stop->trial, stop->attempt);
    enum ending ending = stop->ending < ENDINGS_COUNT ? (enum ending)stop->ending : ENDING_CANCELLED;
    if (ending != ENDING_STOPPED_EARLY && ending_retry(ending) != RETRY_LATER)
        ending = ENDING_CANCELLED;
    double grace = stop->seconds > 0 ? fmin(stop->seconds, worker->task.grace) : worker->task.grace;
    if (run && run->state != RUN_ENDED)
        slot_stop(retire_slot_of(worker, run), run, ending, "", grace);
}

static void take_drain(struct worker *worker, const struct msg_drain *drain)
{
    if (!worker->draining)
        log_info("the experiment ends: %s", drain->why);
    worker->draining = true;
    for (uint32_t i = 0; i < worker->slot_count; i++) {
        struct slot *slot = worker->slots[i];
        slot_return_queue(slot);
        if (drain->now && slot->front)
            slot_stop(slot, slot->front, ENDING_CANCELLED, "", worker->task.grace);
    }
}

static void take_msg(struct worker *worker, const struct msg *msg)
{
    worker->heard = clock_monotonic();
    switch (msg->kind) {
    case MSG_WELCOME:
        take_welcome(worker, &msg->welcome);
        break;
    case MSG_WHO:
        /* One HELLO under way is enough: a dozen messages of ours may each have been answered so. */
        if (worker->joined)
            greet(worker, clock_monotonic());
        break;
    case MSG_LEASES:
        take_leases(worker, &msg->leases);
        break;
    case MSG_ACKS:
        report_acks(worker, &msg->acks);
        break;
    case MSG_STOP_RUN:
        take_stop(worker, &msg->stop_run);
        break;
    case MSG_DRAIN:
        take_drain(worker, &msg->drain);
        break;
    case MSG_REFUSED:
        log_error("the coordinator refuses this worker: %s", msg->refused.why);
        worker_over(worker, WORKER_FAILED, "");
        break;
    case MSG_HEARD:
        break;
    default:
        log_warning("the coordinator sent %s, which is not for a worker", msg_kind_name(msg->kind));
    }
}

static void receive(void *context)
{
    enum { MESSAGES_A_TURN = 64 };
    struct worker *worker = context;
    struct buf bytes = {0};
    for (int i = 0; i < MESSAGES_A_TURN && worker->stage != STAGE_OVER; i++) {
        struct msg msg;
        struct err err;
        uint64_t peer;
        if (link_receive(connector_link(worker->connector), &peer, &bytes) != LINK_OK)
            break;
        if (msg_decode(&msg, bytes.data, bytes.length, &err)) {
            log_warning("a message that can't be read: %s", err.text);
            continue;
        }
        take_msg(worker, &msg);
        msg_fini(&msg);
    }
    buf_fini(&bytes);
}

/* --- time passes --- */

/* Looks where the coordinator is; `anew`: and connects again in any case. */
static void look(struct worker *worker, double now, bool anew)
{
    worker->looked = now;
    if (!connector_look(worker->connector, anew))
        return;
    loop_remove(worker->link_in);
    worker->link_in = connector_link(worker->connector)
                          ? loop_link(worker->loop, connector_link(worker->connector), receive, worker)
                          : NULL;
    worker->joined = false;
    worker->greeted = 0;
    if (worker->stage == STAGE_WORKING)
        worker->stage = STAGE_GREETING;
}

static void seek(struct worker *worker, double now)
{
    double silent = now - worker->heard;
    bool eager = !connector_link(worker->connector) && silent < LOOK_EAGERLY;
    if (eager || now - worker->looked >= LOOK_SECONDS) {
        bool renew = silent > RENEW_SECONDS && now - worker->renewed > RENEW_SECONDS;
        if (renew)
            worker->renewed = now;
        look(worker, now, renew);
    }
    if (worker->greeted <= 0 || now - worker->greeted >= HELLO_SECONDS)
        greet(worker, now);
}

void talk_tick(struct worker *worker, double now)
{
    double silent = now - worker->heard;
    if (silent > worker->setup->give_up) {
        log_error("no coordinator for %.0f s%s%s; this worker ends", silent,
                  *connector_why(worker->connector) ? ": " : "", connector_why(worker->connector));
        worker_over(worker, WORKER_ALONE, "");
    } else if (!worker->joined || silent > worker->silence) {
        seek(worker, now);
    } else if (now - worker->beaten >= worker->heartbeat) {
        beat(worker, now);
    }
}

int talk_open(struct worker *worker, struct link_context *links, struct err *err)
{
    const struct worker_setup *setup = worker->setup;
    worker->connector = connector_create(links, setup->rundir, setup->connect, err);
    if (!worker->connector)
        return -1;
    worker->heartbeat = 2;
    worker->silence = 10;
    worker->heard = clock_monotonic();
    look(worker, worker->heard, false);
    return 0;
}

void talk_close(struct worker *worker, const char *why)
{
    struct msg msg = {.kind = MSG_GOODBYE, .goodbye = {.why = why, .idle = !worker->runs.count}};
    if (worker->joined)
        talk_send(worker, &msg);
    worker->joined = false;
    loop_remove(worker->link_in);
    worker->link_in = NULL;
    connector_destroy(worker->connector);
    worker->connector = NULL;
}
