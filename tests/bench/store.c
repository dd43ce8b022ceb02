/* What a trial costs the store: the events of trials that take no time, each of one attempt, one sample and three
 * phases, written in groups as a busy coordinator writes them.
 *
 *     build/bench/store [TRIALS [GROUP [DIRECTORY]]]        200000 60 /tmp
 *
 * A group holds the four events of GROUP trials each: of those proposed now, of those leased that were proposed before,
 * and so on. Then: how long a restart, a status line and reading take with that many trials ended. */
#include "common/clock.h"
#include "common/mem.h"
#include "scheduler/store/reader.h"
#include "scheduler/store/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char params[] =
    "{\"lr\": 0.0012345678901234567, \"width\": 128, \"depth\": 3, \"dropout\": 0.2345678901234567, "
    "\"optimizer\": \"sgd\", \"momentum\": 0.9123456789012345, \"activation\": \"relu\", \"batch\": 64}";

enum { EVENTS_A_TRIAL = 4, WORKER = 4711 };

static void check(int failed, const struct err *err)
{
    if (!failed)
        return;
    fprintf(stderr, "store: %s\n", err->text);
    exit(1);
}

static struct event proposed(uint64_t trial)
{
    return (struct event){
        .kind = EVENT_PROPOSED,
        .trial = trial,
        .proposed = {.params = params, .fingerprint = trial * 0x9e3779b97f4a7c15, .told_before = trial}};
}

static struct event leased(uint64_t trial)
{
    return (struct event){
        .kind = EVENT_LEASED, .trial = trial, .attempt = 1, .worker = WORKER, .lease = {.slot = trial & 1}};
}

static struct event run_ended(uint64_t trial, struct msg_sample *sample)
{
    static const struct phase_time profile[PHASES_COUNT] = {
        [PHASE_QUEUE] = {.seconds = 1.234e-3, .count = 1, .min = 1.234e-3, .max = 1.234e-3},
        [PHASE_LAUNCH] = {.seconds = 2.345e-4, .count = 1, .min = 2.345e-4, .max = 2.345e-4},
        [PHASE_IDLE] = {.seconds = 1.2345e-5, .count = 1, .min = 1.2345e-5, .max = 1.2345e-5},
    };
    return (struct event){.kind = EVENT_RUN_ENDED,
                          .trial = trial,
                          .attempt = 1,
                          .worker = WORKER,
                          .run = {.sampled = {.samples = sample, .samples_count = 1},
                                  .started = 1.7e9 + 1e-3 * (double)trial,
                                  .seconds = 1e-5,
                                  .cpu_seconds = 1.1e-5,
                                  .peak_memory = 12345678,
                                  .profile = profile}};
}

static struct event trial_ended(uint64_t trial)
{
    return (struct event){.kind = EVENT_TRIAL_ENDED,
                          .trial = trial,
                          .end = {.has_value = true, .value = 1.0 / (double)trial, .seconds = 1e-5, .told = trial}};
}

/* The events of one group; how many. */
static size_t fill(struct event *events, struct msg_sample *samples, uint64_t first, uint64_t group, uint64_t trials)
{
    size_t count = 0;
    for (uint64_t i = 0; i < group; i++) {
        uint64_t fresh = first + i, granted = fresh - group, done = granted - group;
        samples[i] = (struct msg_sample){.metric = "value", .step = 1, .value = 1.0 / (double)done, .time = 1e-5};
        if (fresh <= trials)
            events[count++] = proposed(fresh);
        if (fresh > group && granted <= trials)
            events[count++] = leased(granted);
        if (fresh > 2 * group && done <= trials) {
            events[count++] = run_ended(done, &samples[i]);
            events[count++] = trial_ended(done);
        }
    }
    for (size_t i = 0; i < count; i++)
        events[i].time = 1.7e9 + 1e-4 * (double)first;
    return count;
}

static void write_all(struct store *store, uint64_t trials, uint64_t group)
{
    struct event *events = MEM_ARRAY(struct event, group * EVENTS_A_TRIAL);
    struct msg_sample *samples = MEM_ARRAY(struct msg_sample, group);
    struct err err;
    for (uint64_t first = 1; first <= trials + 2 * group; first += group) {
        size_t count = fill(events, samples, first, group, trials);
        check(store_write(store, events, count, &err), &err);
    }
    free(events);
    free(samples);
}

static void time_restart(const char *path)
{
    struct err err;
    struct memory memory;
    double start = clock_monotonic();
    struct store *store = store_open(path, &err);
    check(!store || store_recall(store, &memory, &err), &err);
    double opened = clock_monotonic();
    struct snapshot snapshot;
    check(reader_snapshot(store_reader(store), &snapshot, &err), &err);
    json_t *best = reader_best(store_reader(store), &err);
    check(!best, &err);
    double end = clock_monotonic();
    printf("open and recall: %.1f ms; snapshot and best: %.2f ms\n", 1e3 * (opened - start), 1e3 * (end - opened));
    json_decref(best);
    snapshot_fini(&snapshot);
    memory_fini(&memory);
    store_close(store);
}

static int count(void *context, json_t *trial, struct err *err)
{
    (void)trial;
    (void)err;
    ++*(uint64_t *)context;
    return 0;
}

static void time_reading(const char *path)
{
    struct err err;
    struct reader *reader = reader_open(path, &err);
    check(!reader, &err);
    uint64_t trials = 0;
    double start = clock_monotonic();
    check(reader_trials_each(reader, &(struct trial_query){0}, count, &trials, &err), &err);
    double end = clock_monotonic();
    json_decref(reader_trials(reader, &(struct trial_query){.by_value = true, .limit = 20}, &err));
    printf("reading all as JSON: %.0f trials/s; the 20 best: %.1f ms\n", (double)trials / (end - start),
           1e3 * (clock_monotonic() - end));
    reader_close(reader);
}

static uint64_t argument(int count, char **arguments, int index, uint64_t otherwise)
{
    uint64_t number = count > index ? strtoull(arguments[index], NULL, 10) : otherwise;
    return number ? number : otherwise;
}

int main(int argument_count, char **arguments)
{
    uint64_t trials = argument(argument_count, arguments, 1, 200000),
             group = argument(argument_count, arguments, 2, 60);
    char *directory = mem_format("%s/gannet-bench-XXXXXX", argument_count > 3 ? arguments[3] : "/tmp");
    if (!mkdtemp(directory)) {
        perror(directory);
        return 1;
    }
    char *path = mem_format("%s/gannet.db", directory);
    const struct metric metric = {.name = "value", .objective = true};
    struct store_experiment experiment = {
        .name = "bench", .spec = "", .metrics = {&metric, 1}, .strategy = "random", .parameters = "[]"};
    struct err err;
    struct store *store = store_make(path, &experiment, &err);
    check(!store, &err);
    double start = clock_monotonic(), cpu = clock_cpu();
    write_all(store, trials, group);
    double seconds = clock_monotonic() - start;
    cpu = clock_cpu() - cpu;
    store_close(store);
    struct stat info;
    stat(path, &info);
    printf("%llu trials, %llu a commit: %.0f trials/s, %.1f us of CPU a trial, %.0f bytes a trial\n",
           (unsigned long long)trials, (unsigned long long)group, (double)trials / seconds, 1e6 * cpu / (double)trials,
           (double)info.st_size / (double)trials);
    time_restart(path);
    time_reading(path);
    unlink(path);
    rmdir(directory);
    free(path);
    free(directory);
    return 0;
}
