/* How long a training step of the kernel mlp takes: the kernel as the trainer runs it, on random images.
 *
 *     mlp_step INPUTS WIDTH DEPTH BATCH OPTIMIZER MOMENTUM
 *
 * Prints the median over epochs of microseconds a batch: of forward, backward and update together, and with the data.
 */
#include "common/mem.h"
#include "worker/kernels/kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { EXAMPLES = 8192, EPOCHS = 15 };
static const double validation = 0.0625; /* leaves 7,680 for training: 120 batches of 64, 60 of 128 */

/* Writes an IDX file of random bytes below `bound`. */
static void write_idx(const char *path, size_t count, size_t size, int bound)
{
    FILE *file = fopen(path, "w");
    unsigned char head[] = {0,
                            0,
                            8,
                            size > 1 ? 2 : 1,
                            0,
                            0,
                            (unsigned char)(count >> 8),
                            (unsigned char)count,
                            0,
                            0,
                            (unsigned char)(size >> 8),
                            (unsigned char)size};
    if (!file)
        exit(EXIT_FAILURE);
    fwrite(head, 1, size > 1 ? 12 : 8, file);
    for (size_t i = 0; i < count * size; i++)
        putc(rand() % bound, file);
    fclose(file);
}

static void no_metric(void *context, const char *name, double value)
{
    (void)context;
    (void)name;
    (void)value;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare);
    return values[count / 2];
}

/* Opens the kernel on the files and starts the trial. */
static void *start(char **argv, const char *images, const char *labels)
{
    struct err err;
    void *self;
    int64_t steps;
    json_t *options = json_pack("{s:s, s:s, s:f}", "data", images, "labels", labels, "validation", validation);
    json_t *params =
        json_pack("{s:i, s:i, s:i, s:s, s:f, s:i, s:f}", "width", atoi(argv[2]), "depth", atoi(argv[3]), "batch",
                  atoi(argv[4]), "optimizer", argv[5], "momentum", atof(argv[6]), "epochs", EPOCHS, "lr", 0.01);
    struct kernel_task *task = MEM_NEW(struct kernel_task);
    struct kernel_trial *trial = MEM_NEW(struct kernel_trial);
    *task = (struct kernel_task){.options = options, .base = ".", .metric = "val_loss", .threads = 1};
    *trial = (struct kernel_trial){.number = 1, .attempt = 1, .seed = 1, .params = params};
    const struct kernel *kernel = kernel_find("mlp");
    if (kernel->open(task, &self, &err) || kernel->start(self, trial, &steps, &err)) {
        fprintf(stderr, "mlp_step: %s\n", err.text);
        exit(EXIT_FAILURE);
    }
    return self;
}

int main(int argc, char **argv)
{
    char images[] = "/tmp/gannet-bench-XXXXXX", labels[] = "/tmp/gannet-bench-XXXXXX";
    double step[EPOCHS], with_data[EPOCHS];
    if (argc != 7 || close(mkstemp(images)) || close(mkstemp(labels)))
        return EXIT_FAILURE;
    write_idx(images, EXAMPLES, (size_t)atoi(argv[1]), 256);
    write_idx(labels, EXAMPLES, 1, 10);
    void *self = start(argv, images, labels);
    unlink(images);
    unlink(labels);
    for (int i = 0; i < EPOCHS; i++) {
        struct kernel_report report = {.metric = no_metric, .step = i + 1};
        struct err err;
        if (kernel_find("mlp")->step(self, i + 1, &report, &err) != ENDING_COMPLETED)
            return EXIT_FAILURE;
        const struct phase_time *phases = report.phases;
        double count = (double)phases[PHASE_UPDATE].count;
        step[i] = phases[PHASE_FORWARD].seconds + phases[PHASE_BACKWARD].seconds + phases[PHASE_UPDATE].seconds;
        with_data[i] = (step[i] + phases[PHASE_DATA].seconds) / count * 1e6;
        step[i] *= 1e6 / count;
        if (getenv("PHASES"))
            printf("data %.1f forward %.1f backward %.1f update %.1f\n", phases[PHASE_DATA].seconds / count * 1e6,
                   phases[PHASE_FORWARD].seconds / count * 1e6, phases[PHASE_BACKWARD].seconds / count * 1e6,
                   phases[PHASE_UPDATE].seconds / count * 1e6);
    }
    printf("%.1f %.1f\n", median(step, EPOCHS), median(with_data, EPOCHS));
    return 0;
}
