/* What it is to look at a very large search, and what it costs the search.
 *
 *     build/bench/viewers make DIR [TRIALS]            makes a run directory whose store has so many trials (1000000)
 *     build/bench/viewers press DIR [SECONDS [STEP]]   presses a key every 100 ms and draws the frame that follows: how
 *                                                      long that takes while the screen's thread reads; memory at the
 *                                                      beginning and the end. Each key moves STEP rows down (997),
 *                                                      every 20th shows the next screen
 *     build/bench/viewers watch DIR VIEWERS SECONDS    so many people look at the first screen: how many readings came
 *
 * tests/bench/viewers leads it. */
#include "cli/fetch/fetch.h"
#include "cli/screen/frame.h"
#include "common/clock.h"
#include "common/json.h"
#include "common/mem.h"
#include "scheduler/rundir/rundir.h"
#include "scheduler/spec/spec.h"
#include "scheduler/store/store.h"

#include <inttypes.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { ROWS = 50, COLUMNS = 200, GROUP = 1000, SLOTS = 20000, MOST_VIEWERS = 1000 };

static const char experiment[] =
    "{version: 1, name: viewers, seed: 1, trial: {kernel: synth, options: {function: sphere}},"
    " metric: {name: value, goal: minimize}, parameters: {x1: {min: -5.0, max: 5.0}, x2: {min: -5.0, max: 5.0}},"
    " strategy: random, limits: {max_trials: 100000000}}";

static void check(bool failed, const struct err *err)
{
    if (!failed)
        return;
    fprintf(stderr, "viewers: %s\n", err->text);
    exit(1);
}

static double resident_mib(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%*d %ld", &pages) != 1)
        pages = 0;
    if (file)
        fclose(file);
    return (double)pages * (double)sysconf(_SC_PAGESIZE) / 1048576;
}

/* --- a large store --- */

static void make_directory(const char *path, struct rundir *dir)
{
    struct err err = {"the experiment is not right"};
    struct problems problems = {0};
    struct spec *spec = spec_read_text(experiment, strlen(experiment), "viewers", ".", NULL, 0, &problems);
    rundir_name(path, dir);
    check(!spec || rundir_make(dir, spec, &err), &err);
    spec_destroy(spec);
    problems_fini(&problems);
}

/* Between 0 and 1, the same for the same number. */
static double drawn(uint64_t number)
{
    number *= 0x9e3779b97f4a7c15;
    number ^= number >> 29;
    number *= 0xbf58476d1ce4e5b9;
    return (double)(number >> 11) * 0x1p-53;
}

/* The four events of a trial; every hundredth one failed. */
static void add_trial(struct event *events, struct msg_sample *sample, char *params, uint64_t trial)
{
    double x1 = 10 * drawn(trial) - 5, x2 = 10 * drawn(trial + 7) - 5, value = x1 * x1 + x2 * x2;
    double began = 1.7e9 + 0.1 * (double)trial, took = 1 + 99 * drawn(trial + 3);
    bool failed = trial % 100 == 0;
    enum ending ending = failed ? ENDING_CRASHED : ENDING_COMPLETED;
    snprintf(params, 80, "{\"x1\": %.17g, \"x2\": %.17g}", x1, x2);
    *sample = (struct msg_sample){.metric = "value", .step = 1, .value = value, .time = took};
    events[0] = (struct event){.kind = EVENT_PROPOSED,
                               .trial = trial,
                               .proposed = {.params = params, .fingerprint = trial, .told_before = trial}};
    events[1] = (struct event){.kind = EVENT_LEASED,
                               .trial = trial,
                               .attempt = 1,
                               .worker = 1 + trial % SLOTS / 2,
                               .lease = {.slot = trial & 1}};
    events[2] = (struct event){.kind = EVENT_RUN_ENDED,
                               .trial = trial,
                               .attempt = 1,
                               .worker = events[1].worker,
                               .run = {.sampled = {.samples = sample, .samples_count = !failed},
                                       .ending = ending,
                                       .started = began,
                                       .seconds = took,
                                       .cpu_seconds = took}};
    events[3] =
        (struct event){.kind = EVENT_TRIAL_ENDED,
                       .trial = trial,
                       .end = {.ending = ending, .has_value = !failed, .value = value, .seconds = took, .told = trial}};
    for (int i = 0; i < 4; i++)
        events[i].time = began + took;
}

static void add_workers(struct store *store)
{
    struct err err;
    static struct event events[2 * GROUP];
    static char nodes[GROUP][16];
    static struct msg_slot slots[2] = {{.index = 0, .cpus = "0-7", .numa = "", .gpus = ""},
                                       {.index = 1, .cpus = "8-15", .numa = "", .gpus = ""}};
    for (uint64_t first = 1; first <= SLOTS / 2; first += GROUP) {
        for (uint64_t i = 0; i < GROUP; i++) {
            snprintf(nodes[i], sizeof nodes[i], "n%05" PRIu64, first + i);
            events[2 * i] = (struct event){
                .kind = EVENT_WORKER,
                .worker = first + i,
                .hello = {.node = nodes[i], .version = GANNET_VERSION, .machine = "made up", .cores = 16}};
            events[2 * i + 1] =
                (struct event){.kind = EVENT_SLOTS, .worker = first + i, .offered = {.slots = slots, .slots_count = 2}};
        }
        check(store_write(store, events, sizeof events / sizeof *events, &err), &err);
    }
}

static int make(const char *path, uint64_t trials)
{
    struct err err;
    struct rundir dir;
    static struct event events[4 * GROUP];
    static struct msg_sample samples[GROUP];
    static char params[GROUP][80];
    make_directory(path, &dir);
    struct store *store = store_open(dir.store, &err);
    check(!store, &err);
    add_workers(store);
    for (uint64_t trial = 1; trial <= trials;) {
        size_t count = 0;
        for (; count < GROUP && trial <= trials; count++, trial++)
            add_trial(&events[4 * count], &samples[count], params[count], trial);
        check(store_write(store, events, 4 * count, &err), &err);
    }
    store_close(store);
    rundir_fini(&dir);
    return 0;
}

/* --- one person --- */

static int compare(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static void press_key(struct model *model, uint64_t number, uint64_t step)
{
    struct view *view = &model->view;
    const struct screen_kind *kind = screen_kind(view->screen);
    if (number % 20 == 19) {
        do
            view->screen = (view->screen + 1) % SCREENS_COUNT;
        while (view->screen == SCREEN_OUTPUT); /* which shows what a command wrote: there was none */
        return;
    }
    uint64_t rows = kind->rows ? kind->rows(model) : 0;
    struct list_place *place = &view->places[view->screen];
    place->chosen = rows ? (place->chosen + step) % rows : 0;
}

/* What the screen does between a key and the frame. Seconds. */
static double answer_key(struct model *model, struct fetch *fetch, uint64_t number, uint64_t step, bool is_key)
{
    struct wants wants = {0};
    struct canvas canvas;
    double start = clock_monotonic();
    for (enum section i = 0; i < SECTIONS_COUNT; i++)
        fetch_take(fetch, i, &model->sections[i]);
    if (is_key)
        press_key(model, number, step);
    model->now = clock_wall();
    canvas_init(&canvas, ROWS, COLUMNS, &(struct look){.unicode = true});
    frame_draw(model, &canvas);
    canvas_fini(&canvas);
    frame_want(&model->view, ROWS, COLUMNS, &wants);
    fetch_want(fetch, &wants);
    return clock_monotonic() - start;
}

static void say_times(const char *what, double *times, size_t count)
{
    qsort(times, count, sizeof *times, compare);
    if (count)
        printf("%s: %zu, median %.2f ms, 99 %% below %.2f ms, longest %.2f ms\n", what, count, 1e3 * times[count / 2],
               1e3 * times[count * 99 / 100], 1e3 * times[count - 1]);
}

static void say_memory(double seconds)
{
    struct mallinfo2 memory = mallinfo2();
    printf("after %.0f s: resident %.1f MiB, of which are in use %.1f MiB\n", seconds, resident_mib(),
           (double)(memory.uordblks + memory.hblkhd) / 1048576);
    fflush(stdout);
}

/* The largest section: what the screen is given must not grow with the search. */
static void say_largest(const struct model *model)
{
    size_t largest = 0;
    enum section which = 0;
    for (enum section i = 0; i < SECTIONS_COUNT; i++) {
        size_t size = model->sections[i].value ? json_dumpb(model->sections[i].value, NULL, 0, JSON_COMPACT) : 0;
        which = size > largest ? i : which;
        largest = size > largest ? size : largest;
    }
    printf("largest section: %s, %.1f KiB as JSON\n", section_name(which), (double)largest / 1024);
}

static int press(const char *path, double seconds, uint64_t step)
{
    struct err err;
    struct rundir dir;
    struct model model = {.name = mem_text("viewers"), .programs = mem_text("")};
    rundir_name(path, &dir);
    struct fetch *fetch = fetch_start(&dir, &err);
    check(!fetch, &err);
    size_t most = (size_t)(seconds / 0.1) + 1, count = 0, readings = 0;
    double *times = MEM_ARRAY(double, most), *costs = MEM_ARRAY(double, most), start = clock_monotonic(), next = start,
           noted = start;
    while (clock_monotonic() - start < seconds && count < most) {
        struct pollfd came = {.fd = fetch_descriptor(fetch), .events = POLLIN};
        double wait = next - clock_monotonic();
        bool is_key = wait <= 0 || poll(&came, 1, 1 + (int)(1e3 * wait)) <= 0 || clock_monotonic() >= next;
        /* A key is pressed at its time, whatever the screen was about then. */
        double pressed = is_key ? next : clock_monotonic(), cpu = clock_thread();
        answer_key(&model, fetch, count, step, is_key);
        readings += !is_key;
        if (is_key) {
            double answered = clock_monotonic();
            costs[count] = clock_thread() - cpu;
            times[count++] = answered - pressed;
            next = answered > next + 0.1 ? answered : next + 0.1;
        }
        if (clock_monotonic() - noted > seconds / 10) {
            noted = clock_monotonic();
            say_memory(noted - start);
        }
    }
    say_times("keys, from key to frame", times, count);
    say_times("the same in processor time", costs, count);
    printf("readings that came: %zu\n", readings);
    say_memory(clock_monotonic() - start);
    say_largest(&model);
    for (enum section i = 0; i < SECTIONS_COUNT; i++)
        if (*model.sections[i].trouble)
            printf("section %s: %s\n", section_name(i), model.sections[i].trouble);
    fetch_stop(fetch);
    screen_model_fini(&model);
    rundir_fini(&dir);
    free(times);
    free(costs);
    return 0;
}

/* --- many people --- */

static volatile sig_atomic_t told_to_end;

static void take_signal(int number)
{
    (void)number;
    told_to_end = 1;
}

/* What they cost: the process, and of that the readings of each section. */
static void say_costs(struct fetch *const *people, size_t viewers)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    printf("%zu viewers: %.2f s of processor time", viewers,
           (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
               1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec));
    for (enum section section = 0; section < SECTIONS_COUNT; section++) {
        struct section_cost sum = {0};
        for (size_t i = 0; i < viewers; i++) {
            struct section_cost cost = fetch_cost(people[i], section);
            sum.readings += cost.readings;
            sum.seconds += cost.seconds;
            sum.longest = cost.longest > sum.longest ? cost.longest : sum.longest;
        }
        if (sum.readings)
            printf("; %s %" PRIu64 " readings, %.2f s, the longest %.0f ms", section_name(section), sum.readings,
                   sum.seconds, 1e3 * sum.longest);
    }
    printf("\n");
}

static int watch(const char *path, size_t viewers, double seconds)
{
    struct err err;
    struct rundir dir;
    struct wants wants = {0};
    struct view view = {0};
    static struct fetch *people[MOST_VIEWERS];
    struct section_value value = {0};
    uint64_t readings = 0, failed = 0;
    signal(SIGTERM, take_signal);
    rundir_name(path, &dir);
    frame_want(&view, ROWS, COLUMNS, &wants);
    for (size_t i = 0; i < viewers && i < MOST_VIEWERS; i++) {
        people[i] = fetch_start(&dir, &err);
        check(!people[i], &err);
        fetch_want(people[i], &wants);
    }
    double start = clock_monotonic();
    for (; clock_monotonic() - start < seconds && !told_to_end; poll(NULL, 0, 100))
        for (size_t i = 0; i < viewers; i++)
            for (enum section section = 0; section < SECTIONS_COUNT; section++)
                if (fetch_take(people[i], section, &value)) {
                    readings++;
                    failed += *value.trouble != '\0';
                    section_value_fini(&value);
                }
    printf("%zu viewers: %" PRIu64 " readings in %.1f s, %" PRIu64 " failed\n", viewers, readings,
           clock_monotonic() - start, failed);
    say_costs(people, viewers);
    fflush(stdout);
    _exit(0); /* twenty readings that are under way would be waited for */
}

int main(int count, char **arguments)
{
    const char *what = count > 2 ? arguments[1] : "", *path = count > 2 ? arguments[2] : NULL;
    double number = count > 3 ? strtod(arguments[3], NULL) : 0, other = count > 4 ? strtod(arguments[4], NULL) : 0;
    json_require_memory();
    if (strcmp(what, "make") == 0)
        return make(path, number > 0 ? (uint64_t)number : 1000000);
    if (strcmp(what, "press") == 0)
        return press(path, number > 0 ? number : 60, other > 0 ? (uint64_t)other : 997);
    if (strcmp(what, "watch") == 0 && count == 5)
        return watch(path, (size_t)number, other);
    fprintf(stderr, "usage: viewers make DIR [TRIALS] | press DIR [SECONDS [STEP]] | watch DIR VIEWERS SECONDS\n");
    return 2;
}
