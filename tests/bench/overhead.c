/* What measuring costs a kernel that trains, for tests/bench/overhead.
 *
 *     overhead KERNEL OPTIONS PARAMS PAIRS      the two in the middle: JSON objects
 *
 * One trial of one process goes on and on, its epochs in blocks of about SECONDS of processor time; a block is
 * unmeasured, measured as every trial is, or measured with all operations timed. A pair is an unmeasured block and a
 * measured one, in turn which is first. Prints an object: the training steps of a block, and of each pair the shares
 * that the measured blocks took longer, by processor time.
 *
 * Unmeasured is this: the linker leads the calls of the phases' clock and of phase_add here (Makefile, --wrap), where
 * they return at once, and what a trainer counts of its process around a run (worker/profile/self.h) is left out. Left
 * in are the three additions with which an operation is counted, a nanosecond beside microseconds of work. */
#include "common/clock.h"
#include "common/mem.h"
#include "worker/kernels/kernel.h"
#include "worker/profile/node.h"
#include "worker/profile/self.h"

#include <stdio.h>
#include <stdlib.h>

#define SECONDS 0.2

enum mode { UNMEASURED, MEASURED, TIMED };

static bool measures = true;

double __real_clock_monotonic(void);
void __real_phase_add(struct phase_time *time, double seconds);
double __wrap_clock_monotonic(void);
void __wrap_phase_add(struct phase_time *time, double seconds);

double __wrap_clock_monotonic(void)
{
    return measures ? __real_clock_monotonic() : 0;
}

void __wrap_phase_add(struct phase_time *time, double seconds)
{
    if (measures)
        __real_phase_add(time, seconds);
}

static void fail(const char *sentence)
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

static void no_metric(void *context, const char *name, double value)
{
    (void)context;
    (void)name;
    (void)value;
}

static void start_work(struct work *work, char **argv)
{
    struct err err;
    int64_t steps;
    struct kernel_task *task = MEM_NEW(struct kernel_task);
    struct kernel_trial *trial = MEM_NEW(struct kernel_trial);
    *work = (struct work){.kernel = kernel_find(argv[1]), .node = {.proc = "/proc"}};
    *task =
        (struct kernel_task){.options = json_loads(argv[2], 0, NULL), .base = ".", .metric = "val_loss", .threads = 1};
    *trial = (struct kernel_trial){.number = 1, .attempt = 1, .seed = 1, .params = json_loads(argv[3], 0, NULL)};
    if (!work->kernel || !task->options || !trial->params)
        fail("usage: overhead KERNEL OPTIONS PARAMS PAIRS");
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

/* Processor seconds of a block: a run of so many epochs. */
static double take_block(struct work *work, int64_t epochs, enum mode mode)
{
    double began = clock_cpu();
    measures = mode != UNMEASURED;
    work->report = (struct kernel_report){.metric = no_metric, .timed = mode == TIMED ? OPERATIONS_ALL : 0};
    for (int i = 0; i < PHASES_COUNT && measures; i++) {
        work->sketches[i] = (struct phase_sketch){0};
        work->report.phases[i].sketch = &work->sketches[i];
    }
    double then = clock_monotonic();
    if (measures)
        begin_count(work);
    take_epochs(work, epochs);
    if (measures)
        end_count(work, clock_monotonic() - then);
    for (int i = 0; i < PHASES_COUNT && measures; i++)
        phase_close(&work->report.phases[i]);
    measures = true;
    return clock_cpu() - began;
}

/* The share that a block of this mode took longer than an unmeasured one beside it. */
static double compare_blocks(struct work *work, int64_t epochs, enum mode mode, bool is_first)
{
    double measured = is_first ? take_block(work, epochs, mode) : 0, plain = take_block(work, epochs, UNMEASURED);
    if (!is_first)
        measured = take_block(work, epochs, mode);
    return measured / plain - 1;
}

static void print_pairs(struct work *work, int64_t epochs, enum mode mode, int pairs)
{
    printf("[");
    for (int i = 0; i < pairs; i++)
        printf("%s%.6g", i ? ", " : "", compare_blocks(work, epochs, mode, i % 2));
    printf("]");
}

int main(int argc, char **argv)
{
    enum { WARM = 3 };
    struct work *work = MEM_NEW(struct work);
    if (argc != 5)
        fail("usage: overhead KERNEL OPTIONS PARAMS PAIRS");
    start_work(work, argv);
    self_count_open(&work->count);
    take_block(work, WARM, TIMED); /* all is made */
    double one = take_block(work, WARM, MEASURED) / WARM;
    int64_t epochs = one < SECONDS ? (int64_t)(SECONDS / one) : 1;
    take_block(work, 1, MEASURED);
    printf("{\"steps\": %llu, \"step\": %.6g, \"measured\": ",
           (unsigned long long)(work->report.phases[PHASE_UPDATE].count * (uint64_t)epochs),
           one / (double)work->report.phases[PHASE_UPDATE].count);
    print_pairs(work, epochs, MEASURED, atoi(argv[4]));
    printf(", \"timed\": ");
    print_pairs(work, epochs, TIMED, atoi(argv[4]));
    printf("}\n");
    work->kernel->finish(work->self);
    work->kernel->close(work->self);
    self_count_fini(&work->count);
    return 0;
}
