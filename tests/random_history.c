/* Made-up histories; see random_history.h. */
#include "tests/random_history.h"
#include "common/endings.h"
#include "common/mem.h"
#include "common/rng.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_TRIALS = 400, MOST_LIVE = 12, MOST_ATTEMPTS = 40, WORKERS = 4, SLOTS = 3 };

/* What an attempt is to the history. */
enum fate { FATE_NONE, FATE_RUNS, FATE_LOST, FATE_OVER };

struct made_trial {
    bool ended, running;
    uint32_t attempt, attempts; /* the running one; the highest */
    enum fate fates[MOST_ATTEMPTS];
    int workers[MOST_ATTEMPTS];
    uint32_t samples[MOST_ATTEMPTS];
};

struct random_history {
    struct rng rng;
    double now;
    uint64_t events, trials, tells, told_before;
    struct made_trial made[MOST_TRIALS + 1]; /* by number */
    bool here[WORKERS];
    bool announced; /* the experiment's first event was made */
    /* A run just ended: what has to follow at once. */
    uint64_t follow_trial;
    enum ending follow_ending;
    uint64_t clear_trial; /* a trial was just tried again, and its losses are taken off at once; 0: none */
};

struct random_history *random_history_create(uint64_t seed)
{
    struct random_history *random_history = MEM_NEW(struct random_history);
    random_history->rng = rng_make(seed, "history", 0);
    random_history->now = 1.7e9;
    return random_history;
}

void random_history_destroy(struct random_history *random_history)
{
    free(random_history);
}

static uint64_t below(struct random_history *random_history, uint64_t bound)
{
    return rng_below(&random_history->rng, bound);
}

static uint64_t number_of(int worker)
{
    return rng_mix((uint64_t)worker, 4711); /* like the real ones: any of 64 bits */
}

static struct event make(struct random_history *random_history, enum event_kind kind, uint64_t trial)
{
    random_history->now += rng_unit(&random_history->rng);
    return (struct event){
        .kind = kind, .number = ++random_history->events, .time = random_history->now, .trial = trial};
}

static const char *sentence(struct random_history *random_history, struct event *event, const char *word)
{
    char text[64];
    snprintf(text, sizeof text, "%s %u", word, (unsigned)below(random_history, 1000));
    return below(random_history, 2) ? arena_text(&event->memory, text) : "";
}

/* --- trials --- */

static struct event propose(struct random_history *random_history)
{
    uint64_t trial = ++random_history->trials;
    struct event event = make(random_history, EVENT_PROPOSED, trial);
    char params[200];
    snprintf(params, sizeof params, "{\"lr\": %.17g, \"width\": %u, \"name\": \"caf\xc3\xa9 %u\"}",
             rng_unit(&random_history->rng), (unsigned)below(random_history, 512), (unsigned)trial);
    event.proposed.params = arena_text(&event.memory, params);
    event.proposed.fingerprint = rng_next(&random_history->rng);
    random_history->told_before += below(random_history, random_history->tells - random_history->told_before + 1);
    event.proposed.told_before = random_history->told_before;
    event.proposed.from_start = trial <= 2;
    return event;
}

static struct event end_trial(struct random_history *random_history, uint64_t trial, enum ending ending)
{
    struct made_trial *made = &random_history->made[trial];
    struct event event = make(random_history, EVENT_TRIAL_ENDED, trial);
    enum trial_state state = ending_state(ending);
    made->ended = true;
    made->running = false;
    struct event_end *end = &event.end;
    end->ending = ending;
    end->detail = sentence(random_history, &event, "trial detail");
    end->seconds = 10 * rng_unit(&random_history->rng);
    end->energy = event.number % 3 ? 1e3 * end->seconds : 0;
    end->told = ++random_history->tells;
    end->has_value = state == TRIAL_COMPLETED || state == TRIAL_STOPPED;
    end->value = end->has_value ? rng_normal(&random_history->rng) : 0;
    end->infeasible = end->has_value && below(random_history, 5) == 0;
    return event;
}

static struct event retry(struct random_history *random_history, uint64_t trial, enum ending ending)
{
    struct event event = make(random_history, EVENT_RETRIED, trial);
    random_history->made[trial].running = false;
    event.retried.ending = ending;
    event.retried.detail = sentence(random_history, &event, "retry detail");
    event.retried.losses = (uint32_t)(event.number % 4);
    event.retried.alone = event.retried.losses > 1;
    if (event.number % 5 == 0)
        event.retried.memory = (event.number % 7 + 1) << 30;
    if (event.number % 3 == 0)
        event.retried.time = (double)event.number / 8;
    random_history->clear_trial = event.retried.losses == 3 ? trial : 0;
    return event;
}

/* At the same time as the event before. */
static struct event clear(struct random_history *random_history)
{
    struct event event = {.kind = EVENT_CLEARED,
                          .number = ++random_history->events,
                          .time = random_history->now,
                          .trial = random_history->clear_trial,
                          .cleared = {.losses = 1}};
    random_history->clear_trial = 0;
    return event;
}

/* --- runs --- */

static void add_samples(struct random_history *random_history, struct event *event, struct event_sampled *sampled,
                        uint32_t count)
{
    static const char *const metrics[] = {"loss", "accuracy", "a metric with spaces"};
    static const double odd[] = {NAN, INFINITY, -INFINITY, 0};
    uint32_t *recorded = &random_history->made[event->trial].samples[event->attempt];
    struct msg_sample *samples = arena_zero(&event->memory, count, sizeof *samples);
    sampled->first = *recorded;
    sampled->samples_count = count;
    sampled->samples = samples;
    for (uint32_t i = 0; i < count; i++) {
        double value = below(random_history, 8) ? rng_normal(&random_history->rng) : odd[below(random_history, 4)];
        samples[i] = (struct msg_sample){.metric = metrics[below(random_history, 3)],
                                         .step = (int64_t)below(random_history, 20),
                                         .value = value,
                                         .time = rng_unit(&random_history->rng)};
    }
    *recorded += count;
    sampled->further = below(random_history, 6) == 0;
}

/* The step that an attempt goes on from; mostly none. */
static uint64_t resumed(struct random_history *random_history)
{
    return below(random_history, 3) ? 0 : 1 + below(random_history, 20);
}

static struct event lease(struct random_history *random_history, uint64_t trial, uint32_t attempt, int worker)
{
    struct made_trial *made = &random_history->made[trial];
    struct event event = make(random_history, EVENT_LEASED, trial);
    event.attempt = made->attempt = attempt;
    event.worker = number_of(worker);
    event.lease.slot = (uint32_t)below(random_history, SLOTS);
    event.lease.resumed = resumed(random_history);
    event.lease.memory = attempt > 1 ? (uint64_t)attempt << 30 : 0;
    event.lease.time = attempt > 2 ? attempt : 0;
    made->running = true;
    made->attempts = attempt > made->attempts ? attempt : made->attempts;
    made->fates[attempt] = FATE_RUNS;
    made->workers[attempt] = worker;
    return event;
}

static void measure(struct random_history *random_history, struct event *event)
{
    struct phase_time *profile = arena_zero(&event->memory, PHASES_COUNT, sizeof *profile);
    event->run.started = random_history->now - 5;
    event->run.seconds = 10 * rng_unit(&random_history->rng);
    event->run.cpu_seconds = 20 * rng_unit(&random_history->rng);
    event->run.peak_memory = below(random_history, 1u << 30);
    event->run.profile = profile;
    struct run_counters *counters = arena_zero(&event->memory, 1, sizeof *counters);
    run_counters_clear(counters);
    uint64_t drawn = below(random_history, 1u << 30); /* once, however many counters there are */
    for (unsigned i = 0; i < RUN_COUNTERS_COUNT; i++)
        if (rng_mix(drawn, i) & 1)
            counters->values[i] = (double)(rng_mix(drawn, i) >> 34) / run_counter_scale(i);
    event->run.counters = below(random_history, 4) ? counters : NULL;
    for (int phase = 0; phase < PHASES_COUNT; phase++)
        for (uint64_t times = below(random_history, 3); times; times--)
            phase_add(&profile[phase], rng_unit(&random_history->rng));
}

/* Endings that are the work of a job, not of the trial; the last ones. */
static bool is_by_job(enum ending ending)
{
    return ending > ENDING_PAUSED;
}

static struct event end_run(struct random_history *random_history, enum event_kind kind, uint64_t trial,
                            uint32_t attempt, enum ending ending)
{
    struct made_trial *made = &random_history->made[trial];
    struct event event = make(random_history, kind, trial);
    event.attempt = attempt;
    event.worker = number_of(made->workers[attempt]);
    event.run.ending = ending;
    event.run.detail = sentence(random_history, &event, "detail");
    event.run.tail = sentence(random_history, &event, "tail\n\xff\xfe of the log");
    event.run.given_up = ending == ENDING_LOST || (is_by_job(ending) && below(random_history, 2));
    event.run.sampled.resumed = resumed(random_history);
    if (!event.run.given_up) {
        measure(random_history, &event);
        add_samples(random_history, &event, &event.run.sampled, (uint32_t)below(random_history, 3));
    }
    made->fates[attempt] = event.run.given_up ? FATE_LOST : FATE_OVER;
    if (kind == EVENT_RUN_ENDED) {
        random_history->follow_trial = trial;
        random_history->follow_ending = ending;
    }
    return event;
}

static struct event follow(struct random_history *random_history)
{
    uint64_t trial = random_history->follow_trial;
    enum ending ending = random_history->follow_ending;
    random_history->follow_trial = 0;
    bool later = ending_retry(ending) == RETRY_LATER || (ending == ENDING_CANCELLED && below(random_history, 2));
    bool again = ending_retry(ending) != RETRY_NEVER && below(random_history, 4);
    if (later || (again && random_history->made[trial].attempts + 1 < MOST_ATTEMPTS))
        return retry(random_history, trial, ending);
    return end_trial(random_history, trial, ending);
}

static struct event give_back(struct random_history *random_history, uint64_t trial)
{
    struct made_trial *made = &random_history->made[trial];
    struct event event = make(random_history, EVENT_RETURNED, trial);
    event.attempt = made->attempt;
    event.worker = number_of(made->workers[made->attempt]);
    made->running = false;
    made->fates[made->attempt] = FATE_NONE;
    return event;
}

/* --- workers, jobs and the experiment --- */

/* A job that the worker may run in: an element of an array, or a job of its own; the last worker has none. */
static struct node_job any_job(struct random_history *random_history, int worker)
{
    uint32_t job = 100 + 10 * (uint32_t)below(random_history, 2);
    if (worker == WORKERS - 1)
        return (struct node_job){0, NODE_NO_ELEMENT};
    return worker < 2 ? (struct node_job){job, (uint32_t)worker} : (struct node_job){job + 1, NODE_NO_ELEMENT};
}

static struct event join(struct random_history *random_history, int worker)
{
    struct event event = make(random_history, EVENT_WORKER, 0);
    char node[16];
    snprintf(node, sizeof node, "n%02d", worker);
    struct node_job job = any_job(random_history, worker);
    random_history->here[worker] = true;
    event.worker = number_of(worker);
    event.hello = (struct msg_hello){.worker = event.worker,
                                     .node = arena_text(&event.memory, node),
                                     .pid = 1000 + (uint32_t)worker,
                                     .version = "0.1.0",
                                     .machine = "one socket",
                                     .uncounted = "{\"migrations\":\"this kernel does not say\",\"made_up\":\"\"}",
                                     .cores = 4,
                                     .memory = 1u << 30,
                                     .job = job.job,
                                     .element = job.element};
    return event;
}

static double any_time(struct random_history *random_history)
{
    return below(random_history, 2) ? random_history->now : 0;
}

static struct event look_at_job(struct random_history *random_history)
{
    static const char *const roles[] = {NULL, "worker", "experiment"};
    static const char *const states[] = {NULL,        "pending",   "running",     "completed", "failed",
                                         "cancelled", "preempted", "node_failed", "timeout",   "vanished"};
    static const char *const reasons[] = {NULL, "", "Priority"};
    static const char *const nodes[] = {NULL, "n[1-4]"};
    static const char *const exits[] = {NULL, "0", "signal 9"};
    struct node_job job = any_job(random_history, (int)below(random_history, WORKERS - 1));
    struct event event = make(random_history, EVENT_JOB, 0);
    event.job = (struct job_facts){.job = job.job,
                                   .element = job.element,
                                   .restarts = (uint32_t)below(random_history, 3),
                                   .role = roles[below(random_history, 3)],
                                   .submitted = any_time(random_history),
                                   .started = any_time(random_history),
                                   .ended = any_time(random_history),
                                   .state = states[below(random_history, sizeof states / sizeof *states)],
                                   .reason = reasons[below(random_history, 3)],
                                   .nodes = nodes[below(random_history, 2)],
                                   .exit = exits[below(random_history, 3)]};
    return event;
}

static struct event offer(struct random_history *random_history, int worker)
{
    struct event event = make(random_history, EVENT_SLOTS, 0);
    event.worker = number_of(worker);
    struct msg_slot *slots = arena_zero(&event.memory, SLOTS, sizeof *slots);
    event.offered = (struct event_slots){.slots = slots, .slots_count = SLOTS};
    for (uint32_t i = 0; i < SLOTS; i++)
        slots[i] = (struct msg_slot){.index = i, .cpus = i ? "4,6-7" : "0-3", .numa = "0", .gpus = i == 1 ? "0" : ""};
    return event;
}

static struct event leave(struct random_history *random_history, int worker)
{
    struct event event = make(random_history, EVENT_WORKER_GONE, 0);
    random_history->here[worker] = false;
    event.worker = number_of(worker);
    event.gone.detail = sentence(random_history, &event, "left");
    return event;
}

static struct event change_experiment(struct random_history *random_history)
{
    struct event event = make(random_history, EVENT_EXPERIMENT, 0);
    random_history->announced = true;
    struct event_experiment *now = &event.experiment;
    now->state = (enum experiment_state)below(random_history, EXPERIMENT_ENDED + 1);
    now->reason =
        now->state == EXPERIMENT_RUNNING ? REASON_NONE : (enum reason)(1 + below(random_history, REASONS_COUNT - 1));
    now->held = random_history->now - 1.7e9;
    now->detail = sentence(random_history, &event, "word");
    return event;
}

/* --- what next --- */

/* A live trial that runs or that waits; 0: none. */
static uint64_t find(struct random_history *random_history, bool running)
{
    for (int tries = 0; tries < 30 && random_history->trials; tries++) {
        uint64_t trial =
            random_history->trials - below(random_history, random_history->trials < 30 ? random_history->trials : 30);
        if (!random_history->made[trial].ended && random_history->made[trial].running == running)
            return trial;
    }
    return 0;
}

static uint64_t count_live(const struct random_history *random_history)
{
    uint64_t live = 0;
    for (uint64_t trial = 1; trial <= random_history->trials; trial++)
        live += !random_history->made[trial].ended;
    return live;
}

/* The first attempt of this fate; 0: none. */
static uint32_t attempt_of(const struct made_trial *made, enum fate fate)
{
    for (uint32_t attempt = 1; attempt <= made->attempts; attempt++)
        if (made->fates[attempt] == fate)
            return attempt;
    return 0;
}

/* An ending that a worker could report. */
static enum ending any_ending(struct random_history *random_history)
{
    enum ending ending =
        below(random_history, 2) ? ENDING_COMPLETED : (enum ending)below(random_history, ENDINGS_COUNT);
    return ending == ENDING_LOST || ending == ENDING_PAUSED ? ENDING_CRASHED : ending;
}

static struct event with_running(struct random_history *random_history, uint64_t trial)
{
    struct made_trial *made = &random_history->made[trial];
    uint32_t lost = attempt_of(made, FATE_LOST), over = attempt_of(made, FATE_OVER);
    switch (below(random_history, 9)) {
    case 0:
        return give_back(random_history, trial);
    case 1:
        return end_run(random_history, EVENT_RUN_ENDED, trial, made->attempt, ENDING_LOST);
    case 2:
        if (lost)
            return end_run(random_history, EVENT_RUN_ENDED, trial, lost, ENDING_COMPLETED); /* it wins after all */
        break;
    case 3:
        if (lost)
            return end_run(random_history, EVENT_LATE, trial, lost, ENDING_CRASHED);
        break;
    case 4:
        if (over)
            return end_run(random_history, EVENT_LATE, trial, over, ENDING_EXITED); /* the same result once more */
        break;
    case 5:
    case 6: {
        struct event event = make(random_history, EVENT_SAMPLED, trial);
        event.attempt = made->attempt;
        event.sampled.resumed = resumed(random_history);
        add_samples(random_history, &event, &event.sampled, 1 + (uint32_t)below(random_history, 4));
        return event;
    }
    default:
        break;
    }
    return end_run(random_history, EVENT_RUN_ENDED, trial, made->attempt, any_ending(random_history));
}

static struct event with_waiting(struct random_history *random_history, uint64_t trial)
{
    struct made_trial *made = &random_history->made[trial];
    uint32_t lost = attempt_of(made, FATE_LOST);
    if (!below(random_history, 30))
        return end_trial(random_history, trial, ENDING_CANCELLED);
    if (lost && !below(random_history, 3))
        return lease(random_history, trial, lost, made->workers[lost]); /* taken up again */
    if (made->attempts + 1 >= MOST_ATTEMPTS)
        return end_trial(random_history, trial, ENDING_LOST);
    return lease(random_history, trial, made->attempts + 1, (int)below(random_history, WORKERS));
}

struct event random_history_next(struct random_history *random_history)
{
    if (!random_history->announced)
        return change_experiment(random_history);
    if (random_history->follow_trial)
        return follow(random_history);
    if (random_history->clear_trial)
        return clear(random_history);
    int worker = (int)below(random_history, WORKERS);
    uint64_t roll = below(random_history, 20), running = find(random_history, true),
             waiting = find(random_history, false);
    if (roll == 0)
        return random_history->here[worker] && below(random_history, 2) ? leave(random_history, worker)
                                                                        : join(random_history, worker);
    if (roll == 1)
        return offer(random_history, worker);
    if (roll == 2)
        return below(random_history, 4) ? look_at_job(random_history) : change_experiment(random_history);
    bool may_propose = random_history->trials < MOST_TRIALS && count_live(random_history) < MOST_LIVE;
    if (roll < 6 && may_propose)
        return propose(random_history);
    if (roll < 14 && running)
        return with_running(random_history, running);
    if (waiting)
        return with_waiting(random_history, waiting);
    if (may_propose)
        return propose(random_history);
    return running ? with_running(random_history, running) : change_experiment(random_history);
}
