/* What the coordinator has to be told: samples of runs that go on, results, leases that go back. Everything but the
 * last is kept until it is acknowledged, and sent again when the coordinator lost it: after every HELLO, and when
 * nothing was heard of it for REPEAT_SECONDS.
 *
 *     run has samples     in `sampled`; sent at most every SAMPLES_SECONDS a run
 *     run ended           in `fresh`; sent at the end of this turn, with all that ended in it - while enough short runs
 *                         wait, with all of some milliseconds; then in `told`
 *     acknowledged        samples are dropped; once the end is acknowledged, too, the run is forgotten
 *
 * A lease that goes back is told once: if that is lost, the coordinator misses the run in the next HEARTBEAT. */
#include "common/clock.h"
#include "common/mem.h"
#include "worker/agent/parts.h"

#include <math.h>

#define GATHER_SECONDS  0.01 /* of the 20 ms that the leases of a slot last which wait */
#define SAMPLES_SECONDS 0.5
#define REPEAT_SECONDS  5.0

/* A message stays well below MSG_LARGEST (8 MB): a sample takes up to 240 bytes (its name is cut at 200), a result
 * without samples up to 6,000. */
enum { MOST_SAMPLES = 20000, MOST_RESULTS = 500 };

/* --- building --- */

static uint32_t unsent(const struct run *run)
{
    return run->first + run->kept - run->sent;
}

/* Where the samples begin that were not sent. */
static struct msg_sample *first_unsent(const struct run *run)
{
    return run->kept ? run->samples + (run->sent - run->first) : NULL;
}

/* Sends the next samples of a run as one message; false when it could not be sent. */
static bool send_samples(struct worker *worker, struct run *run, uint32_t count)
{
    struct msg_batch batch = {.trial = run->trial,
                              .attempt = run->attempt,
                              .resumed = run->resumed,
                              .first = run->sent,
                              .samples = first_unsent(run),
                              .samples_count = count};
    struct msg msg = {.kind = MSG_SAMPLES, .samples = {.batches = &batch, .batches_count = 1}};
    if (!talk_send(worker, &msg))
        return false;
    run->sent += count;
    return true;
}

static void add_phases(const struct run *run, struct arena *memory, struct msg_result *out)
{
    out->phases = arena_zero(memory, PHASES_COUNT, sizeof *out->phases);
    for (uint32_t i = 0; i < PHASES_COUNT; i++) {
        const struct phase_time *time = &run->phases[i];
        if (time->count)
            out->phases[out->phases_count++] = (struct msg_phase){i, time->seconds, time->count, time->min, time->max};
    }
}

static void write_result(const struct run *run, struct arena *memory, struct msg_result *out)
{
    *out = (struct msg_result){.trial = run->trial,
                               .attempt = run->attempt,
                               .slot = run->slot,
                               .ending = run->ending,
                               .detail = run->detail,
                               .tail = run->tail,
                               .resumed = run->resumed,
                               .started = run->started,
                               .seconds = run->seconds,
                               .cpu_seconds = run->cpu_seconds,
                               .peak_memory = run->peak_memory,
                               .measures = run->measures,
                               .measures_count = run->measure_count,
                               .first = run->sent,
                               .samples = first_unsent(run),
                               .samples_count = unsent(run)};
    add_phases(run, memory, out);
}

/* --- results --- */

/* All samples that were not acknowledged go along with the result, sent before or not, so that it stands for itself;
 * only when they are too many the first ones are sent ahead. */
static bool send_violation(struct worker *worker, struct run *run)
{
    if (run->kept <= MOST_SAMPLES)
        run->sent = run->first;
    while (unsent(run) > MOST_SAMPLES)
        if (!send_samples(worker, run, MOST_SAMPLES))
            return false;
    return true;
}

/* Gathers the next results; those that are in the message stay at the front of `fresh`. */
static void gather(struct worker *worker, struct msg *msg, struct msg_result *results)
{
    uint32_t samples = 0;
    msg->results.results = results;
    for (struct list_link *link = worker->fresh.after; link != &worker->fresh; link = link->after) {
        struct run *run = LIST_ITEM(link, struct run, link);
        if (msg->results.results_count == MOST_RESULTS || !send_violation(worker, run))
            return;
        samples += unsent(run);
        if (msg->results.results_count && samples > MOST_SAMPLES)
            return;
        write_result(run, &msg->memory, &results[msg->results.results_count++]);
    }
}

/* Moves the first results from `fresh` to `told`. */
static void mark_told(struct worker *worker, uint32_t count)
{
    double now = clock_monotonic();
    while (count--) {
        struct run *run = LIST_ITEM(list_first(&worker->fresh), struct run, link);
        run->sent = run->first + run->kept;
        run->told_at = now;
        list_remove(&run->link);
        list_append(&worker->told, &run->link);
    }
}

static void send_results(struct worker *worker)
{
    struct msg_result results[MOST_RESULTS];
    for (bool sent = true; sent && !list_is_empty(&worker->fresh);) {
        struct msg msg = {.kind = MSG_RESULTS};
        gather(worker, &msg, results);
        sent = msg.results.results_count && talk_send(worker, &msg);
        if (sent)
            mark_told(worker, msg.results.results_count);
        msg_fini(&msg);
    }
}

/* --- the rest --- */

static void send_returned(struct worker *worker)
{
    struct msg msg = {.kind = MSG_RETURNED,
                      .returned = {.runs = worker->returned, .runs_count = (uint32_t)worker->returned_count}};
    if (worker->returned_count && talk_send(worker, &msg))
        worker->returned_count = 0;
}

static void send_sampled(struct worker *worker, double now)
{
    for (struct list_link *link = worker->sampled.after; link != &worker->sampled; link = link->after) {
        struct run *run = LIST_ITEM(link, struct run, link);
        if (run->kept && !unsent(run) && now - run->told_at > REPEAT_SECONDS)
            run_repeat(run);
        if (now - run->told_at < SAMPLES_SECONDS)
            continue;
        while (unsent(run)) {
            if (!send_samples(worker, run, unsent(run) < MOST_SAMPLES ? unsent(run) : MOST_SAMPLES))
                return;
            run->told_at = now;
        }
    }
}

/* Results that were told before then are due again; `told` is in the order of telling. */
static void repeat_told(struct worker *worker, double then)
{
    struct list_link *link;
    while ((link = list_first(&worker->told)) && LIST_ITEM(link, struct run, link)->told_at <= then) {
        run_repeat(LIST_ITEM(link, struct run, link));
        list_remove(link);
        list_append(&worker->fresh, link);
    }
}

/* --- what others call --- */

void report_sampled(struct worker *worker, struct run *run)
{
    if (!list_has(&run->link))
        list_append(&worker->sampled, &run->link);
}

void report_ended(struct worker *worker, struct run *run)
{
    if (list_is_empty(&worker->fresh))
        worker->fresh_since = clock_monotonic();
    list_remove(&run->link);
    list_append(&worker->fresh, &run->link);
    worker->living--;
    worker->runs_ended++;
}

void report_give_back(struct worker *worker, uint64_t trial, uint32_t attempt)
{
    MEM_GROW(worker->returned, worker->returned_room, worker->returned_count + 1);
    worker->returned[worker->returned_count++] = (struct msg_run_id){trial, attempt};
}

void report_acks(struct worker *worker, const struct msg_acks *acks)
{
    for (uint32_t i = 0; i < acks->acks_count; i++) {
        const struct msg_ack *ack = &acks->acks[i];
        struct run *run = worker_find(worker, ack->trial, ack->attempt);
        if (!run)
            continue;
        if (run_acknowledge(run, ack))
            worker_forget(worker, run);
        else if (!run->kept && run->state != RUN_ENDED && run->state != RUN_QUEUED)
            list_remove(&run->link);
    }
}

void report_repeat(struct worker *worker)
{
    repeat_told(worker, INFINITY);
    for (struct list_link *link = worker->sampled.after; link != &worker->sampled; link = link->after)
        run_repeat(LIST_ITEM(link, struct run, link));
}

/* While enough short runs wait in the slots, results of some milliseconds go together: most of what a trial costs the
 * coordinator is a message's and a commit's, and what waits covers the delay. The runs going on bring us back here
 * soon, or else a tick. */
static bool can_gather(const struct worker *worker)
{
    enum { ENOUGH = 4 }; /* a slot */
    return worker->stage == STAGE_WORKING && !worker->draining &&
           worker->living > (size_t)worker->places.count * (1 + ENOUGH) &&
           clock_monotonic() - worker->fresh_since < GATHER_SECONDS;
}

void report_turn(struct worker *worker)
{
    if (!worker->joined)
        return;
    send_returned(worker);
    if (!list_is_empty(&worker->fresh) && !can_gather(worker))
        send_results(worker);
}

void report_tick(struct worker *worker, double now)
{
    if (!worker->joined)
        return;
    repeat_told(worker, now - REPEAT_SECONDS);
    send_sampled(worker, now);
}

bool report_is_done(const struct worker *worker)
{
    return list_is_empty(&worker->fresh) && list_is_empty(&worker->told) && !worker->returned_count;
}
