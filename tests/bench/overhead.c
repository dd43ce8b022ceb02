/* What measuring costs a kernel that trains, for tests/bench/overhead.
 *
 *     overhead time KERNEL OPTIONS PARAMS QUADS       the two in the middle: JSON objects
 *     overhead count KERNEL OPTIONS PARAMS EPOCHS
 *
 * One trial of one process goes on and on, its epochs in short blocks: unmeasured, with phases as every trial has them,
 * or with all operations timed as well. Four blocks belong together, unmeasured, measured, measured, unmeasured: what
 * becomes slower or faster meanwhile falls on both alike. Then runs of RUN_SECONDS, of which the time is taken that the
 * counters at their beginning and end need. `time` prints an object, all by processor time: of each four blocks the
 * share that the measured ones took longer, of each run the share of its counters, what a step takes, and a look at the
 * clock.
 *
 * `count` takes as many epochs in each of the three, in one call of take_counted each, for a tool that counts the
 * instructions of a function; and prints how many steps those were, and the looks at the clock in each.
 *
 * Unmeasured is this: the linker leads the calls of the phases' clock and of phase_add here (Makefile, --wrap), where
 * they return at once. Left in are the three additions with which an operation is counted, a nanosecond beside
 * microseconds of work. */
#include "common/clock.h"
#include "common/mem.h"
#include "worker/kernels/kernel.h"
#include "worker/profile/node.h"
#include "worker/profile/self.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_SECONDS 0.02
#define RUN_SECONDS   0.2

enum mode { UNMEASURED, MEASURED, TIMED };

static bool measures = true;
static uint64_t looks; /* at the clock, that were measured */

double __real_clock_monotonic(void);
void __real_phase_add(struct phase_time *time, double seconds);
double __wrap_clock_monotonic(void);
void __wrap_phase_add(struct phase_time *time, double seconds);

double __wrap_clock_monotonic(void)
{
    looks += measures;
    return measures ? __real_clock_monotonic() : 0;
}

void __wrap_phase_add(struct phase_time *time, double seconds)
{
    if (measures)
        __real_phase_add(time, seconds);
}

static _Noreturn void fail(const char *sentence)
{
    fprintf(stderr, "overhead: %s\n", sentence);
    exit(EXIT_FAILURE);
}

/* The trial that goes on and on. */
struct work {
    const struct kernel *kernel;
    void *self;
    int64_t epoch; /* the last one */
    struct kernel_report report;
    struct phase_sketch sketches[PHASES_COUNT];
    struct self_count count;
    struct node_watch node;
};

uint64_t take_counted(struct work *work, int64_t epochs) __attribute__((noinline));

static void no_metric(void *context, const char *name, double value)
{
    (void)context;
    (void)name;
    (void)value;
}

static void start_work(struct work *work, char **of)
{
    struct err err;
    int64_t steps;
    struct kernel_task *task = MEM_NEW(struct kernel_task);
    struct kernel_trial *trial = MEM_NEW(struct kernel_trial);
    *work = (struct work){.kernel = kernel_find(of[0]), .node = {.proc = "/proc"}};
    *task =
        (struct kernel_task){.options = json_loads(of[1], 0, NULL), .base = ".", .metric = "val_loss", .threads = 1};
    *trial = (struct kernel_trial){.number = 1, .attempt = 1, .seed = 1, .params = json_loads(of[2], 0, NULL)};
    if (!work->kernel || !task->options || !trial->params)
        fail("there is no such kernel, or OPTIONS or PARAMS are no JSON object");
    if (work->kernel->open(task, &work->self, &err) || work->kernel->start(work->self, trial, &steps, &err))
        fail(err.text);
}

static void take_epochs(struct work *work, int64_t epochs)
{
    struct err err;
    for (int64_t i = 0; i < epochs; i++) {
        work->report.step = ++work->epoch;
        if (work->kernel->step(work->self, work->epoch, &work->report, &err) != ENDING_COMPLETED)
            fail(err.text);
    }
}

static void begin_count(struct work *work)
{
    node_watch_read(&work->node, clock_monotonic());
    self_count_begin(&work->count, clock_monotonic());
}

static void end_count(struct work *work, double seconds)
{
    struct run_counters counters;
    self_count_end(&work->count, seconds, &counters);
    self_count_perf(&work->count, &counters);
    node_watch_read(&work->node, clock_monotonic());
}

static void begin_block(struct work *work, enum mode mode)
{
    measures = mode != UNMEASURED;
    work->report = (struct kernel_report){.metric = no_metric, .timed = mode == TIMED ? OPERATIONS_ALL : 0};
    for (int i = 0; i < PHASES_COUNT && measures; i++) {
        work->sketches[i] = (struct phase_sketch){0};
        work->report.phases[i].sketch = &work->sketches[i];
    }
}

static void end_block(struct work *work)
{
    for (int i = 0; i < PHASES_COUNT && measures; i++)
        phase_close(&work->report.phases[i]);
    measures = true;
}

/* Processor seconds of so many epochs. */
static double take_block(struct work *work, int64_t epochs, enum mode mode)
{
    double began = clock_cpu();
    begin_block(work, mode);
    take_epochs(work, epochs);
    end_block(work);
    return clock_cpu() - began;
}

/* The share that blocks of this mode take longer. */
static double compare_blocks(struct work *work, int64_t epochs, enum mode mode)
{
    double plain = take_block(work, epochs, UNMEASURED), measured = take_block(work, epochs, mode);
    measured += take_block(work, epochs, mode);
    return measured / (plain + take_block(work, epochs, UNMEASURED)) - 1;
}

/* The share of a run that its beginning and its end take: counters, and what phases need of it once. */
static double count_run(struct work *work, int64_t epochs)
{
    double began = clock_cpu(), then = clock_monotonic();
    begin_count(work);
    begin_block(work, MEASURED);
    double begin = clock_cpu() - began;
    take_epochs(work, epochs);
    double trained = clock_cpu();
    end_block(work);
    end_count(work, clock_monotonic() - then);
    double ended = clock_cpu();
    return (begin + ended - trained) / (ended - began);
}

static void print_shares(struct work *work, const char *name, int64_t epochs, enum mode mode, int count)
{
    printf(", \"%s\": [", name);
    for (int i = 0; i < count; i++)
        printf("%s%.6g", i ? ", " : "", mode ? compare_blocks(work, epochs, mode) : count_run(work, epochs));
    printf("]");
}

/* Seconds of a look at the clock. */
static double time_look(void)
{
    enum { LOOKS = 1000000 };
    double began = clock_cpu();
    for (int i = 0; i < LOOKS; i++)
        __wrap_clock_monotonic();
    return (clock_cpu() - began) / LOOKS;
}

static int64_t epochs_of(double seconds, double one)
{
    return one < seconds ? (int64_t)(seconds / one) : 1;
}

static void print_times(struct work *work, int quads)
{
    enum { WARM = 3, RUNS = 40 };
    take_block(work, WARM, TIMED); /* all is made */
    double one = take_block(work, WARM, MEASURED) / WARM;
    uint64_t steps = work->report.phases[PHASE_UPDATE].count / WARM;
    int64_t epochs = epochs_of(BLOCK_SECONDS, one);
    printf("{\"steps\": %llu, \"step\": %.6g, \"look\": %.6g", (unsigned long long)(steps * (uint64_t)epochs),
           one / (double)steps, time_look());
    print_shares(work, "measured", epochs, MEASURED, quads);
    print_shares(work, "timed", epochs, TIMED, quads);
    print_shares(work, "counters", epochs_of(RUN_SECONDS, one), UNMEASURED, RUNS);
    printf("}\n");
}

/* How many looks at the clock those are. */
uint64_t take_counted(struct work *work, int64_t epochs)
{
    looks = 0;
    take_epochs(work, epochs);
    return looks;
}

static void print_counts(struct work *work, int64_t epochs)
{
    take_block(work, 1, TIMED);
    uint64_t steps = work->report.phases[PHASE_UPDATE].count * (uint64_t)epochs;
    printf("{\"steps\": %llu, \"looks\": [", (unsigned long long)steps);
    for (int mode = UNMEASURED; mode <= TIMED; mode++) {
        begin_block(work, (enum mode)mode);
        printf("%s%llu", mode ? ", " : "", (unsigned long long)take_counted(work, epochs));
        end_block(work);
    }
    printf("]}\n");
}

int main(int argc, char **argv)
{
    struct work *work = MEM_NEW(struct work);
    bool counts = argc == 6 && strcmp(argv[1], "count") == 0;
    if (!counts && (argc != 6 || strcmp(argv[1], "time") != 0))
        fail("usage: overhead time KERNEL OPTIONS PARAMS QUADS, or overhead count KERNEL OPTIONS PARAMS EPOCHS");
    start_work(work, argv + 2);
    self_count_open(&work->count);
    if (counts)
        print_counts(work, atoi(argv[5]));
    else
        print_times(work, atoi(argv[5]));
    work->kernel->finish(work->self);
    work->kernel->close(work->self);
    self_count_fini(&work->count);
    return 0;
}
