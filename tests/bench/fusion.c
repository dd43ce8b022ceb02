/* Trials that train together (resources.fuse) by the same trials one after the other, as a slot of its own would run
 * them: processor seconds, alternating, the median of some rounds. Both use one core, so the ratio is that of the
 * trials that a node gets done.
 *
 *     build/bench/fusion [ROUNDS] [DATA.csv]
 */
#include "common/clock.h"
#include "common/mem.h"
#include "worker/trainer/together.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 32, MOST_ROUNDS = 101 };

struct crowd {
    const struct kernel *kernel;
    struct kernel_task task;
    struct opened_kernel opened[MOST];
    struct training run[MOST];
    json_t *params[MOST];
};

static void open_crowd(struct crowd *crowd, const char *kernel, const char *shape, const json_t *options)
{
    struct err err;
    crowd->kernel = kernel_find(kernel);
    crowd->task = (struct kernel_task){.options = options, .base = ".", .metric = "val_loss", .threads = 1};
    for (int i = 0; i < MOST; i++) {
        char *text = mem_format("{\"lr\": %g%s}", 0.01 * (1 + i), shape);
        crowd->opened[i] = (struct opened_kernel){.kernel = crowd->kernel, .metric = "val_loss"};
        if (i)
            crowd->opened[i].self = crowd->kernel->fusion->join(crowd->opened[0].self);
        else if (crowd->kernel->open(&crowd->task, &crowd->opened[0].self, &err))
            exit((fprintf(stderr, "%s\n", err.text), 1));
        crowd->params[i] = json_loads(text, 0, NULL);
        free(text);
    }
}

static void close_crowd(struct crowd *crowd)
{
    for (int i = MOST; i-- > 0;) {
        crowd->kernel->close(crowd->opened[i].self);
        training_fini(&crowd->run[i]);
        json_decref(crowd->params[i]);
    }
}

static struct kernel_trial trial_of(const struct crowd *crowd, int i)
{
    return (struct kernel_trial){
        .number = (uint64_t)i + 1, .attempt = 1, .seed = (uint64_t)i, .params = crowd->params[i]};
}

static double train_alone(struct crowd *crowd, int count)
{
    double then = clock_cpu();
    for (int i = 0; i < count; i++) {
        struct kernel_trial trial = trial_of(crowd, i);
        training_run(&crowd->run[i], &crowd->opened[i], &trial);
    }
    return clock_cpu() - then;
}

static double train_together(struct crowd *crowd, int count)
{
    struct together runs[MOST];
    double then = clock_cpu();
    bool goes = true;
    for (int i = 0; i < count; i++) {
        struct kernel_trial trial = trial_of(crowd, i);
        training_begin(&crowd->run[i], &crowd->opened[i], &trial);
        runs[i].training = &crowd->run[i];
    }
    while (goes) {
        together_step(runs, (size_t)count);
        goes = runs[0].goes; /* all have as many steps */
    }
    for (int i = 0; i < count; i++)
        training_end(&crowd->run[i]);
    return clock_cpu() - then;
}

static int compare(const void *a, const void *b)
{
    const double *one = a, *two = b;
    return (*one > *two) - (*one < *two);
}

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, compare);
    return values[count / 2];
}

static void measure(const char *kernel, const char *shape, const json_t *options, int count, int rounds)
{
    struct crowd crowd = {0};
    double alone[MOST_ROUNDS], together[MOST_ROUNDS], ratio[MOST_ROUNDS];
    open_crowd(&crowd, kernel, shape, options);
    train_together(&crowd, count); /* primitives are made, and memory is there */
    train_alone(&crowd, count);
    for (int r = 0; r < rounds; r++) {
        alone[r] = train_alone(&crowd, count);
        together[r] = train_together(&crowd, count);
        ratio[r] = together[r] / alone[r];
    }
    double one = median(alone, rounds) / count, other = median(together, rounds) / count;
    printf("%-7s%-28s %2d trials  %8.3f ms a trial alone  %8.3f ms together  ratio %.2f\n", kernel, shape, count,
           one * 1e3, other * 1e3, median(ratio, rounds));
    close_crowd(&crowd);
}

/* As in a slot of one core: OpenMP's threads that wait for each other would count as work. They read this when the
 * program is loaded. */
static void use_one_thread(char **argv)
{
    const char *now = getenv("OMP_NUM_THREADS");
    if (now && strcmp(now, "1") == 0)
        return;
    setenv("OMP_NUM_THREADS", "1", 1);
    execv("/proc/self/exe", argv);
}

int main(int argc, char **argv)
{
    use_one_thread(argv);
    static const struct {
        const char *kernel, *shape;
    } shapes[] = {{"logreg", ", \"epochs\": 10"},
                  {"mlp", ", \"epochs\": 10, \"width\": 16"},
                  {"mlp", ", \"epochs\": 10, \"width\": 32"},
                  {"mlp", ", \"epochs\": 10, \"width\": 64"},
                  {"mlp", ", \"epochs\": 10, \"width\": 128"},
                  {"mlp", ", \"epochs\": 10, \"width\": 32, \"dropout\": 0.2"},
                  {"mlp", ", \"epochs\": 10, \"width\": 32, \"optimizer\": \"adam\""}};
    int rounds = argc > 1 ? atoi(argv[1]) : 11;
    json_t *options = json_pack("{s:s}", "data", argc > 2 ? argv[2] : "examples/data/digits.csv");
    rounds = rounds < 1 ? 1 : rounds > MOST_ROUNDS ? MOST_ROUNDS : rounds;
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int count = 2; count <= MOST; count *= 4)
            measure(shapes[s].kernel, shapes[s].shape, options, count, rounds);
    json_decref(options);
    return 0;
}
