/* The runs, and what the coordinator has to be told of them: samples of runs that go on, results, leases that go back.
 * Everything but the last is kept until it is acknowledged, and sent again when the coordinator lost it: after every
 * HELLO, and when nothing was heard of it for REPEAT_SECONDS.
 *
 *     run has samples     in `sampled`; sent at most every SAMPLES_SECONDS a run
 *     run ended           in `fresh`; sent at the end of this turn, with all that ended in it - while enough short runs
 *                         wait, and more than have ended, with all of some milliseconds; then in `told`
 *     acknowledged        samples are dropped; once the end is acknowledged, too, the run is forgotten
 *
 * A lease that goes back is told once: if that is lost, the coordinator misses the run in the next HEARTBEAT. */
#include "worker/agent/reporter.h"
#include "common/clock.h"
#include "common/mem.h"
#include "common/msg_profile.h"

#include <math.h>
#include <stdlib.h>

#define GATHER_SECONDS  0.02 /* of the 50 ms that the leases of a slot last which wait */
#define SAMPLES_SECONDS 0.5
#define REPEAT_SECONDS  5.0

/* A message stays well below MSG_LARGEST (8 MB): a sample takes up to 240 bytes (its name is cut at 200), a result
 * without samples up to 9,000. The coordinator takes a result in some 20 us, and other messages between two of ours. */
enum { MOST_SAMPLES = 20000, MOST_RESULTS = 128 };

/* --- building --- */

static uint32_t count_unsent(const struct run *run)
{
    return run->first + run->kept - run->sent;
}

/* Where the samples begin that were not sent. */
static struct msg_sample *first_unsent(const struct run *run)
{
    return run->kept ? run->samples + (run->sent - run->first) : NULL;
}

/* Sends the next samples of a run as one message; false when it could not be sent. */
static bool send_samples(struct reporter *reporter, struct run *run, uint32_t count)
{
    struct msg_batch batch = {.trial = run->trial,
                              .attempt = run->attempt,
                              .resumed = run->resumed,
                              .first = run->sent,
                              .samples = first_unsent(run),
                              .samples_count = count};
    struct msg msg = {.kind = MSG_SAMPLES, .samples = {.batches = &batch, .batches_count = 1}};
    if (!talk_send(reporter->talk, &msg))
        return false;
    run->sent += count;
    return true;
}

static void add_phases(const struct run *run, struct arena *memory, struct msg_result *out)
{
    out->phases = arena_zero(memory, PHASES_COUNT, sizeof *out->phases);
    out->phases_count = msg_phases_make(run->phases, out->phases);
}

static void add_counters(const struct run *run, struct arena *memory, struct msg_result *out)
{
    if (!run_counters_any(&run->counters))
        return; /* as of most runs that last no time */
    out->counted = arena_zero(memory, RUN_COUNTERS_COUNT, sizeof *out->counted);
    for (uint32_t i = 0; i < RUN_COUNTERS_COUNT; i++)
        if (run_counter_is_sane(i, run->counters.values[i]))
            out->counted[out->counted_count++] = (struct msg_counted){i, run->counters.values[i]};
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
                               .named = (struct msg_named *)run->named,
                               .named_count = run->named_count,
                               .measures_count = run->measure_count,
                               .first = run->sent,
                               .samples = first_unsent(run),
                               .samples_count = count_unsent(run)};
    out->operations = run->operations;
    out->operations_count = run->operation_count;
    out->gpu = run->gpu;
    out->gpu_count = run->gpu_count;
    out->gpu_unknown = run->gpu_unknown;
    add_phases(run, memory, out);
    add_counters(run, memory, out);
}

/* --- results --- */

/* All samples that were not acknowledged go along with the result, sent before or not, so that it stands for itself;
 * only when they are too many the first ones are sent ahead. */
static bool send_ahead(struct reporter *reporter, struct run *run)
{
    if (run->kept <= MOST_SAMPLES)
        run->sent = run->first;
    while (count_unsent(run) > MOST_SAMPLES)
        if (!send_samples(reporter, run, MOST_SAMPLES))
            return false;
    return true;
}

/* Gathers the next results; those that are in the message stay at the front of `fresh`. */
static void gather_results(struct reporter *reporter, struct msg *msg)
{
    uint32_t samples = 0;
    msg->results.results = reporter->results;
    for (struct list_link *link = reporter->fresh.after; link != &reporter->fresh; link = link->after) {
        struct run *run = LIST_ITEM(link, struct run, link);
        if (msg->results.results_count == MOST_RESULTS || !send_ahead(reporter, run))
            return;
        samples += count_unsent(run);
        if (msg->results.results_count && samples > MOST_SAMPLES)
            return;
        write_result(run, &msg->memory, &reporter->results[msg->results.results_count++]);
    }
}

/* Moves the first results from `fresh` to `told`. */
static void mark_told(struct reporter *reporter, uint32_t count)
{
    double now = clock_monotonic();
    while (count--) {
        struct run *run = LIST_ITEM(list_first(&reporter->fresh), struct run, link);
        run->sent = run->first + run->kept;
        run->told_at = now;
        list_remove(&run->link);
        list_append(&reporter->told, &run->link);
    }
}

static void send_results(struct reporter *reporter)
{
    if (!reporter->results)
        reporter->results = MEM_ARRAY(struct msg_result, MOST_RESULTS);
    reporter->gathered = 0;
    for (bool sent = true; sent && !list_is_empty(&reporter->fresh);) {
        struct msg msg = {.kind = MSG_RESULTS};
        gather_results(reporter, &msg);
        sent = msg.results.results_count && talk_send(reporter->talk, &msg);
        if (sent)
            mark_told(reporter, msg.results.results_count);
        msg_fini(&msg);
    }
}

/* --- the rest --- */

static void send_returned(struct reporter *reporter)
{
    struct msg msg = {.kind = MSG_RETURNED,
                      .returned = {.runs = reporter->returned, .runs_count = (uint32_t)reporter->returned_count}};
    if (reporter->returned_count && talk_send(reporter->talk, &msg))
        reporter->returned_count = 0;
}

static void send_sampled(struct reporter *reporter, double now)
{
    for (struct list_link *link = reporter->sampled.after; link != &reporter->sampled; link = link->after) {
        struct run *run = LIST_ITEM(link, struct run, link);
        if (run->kept && !count_unsent(run) && now - run->told_at > REPEAT_SECONDS)
            run_repeat(run);
        if (now - run->told_at < SAMPLES_SECONDS)
            continue;
        while (count_unsent(run)) {
            if (!send_samples(reporter, run, count_unsent(run) < MOST_SAMPLES ? count_unsent(run) : MOST_SAMPLES))
                return;
            run->told_at = now;
        }
    }
}

/* Results that were told before then are due again; `told` is in the order of telling. */
static void repeat_told(struct reporter *reporter, double then)
{
    struct list_link *link;
    while ((link = list_first(&reporter->told)) && LIST_ITEM(link, struct run, link)->told_at <= then) {
        run_repeat(LIST_ITEM(link, struct run, link));
        list_remove(link);
        list_append(&reporter->fresh, link);
    }
}

/* --- the runs --- */

struct run *reporter_find(const struct reporter *reporter, uint64_t trial, uint32_t attempt)
{
    struct run *run = map_get(&reporter->runs, run_key(trial, attempt));
    return run && run->trial == trial && run->attempt == attempt ? run : NULL;
}

struct run *reporter_add(struct reporter *reporter, const struct msg_lease *lease)
{
    uint64_t key = run_key(lease->trial, lease->attempt);
    if (map_get(&reporter->runs, key))
        return NULL; /* another run with this key: once in 2^64 */
    struct run *run = run_create(lease);
    map_put(&reporter->runs, key, run);
    reporter->living++;
    return run;
}

void reporter_init(struct reporter *reporter, struct talk *talk)
{
    *reporter = (struct reporter){.talk = talk};
    list_init(&reporter->sampled);
    list_init(&reporter->fresh);
    list_init(&reporter->told);
}

void reporter_fini(struct reporter *reporter)
{
    struct map_entry entry;
    for (size_t at = 0; map_next(&reporter->runs, &at, &entry);)
        run_destroy(entry.value);
    map_fini(&reporter->runs);
    free(reporter->returned);
    free(reporter->results);
}

void reporter_list_runs(const struct reporter *reporter, struct msg *offer)
{
    struct map_entry entry;
    offer->offer.held = arena_zero(&offer->memory, reporter->runs.count, sizeof *offer->offer.held);
    for (size_t at = 0; map_next(&reporter->runs, &at, &entry);) {
        const struct run *run = entry.value;
        offer->offer.held[offer->offer.held_count++] =
            (struct msg_held){run->trial, run->attempt, run->slot, run->state == RUN_ENDED};
    }
}

void reporter_beat(const struct reporter *reporter)
{
    struct map_entry entry;
    struct msg msg = {.kind = MSG_HEARTBEAT, .heartbeat = {.wall = clock_wall()}};
    msg.heartbeat.held = arena_zero(&msg.memory, reporter->runs.count, sizeof *msg.heartbeat.held);
    for (size_t at = 0; map_next(&reporter->runs, &at, &entry);) {
        const struct run *run = entry.value;
        msg.heartbeat.held[msg.heartbeat.held_count++] = (struct msg_run_id){run->trial, run->attempt};
    }
    talk_send(reporter->talk, &msg);
    msg_fini(&msg);
}

/* --- what becomes of them --- */

void reporter_sampled(struct reporter *reporter, struct run *run)
{
    if (!list_has(&run->link))
        list_append(&reporter->sampled, &run->link);
}

void reporter_ended(struct reporter *reporter, struct run *run)
{
    if (list_is_empty(&reporter->fresh))
        reporter->fresh_since = clock_monotonic();
    list_remove(&run->link);
    list_append(&reporter->fresh, &run->link);
    reporter->gathered++;
    reporter->living--;
    reporter->runs_ended++;
}

/* Drops a run that there is nothing more to say of. */
static void forget_run(struct reporter *reporter, struct run *run)
{
    reporter->living -= run->state != RUN_ENDED;
    map_remove(&reporter->runs, run_key(run->trial, run->attempt));
    run_destroy(run);
}

void reporter_return(struct reporter *reporter, struct run *run)
{
    reporter_refuse(reporter, run->trial, run->attempt);
    forget_run(reporter, run);
}

void reporter_refuse(struct reporter *reporter, uint64_t trial, uint32_t attempt)
{
    MEM_GROW(reporter->returned, reporter->returned_capacity, reporter->returned_count + 1);
    reporter->returned[reporter->returned_count++] = (struct msg_run_id){trial, attempt};
}

void reporter_acks(struct reporter *reporter, const struct msg_acks *acks)
{
    for (uint32_t i = 0; i < acks->acks_count; i++) {
        const struct msg_ack *ack = &acks->acks[i];
        struct run *run = reporter_find(reporter, ack->trial, ack->attempt);
        if (!run)
            continue;
        if (run_acknowledge(run, ack))
            forget_run(reporter, run);
        else if (!run->kept && run->state != RUN_ENDED && run->state != RUN_QUEUED)
            list_remove(&run->link);
    }
}

void reporter_repeat(struct reporter *reporter)
{
    repeat_told(reporter, INFINITY);
    for (struct list_link *link = reporter->sampled.after; link != &reporter->sampled; link = link->after)
        run_repeat(LIST_ITEM(link, struct run, link));
}

void reporter_turn(struct reporter *reporter, bool may_gather)
{
    if (!reporter->talk->joined)
        return;
    send_returned(reporter);
    bool is_early = clock_monotonic() - reporter->fresh_since < GATHER_SECONDS;
    bool lasts = reporter->gathered < reporter->living; /* else leases run out before further ones come */
    if (!list_is_empty(&reporter->fresh) && !(may_gather && is_early && lasts))
        send_results(reporter);
}

void reporter_tick(struct reporter *reporter, double now)
{
    if (!reporter->talk->joined)
        return;
    repeat_told(reporter, now - REPEAT_SECONDS);
    send_sampled(reporter, now);
}

bool reporter_is_done(const struct reporter *reporter)
{
    return list_is_empty(&reporter->fresh) && list_is_empty(&reporter->told) && !reporter->returned_count;
}
