/* Made-up histories; see chronicle.h. */
#include "tests/chronicle.h"
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

struct chronicle {
    struct rng rng;
    double now;
    uint64_t events, trials, tells, told_before;
    struct made_trial made[MOST_TRIALS + 1]; /* by number */
    bool here[WORKERS];
    bool announced; /* the experiment's first event was made */
    /* A run just ended: what has to follow at once. */
    uint64_t follow_trial;
    enum ending follow_ending;
};

struct chronicle *chronicle_create(uint64_t seed)
{
    struct chronicle *chronicle = MEM_NEW(struct chronicle);
    chronicle->rng = rng_make(seed, "history", 0);
    chronicle->now = 1.7e9;
    return chronicle;
}

void chronicle_destroy(struct chronicle *chronicle)
{
    free(chronicle);
}

static uint64_t below(struct chronicle *chronicle, uint64_t bound)
{
    return rng_below(&chronicle->rng, bound);
}

static uint64_t number_of(int worker)
{
    return rng_mix((uint64_t)worker, 4711); /* like the real ones: any of 64 bits */
}

static struct event make(struct chronicle *chronicle, enum event_kind kind, uint64_t trial)
{
    chronicle->now += rng_unit(&chronicle->rng);
    return (struct event){.kind = kind, .number = ++chronicle->events, .time = chronicle->now, .trial = trial};
}

static const char *sentence(struct chronicle *chronicle, struct event *event, const char *word)
{
    char text[64];
    snprintf(text, sizeof text, "%s %u", word, (unsigned)below(chronicle, 1000));
    return below(chronicle, 2) ? arena_text(&event->memory, text) : "";
}

/* --- trials --- */

static struct event propose(struct chronicle *chronicle)
{
    uint64_t trial = ++chronicle->trials;
    struct event event = make(chronicle, EVENT_PROPOSED, trial);
    char params[200];
    snprintf(params, sizeof params, "{\"lr\": %.17g, \"width\": %u, \"name\": \"caf\xc3\xa9 %u\"}",
             rng_unit(&chronicle->rng), (unsigned)below(chronicle, 512), (unsigned)trial);
    event.params = arena_text(&event.memory, params);
    event.fingerprint = rng_next(&chronicle->rng);
    chronicle->told_before += below(chronicle, chronicle->tells - chronicle->told_before + 1);
    event.told_before = chronicle->told_before;
    event.from_start = trial <= 2;
    return event;
}

static struct event end_trial(struct chronicle *chronicle, uint64_t trial, enum ending ending)
{
    struct made_trial *made = &chronicle->made[trial];
    struct event event = make(chronicle, EVENT_TRIAL_ENDED, trial);
    enum trial_state state = ending_state(ending);
    made->ended = true;
    made->running = false;
    event.ending = ending;
    event.detail = sentence(chronicle, &event, "trial detail");
    event.seconds = 10 * rng_unit(&chronicle->rng);
    event.told = ++chronicle->tells;
    event.has_value = state == TRIAL_COMPLETED || state == TRIAL_STOPPED;
    event.value = event.has_value ? rng_normal(&chronicle->rng) : 0;
    event.infeasible = event.has_value && below(chronicle, 5) == 0;
    return event;
}

static struct event retry(struct chronicle *chronicle, uint64_t trial, enum ending ending)
{
    struct event event = make(chronicle, EVENT_RETRIED, trial);
    chronicle->made[trial].running = false;
    event.ending = ending;
    event.detail = sentence(chronicle, &event, "retry detail");
    return event;
}

/* --- runs --- */

static void add_samples(struct chronicle *chronicle, struct event *event, uint32_t count)
{
    static const char *const metrics[] = {"loss", "accuracy", "a metric with spaces"};
    static const double odd[] = {NAN, INFINITY, -INFINITY, 0};
    uint32_t *recorded = &chronicle->made[event->trial].samples[event->attempt];
    event->first = *recorded;
    event->samples_count = count;
    event->samples = arena_zero(&event->memory, count, sizeof *event->samples);
    for (uint32_t i = 0; i < count; i++) {
        double value = below(chronicle, 8) ? rng_normal(&chronicle->rng) : odd[below(chronicle, 4)];
        event->samples[i] = (struct msg_sample){.metric = metrics[below(chronicle, 3)],
                                                .step = (int64_t)below(chronicle, 20),
                                                .value = value,
                                                .time = rng_unit(&chronicle->rng)};
    }
    *recorded += count;
    event->further = below(chronicle, 6) == 0;
}

/* The step that an attempt goes on from; mostly none. */
static uint64_t resumed(struct chronicle *chronicle)
{
    return below(chronicle, 3) ? 0 : 1 + below(chronicle, 20);
}

static struct event lease(struct chronicle *chronicle, uint64_t trial, uint32_t attempt, int worker)
{
    struct made_trial *made = &chronicle->made[trial];
    struct event event = make(chronicle, EVENT_LEASED, trial);
    event.attempt = made->attempt = attempt;
    event.worker = number_of(worker);
    event.slot = (uint32_t)below(chronicle, SLOTS);
    event.resumed = resumed(chronicle);
    made->running = true;
    made->attempts = attempt > made->attempts ? attempt : made->attempts;
    made->fates[attempt] = FATE_RUNS;
    made->workers[attempt] = worker;
    return event;
}

static void measure(struct chronicle *chronicle, struct event *event)
{
    event->started = chronicle->now - 5;
    event->seconds = 10 * rng_unit(&chronicle->rng);
    event->cpu_seconds = 20 * rng_unit(&chronicle->rng);
    event->peak_memory = below(chronicle, 1u << 30);
    for (int phase = 0; phase < PHASES_COUNT; phase++)
        for (uint64_t times = below(chronicle, 3); times; times--)
            phase_add(&event->phases[phase], rng_unit(&chronicle->rng));
}

/* Endings that are the work of a job, not of the trial; the last ones. */
static bool is_by_job(enum ending ending)
{
    return ending > ENDING_PAUSED;
}

static struct event end_run(struct chronicle *chronicle, enum event_kind kind, uint64_t trial, uint32_t attempt,
                            enum ending ending)
{
    struct made_trial *made = &chronicle->made[trial];
    struct event event = make(chronicle, kind, trial);
    event.attempt = attempt;
    event.worker = number_of(made->workers[attempt]);
    event.ending = ending;
    event.detail = sentence(chronicle, &event, "detail");
    event.tail = sentence(chronicle, &event, "tail\n\xff\xfe of the log");
    event.given_up = ending == ENDING_LOST || (is_by_job(ending) && below(chronicle, 2));
    event.resumed = resumed(chronicle);
    if (!event.given_up) {
        measure(chronicle, &event);
        add_samples(chronicle, &event, (uint32_t)below(chronicle, 3));
    }
    made->fates[attempt] = event.given_up ? FATE_LOST : FATE_OVER;
    if (kind == EVENT_RUN_ENDED) {
        chronicle->follow_trial = trial;
        chronicle->follow_ending = ending;
    }
    return event;
}

static struct event follow(struct chronicle *chronicle)
{
    uint64_t trial = chronicle->follow_trial;
    enum ending ending = chronicle->follow_ending;
    chronicle->follow_trial = 0;
    bool later = ending_retry(ending) == RETRY_LATER || (ending == ENDING_CANCELLED && below(chronicle, 2));
    bool again = ending_retry(ending) != RETRY_NEVER && below(chronicle, 4);
    if (later || (again && chronicle->made[trial].attempts + 1 < MOST_ATTEMPTS))
        return retry(chronicle, trial, ending);
    return end_trial(chronicle, trial, ending);
}

static struct event give_back(struct chronicle *chronicle, uint64_t trial)
{
    struct made_trial *made = &chronicle->made[trial];
    struct event event = make(chronicle, EVENT_RETURNED, trial);
    event.attempt = made->attempt;
    event.worker = number_of(made->workers[made->attempt]);
    made->running = false;
    made->fates[made->attempt] = FATE_NONE;
    return event;
}

/* --- workers, jobs and the experiment --- */

/* A job that the worker may run in: an element of an array, or a job of its own; the last worker has none. */
static struct node_job any_job(struct chronicle *chronicle, int worker)
{
    uint32_t job = 100 + 10 * (uint32_t)below(chronicle, 2);
    if (worker == WORKERS - 1)
        return (struct node_job){0, NODE_NO_ELEMENT};
    return worker < 2 ? (struct node_job){job, (uint32_t)worker} : (struct node_job){job + 1, NODE_NO_ELEMENT};
}

static struct event join(struct chronicle *chronicle, int worker)
{
    struct event event = make(chronicle, EVENT_WORKER, 0);
    char node[16];
    snprintf(node, sizeof node, "n%02d", worker);
    struct node_job job = any_job(chronicle, worker);
    chronicle->here[worker] = true;
    event.worker = number_of(worker);
    event.hello = (struct msg_hello){.worker = event.worker,
                                     .node = arena_text(&event.memory, node),
                                     .pid = 1000 + (uint32_t)worker,
                                     .version = "0.1.0",
                                     .machine = "one socket",
                                     .cores = 4,
                                     .memory = 1u << 30,
                                     .job = job.job,
                                     .element = job.element};
    return event;
}

static double any_time(struct chronicle *chronicle)
{
    return below(chronicle, 2) ? chronicle->now : 0;
}

static struct event look_at_job(struct chronicle *chronicle)
{
    static const char *const roles[] = {NULL, "worker", "experiment"};
    static const char *const states[] = {NULL,        "pending",   "running",     "completed", "failed",
                                         "cancelled", "preempted", "node_failed", "timeout",   "vanished"};
    static const char *const reasons[] = {NULL, "", "Priority"};
    static const char *const nodes[] = {NULL, "n[1-4]"};
    static const char *const exits[] = {NULL, "0", "signal 9"};
    struct node_job job = any_job(chronicle, (int)below(chronicle, WORKERS - 1));
    struct event event = make(chronicle, EVENT_JOB, 0);
    event.job = (struct job_facts){.job = job.job,
                                   .element = job.element,
                                   .restarts = (uint32_t)below(chronicle, 3),
                                   .role = roles[below(chronicle, 3)],
                                   .submitted = any_time(chronicle),
                                   .started = any_time(chronicle),
                                   .ended = any_time(chronicle),
                                   .state = states[below(chronicle, sizeof states / sizeof *states)],
                                   .reason = reasons[below(chronicle, 3)],
                                   .nodes = nodes[below(chronicle, 2)],
                                   .exit = exits[below(chronicle, 3)]};
    return event;
}

static struct event offer(struct chronicle *chronicle, int worker)
{
    struct event event = make(chronicle, EVENT_SLOTS, 0);
    event.worker = number_of(worker);
    event.slots_count = SLOTS;
    event.slots = arena_zero(&event.memory, SLOTS, sizeof *event.slots);
    for (uint32_t i = 0; i < SLOTS; i++)
        event.slots[i] =
            (struct msg_slot){.index = i, .cpus = i ? "4,6-7" : "0-3", .numa = "0", .gpus = i == 1 ? "0" : ""};
    return event;
}

static struct event leave(struct chronicle *chronicle, int worker)
{
    struct event event = make(chronicle, EVENT_WORKER_GONE, 0);
    chronicle->here[worker] = false;
    event.worker = number_of(worker);
    event.detail = sentence(chronicle, &event, "left");
    return event;
}

static struct event change_experiment(struct chronicle *chronicle)
{
    struct event event = make(chronicle, EVENT_EXPERIMENT, 0);
    chronicle->announced = true;
    event.state = (enum experiment_state)below(chronicle, EXPERIMENT_ENDED + 1);
    event.reason =
        event.state == EXPERIMENT_RUNNING ? REASON_NONE : (enum reason)(1 + below(chronicle, REASONS_COUNT - 1));
    event.held = chronicle->now - 1.7e9;
    event.detail = sentence(chronicle, &event, "word");
    return event;
}

/* --- what next --- */

/* A live trial that runs or that waits; 0: none. */
static uint64_t find(struct chronicle *chronicle, bool running)
{
    for (int tries = 0; tries < 30 && chronicle->trials; tries++) {
        uint64_t trial = chronicle->trials - below(chronicle, chronicle->trials < 30 ? chronicle->trials : 30);
        if (!chronicle->made[trial].ended && chronicle->made[trial].running == running)
            return trial;
    }
    return 0;
}

static uint64_t count_live(const struct chronicle *chronicle)
{
    uint64_t live = 0;
    for (uint64_t trial = 1; trial <= chronicle->trials; trial++)
        live += !chronicle->made[trial].ended;
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
static enum ending any_ending(struct chronicle *chronicle)
{
    enum ending ending = below(chronicle, 2) ? ENDING_COMPLETED : (enum ending)below(chronicle, ENDINGS_COUNT);
    return ending == ENDING_LOST || ending == ENDING_PAUSED ? ENDING_CRASHED : ending;
}

static struct event with_running(struct chronicle *chronicle, uint64_t trial)
{
    struct made_trial *made = &chronicle->made[trial];
    uint32_t lost = attempt_of(made, FATE_LOST), over = attempt_of(made, FATE_OVER);
    switch (below(chronicle, 9)) {
    case 0:
        return give_back(chronicle, trial);
    case 1:
        return end_run(chronicle, EVENT_RUN_ENDED, trial, made->attempt, ENDING_LOST);
    case 2:
        if (lost)
            return end_run(chronicle, EVENT_RUN_ENDED, trial, lost, ENDING_COMPLETED); /* it wins after all */
        break;
    case 3:
        if (lost)
            return end_run(chronicle, EVENT_LATE, trial, lost, ENDING_CRASHED);
        break;
    case 4:
        if (over)
            return end_run(chronicle, EVENT_LATE, trial, over, ENDING_EXITED); /* the same result once more */
        break;
    case 5:
    case 6: {
        struct event event = make(chronicle, EVENT_SAMPLED, trial);
        event.attempt = made->attempt;
        event.resumed = resumed(chronicle);
        add_samples(chronicle, &event, 1 + (uint32_t)below(chronicle, 4));
        return event;
    }
    default:
        break;
    }
    return end_run(chronicle, EVENT_RUN_ENDED, trial, made->attempt, any_ending(chronicle));
}

static struct event with_waiting(struct chronicle *chronicle, uint64_t trial)
{
    struct made_trial *made = &chronicle->made[trial];
    uint32_t lost = attempt_of(made, FATE_LOST);
    if (!below(chronicle, 30))
        return end_trial(chronicle, trial, ENDING_CANCELLED);
    if (lost && !below(chronicle, 3))
        return lease(chronicle, trial, lost, made->workers[lost]); /* taken up again */
    if (made->attempts + 1 >= MOST_ATTEMPTS)
        return end_trial(chronicle, trial, ENDING_LOST);
    return lease(chronicle, trial, made->attempts + 1, (int)below(chronicle, WORKERS));
}

struct event chronicle_next(struct chronicle *chronicle)
{
    if (!chronicle->announced)
        return change_experiment(chronicle);
    if (chronicle->follow_trial)
        return follow(chronicle);
    int worker = (int)below(chronicle, WORKERS);
    uint64_t roll = below(chronicle, 20), running = find(chronicle, true), waiting = find(chronicle, false);
    if (roll == 0)
        return chronicle->here[worker] && below(chronicle, 2) ? leave(chronicle, worker) : join(chronicle, worker);
    if (roll == 1)
        return offer(chronicle, worker);
    if (roll == 2)
        return below(chronicle, 4) ? look_at_job(chronicle) : change_experiment(chronicle);
    bool may_propose = chronicle->trials < MOST_TRIALS && count_live(chronicle) < MOST_LIVE;
    if (roll < 6 && may_propose)
        return propose(chronicle);
    if (roll < 14 && running)
        return with_running(chronicle, running);
    if (waiting)
        return with_waiting(chronicle, waiting);
    if (may_propose)
        return propose(chronicle);
    return running ? with_running(chronicle, running) : change_experiment(chronicle);
}
