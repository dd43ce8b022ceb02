/* The virtual clock: a heap of plans, and the loop that carries them out; see sim.h. */
#include "tests/sim/sim.h"
#include "tests/event_text.h"
#include "tests/ram_disk.h"
#include "common/mem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void sim_break(struct sim *sim, const char *format, ...)
{
    if (*sim->broken)
        return;
    int head =
        snprintf(sim->broken, sizeof sim->broken, "seed %llu at %.3f s: ", (unsigned long long)sim->seed, sim->now);
    va_list args;
    va_start(args, format);
    vsnprintf(sim->broken + head, sizeof sim->broken - (size_t)head, format, args);
    va_end(args);
}

void sim_trace(const struct sim *sim, const char *who, uint64_t number, const struct msg *msg)
{
    if (!sim->options.trace)
        return;
    struct buf text = {0};
    if (msg)
        msg_print(msg, &text);
    printf("# %.4f %s %llu %s\n", sim->now, who, (unsigned long long)number, buf_str(&text));
    buf_fini(&text);
}

void sim_trace_event(const struct sim *sim, const struct event *event)
{
    if (!sim->options.trace)
        return;
    struct buf text = {0};
    event_print(event, &text);
    printf("# %.4f core writes event %llu %s\n", sim->now, (unsigned long long)event->number, buf_str(&text));
    buf_fini(&text);
}

struct core *sim_listening(const struct sim *sim)
{
    return sim->stopped_until > sim->now ? NULL : sim->core;
}

double sim_random(struct sim *sim, double mean)
{
    return -log(1 - rng_unit(&sim->rng)) * mean;
}

bool sim_chance(struct sim *sim, double probability)
{
    return rng_unit(&sim->rng) < probability;
}

/* --- the heap --- */

static bool comes_before(const struct sim_plan *a, const struct sim_plan *b)
{
    return a->at < b->at || (a->at <= b->at && a->order < b->order);
}

static void swap(struct sim_plan *a, struct sim_plan *b)
{
    struct sim_plan c = *a;
    *a = *b;
    *b = c;
}

struct sim_plan *sim_in(struct sim *sim, double seconds, enum sim_kind kind, uint32_t worker, uint64_t number)
{
    MEM_GROW(sim->plan, sim->plan_capacity, sim->plan_count + 1);
    size_t at = sim->plan_count++;
    sim->plan[at] = (struct sim_plan){
        .at = sim->now + seconds, .order = ++sim->serial, .kind = kind, .worker = worker, .number = number};
    while (at && comes_before(&sim->plan[at], &sim->plan[(at - 1) / 2])) {
        swap(&sim->plan[at], &sim->plan[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    return &sim->plan[at];
}

static struct sim_plan take_next(struct sim *sim)
{
    struct sim_plan first = sim->plan[0];
    sim->plan[0] = sim->plan[--sim->plan_count];
    for (size_t at = 0;;) {
        size_t least = at, left = 2 * at + 1;
        for (size_t child = left; child < left + 2 && child < sim->plan_count; child++)
            if (comes_before(&sim->plan[child], &sim->plan[least]))
                least = child;
        if (least == at)
            return first;
        swap(&sim->plan[at], &sim->plan[least]);
        at = least;
    }
}

/* --- the network --- */

/* Sends a copy or none or two, each with a delay of its own. */
static void transmit(struct sim *sim, enum sim_kind kind, uint32_t worker, uint64_t peer, const struct buf *bytes)
{
    bool calm = sim->now > sim->profile.calm;
    const struct sim_worker *at = &sim->workers[worker];
    int copies = calm ? 1 : 1 - sim_chance(sim, sim->profile.loss) + sim_chance(sim, sim->profile.doubling);
    if ((kind == SIM_TO_CORE ? at->mute_until : at->deaf_until) > sim->now)
        return;
    for (int i = 0; i < copies; i++) {
        double delay = sim->profile.delay + (calm ? 0 : sim_random(sim, sim->profile.jitter));
        struct sim_plan *plan = sim_in(sim, delay, kind, worker, 0);
        plan->peer = peer;
        buf_add(&plan->bytes, bytes->data, bytes->length);
    }
}

void sim_bind(struct sim *sim, uint32_t worker)
{
    uint64_t peer = sim->workers[worker].peer = ++sim->serial;
    map_put(&sim->peers, peer, (void *)(uintptr_t)(1 + worker));
}

void sim_to_core(struct sim *sim, uint32_t worker, const struct msg *msg)
{
    struct buf bytes = {0};
    msg_encode(msg, &bytes);
    transmit(sim, SIM_TO_CORE, worker, sim->workers[worker].peer, &bytes);
    buf_fini(&bytes);
}

static void send_to_peer(struct sim *sim, struct output *output)
{
    struct msg msg;
    struct err err;
    if (msg_decode(&msg, output->bytes.data, output->bytes.length, &err)) {
        sim_break(sim, "the core sent a message that can't be read: %s", err.text);
        return;
    }
    uint32_t found = (uint32_t)(uintptr_t)map_get(&sim->peers, output->peer), worker = found - 1;
    sim_trace(sim, "core sends to peer", output->peer, &msg);
    sim_check_sent(sim, found ? sim->workers[worker].id : 0, &msg);
    msg_fini(&msg);
    if (found && sim->workers[worker].alive && sim->workers[worker].peer == output->peer)
        transmit(sim, SIM_TO_WORKER, worker, output->peer, &output->bytes);
    else if (sim_chance(sim, 0.8))
        core_peer_gone(sim->core, sim->now, output->peer);
}

/* --- what the core wants --- */

void sim_outputs(struct sim *sim)
{
    struct output output;
    while (sim->core && core_next(sim->core, &output)) {
        sim->hash = rng_mix(sim->hash, rng_mix(output.kind, output.trial ^ output.event.trial));
        switch (output.kind) {
        case OUTPUT_SEND:
            send_to_peer(sim, &output);
            break;
        case OUTPUT_STORE:
            sim_disk_take(sim, &output.event);
            break;
        case OUTPUT_ASK:
            sim_in(sim, 0.0001, SIM_ANSWER, 0, output.trial)->peer = sim->session;
            break;
        case OUTPUT_TELL:
        case OUTPUT_OBSERVE:
            sim_check_tell(sim, &output);
            break;
        case OUTPUT_FORGET:
            sim_check_forget(sim, output.step);
            break;
        case OUTPUT_ENDED:
            sim->reason = output.reason;
            sim->over = !reason_goes_on(output.reason);
            if (output.reason == REASON_SAME_FAILURES && sim->alike_most < sim->profile.same_failures)
                sim_break(sim, "it pauses for %u failures that are alike, and there were %llu in a row",
                          sim->profile.same_failures, (unsigned long long)sim->alike_most);
            core_destroy(sim->core);
            sim->core = NULL;
            sim_amend_lose(sim);
            sim->group = 0;
            sim_disk_lose(sim);
            sim_store_leave(sim);
            if (!sim->over)
                sim_in(sim, 1 + sim_random(sim, 5), SIM_START_CORE, 0, 0);
            break;
        }
        output_fini(&output);
    }
    if (sim->core && sim->unsettled_count && !sim->group) {
        sim->group = sim->unsettled_count;
        double wait = sim->stalled_until > sim->now ? sim->stalled_until - sim->now : 0;
        struct sim_plan *plan = sim_in(sim, wait + sim_random(sim, sim->profile.commit_seconds), SIM_COMMIT, 0,
                                       sim->unsettled[sim->unsettled_count - 1].number);
        plan->peer = sim->session;
    }
}

static void answer(struct sim *sim, uint64_t trial)
{
    char params[32];
    sim_propose(sim, trial, sim->tells_heard, params);
    if (sim->profile.strategy_limit && trial > sim->profile.strategy_limit)
        core_no_more(sim->core, sim->now);
    else
        core_proposal(sim->core, sim->now, trial,
                      &(struct event_proposed){params, trial, sim->tells_heard, trial <= 3, 0});
}

static void deliver_to_core(struct sim *sim, struct sim_plan *plan)
{
    struct msg msg;
    struct err err;
    if (msg_decode(&msg, plan->bytes.data, plan->bytes.length, &err)) {
        sim_break(sim, "a worker sent a message that can't be read: %s", err.text);
        return;
    }
    sim_trace(sim, "core hears from peer", plan->peer, &msg);
    core_message(sim->core, sim->now, plan->peer, &msg);
    msg_fini(&msg);
}

static void deliver_to_worker(struct sim *sim, struct sim_plan *plan)
{
    struct sim_worker *worker = &sim->workers[plan->worker];
    struct msg msg;
    if (!worker->alive || worker->peer != plan->peer || msg_decode(&msg, plan->bytes.data, plan->bytes.length, NULL))
        return;
    sim_trace(sim, "worker hears: ", plan->worker, &msg);
    sim_worker_message(sim, plan->worker, &msg);
    msg_fini(&msg);
}

/* A worker that is stopped gets to nothing before it goes on, and neither does a coordinator. */
static bool put_off(struct sim *sim, const struct sim_plan *plan)
{
    bool for_worker = plan->kind == SIM_TO_WORKER || plan->kind == SIM_RUN_DONE || plan->kind == SIM_RUN_SAMPLE ||
                      plan->kind == SIM_HEARTBEAT;
    bool for_core = plan->kind == SIM_TO_CORE || plan->kind == SIM_COMMIT || plan->kind == SIM_TICK ||
                    plan->kind == SIM_ANSWER || plan->kind == SIM_JOB_SEEN || plan->kind == SIM_AMEND_SEEN;
    double until = for_worker ? sim->workers[plan->worker].paused_until : for_core ? sim->stopped_until : 0;
    if (until <= sim->now)
        return false;
    struct sim_plan *later = sim_in(sim, until - sim->now, plan->kind, plan->worker, plan->number);
    later->peer = plan->peer;
    later->bytes = plan->bytes;
    return true;
}

/* The coordinator was stopped, and its timer comes first: see scheduler/coordinator/turn.c. */
static void go_on(struct sim *sim)
{
    const double late_seconds = 2;
    double late = sim->now - core_wake(sim->core);
    sim->stopped_until = 0;
    sim_trace(sim, "core goes on, session", sim->session, NULL);
    if (late >= late_seconds)
        core_late(sim->core, sim->now, late);
    if (late >= 0)
        core_tick(sim->core, sim->now);
}

static void carry_out(struct sim *sim, struct sim_plan *plan)
{
    bool this_session = sim->core && plan->peer == sim->session;
    switch (plan->kind) {
    case SIM_TO_CORE:
        if (sim->core)
            deliver_to_core(sim, plan);
        break;
    case SIM_TO_WORKER:
        deliver_to_worker(sim, plan);
        break;
    case SIM_RUN_DONE:
        sim_worker_run_done(sim, plan->worker, plan->number);
        break;
    case SIM_RUN_SAMPLE:
        sim_worker_sample(sim, plan->worker, plan->number);
        break;
    case SIM_HEARTBEAT:
        sim_worker_heartbeat(sim, plan->worker, plan->number);
        break;
    case SIM_COMMIT:
        if (this_session)
            sim_disk_commit(sim, plan->number);
        break;
    case SIM_TICK:
        if (this_session) {
            core_tick(sim->core, sim->now);
            sim_in(sim, core_wake(sim->core) - sim->now, SIM_TICK, 0, 0)->peer = sim->session;
        }
        break;
    case SIM_ANSWER:
        if (this_session)
            answer(sim, plan->number);
        break;
    case SIM_FAULT:
        sim_fault(sim);
        break;
    case SIM_START_CORE:
        if (!sim->core && !sim->over)
            sim_core_start(sim);
        break;
    case SIM_START_WORKER:
        if (!sim->workers[plan->worker].alive)
            sim_worker_start(sim, plan->worker);
        break;
    case SIM_JOB_SEEN:
        sim_job_see(sim, plan->worker, plan->number);
        break;
    case SIM_JOB_END:
        sim_job_end(sim, plan->worker, plan->number);
        break;
    case SIM_GO_ON:
        if (this_session)
            go_on(sim);
        break;
    case SIM_AMEND:
        sim_amend(sim);
        break;
    case SIM_AMEND_SEEN:
        if (this_session)
            sim_amend_seen(sim);
        break;
    }
}

/* Every plan is carried out in its time until the experiment is over, or far beyond the time that it may take. */
static void live(struct sim *sim)
{
    double too_late = sim->profile.calm + 4 * 3600 + 20 * sim->profile.run_seconds * (double)sim->profile.trials;
    while (!sim->over && !*sim->broken && sim->plan_count) {
        struct sim_plan plan = take_next(sim);
        sim->now = plan.at;
        if (sim->now > too_late)
            sim_check_stuck(sim);
        if (put_off(sim, &plan))
            continue;
        struct core *core = sim->core;
        struct core_counters before = core ? *core_counters(core) : (struct core_counters){0};
        carry_out(sim, &plan);
        buf_fini(&plan.bytes);
        sim_outputs(sim);
        while (sim_listening(sim) && core_wake(sim->core) <= sim->now) { /* it has more to do than goes into a turn */
            core_tick(sim->core, sim->now);
            sim_outputs(sim);
        }
        if (sim->core && sim->core == core)
            sim_check_costs(sim, &before, plan.kind);
        if (sim_listening(sim) && (!sim->profile.crowd || ++sim->inputs % sim->profile.workers == 0))
            sim_check_core(sim);
    }
    if (!*sim->broken)
        sim_check_end(sim);
}

static struct sim *create(uint64_t seed, const struct sim_options *options, const struct sim_profile *profile)
{
    struct sim *sim = MEM_NEW(struct sim);
    sim->seed = seed;
    sim->options = *options;
    sim->rng = rng_make(seed, "sim", 0);
    sim->profile = profile ? *profile : sim_profile_draw(&sim->rng, seed, options);
    sim->now = 1000;
    sim->profile.calm += sim->now;
    sim->most_trial = sim->profile.trials > SIM_TRIALS ? sim->profile.trials : SIM_TRIALS;
    sim->most_trial += sim->profile.amends ? SIM_AMENDED_TRIALS : 0;
    sim->records = MEM_ARRAY(struct sim_record, sim->most_trial + 2);
    sim->checkpoint = MEM_ARRAY(uint32_t, sim->most_trial + 2);
    sim->workers = MEM_ARRAY(struct sim_worker, sim->profile.workers);
    core_config_defaults(&sim->config); /* workers may come before the first core does */
    sim_tell(sim, 0, 0, 0, NAN);
    sim_store_begin(sim);
    return sim;
}

static void destroy(struct sim *sim)
{
    core_destroy(sim->core);
    sim->group = 0;
    sim_disk_lose(sim);
    store_close(sim->store);
    while (sim->plan_count)
        buf_fini(&sim->plan[--sim->plan_count].bytes);
    for (uint64_t i = 0; i < sim->most_trial + 2; i++)
        free(sim->records[i].runs);
    for (uint32_t i = 0; i < sim->profile.workers; i++)
        free(sim->workers[i].runs);
    early_stopping_destroy(sim->early_stopping);
    map_fini(&sim->peers);
    free(sim->records);
    free(sim->checkpoint);
    free(sim->workers);
    free(sim->told);
    free(sim->tell_hashes);
    free(sim->unsettled);
    free(sim->plan);
    free(sim);
}

/* From the first core's start to the end of the experiment. */
static int run(struct sim *sim, struct sim_outcome *out)
{
    sim_core_start(sim);
    for (uint32_t i = 0; i < sim->profile.workers; i++) {
        bool late = sim->profile.quiet && sim_is_bad(sim, i); /* while it is alone nobody can know */
        sim_in(sim, sim_random(sim, 1) + (late ? 20 : 0), SIM_START_WORKER, i, 0);
    }
    sim_in(sim, sim_random(sim, sim->profile.mischief), SIM_FAULT, 0, 0);
    sim_amend_begin(sim);
    live(sim);
    *out = (struct sim_outcome){.hash = sim->hash,
                                .faults = sim->faults,
                                .workers = sim->profile.workers,
                                .trials = sim->highest_trial,
                                .starts = sim->session,
                                .cuts = sim->cuts,
                                .operations = sim->options.store ? ram_disk_operations() : 0};
    snprintf(out->why, sizeof out->why, "%s", sim->broken);
    destroy(sim);
    return *out->why ? -1 : 0;
}

int sim_run(uint64_t seed, const struct sim_options *options, struct sim_outcome *out)
{
    return run(create(seed, options, NULL), out);
}

int sim_run_crowd(uint64_t seed, uint32_t workers, struct sim_outcome *out)
{
    struct sim_profile profile = sim_profile_crowd(workers);
    return run(create(seed, &(struct sim_options){0}, &profile), out);
}
