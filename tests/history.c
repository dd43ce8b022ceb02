/* Made-up histories; see history.h. */
#include "tests/history.h"
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

struct history {
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

struct history *history_create(uint64_t seed)
{
    struct history *history = MEM_NEW(struct history);
    history->rng = rng_make(seed, "history", 0);
    history->now = 1.7e9;
    return history;
}

void history_destroy(struct history *history)
{
    free(history);
}

static uint64_t below(struct history *history, uint64_t bound)
{
    return rng_below(&history->rng, bound);
}

static uint64_t number_of(int worker)
{
    return rng_mix((uint64_t)worker, 4711); /* like the real ones: any of 64 bits */
}

static struct event make(struct history *history, enum event_kind kind, uint64_t trial)
{
    history->now += rng_unit(&history->rng);
    return (struct event){.kind = kind, .number = ++history->events, .time = history->now, .trial = trial};
}

static const char *sentence(struct history *history, struct event *event, const char *word)
{
    char text[64];
    snprintf(text, sizeof text, "%s %u", word, (unsigned)below(history, 1000));
    return below(history, 2) ? arena_text(&event->memory, text) : "";
}

/* --- trials --- */

static struct event propose(struct history *history)
{
    uint64_t trial = ++history->trials;
    struct event event = make(history, EVENT_PROPOSED, trial);
    char params[200];
    snprintf(params, sizeof params, "{\"lr\": %.17g, \"width\": %u, \"name\": \"caf\xc3\xa9 %u\"}",
             rng_unit(&history->rng), (unsigned)below(history, 512), (unsigned)trial);
    event.params = arena_text(&event.memory, params);
    event.fingerprint = rng_next(&history->rng);
    history->told_before += below(history, history->tells - history->told_before + 1);
    event.told_before = history->told_before;
    event.from_start = trial <= 2;
    return event;
}

static struct event end_trial(struct history *history, uint64_t trial, enum ending ending)
{
    struct made_trial *made = &history->made[trial];
    struct event event = make(history, EVENT_TRIAL_ENDED, trial);
    enum trial_state state = ending_state(ending);
    made->ended = true;
    made->running = false;
    event.ending = ending;
    event.detail = sentence(history, &event, "trial detail");
    event.seconds = 10 * rng_unit(&history->rng);
    event.told = ++history->tells;
    event.has_value = state == TRIAL_COMPLETED || state == TRIAL_STOPPED;
    event.value = event.has_value ? rng_normal(&history->rng) : 0;
    return event;
}

static struct event retry(struct history *history, uint64_t trial, enum ending ending)
{
    struct event event = make(history, EVENT_RETRIED, trial);
    history->made[trial].running = false;
    event.ending = ending;
    event.detail = sentence(history, &event, "retry detail");
    return event;
}

/* --- runs --- */

static void add_samples(struct history *history, struct event *event, uint32_t count)
{
    static const char *const metrics[] = {"loss", "accuracy", "a metric with spaces"};
    static const double odd[] = {NAN, INFINITY, -INFINITY, 0};
    uint32_t *recorded = &history->made[event->trial].samples[event->attempt];
    event->first = *recorded;
    event->samples_count = count;
    event->samples = arena_zero(&event->memory, count, sizeof *event->samples);
    for (uint32_t i = 0; i < count; i++) {
        double value = below(history, 8) ? rng_normal(&history->rng) : odd[below(history, 4)];
        event->samples[i] = (struct msg_sample){.metric = metrics[below(history, 3)],
                                                .step = (int64_t)below(history, 20),
                                                .value = value,
                                                .time = rng_unit(&history->rng)};
    }
    *recorded += count;
}

static struct event lease(struct history *history, uint64_t trial, uint32_t attempt, int worker)
{
    struct made_trial *made = &history->made[trial];
    struct event event = make(history, EVENT_LEASED, trial);
    event.attempt = made->attempt = attempt;
    event.worker = number_of(worker);
    event.slot = (uint32_t)below(history, SLOTS);
    made->running = true;
    made->attempts = attempt > made->attempts ? attempt : made->attempts;
    made->fates[attempt] = FATE_RUNS;
    made->workers[attempt] = worker;
    return event;
}

static void measure(struct history *history, struct event *event)
{
    event->started = history->now - 5;
    event->seconds = 10 * rng_unit(&history->rng);
    event->cpu_seconds = 20 * rng_unit(&history->rng);
    event->peak_memory = below(history, 1u << 30);
    for (int phase = 0; phase < PHASES_COUNT; phase++)
        for (uint64_t times = below(history, 3); times; times--)
            phase_add(&event->phases[phase], rng_unit(&history->rng));
}

static struct event end_run(struct history *history, enum event_kind kind, uint64_t trial, uint32_t attempt,
                            enum ending ending)
{
    struct made_trial *made = &history->made[trial];
    struct event event = make(history, kind, trial);
    event.attempt = attempt;
    event.worker = number_of(made->workers[attempt]);
    event.ending = ending;
    event.detail = sentence(history, &event, "detail");
    event.tail = sentence(history, &event, "tail\n\xff\xfe of the log");
    if (ending != ENDING_LOST) {
        measure(history, &event);
        add_samples(history, &event, (uint32_t)below(history, 3));
    }
    made->fates[attempt] = ending == ENDING_LOST ? FATE_LOST : FATE_OVER;
    if (kind == EVENT_RUN_ENDED) {
        history->follow_trial = trial;
        history->follow_ending = ending;
    }
    return event;
}

static struct event follow(struct history *history)
{
    uint64_t trial = history->follow_trial;
    enum ending ending = history->follow_ending;
    history->follow_trial = 0;
    bool again = ending_retry(ending) != RETRY_NEVER && below(history, 4);
    if (again && history->made[trial].attempts + 1 < MOST_ATTEMPTS)
        return retry(history, trial, ending);
    return end_trial(history, trial, ending);
}

static struct event give_back(struct history *history, uint64_t trial)
{
    struct made_trial *made = &history->made[trial];
    struct event event = make(history, EVENT_RETURNED, trial);
    event.attempt = made->attempt;
    event.worker = number_of(made->workers[made->attempt]);
    made->running = false;
    made->fates[made->attempt] = FATE_NONE;
    return event;
}

/* --- workers and the experiment --- */

static struct event join(struct history *history, int worker)
{
    struct event event = make(history, EVENT_WORKER, 0);
    char node[16];
    snprintf(node, sizeof node, "n%02d", worker);
    history->here[worker] = true;
    event.worker = number_of(worker);
    event.hello = (struct msg_hello){.worker = event.worker,
                                     .node = arena_text(&event.memory, node),
                                     .pid = 1000 + (uint32_t)worker,
                                     .version = "0.1.0",
                                     .machine = "one socket",
                                     .cores = 4,
                                     .memory = 1u << 30};
    return event;
}

static struct event offer(struct history *history, int worker)
{
    struct event event = make(history, EVENT_SLOTS, 0);
    event.worker = number_of(worker);
    event.slots_count = SLOTS;
    event.slots = arena_zero(&event.memory, SLOTS, sizeof *event.slots);
    for (uint32_t i = 0; i < SLOTS; i++)
        event.slots[i] =
            (struct msg_slot){.index = i, .cpus = i ? "4,6-7" : "0-3", .numa = "0", .gpus = i == 1 ? "0" : ""};
    return event;
}

static struct event leave(struct history *history, int worker)
{
    struct event event = make(history, EVENT_WORKER_GONE, 0);
    history->here[worker] = false;
    event.worker = number_of(worker);
    event.detail = sentence(history, &event, "left");
    return event;
}

static struct event change_experiment(struct history *history)
{
    struct event event = make(history, EVENT_EXPERIMENT, 0);
    history->announced = true;
    event.state = (enum experiment_state)below(history, EXPERIMENT_ENDED + 1);
    event.reason =
        event.state == EXPERIMENT_RUNNING ? REASON_NONE : (enum reason)(1 + below(history, REASONS_COUNT - 1));
    event.held = history->now - 1.7e9;
    event.detail = sentence(history, &event, "word");
    return event;
}

/* --- what next --- */

/* A live trial that runs or that waits; 0: none. */
static uint64_t find(struct history *history, bool running)
{
    for (int tries = 0; tries < 30 && history->trials; tries++) {
        uint64_t trial = history->trials - below(history, history->trials < 30 ? history->trials : 30);
        if (!history->made[trial].ended && history->made[trial].running == running)
            return trial;
    }
    return 0;
}

static uint64_t count_live(const struct history *history)
{
    uint64_t live = 0;
    for (uint64_t trial = 1; trial <= history->trials; trial++)
        live += !history->made[trial].ended;
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
static enum ending any_ending(struct history *history)
{
    enum ending ending = below(history, 2) ? ENDING_COMPLETED : (enum ending)below(history, ENDINGS_COUNT);
    return ending == ENDING_LOST ? ENDING_CRASHED : ending;
}

static struct event with_running(struct history *history, uint64_t trial)
{
    struct made_trial *made = &history->made[trial];
    uint32_t lost = attempt_of(made, FATE_LOST), over = attempt_of(made, FATE_OVER);
    switch (below(history, 9)) {
    case 0:
        return give_back(history, trial);
    case 1:
        return end_run(history, EVENT_RUN_ENDED, trial, made->attempt, ENDING_LOST);
    case 2:
        if (lost)
            return end_run(history, EVENT_RUN_ENDED, trial, lost, ENDING_COMPLETED); /* it wins after all */
        break;
    case 3:
        if (lost)
            return end_run(history, EVENT_LATE, trial, lost, ENDING_CRASHED);
        break;
    case 4:
        if (over)
            return end_run(history, EVENT_LATE, trial, over, ENDING_EXITED); /* the same result once more */
        break;
    case 5:
    case 6: {
        struct event event = make(history, EVENT_SAMPLED, trial);
        event.attempt = made->attempt;
        add_samples(history, &event, 1 + (uint32_t)below(history, 4));
        return event;
    }
    default:
        break;
    }
    return end_run(history, EVENT_RUN_ENDED, trial, made->attempt, any_ending(history));
}

static struct event with_waiting(struct history *history, uint64_t trial)
{
    struct made_trial *made = &history->made[trial];
    uint32_t lost = attempt_of(made, FATE_LOST);
    if (!below(history, 30))
        return end_trial(history, trial, ENDING_CANCELLED);
    if (lost && !below(history, 3))
        return lease(history, trial, lost, made->workers[lost]); /* taken up again */
    if (made->attempts + 1 >= MOST_ATTEMPTS)
        return end_trial(history, trial, ENDING_LOST);
    return lease(history, trial, made->attempts + 1, (int)below(history, WORKERS));
}

struct event history_next(struct history *history)
{
    if (!history->announced)
        return change_experiment(history);
    if (history->follow_trial)
        return follow(history);
    int worker = (int)below(history, WORKERS);
    uint64_t roll = below(history, 20), running = find(history, true), waiting = find(history, false);
    if (roll == 0)
        return history->here[worker] && below(history, 2) ? leave(history, worker) : join(history, worker);
    if (roll == 1)
        return offer(history, worker);
    if (roll == 2 && !below(history, 4))
        return change_experiment(history);
    bool may_propose = history->trials < MOST_TRIALS && count_live(history) < MOST_LIVE;
    if (roll < 6 && may_propose)
        return propose(history);
    if (roll < 14 && running)
        return with_running(history, running);
    if (waiting)
        return with_waiting(history, waiting);
    if (may_propose)
        return propose(history);
    return running ? with_running(history, running) : change_experiment(history);
}
