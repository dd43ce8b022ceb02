/* What the screen of trials takes of a search of very many: the section trials is read, under several orders and
 * filters, until it has looked at all, and once more after some trials have ended.
 *
 *     trials_view DIRECTORY [TRIALS]     default: 1000000; the directory gets a store, unless it has one
 *
 * Writes a line each: seconds until the first rows, until all, how many readings that took and the longest of them, of
 * the reading after 100 more ends, and resident MiB. */
#include "cli/fetch/sections.h"
#include "common/clock.h"
#include "common/mem.h"
#include "common/path.h"
#include "common/rng.h"
#include "scheduler/store/store.h"
#include "tests/test_metrics.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BATCH = 1000, WORKER = 7, MORE = 100 };

static double resident(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%*s %ld", &pages) != 1)
        pages = 0;
    if (file)
        fclose(file);
    return (double)pages * (double)sysconf(_SC_PAGESIZE) / 0x1p20;
}

static void need(int failed, const struct err *err)
{
    if (!failed)
        return;
    fprintf(stderr, "%s\n", err->text);
    exit(1);
}

static void write_trials(struct store *store, uint64_t first, uint64_t count)
{
    static const char *const optimizers[] = {"sgd", "adam", "lamb"};
    struct event *events = MEM_ARRAY(struct event, 4 * count);
    struct msg_sample *samples = MEM_ARRAY(struct msg_sample, count);
    struct params {
        char text[96];
    } *params = MEM_ARRAY(struct params, count);
    struct err err;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t trial = first + i;
        double value = (double)(rng_mix(1, trial) % 1000003) / 1000003, now = 1.7e9 + (double)trial;
        bool failed = trial % 50 == 0;
        snprintf(params[i].text, sizeof params[i].text, "{\"lr\": %.6g, \"width\": %d, \"opt\": \"%s\"}",
                 pow(10, -5 * value), (int)(trial % 512), optimizers[trial % 3]);
        samples[i] = (struct msg_sample){.metric = "loss", .step = 1, .value = value, .time = 0.5};
        events[4 * i] =
            (struct event){.kind = EVENT_PROPOSED, .trial = trial, .time = now, .proposed = {.params = params[i].text}};
        events[4 * i + 1] =
            (struct event){.kind = EVENT_LEASED, .trial = trial, .attempt = 1, .worker = WORKER, .time = now};
        events[4 * i + 2] = (struct event){.kind = EVENT_RUN_ENDED,
                                           .trial = trial,
                                           .attempt = 1,
                                           .worker = WORKER,
                                           .time = now + 1,
                                           .run = {.sampled = {.samples = &samples[i], .samples_count = 1},
                                                   .ending = failed ? ENDING_EXITED : ENDING_COMPLETED,
                                                   .started = now,
                                                   .seconds = 1 + value}};
        events[4 * i + 3] = (struct event){.kind = EVENT_TRIAL_ENDED,
                                           .trial = trial,
                                           .time = now + 2,
                                           .end = {.ending = failed ? ENDING_EXITED : ENDING_COMPLETED,
                                                   .seconds = 1 + value,
                                                   .has_value = !failed,
                                                   .value = value,
                                                   .told = trial}};
    }
    need(store_write(store, events, 4 * count, &err), &err);
    free(events);
    free(samples);
    free(params);
}

static void make_store(const struct rundir *dir, uint64_t trials)
{
    const struct store_experiment experiment = {
        .name = "many",
        .spec = "version: 1\n",
        .metrics = metrics_min,
        .strategy = "random",
        .parameters = "[{\"name\": \"lr\", \"kind\": \"real\"}, {\"name\": \"width\", \"kind\": \"int\"}, {\"name\": "
                      "\"opt\", \"kind\": \"choice\", \"values\": [\"sgd\", \"adam\", \"lamb\"]}]"};
    struct err err;
    struct store *store = store_make(dir->store, &experiment, &err);
    need(!store, &err);
    for (uint64_t first = 1; first <= trials; first += BATCH)
        write_trials(store, first, trials - first + 1 < BATCH ? trials - first + 1 : BATCH);
    store_close(store);
}

static uint64_t count_trials(struct source *source)
{
    struct experiment_standing standing;
    struct err err;
    uint64_t sum = 0;
    need(source_recorded(source, &standing, &err), &err);
    for (int i = 0; i < TRIAL_STATES; i++)
        sum += standing.snapshot.trials[i];
    standing_fini(&standing);
    return sum;
}

/* One reading: its seconds. */
static double read_once(const struct section_reading *reading, uint64_t *matching)
{
    struct err err;
    double began = clock_monotonic();
    reading->memory->more = false;
    json_t *value = section_trials(reading, &err);
    need(!value, &err);
    *matching = (uint64_t)json_integer_value(json_object_get(value, "matching"));
    json_decref(value);
    return clock_monotonic() - began;
}

static void measure(const struct rundir *dir, const char *order, const char *filter)
{
    struct wants wants = {.trials = {.count = 60}};
    struct section_memory memory = {0};
    struct section_reading reading = {.wants = &wants, .memory = &memory};
    struct err err;
    uint64_t matching, readings = 0;
    double first = 0, all = 0, longest = 0;
    snprintf(wants.trials.order, WANTS_TEXT, "%s", order);
    snprintf(wants.trials.filter, WANTS_TEXT, "%s", filter);
    need(source_open_dir(dir, &reading.source, &err), &err);
    do {
        double seconds = read_once(&reading, &matching);
        first = readings++ ? first : seconds;
        all += seconds;
        longest = seconds > longest ? seconds : longest;
    } while (memory.more);
    struct store *store = store_open(dir->store, &err);
    need(!store, &err);
    write_trials(store, count_trials(reading.source) + 1, MORE);
    store_close(store);
    double again = read_once(&reading, &matching);
    printf("%-10s %-34s %8" PRIu64 " %8.3f %8.2f %8" PRIu64 " %8.3f %8.3f %8.1f\n", *order ? order : "trial", filter,
           matching, first, all, readings, longest, again, resident());
    fflush(stdout);
    if (memory.free)
        memory.free(memory.data);
    source_close(reading.source);
}

int main(int count, char **arguments)
{
    static const char *const rows[][2] = {{"", ""},
                                          {"value", ""},
                                          {"", "failed"},
                                          {"value", "seconds > 1.5"},
                                          {"seconds", "not failed"},
                                          {"lr", ""},
                                          {"", "lr > 1e-3 and opt == 'adam'"},
                                          {"value", "metric.loss < 0.5"},
                                          {"", "node == 'n1' or reason == 'exited'"},
                                          {"", "time.work > 1 or step > 3"}};
    struct rundir dir;
    if (count < 2)
        return 2;
    rundir_name(arguments[1], &dir);
    if (!path_exists(dir.store))
        make_store(&dir, count > 2 ? strtoull(arguments[2], NULL, 10) : 1000000);
    printf("%-10s %-34s %8s %8s %8s %8s %8s %8s %8s\n", "order", "filter", "matching", "first", "all", "readings",
           "longest", "again", "MiB");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        measure(&dir, rows[i][0], rows[i][1]);
    rundir_fini(&dir);
    return 0;
}
