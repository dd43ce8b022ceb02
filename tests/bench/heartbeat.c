/* What a HEARTBEAT costs the coordinator's core when nothing can be started: all workers are idle, their jobs are near
 * their end, and a long queue waits of which no trial would end in time. One further worker without a job runs a trial.
 *
 *     heartbeat [WAITING] [WORKERS...]     default: 4096 trials that wait; 100, 1000 and 10000 workers
 *
 * A line for each number of workers: microseconds of processor time a HEARTBEAT, and, where the core counts its work,
 * visits and predictions.
 *
 * Then what it costs when much happens at once: all workers are granted a trial, all are sent it, all fall silent. A
 * line for each: how many turns that takes and outputs it has, and of one turn the most outputs and the most
 * milliseconds. */
#include "common/clock.h"
#include "scheduler/core/core.h"
#include "scheduler/core/snapshot.h"
#if __has_include("scheduler/core/counters.h")
#include "scheduler/core/counters.h"
#define COUNTED(core, field) core_counters(core)->field
#else
#define COUNTED(core, field) ((void)(core), (uint64_t)0)
#endif

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Jobs have 100 s left, 10 of them for leaving; trials ran for 500 to 1,000. */
enum { JOB_SECONDS = 100, WARN = 10, KNOWN_RUNS = 200, SHORTEST = 500 };

struct bench {
    struct core *core;
    struct core_config config;
    uint64_t waiting, workers;
    double now;
    uint64_t events;  /* the last one */
    uint64_t outputs; /* so far */
};

static void drop_outputs(struct bench *bench)
{
    struct output output;
    for (; core_next(bench->core, &output); bench->outputs++) {
        if (output.kind == OUTPUT_STORE)
            bench->events = output.event.number;
        output_fini(&output);
    }
}

static void commit(struct bench *bench)
{
    core_committed(bench->core, bench->now, bench->events);
    drop_outputs(bench);
    while (core_wake(bench->core) <= bench->now) {
        core_tick(bench->core, bench->now);
        drop_outputs(bench);
    }
}

static void say(struct bench *bench, uint64_t worker, struct msg *msg)
{
    core_message(bench->core, bench->now, worker, msg);
    drop_outputs(bench);
}

/* Worker `id` joins, as the job of the same number when that has an end. */
static void join(struct bench *bench, uint64_t id, bool ends)
{
    struct msg_slot slot = {0};
    uint32_t job = ends ? (uint32_t)id : 0;
    say(bench, id,
        &(struct msg){.kind = MSG_HELLO,
                      .hello = {.worker = id, .node = "node", .job = job, .element = NODE_NO_ELEMENT}});
    if (ends)
        core_job_ends(bench->core, bench->now, (struct node_job){job, NODE_NO_ELEMENT},
                      bench->now + (double)JOB_SECONDS);
    say(bench, id, &(struct msg){.kind = MSG_OFFER, .offer = {.slots = &slot, .slots_count = 1}});
}

/* All of them, whether the core has asked for that many or not: a longer queue is what lost workers leave behind. */
static void propose(struct bench *bench)
{
    char params[96];
    for (uint64_t trial = 1; trial <= bench->waiting + 1; trial++) {
        snprintf(params, sizeof params, "{\"lr\": %g, \"layers\": %d, \"kind\": \"%s\"}",
                 1e-4 * (double)(1 + trial % 97), (int)(trial % 7), trial % 2 ? "adam" : "sgd");
        core_proposal(bench->core, bench->now, trial, &(struct event_proposed){.params = params, .fingerprint = trial});
        drop_outputs(bench);
    }
}

/* Durations that depend on the configuration, so that a regression foretells them. */
static void recall_durations(struct memory *memory)
{
    memory->durations = arena_zero(&memory->arena, KNOWN_RUNS, sizeof *memory->durations);
    for (int i = 0; i < KNOWN_RUNS; i++) {
        char params[96];
        snprintf(params, sizeof params, "{\"lr\": %g, \"layers\": %d, \"kind\": \"%s\"}", 1e-4 * (1 + i % 97), i % 7,
                 i % 2 ? "adam" : "sgd");
        memory->durations[memory->duration_count++] =
            (struct memory_duration){arena_text(&memory->arena, params), (double)SHORTEST * (1 + (i % 7) / 6.0)};
    }
}

static void configure(struct bench *bench)
{
    static const struct metric metric = {.name = "loss", .objective = true};
    core_config_defaults(&bench->config);
    bench->config.task = "{}";
    bench->config.metrics = (struct metrics){(struct metric *)&metric, 1};
    bench->config.ask_far_ahead = true;
    bench->config.ready_limit = (uint32_t)bench->waiting + 1;
    bench->config.max_trials = bench->waiting + 1;
    bench->config.warn = (double)WARN;
}

static void start(struct bench *bench)
{
    struct memory memory = {.next_trial = 1};
    recall_durations(&memory);
    configure(bench);
    bench->core = core_create(&bench->config, &memory, bench->now);
    memory_fini(&memory);
    drop_outputs(bench);
    join(bench, 1, false);
    for (uint64_t id = 2; id <= bench->workers + 1; id++)
        join(bench, id, true);
    propose(bench);
    commit(bench); /* now they wait, and the worker without a job gets one */
    commit(bench);
}

static void beat(struct bench *bench, uint64_t beats)
{
    struct msg_run_id first = {.trial = 1, .attempt = 1};
    for (uint64_t i = 0; i < beats; i++) {
        uint64_t id = 1 + i % (bench->workers + 1);
        say(bench, id,
            &(struct msg){.kind = MSG_HEARTBEAT,
                          .heartbeat = {.held = id == 1 ? &first : NULL, .held_count = id == 1}});
    }
}

/* Beats until they have taken half a second, at least one and at most 100,000. */
static void measure(struct bench *bench)
{
    uint64_t beats = 0, visits = COUNTED(bench->core, visits), predictions = COUNTED(bench->core, predictions);
    double started = clock_cpu(), spent = 0;
    for (uint64_t many = 1; spent < 0.5 && beats < 100000; many *= 2) {
        beat(bench, many);
        beats += many;
        spent = clock_cpu() - started;
    }
    visits = COUNTED(bench->core, visits) - visits;
    predictions = COUNTED(bench->core, predictions) - predictions;
    printf("%8" PRIu64 " %8" PRIu64 " %8" PRIu64 " %12.2f %10.2f %12.3f\n", bench->workers, bench->waiting, beats,
           1e6 * spent / (double)beats, (double)visits / (double)beats, (double)predictions / (double)beats);
    fflush(stdout);
}

/* Else something else was measured. */
static void check(const struct bench *bench)
{
    struct snapshot snapshot;
    core_snapshot(bench->core, bench->now, &snapshot);
    if (snapshot.state != EXPERIMENT_RUNNING || snapshot.busy != 1 || snapshot.trials[TRIAL_WAITING] != bench->waiting)
        printf("not as meant: %s, %u busy, %" PRIu64 " waiting\n", experiment_state_name(snapshot.state), snapshot.busy,
               snapshot.trials[TRIAL_WAITING]);
    snapshot_fini(&snapshot);
}

static void run(uint64_t waiting, uint64_t workers)
{
    struct bench bench = {.waiting = waiting, .workers = workers, .now = 1000};
    start(&bench);
    measure(&bench);
    check(&bench);
    core_destroy(bench.core);
}

/* --- much at once --- */

/* The turns that it takes; a turn ends when its outputs have been taken. */
struct turns {
    uint64_t count, outputs, most;
    double began, longest, seconds;
};

static void begin_turn(struct bench *bench, struct turns *turns)
{
    bench->outputs = 0;
    turns->began = clock_cpu();
}

static void end_turn(struct bench *bench, struct turns *turns)
{
    drop_outputs(bench);
    double seconds = clock_cpu() - turns->began;
    turns->count++;
    turns->outputs += bench->outputs;
    turns->most = bench->outputs > turns->most ? bench->outputs : turns->most;
    turns->longest = seconds > turns->longest ? seconds : turns->longest;
    turns->seconds += seconds;
}

/* The turns after the first one, as long as the core wants them without a wait. */
static void go_on(struct bench *bench, struct turns *turns)
{
    while (core_wake(bench->core) <= bench->now) {
        begin_turn(bench, turns);
        core_tick(bench->core, bench->now);
        end_turn(bench, turns);
    }
}

static void show_turns(const struct bench *bench, const char *what, const struct turns *turns)
{
    printf("%8" PRIu64 " %8s %8" PRIu64 " %8" PRIu64 " %8" PRIu64 " %8.2f %8.2f\n", bench->workers, what, turns->count,
           turns->outputs, turns->most, 1e3 * turns->longest, 1e3 * turns->seconds);
    fflush(stdout);
}

/* One commit, and what follows from it. */
static void commit_all(struct bench *bench, const char *what)
{
    struct turns turns = {0};
    begin_turn(bench, &turns);
    core_committed(bench->core, bench->now, bench->events);
    end_turn(bench, &turns);
    go_on(bench, &turns);
    show_turns(bench, what, &turns);
}

static void fall_silent(struct bench *bench)
{
    struct turns turns = {0};
    bench->now += bench->config.lost + 1;
    begin_turn(bench, &turns);
    core_tick(bench->core, bench->now);
    end_turn(bench, &turns);
    go_on(bench, &turns);
    show_turns(bench, "lost", &turns);
}

static void run_at_once(uint64_t workers)
{
    struct bench bench = {.waiting = workers, .workers = workers, .now = 1000};
    struct memory memory = {.next_trial = 1};
    configure(&bench);
    bench.core = core_create(&bench.config, &memory, bench.now);
    drop_outputs(&bench);
    for (uint64_t id = 1; id <= workers; id++)
        join(&bench, id, false);
    propose(&bench);
    commit_all(&bench, "granted");
    commit_all(&bench, "sent");
    fall_silent(&bench);
    core_destroy(bench.core);
}

int main(int argc, char **argv)
{
    static const uint64_t usual[] = {100, 1000, 10000};
    uint64_t waiting = argc > 1 ? strtoull(argv[1], NULL, 10) : 4096;
    printf("%8s %8s %8s %12s %10s %12s\n", "workers", "waiting", "beats", "us a beat", "visits", "predictions");
    for (int i = 2; i < argc; i++)
        run(waiting, strtoull(argv[i], NULL, 10));
    for (size_t i = 0; argc <= 2 && i < sizeof usual / sizeof *usual; i++)
        run(waiting, usual[i]);
    printf("\n%8s %8s %8s %8s %8s %8s %8s\n", "workers", "are", "turns", "outputs", "at most", "ms most", "ms all");
    for (int i = 2; i < argc; i++)
        run_at_once(strtoull(argv[i], NULL, 10));
    for (size_t i = 0; argc <= 2 && i < sizeof usual / sizeof *usual; i++)
        run_at_once(usual[i]);
    return 0;
}
