/* What goes wrong in the simulated world; see sim.h. */
#include "tests/sim/sim.h"
#include "tests/ram_disk.h"
#include "tests/test_metrics.h"

#include <math.h>
#include <string.h>

static double one_of(struct rng *rng, const double *values, size_t count)
{
    return values[rng_below(rng, count)];
}

#define ONE_OF(rng, ...)                                                                                               \
    one_of(rng, (const double[]){__VA_ARGS__}, sizeof((const double[]){__VA_ARGS__}) / sizeof(double))

static struct sim_profile draw(struct rng *rng)
{
    struct sim_profile profile = {
        .trials = (uint64_t)ONE_OF(rng, 1, 7, 40, 40, 90, (double)SIM_TRIALS),
        .workers = 1 + (uint32_t)rng_below(rng, SIM_WORKERS),
        .slots = 1 + (uint32_t)rng_below(rng, SIM_SLOTS),
        .credit = (uint32_t)ONE_OF(rng, 0, 1, 8, 64),
        .nodes = 1,
        .run_seconds = ONE_OF(rng, 0.0005, 0.02, 1, 5, 60),
        .delay = ONE_OF(rng, 0.00005, 0.002, 0.05),
        .jitter = ONE_OF(rng, 0.00001, 0.01, 0.5, 3),
        .loss = ONE_OF(rng, 0, 0, 0.01, 0.1, 0.3),
        .doubling = ONE_OF(rng, 0, 0.01, 0.2),
        .commit_seconds = ONE_OF(rng, 0.0005, 0.005, 0.3),
        .calm = ONE_OF(rng, 1, 60, 600),
        .mischief = ONE_OF(rng, 0.2, 5, 30),
        .failing = ONE_OF(rng, 0, 0.1, 0.5),
        .retries = (uint32_t)rng_below(rng, 3),
        .use_best = rng_below(rng, 2),
    };
    if (rng_below(rng, 6) == 0)
        profile.time = ONE_OF(rng, 1, 20, 100);
    if (rng_below(rng, 6) == 0) {
        profile.has_max_failures = true;
        profile.max_failures = rng_below(rng, 5);
    }
    if (rng_below(rng, 6) == 0) {
        profile.has_target = true;
        profile.target = ONE_OF(rng, 0.1, 10, 100);
    }
    if (rng_below(rng, 4) == 0)
        profile.strategy_limit = 1 + rng_below(rng, profile.trials);
    if (rng_below(rng, 2) == 0)
        profile.session = ONE_OF(rng, 5, 30, 120) + 3 * profile.run_seconds;
    profile.early = (enum sim_early)ONE_OF(rng, (double)SIM_WHOLE, (double)SIM_PAUSES, (double)SIM_PAUSES,
                                           (double)SIM_STOPS, (double)SIM_MEDIAN);
    if (rng_below(rng, 3) == 0)
        profile.job = ONE_OF(rng, 20, 60, 300) + 3 * profile.run_seconds;
    if (rng_below(rng, 4) == 0) {
        profile.killing = ONE_OF(rng, 0.02, 0.1, 0.3);
        profile.job = profile.loss = profile.doubling = 0; /* a run that the core does not know of could be at fault */
        profile.jitter = fmin(profile.jitter, 0.01);
    }
    if (rng_below(rng, 3) == 0)
        profile.same_failures = 1 + (uint32_t)rng_below(rng, 3);
    return profile;
}

/* Jobs that are about as long as runs, and half as many trials more than workers: many don't fit, and wait. */
struct sim_profile sim_profile_crowd(uint32_t workers)
{
    return (struct sim_profile){
        .crowd = true,
        .nodes = 1,
        .trials = workers + workers / 2,
        .workers = workers,
        .slots = 1,
        .run_seconds = 40,
        .delay = 0.002,
        .jitter = 0.05,
        .loss = 0.01,
        .doubling = 0.01,
        .commit_seconds = 0.02,
        .calm = 300,
        .mischief = 1,
        .failing = 0.02,
        .retries = 1,
        .job = 100,
    };
}

/* There are workers enough, mostly with one to spare. What needs more memory than a slot has is of one node alone. */
static void draw_nodes(struct sim_profile *profile, uint64_t seed)
{
    profile->nodes = 2 + (uint32_t)(rng_mix(seed, 97) % (SIM_MOST_NODES - 1));
    profile->workers = profile->nodes + (uint32_t)(rng_mix(seed, 96) % 4);
    profile->memory = 0;
}

/* The bad one, or two, are any but the first; enough others are there for every trial. In a quiet world what that node
 * does wrong is all that can fail. */
static void draw_bad_node(struct sim_profile *profile, uint64_t seed)
{
    bool two = rng_mix(seed, 92) % 2;
    uint32_t least = profile->nodes + 1 + two;
    profile->workers = profile->workers < least ? least : profile->workers;
    uint32_t others = profile->workers - 1, first = (uint32_t)(rng_mix(seed, 94) % others);
    profile->bad_node = 1 + first;
    profile->other_bad = two ? 1 + (first + 1) % others : 0;
    profile->killing = 0;
    profile->quiet = profile->nodes == 1 && rng_mix(seed, 93) % 2; /* the model's first nodes need no others */
    if (!profile->quiet)
        return;
    profile->failing = profile->loss = profile->doubling = profile->session = profile->job = profile->time = 0;
    profile->jitter = fmin(profile->jitter, 0.01);
    profile->mischief = INFINITY;
    profile->memory = 0;
    profile->run_seconds = fmin(profile->run_seconds, 5);
}

/* Every 250th world has up to 1,000 workers. */
static struct sim_profile draw_sized(struct rng *rng, uint64_t seed, const struct sim_options *options)
{
    enum { CROWD = 250 };
    if (options->store && seed % CROWD == 0)
        return sim_profile_crowd((uint32_t)ONE_OF(rng, 100, 300, 1000));
    struct sim_profile profile = draw(rng);
    if (options->store && profile.trials > SIM_STORED_TRIALS)
        profile.trials = (uint64_t)ONE_OF(rng, 5, 12, SIM_STORED_TRIALS);
    if (profile.strategy_limit > profile.trials)
        profile.strategy_limit = profile.trials;
    profile.amends = seed % 5 == 4;
    if (rng_mix(seed, 99) % 3 == 0)
        profile.memory = (uint64_t)1 << 30;
    if (rng_mix(seed, 98) % 3 == 0)
        draw_nodes(&profile, seed);
    if (rng_mix(seed, 95) % 6 == 0)
        draw_bad_node(&profile, seed);
    return profile;
}

static void leave_out(struct sim_profile *profile, const bool *without)
{
    profile->loss = without[SIM_LOSS] ? 0 : profile->loss;
    profile->doubling = without[SIM_DOUBLING] ? 0 : profile->doubling;
    profile->jitter = without[SIM_JITTER] ? 0 : profile->jitter;
    profile->job = without[SIM_JOBS] ? 0 : profile->job;
    profile->session = without[SIM_SESSIONS] ? 0 : profile->session;
    profile->killing = without[SIM_KILLERS] ? 0 : profile->killing;
    profile->failing = without[SIM_FAILURES] ? 0 : profile->failing;
    profile->nodes = without[SIM_NODES] ? 1 : profile->nodes;
    profile->bad_node = without[SIM_BAD_NODE] ? 0 : profile->bad_node;
    profile->other_bad = profile->bad_node ? profile->other_bad : 0;
    profile->quiet = profile->quiet && profile->bad_node;
    profile->early = without[SIM_EARLY] ? SIM_WHOLE : profile->early;
    profile->memory = without[SIM_MEMORY] ? 0 : profile->memory;
    profile->amends = profile->amends && !without[SIM_AMENDS];
    if (without[SIM_LIMITS]) {
        profile->time = 0;
        profile->has_max_failures = profile->has_target = false;
        profile->same_failures = 0;
        profile->strategy_limit = 0;
    }
}

struct sim_profile sim_profile_draw(struct rng *rng, uint64_t seed, const struct sim_options *options)
{
    struct sim_profile profile = draw_sized(rng, seed, options);
    leave_out(&profile, options->without);
    if (options->trials && profile.trials > options->trials)
        profile.trials = options->trials;
    uint32_t last = profile.bad_node > profile.other_bad ? profile.bad_node : profile.other_bad;
    uint32_t enough = profile.nodes + (profile.bad_node > 0) + (profile.other_bad > 0);
    uint32_t least = last >= enough ? last + 1 : enough;
    if (options->workers && profile.workers > options->workers)
        profile.workers = options->workers < least ? least : options->workers;
    if (profile.strategy_limit > profile.trials)
        profile.strategy_limit = profile.trials;
    return profile;
}

static void set_deadline(struct sim *sim)
{
    bool ends = sim->profile.session > 0 && sim->now < sim->profile.calm;
    sim->deadline = ends ? sim->now + sim->profile.session * (0.2 + 0.8 * rng_unit(&sim->rng)) : INFINITY;
    if (ends)
        core_deadline(sim->core, sim->now, sim->deadline);
}

void sim_core_start(struct sim *sim)
{
    struct memory memory;
    if (!sim_store_recall(sim, &memory)) {
        sim_in(sim, 1, SIM_START_CORE, 0, 0);
        return;
    }
    sim->session++;
    core_config_defaults(&sim->config);
    sim->config.task = "{}";
    sim->config.metrics = sim->profile.use_best ? metrics_best : metrics_min;
    sim->config.seed = sim->seed;
    sim->config.max_trials = sim->profile.trials;
    sim->config.time = sim->profile.time;
    sim->config.has_max_failures = sim->profile.has_max_failures;
    sim->config.max_failures = sim->profile.max_failures;
    sim->config.has_target = sim->profile.has_target;
    sim->config.target = sim->profile.target;
    sim->config.same_failures = sim->profile.same_failures;
    sim->alike = sim->alike_most = 0;
    sim->config.retries = sim->profile.retries;
    sim->config.requeues = sim->seed % 3 ? UINT32_MAX : 2;
    sim->config.ask_far_ahead = sim->seed % 2;
    sim->config.trial_time = 20 * sim->profile.run_seconds + 100;
    sim->config.grace = 5;
    sim->config.nodes = sim->profile.nodes;
    sim->config.memory = sim->profile.memory;
    sim->config.more_memory = (struct growth){.factor = sim->profile.memory ? 2 : 0};
    sim->config.most_guilty = 0; /* whole worlds of workers are killed: trials may well be found guilty in a row */
    if (sim->profile.crowd) {
        sim->config.heartbeat = 10;
        sim->config.suspect = 25;
    }
    sim_early_start(sim);
    sim->config.warn = ONE_OF(&sim->rng, 2, 20);
    sim_trace(sim, "core starts, session", sim->session, NULL);
    sim->core = core_create(&sim->config, &memory, sim->now);
    set_deadline(sim);
    sim->tells_heard = sim->tells_committed; /* the strategy is told the log again */
    memory_fini(&memory);
    for (uint32_t i = 0; i < sim->profile.workers; i++)
        sim_bind(sim, i); /* everybody connects anew */
    sim_in(sim, 0.5, SIM_TICK, 0, 0)->peer = sim->session;
    sim_outputs(sim);
}

void sim_core_die(struct sim *sim)
{
    sim_trace(sim, "core is killed, session", sim->session, NULL);
    core_destroy(sim->core);
    sim->core = NULL;
    sim->stopped_until = 0;
    sim_amend_lose(sim);
    sim_disk_lose(sim);
    sim_in(sim, sim_random(sim, sim_chance(sim, 0.5) ? 1 : 100), SIM_START_CORE, 0, 0);
}

static void kill_core(struct sim *sim)
{
    if (!sim->core)
        return;
    sim_store_crash(sim, sim_chance(sim, 0.5));
    sim_core_die(sim);
}

/* SIGSTOP and, later, SIGCONT; or its node stood still. */
static void stop_core(struct sim *sim)
{
    double seconds = sim_random(sim, sim_chance(sim, 0.5) ? 8 : 90);
    if (!sim_listening(sim))
        return;
    sim_trace(sim, "core is stopped, session", sim->session, NULL);
    sim->stopped_until = sim->now + seconds;
    sim_in(sim, seconds, SIM_GO_ON, 0, 0)->peer = sim->session;
}

/* At a write of one of the next commits. */
static void cut_power(struct sim *sim)
{
    uint32_t after = 1 + (uint32_t)rng_below(&sim->rng, 40);
    uint64_t seed = rng_next(&sim->rng);
    if (!sim->options.store)
        kill_core(sim);
    else if (sim->core)
        ram_disk_cut_power(after, seed);
}

/* How runs end whose worker was killed. */
static enum ending one_death(struct sim *sim)
{
    static const enum ending deaths[] = {ENDING_LOST, ENDING_PREEMPTED, ENDING_WALLTIME, ENDING_NODE_FAILED};
    return deaths[rng_below(&sim->rng, 4)];
}

void sim_worker_kill(struct sim *sim, uint32_t index, enum ending ending)
{
    struct sim_worker *worker = &sim->workers[index];
    if (!worker->alive)
        return;
    worker->alive = false;
    sim_trace(sim, "killed is worker", index, NULL);
    if (sim_listening(sim) && sim_chance(sim, 0.5))
        core_worker_dead(sim->core, sim->now, worker->id, ending, "killed");
    sim_in(sim, sim_random(sim, 5), SIM_START_WORKER, index, 0);
}

/* What takes a worker, or makes it seem lost; where trials do so nothing else does. */
static bool takes_worker(enum sim_trouble fault)
{
    return fault == SIM_DEATH || fault == SIM_CUT || fault == SIM_PAUSE || fault == SIM_STRANGER ||
           fault == SIM_ONE_WAY || fault == SIM_STOP;
}

/* What is on its way is lost in one direction or both; the worker speaks under another peer from now on. */
static void cut(struct sim *sim, uint32_t index)
{
    sim_trace(sim, "cut off is worker", index, NULL);
    uint64_t old = sim->workers[index].peer;
    sim_bind(sim, index);
    if (sim_listening(sim) && sim_chance(sim, 0.3))
        core_peer_gone(sim->core, sim->now, old);
}

static void pause_worker(struct sim *sim, uint32_t index)
{
    sim_trace(sim, "paused is worker", index, NULL);
    sim->workers[index].paused_until = sim->now + sim_random(sim, sim_chance(sim, 0.5) ? 8 : 90);
}

static void part_worker(struct sim *sim, uint32_t index)
{
    double until = sim->now + sim_random(sim, 30);
    bool deaf = sim_chance(sim, 0.5);
    sim_trace(sim, deaf ? "deaf is worker" : "mute is worker", index, NULL);
    *(deaf ? &sim->workers[index].deaf_until : &sim->workers[index].mute_until) = until;
}

static void command(struct sim *sim)
{
    if (sim_listening(sim) && sim_chance(sim, 0.3))
        core_drain(sim->core, sim->now, REASON_INTERRUPTED);
    if (sim_listening(sim) && sim_chance(sim, 0.3))
        core_stop(sim->core, sim->now, REASON_INTERRUPTED);
    if (sim_listening(sim) && sim_chance(sim, 0.2))
        core_leave(sim->core, sim->now, REASON_WALLTIME);
    if (sim_listening(sim) && sim_chance(sim, 0.1))
        core_leave(sim->core, sim->now, sim_chance(sim, 0.5) ? REASON_PREEMPTED : REASON_PAUSED);
}

static void cancel_trial(struct sim *sim)
{
    uint64_t trial = 1 + rng_below(&sim->rng, sim->profile.trials);
    sim->records[trial].cancelled = true;
    core_cancel_trial(sim->core, sim->now, trial, NULL);
}

static void happen(struct sim *sim, enum sim_trouble fault)
{
    uint32_t index = (uint32_t)rng_below(&sim->rng, sim->profile.workers);
    switch (fault) {
    case SIM_KILL:
        kill_core(sim);
        break;
    case SIM_DEATH:
        sim_worker_kill(sim, index, one_death(sim));
        break;
    case SIM_CUT:
        cut(sim, index);
        break;
    case SIM_PAUSE:
        pause_worker(sim, index);
        break;
    case SIM_STALL:
        sim->stalled_until = sim->now + sim_random(sim, 20);
        break;
    case SIM_COMMAND:
        command(sim);
        break;
    case SIM_STRANGER:
        for (int words = 1 + (int)rng_below(&sim->rng, 20); sim_listening(sim) && words--;)
            sim_stranger(sim);
        break;
    case SIM_CANCEL:
        if (sim_listening(sim) && sim_chance(sim, 0.3))
            cancel_trial(sim);
        break;
    case SIM_POWER:
        cut_power(sim);
        break;
    case SIM_ERROR:
        sim->failing_until = sim->now + sim_random(sim, 10);
        break;
    case SIM_ONE_WAY:
        part_worker(sim, index);
        break;
    case SIM_STOP:
        stop_core(sim);
        break;
    default: /* a checkpoint is lost: the trial begins anew */
        sim->checkpoint[1 + rng_below(&sim->rng, sim->profile.trials)] = 0;
    }
}

void sim_fault(struct sim *sim)
{
    static const enum sim_trouble deck[] = {SIM_KILL,  SIM_DEATH,   SIM_DEATH,    SIM_CUT,      SIM_PAUSE,
                                            SIM_STALL, SIM_COMMAND, SIM_STRANGER, SIM_STRANGER, SIM_CANCEL,
                                            SIM_POWER, SIM_ERROR,   SIM_ONE_WAY,  SIM_STOP,     SIM_CHECKPOINT};
    if (sim->now > sim->profile.calm || (sim->options.most_faults && sim->faults >= sim->options.most_faults))
        return;
    enum sim_trouble fault = deck[rng_below(&sim->rng, sizeof deck / sizeof *deck)];
    if (sim->profile.killing > 0 && takes_worker(fault))
        fault = SIM_STALL;
    if (!sim->options.without[fault]) {
        sim->faults++;
        happen(sim, fault);
    }
    sim_in(sim, sim_random(sim, sim->profile.mischief), SIM_FAULT, 0, 0);
}
