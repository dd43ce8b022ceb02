/* Training steps of a kernel as the trainer runs them, for tests/bench/kernels.
 *
 *     kernel_steps KERNEL OPTIONS PARAMS THREADS      the two in the middle: JSON objects
 *     kernel_steps KERNEL                             status 0 when there is such a kernel, else 1
 *
 * For each line that it reads it trains an epoch and prints an object: the steps of it, their wall time by phase and
 * together, that of the whole epoch, the process's time on processors, and the floating-point operations that the
 * backend counted. The latter three have the validation in them, which the caller keeps very short. */
#include "common/clock.h"
#include "common/mem.h"
#include "worker/kernels/kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

static void no_metric(void *context, const char *name, double value)
{
    (void)context;
    (void)name;
    (void)value;
}

static void fail(const char *sentence)
{
    fprintf(stderr, "kernel_steps: %s\n", sentence);
    exit(EXIT_FAILURE);
}

/* Opens the kernel and starts a trial that has no end. */
static void *start_trial(const struct kernel *kernel, const char *options, const char *params, int threads)
{
    struct err err;
    void *self;
    int64_t steps;
    struct kernel_task *task = MEM_NEW(struct kernel_task);
    struct kernel_trial *trial = MEM_NEW(struct kernel_trial);
    *task = (struct kernel_task){
        .options = json_loads(options, 0, NULL), .base = ".", .metric = "val_loss", .threads = threads};
    *trial = (struct kernel_trial){.number = 1, .attempt = 1, .seed = 1, .params = json_loads(params, 0, NULL)};
    if (!task->options || !trial->params)
        fail("options and parameters must be JSON objects");
    if (kernel->open(task, &self, &err) || kernel->start(self, trial, &steps, &err))
        fail(err.text);
    return self;
}

static double processor_seconds(void)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
}

/* What the backend has counted of an epoch. */
static void print_flops(const struct operation_count *counts)
{
    double done = 0, skipped = 0;
    for (int i = 0; i < OPERATIONS_COUNT; i++) {
        done += counts[i].flops;
        skipped += counts[i].flops_skipped;
    }
    printf("\"flops\": %.9g, \"skipped\": %.9g", done, skipped);
}

static void print_operations(const struct operation_count *counts)
{
    for (int i = 0; i < OPERATIONS_COUNT; i++) {
        const struct operation_count *count = &counts[i];
        if (count->timed)
            fprintf(stderr, "%-32s %8llu calls  %10.1f us  %8.1f GFLOP/s  %8.1f GB/s\n",
                    operation_name((enum operation)i), (unsigned long long)count->calls,
                    count->seconds / (double)count->calls * 1e6, count->flops / count->seconds / 1e9,
                    count->bytes / count->seconds / 1e9);
    }
}

static void train_epoch(const struct kernel *kernel, void *self, int64_t step, uint64_t timed,
                        struct operation_count *counts)
{
    struct kernel_report report = {.metric = no_metric, .step = step, .timed = timed};
    struct err err;
    double used = processor_seconds(), begun = clock_monotonic();
    if (kernel->step(self, step, &report, &err) != ENDING_COMPLETED)
        fail(err.text);
    double epoch = clock_monotonic() - begun;
    const struct phase_time *phases = report.phases;
    double data = phases[PHASE_DATA].seconds, forward = phases[PHASE_FORWARD].seconds,
           backward = phases[PHASE_BACKWARD].seconds, update = phases[PHASE_UPDATE].seconds;
    printf("{\"steps\": %llu, \"wall\": %.9g, \"epoch\": %.9g, \"cpu\": %.9g, \"data\": %.9g, \"forward\": %.9g, "
           "\"backward\": %.9g, "
           "\"update\": %.9g, ",
           (unsigned long long)phases[PHASE_UPDATE].count, data + forward + backward + update, epoch,
           processor_seconds() - used, data, forward, backward, update);
    print_flops(report.operations);
    printf("}\n");
    fflush(stdout);
    for (int i = 0; i < OPERATIONS_COUNT && step > 1; i++) /* in the first epoch primitives are made */
        operation_merge(&counts[i], &report.operations[i]);
}

int main(int argc, char **argv)
{
    const struct kernel *kernel = argc > 1 ? kernel_find(argv[1]) : NULL;
    if (argc == 2)
        return kernel ? EXIT_SUCCESS : EXIT_FAILURE;
    if (!kernel || argc != 5)
        fail("usage: kernel_steps KERNEL OPTIONS PARAMS THREADS");
    void *self = start_trial(kernel, argv[2], argv[3], atoi(argv[4]));
    struct operation_count counts[OPERATIONS_COUNT] = {0};
    uint64_t timed = getenv("OPERATIONS") ? OPERATIONS_ALL : 0;
    for (int64_t step = 1; getchar() == '\n'; step++)
        train_epoch(kernel, self, step, timed, counts);
    print_operations(counts);
    kernel->finish(self);
    kernel->close(self);
    return 0;
}
